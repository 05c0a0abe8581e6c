"""Connections to PostgreSQL: made through SQLAlchemy, replaced when they break, with every wait bounded.

An error that PostgreSQL or the network gives is one of two kinds. Transient: the connection, the server or a
neighbour's transaction was at fault, and the same work may go through on a new connection. Everything else will
fail again. `is_transient` is the only judge, and `Session.run` the only one that tries again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

import anyio
import asyncpg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from app.clock import Clock
from app.errors import DatabaseUnavailable, EngineError, SettingsError
from app.storage.shape import TableShape

_log = logging.getLogger(__name__)
T = TypeVar("T")

OLDEST_VERSION = 140000
_CONNECT_WAIT_S = 10.0
_STATEMENT_WAIT_S = 600.0
_SCHEMES = ("postgresql", "postgres", "postgresql+asyncpg")

_SESSION = {
    "application_name": "watertable",
    "timezone": "UTC",
    "datestyle": "ISO",
    "intervalstyle": "iso_8601",
    "extra_float_digits": "1",
    "standard_conforming_strings": "on",
    # A process that vanished without a word must not hold its locks for ever.
    "idle_in_transaction_session_timeout": "60000",
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
}
# A role called like our schema has it on its path, and a result table `query` must not be ours.
_SEARCH_PATH = """
SELECT set_config('search_path', coalesce(string_agg(quote_ident(name), ', '), ''), false)
FROM unnest(current_schemas(false)) AS s (name) WHERE name <> 'watertable'
"""
_TRANSIENT = ("08", "57P0", "53", "40001", "40P01", "25006", "25P03", "55P03")
"""By prefix: connection failures; shutdown, crash, starting up; out of connections, memory, disk; serialization,
deadlock; read-only (the server is no longer the primary); idle too long; lock not available."""


class Gateway:
    """Makes connections to one database. `address` names it in messages, without the password.

    `revive` is called where nothing listens there; then it is tried once more.
    """

    def __init__(self, url: str, revive: Callable[[], Awaitable[None]] | None = None) -> None:
        """Raises: SettingsError for a URL that is none."""
        self.dsn, self.address = _read_url(url)
        self._revive = revive
        self.engine: AsyncEngine = create_async_engine(
            "postgresql+asyncpg://",
            async_creator=self._connect,
            isolation_level="AUTOCOMMIT",
            pool_size=4,
            max_overflow=-1,
            pool_pre_ping=True,
        )
        self._links: set[Link] = set()

    async def _connect(self) -> asyncpg.Connection:
        try:
            driver = await self._reach()
        except (ConnectionRefusedError, FileNotFoundError):
            if self._revive is None:
                raise
            await self._revive()
            driver = await self._reach()
        try:
            await driver.execute(_SEARCH_PATH)
        except BaseException:
            driver.terminate()
            raise
        return driver

    async def _reach(self) -> asyncpg.Connection:
        return await asyncpg.connect(
            self.dsn, timeout=_CONNECT_WAIT_S, command_timeout=_STATEMENT_WAIT_S, server_settings=_SESSION
        )

    async def connect(self) -> Link:
        """A connection of one's own. Raises: whatever the driver raises."""
        connection = await self.engine.connect()
        raw = await connection.get_raw_connection()
        link = Link(connection, raw.driver_connection, self._links)
        self._links.add(link)
        return link

    async def close(self) -> None:
        """Closes all connections, also those that nobody gave back."""
        for link in list(self._links):
            await link.throw_away()
        await self.engine.dispose()


class Link:
    """One connection, as SQLAlchemy (`core`) and as the driver (`driver`) have it.

    `core` is in autocommit mode, so inside `driver.transaction()` its statements belong to that transaction.
    """

    def __init__(self, core: AsyncConnection, driver: Any, known: set[Link]) -> None:
        self.core = core
        self.driver = driver
        self._known = known
        self.shapes: dict[str, TableShape] = {}
        """Tables as they were when this connection first wrote to them."""
        self.stages: set[int] = set()
        """Widths of the temporary tables this connection has."""

    async def give_back(self) -> None:
        self._known.discard(self)
        await self.core.close()

    async def throw_away(self) -> None:
        """Cuts the connection without a word to the server: it may be the server that hangs."""
        self._known.discard(self)
        with anyio.CancelScope(shield=True):
            self.driver.terminate()
            await self.core.invalidate()
            await self.core.close()


