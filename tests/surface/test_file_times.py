"""Times in files, read in the session's zone or in the reader's."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.sql import DataFrame, SparkSession

NOON = "2024-07-01 12:00:00"
NEW_YORK, TOKYO, UTC = "2024-07-01 16:00:00", "2024-07-01 03:00:00", NOON


@pytest.fixture
def folder(tmp_path: Path) -> str:
    (tmp_path / "a.csv").write_text(f"{NOON}\n")
    return str(tmp_path)


def instant(frame: DataFrame) -> str:
    """The only time of a frame, as a clock in Greenwich shows it."""
    shown = frame.selectExpr("cast(to_utc_timestamp(a, current_timezone()) AS string) AS a").first()
    assert shown is not None
    return str(shown.a)


def test_a_reader_keeps_the_zone_that_the_session_had(spark: SparkSession, folder: str) -> None:
    frame = spark.read.schema("a timestamp").csv(folder)
    assert instant(frame) == NEW_YORK, "what the session was built with"
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    assert instant(spark.read.schema("a timestamp").csv(folder)) == TOKYO
    assert instant(spark.read.schema("a timestamp").option("timeZone", "UTC").csv(folder)) == UTC
    casted = spark.read.text(folder).selectExpr("cast(value AS timestamp) AS a")
    assert instant(casted) == TOKYO, "as a cast has it"


def test_a_stream_reads_in_the_zone_of_its_reader(spark: SparkSession, folder: str) -> None:
    readers = {"here": spark.readStream, "there": spark.readStream.option("timeZone", "Asia/Tokyo")}
    frames = {name: reader.schema("a timestamp").csv(folder) for name, reader in readers.items()}
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    for name, frame in frames.items():
        query = frame.writeStream.format("memory").queryName(name).trigger(availableNow=True).start()
        assert query.awaitTermination(30)
    assert {name: instant(spark.table(name)) for name in frames} == {"here": NEW_YORK, "there": TOKYO}
