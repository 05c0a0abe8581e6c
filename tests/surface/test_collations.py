"""Strings whose case does not matter: types, and streams that group, join and deduplicate by them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.errors import PlanError
from app.plan.ddl import parse_schema, type_from_json
from app.plan.incremental import split
from app.plan.resolve import resolve
from app.sql import DataFrame, SparkSession
from app.sql import functions as F
from app.sql.types import StringType, StructField, StructType
from app.testing import MemoryStream

_LCASE = StringType("UTF8_LCASE")


def test_the_type_has_sparks_forms() -> None:
    struct = StructType([StructField("c", _LCASE, True, {"k": 1}), StructField("d", StringType())])
    assert repr(_LCASE) == "StringType('UTF8_LCASE')" and _LCASE.simpleString() == "string collate UTF8_LCASE"
    assert json.loads(struct.json())["fields"][0] == {
        "metadata": {"__COLLATIONS": {"c": "spark.UTF8_LCASE"}, "k": 1},
        "name": "c",
        "nullable": True,
        "type": "string",
    }
    again = type_from_json(struct.json())
    assert again == struct and isinstance(again, StructType) and again.fields[0].metadata == {"k": 1}
    assert parse_schema("c STRING COLLATE utf8_lcase, d STRING COLLATE UTF8_BINARY") == struct
    assert _LCASE != StringType() == StringType("UTF8_BINARY")


@pytest.fixture
def stream(spark: SparkSession) -> MemoryStream:
    return MemoryStream(spark, "k string collate utf8_lcase, v int")


def test_a_group_of_a_stream_shows_its_first_spelling(spark: SparkSession, stream: MemoryStream) -> None:
    counts = stream.toDF().groupBy("k").agg(F.sum("v").alias("n"), F.min("k").alias("least"))
    query = counts.writeStream.format("memory").queryName("folded").outputMode("complete").start()
    for rows in ([("a", 1), ("B", 1)], [("A", 2), ("b", 5), ("c", 0)]):
        stream.addData(*rows)
        query.processAllAvailable()
    assert sorted(spark.table("folded").collect()) == [("B", 6, "B"), ("a", 3, "a"), ("c", 0, "c")]


def test_changed_groups_and_first_rows_go_by_the_folded_key(stream: MemoryStream) -> None:
    seen: list[Any] = []

    def take(df: DataFrame, batch_id: int) -> None:
        seen.append(sorted(df.collect()))

    for df, mode in ((stream.toDF().groupBy("k").count(), "update"), (stream.toDF().dropDuplicates(["k"]), "append")):
        seen.clear()
        query = df.writeStream.outputMode(mode).foreachBatch(take).start()
        for rows in ([("a", 1), ("A", 2), ("x", 1)], [("X", 3), ("y", 1)]):
            stream.addData(*rows)
            query.processAllAvailable()
        query.stop()
        if mode == "update":
            assert seen == [[("a", 2), ("x", 1)], [("x", 2), ("y", 1)]]
        else:
            assert [row for rows in seen for row in rows] == [("a", 1), ("x", 1), ("y", 1)]


def test_the_first_spelling_is_what_identifies_a_group(stream: MemoryStream) -> None:
    counts = stream.toDF().groupBy("k").count()
    plan = split(resolve(counts._node))
    assert plan.keys == (0,) and plan.key_columns == (2,)


def test_a_stream_joins_a_table_by_the_folded_key(spark: SparkSession, stream: MemoryStream) -> None:
    table = spark.createDataFrame([("A", 10), ("c", 30)], "k string collate utf8_lcase, w int")
    joined = stream.toDF().join(table, "k")
    query = joined.writeStream.format("memory").queryName("joined").start()
    stream.addData(("a", 1), ("b", 2), ("C", 3))
    query.processAllAvailable()
    assert sorted(spark.table("joined").select("v", "w").collect()) == [(1, 10), (3, 30)]


@pytest.mark.parametrize(
    ("schema", "code"),
    [
        ("c string collate unicode", "UNSUPPORTED_FEATURE"),
        ("c string collate utf8_lcase_rtrim", "UNSUPPORTED_FEATURE"),
        ("c string collate nowhere_at_all", "COLLATION_INVALID_NAME"),
        ("c array<string collate unicode>", "UNSUPPORTED_FEATURE"),
        ("c map<string collate utf8_lcase, int>", "UNSUPPORTED_FEATURE"),
    ],
)
def test_other_collations_are_refused_by_name(spark: SparkSession, schema: str, code: str) -> None:
    with pytest.raises(PlanError) as caught:
        spark.createDataFrame([], schema).schema  # noqa: B018 - the schema is what is asked for
    assert caught.value.code == code


def test_what_would_tell_case_apart_is_refused_by_name(spark: SparkSession) -> None:
    df = spark.createDataFrame([("a",)], "c string collate utf8_lcase")
    for expr in (F.mode("c"), F.sentences("c"), F.min(F.create_map("c", F.lit(1))["a"])):
        with pytest.raises(PlanError) as caught:
            df.select(expr).schema  # noqa: B018
        assert caught.value.code == "UNSUPPORTED_FEATURE"


def test_a_stream_groups_and_deduplicates_by_arrays_and_structs_of_such_strings(spark: SparkSession) -> None:
    stream = MemoryStream(spark, "a array<string collate utf8_lcase>, s struct<x: string collate utf8_lcase>")
    counts = stream.toDF().groupBy("a", "s").count()
    firsts = stream.toDF().dropDuplicates(["a"]).select("a")
    for name, df, mode in (("counts", counts, "complete"), ("firsts", firsts, "append")):
        df.writeStream.format("memory").queryName(name).outputMode(mode).start()
    for rows in ([(["a", "B"], ("x",)), (["c"], ("y",))], [(["A", "b"], ("X",)), (["A"], ("x",))]):
        stream.addData(*rows)
        for query in spark.streams.active:
            query.processAllAvailable()
    assert sorted(spark.table("counts").collect()) == [(["A"], ("x",), 1), (["a", "B"], ("x",), 2), (["c"], ("y",), 1)]
    assert sorted(spark.table("firsts").collect()) == [(["A"],), (["a", "B"],), (["c"],)]
