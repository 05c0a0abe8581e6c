"""What is printed is what Spark prints."""

from __future__ import annotations

import pytest

from app.engine.contracts import Output, SinkContext, SinkSpec
from app.errors import SinkClosed
from app.sinks.console import ConsoleFormat
from app.testing.contracts.sink import SCHEMA, rows
from app.testing.memory_ledger import MemoryLedger

pytestmark = pytest.mark.anyio


async def printed(capsys: pytest.CaptureFixture[str], output: Output, epoch: int = 0, **options: str) -> str:
    sink = ConsoleFormat().create(SinkSpec("console", options), "append", None)
    await sink.open(SinkContext("query", None, "append", SCHEMA, (), True, MemoryLedger()))
    await sink.write(epoch, output, None)
    await sink.close(None)
    return capsys.readouterr().out


async def test_the_layout_is_sparks(capsys: pytest.CaptureFixture[str]) -> None:
    assert await printed(capsys, Output("append", rows(("apache", 1), ("spark", 12)))) == (
        "-------------------------------------------\n"
        "Batch: 0\n"
        "-------------------------------------------\n"
        "+------+-----+\n"
        "|  word|count|\n"
        "+------+-----+\n"
        "|apache|    1|\n"
        "| spark|   12|\n"
        "+------+-----+\n"
        "\n"
    )


async def test_an_epoch_without_rows_has_a_head(capsys: pytest.CaptureFixture[str]) -> None:
    text = await printed(capsys, Output("append", rows()), epoch=7)
    assert "Batch: 7\n" in text
    assert text.endswith("|word|count|\n+----+-----+\n+----+-----+\n\n")


async def test_rows_and_cells_are_cut_as_asked(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output("append", rows(("abcdefghijklmnopqrstuvwxyz", 1), ("b", 2)))
    assert "|abcdefghijklmnopq...|" in await printed(capsys, output)
    assert "|abcdefghijklmnopqrstuvwxyz|" in await printed(capsys, output, truncate="false")
    assert "|ab...|" in await printed(capsys, output, truncate="5")
    assert "only showing top 1 row" in await printed(capsys, output, numrows="1")


async def test_nothing_is_printed_by_a_sink_that_is_not_open() -> None:
    with pytest.raises(SinkClosed):
        await ConsoleFormat().create(SinkSpec("console"), "append", None).write(0, Output("append", rows()), None)
