"""Numbers at a fixed rate, from the clock."""

from __future__ import annotations

import asyncio

import anyio
import numpy as np
import pyarrow as pa
from anyio.abc import TaskStatus

from app.engine.contracts import Offset, Options, Source, SourceContext
from app.engine.options import OptionReader
from app.errors import PlanError, SourceClosed
from app.plan.carriers import arrow_schema
from app.plan.nodes import Scan
from app.plan.types import LongType, StructType, TimestampType

_EPOCH_ROWS = 1_000_000
_SECOND_US = 1_000_000


def rows_before(second: int, rows_per_second: int, ramp_up_s: int) -> int:
    """How many rows the first `second` seconds have. During the ramp-up second s has s * rate / (ramp + 1) rows
    (whole division), as in Spark's RateStreamProvider."""
    step = rows_per_second // (ramp_up_s + 1)
    ramped = min(second, ramp_up_s)
    return step * ramped * (ramped + 1) // 2 + (second - ramped) * rows_per_second


class RateSource:
    """Values from 0 without a gap. The offset says when the query was created and how many seconds are read, so
    that a restart goes on counting where the stopped one would be."""

    def __init__(self, schema: StructType, rows_per_second: int, ramp_up_s: int, partitions: int) -> None:
        self._schema = arrow_schema(schema)
        self._rate = rows_per_second
        self._ramp_up_s = ramp_up_s
        self._partitions = partitions
        self._frozen_s: int | None = None
        self._whole = False
        self._scope = anyio.CancelScope()
        self._stopped: asyncio.Event | None = None
        self._context: SourceContext | None = None

    @property
    def description(self) -> str:
        return (
            f"RateStreamV2[rowsPerSecond={self._rate}, rampUpTimeSeconds={self._ramp_up_s}, "
            f"numPartitions={self._partitions}]"
        )

    async def open(self, context: SourceContext) -> None:
        self._context = context
        await context.tasks.start(self._tick)

    async def initial(self) -> Offset:
        return {"created_us": self._opened().clock.now_us(), "seconds": 0}

    async def latest(self, start: Offset) -> Offset:
        """The seconds that are over, but no more than about a million rows after `start`."""
        begun, created_us = int(start["seconds"]), int(start["created_us"])
        over = (self._opened().clock.now_us() - created_us) // _SECOND_US
        if self._frozen_s is not None:
            over = min(over, self._frozen_s - created_us // _SECOND_US)
        if not self._whole:
            over = min(over, begun + max(1, _EPOCH_ROWS // self._rate))
        return {"created_us": created_us, "seconds": max(begun, over)}

    async def freeze(self, whole: bool) -> None:
        self._frozen_s, self._whole = self._opened().clock.now_us() // _SECOND_US, whole

    async def read(self, start: Offset, end: Offset) -> pa.Table:
        """The rows of a second are spread evenly over it, wherever the range is cut."""
        created_us = int(start["created_us"])
        values, instants = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for second in range(int(start["seconds"]), int(end["seconds"])):
            first = rows_before(second, self._rate, self._ramp_up_s)
            count = rows_before(second + 1, self._rate, self._ramp_up_s) - first
            values.append(np.arange(first, first + count))
            instants.append(created_us + second * _SECOND_US + np.arange(count) * _SECOND_US // max(1, count))
        kind = self._schema.field(0).type
        columns = [pa.array(np.concatenate(instants)).cast(kind), pa.array(np.concatenate(values))]
        return pa.Table.from_arrays(columns, schema=self._schema)

    async def forget(self, end: Offset) -> None:
        """Nothing is kept."""

    async def close(self) -> None:
        self._scope.cancel()
        if self._stopped is not None:
            await self._stopped.wait()

    async def _tick(self, *, task_status: TaskStatus[None]) -> None:
        context = self._opened()
        self._stopped = asyncio.Event()
        try:
            with self._scope:
                task_status.started()
                while True:
                    await context.clock.sleep(1)
                    context.wake()
        finally:
            self._stopped.set()

    def _opened(self) -> SourceContext:
        if self._context is None:
            raise SourceClosed(f"{self.description} is not open.")
        return self._context


class RateFormat:
    """`rate`: columns `timestamp`, `value`. Options: `rowsPerSecond` (1), `rampUpTime` (0s), `numPartitions`
    (accepted; there is one)."""

    names = ("rate",)

    def schema(self, options: Options, given: StructType | None, streaming: bool) -> StructType:
        _read_options(options)
        if given is not None:
            raise PlanError(
                "The rate source does not support a user-specified schema: its columns are fixed. Leave out "
                "schema(...).",
                code="UNSUPPORTED_USER_SPECIFIED_SCHEMA",
            )
        return StructType().add("timestamp", TimestampType()).add("value", LongType())

    def stream(self, scan: Scan) -> Source:
        return RateSource(scan.schema, *_read_options(dict(scan.options)))

    def load(self, scan: Scan) -> pa.Table:
        raise PlanError(
            "The feature is not supported: `rate` does not support batch scan; use readStream.",
            code="UNSUPPORTED_FEATURE.TABLE_OPERATION",
        )


def _read_options(given: Options) -> tuple[int, int, int]:
    options = OptionReader("rate", given, ("rowsPerSecond", "rampUpTime", "numPartitions"))
    return (
        options.whole("rowsPerSecond", 1, 1, 100_000_000),
        int(options.seconds("rampUpTime", "0s")),
        options.whole("numPartitions", 1, 1, 1 << 20),
    )
