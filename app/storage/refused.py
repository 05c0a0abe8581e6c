"""PostgreSQL's refusals of rows and tables, as errors that name table and column."""

from __future__ import annotations

import re

import asyncpg

from app.errors import SinkBroken
from app.storage.connect import driver_error, is_transient, sentence_of

_COPY_COLUMN = re.compile(r"COPY .*?, line \d+, column ([^:]+)")
_STAGE_COLUMN = re.compile(r"c\d+")


def refused(table: str, error: BaseException) -> SinkBroken | None:
    """The refusal as an error for people, `column` among its facts (None where PostgreSQL does not say); None for
    an error that is worth another try."""
    cause = driver_error(error)
    if not isinstance(cause, asyncpg.PostgresError) or is_transient(cause):
        return None
    return _broken(table, _column(cause), sentence_of(cause), cause)


def with_column(found: SinkBroken, table: str, error: asyncpg.PostgresError) -> SinkBroken:
    """The same refusal, with the column that `error` names."""
    column = _column(error)
    return found if column is None else _broken(table, column, sentence_of(error), error)


def _column(error: asyncpg.PostgresError) -> str | None:
    if error.column_name:
        return str(error.column_name)
    named = _COPY_COLUMN.search(str(error.context or ""))
    return named.group(1) if named and not _STAGE_COLUMN.fullmatch(named.group(1)) else None


def _broken(table: str, column: str | None, reason: str, error: asyncpg.PostgresError) -> SinkBroken:
    where = f"column {column!r} of table {table!r}" if column else f"table {table!r}"
    detail = f" {error.detail}" if error.detail else ""
    return SinkBroken(
        f"PostgreSQL refuses a row for {where}: {reason}.{detail} Change the query or the table so that they fit.",
        table=table,
        column=column,
        sqlstate=error.sqlstate,
    )
