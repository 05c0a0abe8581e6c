"""Rows into tables, inside a transaction that somebody else opened.

    render      Arrow columns to text columns, vectorised
    transport   few rows: parameters of the statement (text arrays); many: COPY into a temporary table that the
                connection keeps, or straight into the table for a plain append
    statement   set-based, sorted by key, so that two writers take row locks in the same order

A key that comes twice in one call is settled inside the statement, before anything is written: DISTINCT ON the
key, the last in input order wins. Where it says i, that is the place in the input.
"""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import anyio
import anyio.to_thread
import asyncpg
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from app.errors import EngineError, SinkBroken
from app.storage.names import quote, quote_table, split_table
from app.storage.refused import refused, with_column
from app.storage.render import render
from app.storage.shape import TableShape, column_list, read_shape

_PARAMETER_CELLS = 4_000
_SLICE_ROWS = 65_536


class PostgresRowWriter:
    """The `RowWriter` of one transaction. `shapes` and `stages` outlive it, with the connection."""

    def __init__(self, driver: Any, shapes: dict[str, TableShape], stages: set[int]) -> None:
        self._driver = driver
        self._shapes = shapes
        self._stages = stages
        self._staged: set[int] = set()

    async def append(self, table: str, rows: pa.Table) -> None:
        if not rows.num_rows:
            return
        texts, types = await self._render(table, rows)
        names = rows.column_names
        async with _Refusals(self._driver, table, names, texts):
            if _is_small(texts):
                source = _parameters(texts)
                select = ", ".join(f"s.c{i}::{kind}" for i, kind in enumerate(types))
                insert = f"INSERT INTO {quote_table(table)} ({column_list(names)}) SELECT {select}"
                await self._driver.execute(f"{insert} FROM {source.text} ORDER BY s.i", *source.values)
            else:
                await self._copy(table, names, texts)

    async def merge(self, table: str, rows: pa.Table, keys: Sequence[str]) -> None:
        if not rows.num_rows:
            return
        texts, types = await self._render(table, rows)
        names, shape = rows.column_names, await self._shape(table)
        async with _Refusals(self._driver, table, names, texts):
            if not shape.sees_nulls(frozenset(keys)):
                # PostgreSQL 14 has no unique index to which nulls are equal: rows with one are put in anew.
                await self._delete_nulls(table, rows.select(list(keys)))
            source = await self._source(texts)
            await self._driver.execute(_merge(table, names, types, keys, source.text), *source.values)

    async def delete(self, table: str, keys: pa.Table) -> None:
        if not keys.num_rows:
            return
        whole = None
        for name in keys.column_names:
            valid = pc.is_valid(keys.column(name))
            whole = valid if whole is None else pc.and_(whole, valid)
        await self._delete(table, keys.filter(whole), ())
        await self._delete_nulls(table, keys)

    async def replace(self, table: str, rows: pa.Table) -> None:
        async with _Refusals(self._driver, table, [], pa.table({})):
            # Not TRUNCATE: a reader in an older snapshot would see an empty table.
            await self._driver.execute(f"DELETE FROM {quote_table(table)}")
        await self.append(table, rows)

    # --------------------------------------------------------------------------------- deletes

    async def _delete_nulls(self, table: str, keys: pa.Table) -> None:
        """Deletes by the keys that hold a null: one statement for each set of columns that are null together,
        because `=` and IS NULL can use an index and IS NOT DISTINCT FROM cannot."""
        nullable = [name for name in keys.column_names if keys.column(name).null_count]
        if not nullable:
            return
        nulls = [pc.is_null(keys.column(name)) for name in nullable]
        patterns = set(zip(*(column.to_pylist() for column in nulls), strict=True))
        for pattern in sorted(p for p in patterns if any(p)):
            mask = None
            for column, is_null in zip(nulls, pattern, strict=True):
                same = column if is_null else pc.invert(column)
                mask = same if mask is None else pc.and_(mask, same)
            null_names = tuple(name for name, is_null in zip(nullable, pattern, strict=True) if is_null)
            await self._delete(table, keys.filter(mask), null_names)

    async def _delete(self, table: str, keys: pa.Table, null: tuple[str, ...]) -> None:
        if not keys.num_rows:
            return
        texts, types = await self._render(table, keys)
        async with _Refusals(self._driver, table, keys.column_names, texts):
            source = await self._source(texts)
            statement = _delete(table, keys.column_names, types, null, source.text)
            await self._driver.execute(statement, *source.values)

    # -------------------------------------------------------------------------------- transport

    async def _shape(self, table: str) -> TableShape:
        shape = self._shapes.get(table)
        if shape is None:
            shape = await read_shape(self._driver, table)
            if shape is None:
                raise SinkBroken(f"The table {table!r} does not exist. Create it, or correct dbtable.", table=table)
            self._shapes[table] = shape
        return shape

    async def _render(self, table: str, rows: pa.Table) -> tuple[pa.Table, list[str]]:
        """Text columns c0, c1, … and the types they are cast to."""
        shape = await self._shape(table)
        missing = [name for name in rows.column_names if name not in shape.columns]
        if missing:
            raise SinkBroken(
                f"The table {table!r} has no column {', '.join(map(repr, missing))}. Add it, or select other columns.",
                table=table,
            )
        columns = [shape.columns[name] for name in rows.column_names]

        def work() -> pa.Table:
            texts = [
                render(values, field.type, column.base, column.name, table)
                for values, field, column in zip(rows.columns, rows.schema, columns, strict=True)
            ]
            return pa.table(texts, names=[f"c{i}" for i in range(len(texts))])

        small = _is_small(rows)
        return (work() if small else await anyio.to_thread.run_sync(work)), [c.cast_type for c in columns]

    async def _source(self, texts: pa.Table) -> _Source:
        """The rows as something to select FROM: s, with columns i, c0, c1, …."""
        if _is_small(texts):
            return _parameters(texts)
        width = texts.num_columns
        stage = f"watertable_stage_{width}"
        if width not in self._stages:
            columns = ", ".join(f"c{i} text" for i in range(width))
            create = f"CREATE TEMP TABLE IF NOT EXISTS {stage} (i bigint, {columns}) ON COMMIT DELETE ROWS"
            await self._driver.execute(create)
            self._stages.add(width)
        if width in self._staged:
            await self._driver.execute(f"DELETE FROM pg_temp.{stage}")
        self._staged.add(width)
        numbered = texts.add_column(0, "i", pa.array(range(texts.num_rows), pa.int64()))
        names, source = numbered.column_names, _csv(numbered)
        await self._driver.copy_to_table(stage, schema_name="pg_temp", source=source, columns=names, format="csv")
        return _Source(f"pg_temp.{stage} AS s", [])

    async def _copy(self, table: str, names: list[str], texts: pa.Table) -> None:
        schema, name = split_table(table)
        source = _csv(texts)
        await self._driver.copy_to_table(name, schema_name=schema, source=source, columns=names, format="csv")


