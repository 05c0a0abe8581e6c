"""One run of a query: from claiming it to giving it back. The order of effects is this.

    claim the query in the database         whoever held it is fenced; learn the last epoch
    open the sink, the kernel, the sources  restore state from its chunks
    for each epoch n
      latest    each source says how far it can be read          plan_epoch decides, or nothing to do
      read      exactly those ranges, as Arrow
      compute   operators update their state tables             worker thread
      plan      only for a sink outside the database: the plan of n becomes durable before the sink sees n
      write     such a sink gets n, as often as it takes
      commit    one transaction: fence, epoch, state, sink rows
      forget    sources may drop what was read                   a fault before this line ends the run: memory goes
      announce  progress and result to whoever listens
    close sources, sink, kernel, ledger     in that order, shielded from cancellation

An epoch that was planned and not committed by an earlier run is done first, with the same ranges and clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.to_thread
import pyarrow as pa
from anyio.abc import TaskGroup

from app.engine.contracts import (
    EpochCommit,
    EpochPlan,
    Identity,
    QueryLedger,
    SinkContext,
    Source,
    SourceContext,
)
from app.engine.epoch import Position, after, plan_epoch
from app.engine.folding import Folding
from app.engine.ingest import CountedIngest
from app.engine.parts import Parts
from app.engine.pipeline import Computed, Pipeline, compatible
from app.engine.progress import EpochFacts, Stopwatch, operator_progress, progress
from app.engine.retry import retry
from app.engine.spec import QuerySpec
from app.engine.trigger import wait_ms
from app.errors import SinkUnavailable
from app.kernel.kernel import Kernel

if TYPE_CHECKING:
    from app.engine.query import Query

T = TypeVar("T")
CLOSE_S = 5.0


class Run:
    """`wake()` may be called from any thread; everything else belongs to the loop. Raises at once what the plan or
    the sink's options get wrong: PlanError."""

    def __init__(self, query: Query, spec: QuerySpec, parts: Parts) -> None:
        self._query = query
        self._spec = spec
        self._parts = parts
        self._clock = parts.clock
        self.sink = parts.connectors.sinks[spec.sink.format].create(spec.sink, spec.mode, spec.name)
        settings = parts.settings
        self._kernel = Kernel(settings.kernel_memory_bytes, threads=1)
        takes_changes, threads = self.sink.takes_changes, settings.kernel_threads
        self.pipeline = Pipeline(spec.relation, spec.mode, takes_changes, self._kernel, threads)
        self._worker = anyio.CapacityLimiter(1)
        self._loop = asyncio.get_running_loop()
        self._woken = anyio.Event()
        self._scope = anyio.CancelScope()
        self._sources: list[Source] = []
        self._position = Position(-1, ())
        self._last_started_s: float | None = None

    def wake(self) -> None:
        """Something may have changed: look again."""
        self._loop.call_soon_threadsafe(lambda: self._woken.set())

    def cancel(self) -> None:
        """Ends the run now; what the running epoch did in memory goes with it."""
        self._scope.cancel()
        self._kernel.interrupt()

    async def main(self, ready: Callable[[], None]) -> None:
        """Runs until the query is stopped or has read what it was to read. Calls `ready` when all is open."""
        error: BaseException | None = None
        held: QueryLedger | None = None
        try:
            with self._scope:
                held = await self._claim()
                await self._open_sink(held)
                async with anyio.create_task_group() as tasks:
                    await self._open(held, tasks)
                    ready()
                    await self._epochs()
                    tasks.cancel_scope.cancel()
        except BaseException as raised:
            error = raised
            raise
        finally:
            with anyio.move_on_after(CLOSE_S, shield=True):
                await self._close(held, error)

    # ------------------------------------------------------------------------------------ opening

    async def _claim(self) -> QueryLedger:
        ledger = await self._parts.ledger()
        fingerprint = self.pipeline.fingerprint
        identity = Identity(identity_of(self._spec), self._spec.name, fingerprint, self.pipeline.explain(False))
        held = await ledger.claim(identity)
        self._held = held
        self._query.id = held.query_id
        if held.done is not None or held.planned is not None:
            compatible(held.fingerprint, fingerprint)
        return held

    async def _open_sink(self, held: QueryLedger) -> None:
        context = SinkContext(
            query_id=held.query_id,
            name=self._spec.name,
            mode=self._spec.mode,
            schema=self._spec.relation.schema,
            keys=self.pipeline.keys,
            fresh=held.done is None,
            ledger=await self._parts.ledger(),
            time_zone=self._spec.conf.get("spark.sql.session.timeZone", "UTC"),
            grouped=self.pipeline.grouped,
        )
        if await self.sink.open(context):
            self.pipeline.give_whole()

    async def _open(self, held: QueryLedger, tasks: TaskGroup) -> None:
        connectors = self._parts.connectors
        now_us = self._clock.now_us()
        load = partial(self.pipeline.load, connectors=connectors, clock_us=now_us)
        statics = [await self._work(partial(load, leaf)) for leaf in self.pipeline.statics]
        await self._work(partial(self.pipeline.open, statics))
        chunks = [chunk async for chunk in held.state()]
        await self._work(partial(self.pipeline.restore, chunks))
        self._folding = Folding(held, self.pipeline, self._parts.settings, tasks, chunks)
        starts = held.done.ends if held.done else held.planned.starts if held.planned else None
        for index, leaf in enumerate(self.pipeline.sources):
            source = connectors.sources[leaf.node.format].stream(leaf.node)
            self._sources.append(source)
            start = starts[index] if starts is not None else None
            ingest = CountedIngest(held.ingest(index), self._query)
            await source.open(SourceContext(held.query_id, index, start, ingest, self._clock, self.wake, tasks))
        if starts is None:
            starts = tuple([await source.initial() for source in self._sources])
        self._position = Position(held.done.number if held.done else -1, tuple(starts))

    async def _close(self, held: QueryLedger | None, error: BaseException | None) -> None:
        for source in self._sources:
            await source.close()
        await self.sink.close(error)
        await self._work(self._kernel.close)
        if held is not None:
            await held.close()

    # ------------------------------------------------------------------------------------ epochs

    async def _epochs(self) -> None:
        trigger = self._spec.trigger
        if self._held.planned is not None:
            await self._epoch(self._held.planned, self._stopwatch(), planned=True)
        if trigger.kind != "processing_time":
            for source in self._sources:
                await source.freeze(whole=trigger.kind == "once")
        while not self._query.stopping:
            asked = self._query.asked()
            self._woken = anyio.Event()
            started_ms = self._clock.now_us() // 1000
            worked = await self._trigger()
            if trigger.kind == "once" or (trigger.kind == "available_now" and not worked):
                return
            if not worked:
                self._query.settle(asked)
            await self._rest(worked, started_ms)

    async def _rest(self, worked: bool, started_ms: int) -> None:
        """Waits for the next trigger: the interval's boundary, else for something to do."""
        interval_ms = self._spec.trigger.interval_ms
        if interval_ms:
            self._query.say("Waiting for next trigger", busy=False)
            await self._pause(wait_ms(self._clock.now_us() // 1000, started_ms, interval_ms))
        elif not worked and not self._query.stopping:
            self._query.say("Waiting for data to arrive", busy=False)
            await self._woken.wait()

    async def _pause(self, milliseconds: int) -> None:
        """Sleeps, unless the query is stopped."""
        async with anyio.create_task_group() as pause:

            async def stop_early() -> None:
                while not self._query.stopping:
                    self._woken = anyio.Event()
                    await self._woken.wait()
                pause.cancel_scope.cancel()

            pause.start_soon(stop_early)
            await self._clock.sleep(milliseconds / 1000)
            pause.cancel_scope.cancel()

    async def _trigger(self) -> bool:
        """Runs an epoch when there is something to read; False when there is not."""
        watch = self._stopwatch()
        latest = []
        for source, start in zip(self._sources, self._position.offsets, strict=True):
            latest.append(await source.latest(start))
        watch.add("latestOffset", self._clock.monotonic_s() - watch.started_s)
        plan = plan_epoch(self._position, tuple(latest), self._clock.now_us())
        if plan is None:
            return False
        await self._epoch(plan, watch, planned=False)
        return True

    async def _epoch(self, plan: EpochPlan, watch: Stopwatch, planned: bool) -> None:
        self._query.say("Processing new data", data=True)
        inputs = []
        with _timed(watch, "getBatch", self._clock.monotonic_s):
            for source, start, end in zip(self._sources, plan.starts, plan.ends, strict=True):
                inputs.append(await source.read(start, end))
        with _timed(watch, "addBatch", self._clock.monotonic_s):
            computed = await self._work(partial(self.pipeline.compute, plan, inputs))
        await self._make_durable(plan, computed, sum(t.num_rows for t in inputs), watch, planned)
        self._position = after(plan)
        for source, end in zip(self._sources, plan.ends, strict=True):
            await source.forget(end)
        self._folding.add(computed.state)
        await self._announce(plan, inputs, computed, watch)

    async def _make_durable(
        self, plan: EpochPlan, computed: Computed, input_rows: int, watch: Stopwatch, planned: bool
    ) -> None:
        output = computed.output
        commit = EpochCommit(plan, input_rows, output.rows.num_rows, computed.state)
        if self.sink.transactional:
            with _timed(watch, "commitOffsets", self._clock.monotonic_s):
                await self._held.commit(commit, partial(self.sink.write, plan.number, output))
            return
        if not planned and identity_of(self._spec) is not None:
            with _timed(watch, "walCommit", self._clock.monotonic_s):
                await self._held.plan(plan)
        with _timed(watch, "addBatch", self._clock.monotonic_s):
            await retry(
                f"Sink of query {self._query.name or self._query.id}",
                partial(self.sink.write, plan.number, output, None),
                SinkUnavailable,
                self._clock,
                self._parts.settings.database_retry_s,
            )
        with _timed(watch, "commitOffsets", self._clock.monotonic_s):
            await self._held.commit(commit)

    # ------------------------------------------------------------------------------------ telling

    def _stopwatch(self) -> Stopwatch:
        return Stopwatch(self._clock.monotonic_s())

    async def _announce(
        self,
        plan: EpochPlan,
        inputs: Sequence[pa.Table],
        computed: Computed,
        watch: Stopwatch,
    ) -> None:
        watch.add("triggerExecution", self._clock.monotonic_s() - watch.started_s)
        since_s = watch.started_s - self._last_started_s if self._last_started_s is not None else 0.0
        self._last_started_s = watch.started_s
        names = [str(operator["operator"]) for operator in self.pipeline.fingerprint["operators"]]
        operators = [
            operator_progress(_SPARK_NAMES.get(name, name), total, changed)
            for name, total, changed in zip(names, computed.state_rows, computed.changed_rows, strict=True)
        ]
        rows = [table.num_rows for table in inputs]
        facts = EpochFacts(
            number=plan.number,
            started_us=plan.clock_us,
            since_last_s=since_s,
            durations_ms=watch.parts_ms,
            sources=[source.description for source in self._sources],
            starts=plan.starts,
            ends=plan.ends,
            input_rows=rows,
            operators=operators[::-1],
            sink=self.sink.description,
            output_rows=computed.output.rows.num_rows,
        )
        self._query.count(
            epochs=1,
            input_rows=sum(rows),
            output_rows=computed.output.rows.num_rows,
            state_rows=sum(computed.state_rows),
            state_bytes=self._folding.stored_bytes,
        )
        record = progress(self._query.id, self._query.run_id, self._query.name, facts)
        await self._query.announce(record, computed.output)

    async def _work(self, function: Callable[[], T]) -> T:
        """Runs blocking kernel work in this query's thread; it is waited for even when cancelled."""
        return await anyio.to_thread.run_sync(function, limiter=self._worker)


_SPARK_NAMES = {"aggregate": "stateStoreSave"}


class _timed:
    """Adds what its block took to a part of the stopwatch."""

    def __init__(self, watch: Stopwatch, part: str, now_s: Callable[[], float]) -> None:
        self._watch, self._part, self._now_s = watch, part, now_s

    def __enter__(self) -> None:
        self._from_s = self._now_s()

    def __exit__(self, *_: object) -> None:
        self._watch.add(self._part, self._now_s() - self._from_s)


def identity_of(spec: QuerySpec) -> str | None:
    """What the state of a query belongs to: `checkpointLocation`, else `queryName`; None for a temporary query.

    A memory table ends with its process, so its name alone keeps nothing, as in Spark.
    """
    if spec.checkpoint is not None:
        return spec.checkpoint
    return None if spec.sink.format == "memory" else spec.name
