"""A pipeline that is told to stop does not take that for the end of its stream."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.acceptance.feeder import Feeder
from tests.acceptance.lines import PIPELINE, Reader
from tests.acceptance.service import Service


def test_code_behind_await_termination_does_not_run_after_a_signal(postgres_url: str, tmp_path: Path) -> None:
    pipeline = tmp_path / "lines.py"
    pipeline.write_text(PIPELINE + "print('the stream has ended', flush=True)\n")
    feeder = Feeder(lambda n: f"line {n}", seed=6)
    log = tmp_path / "service.log"
    with Service(pipeline, str(feeder.port), url=postgres_url, log=log) as service:
        asyncio.run(Reader(postgres_url).wait_for_line("line 0"))
        assert service.terminate() == 0, log.read_text()
    assert "the stream has ended" not in log.read_text()
    feeder.close()
