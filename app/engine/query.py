"""One streaming query, as its users see it: what it is, how it goes, and how to wait for it.

All coroutines belong to the engine's loop. The work is done by `engine/run.py`; this object outlives its runs.
"""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import AsyncIterator, Generator
from dataclasses import dataclass, replace
from typing import Any

import anyio
from anyio.abc import TaskStatus
from anyio.streams.memory import MemoryObjectSendStream

from app.engine.contracts import Output, OutputMode, ResultTable
from app.engine.parts import Parts
from app.engine.run import Run
from app.engine.spec import QuerySpec
from app.engine.subscribe import close, send, subscription
from app.errors import EngineError, LedgerBehind, QueryFailed

RECENT = 100
"""How many progress records are kept (Spark: numRecentProgressUpdates)."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts since this process started the query; `state_…` are of now, `restarts` those of its identity."""

    epochs: int = 0
    input_rows: int = 0
    output_rows: int = 0
    dead_letters: int = 0
    state_rows: int = 0
    state_bytes: int = 0
    restarts: int = 0


class Query:
    """A query that was started. `id` stays with its identity, `run_id` is new for each start."""

    def __init__(self, spec: QuerySpec, parts: Parts) -> None:
        self.spec = spec
        self.id = ""
        self.run_id = str(uuid.uuid4())
        self.name: str | None = spec.name
        self.mode: OutputMode = spec.mode
        self.totals = Totals()
        self.exception: QueryFailed | None = None
        self.faulted = False
        """Ended by a fault, its own or its pipeline's: to start it again is a restart."""
        self.status: dict[str, Any] = {}
        self._parts = parts
        self._recent: deque[dict[str, Any]] = deque(maxlen=RECENT)
        self._ended = anyio.Event()
        self._stopping = False
        self._waiters: list[anyio.Event] = []
        self._progress_to: set[MemoryObjectSendStream[dict[str, Any]]] = set()
        self._changes_to: set[MemoryObjectSendStream[Output]] = set()
        self._run = Run(self, spec, parts)
        self.say("Initializing sources", busy=False)

    # ------------------------------------------------------------------------------------ for users

    @property
    def is_active(self) -> bool:
        return not self._ended.is_set()

    @property
    def sink(self) -> str:
        """The sink's description, as in progress."""
        return self._run.sink.description

    @property
    def writes_table(self) -> bool:
        """Whether results are rows of a table that others may write to too."""
        return self.spec.sink.format == "postgres"

    @property
    def recent_progress(self) -> list[dict[str, Any]]:
        """The last progress records, oldest first."""
        return list(self._recent)

    @property
    def last_progress(self) -> dict[str, Any] | None:
        return self._recent[-1] if self._recent else None

    def explain(self, extended: bool = False) -> str:
        """The steps of the query; with `extended`, the SQL the kernel runs too."""
        return self._run.pipeline.explain(extended)

    def result(self) -> ResultTable | None:
        """The table of results, where the sink has one."""
        return self._run.sink.result()

    async def stop(self, grace_s: float = 3.0) -> None:
        """Lets the running epoch end within `grace_s`, rolls it back otherwise; returns when all is closed."""
        self._stopping = True
        self._run.wake()
        with anyio.move_on_after(grace_s):
            await self._ended.wait()
        if not self._ended.is_set():
            self._run.cancel()
        await self._ended.wait()

    async def wait(self, timeout_s: float | None = None) -> bool:
        """True when the query has ended, False when `timeout_s` passed first. Raises: QueryFailed, every time."""
        with anyio.move_on_after(timeout_s):
            await self._ended.wait()
        if self.exception is not None:
            raise self.exception
        return self._ended.is_set()

    async def process_all_available(self) -> None:
        """Returns when all that the sources held at the call is committed. Raises: QueryFailed."""
        if self.is_active:
            done = anyio.Event()
            self._waiters.append(done)
            self._run.wake()
            await done.wait()
        if self.exception is not None:
            raise self.exception

    def __await__(self) -> Generator[Any, Any, bool]:
        """`await query`: until it ends. Raises: QueryFailed."""
        return self.wait().__await__()

    async def progress(self) -> AsyncIterator[dict[str, Any]]:
        """The progress of each epoch committed from now on. A slow reader slows the query: it waits for room."""
        async with subscription(self._progress_to, self.is_active) as items:
            async for item in items:
                yield item

    async def changes(self) -> AsyncIterator[Output]:
        """The output of each epoch committed from now on, in order. A slow reader slows the query."""
        async with subscription(self._changes_to, self.is_active) as items:
            async for item in items:
                yield item

    # ------------------------------------------------------------------------------------ for the engine

    @property
    def stopping(self) -> bool:
        return self._stopping

    def say(self, message: str, busy: bool = True, data: bool = False) -> None:
        """Sets the status, in Spark's words."""
        self.status = {"message": message, "isDataAvailable": data, "isTriggerActive": busy}

    def count(self, **changes: int) -> None:
        """Adds to the totals; `state_rows` and `state_bytes` are set."""
        totals = {
            name: value if name.startswith("state_") else getattr(self.totals, name) + value
            for name, value in changes.items()
        }
        self.totals = replace(self.totals, **totals)

    def asked(self) -> list[anyio.Event]:
        """Who waits, at this moment, for everything available to be processed."""
        return list(self._waiters)

    def settle(self, asked: list[anyio.Event]) -> None:
        """Tells them that it is."""
        for waiter in asked:
            waiter.set()
        self._waiters = [waiter for waiter in self._waiters if not waiter.is_set()]

    async def announce(self, progress: dict[str, Any], output: Output) -> None:
        """An epoch is committed: progress and output go to whoever listens."""
        self._recent.append(progress)
        await send(self._progress_to, progress)
        await send(self._changes_to, output)

    async def main(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Runs the query until it is stopped, has read what it was to read, or fails. What fails before it is open
        is raised; later failures are kept in `exception`."""
        opened = False

        def ready() -> None:
            nonlocal opened
            if not opened:
                opened = True
                task_status.started()

        try:
            await self._runs(ready)
            self.say("Stopped", busy=False)
        except Exception as error:
            cause = first_cause(error)
            if not opened:
                raise cause from None
            self._fail(cause)
        finally:
            self._ended.set()
            self.settle(self.asked())
            close(self._progress_to)
            close(self._changes_to)

    async def _runs(self, ready: Any) -> None:
        """One run after the other: when the database fell behind, memory is dropped and rebuilt from it."""
        while True:
            try:
                await self._run.main(ready)
                return
            except Exception as error:
                if not isinstance(first_cause(error), LedgerBehind) or self._stopping:
                    raise
            self.count(restarts=1)
            self._run = Run(self, self.spec, self._parts)

    def _fail(self, cause: BaseException) -> None:
        code = cause.code if isinstance(cause, EngineError) else "STREAM_FAILED"
        words = cause.sentence if isinstance(cause, EngineError) else f"{type(cause).__name__}: {cause}"
        failed = QueryFailed(f"Query {self.name or self.id} ended: {words}", code=code)
        failed.__cause__ = cause
        self.exception = failed
        self.faulted = True
        self.say(f"Terminated with exception: {failed}", busy=False)


def first_cause(error: BaseException) -> BaseException:
    """The first error inside what task groups wrapped."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
