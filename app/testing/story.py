"""Tests of streaming queries as stories: add rows, expect rows, crash, restart, advance the clock.

    await run_story(
        Story("k string, v int", lambda df: df.groupBy("k").sum("v"), mode="update"),
        Add(("a", 1)), Expect(("a", 1)),
        Crash("after commit"), Add(("a", 2)), Expect(("a", 3)),
    )

The rows a story adds go through a memory source, the real kernel, the real run loop and the ledger it is given (in
memory or PostgreSQL). A crash drops everything that is not in the ledger, at a named point of the next epoch's commit,
and the story goes on with a new engine.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, cast

import pyarrow as pa

from app.assembly import connectors
from app.clock import Clock
from app.engine.contracts import (
    EpochCommit,
    Identity,
    Ledger,
    Output,
    OutputMode,
    QueryLedger,
    ResultTable,
    RowWriter,
    Sink,
    SinkContext,
    SinkSpec,
    WriteRows,
)
from app.engine.engine import Engine
from app.engine.spec import QuerySpec, Trigger
from app.errors import QueryFailed
from app.plan.resolve import resolve
from app.settings import Settings
from app.sql.dataframe import DataFrame
from app.sql.session import SparkSession
from app.testing.clock import ManualClock
from app.testing.memory_ledger import MemoryLedger
from app.testing.memory_stream import MemoryStream

CrashPoint = Literal["before commit", "after commit"]


@dataclass(frozen=True)
class Add:
    """Rows for the stream, in one piece (they join one epoch)."""

    rows: tuple[Any, ...]

    def __init__(self, *rows: Any) -> None:
        object.__setattr__(self, "rows", rows)


@dataclass(frozen=True)
class Expect:
    """The rows that the epochs since the last expectation gave, in any order."""

    rows: tuple[tuple[Any, ...], ...]

    def __init__(self, *rows: tuple[Any, ...]) -> None:
        object.__setattr__(self, "rows", rows)


def ExpectNothing() -> Expect:
    """No epoch gave a row."""
    return Expect()


@dataclass(frozen=True)
class Crash:
    """The process dies at this point of the next epoch's commit."""

    at: CrashPoint


@dataclass(frozen=True)
class Restart:
    """The query is stopped in good order and started again by a new engine."""


@dataclass(frozen=True)
class Advance:
    """The clock moves forward."""

    seconds: float


@dataclass(frozen=True)
class ExpectFailure:
    """The query ends with this error code."""

    code: str


Step = Add | Expect | Crash | Restart | Advance | ExpectFailure


@dataclass(frozen=True)
class Story:
    """A stream with the columns of `schema`, and what the query makes of it."""

    schema: str
    build: Callable[[DataFrame], DataFrame]
    mode: OutputMode = "append"
    trigger: Trigger = field(default_factory=Trigger)
    transactional: bool = True
    ledger: Callable[[], Awaitable[Ledger]] | None = None


async def run_story(story: Story, *steps: Step) -> None:
    """Plays the steps in order. Raises: AssertionError where an expectation does not hold."""
    async with AsyncExitStack() as stack:
        stage = _Stage(story, stack)
        await stage.start()
        for number, step in enumerate(steps):
            await stage.play(number, step)
        await stage.stop()


