"""Sessions, settings, views, and the ways rows leave a static DataFrame."""

from __future__ import annotations

import datetime as d
import io
from contextlib import redirect_stdout
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from app.errors import ArgumentError, EngineError, PlanError
from app.plan.types import StringType, StructType
from app.sql import SparkSession
from app.sql import functions as F
from app.sql.conf import RuntimeConfig, machine_zone


@pytest.mark.parametrize(
    ("text", "region"),
    [
        ("UTC", "UTC"),
        ("Z", "UTC"),
        ("+02:00", "GMT+02:00"),
        ("UTC+2", "GMT+02:00"),
        ("GMT-3", "GMT-03:00"),
        ("+05:30:15", "GMT+05:30:15"),
        ("CET", "CET"),
    ],
)
def test_a_time_zone_is_a_region_or_an_offset(text: str, region: str) -> None:
    conf = RuntimeConfig({"spark.sql.session.timeZone": text})
    assert (conf.get("spark.sql.session.timeZone"), conf.time_zone(), conf.binding().time_zone) == (
        text,
        region,
        region,
    )


@pytest.mark.parametrize("text", ["", "Mars/X", "+02:60", "+18:01", "../etc/passwd"])
def test_another_time_zone_is_refused(text: str) -> None:
    with pytest.raises(ArgumentError, match=r"INVALID_CONF_VALUE\.TIME_ZONE"):
        RuntimeConfig().set("spark.sql.session.timeZone", text)


def test_without_a_setting_the_machines_zone_holds() -> None:
    assert RuntimeConfig().time_zone() == machine_zone() == "Europe/Berlin"


def test_the_builder_sets_and_the_session_stays(spark: SparkSession) -> None:
    again = SparkSession.builder.master("local[4]").config("my.key", True).config(map={"spark.sql.x": 1}).getOrCreate()
    assert again is spark and spark.conf.get("spark.sql.x") == "1" and spark.conf.get("my.key") == "true"
    other = spark.newSession()
    spark.range(1).createTempView("mine")
    assert other.conf.get("spark.sql.x") == "1" and not other.catalog.tableExists("mine")
    assert spark.version.split(".")[:2] == ["4", "2"]


def test_without_a_session_there_is_none_active(spark: SparkSession) -> None:
    with spark:
        assert SparkSession.active() is spark
    assert SparkSession.getActiveSession() is None
    with pytest.raises(EngineError, match="getOrCreate"):
        SparkSession.active()


def test_views_are_names_without_case(spark: SparkSession) -> None:
    spark.range(2).createOrReplaceTempView("Two")
    assert spark.table("tWO").count() == spark.sql("SELECT two.id FROM TWO").count() == 2
    assert [table.name for table in spark.catalog.listTables()] == ["Two"]
    with pytest.raises(PlanError, match=r"TABLE_OR_VIEW_NOT_FOUND.*Did you mean Two"):
        spark.table("twoo")
    with pytest.raises(PlanError, match="TEMP_TABLE_OR_VIEW_ALREADY_EXISTS"):
        spark.range(1).createTempView("TWO")
    with pytest.raises(PlanError, match="one part"):
        spark.range(1).createTempView("a.b")


def test_a_column_is_found_by_attribute_name_and_position(spark: SparkSession) -> None:
    df = spark.createDataFrame([(1, 2)], ["a", "select"])
    assert df.select(df.a, df["select"], df[0]).first() == (1, 2, 1)
    assert not hasattr(df, "b") and not hasattr(df, "_b")
    with pytest.raises(AttributeError, match="neither a column"):
        _ = df.b
    with pytest.raises(IndexError):
        _ = df[2]


def test_pandas_gets_sparks_types(spark: SparkSession) -> None:
    time = d.datetime(2020, 1, 1, 12)
    rows = [(1, "x", 1.5, time, d.date(2020, 1, 1), Decimal("1.50"), [1], (2,), b"y"), (None,) * 9]
    schema = "i int, s string, f double, t timestamp, d date, c decimal(5,2), a array<int>, r struct<p:int>, y binary"
    frame = spark.createDataFrame(rows, schema).toPandas()  # type: ignore[arg-type]
    # Noon in Berlin, shown in the session's New York.
    assert frame.t[0] == pd.Timestamp(2020, 1, 1, 6) and frame.t.dtype.kind == "M" and frame.i.dtype == "float64"
    assert [frame[c][0] for c in "dcary"] == [d.date(2020, 1, 1), Decimal("1.50"), [1], (2,), b"y"]
    assert frame.loc[1].isna().all()
    assert spark.range(3).select().toPandas().shape == (3, 0)
    twice = spark.range(1).select("id", "id").toPandas()
    assert list(twice.columns) == ["id", "id"] and twice.shape == (1, 2)


