"""The server process of one data folder: is it there, does it answer, start it, stop it.

Everything goes by the folder's `postmaster.pid`, so it works for a server that another process started.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import psutil  # type: ignore[import-untyped]

from app.clock import Clock
from app.errors import DatabaseUnavailable, SettingsError
from app.storage.account import Account

_log = logging.getLogger(__name__)
_STOP_WAIT_S = 60
_SOCKET_PATH_BYTES = 100


class Postmaster:
    """The server on `folder / "data"`, run by `programs` as `account`, its socket in `folder / "run"`."""

    def __init__(self, folder: Path, programs: Path, account: Account, clock: Clock) -> None:
        self._folder = folder
        self._data = folder / "data"
        self._run = folder / "run"
        self._programs = programs
        self._account = account
        self._clock = clock

    def pid(self) -> int | None:
        """The running server's process, None where there is none.

        Clears a pid file whose pid now belongs to another program: PostgreSQL itself would not start over it.
        """
        lines = self._pid_lines()
        if not lines or not lines[0].lstrip("-").isdigit():
            return None
        pid = abs(int(lines[0]))
        try:
            process = psutil.Process(pid)
            if process.status() == psutil.STATUS_ZOMBIE:
                return None
            if "postgres" in process.name():
                return pid
        except psutil.Error:
            return None
        (self._data / "postmaster.pid").unlink(missing_ok=True)
        return None

    def port(self) -> int | None:
        """The port the running server says is its own; None as long as it has not said so."""
        lines = self._pid_lines()
        return int(lines[3]) if len(lines) > 5 and lines[3].isdigit() else None

    def socket_folder(self, port: int) -> Path | None:
        """Where its socket is; None where the path is too long for one and only TCP is left."""
        name = os.fsencode(self._run / f".s.PGSQL.{port}")
        return self._run if len(name) <= _SOCKET_PATH_BYTES else None

    def listens(self) -> bool:
        """Something accepts connections on its port, even if only to say that it is starting or stopping."""
        port = self.port()
        if port is None:
            return False
        try:
            socket.create_connection(("127.0.0.1", port), timeout=2).close()
        except OSError:
            return False
        return True

    async def spawn(self, settings: Mapping[str, str]) -> None:
        """Starts the process; it may still be recovering then. Raises: DatabaseUnavailable."""
        port = _free_port(self._last_port())
        config = self._data / "postgresql.conf"
        config.write_text(self._config(port, settings))
        self._account.own(config)
        log = self._data / "server.log"
        await self.program("pg_ctl", "-D", str(self._data), "-l", str(log), "-W", "-s", "start")
        # Writing the pid file is one of its first acts; without this pause the caller might start a second.
        deadline_s = self._clock.monotonic_s() + 2.0
        while self.pid() is None and self._clock.monotonic_s() < deadline_s:
            await self._clock.sleep(0.005)

    async def shut_down(self) -> None:
        """Rolls back what runs, writes a checkpoint, ends; the hard way where that takes too long."""
        if self.pid() is None:
            return
        wait = ("-m", "fast", "-t", str(_STOP_WAIT_S), "-w", "-s")
        try:
            await self.program("pg_ctl", "-D", str(self._data), *wait, "stop")
        except DatabaseUnavailable as error:
            _log.warning("%s", error.sentence)
            await self.kill()

    async def kill(self) -> None:
        """Ends the process without a checkpoint; the next start recovers from the write-ahead log."""
        pid = self.pid()
        if pid is not None:
            _log.warning("stopping PostgreSQL process %d the hard way", pid)
            await anyio.to_thread.run_sync(_kill, pid)

    async def program(self, name: str, *arguments: str) -> None:
        """Runs one of PostgreSQL's programs as the server's account. Raises: DatabaseUnavailable."""
        # A server that pg_ctl starts keeps the streams open, so the words go to a file and not to a pipe.
        words = self._folder / "words"
        with words.open("wb") as out:
            done = await anyio.run_process(
                [str(self._programs / name), *arguments],
                **self._as_account(),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                check=False,
                cwd="/",
                start_new_session=True,
                env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
            )
        if done.returncode != 0:
            text = " ".join(words.read_text(errors="replace").split())
            raise DatabaseUnavailable(f"{name} for {self._folder} failed: {text} {self.last_words()}")

    def last_words(self) -> str:
        """The end of the server's log, for error messages."""
        try:
            lines = (self._data / "server.log").read_text(errors="replace").splitlines()
        except OSError:
            return "There is no server log."
        return "The end of its log: " + " / ".join(lines[-3:])

    def _as_account(self) -> dict[str, Any]:
        if self._account.uid is None:
            return {}
        return {"user": self._account.uid, "group": self._account.gid, "extra_groups": []}

    def _pid_lines(self) -> list[str]:
        """pid, data folder, start time, port, socket folder, address, memory key, status."""
        try:
            return (self._data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return []

    def _last_port(self) -> int:
        lines = (self._data / "postgresql.conf").read_text().splitlines()
        return next((int(line.split("=")[1]) for line in lines if line.startswith("port = ")), 0)

    def _config(self, port: int, settings: Mapping[str, str]) -> str:
        sockets = str(self.socket_folder(port) or "").replace("'", "''")
        fixed = {
            "port": str(port),
            "listen_addresses": "'127.0.0.1'",
            "unix_socket_directories": f"'{sockets}'",
        }
        lines = ["# Written by Watertable at every start. Settings of your own: ALTER SYSTEM SET …"]
        return "\n".join([*lines, *(f"{k} = {v}" for k, v in {**fixed, **settings}.items())]) + "\n"


def _free_port(wanted: int) -> int:
    """`wanted` where it is free, else any."""
    for port in (wanted, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise SettingsError("There is no free TCP port on 127.0.0.1 for PostgreSQL.")


def _kill(pid: int) -> None:
    try:
        process = psutil.Process(pid)
        for how in (signal.SIGQUIT, signal.SIGKILL):
            process.send_signal(how)
            try:
                process.wait(10)
            except psutil.TimeoutExpired:
                continue
            return
    except psutil.NoSuchProcess:
        return
