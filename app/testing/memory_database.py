"""The dumb twin of a PostgreSQL database for sinks: tables as lists of rows."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from app.engine.contracts import ResultTable, RowWriter
from app.errors import SinkBroken
from app.plan.carriers import arrow_schema
from app.plan.types import StructType
from app.sinks.arrow_result import ArrowResult

Row = dict[str, Any]


@dataclass
class MemoryTable:
    """`keys` is the unique index, empty where there is none."""

    schema: StructType
    keys: tuple[str, ...]
    rows: list[Row] = field(default_factory=list)


class MemoryDatabase:
    """A `Database` that lives as long as this object."""

    def __init__(self) -> None:
        self.tables: dict[str, MemoryTable] = {}

    async def ensure_table(self, table: str, schema: StructType, keys: Sequence[str]) -> bool:
        new = table not in self.tables
        known = self.tables.setdefault(table, MemoryTable(schema, tuple(keys)))
        there = {f.name: f.dataType for f in known.schema}
        wrong = [f.name for f in schema if there.get(f.name) != f.dataType]
        if wrong or (keys and set(keys) != set(known.keys)):
            what = ", ".join(map(repr, wrong)) or f"a unique index on {', '.join(keys)}"
            raise SinkBroken(f"The table {table!r} does not fit the query: {what}.", table=table)
        return new

    def transaction(self) -> AbstractAsyncContextManager[RowWriter]:
        return self._transaction()

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[RowWriter]:
        writer = MemoryRowWriter(self.tables)
        yield writer
        writer.apply()

    def table(self, table: str, schema: StructType) -> ResultTable:
        return ArrowResult(schema, lambda: self._read(table, schema))

    def _read(self, table: str, schema: StructType) -> pa.Table:
        rows = self.tables[table].rows if table in self.tables else []
        arrow = arrow_schema(schema)
        columns = [pa.array([row.get(f.name) for row in rows], f.type) for f in arrow]
        return pa.Table.from_arrays(columns, schema=pa.schema([f.with_nullable(True) for f in arrow]))

    async def close(self) -> None: ...


class MemoryRowWriter:
    """A `RowWriter` that keeps what it is told until `apply`, so nothing of an abandoned transaction is seen."""

    def __init__(self, tables: dict[str, MemoryTable]) -> None:
        self._tables = tables
        self._steps: list[Callable[[], None]] = []

    async def append(self, table: str, rows: pa.Table) -> None:
        target, new = self._known(table, rows), rows.to_pylist()
        self._steps.append(lambda: target.rows.extend(new))

    async def merge(self, table: str, rows: pa.Table, keys: Sequence[str]) -> None:
        target, new = self._known(table, rows), rows.to_pylist()
        if set(keys) != set(target.keys):
            raise SinkBroken(f"The table {table!r} has no unique index on {', '.join(keys)}.", table=table)

        def step() -> None:
            merged = {_identity(row, keys): row for row in target.rows}
            for row in new:
                at = _identity(row, keys)
                merged[at] = {**merged.get(at, {}), **row}
            target.rows[:] = merged.values()

        self._steps.append(step)

    async def delete(self, table: str, keys: pa.Table) -> None:
        target, names = self._known(table, keys), keys.column_names
        gone = {_identity(row, names) for row in keys.to_pylist()}

        def step() -> None:
            target.rows[:] = [row for row in target.rows if _identity(row, names) not in gone]

        self._steps.append(step)

    async def replace(self, table: str, rows: pa.Table) -> None:
        target, new = self._known(table, rows), rows.to_pylist()

        def step() -> None:
            target.rows[:] = new

        self._steps.append(step)

    def apply(self) -> None:
        """Commits."""
        for step in self._steps:
            step()

    def _known(self, table: str, rows: pa.Table) -> MemoryTable:
        target = self._tables.get(table)
        if target is None:
            raise SinkBroken(f"The table {table!r} does not exist.", table=table)
        strange = [name for name in rows.column_names if name not in target.schema.names]
        if strange:
            raise SinkBroken(f"The table {table!r} has no column {strange[0]!r}.", table=table, column=strange[0])
        return target


def _identity(row: Row, keys: Sequence[str]) -> tuple[str, ...]:
    """Equal for rows whose keys are equal, as PostgreSQL sees it: null equals null, NaN equals NaN, -0.0 is 0.0."""
    return tuple(repr(0.0 if row[key] == 0.0 and isinstance(row[key], float) else row[key]) for key in keys)
