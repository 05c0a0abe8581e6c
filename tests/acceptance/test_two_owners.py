"""The same query in two processes: the later one owns it, the earlier one says so and stops, nothing is doubled."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.acceptance.feeder import Feeder
from tests.acceptance.lines import PIPELINE, Reader, only_tails_are_lost
from tests.acceptance.service import Service


def test_the_earlier_process_is_fenced_and_nothing_is_doubled(postgres_url: str, tmp_path: Path) -> None:
    pipeline = tmp_path / "lines.py"
    pipeline.write_text(PIPELINE)
    feeder = Feeder(lambda n: f"line {n}", seed=5)
    reader = Reader(postgres_url)
    first_log, second_log = tmp_path / "first.log", tmp_path / "second.log"
    with Service(pipeline, str(feeder.port), url=postgres_url, log=first_log) as first:
        asyncio.run(reader.wait_for_line("line 0"))
        with Service(pipeline, str(feeder.port), url=postgres_url, log=second_log) as second:
            assert first.process.wait(60) == 1
            assert "FENCED" in first_log.read_text()
            assert "Another process has taken this query over" in first_log.read_text()
            feeder.wait_for_connection(1)
            feeder.wait_for_lines(feeder.sent + 500)
            feeder.finish()
            asyncio.run(reader.wait_for_line(f"line {feeder.sent - 1}"))
            assert second.terminate() == 0, second_log.read_text()
    only_tails_are_lost(feeder, asyncio.run(reader.counted()))
