"""One PostgreSQL database as sinks see it: tables made or compared, transactions, result tables."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from app.clock import Clock
from app.engine.contracts import RowWriter
from app.errors import EngineError, PlanError, SinkBroken
from app.plan.carriers import postgres_type
from app.plan.types import StructType
from app.storage.connect import Gateway, Link, Session, is_transient, refusal, unavailable
from app.storage.fit import misfits
from app.storage.names import SYSTEM_COLUMNS, quote, quote_table, split_table
from app.storage.refused import refused
from app.storage.result import PostgresResultTable
from app.storage.rows import PostgresRowWriter
from app.storage.shape import column_list, read_shape

_NULLS_EQUAL_SINCE = 150000
_SCHEMAS = r"""
SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\_%' AND nspname NOT IN ('information_schema', 'watertable')
ORDER BY nspname
"""
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended($1, 7308330217))"


class PostgresDatabase:
    """The `Database` behind one gateway."""

    def __init__(self, gateway: Gateway, clock: Clock, retry_s: float) -> None:
        self._gateway = gateway
        self._clock = clock
        self._retry_s = retry_s

    async def ensure_table(self, table: str, schema: StructType, keys: Sequence[str]) -> bool:
        session = Session(self._gateway, self._clock, self._retry_s)
        try:
            return await session.run(lambda link: _ensure(link, table, schema, keys))
        except EngineError:
            raise
        except Exception as error:
            if (found := refused(table, error)) is not None:
                raise found from error
            if (login := refusal(self._gateway.address, error)) is not None:
                raise SinkBroken(login.sentence) from error
            raise
        finally:
            await session.close()

    def transaction(self) -> AbstractAsyncContextManager[RowWriter]:
        return self._transaction()

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[RowWriter]:
        """Commits at the end of the block. Raises: DatabaseUnavailable for a fault that another try may mend."""
        link = None
        try:
            link = await self._gateway.connect()
            async with link.driver.transaction():
                yield PostgresRowWriter(link.driver, link.shapes, link.stages)
        except BaseException as error:
            if link is not None:
                await link.throw_away()
            if not isinstance(error, EngineError) and is_transient(error):
                raise unavailable(self._gateway.address, error, 0.0) from error
            if (login := refusal(self._gateway.address, error)) is not None:
                raise SinkBroken(login.sentence) from error
            raise
        await link.give_back()

    def table(self, table: str, schema: StructType) -> PostgresResultTable:
        return PostgresResultTable(self._gateway, self._clock, table, schema)

    async def close(self) -> None:
        await self._gateway.close()


async def _ensure(link: Link, table: str, schema: StructType, keys: Sequence[str]) -> bool:
    columns = _columns(table, schema)
    async with link.driver.transaction():
        # Two queries that make the same table take turns.
        await link.driver.execute(_LOCK, table)
        shape = await read_shape(link.driver, table)
        if shape is None:
            await _create(link.driver, table, columns, keys)
            return True
        nulls = link.driver.get_server_version()[0] * 10000 >= _NULLS_EQUAL_SINCE
        found = misfits(shape, columns, keys, nulls_equal=nulls)
    if found:
        raise SinkBroken(
            f"The table {table!r} does not fit the query: {'; '.join(found)}. Change the table or the query, or write "
            "to another table.",
            table=table,
            misfits=found,
        )
    return False


async def _create(driver: Any, table: str, columns: dict[str, str], keys: Sequence[str]) -> None:
    schema, _ = split_table(table)
    if schema is not None and not await driver.fetchval("SELECT to_regnamespace($1) IS NOT NULL", quote(schema)):
        raise _no_schema(table, schema, [row[0] for row in await driver.fetch(_SCHEMAS)])
    body = ", ".join(f"{quote(name)} {kind}" for name, kind in columns.items())
    # Rows with keys are updated for ever: with room on their page, without touching the index.
    room = " WITH (fillfactor = 70)" if keys else ""
    await driver.execute(f"CREATE TABLE {quote_table(table)} ({body}){room}")
    if keys:
        nulls = driver.get_server_version()[0] * 10000 >= _NULLS_EQUAL_SINCE
        await driver.execute(
            f"CREATE UNIQUE INDEX ON {quote_table(table)} ({column_list(list(keys))})"
            f"{' NULLS NOT DISTINCT' if nulls else ''}"
        )


def _no_schema(table: str, schema: str, there: list[str]) -> SinkBroken:
    return SinkBroken(
        f"The table {table!r} cannot be made: there is no schema {schema!r}, only {', '.join(there)}. Check the "
        f"spelling of dbtable, or run CREATE SCHEMA {quote(schema)} first.",
        table=table,
        schema=schema,
    )


def _columns(table: str, schema: StructType) -> dict[str, str]:
    """Names and PostgreSQL types. Raises: SinkBroken."""
    columns: dict[str, str] = {}
    for field in schema:
        if field.name in columns:
            raise SinkBroken(
                f"The query has two columns {field.name!r}; the table {table!r} can have one. Rename one (alias).",
                table=table,
                column=field.name,
            )
        if field.name in SYSTEM_COLUMNS:
            raise SinkBroken(
                f"The table {table!r} cannot have the column {field.name!r}: PostgreSQL has a system column of that "
                "name in every table. Rename it (alias).",
                table=table,
                column=field.name,
            )
        quote(field.name)
        try:
            columns[field.name] = postgres_type(field.dataType)
        except PlanError as error:
            raise SinkBroken(f"Column {field.name!r} cannot go into {table!r}: {error.sentence}") from error
    return columns
