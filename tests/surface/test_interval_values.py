"""Intervals come out of any nesting, and out of a slice of rows."""

from __future__ import annotations

from datetime import timedelta

from app.sql import Row, SparkSession


def test_intervals_inside_of_arrays_structs_and_maps_are_values(spark: SparkSession) -> None:
    df = spark.sql(
        "SELECT array(interval 1 day, null) a, named_struct('x', interval 2 hour, 'y', 1) b, "
        "map('k', interval 3 second) c, cast(null as array<interval day to second>) d"
    )
    assert df.collect() == [
        Row(
            a=[timedelta(days=1), None],
            b=Row(x=timedelta(hours=2), y=1),
            c={"k": timedelta(seconds=3)},
            d=None,
        )
    ]


def test_each_row_keeps_its_own(spark: SparkSession) -> None:
    df = spark.sql("SELECT id, map('k', make_dt_interval(cast(id AS int))) m FROM range(5)").where("id > 1").limit(2)
    assert [(row.id, row.m) for row in df.collect()] == [(2, {"k": timedelta(2)}), (3, {"k": timedelta(3)})]
