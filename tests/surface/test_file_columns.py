"""The columns that readers of files take and find: names that come twice, and files without any column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.errors import PlanError
from app.sql import SparkSession
from app.sql.types import StructType


def written(folder: Path, text: str) -> str:
    (folder / "a").write_text(text)
    return str(folder / "a")


@pytest.mark.parametrize("kind", ["csv", "json", "parquet", "text"])
@pytest.mark.parametrize(
    ("ddl", "name"),
    [
        ("a int, A string", "a"),
        ("b int, a int, A string, B int", "b"),
        ("s struct<x:int,X:int>", "x"),
        ("l array<struct<x:int,X:int>>", "x"),
        ("m map<string,struct<Y:int,y:int>>", "y"),
    ],
)
def test_no_name_comes_twice_in_a_schema(spark: SparkSession, tmp_path: Path, kind: str, ddl: str, name: str) -> None:
    for reader in (spark.read, spark.readStream):
        with pytest.raises(PlanError, match=f"The column `{name}` already exists") as caught:
            reader.format(kind).schema(ddl).load(written(tmp_path, ""))
        assert caught.value.code == "COLUMN_ALREADY_EXISTS"


@pytest.mark.parametrize(
    "text", ['{"a":1}\n{"A":"x"}', '{"s":{"a":1,"A":2}}', '{"s":[{"a":1},{"A":2}]}', '{"b":{"a":1,"A":2},"c":1}']
)
def test_no_name_comes_twice_in_inferred_columns(spark: SparkSession, tmp_path: Path, text: str) -> None:
    with pytest.raises(PlanError, match="`a` already exists"):
        spark.read.json(written(tmp_path, text))


def test_names_of_other_case_are_others_where_case_counts(spark: SparkSession, tmp_path: Path) -> None:
    spark.conf.set("spark.sql.caseSensitive", True)
    try:
        assert spark.read.json(written(tmp_path, '{"a":1}\n{"A":"x"}')).collect() == [(None, 1), ("x", None)]
        with pytest.raises(PlanError, match="`a` already exists"):
            spark.read.schema("a int, a string").json(str(tmp_path))
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


def test_a_key_named_like_the_column_for_malformed_records(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.read.json(written(tmp_path, '{"_corrupt_record":1}\nbad'))
    assert (frame.dtypes, frame.collect()) == ([("_corrupt_record", "string")], [(None,), ("bad",)])


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff"])
@pytest.mark.parametrize(
    ("kind", "options"), [("csv", {}), ("csv", {"header": True, "inferSchema": True}), ("json", {})]
)
def test_a_file_without_records_has_no_columns(
    spark: SparkSession, tmp_path: Path, kind: str, options: dict[str, Any], text: str
) -> None:
    frame = spark.read.format(kind).options(**options).load(written(tmp_path, text))
    assert (frame.schema, frame.collect(), frame.count()) == (StructType(), [], 0)
    assert frame.selectExpr("1 AS x").collect() == []
    assert frame._show_text() == "++\n||\n++\n++\n"


@pytest.mark.parametrize("mode", ["PERMISSIVE", "DROPMALFORMED"])
def test_records_without_columns_are_rows(spark: SparkSession, tmp_path: Path, mode: str) -> None:
    frame = spark.read.json(written(tmp_path, "{}\n{}"), mode=mode)
    assert (frame.schema, frame.collect(), frame.count()) == (StructType(), [(), ()], 2)
    assert frame.selectExpr("1 AS x").collect() == [(1,), (1,)]
    assert frame._show_text() == "++\n||\n++\n||\n||\n++\n"


def test_the_argument_wholetext_wins_over_the_option(spark: SparkSession, tmp_path: Path) -> None:
    path = written(tmp_path, "a\nb\n")
    assert [row.value for row in spark.read.option("wholetext", "true").text(path).collect()] == ["a", "b"]
    assert [row.value for row in spark.read.text(path, True).collect()] == ["a\nb\n"]
    loaded = spark.read.option("wholetext", "true").format("text").load(path)
    assert [row.value for row in loaded.collect()] == ["a\nb\n"]
