"""The obligations of a sink, on the sink itself."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Protocol

import pyarrow as pa

from app.engine.contracts import Ledger, Output, OutputMode, Sink, SinkContext
from app.plan.carriers import arrow_schema
from app.plan.types import LongType, StringType, StructType

SCHEMA = StructType().add("word", StringType()).add("count", LongType())
"""The columns of the rows that `check_sink` writes."""

Row = tuple[Any, ...]


class SinkWorld(Protocol):
    """What is around a sink under test: where it writes outlives the sink."""

    ledger: Ledger
    exactly_once: bool
    """False where an epoch that is written twice is seen twice."""
    logs_changes: bool
    """True where update mode adds rows, False where it replaces those of the same key."""

    def new_sink(self, mode: OutputMode) -> Sink:
        """A sink that knows nothing, as a new process has it."""

    async def seen(self, sink: Sink) -> list[Row]:
        """The rows a reader finds, in any order."""


async def check_sink(world: SinkWorld, mode: OutputMode) -> None:
    """Runs a new sink through three epochs, each written twice where that is allowed, and a restart."""
    sink = world.new_sink(mode)
    await sink.open(_context(world, mode, fresh=True))
    assert sink.description, "a sink describes itself"
    written: list[Row] = []
    for epoch, output in enumerate(_outputs(mode, sink.takes_changes)):
        written = _expected(written, output, world.logs_changes)
        await write(world, sink, epoch, output)
        assert _bag(await world.seen(sink)) == _bag(written), f"epoch {epoch} is in the sink once"
    await sink.close(None)
    if sink.result() is not None:
        again = world.new_sink(mode)
        await again.open(_context(world, mode, fresh=False))
        assert _bag(await world.seen(again)) == _bag(written), "a restart finds what was written"
        await again.close(None)


async def write(world: SinkWorld, sink: Sink, epoch: int, output: Output) -> None:
    """One epoch, written twice: by a sink that joins the commit, once in a transaction that is rolled back."""
    if not sink.transactional:
        for _ in range(2 if world.exactly_once else 1):
            await sink.write(epoch, output, None)
        return
    with suppress(_RollBackError):
        async with world.ledger.database.transaction() as writer:
            await sink.write(epoch, output, writer)
            raise _RollBackError
    async with world.ledger.database.transaction() as writer:
        await sink.write(epoch, output, writer)


class _RollBackError(Exception):
    """Undoes a transaction."""


def rows(*values: Row) -> pa.Table:
    """A table with the columns of `SCHEMA`."""
    columns = [list(column) for column in zip(*values, strict=True)] or [[], []]
    return pa.table(columns, schema=arrow_schema(SCHEMA))


def _bag(values: list[Row]) -> list[str]:
    return sorted(map(repr, values))


def _outputs(mode: OutputMode, takes_changes: bool) -> list[Output]:
    if mode == "append":
        return [Output("append", rows(("a", 1), ("b", 1))), Output("append", rows()), Output("append", rows(("a", 1)))]
    if mode == "update":
        return [
            Output("upsert", rows(("a", 1), (None, 1))),
            Output("upsert", rows(("a", 2), (None, 2))),
            Output("upsert", rows(("b", 1))),
        ]
    if takes_changes:
        changes = [Output("upsert", rows(("a", 2))), Output("upsert", rows(("c", 1)), rows(("b", 1)).select(["word"]))]
        return [Output("replace", rows(("a", 1), ("b", 1))), *changes]
    whole = [rows(("a", 1), ("b", 1)), rows(("a", 2), ("b", 1)), rows(("a", 2), ("c", 1))]
    return [Output("replace", table) for table in whole]


def _expected(before: list[Row], output: Output, logs_changes: bool) -> list[Row]:
    """What a reader finds after an output: the dumb twin of every sink."""
    new = [tuple(row.values()) for row in output.rows.to_pylist()]
    if output.kind == "replace":
        return new
    if output.kind == "append" or logs_changes:
        return before + new
    gone = {row[0] for row in new} | set(output.deleted.column(0).to_pylist() if output.deleted else ())
    return [row for row in before if row[0] not in gone] + new


def _context(world: SinkWorld, mode: OutputMode, fresh: bool) -> SinkContext:
    keys = () if mode == "append" else ("word",)
    return SinkContext("query", "counts", mode, SCHEMA, keys, fresh, world.ledger)
