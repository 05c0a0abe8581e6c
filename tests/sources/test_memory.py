"""Rows that the process itself adds."""

from __future__ import annotations

import pyarrow as pa
import pytest

from app.engine.contracts import Source
from app.errors import OffsetLost
from app.plan.carriers import arrow_schema
from app.plan.nodes import Scan
from app.plan.types import StructType
from app.sources.memory import MemoryBuffer, MemoryFormat
from app.testing.clock import ManualClock
from app.testing.contracts.source import check_source, opened
from tests.sources.conftest import WatchedLog

pytestmark = pytest.mark.anyio
SCHEMA = StructType.fromDDL("k string, v int")


class World:
    def __init__(self, log: WatchedLog) -> None:
        self.ingest = log
        self.clock = ManualClock()
        self.buffer = MemoryBuffer(SCHEMA)

    def new_source(self) -> Source:
        return MemoryFormat().stream(Scan("memory", (), SCHEMA, True, handle=self.buffer))

    def add(self, *keys: str) -> int:
        columns = [list(keys), [0] * len(keys)]
        return self.buffer.append(pa.table(columns, schema=arrow_schema(SCHEMA)))

    async def grow(self) -> None:
        self.add("a", "b")


async def test_it_keeps_the_contract_of_a_source(log: WatchedLog) -> None:
    await check_source(World(log))


async def test_two_queries_see_all_rows(log: WatchedLog) -> None:
    world = World(log)
    assert world.add("a", "b") == 2
    async with opened(world) as one:
        await one.source.forget(await one.more(0))
        async with opened(world) as two:
            assert (await two.source.read(0, await two.more(0))).column("k").to_pylist() == ["a", "b"]


async def test_rows_do_not_outlive_their_object(log: WatchedLog) -> None:
    async with opened(World(log), 3) as it:
        with pytest.raises(OffsetLost, match="has 0 rows, but the query stopped at row 3"):
            await it.source.read(2, 3)


async def test_static_use_has_all_rows(log: WatchedLog) -> None:
    world = World(log)
    world.add("a")
    rows = MemoryFormat().load(Scan("memory", (), SCHEMA, False, handle=world.buffer))
    assert rows.to_pylist() == [{"k": "a", "v": 0}]
