"""Every sink keeps the contract of sinks, in every mode it takes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from app.engine.contracts import Ledger, OutputMode, Sink, SinkFormat, SinkSpec
from app.sinks.console import ConsoleFormat
from app.sinks.foreach_batch import ForeachBatchFormat
from app.sinks.memory import MemorySinkFormat
from app.sinks.postgres import PostgresFormat
from app.testing.contracts.sink import Row, check_sink
from app.testing.memory_ledger import MemoryLedger

pytestmark = pytest.mark.anyio
MODES: tuple[OutputMode, ...] = ("append", "update", "complete")


class TableWorld:
    """Sinks that have a result table."""

    exactly_once = True

    def __init__(self, ledger: Ledger, made: SinkFormat, logs_changes: bool, **options: str) -> None:
        self.ledger = ledger
        self.logs_changes = logs_changes
        self._format = made
        self._options = options

    def new_sink(self, mode: OutputMode) -> Sink:
        return self._format.create(SinkSpec(self._format.names[0], self._options), mode, "counts")

    async def seen(self, sink: Sink) -> list[Row]:
        table = sink.result()
        assert table is not None
        return [tuple(row.values()) for row in (await table.select()).to_pylist()]


class HandlerWorld:
    """A sink that gives rows to a function, which keeps the last epoch of each number, as a user should."""

    exactly_once = True
    logs_changes = True

    def __init__(self) -> None:
        self.ledger = MemoryLedger()
        self._mode: OutputMode = "append"
        self._epochs: dict[int, list[Row]] = {}

    def new_sink(self, mode: OutputMode) -> Sink:
        self._mode = mode
        return ForeachBatchFormat().create(SinkSpec("foreachbatch", handler=self._handle), mode, None)

    def _handle(self, rows: Any, epoch: int) -> None:
        self._epochs[epoch] = [tuple(row.values()) for row in rows.to_pylist()]

    async def seen(self, sink: Sink) -> list[Row]:
        if self._mode == "complete":
            return self._epochs[max(self._epochs)]
        return [row for epoch in self._epochs.values() for row in epoch]


class ConsoleWorld:
    """A sink that prints: rows are read from what was printed."""

    exactly_once = False
    logs_changes = True

    def __init__(self, printed: pytest.CaptureFixture[str]) -> None:
        self.ledger = MemoryLedger()
        self._printed = printed
        self._rows: list[Row] = []
        self._mode: OutputMode = "append"

    def new_sink(self, mode: OutputMode) -> Sink:
        self._mode = mode
        return ConsoleFormat().create(SinkSpec("console"), mode, None)

    async def seen(self, sink: Sink) -> list[Row]:
        lines = self._printed.readouterr().out.splitlines()
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
        new = [(None if word == "NULL" else word, int(count)) for word, count in cells if count != "count"]
        self._rows = new if self._mode == "complete" else self._rows + new
        return self._rows


@pytest.mark.parametrize("mode", MODES)
async def test_memory(mode: OutputMode) -> None:
    await check_sink(TableWorld(MemoryLedger(), MemorySinkFormat(), logs_changes=True), mode)


@pytest.mark.parametrize("mode", MODES)
async def test_postgres_in_the_ledgers_database(ledger: Ledger, mode: OutputMode) -> None:
    await check_sink(TableWorld(ledger, PostgresFormat(), logs_changes=False), mode)


@pytest.fixture
async def postgres_ledger(postgres_url: str) -> AsyncIterator[Ledger]:
    from app.clock import SystemClock
    from app.settings import Settings
    from app.storage import open_ledger

    ledger = await open_ledger(Settings(database_url=postgres_url), SystemClock())
    yield ledger
    await ledger.close()


@pytest.mark.parametrize("mode", MODES)
async def test_postgres_in_another_database(postgres_ledger: Ledger, empty_postgres_url: str, mode: OutputMode) -> None:
    world = TableWorld(postgres_ledger, PostgresFormat(), logs_changes=False, url=empty_postgres_url)
    await check_sink(world, mode)


@pytest.mark.parametrize("mode", MODES)
async def test_foreach_batch(mode: OutputMode) -> None:
    await check_sink(HandlerWorld(), mode)


@pytest.mark.parametrize("mode", MODES)
async def test_console(mode: OutputMode, capsys: pytest.CaptureFixture[str]) -> None:
    await check_sink(ConsoleWorld(capsys), mode)
