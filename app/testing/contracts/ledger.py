"""The obligations of a ledger, as laws that any implementation is put through: `LAWS`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import pyarrow as pa

from app.engine.contracts import (
    DeadLetter,
    EpochCommit,
    EpochPlan,
    Identity,
    IngestChunk,
    Ledger,
    QueryLedger,
    RowWriter,
    StateChunk,
    WriteRows,
)
from app.errors import Fenced, LedgerBehind, OffsetLost, PlanError, SinkBroken
from app.plan.carriers import arrow_schema
from app.plan.types import LongType, StringType, StructField, StructType

SCHEMA = StructType().add("word", StringType()).add("count", LongType())
IDENTITY = Identity("counts", "counts", {"operators": ["aggregate"]}, "Aggregate")
TABLE = "results"


class LedgerWorld(Protocol):
    """What is around a ledger under test."""

    ledger: Ledger

    async def lose_epoch(self, query_id: str) -> None:
        """A failover: the database no longer has the newest epoch."""


def epoch(number: int, **more: Any) -> EpochCommit:
    """Epoch `number`, reading one row of one source."""
    plan = EpochPlan(number, (number,), (number + 1,), number * 10, number * 100)
    return EpochCommit(plan, **{"input_rows": 1, "output_rows": 1, **more})


def rows(*values: tuple[str | None, int | None]) -> pa.Table:
    """A table with the columns of `SCHEMA`."""
    columns = [list(column) for column in zip(*values, strict=True)] or [[], []]
    return pa.table(columns, schema=arrow_schema(SCHEMA))


def change(operator: int, number: int, payload: bytes = b"state", *, base: bool = False, chunk: int = 0) -> StateChunk:
    return StateChunk(operator, number, chunk, "base" if base else "change", "f1", 1, 7, payload)


def appending(*values: tuple[str | None, int | None]) -> WriteRows:
    async def write(writer: RowWriter) -> None:
        await writer.append(TABLE, rows(*values))

    return write


async def raises(kind: type[BaseException], call: Awaitable[Any]) -> BaseException:
    """The error of that kind that the call ends with."""
    try:
        await call
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was to be raised")


async def stored(ledger: Ledger) -> list[tuple[Any, ...]]:
    """The rows of the result table, sorted."""
    table = await ledger.database.table(TABLE, SCHEMA).select(limit=10_000)
    return sorted((tuple(row.values()) for row in table.to_pylist()), key=repr)


async def a_claim_fences_the_last_holder(world: LedgerWorld) -> None:
    first = await world.ledger.claim(IDENTITY)
    await first.commit(epoch(0))
    second = await world.ledger.claim(IDENTITY)
    assert second.query_id == first.query_id
    assert second.done == epoch(0).plan
    for call in (
        first.commit(epoch(1)),
        first.plan(epoch(1).plan),
        first.ingest(0).append(IngestChunk(0, 1, b"row")),
        first.fold([change(0, 0, base=True)]),
    ):
        await raises(Fenced, call)
    await second.commit(epoch(1))
    await first.close()
    await second.close()


async def epochs_are_found_by_the_next_holder(world: LedgerWorld) -> None:
    held = await world.ledger.claim(IDENTITY)
    assert held.done is None
    assert held.planned is None
    for number in range(3):
        await held.commit(epoch(number))
    await held.close()
    again = await world.ledger.claim(IDENTITY)
    assert again.done == epoch(2).plan
    assert again.planned is None
    await again.close()


async def an_epoch_told_twice_is_written_once(world: LedgerWorld) -> None:
    await world.ledger.database.ensure_table(TABLE, SCHEMA, ())
    held = await world.ledger.claim(IDENTITY)
    more = {"state": (change(0, 0),), "late": ((0, "{}"),), "dead": (DeadLetter(0, 1, "why", b"x"),)}
    for _ in range(2):
        await held.commit(epoch(0, **more), appending(("a", 1)))
    assert await stored(world.ledger) == [("a", 1)]
    assert await held.late_rows() == 1
    assert [chunk async for chunk in held.state()] == [change(0, 0)]
    (known,) = await world.ledger.queries()
    assert (known.epoch, known.input_rows, known.dead_letters) == (0, 1, 1)
    await held.close()


async def a_write_that_fails_leaves_nothing(world: LedgerWorld) -> None:
    await world.ledger.database.ensure_table(TABLE, SCHEMA, ())
    held = await world.ledger.claim(IDENTITY)

    async def write(writer: RowWriter) -> None:
        await writer.append(TABLE, rows(("a", 1)))
        raise ZeroDivisionError

    await raises(ZeroDivisionError, held.commit(epoch(0, state=(change(0, 0),)), write))
    assert await stored(world.ledger) == []
    assert [chunk async for chunk in held.state()] == []
    await held.commit(epoch(0), appending(("b", 1)))
    assert await stored(world.ledger) == [("b", 1)]
    await held.close()


async def a_planned_epoch_is_found_until_it_is_committed(world: LedgerWorld) -> None:
    held = await world.ledger.claim(IDENTITY)
    await held.commit(epoch(0))
    for _ in range(2):
        await held.plan(epoch(1).plan)
    await held.close()
    again = await world.ledger.claim(IDENTITY)
    assert (again.done, again.planned) == (epoch(0).plan, epoch(1).plan)
    await again.commit(epoch(1))
    await again.close()
    last = await world.ledger.claim(IDENTITY)
    assert (last.done, last.planned) == (epoch(1).plan, None)
    await last.close()


async def a_database_that_went_back_is_noticed(world: LedgerWorld) -> None:
    held = await world.ledger.claim(IDENTITY)
    for number in range(2):
        await held.commit(epoch(number))
    await world.lose_epoch(held.query_id)
    await raises(LedgerBehind, held.commit(epoch(2)))
    await raises(LedgerBehind, held.plan(epoch(2).plan))
    await held.close()
    again = await world.ledger.claim(IDENTITY)
    assert again.done == epoch(0).plan
    await again.commit(epoch(1))
    await again.close()


async def the_fingerprint_of_the_first_epoch_stays(world: LedgerWorld) -> None:
    held = await world.ledger.claim(IDENTITY)
    await held.close()
    changed = Identity("counts", "renamed", {"operators": ["join"]}, "Join")
    held = await world.ledger.claim(changed)
    assert held.fingerprint == changed.fingerprint, "no epoch, no state: nothing to be true to"
    await held.commit(epoch(0))
    await held.close()
    held = await world.ledger.claim(IDENTITY)
    assert held.fingerprint == changed.fingerprint
    await held.close()


async def a_temporary_query_is_forgotten(world: LedgerWorld) -> None:
    nobody = Identity(None, None, {}, "")
    one, two = await world.ledger.claim(nobody), await world.ledger.claim(nobody)
    assert one.query_id != two.query_id
    await one.commit(epoch(0, state=(change(0, 0),)))
    await two.commit(epoch(0))
    await one.ingest(0).append(IngestChunk(0, 1, b"row"))
    assert await world.ledger.queries() == []
    await one.close()
    await two.commit(epoch(1))
    await two.close()


async def the_ingest_log_keeps_each_chunk_once(world: LedgerWorld) -> None:
    held = await world.ledger.claim(IDENTITY)
    log, other = held.ingest(0), held.ingest(1)
    assert await log.end() == 0
    chunks = [IngestChunk(0, 3, b"abc"), IngestChunk(3, 2, b"\x00\xff"), IngestChunk(5, 1, b"")]
    for chunk in chunks:
        for _ in range(2):
            await log.append(chunk)
    await log.append(IngestChunk(6, 0, b""), [DeadLetter(0, None, "too long\x00", b"\x00")])
    assert (await log.end(), await other.end()) == (6, 0)
    await raises(LedgerBehind, log.append(IngestChunk(9, 1, b"gap")))
    await held.close()

    held = await world.ledger.claim(IDENTITY)
    log = held.ingest(0)
    assert await log.end() == 6
    assert [c async for c in log.read(0, 6)] == chunks
    assert [c async for c in log.read(2, 4)] == chunks[:2]
    assert [c async for c in log.read(3, 5)] == chunks[1:2]
    assert [c async for c in log.read(6, 6)] == []
    (known,) = await world.ledger.queries()
    assert known.dead_letters == 1
    await held.close()


async def trimmed_rows_are_lost_and_the_end_is_not(world: LedgerWorld) -> None:
    held = await world.ledger.claim(IDENTITY)
    log = held.ingest(0)
    for first in range(0, 10, 2):
        await log.append(IngestChunk(first, 2, b"xy"))
    await log.trim(5)
    assert [c.first async for c in log.read(4, 10)] == [4, 6, 8]
    await raises(OffsetLost, _read(held, 3, 10))
    await raises(OffsetLost, _read(held, 4, 11))
    await log.trim(10)
    assert await held.ingest(0).end() == 10
    await log.append(IngestChunk(10, 1, b"z"))
    assert [c.first async for c in log.read(10, 11)] == [10]
    await held.close()


async def _read(held: QueryLedger, start: int, end: int) -> None:
    async for _ in held.ingest(0).read(start, end):
        pass


async def state_is_the_newest_base_and_the_changes_after_it(world: LedgerWorld) -> None:
    held = await world.ledger.claim(IDENTITY)
    for number in range(40):
        pieces = (change(1, number), change(0, number, b"b", chunk=1), change(0, number))
        await held.commit(epoch(number, state=pieces))
    base = [change(0, 37, b"whole", base=True, chunk=n) for n in range(2)]
    for _ in range(2):
        await held.fold(base)
    found = [chunk async for chunk in held.state()]
    assert [c for c in found if c.operator == 1] == [change(1, n) for n in range(40)]
    later = [change(0, n, b"b" if c else b"state", chunk=c) for n in (38, 39) for c in (0, 1)]
    assert [c for c in found if c.operator == 0] == base + later
    assert [(c.operator, c.kind) for c in found] == sorted((c.operator, c.kind) for c in found)
    await held.fold([change(0, 39, b"newer", base=True)])
    assert [c async for c in held.state() if c.operator == 0] == [change(0, 39, b"newer", base=True)]
    (known,) = await world.ledger.queries()
    assert known.state_bytes == len(b"newer") + 40 * len(b"state")
    await held.close()


async def rows_are_appended_merged_deleted_and_replaced(world: LedgerWorld) -> None:
    database = world.ledger.database
    await database.ensure_table(TABLE, SCHEMA, ("word",))
    async with database.transaction() as writer:
        await writer.append(TABLE, rows(("a", 1), (None, 1), ("", 1)))
        await writer.merge(TABLE, rows(("a", 2), ("b", 1), (None, 2), ("b", 3), (None, 3)), ["word"])
    assert await stored(world.ledger) == [("", 1), ("a", 2), ("b", 3), (None, 3)]
    async with database.transaction() as writer:
        await writer.delete(TABLE, rows(("", 0), (None, 0), ("not there", 0)).select(["word"]))
        await writer.merge(TABLE, rows(), ["word"])
    assert await stored(world.ledger) == [("a", 2), ("b", 3)]
    async with database.transaction() as writer:
        await writer.replace(TABLE, rows(("c", None), (None, None)))
    assert await stored(world.ledger) == [("c", None), (None, None)]
    async with database.transaction() as writer:
        await writer.replace(TABLE, rows())
    assert await stored(world.ledger) == []


async def an_abandoned_transaction_leaves_nothing(world: LedgerWorld) -> None:
    database = world.ledger.database
    await database.ensure_table(TABLE, SCHEMA, ())

    async def abandon() -> None:
        async with database.transaction() as writer:
            await writer.append(TABLE, rows(("a", 1)))
            raise ZeroDivisionError

    await raises(ZeroDivisionError, abandon())
    assert await stored(world.ledger) == []


async def a_table_that_does_not_fit_is_refused_by_column(world: LedgerWorld) -> None:
    database = world.ledger.database
    await database.ensure_table(TABLE, SCHEMA, ("word",))
    await database.ensure_table(TABLE, SCHEMA, ("word",))
    wider = StructType([*SCHEMA, StructField("extra", LongType())])
    assert "extra" in str(await raises(SinkBroken, database.ensure_table(TABLE, wider, ("word",))))
    other = StructType().add("word", LongType()).add("count", LongType())
    assert "word" in str(await raises(SinkBroken, database.ensure_table(TABLE, other, ("word",))))
    assert "unique index" in str(await raises(SinkBroken, database.ensure_table(TABLE, SCHEMA, ("count",))))

    async def append() -> None:
        async with database.transaction() as writer:
            await writer.append("nowhere", rows(("a", 1)))

    assert "nowhere" in str(await raises(SinkBroken, append()))


async def a_result_is_asked_for_by_name(world: LedgerWorld) -> None:
    database = world.ledger.database
    await database.ensure_table(TABLE, SCHEMA, ())
    async with database.transaction() as writer:
        await writer.append(TABLE, rows(*((f"w{i % 3}", i) for i in range(9)), (None, None)))
    table = database.table(TABLE, SCHEMA)
    assert table.schema == SCHEMA
    assert (await table.select()).schema.equals(arrow_schema(SCHEMA))
    some = await table.select(["COUNT"], {"word": "w1"}, [("count", True)], limit=2)
    assert some.to_pydict() == {"count": [7, 4]}
    rest = await table.select(["count"], {"word": "w1", "count": "1"}, offset=0)
    assert rest.to_pydict() == {"count": [1]}
    paged = await table.select(["count", "word"], order=[("word", True), ("count", False)], limit=2, offset=2)
    assert paged.to_pydict() == {"count": [8, 1], "word": ["w2", "w1"]}
    assert (await table.select(where={"word": "it's; DROP TABLE results"})).num_rows == 0
    for wrong in (
        {"columns": ["nope"]},
        {"where": {"nope": "1"}},
        {"where": {"count": "many"}},
        {"order": [("x", True)]},
    ):
        await raises(PlanError, table.select(**wrong))


LAWS: tuple[Callable[[LedgerWorld], Awaitable[None]], ...] = (
    a_claim_fences_the_last_holder,
    epochs_are_found_by_the_next_holder,
    an_epoch_told_twice_is_written_once,
    a_write_that_fails_leaves_nothing,
    a_planned_epoch_is_found_until_it_is_committed,
    a_database_that_went_back_is_noticed,
    the_fingerprint_of_the_first_epoch_stays,
    a_temporary_query_is_forgotten,
    the_ingest_log_keeps_each_chunk_once,
    trimmed_rows_are_lost_and_the_end_is_not,
    state_is_the_newest_base_and_the_changes_after_it,
    rows_are_appended_merged_deleted_and_replaced,
    an_abandoned_transaction_leaves_nothing,
    a_table_that_does_not_fit_is_refused_by_column,
    a_result_is_asked_for_by_name,
)
