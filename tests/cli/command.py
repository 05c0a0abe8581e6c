"""The `watertable` command as a process of its own, as a user starts it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[2]
WAIT_S = 120.0
"""A bound for what usually takes a second or two, on a machine that has much else to do."""


def environment(**settings: str) -> dict[str, str]:
    """This process's environment without any setting of Watertable's but `settings`."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("WATERTABLE_", "PG")) and name != "DATABASE_URL"
    }
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", **settings}


def python(*arguments: str | Path, cwd: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Runs this Python to its end, with the project on its path."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env=environment(**settings),
        capture_output=True,
        text=True,
        timeout=WAIT_S,
    )


def watertable(*arguments: str | Path, cwd: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Runs one command to its end."""
    return python("-m", "app", *arguments, cwd=cwd, **settings)


class Process:
    """A command that is running. Its stderr goes to `stderr`, a file, so that it never blocks on a full pipe."""

    def __init__(self, popen: subprocess.Popen[str], stdout: Path, stderr: Path) -> None:
        self._popen = popen
        self.stdout = stdout
        self.stderr = stderr

    @property
    def alive(self) -> bool:
        return self._popen.poll() is None

    def told(self) -> str:
        """What it said, for the message of an assertion."""
        return f"stdout:\n{self.stdout.read_text()}\nstderr:\n{self.stderr.read_text()}"

    def signal(self, number: signal.Signals) -> None:
        self._popen.send_signal(number)

    def wait(self, timeout_s: float = WAIT_S) -> int:
        return self._popen.wait(timeout_s)


@contextmanager
def started(*arguments: str | Path, cwd: Path, **settings: str) -> Iterator[Process]:
    """A running command; what is left of it at the end is killed."""
    stdout, stderr = cwd / "stdout.txt", cwd / "stderr.txt"
    with stdout.open("w") as out, stderr.open("w") as err:
        popen = _spawn([sys.executable, "-m", "app", *map(str, arguments)], cwd, environment(**settings), out, err)
    try:
        yield Process(popen, stdout, stderr)
    finally:
        if popen.poll() is None:
            popen.send_signal(signal.SIGTERM)
            try:
                popen.wait(15)
            except subprocess.TimeoutExpired:
                popen.kill()
                popen.wait()


def _spawn(command: list[str], cwd: Path, env: dict[str, str], out: IO[str], err: IO[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err, text=True)


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nothing listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
