"""The dumb twin of the PostgreSQL ledger: the same promises, in one object that outlives its engines.

`close` leaves everything in place, so opening an engine on the same object again is a restart. `snapshot` and
`restore` are a failover to a replica that had not heard the latest.
"""

from __future__ import annotations

import copy
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.engine.contracts import (
    Database,
    DeadLetter,
    EpochCommit,
    EpochPlan,
    Identity,
    IngestChunk,
    StateChunk,
    StoredQuery,
    WriteRows,
)
from app.errors import Fenced, LedgerBehind, OffsetLost
from app.testing.memory_database import MemoryDatabase, MemoryRowWriter


@dataclass
class MemoryQuery:
    """What is stored of one query."""

    query_id: str
    identity: Identity
    fence: int = 0
    epochs: list[EpochCommit] = field(default_factory=list)
    planned: EpochPlan | None = None
    state: list[StateChunk] = field(default_factory=list)
    ingest: dict[int, list[IngestChunk]] = field(default_factory=dict)
    dead: list[DeadLetter] = field(default_factory=list)
    late: list[tuple[int, str]] = field(default_factory=list)

    @property
    def done(self) -> EpochPlan | None:
        return self.epochs[-1].plan if self.epochs else None


class MemoryLedger:
    """A `Ledger`; `stored` are its queries by id, for tests to look into."""

    def __init__(self) -> None:
        self.stored: dict[str, MemoryQuery] = {}
        self._database = MemoryDatabase()

    @property
    def database(self) -> MemoryDatabase:
        return self._database

    async def open_database(self, url: str) -> Database | None:
        """Every URL leads here."""
        return None

    async def claim(self, identity: Identity) -> MemoryQueryLedger:
        known = [q for q in self.stored.values() if q.identity.key == identity.key is not None]
        query = known[0] if known else MemoryQuery(str(uuid.uuid4()), identity)
        self.stored[query.query_id] = query
        query.fence += 1
        if not query.epochs:
            query.identity = identity
        return MemoryQueryLedger(self, query)

    async def queries(self) -> list[StoredQuery]:
        return [_stored(q, key) for q in self.stored.values() if (key := q.identity.key) is not None]

    async def ping(self) -> None: ...

    async def close(self) -> None: ...

    def snapshot(self) -> Any:
        """Everything as it is now."""
        return copy.deepcopy((self.stored, self._database.tables))

    def restore(self, snapshot: Any) -> None:
        """Goes back to a snapshot: what was committed since is lost."""
        stored, tables = copy.deepcopy(snapshot)
        self.stored.clear()
        self.stored.update(stored)
        self._database.tables.clear()
        self._database.tables.update(tables)


class MemoryQueryLedger:
    """A `QueryLedger` under the fence it was claimed with."""

    def __init__(self, ledger: MemoryLedger, query: MemoryQuery) -> None:
        self._ledger = ledger
        self._id = query.query_id
        self._fence = query.fence
        self._done = query.done
        self._planned = query.planned
        self._fingerprint = query.identity.fingerprint

    @property
    def query_id(self) -> str:
        return self._id

    @property
    def done(self) -> EpochPlan | None:
        return self._done

    @property
    def planned(self) -> EpochPlan | None:
        return self._planned

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return self._fingerprint

    def ingest(self, source: int) -> MemoryIngestLog:
        return MemoryIngestLog(self, source)

    def mine(self) -> MemoryQuery:
        """The query, if it is still ours. Raises: Fenced, LedgerBehind."""
        query = self._ledger.stored.get(self._id)
        if query is None or query.fence < self._fence:
            raise LedgerBehind("The ledger went back in time.")
        if query.fence > self._fence:
            raise Fenced("Another process has taken this query over.", query_id=self._id)
        return query

    async def plan(self, plan: EpochPlan) -> None:
        if not self._is_done(plan.number):
            self.mine().planned = plan

    async def commit(self, epoch: EpochCommit, write: WriteRows | None = None) -> None:
        if self._is_done(epoch.plan.number):
            return
        writer = MemoryRowWriter(self._ledger.database.tables)
        if write is not None:
            await write(writer)
        query = self.mine()
        query.epochs.append(epoch)
        query.planned = None
        query.state += epoch.state
        query.dead += epoch.dead
        query.late += epoch.late
        writer.apply()

    def _is_done(self, number: int) -> bool:
        """False when `number` is the next epoch, True when it is there already. Raises: Fenced, LedgerBehind."""
        done = self.mine().done
        last = -1 if done is None else done.number
        assert number >= last, f"epoch {number} is behind the ledger's {last}"
        if number > last + 1:
            raise LedgerBehind(f"The ledger is at epoch {last}, this process is further.", epoch=last)
        return number == last

    async def state(self) -> AsyncIterator[StateChunk]:
        chunks = self.mine().state
        base = {c.operator: c.epoch for c in chunks if c.kind == "base"}
        kept = [c for c in chunks if c.kind == "base" or c.epoch > base.get(c.operator, -1)]
        for chunk in sorted(kept, key=lambda c: (c.operator, c.kind, c.epoch, c.chunk)):
            yield chunk

    async def fold(self, base: Sequence[StateChunk]) -> None:
        query, operator, epoch = self.mine(), base[0].operator, base[0].epoch
        query.state = [c for c in query.state if c.operator != operator or c.epoch > epoch]
        query.state += base

    async def late_rows(self) -> int:
        return len(self.mine().late)

    async def close(self) -> None:
        query = self._ledger.stored.get(self._id)
        if query is not None and query.identity.key is None:
            del self._ledger.stored[self._id]


class MemoryIngestLog:
    """An `IngestLog`. The newest chunk is never trimmed, so the end is known for good."""

    def __init__(self, held: MemoryQueryLedger, source: int) -> None:
        self._held = held
        self._source = source

    def _chunks(self) -> list[IngestChunk]:
        return self._held.mine().ingest.setdefault(self._source, [])

    async def end(self) -> int:
        chunks = self._chunks()
        return chunks[-1].first + chunks[-1].rows if chunks else 0

    async def append(self, chunk: IngestChunk, dead: Sequence[DeadLetter] = ()) -> None:
        end = await self.end()
        if end < chunk.first:
            raise LedgerBehind(f"The ingest log ends at {end}, this process had it at {chunk.first}.")
        if end == chunk.first:
            self._held.mine().dead += dead
            if chunk.rows:
                self._chunks().append(chunk)

    async def read(self, start: int, end: int) -> AsyncIterator[IngestChunk]:
        at = start
        for chunk in list(self._chunks()):
            if chunk.first + chunk.rows > at and chunk.first < end:
                if chunk.first > at:
                    break
                yield chunk
                at = chunk.first + chunk.rows
        if at < end:
            raise OffsetLost(f"The ingest log does not hold position {at}.", source=self._source, wanted=at)

    async def trim(self, before: int) -> None:
        chunks = self._chunks()
        chunks[:-1] = [c for c in chunks[:-1] if c.first + c.rows > before]


def _stored(query: MemoryQuery, key: str) -> StoredQuery:
    done = query.done
    return StoredQuery(
        query_id=query.query_id,
        key=key,
        name=query.identity.name,
        epoch=None if done is None else done.number,
        committed_us=None if done is None else done.clock_us,
        input_rows=sum(epoch.input_rows for epoch in query.epochs),
        state_bytes=sum(len(chunk.payload) for chunk in query.state),
        dead_letters=len(query.dead),
    )
