"""Streams with static queries inside their expressions, and what falls out of them: pivots, lateral views."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from app.errors import PlanError
from app.plan.resolve import resolve
from app.sql import functions as F
from app.sql.dataframe import DataFrame
from app.sql.session import SparkSession
from app.testing.story import Add, Crash, Expect, ExpectFailure, Story, run_story


def play(story: Story, *steps: Any) -> None:
    anyio.run(run_story, story, *steps)


def sql(df: DataFrame, text: str) -> DataFrame:
    """A query over the stream `s` and the tables `k` (a, b) and `none` (a)."""
    spark = df.sparkSession
    tables = {
        "s": df,
        "k": spark.createDataFrame([(1, 10), (3, 30), (None, 0)], "a int, b int"),
        "none": spark.createDataFrame([], "a int"),
    }
    for name in tables:
        text = text.replace(f"<{name}>", f"{{{name}}}")
    return spark.sql(text, **{name: table for name, table in tables.items() if f"{{{name}}}" in text})


CASES = [
    ("SELECT v FROM <s> WHERE v IN (SELECT a FROM <k>)", [(1,), (3,)]),
    ("SELECT v FROM <s> WHERE v NOT IN (SELECT a FROM <k>)", []),
    ("SELECT v FROM <s> WHERE v NOT IN (SELECT a FROM <k> WHERE a IS NOT NULL)", [(2,)]),
    ("SELECT v FROM <s> WHERE v NOT IN (SELECT a FROM <none>)", [(1,), (2,), (3,), (None,)]),
    ("SELECT v FROM <s> WHERE EXISTS (SELECT 1 FROM <k> WHERE a = v AND b > 10)", [(3,)]),
    ("SELECT v, (SELECT max(b) FROM <k>) FROM <s> WHERE v = 1", [(1, 30)]),
    ("SELECT v, (SELECT b FROM <k> WHERE a = v) AS b FROM <s>", [(1, 10), (2, None), (3, 30), (None, None)]),
    ("SELECT v, x FROM <s>, LATERAL (SELECT b + v AS x FROM <k> WHERE a <= v)", [(1, 11), (2, 12), (3, 13), (3, 33)]),
    ("SELECT v, x FROM <s> LEFT JOIN LATERAL (SELECT b AS x FROM <k> WHERE a = v)",
     [(1, 10), (2, None), (3, 30), (None, None)]),
    ("SELECT v, n, x FROM <s> LATERAL VIEW posexplode(array(v, 7)) p AS n, x WHERE x > 2",
     [(1, 1, 7), (2, 1, 7), (3, 0, 3), (3, 1, 7), (None, 1, 7)]),
    ("SELECT * FROM (SELECT v, v + 1 AS w FROM <s>) UNPIVOT (x FOR n IN (v, w)) WHERE x < 3",
     [("v", 1), ("w", 2), ("v", 2)]),
    ("SELECT v FROM <s> WHERE v IN (SELECT a FROM <k> TABLESAMPLE (100 PERCENT) REPEATABLE (1))", [(1,), (3,)]),
    ("WITH RECURSIVE r(n) AS (SELECT a FROM <k> WHERE a = 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) "
     "SELECT v, n FROM <s> JOIN r ON v = n", [(1, 1), (2, 2), (3, 3)]),
    ("SELECT v FROM <s> WHERE v IN (WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 2) "
     "SELECT n FROM r)", [(1,), (2,)]),
    ("WITH RECURSIVE r(n) AS (SELECT year(current_date()) UNION ALL SELECT n + 1 FROM r WHERE n < 0) "
     "SELECT v FROM <s> JOIN r ON n > 1900", [(1,), (2,), (3,), (None,)]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "rows"), CASES, ids=[text for text, _ in CASES])
def test_a_stream_asks_static_queries(text: str, rows: list[tuple[Any, ...]]) -> None:
    story = Story("v int", lambda df: sql(df, text), "append")
    play(story, Add(1, 2), Crash("after commit"), Add(3, None), Expect(*rows))


def test_groups_of_a_stream_by_what_a_static_query_says() -> None:
    def query(df: DataFrame) -> DataFrame:
        return sql(
            df,
            "SELECT v IN (SELECT a FROM <k>) AS known, sum(v + (SELECT max(b) FROM <k>)) AS total FROM <s> "
            "GROUP BY v IN (SELECT a FROM <k>) HAVING total > (SELECT min(b) FROM <k>)",
        )

    play(
        Story("v int", query, "complete"),
        Add(1, 2, 3),
        Expect((True, 64), (False, 32)),
        Add(2),
        Expect((True, 64), (False, 64)),
    )


def test_a_pivot_with_its_values_is_an_aggregation() -> None:
    def query(df: DataFrame) -> DataFrame:
        return df.groupBy("k").pivot("p", ["x", "y"]).agg(F.sum("v").alias("s"), F.count("*").alias("c"))

    play(
        Story("k int, p string, v int", query, "update"),
        Add((1, "x", 5), (2, "z", 7)),
        Expect((1, 5, 1, None, None), (2, None, None, None, None)),
        Add((1, "y", 3), (1, "x", 1)),
        Expect((1, 6, 2, 3, 1)),
    )


def test_a_scalar_query_with_two_rows_ends_the_stream() -> None:
    story = Story("v int", lambda df: sql(df, "SELECT v, (SELECT b FROM <k> WHERE a <= v) AS b FROM <s>"), "append")
    play(story, Add(1), Expect((1, 10)), Add(3), ExpectFailure("SCALAR_SUBQUERY_TOO_MANY_ROWS"))


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a FROM k WHERE a IN (SELECT value FROM s)",
        "SELECT value FROM s WHERE EXISTS (SELECT 1 FROM s)",
        "SELECT a, (SELECT max(value) FROM s) FROM k",
        "SELECT a FROM k WHERE a IN (SELECT b FROM k WHERE b IN (SELECT value FROM s))",
    ],
)
def test_a_query_inside_an_expression_reads_no_stream(text: str) -> None:
    spark = SparkSession.builder.getOrCreate()
    views = {"s": spark.readStream.format("rate").load(), "k": spark.createDataFrame([(1, 2)], "a int, b int")}
    for name, df in views.items():
        df.createOrReplaceTempView(name)
    with pytest.raises(PlanError, match=r"INVALID_SUBQUERY_EXPRESSION\.STREAMING_QUERY"):
        resolve(spark.sql(text)._node)


def test_the_values_of_a_pivot_of_a_stream_are_named() -> None:
    stream = SparkSession.builder.getOrCreate().readStream.format("rate").load()
    with pytest.raises(PlanError, match="needs its values"):
        stream.groupBy("timestamp").pivot("value")
