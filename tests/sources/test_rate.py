"""Numbers from the clock."""

from __future__ import annotations

from typing import Any

import pytest

from app.engine.contracts import Source
from app.plan.nodes import Scan
from app.sources.rate import RateFormat, rows_before
from app.testing.clock import ManualClock
from app.testing.contracts.source import check_source, opened
from tests.sources.conftest import WatchedLog

pytestmark = pytest.mark.anyio


class World:
    def __init__(self, log: WatchedLog, **options: Any) -> None:
        self.ingest = log
        self.clock = ManualClock(1_700_000_000_250_000)
        given = {key.lower(): str(value) for key, value in options.items()}
        source = RateFormat()
        self._scan = Scan("rate", tuple(given.items()), source.schema(given, None, True), True)

    def new_source(self) -> Source:
        return RateFormat().stream(self._scan)

    async def grow(self) -> None:
        self.clock.advance(1)


async def test_it_keeps_the_contract_of_a_source(log: WatchedLog) -> None:
    await check_source(World(log, rowsPerSecond=3))


async def test_values_are_contiguous_from_zero_also_over_a_restart(log: WatchedLog) -> None:
    world = World(log, rowsPerSecond=10)
    async with opened(world) as it:
        begin = await it.source.initial()
        assert await it.source.latest(begin) == begin, "the first epoch has no rows"
        world.clock.advance(2.5)
        end = await it.source.latest(begin)
        rows = await it.source.read(begin, end)
        assert rows.column("value").to_pylist() == list(range(20))
        assert rows.column("timestamp")[1].as_py().timestamp() == 1_700_000_000.35
    world.clock.advance(0.5)
    async with opened(world, end) as it:
        rows = await it.source.read(end, await it.source.latest(end))
        assert rows.column("value").to_pylist() == list(range(20, 30))


@pytest.mark.parametrize(("second", "rows"), list(enumerate([0, 2, 6, 12, 20, 30, 40])))
def test_the_rate_climbs_during_the_ramp_up(second: int, rows: int) -> None:
    assert rows_before(second, rows_per_second=10, ramp_up_s=4) == rows


async def test_a_long_pause_is_made_up_for_in_pieces(log: WatchedLog) -> None:
    world = World(log, rowsPerSecond=500_000)
    async with opened(world) as it:
        begin = await it.source.initial()
        world.clock.advance(3600)
        assert (await it.source.latest(begin))["seconds"] == 2
        await it.source.freeze(whole=True)
        assert (await it.source.latest(begin))["seconds"] == 3600


async def test_it_wakes_the_query_every_second(log: WatchedLog) -> None:
    world = World(log)
    async with opened(world) as it:
        begin = await it.source.initial()
        world.clock.advance(1)
        assert (await it.more(begin))["seconds"] == 1