@dataclass(frozen=True, slots=True)
class _Source:
    """What stands behind FROM, and the parameters it takes."""

    text: str
    values: list[list[str | None]]


def _parameters(texts: pa.Table) -> _Source:
    width = texts.num_columns
    arrays = ", ".join(f"${i + 1}::text[]" for i in range(width))
    names = "".join(f"c{i}, " for i in range(width))
    return _Source(f"unnest({arrays}) WITH ORDINALITY AS s ({names}i)", [c.to_pylist() for c in texts.columns])


class _Refusals:
    """Turns what PostgreSQL refuses into SinkBroken, naming the column.

    Where PostgreSQL does not say which, the rows are tried once more, by COPY into an empty copy of the table:
    COPY says it. The transaction is lost by then, so it is rolled back first.
    """

    def __init__(self, driver: Any, table: str, names: list[str], texts: pa.Table) -> None:
        self._driver = driver
        self._table = table
        self._names = names
        self._texts = texts

    async def __aenter__(self) -> None: ...

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, Exception) or isinstance(error, EngineError):
            return
        found = refused(self._table, error)
        if found is None:
            return
        if found.facts["column"] is None and str(found.facts["sqlstate"]).startswith("22"):
            found = await self._tried(found)
        raise found from error

    async def _tried(self, found: SinkBroken) -> SinkBroken:
        copy = f"CREATE TEMP TABLE watertable_try (LIKE {quote_table(self._table)}) ON COMMIT DROP"
        try:
            await self._driver.execute(f"ROLLBACK; BEGIN; {copy}")
            source = _csv(self._texts)
            await self._driver.copy_to_table("watertable_try", source=source, columns=self._names, format="csv")
        except asyncpg.PostgresError as error:
            return with_column(found, self._table, error)
        finally:
            await self._driver.execute("ROLLBACK")
        return found


def _merge(table: str, names: list[str], types: list[str], keys: Sequence[str], source: str) -> str:
    key_at = [names.index(key) for key in keys]
    select = ", ".join(f"s.c{i}::{kind} AS c{i}" for i, kind in enumerate(types))
    key_list = ", ".join(f"c{i}" for i in key_at)
    others = [name for name in names if name not in keys]
    action = ", ".join(f"{quote(name)} = excluded.{quote(name)}" for name in others)
    return (
        f"INSERT INTO {quote_table(table)} ({column_list(names)})\n"
        f"SELECT DISTINCT ON ({key_list}) {', '.join(f'c{i}' for i in range(len(names)))}\n"
        f"FROM (SELECT s.i, {select} FROM {source}) AS t\n"
        f"ORDER BY {key_list}, i DESC\n"
        f"ON CONFLICT ({column_list(list(keys))}) DO {f'UPDATE SET {action}' if others else 'NOTHING'}"
    )


def _delete(table: str, names: list[str], types: list[str], null: tuple[str, ...], source: str) -> str:
    select = ", ".join(f"s.c{i}::{kind} AS c{i}" for i, kind in enumerate(types))
    same = " AND ".join(
        f"d.{quote(name)} IS NULL" if name in null else f"d.{quote(name)} = t.c{i}" for i, name in enumerate(names)
    )
    order = ", ".join(f"c{i}" for i in range(len(names)))
    return (
        f"DELETE FROM {quote_table(table)} AS d\n"
        f"USING (SELECT {select} FROM {source} ORDER BY {order}) AS t WHERE {same}"
    )


def _is_small(rows: pa.Table) -> bool:
    return bool(rows.num_rows * rows.num_columns <= _PARAMETER_CELLS)


async def _csv(texts: pa.Table) -> AsyncIterator[bytes]:
    """Null is an empty field, the empty string is two quotes."""
    options = pa.csv.WriteOptions(include_header=False)
    for piece in _slices(texts):
        out = io.BytesIO()
        await anyio.to_thread.run_sync(pa.csv.write_csv, piece, out, options)
        yield out.getvalue()


def _slices(texts: pa.Table) -> Iterable[pa.Table]:
    return (texts.slice(at, _SLICE_ROWS) for at in range(0, texts.num_rows, _SLICE_ROWS))
