"""What the engine asks of sources, sinks and the ledger. The connectors implement these; nothing here does.

An epoch is one micro-batch: number n, a half-open offset range for each source, the watermark it works with and
the clock reading it uses. Offsets are JSON values that only their source understands. Rows are Arrow tables whose
columns follow a `StructType` in order, names and carried types (`plan/carriers.py`).

All coroutines here run on the engine's event loop. They may be cancelled at any await; after a cancellation the
object is only good for `close()`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import pyarrow as pa
from anyio.abc import TaskGroup

from app.clock import Clock
from app.plan.nodes import Scan
from app.plan.types import StructType
from app.state.chunk import StateChunk as StateChunk

Offset = Any
"""A JSON value (null, number, string, list, object); null only where a source has nothing to say."""

OutputMode = Literal["append", "update", "complete"]
Options = Mapping[str, str]
"""Reader and writer options: keys in lower case, values as strings (True is "true")."""


# ---------------------------------------------------------------------------------------------- epochs


@dataclass(frozen=True, slots=True)
class EpochPlan:
    """What epoch `number` reads: `starts[i]` to `ends[i]` of source i. Written before or with its results."""

    number: int
    starts: tuple[Offset, ...]
    ends: tuple[Offset, ...]
    watermark_us: int
    clock_us: int


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """Input that could not become a row. `offset` is its place in the source where it has one."""

    source: int
    offset: Offset
    reason: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class EpochCommit:
    """Everything of one epoch that has to become durable together."""

    plan: EpochPlan
    input_rows: int
    output_rows: int
    state: tuple[StateChunk, ...] = ()
    dead: tuple[DeadLetter, ...] = ()
    late: tuple[tuple[int, str], ...] = ()
    """Late rows: (operator, the row as JSON)."""


# ---------------------------------------------------------------------------------------------- ledger


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

        Raises: Fenced (another process owns the query), DatabaseUnavailable (after bounded retries)."""

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

    async def ensure_table(self, table: str, schema: StructType, keys: Sequence[str]) -> None:
        """Creates the table (and its schema) if it is missing; `keys` become a unique index that sees nulls as
        equal. Raises: SinkBroken where an existing table does not fit, naming each column."""

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


# ---------------------------------------------------------------------------------------------- sources


@dataclass(frozen=True, slots=True)
class SourceContext:
    """What a source gets when its query starts.

    `start` is the offset the query continues at, None on the first run. `wake()` tells the loop that `latest` may
    have moved; it may be called from any thread. Background work goes into `tasks`; an exception there ends the query.
    """

    query_id: str
    index: int
    start: Offset
    ingest: IngestLog
    clock: Clock
    wake: Callable[[], None]
    tasks: TaskGroup


class Source(Protocol):
    """One streaming source of one running query.

    Obligations: `read(a, b)` gives the same rows for the same range as long as `b` was not forgotten, also in
    another process; `latest` never moves back; a row is in exactly one range.
    """

    @property
    def description(self) -> str:
        """For progress, in Spark's form: `TextSocketV2[host: localhost, port: 9999]`."""

    async def open(self, context: SourceContext) -> None:
        """Raises: SourceUnavailable, SourceBroken."""

    async def initial(self) -> Offset:
        """Where a new query starts."""

    async def latest(self, start: Offset) -> Offset:
        """The end of an epoch that starts at `start`: what is there now, cut by the source's own limits. Equal to
        `start` when there is nothing."""

    async def freeze(self, whole: bool) -> None:
        """From now on `latest` does not go beyond what is there now (triggers `availableNow` and `once`); with
        `whole` (`once`) it is not cut by the source's own limits either."""

    async def read(self, start: Offset, end: Offset) -> pa.Table:
        """Raises: OffsetLost, SourceError."""

    async def forget(self, end: Offset) -> None:
        """Everything before `end` is committed and will not be read again."""

    async def close(self) -> None: ...


class SourceFormat(Protocol):
    """One connector for reading, by the name given to `format(...)`. Methods that are not coroutines validate and
    decide; they run in the caller's thread and may read local files (schema inference)."""

    @property
    def names(self) -> tuple[str, ...]: ...

    def schema(self, options: Options, given: StructType | None, streaming: bool) -> StructType:
        """The columns, all nullable where the format cannot promise more. Raises: PlanError for an unknown option,
        a wrong value, a missing one, a schema where none may be given."""

    def stream(self, scan: Scan) -> Source:
        """Raises: PlanError where the format cannot be streamed."""

    def load(self, scan: Scan) -> pa.Table:
        """All rows, for static use; may block. Raises: PlanError where the format is for streams only."""


# ---------------------------------------------------------------------------------------------- sinks


@dataclass(frozen=True, slots=True)
class SinkSpec:
    """What `writeStream` says about where rows go. `handler` is the function or object of `foreachBatch` and
    `foreach`, already wrapped: it takes Arrow tables."""

    format: str
    options: Options = field(default_factory=dict)
    partition_by: tuple[str, ...] = ()
    handler: Any = None


@dataclass(frozen=True, slots=True)
class SinkContext:
    """What a sink gets when its query starts. `keys` are the result columns that identify a row (the group keys),
    empty where rows have no key. `fresh` is True when no epoch was ever committed. `time_zone` is the session's, for
    sinks that print."""

    query_id: str
    name: str | None
    mode: OutputMode
    schema: StructType
    keys: tuple[str, ...]
    fresh: bool
    ledger: Ledger
    time_zone: str = "UTC"


@dataclass(frozen=True, slots=True)
class Output:
    """The result of one epoch. `kind`: "append" new rows; "upsert" new values for keys (and `deleted` keys); "replace"
    the whole table."""

    kind: Literal["append", "upsert", "replace"]
    rows: pa.Table
    deleted: pa.Table | None = None


class Sink(Protocol):
    """Where one running query puts its results.

    With `transactional`, `write` gets the commit's open transaction and must do all its work there; it may be
    called again for the same epoch with a new transaction. Without, `write` gets None, is called with epoch n as
    often as it takes (same rows, same n), and returns when the rows are safe.
    """

    @property
    def description(self) -> str: ...

    @property
    def transactional(self) -> bool: ...

    @property
    def takes_changes(self) -> bool:
        """In complete mode: True takes "upsert" outputs of what changed (the first epoch is a "replace" all the
        same), False wants the whole table each time."""

    async def open(self, context: SinkContext) -> None:
        """Raises: SinkBroken, SinkUnavailable."""

    async def write(self, epoch: int, output: Output, writer: RowWriter | None) -> None: ...

    async def close(self, error: BaseException | None) -> None: ...

    def result(self) -> ResultTable | None:
        """The table to ask for results, where the sink has one."""


class SinkFormat(Protocol):
    """One connector for writing, by the name given to `format(...)`."""

    @property
    def names(self) -> tuple[str, ...]: ...

    def create(self, spec: SinkSpec, mode: OutputMode, name: str | None) -> Sink:
        """Raises: PlanError for an unknown option, a wrong value, a mode or a partitioning that does not fit, and
        for a query without a name where the sink needs one."""


@dataclass(frozen=True, slots=True)
class Connectors:
    """All formats this process knows, by name."""

    sources: Mapping[str, SourceFormat]
    sinks: Mapping[str, SinkFormat]
