"""A service that is killed at random instants counts every line of the ingest log exactly once."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from tests.acceptance.feeder import Feeder
from tests.acceptance.lines import PIPELINE, Reader, only_tails_are_lost
from tests.acceptance.service import Service

KILLS = 50


@pytest.mark.parametrize("seed", [20261129])
def test_every_logged_line_is_counted_once_whatever_is_killed(
    postgres_url: str, tmp_path: Path, seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(seed)
    pipeline = tmp_path / "lines.py"
    pipeline.write_text(PIPELINE)
    feeder = Feeder(lambda n: f"line {n}", seed)
    log = tmp_path / "service.log"
    reader = Reader(postgres_url)
    for kill in range(KILLS):
        with Service(pipeline, str(feeder.port), url=postgres_url, log=log) as service:
            feeder.wait_for_connection(kill)
            feeder.wait_for_lines(feeder.sent + chance.choice([1, 50, 500, 3_000]))
            service.kill()
        asyncio.run(reader.look())
    with Service(pipeline, str(feeder.port), url=postgres_url, log=log) as service:
        feeder.wait_for_connection(KILLS)
        feeder.wait_for_lines(feeder.sent + 500)
        feeder.finish()
        last = feeder.sent - 1
        asyncio.run(reader.wait_for_line(f"line {last}"))
        assert service.terminate() == 0, log.read_text()
    counted = asyncio.run(reader.counted())
    lost = feeder.sent - len(counted)
    with capsys.disabled():
        print(f"\nkills {KILLS}, sent {feeder.sent}, logged and counted {len(counted)}, sent but never logged {lost}")
    only_tails_are_lost(feeder, counted)
    assert lost < feeder.sent, "nothing was counted at all"
