"""One read-only statement of a person at the keyboard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import asyncpg

from app.clock import Clock
from app.errors import PlanError
from app.settings import Settings
from app.storage.connect import Link, Session, refusal
from app.storage.reach import open_gateway


@dataclass(frozen=True, slots=True)
class Answer:
    """Column names and rows, values as the driver gives them."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


async def ask(settings: Settings, clock: Clock, statement: str) -> Answer:
    """What the statement gives in a read-only transaction; the database need not be migrated.

    Raises: PlanError (PostgreSQL refuses the statement, or it writes), SettingsError, DatabaseUnavailable."""
    async with open_gateway(settings) as gateway:
        session = Session(gateway, clock, settings.database_retry_s)
        try:
            return await session.run(lambda link: _ask(link, statement))
        except Exception as error:
            if (refused := refusal(gateway.address, error)) is not None:
                raise refused from error
            raise
        finally:
            await session.close()


async def _ask(link: Link, statement: str) -> Answer:
    try:
        async with link.driver.transaction(readonly=True):
            prepared = await link.driver.prepare(statement)
            rows = await prepared.fetch()
            return Answer(tuple(a.name for a in prepared.get_attributes()), [tuple(row) for row in rows])
    except (asyncpg.SyntaxOrAccessError, asyncpg.DataError, asyncpg.ReadOnlySQLTransactionError) as error:
        hint = f" {error.hint}" if error.hint else ""
        raise PlanError(
            f"PostgreSQL refuses the statement: {error.args[0]}.{hint} Give one statement that only reads.",
            code="SQL_REFUSED",
            sqlstate=error.sqlstate,
        ) from error
