"""Variants in Python code: in and out of DataFrames, as text, and on streams."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from app.errors import ArgumentError, PlanError, QueryFailed, RowError
from app.sql import Row, SparkSession
from app.sql import functions as F
from app.sql.types import ArrayType, StructField, StructType, VariantType, VariantVal
from app.testing import MemoryStream

TEXT = '{"b":[1,2.50,1e3,"x",null,true],"a":{"c":-129}}'


def bytes_of(value: VariantVal) -> tuple[bytes, bytes]:
    return value.value, value.metadata


def test_the_type_has_the_names_of_pyspark() -> None:
    kind = VariantType()
    assert (kind.simpleString(), kind.json(), kind.typeName(), repr(kind)) == (
        "variant",
        '"variant"',
        "variant",
        "VariantType()",
    )
    assert StructType.fromDDL("v variant, a array<variant>") == StructType(
        [StructField("v", kind), StructField("a", ArrayType(kind))]
    )


def test_a_text_is_parsed_to_the_bytes_of_spark() -> None:
    # As PySpark 4.2 gives them.
    value = VariantVal.parseJson(TEXT)
    assert value.metadata == b"\x01\x03\x00\x01\x02\x03bac"
    assert value.value.hex() == (
        "020201001e00260306000208111314150c012002fa0000001c0000000000408f40057800040201020003107fff"
    )
    assert str(value) == value.toJson() == '{"a":{"c":-129},"b":[1,2.50,1000.0,"x",null,true]}'
    assert value.toPython() == {"a": {"c": -129}, "b": [1, Decimal("2.50"), 1000.0, "x", None, True]}
    assert repr(value) == f"VariantVal({value.value!r}, {value.metadata!r})"
    with pytest.raises(RowError, match="MALFORMED_RECORD_IN_PARSING"):
        VariantVal.parseJson("{")


def test_a_decimal_keeps_all_of_its_digits() -> None:
    assert VariantVal.parseJson("9" * 38).toPython() == Decimal("9" * 38)


def test_times_and_bytes_inside_are_python_values(spark: SparkSession) -> None:
    (row,) = spark.sql(
        "SELECT to_variant_object(named_struct('t', timestamp'2020-01-01 00:00:00Z', 'n', "
        "timestamp_ntz'2020-01-01 00:00:00.5', 'd', date'2020-01-01', 'b', x'00ff', 'f', float(0.5))) AS v"
    ).collect()
    assert row.v.toPython() == {
        "t": datetime(2020, 1, 1, tzinfo=ZoneInfo("UTC")),
        "n": datetime(2020, 1, 1, 0, 0, 0, 500_000),
        "d": date(2020, 1, 1),
        "b": b"\x00\xff",
        "f": 0.5,
    }
    assert row.v.toJson("America/New_York") == (
        '{"b":"AP8=","d":"2020-01-01","f":0.5,"n":"2020-01-01 00:00:00.500000","t":"2019-12-31 19:00:00-05:00"}'
    )


def test_variants_go_in_and_come_out(spark: SparkSession) -> None:
    value = VariantVal.parseJson(TEXT)
    rows = [(value, [value, None], {"k": value}), (None, None, None)]
    df = spark.createDataFrame(rows, "v variant, a array<variant>, m map<string, variant>")
    first, second = df.collect()
    assert [bytes_of(found) for found in (first.v, first.a[0], first.m["k"])] == [bytes_of(value)] * 3
    assert (first.a[1], second) == (None, Row(v=None, a=None, m=None))
    assert df.toArrow().schema.field("v").type.field("metadata").metadata == {b"variant": b"true"}
    assert spark.createDataFrame(df.toArrow()).schema == df.schema
    assert spark.createDataFrame([(value,)]).schema == StructType([StructField("_1", VariantType())])
    with pytest.raises(ArgumentError, match="VariantVal"):
        spark.createDataFrame([(1,)], "v variant").collect()


def test_show_prints_json_in_utc(spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    spark.sql(
        """SELECT parse_json('"x"') v, parse_json('{"a":[1,1.50,1e7]}') w, array(parse_json('"x"')) a,
        to_variant_object(named_struct('t', timestamp'2020-01-01 00:00:00Z')) t, cast(null AS variant) n"""
    ).show(truncate=False)
    assert capsys.readouterr().out == (
        "+---+-------------------+-----+---------------------------------+----+\n"
        "|v  |w                  |a    |t                                |n   |\n"
        "+---+-------------------+-----+---------------------------------+----+\n"
        '|"x"|{"a":[1,1.5,1.0E7]}|["x"]|{"t":"2020-01-01 00:00:00+00:00"}|NULL|\n'
        "+---+-------------------+-----+---------------------------------+----+\n\n"
    )


def test_the_last_of_two_fields_counts_where_the_session_says_so(spark: SparkSession) -> None:
    text = """SELECT parse_json('{"a":{"x":1},"b":3,"a":{"y":2}}') AS v"""
    with pytest.raises(RowError, match="MALFORMED_RECORD_IN_PARSING"):
        spark.sql(text).collect()
    spark.conf.set("spark.sql.variant.allowDuplicateKeys", "true")
    try:
        assert str(spark.sql(text).collect()[0].v) == '{"a":{"y":2},"b":3}'
    finally:
        spark.conf.unset("spark.sql.variant.allowDuplicateKeys")


def test_what_needs_an_order_or_a_hash_is_refused(spark: SparkSession) -> None:
    df = spark.createDataFrame([(VariantVal.parseJson("1"), 1)], "v variant, k int")
    cases: list[tuple[Any, str]] = [
        (lambda: df.groupBy("v").count(), "GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE"),
        (lambda: df.groupBy(F.array("v")).count(), "GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE"),
        (lambda: df.orderBy("v"), "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE"),
        (lambda: df.distinct(), "UNSUPPORTED_FEATURE.SET_OPERATION_ON_VARIANT_TYPE"),
        (lambda: df.dropDuplicates(["v"]), "UNSUPPORTED_FEATURE.SET_OPERATION_ON_VARIANT_TYPE"),
        (lambda: df.join(df.select("v"), "v"), "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE"),
        (lambda: df.select(F.count_distinct("v")), "DATATYPE_MISMATCH.HASH_VARIANT_TYPE"),
        (lambda: df.select(F.approx_count_distinct("v")), "DATATYPE_MISMATCH.HASH_VARIANT_TYPE"),
        (lambda: df.select(F.col("v").getItem("a")), "INVALID_EXTRACT_BASE_FIELD_TYPE"),
    ]
    for build, code in cases:
        with pytest.raises(PlanError) as error:
            build().collect()
        assert error.value.code == code
    assert df.dropDuplicates(["k"]).count() == 1


def test_the_functions_of_pyspark_take_paths_as_text(spark: SparkSession) -> None:
    df = spark.createDataFrame([('{"a":[1,"x"]}', "$.a[0]"), ("{", "$")], "j string, p string")
    parsed = df.select(F.try_parse_json("j").alias("v"), "p")
    found = parsed.select(
        F.variant_get("v", "$.a[0]", "int"),
        F.variant_get("v", F.col("p"), "bigint"),
        F.try_variant_get("v", "$.a[1]", "int"),
        F.schema_of_variant("v"),
        F.is_variant_null("v"),
        F.to_json("v"),
    ).collect()
    assert [tuple(row) for row in found] == [
        (1, 1, None, "OBJECT<a: ARRAY<VARIANT>>", False, '{"a":[1,"x"]}'),
        (None, None, None, None, False, None),
    ]


def test_states_and_tables_of_streams_carry_variants(spark: SparkSession) -> None:
    stream = MemoryStream(spark, "k string, j string")
    parsed = stream.toDF().select("k", F.parse_json("j").alias("v"))
    groups = parsed.groupBy("k").agg(
        F.schema_of_variant_agg("v").alias("s"), F.first("v").alias("f"), F.collect_list("v").alias("l")
    )
    query = groups.writeStream.format("memory").queryName("variants").outputMode("complete").start()
    for new in ([("a", "1"), ("b", '{"x":1}')], [("a", "2.50"), ("b", '{"y":[1]}')]):
        stream.addData(*new)
        query.processAllAvailable()
    rows = spark.table("variants").orderBy("k").collect()
    assert [(row.k, row.s, str(row.f), list(map(str, row.l))) for row in rows] == [
        ("a", "DECIMAL(21,1)", "1", ["1", "2.50"]),
        ("b", "OBJECT<x: BIGINT, y: ARRAY<BIGINT>>", '{"x":1}', ['{"x":1}', '{"y":[1]}']),
    ]
    query.stop()


def test_a_stream_prints_variants_and_stops_at_a_text_that_is_none(spark: SparkSession) -> None:
    stream = MemoryStream(spark, "j string")
    out = io.StringIO()
    with redirect_stdout(out):
        query = stream.toDF().select(F.parse_json("j").alias("v")).writeStream.format("console").start()
        stream.addData(('{"b":1,"a":"é"}',))
        query.processAllAvailable()
    assert '|{"a":"é","b":1}|' in out.getvalue()
    stream.addData(("{",))
    with pytest.raises(QueryFailed, match="MALFORMED_RECORD_IN_PARSING"):
        query.processAllAvailable()


def test_an_instant_is_utc_wherever_the_process_lives() -> None:
    assert VariantVal(b"\x30" + (0).to_bytes(8, "little"), b"\x01\0\0").toPython() == datetime(1970, 1, 1, tzinfo=UTC)


def test_a_collected_variant_is_shown_as_by_pyspark(spark: SparkSession) -> None:
    found = spark.range(1).select(F.parse_json(F.lit('{"a": 1}'))).first()
    assert found is not None
    assert repr(found[0]) == (
        r"VariantVal(bytearray(b'\x02\x01\x00\x00\x02\x0c\x01'), bytearray(b'\x01\x01\x00\x01a'))"
    )
