"""The ingest log: rows of sources that cannot replay, made durable before anything is computed from them.

An append is one statement, so one round trip and one transaction of its own: lock the query's row against a
take-over (a commit of the same query does not stand in the way), check that the chunk begins where the log ends,
insert. Positions are never given twice: the newest chunk is never trimmed, so the end outlives a restart.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from app.engine.contracts import DeadLetter, IngestChunk
from app.errors import LedgerBehind, OffsetLost
from app.storage.commit import Holder, dead_columns, look
from app.storage.connect import Link, Session

_PAGE_CHUNKS = 64

_APPEND = """
WITH mine AS (
  SELECT id FROM watertable.query WHERE id = $1 AND fence = $2 FOR KEY SHARE
), tail AS (
  SELECT coalesce((SELECT first + rows FROM watertable.ingest WHERE query_id = $1 AND source = $3
    ORDER BY first DESC LIMIT 1), 0) AS position
), added AS (
  INSERT INTO watertable.ingest (query_id, source, first, rows, payload)
  SELECT mine.id, $3, $4, $5, $6 FROM mine, tail WHERE tail.position = $4 AND $5 > 0
), dead AS (
  INSERT INTO watertable.dead_letter (query_id, id, source, position, reason, payload)
  SELECT mine.id, d.id, d.source, nullif(d.position::jsonb, 'null'), d.reason, d.payload
  FROM mine, tail, unnest($7::uuid[], $8::int[], $9::text[], $10::text[], $11::bytea[])
    AS d (id, source, position, reason, payload)
  WHERE tail.position = $4
  ON CONFLICT (id) DO NOTHING
)
SELECT (SELECT count(*) FROM mine) AS held, position FROM tail
"""

_END = """
SELECT coalesce((SELECT first + rows FROM watertable.ingest WHERE query_id = $1 AND source = $2
  ORDER BY first DESC LIMIT 1), 0)
"""

_READ = """
SELECT first, rows, payload FROM watertable.ingest
WHERE query_id = $1 AND source = $2 AND first + rows > $3 AND first < $4
  AND first >= coalesce((SELECT max(first) FROM watertable.ingest
    WHERE query_id = $1 AND source = $2 AND first <= $3), $3)
ORDER BY first LIMIT $5
"""

_TRIM = """
DELETE FROM watertable.ingest WHERE query_id = $1 AND source = $2 AND first + rows <= $3
  AND first < (SELECT max(first) FROM watertable.ingest WHERE query_id = $1 AND source = $2)
"""


class PostgresIngestLog:
    """The log of one source of a claimed query, on a connection of its own."""

    def __init__(self, session: Session, holder: Holder, source: int) -> None:
        self._session = session
        self._holder = holder
        self._source = source

    async def end(self) -> int:
        async def work(link: Link) -> int:
            return int(await link.driver.fetchval(_END, self._holder.query_id, self._source))

        return await self._session.run(work)

    async def append(self, chunk: IngestChunk, dead: Sequence[DeadLetter] = ()) -> None:
        letters = dead_columns(dead)

        async def work(link: Link) -> None:
            values = (self._source, chunk.first, chunk.rows, chunk.payload)
            row = await link.driver.fetchrow(_APPEND, self._holder.query_id, self._holder.fence, *values, *letters)
            if not row["held"]:
                await look(link.driver, self._holder)
            elif row["position"] < chunk.first:
                raise LedgerBehind(
                    f"The ingest log ends at {row['position']}, this process had it at {chunk.first}: the database "
                    "went back in time (a failover, a restored backup). The query starts again from the database.",
                )
            # Else the chunk lies there now, or lay there already: only the holder of the fence can have put it.
            assert row["position"] in (chunk.first, chunk.first + chunk.rows), "a chunk inside the ingest log"

        await self._session.run(work)

    async def read(self, start: int, end: int) -> AsyncIterator[IngestChunk]:
        at = start
        while at < end:
            chunks = await self._page(at, end)
            if not chunks:
                raise self._lost(at, start, end)
            for chunk in chunks:
                if chunk.first > at:
                    raise self._lost(at, start, end)
                yield chunk
                at = chunk.first + chunk.rows

    async def _page(self, start: int, end: int) -> list[IngestChunk]:
        async def work(link: Link) -> list[IngestChunk]:
            values = (self._holder.query_id, self._source, start, end, _PAGE_CHUNKS)
            rows = await link.driver.fetch(_READ, *values)
            return [IngestChunk(row["first"], row["rows"], row["payload"]) for row in rows]

        return await self._session.run(work)

    def _lost(self, position: int, start: int, end: int) -> OffsetLost:
        return OffsetLost(
            f"The ingest log of source {self._source} does not hold position {position}; rows {start} to {end} are "
            "needed. Restore the database from a backup, or start the query under a new name.",
            source=self._source,
            wanted=position,
        )

    async def trim(self, before: int) -> None:
        async def work(link: Link) -> None:
            await link.driver.execute(_TRIM, self._holder.query_id, self._source, before)

        await self._session.run(work)
