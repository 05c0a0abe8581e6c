"""One epoch, one transaction. The order of effects, in the words of the server's log:

BEGIN
UPDATE query … WHERE id AND fence = mine AND epoch = n - 1;  INSERT epoch n, small state      one statement
    no row: look. Other fence: Fenced. Epoch is n: done (a lost reply). Epoch is smaller: LedgerBehind
INSERT large state;  the sink's rows;  INSERT dead letters;  INSERT late rows
COMMIT
    reply lost: the same again on a new connection. The UPDATE waits for the old transaction, should it still
    be there, and then sees what became of it.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from app.engine.contracts import DeadLetter, EpochCommit, EpochPlan, StateChunk, WriteRows
from app.errors import Fenced, LedgerBehind
from app.storage.connect import Link
from app.storage.rows import PostgresRowWriter

_GROUP_BYTES = 64 << 20
_KEPT_EPOCHS = 100
_SMALL_BYTES = 1 << 20

_FENCE = """
WITH mine AS (
  UPDATE watertable.query SET epoch = $3, input_rows = input_rows + $9, updated = now()
  WHERE id = $1 AND fence = $2 AND epoch IS NOT DISTINCT FROM $4
  RETURNING id
), state AS (
  INSERT INTO watertable.state_change (query_id, operator, epoch, chunk, kind, format, rows, checksum, payload)
  SELECT mine.id, c.* FROM mine, unnest($13::int[], $14::bigint[], $15::int[], $16::text[], $17::text[],
    $18::bigint[], $19::bigint[], $20::bytea[]) AS c
)
INSERT INTO watertable.epoch (query_id, number, starts, ends, watermark_us, clock_us,
  input_rows, output_rows, dead_rows, late_rows, committed)
SELECT id, $3, $5, $6, $7, $8, $9, $10, $11, $12, now() FROM mine
ON CONFLICT (query_id, number) DO UPDATE SET starts = excluded.starts, ends = excluded.ends,
  watermark_us = excluded.watermark_us, clock_us = excluded.clock_us, input_rows = excluded.input_rows,
  output_rows = excluded.output_rows, dead_rows = excluded.dead_rows, late_rows = excluded.late_rows,
  committed = excluded.committed
RETURNING number
"""

_PLAN = """
WITH mine AS (
  SELECT id FROM watertable.query WHERE id = $1 AND fence = $2 AND epoch IS NOT DISTINCT FROM $4
  FOR KEY SHARE
)
INSERT INTO watertable.epoch (query_id, number, starts, ends, watermark_us, clock_us)
SELECT id, $3, $5, $6, $7, $8 FROM mine
ON CONFLICT (query_id, number) DO UPDATE SET starts = excluded.starts, ends = excluded.ends,
  watermark_us = excluded.watermark_us, clock_us = excluded.clock_us
RETURNING number
"""

_STATE = """
INSERT INTO watertable.state_change (query_id, operator, epoch, chunk, kind, format, rows, checksum, payload)
SELECT $1, * FROM unnest($2::int[], $3::bigint[], $4::int[], $5::text[], $6::text[], $7::bigint[], $8::bigint[],
  $9::bytea[])
