"""Results handed to the user's own code, in a worker thread: what `foreach` and `foreachBatch` have in common."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from functools import partial

import pyarrow as pa
from anyio import CapacityLimiter, to_thread

from app.engine.contracts import Output, ResultTable, RowWriter, Sink, SinkContext, SinkSpec
from app.errors import PlanError, SinkBroken, SinkClosed
from app.sinks.options import sink_options

Handler = Callable[[pa.Table, int], None]


class _Turn:
    """One call at a time."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


_turns: weakref.WeakValueDictionary[str, _Turn] = weakref.WeakValueDictionary()
"""Whose turn it is, by query: a call that was left behind by a stop still has it."""


class HandlerSink:
    """Calls `handler(rows, epoch)` in a worker thread, one call at a time.

    An epoch is handed over as often as it takes, with the same rows and number. A query that is stopped does not
    wait for the handler, so that the handler itself may stop the query; if the query starts again in this process,
    its first call waits until that one has returned.
    """

    def __init__(self, title: str, place: str, handler: Handler) -> None:
        self._title = title
        self._place = place
        self._handler = handler
        self._turn: _Turn | None = None

    @property
    def description(self) -> str:
        return self._title

    @property
    def transactional(self) -> bool:
        return False

    @property
    def takes_changes(self) -> bool:
        return False

    async def open(self, context: SinkContext) -> None:
        self._turn = _turns.setdefault(context.query_id, _Turn())

    async def write(self, epoch: int, output: Output, writer: RowWriter | None) -> None:
        if self._turn is None:
            raise SinkClosed(f"{self._title} is not open.")
        withdrawn = threading.Event()
        call = partial(self._call, self._turn, withdrawn, output.rows, epoch)
        try:
            await to_thread.run_sync(call, abandon_on_cancel=True, limiter=CapacityLimiter(1))
        finally:
            withdrawn.set()

    def _call(self, turn: _Turn, withdrawn: threading.Event, rows: pa.Table, epoch: int) -> None:
        try:
            with turn.lock:
                if not withdrawn.is_set():
                    self._handler(rows, epoch)
        except Exception as error:
            raise SinkBroken(
                f"An error occurred in the user provided function in {self._place} sink. "
                f"Reason: {type(error).__name__}: {error}",
                code=f"{self._place.upper().replace(' ', '_')}_USER_FUNCTION_ERROR",
                epoch=epoch,
            ) from error

    async def close(self, error: BaseException | None) -> None: ...

    def result(self) -> ResultTable | None:
        return None


def handler_sink(spec: SinkSpec, method: str, title: str, place: str) -> Sink:
    """The sink for the handler that `writeStream.<method>` was given; `place` is what errors call it.
    Raises: PlanError where there is no handler."""
    sink_options(spec)
    if not callable(spec.handler):
        raise PlanError(
            f"The format {spec.format!r} cannot be written to by name; call writeStream.{method}(...).",
            code="DATA_SOURCE_NOT_FOUND",
        )
    return HandlerSink(title, place, spec.handler)
