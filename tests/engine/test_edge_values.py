"""Keys and numbers at the edges, over epochs and restarts: -0.0 and NaN are one key each, and no sum wraps."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from decimal import Decimal

import pytest

from app.assembly import connectors
from app.clock import SystemClock
from app.engine.contracts import Ledger, SinkSpec
from app.engine.engine import Engine
from app.engine.spec import QuerySpec
from app.errors import QueryFailed
from app.plan.resolve import resolve
from app.settings import Settings
from app.sql import functions as F
from app.sql.dataframe import DataFrame
from app.sql.session import SparkSession
from app.storage import open_ledger
from app.testing import MemoryStream
from app.testing.memory_ledger import MemoryLedger
from app.testing.story import Add, Crash, Expect, ExpectFailure, Restart, Story, run_story

pytestmark = pytest.mark.anyio

NAN = float("nan")
OTHER_NAN = -(float("inf") - float("inf"))
MOST = 2**63 - 1
OpenLedger = Callable[[], Awaitable[Ledger]] | None


@pytest.fixture(params=["memory", "postgres"])
def opened(request: pytest.FixtureRequest) -> OpenLedger:
    """How a story opens its ledger: None for the one in memory."""
    if request.param == "memory":
        return None
    settings = Settings(database_url=request.getfixturevalue("postgres_url"))
    return lambda: open_ledger(settings, SystemClock())


def texts(df: DataFrame) -> DataFrame:
    """Keys as texts, for NaN is not equal to itself in Python."""
    return df.select(df[0].cast("string"), *df.columns[1:])


@pytest.mark.parametrize("mode", ["update", "complete"])
async def test_zeros_and_nans_are_one_group_each_through_restarts(opened: OpenLedger, mode: str) -> None:
    def query(df: DataFrame) -> DataFrame:
        return texts(df.groupBy("f").count())

    await run_story(
        Story("f double", query, mode, ledger=opened),  # type: ignore[arg-type]
        Add(0.0, NAN),
        Expect(("0.0", 1), ("NaN", 1)),
        Restart(),
        Add(-0.0, OTHER_NAN, 1.0),
        Expect(("0.0", 2), ("NaN", 2), ("1.0", 1)),
        Crash("after commit"),
        Add(-0.0, 1.0, NAN),
        Expect(("0.0", 3), ("NaN", 3), ("1.0", 2)),
    )


async def test_zeros_and_nans_inside_of_keys_are_one_too(opened: OpenLedger) -> None:
    def query(df: DataFrame) -> DataFrame:
        key = F.struct(F.array("f").alias("a"), F.create_map(F.lit("k"), "f").alias("m"))
        return texts(df.groupBy(key.alias("key")).count())

    await run_story(
        Story("f double", query, "complete", ledger=opened),
        Add(0.0, NAN),
        Expect(("{[0.0], {k -> 0.0}}", 1), ("{[NaN], {k -> NaN}}", 1)),
        Restart(),
        Add(-0.0, OTHER_NAN),
        Expect(("{[0.0], {k -> 0.0}}", 2), ("{[NaN], {k -> NaN}}", 2)),
    )


async def test_duplicates_of_zero_and_nan_are_dropped_through_restarts(opened: OpenLedger) -> None:
    await run_story(
        Story("f double", lambda df: texts(df.dropDuplicates()), "append", ledger=opened),
        Add(0.0, NAN),
        Expect(("0.0",), ("NaN",)),
        Restart(),
        Add(-0.0, OTHER_NAN, 1.0),
        Expect(("1.0",)),
        Restart(),
        Add(NAN, 0.0),
        Expect(),
    )


async def test_a_stream_finds_zero_and_nan_in_a_table(opened: OpenLedger) -> None:
    table = SparkSession.builder.getOrCreate().createDataFrame([(-0.0, "zero"), (NAN, "nan")], "g double, name string")

    def query(df: DataFrame) -> DataFrame:
        return df.join(table, df["f"] == table["g"]).select("name")

    await run_story(
        Story("f double", query, "append", ledger=opened),
        Add(0.0, NAN, None, 1.0),
        Expect(("zero",), ("nan",)),
        Restart(),
        Add(-0.0, OTHER_NAN),
        Expect(("zero",), ("nan",)),
    )


@pytest.mark.parametrize("how", ["inner", "left", "full", "semi"])
def test_tables_join_on_zero_and_nan(how: str) -> None:
    spark = SparkSession.builder.getOrCreate()
    left = spark.createDataFrame([(0.0,), (NAN,)], "f double")
    right = spark.createDataFrame([(-0.0,), (OTHER_NAN,)], "f double")
    assert left.join(right, "f", how).count() == 2
    assert left.union(right).distinct().count() == left.union(right).dropDuplicates(["f"]).count() == 2
    assert left.join(right, "f", "anti").count() == left.exceptAll(right).count() == 0


def plain(df: DataFrame) -> DataFrame:
    return df.groupBy("k").agg(F.sum("v").alias("total"))


def windowed(df: DataFrame) -> DataFrame:
    return df.groupBy(F.window("ts", "10 seconds"), "k").agg(F.sum("v").alias("total")).select("k", "total")


def whole(df: DataFrame) -> DataFrame:
    return df.agg(F.sum("v").alias("total"))


SCHEMA = "ts timestamp, k string, v bigint"
TIME = datetime(2024, 1, 1)
QUERIES = [plain, windowed, whole]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("steps", [(Add((TIME, "a", MOST), (TIME, "a", 1)),),
                                   (Add((TIME, "a", MOST)), Add((TIME, "a", 1))),
                                   (Add((TIME, "a", MOST)), Restart(), Add((TIME, "a", 1)))])  # fmt: skip
async def test_a_sum_beyond_bigint_fails_on_all_paths(opened: OpenLedger, query, steps) -> None:  # type: ignore[no-untyped-def]
    await run_story(
        Story(SCHEMA, query, "complete", ledger=opened), *steps, ExpectFailure("ARITHMETIC_OVERFLOW")
    )  # fmt: skip


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("batches", [1, 2])
async def test_the_failure_names_what_was_summed(query, batches: int) -> None:  # type: ignore[no-untyped-def]
    async def ledger(*_: object) -> Ledger:
        return MemoryLedger()

    stream = MemoryStream(SparkSession.builder.getOrCreate(), SCHEMA)
    async with Engine(Settings(), connectors(), ledger, SystemClock()) as engine:
        relation = resolve(query(stream.toDF())._node)
        running = await engine.start(QuerySpec(relation, SinkSpec("memory"), "complete", name="t"))
        rows = [(TIME, "a", MOST), (TIME, "a", 1)]
        with pytest.raises(QueryFailed, match="The sum of `v` is 9223372036854775808, which BIGINT does not hold"):
            for piece in [rows] if batches == 1 else [[row] for row in rows]:
                stream.addData(*piece)
                await running.process_all_available()


@pytest.mark.parametrize("cut", range(3))
async def test_only_the_end_of_a_sum_can_overflow_in_any_order_and_cut(opened: OpenLedger, cut: int) -> None:
    rows = [(TIME, "a", MOST), (TIME, "a", 1), (TIME, "a", -2)]
    pieces = [piece for piece in (rows[2:] + rows[: min(cut, 2)], rows[min(cut, 2) : 2]) if piece]
    first, *rest = (Add(*piece) for piece in pieces)
    await run_story(
        Story(SCHEMA, plain, "update", ledger=opened),
        first,
        Expect(_sums(pieces)[0]),
        *([Restart(), *rest, Expect(_sums(pieces)[1])] if rest else []),
    )


def _sums(pieces: list[list[tuple[datetime, str, int]]]) -> list[tuple[str, int]]:
    total, found = 0, []
    for piece in pieces:
        total += sum(v for _, _, v in piece)
        found.append(("a", total))
    return found


@pytest.mark.parametrize("query", QUERIES)
async def test_a_decimal_holds_the_sum(opened: OpenLedger, query) -> None:  # type: ignore[no-untyped-def]
    def exact(df: DataFrame) -> DataFrame:
        return query(df.withColumn("v", F.col("v").cast("decimal(20,0)"))).select("total")

    await run_story(
        Story(SCHEMA, exact, "update", ledger=opened),
        Add((TIME, "a", MOST)),
        Expect((Decimal(MOST),)),
        Restart(),
        Add((TIME, "a", 1)),
        Expect((Decimal(MOST + 1),)),
    )


async def test_try_sum_gives_null_and_comes_back(opened: OpenLedger) -> None:
    await run_story(
        Story("v bigint", lambda df: df.agg(F.try_sum("v")), "update", ledger=opened),
        Add(MOST, 1),
        Expect((None,)),
        Restart(),
        Add(-2),
        Expect((MOST - 1,)),
    )


async def test_a_rollup_gives_the_groups_that_changed_in_each_of_its_sets(opened: OpenLedger) -> None:
    def query(df: DataFrame) -> DataFrame:
        return texts(df.rollup("f").agg(F.grouping("f"), F.grouping_id(), F.sum("v")))

    await run_story(
        Story("f double, v int", query, "update", ledger=opened),
        Add((0.0, 1), (None, 2), (NAN, 4)),
        Expect(("0.0", 0, 0, 1), (None, 0, 0, 2), ("NaN", 0, 0, 4), (None, 1, 1, 7)),
        Restart(),
        Add((-0.0, 8)),
        Expect(("0.0", 0, 0, 9), (None, 1, 1, 15)),
        Add((OTHER_NAN, 1), (None, 1)),
        Expect(("NaN", 0, 0, 5), (None, 0, 0, 3), (None, 1, 1, 17)),
    )
