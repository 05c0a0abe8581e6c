"""Lines from a TCP server, made replayable by the ingest log.

The peer keeps nothing, so a line exists for the engine once it is in the log, and the offset is a position there:

    peer -> inbox -> splitter -> ingest log (one append at a time) -> backlog -> epochs
                                 what arrives meanwhile is the next append

The time of one small transaction is what a lone line waits; under load the same transaction carries megabytes. When
rows that no epoch has committed pass a limit, nothing more is taken, the inbox fills, reading stops, and TCP holds
the peer. Unlike Spark's, this source survives a peer that is not there: it keeps connecting.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, cast

import anyio
import pyarrow as pa
from anyio import to_thread
from anyio.abc import TaskStatus

from app.engine.contracts import DeadLetter, IngestChunk, Offset, Options, Source, SourceContext
from app.engine.options import OptionReader
from app.errors import PlanError, SourceClosed
from app.plan.carriers import arrow_schema
from app.plan.nodes import Scan
from app.plan.types import StringType, StructType, TimestampType
from app.sources.backlog import Backlog, decode_lines, encode_lines
from app.sources.inbox import Inbox, connect
from app.sources.lines import LineSplitter

_EPOCH_ROWS = 500_000
_EPOCH_BYTES = 32 << 20
_THREAD_FROM_BYTES = 128 << 10
_TRIM_EVERY_S = 5.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SocketOptions:
    """Where to connect to, and the limits. A line beyond `max_line_bytes` is a dead letter."""

    host: str
    port: int
    max_line_bytes: int
    replace_invalid: bool
    max_backlog_rows: int
    max_backlog_bytes: int


class SocketSource:
    """The lines one query reads; `schema` has `value` and perhaps `timestamp`, the arrival of the chunk.

    Half a line when the peer closes well is a line; half a line when the connection breaks is dropped and logged.
    """

    def __init__(self, options: SocketOptions, schema: StructType) -> None:
        self._options = options
        self._schema = arrow_schema(schema)
        self._backlog = Backlog()
        self._end = 0
        self._forgotten = 0
        self._trimmed_s = 0.0
        self._frozen_at: int | None = None
        self._whole = False
        self._room = asyncio.Event()
        self._scope = anyio.CancelScope()
        self._stopped: asyncio.Event | None = None
        self._context: SourceContext | None = None

    @property
    def description(self) -> str:
        return f"TextSocketV2[host: {self._options.host}, port: {self._options.port}]"

    async def open(self, context: SourceContext) -> None:
        """Returns at once; the peer may come later."""
        self._context = context
        self._end = await context.ingest.end()
        self._forgotten = int(context.start or 0)
        self._trimmed_s = context.clock.monotonic_s()
        await context.tasks.start(self._receive)

    async def initial(self) -> Offset:
        return 0

    async def latest(self, start: Offset) -> Offset:
        """At most 500,000 rows or 32 MiB on, so that a large backlog is worked off in memory of that size."""
        start, limit = int(start), self._end if self._frozen_at is None else self._frozen_at
        if start >= limit or self._whole:
            return max(start, limit)
        if self._backlog.reach(start, 1, 1) == start:
            await self._load(start, min(self._backlog.next_after(start) or self._end, start + _EPOCH_ROWS))
        return min(limit, self._backlog.reach(start, _EPOCH_ROWS, _EPOCH_BYTES))

    async def freeze(self, whole: bool) -> None:
        self._frozen_at, self._whole = self._end, whole

    async def read(self, start: Offset, end: Offset) -> pa.Table:
        """From memory where it has all of the range, else from the log."""
        batches = self._backlog.rows(int(start), int(end))
        if batches is None:
            batches = [rows async for _, rows in self._log_rows(int(start), int(end))]
        return pa.Table.from_batches(batches, self._schema)

    async def forget(self, end: Offset) -> None:
        """Frees memory at once; the log is trimmed every five seconds."""
        context = self._opened()
        self._forgotten = max(self._forgotten, int(end))
        self._backlog.forget(self._forgotten)
        self._room.set()
        now_s = context.clock.monotonic_s()
        if now_s - self._trimmed_s >= _TRIM_EVERY_S:
            self._trimmed_s = now_s
            await context.ingest.trim(self._forgotten)

    async def close(self) -> None:
        self._scope.cancel()
        if self._stopped is not None:
            await self._stopped.wait()

    def _opened(self) -> SourceContext:
        if self._context is None or self._scope.cancel_called:
            raise SourceClosed(f"{self.description} is not open.")
        return self._context

    # ------------------------------------------------------------------ from the log

    async def _load(self, start: int, end: int) -> None:
        """Brings rows of the log back into memory, up to the limit of one epoch."""
        size = 0
        async with aclosing(self._log_rows(start, end)) as runs:
            async for first, rows in runs:
                self._backlog.add(first, rows)
                size += rows.nbytes
                if size >= _EPOCH_BYTES:
                    break

    async def _log_rows(self, start: int, end: int) -> Any:
        async with aclosing(cast(Any, self._opened().ingest.read(start, end))) as chunks:
            async for chunk in chunks:
                values, arrived_us = decode_lines(chunk.payload)
                skip = max(0, start - chunk.first)
                rows = self._batch(values, arrived_us).slice(skip, end - chunk.first - skip)
                if rows.num_rows:
                    yield chunk.first + skip, rows

    def _batch(self, values: pa.Array, arrived_us: int) -> pa.RecordBatch:
        columns = [values]
        if len(self._schema) > 1:
            kind = self._schema.field(1).type
            columns.append(pa.repeat(pa.scalar(arrived_us, pa.int64()).cast(kind), len(values)))
        return pa.RecordBatch.from_arrays(columns, schema=self._schema)

    # ------------------------------------------------------------------ from the peer

    async def _receive(self, *, task_status: TaskStatus[None]) -> None:
        self._stopped = asyncio.Event()
        try:
            with self._scope:
                task_status.started()
                context = self._opened()
                async for inbox in connect(self._options.host, self._options.port, context.clock):
                    await self._drain(inbox, context)
        finally:
            self._stopped.set()

    async def _drain(self, inbox: Inbox, context: SourceContext) -> None:
        """Puts all that one connection brings into the log."""
        splitter = LineSplitter(self._options.max_line_bytes, self._options.replace_invalid)
        try:
            while (data := await inbox.take()) is not None:
                await self._append(splitter, data, context)
                await self._wait_for_room()
            if inbox.error is None:
                await self._append(splitter, None, context)
            elif lost := splitter.drop():
                _log.warning("%s: the connection broke within a line; %d bytes dropped", self.description, lost)
        finally:
            inbox.abort()

    async def _append(self, splitter: LineSplitter, data: bytes | None, context: SourceContext) -> None:
        arrived_us = context.clock.now_us()

        def encode() -> tuple[Any, bytes]:
            lines = splitter.finish() if data is None else splitter.feed(data)
            return lines, encode_lines(lines.body, arrived_us)

        big = data is not None and len(data) > _THREAD_FROM_BYTES
        lines, payload = await to_thread.run_sync(encode) if big else encode()
        if not lines.rows and not lines.rejected:
            return
        dead = [DeadLetter(context.index, self._end + r.row, r.reason, r.payload) for r in lines.rejected]
        await context.ingest.append(IngestChunk(self._end, lines.rows, payload), dead)
        self._backlog.add(self._end, self._batch(lines.values, arrived_us))
        self._end += lines.rows
        context.wake()

    async def _wait_for_room(self) -> None:
        options = self._options
        while (
            self._backlog.nbytes >= options.max_backlog_bytes or self._end - self._forgotten >= options.max_backlog_rows
        ):
            self._room.clear()
            await self._room.wait()


class SocketFormat:
    """`socket`: one row a line, column `value` (and `timestamp` with `includeTimestamp`).

    Options: `host` and `port` (required), `includeTimestamp` (false), and beyond Spark's `maxLineBytes` (1 MiB),
    `invalidUtf8` (`deadletter` or `replace`), `maxBacklogRows` (2,000,000) and `maxBacklogBytes` (64 MiB): how far
    the rows of no committed epoch may grow before the peer is held.
    """

    names = ("socket",)

    def schema(self, options: Options, given: StructType | None, streaming: bool) -> StructType:
        _, timestamp = _read_options(options)
        if given is not None:
            raise PlanError(
                "The socket source does not support a user-specified schema: its columns are fixed. Leave out "
                "schema(...) and cast `value`.",
                code="UNSUPPORTED_USER_SPECIFIED_SCHEMA",
            )
        columns = StructType().add("value", StringType())
        return columns.add("timestamp", TimestampType()) if timestamp else columns

    def stream(self, scan: Scan) -> Source:
        settings, _ = _read_options(dict(scan.options))
        return SocketSource(settings, scan.schema)

    def load(self, scan: Scan) -> pa.Table:
        raise PlanError(
            "The feature is not supported: `socket` does not support batch scan; use readStream.",
            code="UNSUPPORTED_FEATURE.TABLE_OPERATION",
        )


def _read_options(given: Options) -> tuple[SocketOptions, bool]:
    names = ("host", "port", "includeTimestamp", "maxLineBytes", "invalidUtf8", "maxBacklogRows", "maxBacklogBytes")
    options = OptionReader("socket", given, names)
    host = options.required("host", 'Set a host to read from with option("host", ...).')
    options.required("port", 'Set a port to read from with option("port", ...).')
    try:
        host.encode("idna")
    except UnicodeError as error:
        raise options.wrong("host", "must be a host name or an address") from error
    settings = SocketOptions(
        host=host,
        port=options.whole("port", 0, 1, 65_535),
        max_line_bytes=options.whole("maxLineBytes", 1 << 20, 1, 64 << 20),
        replace_invalid=options.one_of("invalidUtf8", "deadletter", "deadletter", "replace") == "replace",
        max_backlog_rows=options.whole("maxBacklogRows", 2_000_000, 1),
        max_backlog_bytes=options.whole("maxBacklogBytes", 64 << 20, 1),
    )
    return settings, options.flag("includeTimestamp")