class Session:
    """A connection for one task at a time that is made again when it breaks.

    `on_connect` runs first on every new connection (session locks).
    """

    def __init__(
        self,
        gateway: Gateway,
        clock: Clock,
        retry_s: float,
        on_connect: Callable[[Link], Awaitable[None]] | None = None,
    ) -> None:
        self._gateway = gateway
        self._clock = clock
        self._retry_s = retry_s
        self._on_connect = on_connect
        self._link: Link | None = None
        self._turn = anyio.Lock()

    async def run(self, work: Callable[[Link], Awaitable[T]], retry_s: float | None = None) -> T:
        """What `work` gives on a connection; after a transient fault it is called again on a new one, so it has
        to find out itself what its last call left behind. An error leaves no open transaction.

        Raises: DatabaseUnavailable when the bound is reached; whatever else `work` raises.
        """
        async with self._turn:
            started_s = self._clock.monotonic_s()
            pause_s = 0.05
            while True:
                try:
                    return await self._attempt(work)
                except Exception as error:
                    if not is_transient(error):
                        raise
                    waited_s = self._clock.monotonic_s() - started_s
                    pause_s = min(pause_s, (self._retry_s if retry_s is None else retry_s) - waited_s)
                    if pause_s <= 0:
                        raise unavailable(self._gateway.address, error, waited_s) from error
                    _log.warning("%s: %s; trying again in %.2f s", self._gateway.address, sentence_of(error), pause_s)
                await self._clock.sleep(pause_s)
                pause_s = min(pause_s * 2, 5.0)

    async def _attempt(self, work: Callable[[Link], Awaitable[T]]) -> T:
        if self._link is None:
            self._link = await self._connected()
            if self._on_connect is not None:
                await self._guarded(self._on_connect)
        return await self._guarded(work)

    async def _connected(self) -> Link:
        """Raises: SettingsError where the server does not let us in; what it says besides may pass."""
        try:
            return await self._gateway.connect()
        except Exception as error:
            if (refused := connect_refusal(self._gateway.address, error)) is not None:
                raise refused from error
            raise DatabaseUnavailable(sentence_of(error)) from error

    async def _guarded(self, work: Callable[[Link], Awaitable[T]]) -> T:
        assert self._link is not None
        try:
            return await work(self._link)
        except BaseException:
            link, self._link = self._link, None
            await link.throw_away()
            raise

    async def close(self) -> None:
        """Gives the connection back; the next `run` gets another. One that holds session locks ends with them."""
        link, self._link = self._link, None
        if link is not None:
            with anyio.CancelScope(shield=True):
                await (link.give_back() if self._on_connect is None else link.throw_away())

    async def renew(self) -> None:
        """Cuts the connection: the next `run` makes a new one."""
        link, self._link = self._link, None
        if link is not None:
            await link.throw_away()


def is_transient(error: BaseException) -> bool:
    """Worth another try on a new connection."""
    cause = driver_error(error)
    if isinstance(cause, asyncpg.PostgresError):
        return str(cause.sqlstate).startswith(_TRANSIENT)
    if isinstance(cause, asyncpg.InterfaceError):
        return "clos" in str(cause) or "connection" in str(cause)
    if isinstance(cause, asyncpg.InternalClientError):
        return True
    return isinstance(cause, (OSError, TimeoutError, asyncio.IncompleteReadError, DatabaseUnavailable))


def driver_error(error: BaseException) -> BaseException:
    """The driver's or the network's error inside what SQLAlchemy made of it."""
    if isinstance(error, DBAPIError) and error.orig is not None:
        return error.orig.__cause__ or error.orig
    return error


def sentence_of(error: BaseException) -> str:
    """The error in a few words, without addresses that might carry a password."""
    if isinstance(error, EngineError):
        return error.sentence
    cause = driver_error(error)
    if isinstance(cause, asyncpg.PostgresError):
        return str(cause.args[0] if cause.args else cause).strip() or type(cause).__name__
    if isinstance(cause, TimeoutError) and not str(cause):
        return "no answer in time"
    return str(cause) or type(cause).__name__


def unavailable(address: str, error: BaseException, waited_s: float) -> DatabaseUnavailable:
    return DatabaseUnavailable(
        f"PostgreSQL at {address} could not be reached for {waited_s:.0f} s ({sentence_of(error)}). "
        "Start it, or correct DATABASE_URL, and start again.",
        address=address,
    )


def refusal(address: str, error: BaseException) -> SettingsError | None:
    """The server's refusal to let us in, as an error for people; None for any other error."""
    cause = driver_error(error)
    if isinstance(cause, asyncpg.InvalidCatalogNameError):
        return SettingsError(
            f"The database of {address} does not exist. Create it (createdb), or correct DATABASE_URL."
        )
    if isinstance(cause, (asyncpg.InvalidAuthorizationSpecificationError, asyncpg.ClientConfigurationError)):
        return SettingsError(
            f"PostgreSQL at {address} refuses the login ({sentence_of(cause)}). Correct user and password in "
            "DATABASE_URL, or the server's pg_hba.conf."
        )
    if isinstance(cause, asyncpg.InsufficientPrivilegeError):
        return SettingsError(
            f"The user of {address} lacks a right ({sentence_of(cause)}). GRANT it, or use another user."
        )
    return None


def connect_refusal(address: str, error: BaseException) -> SettingsError | None:
    """As `refusal`, for an error of connecting: there a setting that the server does not know came with the URL."""
    cause = driver_error(error)
    if isinstance(cause, (asyncpg.SyntaxOrAccessError, asyncpg.DataError)):
        return refusal(address, error) or SettingsError(
            f"PostgreSQL at {address} does not take the connection ({sentence_of(cause)}). Correct DATABASE_URL."
        )
    if isinstance(cause, ValueError) and not isinstance(cause, asyncpg.InterfaceError):
        # What the driver says of it may quote the password.
        return SettingsError(f"The parameters behind the ? of the database URL of {address} cannot be read.")
    return refusal(address, error)


def _read_url(url: str) -> tuple[str, str]:
    """(what the driver takes, what people may see)."""
    scheme, colon, rest = url.partition(":")
    if scheme not in _SCHEMES or not colon or not rest.startswith("//"):
        raise SettingsError(
            "The database URL does not begin with postgresql:// (or postgres://). It has the form "
            "postgresql://user:password@host:5432/database."
        )
    dsn = f"postgresql:{rest}"
    try:
        parts = urlsplit(dsn)
        port = parts.port
    except ValueError:
        raise SettingsError(
            "The database URL cannot be read: write special characters in the password as %xx. It has the form "
            "postgresql://user:password@host:5432/database."
        ) from None
    host = parts.hostname or "a local socket"
    user = f"{parts.username}@" if parts.username else ""
    return dsn, f"{user}{host}{f':{port}' if port else ''}{parts.path}"
