"""The same plan over files and over the stream of the same rows gives the same table, however the rows are cut."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.assembly import connectors
from app.clock import SystemClock
from app.engine.contracts import Ledger, SinkSpec
from app.engine.engine import Engine
from app.engine.spec import QuerySpec, Trigger
from app.plan.resolve import resolve
from app.settings import Settings
from app.sql import functions as F
from app.sql.dataframe import DataFrame
from app.sql.session import SparkSession
from app.storage import open_ledger
from app.testing.memory_ledger import MemoryLedger

SCHEMA = pa.schema([("k", pa.string()), ("n", pa.int64()), ("x", pa.float64())])
DDL = "k string, n bigint, x double"

rows = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "", "é", None]),
        st.none() | st.integers(-1000, 1000),
        # Halves of small whole numbers add up to the same sum in any order.
        st.none() | st.integers(-1000, 1000).map(lambda i: i / 2) | st.sampled_from([-0.0, 1e3]),
    ),
    max_size=30,
)
cuts = st.lists(st.integers(0, 30), max_size=5)


def aggregated(df: DataFrame) -> DataFrame:
    return df.groupBy("k").agg(
        F.count("*").alias("rows"),
        F.count("n").alias("numbers"),
        F.sum("n").alias("total"),
        F.avg("x").alias("mean"),
        F.min("x").alias("low"),
        F.max("n").alias("high"),
        F.sort_array(F.collect_set("n")).alias("set"),
        F.count_if(F.col("n") > 0).alias("positive"),
        F.first("n").alias("first"),
        F.max_by("k", "n").alias("by"),
    )


def by_number(df: DataFrame) -> DataFrame:
    return (
        df.where("n IS NOT NULL")
        .groupBy((F.col("n") % 3).alias("r"), F.col("x"))
        .agg(F.sum("n"), F.bool_and(F.col("x") > 0))
    )


def whole(df: DataFrame) -> DataFrame:
    return df.agg(F.count("*"), F.sum("x"), F.min("k"), F.approx_count_distinct("n"))


def words(df: DataFrame) -> DataFrame:
    return (
        df.select(F.explode(F.split(F.concat_ws(" ", "k", F.col("n").cast("string")), " ")).alias("w"))
        .groupBy("w")
        .count()
    )


def having(df: DataFrame) -> DataFrame:
    return df.groupBy("k").agg(F.sum("n").alias("s")).where("s > 0").select("k", (F.col("s") * 2).alias("d"))


def rolled_up(df: DataFrame) -> DataFrame:
    sums = (F.sum("n").alias("s"), F.count("*").alias("rows"), F.grouping("k").alias("g"), F.grouping_id().alias("id"))
    return df.rollup("k", (F.col("n") % 2).alias("r")).agg(*sums)


def cubed(df: DataFrame) -> DataFrame:
    return df.cube("k", "x").agg(F.grouping("x"), F.grouping_id("k", "x"), F.max("n"), F.avg("x")).where("max(n) > 0")


def in_sets(df: DataFrame) -> DataFrame:
    df.createOrReplaceTempView("rows_in_sets")
    return df.sparkSession.sql(
        "SELECT k, x, grouping(k), grouping_id(), count(n) FILTER (WHERE n > 0), min(struct(x, n)) FROM rows_in_sets "
        "GROUP BY GROUPING SETS ((k), (x), (k, x), ())"
    )


QUERIES = [aggregated, by_number, whole, words, having, rolled_up, cubed, in_sets]


async def streamed(
    folder: Path, query: Callable[[DataFrame], DataFrame], ledger: Callable[..., Awaitable[Ledger]]
) -> pa.Table:
    """The complete table after the last epoch, one file an epoch."""
    spark = SparkSession.builder.getOrCreate()
    stream = spark.readStream.schema(DDL).option("maxFilesPerTrigger", 1).parquet(str(folder))
    relation = resolve(query(stream)._node)
    async with Engine(Settings(), connectors(), ledger, SystemClock()) as engine:
        trigger = Trigger("available_now")
        running = await engine.start(QuerySpec(relation, SinkSpec("memory"), "complete", trigger, name="table"))
        await running
        result = running.result()
        assert result is not None
        return await result.select(limit=10_000)


def check(
    query: Callable[[DataFrame], DataFrame], data: list[tuple], cut: list[int], ledger: Callable[..., Awaitable[Ledger]]
) -> None:
    edges = sorted({0, len(data), *(c for c in cut if c < len(data))})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, (start, end) in enumerate(zip(edges, edges[1:] or [len(data)], strict=False)):
            piece = [dict(zip(SCHEMA.names, row, strict=True)) for row in data[start:end]]
            pq.write_table(pa.Table.from_pylist(piece, SCHEMA), folder / f"part-{number}.parquet")
        spark = SparkSession.builder.getOrCreate()
        static = query(spark.read.schema(DDL).parquet(str(folder))).toArrow()
        table = anyio.run(streamed, folder, query, ledger)
    if len(data):
        assert sorted(map(repr, table.to_pylist())) == sorted(map(repr, static.to_pylist()))


async def in_memory(*_: object) -> Ledger:
    return MemoryLedger()


@pytest.mark.parametrize("query", QUERIES)
@settings(max_examples=25)
@given(data=rows, cut=cuts)
def test_any_cut_gives_the_batch_answer(
    query: Callable[[DataFrame], DataFrame], data: list[tuple], cut: list[int]
) -> None:
    check(query, data, cut, in_memory)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=rows, cut=cuts)
def test_any_cut_gives_the_batch_answer_through_postgresql(
    postgres_url: str, data: list[tuple], cut: list[int]
) -> None:
    async def in_postgres(_: Settings, clock: SystemClock) -> Ledger:
        return await open_ledger(Settings(database_url=postgres_url), clock)

    check(aggregated, data, cut, in_postgres)
