"""Metadata that an alias gives a column, and what keeps it. Expected is what Spark 4.2.0 said."""

from __future__ import annotations

from typing import Any

import pytest

from app.errors import ArgumentError
from app.sql import DataFrame, SparkSession
from app.sql import functions as F


@pytest.fixture
def df(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([(1, "a"), (2, "b")], "i int, s string")


def metadata(df: DataFrame) -> dict[str, Any]:
    return {field.name: field.metadata for field in df.schema}


def test_an_alias_gives_a_column_metadata_that_goes_on_with_it(df: DataFrame) -> None:
    x = df.select(df.i.alias("x", metadata={"a": 1}))
    assert metadata(x) == metadata(x.filter("x > 1").orderBy("x")) == metadata(x.union(df.select("i")))
    assert metadata(x) == {"x": {"a": 1}}
    column = F.col("x")
    again = x.select(
        column.alias("same"),
        column.alias("other", metadata={"b": 2}),
        column.alias("none", metadata={}),
        (column + 1).alias("computed"),
        (column + 1).alias("given", metadata={"c": [1, 2]}),
    )
    assert metadata(again) == {
        "same": {"a": 1},
        "other": {"b": 2},
        "none": {},
        "computed": {},
        "given": {"c": [1, 2]},
    }


def test_it_is_kept_under_another_alias_and_in_groups(df: DataFrame) -> None:
    named = df.i.alias("k", metadata={"a": 1})
    assert metadata(df.withColumn("n", named))["n"] == {"a": 1}
    assert metadata(df.select(named.alias("l"))) == {"l": {"a": 1}}
    assert metadata(df.groupBy(named).agg(F.count("*").alias("n", metadata={"b": 2}))) == {"k": {"a": 1}, "n": {"b": 2}}


def test_it_is_for_one_column(df: DataFrame) -> None:
    with pytest.raises(ArgumentError, match="ONLY_ALLOWED_FOR_SINGLE_COLUMN"):
        F.posexplode(F.array(df.i)).alias("p", "v", metadata={"a": 1})
