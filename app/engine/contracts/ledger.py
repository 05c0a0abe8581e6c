"""What the engine asks of its database: claims, commits, the ingest log, tables for sinks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from app.engine.contracts.epochs import DeadLetter, EpochCommit, EpochPlan
from app.plan.types import StructType
from app.state.chunk import StateChunk


@dataclass(frozen=True, slots=True)
class Identity:
    """Which query this is. `key` is checkpointLocation, else queryName, else None: a temporary query, whose
    traces go when it stops. `fingerprint` says what its state looks like (JSON), `plan` is for people."""

    key: str | None
    name: str | None
    fingerprint: Mapping[str, Any]
    plan: str


class RowWriter(Protocol):
    """An open PostgreSQL transaction, for sinks. Tables are `name` or `schema.name`, not quoted.

    Statements are sorted by key and set-based; a key that comes twice in `rows` is settled before: the last wins.
    Raises: SinkBroken (a row or table PostgreSQL refuses: names table and column), DatabaseUnavailable.
    """

    async def append(self, table: str, rows: pa.Table) -> None: ...

    async def merge(self, table: str, rows: pa.Table, keys: Sequence[str]) -> None: ...

    async def delete(self, table: str, keys: pa.Table) -> None:
        """Deletes the rows whose columns equal a row of `keys` (null equals null)."""

    async def replace(self, table: str, rows: pa.Table) -> None:
        """Leaves exactly `rows` in the table."""


WriteRows = Callable[[RowWriter], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class IngestChunk:
    """`rows` rows of a source that cannot replay, from position `first` on; `payload` is the source's encoding."""

    first: int
    rows: int
    payload: bytes


class IngestLog(Protocol):
    """What arrived from one source of one query, in order, at dense positions 0, 1, 2, …."""

    async def end(self) -> int:
        """The position after the last row."""

    async def append(self, chunk: IngestChunk, dead: Sequence[DeadLetter] = ()) -> None:
        """Makes one chunk and the dead letters that came with it durable, in one transaction. `chunk.first` must be
        the current end. A chunk that lies there already (a lost reply) is accepted once. `chunk.rows` may be 0.

        Raises: Fenced (another process owns the query), LedgerBehind (the database lost rows it had),
        DatabaseUnavailable (after bounded retries)."""

    def read(self, start: int, end: int) -> AsyncIterator[IngestChunk]:
        """The chunks that overlap `[start, end)`, in order. Raises: OffsetLost."""

    async def trim(self, before: int) -> None:
        """Chunks that lie wholly before this position may go."""


class QueryLedger(Protocol):
    """The durable side of one running query, held under a fence.

    `done` is the last committed epoch, `planned` an epoch that was planned and not committed (only with a sink
    that cannot join the transaction); both as they were when the query was claimed.
    """

    @property
    def query_id(self) -> str: ...

    @property
    def done(self) -> EpochPlan | None: ...

    @property
    def planned(self) -> EpochPlan | None: ...

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        """What was stored by the first run (the one just given, for a new query)."""

    def ingest(self, source: int) -> IngestLog: ...

    async def plan(self, plan: EpochPlan) -> None:
        """Makes the plan of the next epoch durable, before a sink outside the transaction sees it.
        Raises: Fenced, DatabaseUnavailable."""

    async def commit(self, epoch: EpochCommit, write: WriteRows | None = None) -> None:
        """One transaction: fence and number first (epoch n follows n-1), then state, sink rows (`write` may be
        called again with a new transaction), dead letters and late rows. When the reply is lost, reconnects and
        looks for the epoch: there means done. Transient faults are tried again with a bound.

        Raises: Fenced; LedgerBehind (the database lost epochs this process knows as committed: drop what is in
        memory and start again from the database); DatabaseUnavailable; whatever `write` raises."""

    def state(self) -> AsyncIterator[StateChunk]:
        """For each operator the newest base, then the changes after it, in order of epoch and chunk."""

    async def fold(self, base: Sequence[StateChunk]) -> None:
        """Puts base chunks (one operator, one epoch) in the place of the base and changes up to that epoch."""

    async def late_rows(self) -> int:
        """How many late rows are kept for this query."""

    async def close(self) -> None:
        """Gives connections back. A temporary query is forgotten: all its rows go."""


@dataclass(frozen=True, slots=True)
class StoredQuery:
    """One query as the database knows it. Times are microseconds since the epoch in UTC."""

    query_id: str
    key: str
    name: str | None
    epoch: int | None
    committed_us: int | None
    input_rows: int
    state_bytes: int
    dead_letters: int


class ResultTable(Protocol):
    """A table of results that can be asked for rows."""

    @property
    def schema(self) -> StructType: ...

    async def select(
        self,
        columns: Sequence[str] | None = None,
        where: Mapping[str, str] | None = None,
        order: Sequence[tuple[str, bool]] = (),
        limit: int = 100,
        offset: int = 0,
    ) -> pa.Table:
        """Rows of one committed epoch. `where` compares the text form for equality; `order` is (column,
        descending). Raises: PlanError for a column that is not there or a value that does not fit."""


class Database(Protocol):
    """One PostgreSQL database, for sinks and result tables."""

    async def ensure_table(self, table: str, schema: StructType, keys: Sequence[str]) -> bool:
        """Creates the table (and its schema) if it is missing; `keys` become a unique index that sees nulls as
        equal. True when it was made now. Raises: SinkBroken where an existing table does not fit, naming each
        column."""

    def transaction(self) -> AbstractAsyncContextManager[RowWriter]: ...

    def table(self, table: str, schema: StructType) -> ResultTable: ...

    async def close(self) -> None: ...


class Ledger(Protocol):
    """The engine's own database."""

    @property
    def database(self) -> Database:
        """The database the ledger lives in: sinks that write there join its transactions."""

    async def open_database(self, url: str) -> Database | None:
        """A database by URL, or None where it is the ledger's own. Raises: SinkUnavailable, SinkBroken."""

    async def claim(self, identity: Identity) -> QueryLedger:
        """Takes the query over: whoever held it before is fenced. Creates it on first sight."""

    async def queries(self) -> list[StoredQuery]: ...

    async def ping(self) -> None:
        """Returns when a statement went through and the database takes writes. Raises: DatabaseUnavailable."""

    async def close(self) -> None: ...
