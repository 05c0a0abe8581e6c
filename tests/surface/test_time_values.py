"""Times of day, calendar intervals and sessions through the PySpark surface."""

from __future__ import annotations

from datetime import UTC, datetime, time

import pytest

from app.errors import PlanError
from app.sql import SparkSession
from app.sql import functions as F
from app.sql.types import CalendarIntervalType, StructField, StructType, TimeType


def test_times_of_day_come_back_as_they_went_in(spark: SparkSession) -> None:
    given = [(1, time(12, 34, 56, 789000)), (2, None), (3, time(0, 0))]
    frame = spark.createDataFrame(given, "id int, a time(3)")
    assert frame.schema["a"].dataType == TimeType(3)
    assert [tuple(row) for row in frame.collect()] == given


def test_a_time_of_day_is_inferred_and_a_literal(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(time(1, 2),)], ["a"]).select("a", F.lit(time(3, 4)).alias("b"))
    assert [f.dataType for f in frame.schema] == [TimeType(), TimeType()]
    assert tuple(frame.collect()[0]) == (time(1, 2), time(3, 4))


def test_computing_with_times_of_day_is_a_setting_as_in_spark(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(time(1, 2, 3),)], ["a"])
    with pytest.raises(PlanError, match="UNSUPPORTED_TIME_TYPE"):
        frame.select(F.hour("a")).collect()
    spark.conf.set("spark.sql.timeType.enabled", True)
    try:
        row = frame.select(F.hour("a"), F.time_trunc(F.lit("MINUTE"), "a"), F.to_time(F.lit("4:05 PM"))).collect()[0]
    finally:
        spark.conf.unset("spark.sql.timeType.enabled")
    assert tuple(row) == (1, time(1, 2), time(16, 5))


def test_calendar_intervals_have_a_type_and_a_text_and_no_python_value(spark: SparkSession) -> None:
    frame = spark.range(1).select(F.make_interval(F.lit(1), F.lit(2), secs=F.lit(1.5)).alias("i"))
    assert frame.schema == StructType([StructField("i", CalendarIntervalType(), True)])
    assert frame.select(F.col("i").cast("string")).collect()[0][0] == "1 years 2 months 1.5 seconds"
    assert frame.toArrow().column(0).to_pylist()[0].months == 14
    with pytest.raises(PlanError, match="NOT_IMPLEMENTED"):
        frame.collect()


def test_mixed_interval_literals_are_refused_as_in_spark(spark: SparkSession) -> None:
    with pytest.raises(PlanError, match="_LEGACY_ERROR_TEMP_0029"):
        spark.sql("SELECT INTERVAL '1 year 2 days'")
    with pytest.raises(PlanError, match="UNSUPPORTED_FEATURE"):
        spark.conf.set("spark.sql.legacy.interval.enabled", True)


def test_rows_are_not_grouped_by_calendar_intervals(spark: SparkSession) -> None:
    frame = spark.range(1).select(F.make_interval(F.lit(1)).alias("i"))
    for query in (frame.groupBy("i").count, frame.distinct, lambda: frame.select(F.collect_set("i"))):
        with pytest.raises(PlanError, match="calendar intervals is not supported"):
            query().collect()


def test_sessions_are_merged_in_a_batch_and_refused_on_a_stream(spark: SparkSession) -> None:
    rows = [("a", datetime(2024, 1, 1, 0, minute, tzinfo=UTC)) for minute in (0, 4, 20)]
    frame = spark.createDataFrame(rows, "k string, ts timestamp")
    sessions = frame.groupBy("k", F.session_window("ts", "5 minutes").alias("w")).count().orderBy("w")
    assert [row["count"] for row in sessions.collect()] == [2, 1]
    assert sessions.schema["w"].metadata == {"spark.sessionWindow": True}
    stream = spark.readStream.format("rate").load()
    with pytest.raises(PlanError, match="not supported with streaming DataFrames"):
        stream.groupBy(F.session_window("timestamp", "5 minutes")).count().writeStream.format("noop").start()


def test_buckets_of_time(spark: SparkSession) -> None:
    frame = spark.sql("SELECT timestamp_ntz'2024-01-01 11:27:00' AS ts")
    bucket = F.time_bucket(F.expr("INTERVAL '15' MINUTE"), "ts")
    assert frame.select(bucket).collect()[0][0] == datetime(2024, 1, 1, 11, 15)
