"""DataFrame calls build these plan nodes, and nothing is computed before rows are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.errors import PlanError
from app.plan import nodes as n
from app.plan.expressions import Alias, Attribute, Call, Cast, Expr, Literal, SortKey, Star
from app.plan.resolve import relations
from app.plan.types import IntegerType, LongType, StructField, StructType
from app.sql import DataFrame, SparkSession
from app.sql import functions as F

ID = Attribute(("id",))
RANGE = n.Range(0, 10)


def one(value: int) -> Literal:
    return Literal(value, IntegerType())


def plus(value: int) -> Expr:
    return Call("+", (ID, one(value)))


COUNT = Alias(Call("count", (one(1),)), ("count",))
CASES: list[tuple[Callable[[DataFrame], DataFrame], n.Node]] = [
    (lambda df: df.select("*", df.id + 1), n.Project(RANGE, (Star(), plus(1)))),
    (lambda df: df.selectExpr("id + 1 AS x"), n.Project(RANGE, (Alias(plus(1), ("x",)),))),
    (lambda df: df.withColumn("x", F.col("id") + 1), n.WithColumns(RANGE, (("x", plus(1)),))),
    (lambda df: df.withColumns({"x": df.id, "y": df.id + 1}), n.WithColumns(RANGE, (("x", ID), ("y", plus(1))))),
    (lambda df: df.withColumnRenamed("id", "x"), n.Rename(RANGE, (("id", "x"),))),
    (lambda df: df.withColumnsRenamed({"id": "x"}), n.Rename(RANGE, (("id", "x"),))),
    (lambda df: df.toDF("x"), n.Relabel(RANGE, ("x",))),
    (lambda df: df.drop("x", F.col("y")), n.Drop(RANGE, (Attribute(("x",)), Attribute(("y",))))),
    (lambda df: df.filter(df.id > 1), n.Filter(RANGE, Call(">", (ID, one(1))))),
    (lambda df: df.where("id > 1"), n.Filter(RANGE, Call(">", (ID, one(1))))),
    (lambda df: df.distinct(), n.Deduplicate(RANGE)),
    (lambda df: df.dropDuplicates(["id"]), n.Deduplicate(RANGE, ("id",))),
    (lambda df: df.orderBy("id"), n.Sort(RANGE, (SortKey(ID),))),
    (lambda df: df.sort(F.col("id").desc_nulls_first()), n.Sort(RANGE, (SortKey(ID, False, True),))),
    (lambda df: df.orderBy(df.id, ascending=False), n.Sort(RANGE, (SortKey(ID, False),))),
    (lambda df: df.orderBy(-1), n.Sort(RANGE, (SortKey(ID, False),))),
    (lambda df: df.limit(3), n.Limit(RANGE, 3)),
    (lambda df: df.offset(3), n.Limit(RANGE, (1 << 63) - 1, 3)),
    (lambda df: df.groupBy("id").count(), n.Aggregate(RANGE, (ID,), (ID, COUNT))),
    (lambda df: df.groupBy(1).count(), n.Aggregate(RANGE, (ID,), (ID, COUNT))),
    (
        lambda df: df.groupBy((df.id + 1).alias("k")).agg({"id": "max"}),
        n.Aggregate(RANGE, (plus(1),), (Alias(plus(1), ("k",)), Call("max", (ID,)))),
    ),
    (lambda df: df.agg(F.max("id")), n.Aggregate(RANGE, (), (Call("max", (ID,)),))),
    (lambda df: df.union(df), n.Union(RANGE, RANGE)),
    (lambda df: df.unionByName(df, allowMissingColumns=True), n.Union(RANGE, RANGE, True, True)),
    (lambda df: df.join(df, "id", "left_outer"), n.Join(RANGE, RANGE, "left", None, ("id",))),
    (lambda df: df.crossJoin(df), n.Join(RANGE, RANGE, "cross")),
    (lambda df: df.alias("t"), n.Named(RANGE, "t")),
    (lambda df: df.select(df.id.cast("int")), n.Project(RANGE, (Cast(ID, IntegerType()),))),
    (lambda df: df.transform(lambda d, k: d.limit(k), k=2), n.Limit(RANGE, 2)),
    (lambda df: df.cache().persist().unpersist().coalesce(1).repartition(2, "id").hint("broadcast"), RANGE),
    (lambda df: df.withWatermark("id", "1 second"), RANGE),
]


@pytest.mark.parametrize(("call", "node"), CASES)
def test_calls_and_nodes(spark: SparkSession, call: Callable[[DataFrame], DataFrame], node: n.Node) -> None:
    assert call(spark.range(10))._node == node


def test_a_watermark_on_a_stream_is_a_node(spark: SparkSession) -> None:
    stream = spark.readStream.format("rate").load()
    assert stream.withWatermark("timestamp", "1 minute")._node == n.Watermark(stream._node, "timestamp", 60_000_000)
    assert stream.withWatermark("timestamp", "1 month")._node == n.Watermark(
        stream._node, "timestamp", 31 * 86_400_000_000
    )


def test_a_reader_makes_a_scan(spark: SparkSession) -> None:
    node = spark.readStream.format("rate").option("rowsPerSecond", 5).option("rampUpTime", None).load()._node
    assert isinstance(node, n.Scan)
    assert (node.format, node.options, node.streaming) == ("rate", (("rowspersecond", "5"),), True)


def test_nothing_is_computed_before_rows_are_asked_for(spark: SparkSession) -> None:
    df = spark.range(1).select((F.lit(1) / (F.col("id") - F.col("id"))).alias("x"))
    assert df.filter("x > 0").dtypes == [("x", "double")]
    with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
        df.collect()


def test_a_chain_costs_its_length_not_its_square(spark: SparkSession) -> None:
    steps: list[n.Node] = []
    original = relations._Resolver.scope

    def scope(self: Any, node: n.Node) -> Any:
        steps.append(node)
        return original(self, node)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(relations._Resolver, "scope", scope)
        df = spark.range(1)
        for i in range(50):
            df = df.withColumn(f"c{i}", F.col("id") + i)
    assert len(df.columns) == 51 and len(steps) < 3 * 50


def test_a_join_with_itself_has_columns_of_its_own(spark: SparkSession) -> None:
    df = spark.range(3).withColumn("v", F.col("id") + 1)
    joined = df.alias("a").join(df.alias("b"), F.col("a.v") == F.col("b.id")).select("a.id", "b.v")
    assert sorted(joined.collect()) == [(0, 2), (1, 3)]
    assert df.join(df, "id").toDF("i", "x", "y").orderBy("i").first() == (0, 1, 1)


def test_settings_count_from_when_the_frame_is_made(spark: SparkSession) -> None:
    before = spark.range(1).select("ID")
    spark.conf.set("spark.sql.caseSensitive", True)
    with pytest.raises(PlanError, match="UNRESOLVED_COLUMN"):
        spark.range(1).select("ID")
    assert before.collect() == [(0,)]
    spark.conf.unset("spark.sql.caseSensitive")


def test_statements_that_are_no_query(spark: SparkSession) -> None:
    spark.range(3).createOrReplaceTempView("three")
    assert spark.sql("CREATE OR REPLACE TEMP VIEW few AS SELECT id FROM three WHERE id < 2").columns == []
    assert [r.tableName for r in spark.sql("SHOW TABLES LIKE 'f*|t*'").collect()] == ["few", "three"]
    assert spark.sql("DESCRIBE few").collect() == [("id", "bigint", None)]
    assert spark.sql("EXPLAIN SELECT * FROM few").first().plan.startswith("== Physical Plan ==")  # type: ignore[union-attr]
    assert spark.sql("SET spark.sql.caseSensitive = true").collect() == [("spark.sql.caseSensitive", "true")]
    assert spark.sql("SET spark.sql.caseSensitive").first() == ("spark.sql.caseSensitive", "true")
    with pytest.raises(PlanError, match="UNRESOLVED_COLUMN"):
        spark.table("few").select("ID")
    spark.conf.unset("spark.sql.caseSensitive")
    spark.sql("DROP VIEW few")
    spark.sql("DROP VIEW IF EXISTS few")
    with pytest.raises(PlanError, match="TABLE_OR_VIEW_NOT_FOUND"):
        spark.sql("DROP VIEW few")
    assert spark.catalog.dropTempView("three")


def test_text_with_frames_and_values_in_it(spark: SparkSession) -> None:
    df = spark.range(5)
    rows = spark.sql("SELECT {c} FROM {df} WHERE id > {low} AND id < :high", {"high": 4}, df=df, low=1, c=df.id)
    assert sorted(rows.collect()) == [(2,), (3,)]
    with pytest.raises(PlanError, match="UNBOUND_SQL_PARAMETER"):
        spark.sql("SELECT {x} FROM {df}", df=df)


def test_a_struct_built_by_add_is_a_schema(spark: SparkSession) -> None:
    schema = StructType().add("a", "int").add(StructField("b", LongType(), False))
    assert spark.createDataFrame([(1, 2)], schema).schema == schema
