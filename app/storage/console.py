"""One read-only statement of a person at the keyboard.

A read-only transaction still lets a superuser read and write the files of the server and start programs there (COPY,
pg_read_file). So only what gives columns runs, and for a superuser as the role `pg_read_all_data`: it reads every table
and nothing else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import asyncpg

from app.clock import Clock
from app.errors import PlanError
from app.settings import Settings
from app.storage.connect import Link, Session, is_transient, refusal, sentence_of
from app.storage.reach import open_gateway

_ONLY_READS = "Give one statement that only reads."
_NUMBERS = frozenset(["int2", "int4", "int8", "float4", "float8", "numeric", "oid"])
_TEXTS = frozenset(["text", "json", "xml"])
_WAYS_OUT = re.compile(r'set_config|u&"|(query|cursor)_to_xml|ts_stat|ts_rewrite', re.IGNORECASE)
"""What could take the role back inside of a statement: the one function for settings, a name spelt with escapes, and
functions that run text as SQL."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Column names, which of them are numbers, and rows: every value as PostgreSQL writes it, or None."""

    columns: tuple[str, ...]
    numbers: tuple[bool, ...]
    rows: list[tuple[str | None, ...]]


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
            await link.driver.execute("SET LOCAL IntervalStyle = postgres")
            if await link.driver.fetchval("SELECT current_setting('is_superuser') = 'on'"):
                if found := _WAYS_OUT.search(statement):
                    raise _refused(f"{found.group()} may not be used here.", "Use psql for it.")
                await link.driver.execute("SET LOCAL ROLE pg_read_all_data")
            return await _read(link, statement)
    except asyncpg.PostgresError as error:
        if is_transient(error) and not isinstance(error, asyncpg.ReadOnlySQLTransactionError):
            raise
        said = " ".join(f"{text.rstrip('.')}." for text in (sentence_of(error), error.detail, error.hint) if text)
        raise _refused(f"PostgreSQL says: {said}", _advice(error), sqlstate=error.sqlstate) from error


async def _read(link: Link, statement: str) -> Answer:
    prepared = await link.driver.prepare(statement)
    columns = prepared.get_attributes()
    if not columns:
        raise _refused("It gives no columns.", _ONLY_READS)
    if prepared.get_parameters():
        raise _refused("It has parameters ($1), and there is nothing to give them.", "Write the values out.")
    kinds = [column.type.name for column in columns]
    if not _TEXTS.issuperset(kinds):
        # It was prepared alone, so its brackets are closed and it cannot end the one around it.
        texts = ", ".join(f"q.c{i}::text" for i in range(len(columns)))
        names = ", ".join(f"c{i}" for i in range(len(columns)))
        prepared = await link.driver.prepare(f"SELECT {texts} FROM ({statement.rstrip().rstrip(';')}\n) q ({names})")
    rows = [tuple(row) for row in await prepared.fetch()]
    return Answer(tuple(column.name for column in columns), tuple(kind in _NUMBERS for kind in kinds), rows)


def _advice(error: asyncpg.PostgresError) -> str:
    if isinstance(error, asyncpg.InsufficientPrivilegeError):
        return "Tables can be read here, files and programs of the server cannot: use psql, as a user who may."
    if isinstance(error, asyncpg.DataError):
        return "Correct the values, or leave their rows out with WHERE."
    if isinstance(error, asyncpg.ReadOnlySQLTransactionError):
        return _ONLY_READS
    return "Correct the statement: one, that only reads."


def _refused(said: str, advice: str, **facts: object) -> PlanError:
    return PlanError(f"The statement is refused. {said} {advice}", code="SQL_REFUSED", **facts)
