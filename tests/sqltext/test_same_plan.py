"""DataFrame calls and SQL text that say the same give equal plan nodes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import app.sql.functions as F
from app.plan.nodes import Range
from app.sql.dataframe import DataFrame
from app.sql.session import SparkSession
from app.sql.window import Window

Frame = Callable[[DataFrame, DataFrame], DataFrame]

PAIRS: list[tuple[str, Frame]] = [
    ("SELECT * FROM v", lambda v, w: v.select("*")),
    ("SELECT id, id + 1 AS next FROM v", lambda v, w: v.select("id", (F.col("id") + 1).alias("next"))),
    ("SELECT upper(name) AS u, id FROM v", lambda v, w: v.selectExpr("upper(name) AS u", "id")),
    (
        "SELECT id FROM v WHERE id > 1 AND name IS NOT NULL",
        lambda v, w: v.where((F.col("id") > 1) & F.col("name").isNotNull()).select("id"),
    ),
    ("SELECT id FROM v WHERE id % 2 = 0", lambda v, w: v.filter("id % 2 = 0").select("id")),
    ("SELECT name, count(*) AS count FROM v GROUP BY name", lambda v, w: v.groupBy("name").count()),
    (
        "SELECT name, sum(id) AS s, avg(id) AS m FROM v GROUP BY name",
        lambda v, w: v.groupBy("name").agg(F.sum("id").alias("s"), F.avg("id").alias("m")),
    ),
    (
        "SELECT word, count(1) AS count FROM (SELECT explode(split(value, ' ')) AS word FROM v) GROUP BY word",
        lambda v, w: v.select(F.explode(F.split(v.value, " ")).alias("word")).groupBy("word").count(),
    ),
    (
        "SELECT count(DISTINCT name), max_by(name, id) FROM v",
        lambda v, w: v.select(F.countDistinct("name"), F.max_by("name", "id")),
    ),
    (
        "SELECT id FROM v ORDER BY id DESC NULLS LAST LIMIT 3",
        lambda v, w: v.select("id").orderBy(F.col("id").desc_nulls_last()).limit(3),
    ),
    ("SELECT id FROM v OFFSET 2", lambda v, w: v.select("id").offset(2)),
    ("SELECT * FROM v JOIN w USING (id)", lambda v, w: v.join(w, "id").select("*")),
    (
        "SELECT * FROM v AS a LEFT JOIN w AS b ON a.id = b.id",
        lambda v, w: v.alias("a").join(w.alias("b"), F.col("a.id") == F.col("b.id"), "left").select("*"),
    ),
    ("SELECT * FROM v CROSS JOIN w", lambda v, w: v.crossJoin(w).select("*")),
    ("SELECT id FROM v UNION ALL SELECT id FROM w", lambda v, w: v.select("id").union(w.select("id"))),
    (
        "SELECT CASE WHEN id > 1 THEN 'many' ELSE 'one' END AS n, CAST(id AS string) FROM v",
        lambda v, w: v.select(F.when(F.col("id") > 1, "many").otherwise("one").alias("n"), F.col("id").cast("string")),
    ),
    (
        "SELECT id, row_number() OVER (PARTITION BY name ORDER BY id DESC) AS n, lag(id, 2) OVER (ORDER BY id) AS l, "
        "sum(id) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) AS s FROM v",
        lambda v, w: v.select(
            "id",
            F.row_number().over(Window.partitionBy("name").orderBy(F.col("id").desc())).alias("n"),
            F.lag("id", 2).over(Window.orderBy("id")).alias("l"),
            F.sum("id").over(Window.orderBy("id").rowsBetween(Window.currentRow, 1)).alias("s"),
        ),
    ),
    (
        "SELECT name, id, count(1) AS count FROM v GROUP BY ROLLUP (name, id)",
        lambda v, w: v.rollup("name", "id").count(),
    ),
    (
        "SELECT name, grouping(name) AS g FROM v GROUP BY CUBE (name)",
        lambda v, w: v.cube("name").agg(F.grouping("name").alias("g")),
    ),
    ("SELECT id FROM v INTERSECT SELECT id FROM w", lambda v, w: v.select("id").intersect(w.select("id"))),
    ("SELECT id FROM v EXCEPT ALL SELECT id FROM w", lambda v, w: v.select("id").exceptAll(w.select("id"))),
    (
        "SELECT coalesce(name, 'x') AS name FROM v WHERE id >= 1 AND id <= 5 OR id IN (7, 9)",
        lambda v, w: v.where(F.col("id").between(1, 5) | F.col("id").isin(7, 9)).select(
            F.coalesce("name", F.lit("x")).alias("name")
        ),
    ),
]


@pytest.fixture
def spark() -> SparkSession:
    return SparkSession.builder.getOrCreate()


@pytest.mark.parametrize(("sql", "frame"), PAIRS, ids=[sql for sql, _ in PAIRS])
def test_sql_text_and_dataframe_calls_give_equal_nodes(spark: SparkSession, sql: str, frame: Frame) -> None:
    v = spark.range(5).selectExpr("id", "CAST(id AS string) AS name", "CAST(id AS string) AS value")
    w = spark.range(3)
    assert isinstance(w._node, Range)
    v.createOrReplaceTempView("v")
    w.createOrReplaceTempView("w")
    assert spark.sql(sql)._node == frame(v, w)._node