class _Stage:
    def __init__(self, story: Story, stack: AsyncExitStack) -> None:
        self._story = story
        self._stack = stack
        spark = SparkSession.builder.getOrCreate()
        self._stream = MemoryStream(spark, story.schema)
        self._relation = resolve(story.build(self._stream.toDF())._node)
        self._outputs: dict[int, pa.Table] = {}
        self._clock = ManualClock()
        self._memory = MemoryLedger()
        self._crashing = _Crashing()
        self._expected_to = -1

    async def start(self) -> None:
        self._engine_stack = AsyncExitStack()
        formats = connectors()
        sinks = {**formats.sinks, "story": _StoryFormat(self._outputs, self._story.transactional)}
        engine = Engine(Settings(database_retry_s=5), replace(formats, sinks=sinks), self._open, self._clock)
        await self._engine_stack.enter_async_context(engine)
        story, sink = self._story, SinkSpec("story")
        spec = QuerySpec(self._relation, sink, story.mode, story.trigger, name="story", checkpoint="story")
        self._query = await engine.start(spec)

    async def stop(self) -> None:
        await self._engine_stack.aclose()

    async def play(self, number: int, step: Step) -> None:
        if isinstance(step, Add):
            self._stream.addData(*step.rows)
        elif isinstance(step, Crash):
            self._crashing.armed = step.at
        elif isinstance(step, Advance):
            await self._clock.until_asleep()
            self._clock.advance(step.seconds)
        elif isinstance(step, Restart):
            await self.stop()
            await self.start()
        elif isinstance(step, ExpectFailure):
            await self._expect_failure(step)
        else:
            await self._expect(number, step)

    async def _expect(self, number: int, step: Expect) -> None:
        await self._settle()
        fresh = [rows for epoch, rows in sorted(self._outputs.items()) if epoch > self._expected_to]
        self._expected_to = max(self._outputs, default=-1)
        seen = [tuple(row.values()) for rows in fresh for row in rows.to_pylist()]
        assert sorted(seen, key=repr) == sorted(step.rows, key=repr), f"step {number}: {seen} is not {list(step.rows)}"

    async def _settle(self) -> None:
        """Everything added is committed, through crashes; with an interval, everything until the clock moves."""
        if self._story.trigger.interval_ms:
            await self._clock.until_asleep()
            return
        while True:
            try:
                await self._query.process_all_available()
                return
            except QueryFailed as failed:
                if not isinstance(failed.__cause__, _Crashed):
                    raise
            await self.stop()
            await self.start()

    async def _expect_failure(self, step: ExpectFailure) -> None:
        try:
            await self._query.process_all_available()
        except QueryFailed as failed:
            assert failed.code == step.code, f"the query failed with {failed}"
            return
        raise AssertionError(f"the query did not fail with {step.code}")

    async def _open(self, settings: Settings, clock: Clock) -> Ledger:
        if self._story.ledger is None:
            return cast(Ledger, _CrashingLedger(self._memory, self._crashing, close=False))
        return cast(Ledger, _CrashingLedger(await self._story.ledger(), self._crashing, close=True))


class _Crashed(Exception):
    """Stands for the death of the process."""


class _Crashing:
    armed: CrashPoint | None = None

    async def commit(self, commit: Callable[[], Awaitable[None]]) -> None:
        at, self.armed = self.armed, None
        if at == "before commit":
            raise _Crashed(at)
        await commit()
        if at == "after commit":
            raise _Crashed(at)


class _CrashingLedger:
    """A ledger whose commits can be made to die. Closing it leaves the database as it is."""

    def __init__(self, ledger: Ledger, crashing: _Crashing, close: bool) -> None:
        self._ledger, self._crashing, self._close = ledger, crashing, close

    async def claim(self, identity: Identity) -> Any:
        return _CrashingQuery(await self._ledger.claim(identity), self._crashing)

    async def close(self) -> None:
        if self._close:
            await self._ledger.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)


class _CrashingQuery:
    def __init__(self, held: QueryLedger, crashing: _Crashing) -> None:
        self._held, self._crashing = held, crashing

    async def commit(self, epoch: EpochCommit, write: WriteRows | None = None) -> None:
        await self._crashing.commit(partial(self._held.commit, epoch, write))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._held, name)


class _StoryFormat:
    """A sink that keeps the rows of each epoch; an epoch that comes again must come with the same rows."""

    names = ("story",)

    def __init__(self, outputs: dict[int, pa.Table], transactional: bool) -> None:
        self._outputs, self._transactional = outputs, transactional

    def create(self, spec: SinkSpec, mode: OutputMode, name: str | None) -> Sink:
        return _StorySink(self._outputs, self._transactional)


class _StorySink:
    description = "story"
    takes_changes = False

    def __init__(self, outputs: dict[int, pa.Table], transactional: bool) -> None:
        self._outputs, self.transactional = outputs, transactional

    async def open(self, context: SinkContext) -> None:
        """Nothing to open."""

    async def write(self, epoch: int, output: Output, writer: RowWriter | None) -> None:
        if not self.transactional and epoch in self._outputs:
            assert self._outputs[epoch].equals(output.rows), f"epoch {epoch} came again with other rows"
        self._outputs[epoch] = output.rows

    async def close(self, error: BaseException | None) -> None:
        """Nothing to close."""

    def result(self) -> ResultTable | None:
        return None
