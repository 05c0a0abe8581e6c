"""Windows of time: which rows fall into which, in tables and in streams."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.errors import PlanError
from app.sql import DataFrame, SparkSession
from app.sql import functions as F
from app.testing import MemoryStream

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PROBES = (-1.0, 0.0, 4.999999, 5.0, 9.5, 12.0)


def _at(seconds: float) -> datetime:
    return _EPOCH + timedelta(seconds=seconds)


def _probes(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([(s, _at(s)) for s in _PROBES] + [(99.0, None)], "s double, ts timestamp")


def _spans(df: DataFrame, *spec: str) -> dict[float, list[tuple[int, int]]]:
    """Start and end of the windows of each probe, in seconds."""
    found: dict[float, list[tuple[int, int]]] = {}
    windows = df.select("s", F.window("ts", *spec).alias("w"))
    for row in windows.select("s", F.unix_seconds("w.start").alias("a"), F.unix_seconds("w.end").alias("b")).collect():
        found.setdefault(row.s, []).append((row.a, row.b))
    return found


def test_windows_that_follow_one_another_begin_at_multiples_since_1970(spark: SparkSession) -> None:
    spans = _spans(_probes(spark), "5 seconds")
    assert list(spans.values()) == [[(-5, 0)], [(0, 5)], [(0, 5)], [(5, 10)], [(5, 10)], [(10, 15)]]


def test_windows_that_overlap_give_a_row_each_the_latest_first(spark: SparkSession) -> None:
    assert list(_spans(_probes(spark), "7 seconds", "3 seconds").values()) == [
        [(-3, 4), (-6, 1)],
        [(0, 7), (-3, 4), (-6, 1)],
        [(3, 10), (0, 7)],
        [(3, 10), (0, 7)],
        [(9, 16), (6, 13), (3, 10)],
        [(12, 19), (9, 16), (6, 13)],
    ]


def test_a_start_moves_the_windows(spark: SparkSession) -> None:
    assert _spans(_probes(spark), "10 seconds", "10 seconds", "-2 seconds")[9.5] == [(8, 18)]


def test_windows_of_a_day_are_days_of_utc_in_any_zone(spark: SparkSession) -> None:
    spark.conf.set("spark.sql.session.timeZone", "America/Los_Angeles")
    df = spark.sql("SELECT window(timestamp'2024-03-10 03:30:00', '1 day') AS w")
    text = df.selectExpr("cast(w.start as string)", "cast(w.end as string)").first()
    assert tuple(text or ()) == ("2024-03-09 16:00:00", "2024-03-10 17:00:00")


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ("'0 seconds'", "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE"),
        ("'-1 seconds'", "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE"),
        ("'5 seconds', '6 seconds'", "DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION"),
        ("'5 seconds', '5 seconds', '5 seconds'", "DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION"),
        ("'1500 ms'", "CANNOT_PARSE_INTERVAL"),
        ("'1 month'", "_LEGACY_ERROR_TEMP_3231"),
        ("s", "_LEGACY_ERROR_TEMP_1207"),
    ],
)
def test_durations_that_make_no_windows_are_refused(spark: SparkSession, spec: str, code: str) -> None:
    _probes(spark).createOrReplaceTempView("probes")
    with pytest.raises(PlanError) as error:
        spark.sql(f"SELECT window(ts, {spec}) FROM probes").collect()
    assert error.value.code == code


def test_two_different_windows_in_one_select_are_refused_and_one_may_stand_twice(spark: SparkSession) -> None:
    df = _probes(spark)
    five, six = F.window("ts", "5 seconds"), F.window("ts", "6 seconds")
    with pytest.raises(PlanError, match="cartesian product"):
        df.select(five, six).collect()
    assert df.select(five, F.window("ts", "5 seconds").start).columns == ["window", "window.start"]
    assert df.where(F.col("s") == 12).select(F.window_time(five)).first()[0].second == 14


def _counts(stream: MemoryStream, mode: str, *spec: str) -> list[list[tuple[int, str, int]]]:
    """What each epoch of a count by window hands on."""
    seen: list[list[tuple[int, str, int]]] = []

    def take(df: DataFrame, _: int) -> None:
        rows = df.select(F.unix_seconds("window.start"), "k", "count").collect()
        seen.append(sorted(tuple(row) for row in rows))  # type: ignore[misc]

    counts = stream.toDF().groupBy(F.window("ts", *spec), "k").count()
    query: Any = counts.writeStream.outputMode(mode).foreachBatch(take).start()
    for rows in ([(_at(1), "a"), (_at(6), "a"), (None, "a")], [(_at(2), "a"), (_at(-1), "b")]):
        stream.addData(*rows)
        query.processAllAvailable()
    query.stop()
    return seen


def test_a_stream_is_counted_by_window(spark: SparkSession) -> None:
    first = [(0, "a", 1), (5, "a", 1)]
    second = [(-5, "b", 1), (0, "a", 2)]
    stream = MemoryStream(spark, "ts timestamp, k string")
    assert _counts(stream, "update", "5 seconds") == [first, second]
    stream = MemoryStream(spark, "ts timestamp, k string")
    assert _counts(stream, "complete", "5 seconds") == [first, [*second, (5, "a", 1)]]


def test_a_row_of_a_stream_counts_in_every_window_it_falls_into(spark: SparkSession) -> None:
    stream = MemoryStream(spark, "ts timestamp, k string")
    assert _counts(stream, "update", "10 seconds", "5 seconds") == [
        [(-5, "a", 1), (0, "a", 2), (5, "a", 1)],
        [(-10, "b", 1), (-5, "a", 2), (-5, "b", 1), (0, "a", 3)],
    ]
