"""What the engine asks of sources."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa
from anyio.abc import TaskGroup

from app.clock import Clock
from app.engine.contracts.epochs import Offset, Options
from app.engine.contracts.ledger import IngestLog
from app.plan.nodes import Scan
from app.plan.types import StructType


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