"""

_DEAD = """
INSERT INTO watertable.dead_letter (query_id, epoch, id, source, position, reason, payload)
SELECT $1, $2, id, source, nullif(position::jsonb, 'null'), reason, payload
FROM unnest($3::uuid[], $4::int[], $5::text[], $6::text[], $7::bytea[]) AS d (id, source, position, reason, payload)
"""

_LATE = """
INSERT INTO watertable.late_row (query_id, epoch, operator, row)
SELECT $1, $2, * FROM unnest($3::int[], $4::text[])
"""

_LOOK = "SELECT fence, epoch FROM watertable.query WHERE id = $1"
_TRIM = "DELETE FROM watertable.epoch WHERE query_id = $1 AND number <= $2"


@dataclass(frozen=True, slots=True)
class Holder:
    """Who we are to the database: the query and the fence it was claimed with."""

    query_id: str
    fence: int


async def commit_epoch(link: Link, holder: Holder, epoch: EpochCommit, write: WriteRows | None) -> None:
    """One attempt. Raises: Fenced, LedgerBehind; what the driver and `write` raise."""
    driver = link.driver
    counts = (epoch.input_rows, epoch.output_rows, len(epoch.dead), len(epoch.late))
    small = epoch.state if sum(len(chunk.payload) for chunk in epoch.state) <= _SMALL_BYTES else ()
    values = (*_plan_values(holder, epoch.plan), *counts, *_state_columns(small))
    async with driver.transaction():
        if await driver.fetchval(_FENCE, *values) is None:
            await look(driver, holder, epoch.plan.number)
            return
        await insert_state(driver, holder.query_id, () if small else epoch.state)
        await _insert_rest(driver, holder, epoch)
        if write is not None:
            await write(PostgresRowWriter(driver, link.shapes, link.stages))


async def plan_epoch(driver: Any, holder: Holder, plan: EpochPlan) -> None:
    """Raises: Fenced, LedgerBehind; what the driver raises."""
    if await driver.fetchval(_PLAN, *_plan_values(holder, plan)) is None:
        await look(driver, holder, plan.number)


async def look(driver: Any, holder: Holder, number: int | None = None) -> None:
    """Why our statement met no row: returns when epoch `number` is there already.

    Raises: Fenced, LedgerBehind.
    """
    row = await driver.fetchrow(_LOOK, holder.query_id)
    if row is None or row["fence"] < holder.fence:
        raise LedgerBehind(
            "The database no longer knows that this process took the query over: it went back in time (a failover, "
            "a restored backup). Memory is dropped and the query starts again from the database.",
        )
    if row["fence"] > holder.fence:
        raise Fenced(
            "Another process has taken this query over; this one has stopped writing. Stop one of the two, or give "
            "them different names.",
            query_id=holder.query_id,
        )
    if number is None or row["epoch"] is None or row["epoch"] < number:
        raise LedgerBehind(
            f"The database is at epoch {row['epoch']}, this process is further: the database went back in time (a "
            "failover, a restored backup). Memory is dropped and the query starts again from the database.",
            epoch=row["epoch"],
        )
    assert row["epoch"] == number, f"epoch {number} is behind the database's {row['epoch']}"


async def insert_state(driver: Any, query_id: str, chunks: Sequence[StateChunk]) -> None:
    """In statements of bounded size."""
    for group in _groups(chunks):
        await driver.execute(_STATE, query_id, *_state_columns(group))


def _state_columns(chunks: Sequence[StateChunk]) -> list[list[Any]]:
    """operators, epochs, numbers, kinds, formats, rows, checksums, payloads."""
    names = ("operator", "epoch", "chunk", "kind", "format", "rows", "checksum", "payload")
    return [[getattr(chunk, name) for chunk in chunks] for name in names]


def dead_columns(dead: Sequence[DeadLetter]) -> tuple[list[Any], ...]:
    """ids, sources, positions, reasons, payloads. A NUL, which PostgreSQL's text cannot hold, becomes U+FFFD."""
    return (
        [uuid.uuid4() for _ in dead],
        [d.source for d in dead],
        [clean(orjson.dumps(d.offset).decode().replace("\\u0000", "\\ufffd")) for d in dead],
        [clean(d.reason) for d in dead],
        [d.payload for d in dead],
    )


def clean(text: str) -> str:
    """The text without what PostgreSQL's text cannot hold."""
    return text.replace("\x00", "\ufffd").encode(errors="replace").decode()


def json_text(value: Any) -> str:
    return orjson.dumps(value).decode()


def _plan_values(holder: Holder, plan: EpochPlan) -> tuple[Any, ...]:
    before = plan.number - 1 if plan.number else None
    return (
        *(holder.query_id, holder.fence, plan.number, before),
        *(json_text(plan.starts), json_text(plan.ends), plan.watermark_us, plan.clock_us),
    )


async def _insert_rest(driver: Any, holder: Holder, epoch: EpochCommit) -> None:
    number = epoch.plan.number
    if epoch.dead:
        await driver.execute(_DEAD, holder.query_id, number, *dead_columns(epoch.dead))
    if epoch.late:
        operators, rows = zip(*epoch.late, strict=True)
        await driver.execute(_LATE, holder.query_id, number, operators, [clean(row) for row in rows])
    if number % _KEPT_EPOCHS == 0:
        await driver.execute(_TRIM, holder.query_id, number - _KEPT_EPOCHS)


def _groups(chunks: Sequence[StateChunk]) -> Iterator[list[StateChunk]]:
    group: list[StateChunk] = []
    size = 0
    for chunk in chunks:
        if group and size + len(chunk.payload) > _GROUP_BYTES:
            yield group
            group, size = [], 0
        group.append(chunk)
        size += len(chunk.payload)
    if group:
        yield group
