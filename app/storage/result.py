"""Rows of a result table, asked for by name: one statement, so one snapshot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import asyncpg
import pyarrow as pa

from app.clock import Clock
from app.errors import DatabaseUnavailable, PlanError
from app.plan.carriers import arrow_schema
from app.plan.types import (
    CalendarIntervalType,
    DayTimeIntervalType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    YearMonthIntervalType,
)
from app.storage.connect import Gateway, Link, Session, sentence_of
from app.storage.names import quote, quote_table
from app.storage.render import parse
from app.storage.shape import TableColumn, TableShape, read_shape

_RETRY_S = 2.0


class PostgresResultTable:
    """The `ResultTable` over a table of one database."""

    def __init__(self, gateway: Gateway, clock: Clock, table: str, schema: StructType) -> None:
        self._gateway = gateway
        self._clock = clock
        self._table = table
        self._schema = schema

    @property
    def schema(self) -> StructType:
        return self._schema

    async def select(
        self,
        columns: Sequence[str] | None = None,
        where: Mapping[str, str] | None = None,
        order: Sequence[tuple[str, bool]] = (),
        limit: int = 100,
        offset: int = 0,
    ) -> pa.Table:
        fields = list(self._schema) if columns is None else [self._field(name) for name in columns]
        equal = [(self._field(name), value) for name, value in (where or {}).items()]
        sorted_by = [(self._field(name), down) for name, down in order]

        async def work(link: Link) -> list[Any]:
            shape = await self._shape(link)
            tests = [_test(shape.columns[f.name], i + 1) for i, (f, _) in enumerate(equal)]
            statement = " ".join(
                [
                    f"SELECT {', '.join(_text(f) for f in fields) or 'NULL'} FROM {quote_table(self._table)} AS stored",
                    f"WHERE {' AND '.join(tests)}" if tests else "",
                    f"ORDER BY {', '.join(_sort(shape, f, down) for f, down in sorted_by)}" if order else "",
                    f"LIMIT {int(limit)} OFFSET {int(offset)}",
                ]
            )
            return list(await link.driver.fetch(statement, *(value for _, value in equal)))

        rows = await self._ask(work)
        return _table(fields, rows)

    async def _ask(self, work: Any) -> Any:
        session = Session(self._gateway, self._clock, _RETRY_S)
        try:
            return await session.run(work)
        except asyncpg.DataError as error:
            raise PlanError(
                f"A value asked for does not fit its column in {self._table!r}: {sentence_of(error)}.",
                table=self._table,
            ) from error
        except asyncpg.PostgresError as error:
            raise PlanError(
                f"The table {self._table!r} cannot be read: {sentence_of(error)}.", table=self._table
            ) from error
        except DatabaseUnavailable:
            raise
        finally:
            await session.close()

    async def _shape(self, link: Link) -> TableShape:
        shape = await read_shape(link.driver, self._table)
        missing = [f.name for f in self._schema if shape is None or f.name not in shape.columns]
        if shape is None or missing:
            what = f"has lost its column {missing[0]!r}" if shape is not None else "does not exist (any more)"
            raise PlanError(f"The table {self._table!r} {what}.", table=self._table)
        return shape

    def _field(self, name: str) -> StructField:
        like = [f for f in self._schema if f.name.lower() == name.lower()]
        if like:
            return next((f for f in like if f.name == name), like[0])
        known = ", ".join(f"`{n}`" for n in self._schema.names)
        raise PlanError(f"The result has no column `{name}`; it has {known}.", code="UNRESOLVED_COLUMN.WITH_SUGGESTION")


def _text(field: StructField) -> str:
    column = quote(field.name)
    match field.dataType:
        case TimestampType():
            return f"{column}::timestamptz::text"
        case TimestampNTZType():
            return f"{column}::timestamp::text"
        case DayTimeIntervalType():
            return f"(extract(epoch FROM {column}) * 1000000)::bigint::text"
        case CalendarIntervalType():
            months = f"extract(year FROM {column}) * 12 + extract(month FROM {column})"
            clock = f"extract(hour FROM {column}) * 3600000000 + extract(minute FROM {column}) * 60000000"
            us = f"{clock} + extract(microseconds FROM {column})"
            return f"(({months})::int || ' ' || extract(day FROM {column})::int || ' ' || ({us})::bigint)"
        case YearMonthIntervalType():
            return f"(extract(year FROM {column}) * 12 + extract(month FROM {column}))::int::text"
    return f"{column}::text"


def _test(column: TableColumn, number: int) -> str:
    """Equality, by the column's own type where it has equality (then an index can help)."""
    if column.base == "json":
        return f"{quote(column.name)}::text = ${number}::text"
    return f"{quote(column.name)} = ${number}::text::{column.cast_type}"


def _sort(shape: TableShape, field: StructField, down: bool) -> str:
    """As Spark sorts: nulls are smallest. With the table's alias, since a bare name would mean the text selected."""
    text = "::text" if shape.columns[field.name].base == "json" else ""
    return f"stored.{quote(field.name)}{text} {'DESC NULLS LAST' if down else 'ASC NULLS FIRST'}"


def _table(fields: list[StructField], rows: list[Any]) -> pa.Table:
    schema = arrow_schema(StructType(fields))
    columns = [parse([row[i] for row in rows], kind) for i, kind in enumerate(schema.types)]
    return pa.Table.from_arrays(columns, schema=pa.schema([f.with_nullable(True) for f in schema]))
