"""PostgreSQL: the ledger, the sinks' database, the embedded server. Only here SQLAlchemy and asyncpg."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack

from app.clock import Clock
from app.engine.contracts import StoredQuery
from app.settings import Settings
from app.storage.console import Answer as Answer
from app.storage.console import ask as ask
from app.storage.ledger import PostgresLedger
from app.storage.reach import open_gateway
from app.storage.revisions import is_prepared, prepare


async def open_ledger(settings: Settings, clock: Clock) -> PostgresLedger:
    """The ledger of the database in the settings, migrated; without one, of the embedded server, started.

    Raises: SettingsError (wrong password, too old, read-only, …), FormatTooNew, DatabaseUnavailable.
    """
    async with AsyncExitStack() as opened:
        gateway = await opened.enter_async_context(open_gateway(settings))
        await prepare(gateway, clock, settings.database_retry_s)
        ledger = PostgresLedger(gateway, clock, settings.database_retry_s)
        await ledger.remove_leftovers()
        ledger.owns(opened.pop_all())
        return ledger


async def stored_queries(settings: Settings, clock: Clock) -> Sequence[StoredQuery] | None:
    """The queries that the database knows; None where it has never been migrated. Changes nothing.

    Raises: SettingsError (also for tables of another version), DatabaseUnavailable.
    """
    async with open_gateway(settings) as gateway:
        if not await is_prepared(gateway, clock, settings.database_retry_s):
            return None
        ledger = PostgresLedger(gateway, clock, settings.database_retry_s)
        try:
            return await ledger.queries()
        finally:
            await ledger.close()


async def migrate(settings: Settings, clock: Clock) -> None:
    """Brings the database's tables up to this program. Raises: as `open_ledger`."""
    async with open_gateway(settings) as gateway:
        await prepare(gateway, clock, settings.database_retry_s)
