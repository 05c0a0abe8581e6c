"""Rows that this process itself adds: the source of tests (`app.testing.MemoryStream`)."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pyarrow as pa

from app.engine.contracts import Offset, Options, Source, SourceContext
from app.engine.options import OptionReader
from app.errors import OffsetLost, PlanError
from app.plan.carriers import arrow_schema
from app.plan.nodes import Scan
from app.plan.types import StructType


class MemoryBuffer:
    """All rows ever added, in order; offset n is the row after the first n. Any thread may add.

    Rows stay as long as the buffer does: it stands for a source outside the process, so a query that starts
    anew, a second query, and a query thrown back by a failover all find what they need.
    """

    def __init__(self, schema: StructType) -> None:
        self.schema = schema
        self._tables: list[pa.Table] = [arrow_schema(schema).empty_table()]
        self._end = 0
        self._lock = threading.Lock()
        self._listeners: set[Callable[[], None]] = set()

    @property
    def end(self) -> int:
        return self._end

    def append(self, rows: pa.Table) -> int:
        """Adds rows that have the buffer's schema and returns the offset reached."""
        with self._lock:
            self._tables.append(rows)
            self._end += rows.num_rows
            end, listeners = self._end, tuple(self._listeners)
        for wake in listeners:
            wake()
        return end

    def rows(self, start: int, end: int) -> pa.Table:
        with self._lock:
            if len(self._tables) > 1:
                self._tables = [pa.concat_tables(self._tables)]
            return self._tables[0].slice(start, end - start)

    def listen(self, wake: Callable[[], None]) -> None:
        with self._lock:
            self._listeners.add(wake)

    def unlisten(self, wake: Callable[[], None]) -> None:
        with self._lock:
            self._listeners.discard(wake)


class MemorySource:
    """One query's view of a buffer."""

    def __init__(self, buffer: MemoryBuffer) -> None:
        self._buffer = buffer
        self._wake: Callable[[], None] | None = None
        self._frozen_at: int | None = None

    @property
    def description(self) -> str:
        return f"MemoryStream[{','.join(self._buffer.schema.names)}]"

    async def open(self, context: SourceContext) -> None:
        self._wake = context.wake
        self._buffer.listen(context.wake)

    async def initial(self) -> Offset:
        return 0

    async def latest(self, start: Offset) -> Offset:
        end = self._buffer.end if self._frozen_at is None else self._frozen_at
        return max(int(start), end)

    async def freeze(self, whole: bool) -> None:
        self._frozen_at = self._buffer.end

    async def read(self, start: Offset, end: Offset) -> pa.Table:
        if int(end) > self._buffer.end:
            raise OffsetLost(
                f"{self.description} has {self._buffer.end} rows, but the query stopped at row {end}: "
                "rows of a memory stream do not outlive its object. Use another queryName, or add the same "
                "rows first.",
                wanted=end,
                latest=self._buffer.end,
            )
        return self._buffer.rows(int(start), int(end))

    async def forget(self, end: Offset) -> None:
        """Nothing: the buffer keeps its rows."""

    async def close(self) -> None:
        if self._wake is not None:
            self._buffer.unlisten(self._wake)


class MemoryFormat:
    """`memory`: only through `MemoryStream.toDF()`, which brings the buffer along in `Scan.handle`."""

    names = ("memory",)

    def schema(self, options: Options, given: StructType | None, streaming: bool) -> StructType:
        OptionReader("memory", options, ())
        if given is None:
            raise _not_by_name()
        return given

    def stream(self, scan: Scan) -> Source:
        if not isinstance(scan.handle, MemoryBuffer):
            raise _not_by_name()
        return MemorySource(scan.handle)

    def load(self, scan: Scan) -> pa.Table:
        if not isinstance(scan.handle, MemoryBuffer):
            raise _not_by_name()
        return scan.handle.rows(0, scan.handle.end)


def _not_by_name() -> PlanError:
    return PlanError(
        "The format 'memory' cannot be read by name; make a MemoryStream and take its toDF().",
        code="UNSUPPORTED_STREAMING_SOURCE",
    )
