"""Rows handed to the user's code."""

from __future__ import annotations

import threading
from typing import Any

import anyio
import pytest

from app.engine.contracts import Output, Sink, SinkContext, SinkSpec
from app.errors import SinkBroken
from app.sinks.foreach import ForeachFormat
from app.sinks.foreach_batch import ForeachBatchFormat
from app.testing.contracts.sink import SCHEMA, rows
from app.testing.memory_ledger import MemoryLedger

pytestmark = pytest.mark.anyio


async def started(sink: Sink) -> Sink:
    await sink.open(SinkContext("query", None, "append", SCHEMA, (), True, MemoryLedger()))
    return sink


async def test_the_handler_gets_rows_and_epoch_in_a_thread_of_its_own() -> None:
    calls: list[Any] = []

    def handle(table: Any, epoch: int) -> None:
        calls.append((table.to_pylist(), epoch, threading.current_thread() is threading.main_thread()))

    sink = await started(ForeachBatchFormat().create(SinkSpec("foreachbatch", handler=handle), "append", None))
    await sink.write(3, Output("append", rows(("a", 1))), None)
    assert calls == [([{"word": "a", "count": 1}], 3, False)]


@pytest.mark.parametrize(
    ("made", "code"),
    [(ForeachBatchFormat(), "FOREACH_BATCH_USER_FUNCTION_ERROR"), (ForeachFormat(), "FOREACH_USER_FUNCTION_ERROR")],
)
async def test_an_exception_of_the_user_keeps_its_cause(made: Any, code: str) -> None:
    def handle(table: Any, epoch: int) -> None:
        raise ValueError("no such thing")

    sink = await started(made.create(SinkSpec(made.names[0], handler=handle), "append", None))
    with pytest.raises(SinkBroken, match="Reason: ValueError: no such thing") as caught:
        await sink.write(0, Output("append", rows()), None)
    assert caught.value.code == code
    assert isinstance(caught.value.__cause__, ValueError)


async def test_a_query_that_is_stopped_does_not_wait_but_its_successor_does() -> None:
    begun, go_on, log = threading.Event(), threading.Event(), []

    def handle(table: Any, epoch: int) -> None:
        begun.set()
        go_on.wait(20)
        log.append(epoch)

    def create() -> Sink:
        return ForeachBatchFormat().create(SinkSpec("foreachbatch", handler=handle), "append", None)

    first = await started(create())
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(first.write, 0, Output("append", rows()), None)
        await anyio.to_thread.run_sync(begun.wait, 20)
        tasks.cancel_scope.cancel()
    second = await started(create())
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(second.write, 1, Output("append", rows()), None)
        await anyio.wait_all_tasks_blocked()
        assert log == []
        go_on.set()
    assert log == [0, 1]
