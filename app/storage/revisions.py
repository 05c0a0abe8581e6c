"""Brings a database up to this program, or says why it cannot be used.

    version, read-only?   refused by name: nothing is touched
    revision is ours      done: one statement
    else                  one transaction: advisory lock, look again, Alembic, COMMIT

The lock makes two programs that start together take turns; the second finds the work done.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncConnection

import app
from app.clock import Clock
from app.errors import FormatTooNew, SettingsError
from app.storage.connect import OLDEST_VERSION, Gateway, Link, Session, refusal
from app.storage.tables import REVISION, SCHEMA

_log = logging.getLogger(__name__)
_LOCK = 7_308_330_217_553_164
"""Any number that nobody else is likely to lock."""

_SERVER = text(
    "SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS name,"
    " pg_is_in_recovery() AS replica, current_setting('transaction_read_only')::bool AS read_only,"
    f" to_regclass('{SCHEMA}.alembic_version') IS NOT NULL AS known"
)
_REVISION = text(f"SELECT version_num FROM {SCHEMA}.alembic_version")


async def prepare(gateway: Gateway, clock: Clock, retry_s: float) -> None:
    """Returns when the database has the tables of this program; waits for a missing server up to `retry_s`.

    Raises: SettingsError (too old, read-only, login or right refused), FormatTooNew, DatabaseUnavailable.
    """
    session = Session(gateway, clock, retry_s)
    try:
        await session.run(lambda link: _prepare(link, gateway.address))
    except Exception as error:
        if (refused := refusal(gateway.address, error)) is not None:
            raise refused from error
        raise
    finally:
        await session.close()


async def is_prepared(gateway: Gateway, clock: Clock, retry_s: float) -> bool:
    """Whether the database has the tables of this program; False where it has none at all.

    Raises: SettingsError for tables of another revision, DatabaseUnavailable.
    """
    session = Session(gateway, clock, retry_s)

    async def look(link: Link) -> str | None:
        return await _revision(link.core) if (await _server(link.core)).known else None

    try:
        revision = await session.run(look)
    finally:
        await session.close()
    if revision not in (None, REVISION):
        raise SettingsError(
            f"The tables in {gateway.address} are at revision {revision}, this program wants {REVISION}. "
            "Run `watertable migrate`.",
        )
    return revision is not None


@dataclass(frozen=True, slots=True)
class Server:
    """What a server says of itself; `known`: it has been migrated before."""

    version: int
    name: str
    replica: bool
    read_only: bool
    known: bool


def check_server(server: Server, address: str) -> None:
    """Raises: SettingsError for a server that is too old or takes no writes."""
    if server.version < OLDEST_VERSION:
        raise SettingsError(
            f"{address} is PostgreSQL {server.name}; Watertable needs {OLDEST_VERSION // 10000} or newer. "
            "Upgrade the server, or set DATABASE_URL to another one.",
        )
    if server.replica or server.read_only:
        why = "a standby" if server.replica else "set to default_transaction_read_only"
        raise SettingsError(
            f"{address} takes no writes: it is {why}. Set DATABASE_URL to the primary, or make it writable.",
        )


async def _prepare(link: Link, address: str) -> None:
    server = await _server(link.core)
    check_server(server, address)
    if not server.known or await _revision(link.core) != REVISION:
        await _migrate(link)


async def _server(connection: AsyncConnection) -> Server:
    return Server(*(await connection.execute(_SERVER)).one())


async def _revision(connection: AsyncConnection) -> str | None:
    return (await connection.execute(_REVISION)).scalar_one_or_none()


async def _migrate(link: Link) -> None:
    connection = link.core
    async with link.driver.transaction():
        await connection.execute(text("SET LOCAL lock_timeout = '120s'"))
        await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        known = (await _server(connection)).known
        before = await _revision(connection) if known else None
        if before == REVISION:
            return
        # Asked for first: CREATE SCHEMA IF NOT EXISTS wants the right to create even where it exists.
        found = text("SELECT 1 FROM pg_namespace WHERE nspname = :name")
        if (await connection.execute(found, {"name": SCHEMA})).first() is None:
            await connection.execute(text(f"CREATE SCHEMA {SCHEMA}"))
        await connection.run_sync(_upgrade, before)
    _log.info("tables brought from revision %s to %s", before, REVISION)


def _upgrade(connection: Connection, before: str | None) -> None:
    # Imported here: Alembic costs a tenth of a second, and most starts have nothing to migrate.
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(scripts_folder()).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if before is not None and before not in known:
        raise FormatTooNew(
            f"The database is at revision {before}, which this version does not know (its newest is {REVISION}): "
            "a newer Watertable has used it. Install that version, or use another database.",
            revision=before,
        )
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def scripts_folder() -> Path:
    """The migrations: inside the package in a wheel, beside it in a checkout."""
    package = Path(app.__file__).parent
    inside = package / "_migrations"
    return inside if inside.exists() else package.parent / "migrations"