def test_arrow_and_pandas_come_in(spark: SparkSession) -> None:
    table = pa.table({"t": pa.array([d.datetime(2020, 1, 1, 6)]), "u": pa.array([7], pa.uint16())})
    df = spark.createDataFrame(table)
    assert df.dtypes == [("t", "timestamp"), ("u", "int")]
    assert df.collect() == [(d.datetime(2020, 1, 1, 12), 7)]
    assert df.toArrow().schema.names == ["t", "u"]
    assert spark.createDataFrame(pd.DataFrame({"a": [1, None]})).collect() == [(1.0,), (None,)]


def test_rows_are_handed_out_in_parts(spark: SparkSession) -> None:
    df = spark.range(5)
    assert list(df.toLocalIterator()) == df.collect() == [(0,), (1,), (2,), (3,), (4,)]
    assert (df.take(2), df.tail(2), df.head(), df.head(1), df.isEmpty()) == (
        [(0,), (1,)],
        [(3,), (4,)],
        (0,),
        [(0,)],
        False,
    )
    assert (df.limit(0).first(), df.limit(0).isEmpty(), df.tail(0), df.take(0)) == (None, True, [], [])


def test_show_counts_what_it_leaves_out(spark: SparkSession) -> None:
    with redirect_stdout(io.StringIO()) as printed:
        spark.range(3).show(2)
        spark.createDataFrame([(d.datetime(2020, 1, 1, 12),)], ["t"]).show(truncate=False)
    assert printed.getvalue() == (
        "+---+\n| id|\n+---+\n|  0|\n|  1|\n+---+\nonly showing top 2 rows\n"
        "+-------------------+\n|t                  |\n+-------------------+\n"
        "|2020-01-01 06:00:00|\n+-------------------+\n\n"
    )


def test_explain_shows_the_steps(spark: SparkSession) -> None:
    df = spark.range(3).filter("id > 1").groupBy("id").agg(F.max(F.when(F.col("id") > 1, 2).otherwise(3)).alias("m"))
    with redirect_stdout(io.StringIO()) as printed:
        df.orderBy("id").limit(3).explain(True)
    assert printed.getvalue() == (
        f"== Parsed Logical Plan ==\n{df.orderBy('id').limit(3)._node!r}\n\n"
        "== Physical Plan ==\n"
        "Limited 3 -> [id, m]\n"
        "+- Sorted id#0 asc -> [id, m]\n"
        "   +- Select id#0, max#1 -> [id, m]\n"
        "      +- Grouped by (id#0): max(case when >(id#0, 1) then 2 else 3 end) -> [id, max]\n"
        "         +- Keep >(id#0, 1) -> [id]\n"
        "            +- Leaf Range -> [id]\n\n"
    )
    with pytest.raises(ArgumentError, match="UNKNOWN_EXPLAIN_MODE"):
        df.explain(mode="loud")


def test_print_schema_can_be_cut(spark: SparkSession) -> None:
    df = spark.createDataFrame([], "a int not null, s struct<x:array<int>>")
    with redirect_stdout(io.StringIO()) as printed:
        df.printSchema(1)
    assert printed.getvalue() == "root\n |-- a: integer (nullable = false)\n |-- s: struct (nullable = true)\n\n"


def test_static_frames_are_not_written(spark: SparkSession) -> None:
    with pytest.raises(PlanError, match="toArrow"):
        _ = spark.range(1).write


def test_a_schema_grows_in_place_as_in_pyspark(spark: SparkSession) -> None:
    schema = StructType()
    schema.add("a", "int")
    assert schema.add("b", StringType()) is schema
    df = spark.createDataFrame([(1, "x")], schema)
    schema.add("c", "int")
    df.schema.add("d", "int")
    assert df.columns == ["a", "b"]
    assert df.collect() == [(1, "x")]


def test_a_streams_schema_is_inferred_where_the_setting_says_so(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"a": 1, "b": "x"}\n')
    with pytest.raises(PlanError, match="Schema must be specified"):
        spark.readStream.json(str(tmp_path))
    spark.conf.set("spark.sql.streaming.schemaInference", True)
    try:
        assert spark.readStream.json(str(tmp_path)).dtypes == [("a", "bigint"), ("b", "string")]
    finally:
        spark.conf.unset("spark.sql.streaming.schemaInference")


def test_set_v_tells_what_settings_mean(spark: SparkSession) -> None:
    session = spark.newSession()
    session.conf.set("spark.sql.caseSensitive", True)
    found = session.sql("SET -v")
    assert [(f.name, f.dataType.simpleString(), f.nullable) for f in found.schema] == [
        (name, "string", False) for name in ("key", "value", "meaning", "Since version")
    ]
    assert {row["key"]: row["value"] for row in found.collect()}["spark.sql.caseSensitive"] == "true"
