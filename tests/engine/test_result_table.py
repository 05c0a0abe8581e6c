"""The result table in PostgreSQL: filled again where it was lost, refused where nothing says which row is which."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import asyncpg
import pytest

from app.assembly import connectors
from app.clock import SystemClock
from app.engine.contracts import Ledger, SinkSpec
from app.engine.engine import Engine
from app.engine.spec import QuerySpec
from app.errors import PlanError, SinkBroken
from app.plan.resolve import resolve
from app.settings import Settings
from app.sql.dataframe import DataFrame
from app.sql.session import SparkSession
from app.storage import open_ledger
from app.testing import MemoryStream

pytestmark = pytest.mark.anyio


class World:
    """One stream, one database, and a query that can be run over them again and again."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._stream = MemoryStream(SparkSession.builder.getOrCreate(), "k string, v int")

    async def run(self, build: Callable[[DataFrame], DataFrame], mode: Any, *rows: tuple[str, int]) -> None:
        """Starts the query, adds rows, and stops when they are processed."""

        async def ledger(_: Settings, clock: SystemClock) -> Ledger:
            return await open_ledger(Settings(database_url=self._url), clock)

        async with Engine(Settings(), connectors(), ledger, SystemClock()) as engine:
            relation = resolve(build(self._stream.toDF())._node)
            query = await engine.start(QuerySpec(relation, SinkSpec("postgres"), mode, name="t"))
            self._stream.addData(*rows)
            await query.process_all_available()

    async def execute(self, sql: str) -> list[tuple[Any, ...]]:
        connection = await asyncpg.connect(self._url)
        try:
            return [tuple(row) for row in await connection.fetch(sql)]
        finally:
            await connection.close()


@pytest.fixture
def world(postgres_url: str) -> World:
    return World(postgres_url)


def counts(df: DataFrame) -> DataFrame:
    return df.groupBy("k").count()


@pytest.mark.parametrize("mode", ["update", "complete"])
async def test_a_lost_table_is_filled_from_the_state(world: World, mode: str) -> None:
    await world.run(counts, mode, ("a", 1), ("a", 2), ("b", 3))
    await world.execute("DROP TABLE t")
    await world.run(counts, mode, ("a", 4))
    assert await world.execute("SELECT k, count FROM t ORDER BY k") == [("a", 3), ("b", 1)]
    await world.run(counts, mode, ("b", 4))
    assert await world.execute("SELECT k, count FROM t ORDER BY k") == [("a", 3), ("b", 2)]


async def test_appended_rows_that_were_lost_are_not_passed_over(world: World) -> None:
    def same(df: DataFrame) -> DataFrame:
        return df

    await world.run(same, "append", ("a", 1))
    await world.execute("DROP TABLE t")
    with pytest.raises(SinkBroken, match="cannot be made again"):
        await world.run(same, "append", ("b", 2))


async def test_new_values_need_their_keys(world: World) -> None:
    with pytest.raises(PlanError, match="Select the keys too"):
        await world.run(lambda df: counts(df).select("count"), "update", ("a", 1))


async def test_a_global_aggregate_is_one_row(world: World) -> None:
    def total(df: DataFrame) -> DataFrame:
        return df.selectExpr("sum(v) AS total")

    await world.run(total, "update", ("a", 1), ("b", 2))
    await world.run(total, "update", ("c", 4))
    assert await world.execute("SELECT total FROM t") == [(7,)]


async def test_complete_mode_takes_away_what_left_the_result(world: World) -> None:
    def positive(df: DataFrame) -> DataFrame:
        return df.groupBy("k").sum("v").toDF("k", "s").where("s > 0")

    await world.run(positive, "complete", ("a", 1), ("b", 2))
    await world.run(positive, "complete", ("a", -5))
    await world.run(positive, "complete", ("c", 1))
    assert await world.execute("SELECT k, s FROM t ORDER BY k") == [("b", 2), ("c", 1)]
