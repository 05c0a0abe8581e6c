"""In which zone the times in CSV and JSON are read; the instants are those of Spark 4.2.0."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from app.errors import PlanError
from app.plan.nodes import Scan
from app.plan.types import StructType
from app.sources.files import FileFormat

NEW_YORK = {
    "2024-03-10 02:30:00": "2024-03-10T07:30:00",  # a gap: moved on by it
    "2024-03-10T02:30:00.123": "2024-03-10T07:30:00.123",
    "2024-11-03 01:30:00": "2024-11-03T05:30:00",  # an overlap: the earlier
    "2024-07-01 12:00:00": "2024-07-01T16:00:00",
    " 2024-07-01 12 ": "2024-07-01T16:00:00",
    "2024-07-01": "2024-07-01T04:00:00",
    "2024-07": "2024-07-01T04:00:00",
    "1900-01-01 00:00:00": "1900-01-01T05:00:00",
    "2024-07-01 12:00:00Z": "2024-07-01T12:00:00",
    "2024-07-01T12:00:00+05:30": "2024-07-01T06:30:00",
    "2024-07-01 12:00:00 Asia/Tokyo": "2024-07-01T03:00:00",
    "bad": None,
}
TOKYO = {
    "2024-03-10 02:30:00": "2024-03-09T17:30:00",
    "2024-07-01": "2024-06-30T15:00:00",
    "2024-07-01 12:00:00": "2024-07-01T03:00:00",
    "2024-07-01 12:00:00Z": "2024-07-01T12:00:00",
}
CASES = [
    *(("America/New_York", text, instant) for text, instant in NEW_YORK.items()),
    *(("Asia/Tokyo", text, instant) for text, instant in TOKYO.items()),
    ("+09:00", "2024-07-01 12:00:00", "2024-07-01T03:00:00"),
    ("PST", "2024-07-01 12:00:00", "2024-07-01T19:00:00"),
    ("UTC", "2024-07-01 12:00:00", "2024-07-01T12:00:00"),
]


def read(kind: str, path: Path, ddl: str | None, zone: str = "UTC", **options: str) -> list[tuple[Any, ...]]:
    """The rows of a file in a session of this time zone."""
    given = {"path": str(path), **{name.lower(): value for name, value in options.items()}}
    source = FileFormat(kind)
    schema = source.schema(given, StructType.fromDDL(ddl) if ddl else None, False)
    scan = Scan(kind, tuple(sorted(given.items())), schema, False, time_zone=zone)
    return [tuple(row.values()) for row in source.load(scan).to_pylist()]


def at(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).replace(tzinfo=UTC)


def written(folder: Path, kind: str, text: str) -> Path:
    path = folder / f"times.{kind}"
    path.write_text(f"{text}\n" if kind == "csv" else json.dumps({"a": text}))
    return path


@pytest.mark.parametrize("kind", ["csv", "json"])
@pytest.mark.parametrize(("zone", "text", "instant"), CASES)
def test_a_time_without_a_zone_is_one_of_the_session_or_of_the_option(
    tmp_path: Path, kind: str, zone: str, text: str, instant: str | None
) -> None:
    path = written(tmp_path, kind, text)
    asked = read(kind, path, "a timestamp", "Europe/Berlin", timeZone=zone)
    assert asked == [(at(instant),)]
    if zone.count("/"):
        assert read(kind, path, "a timestamp", zone) == asked


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_dates_and_times_without_a_zone_are_not_shifted(tmp_path: Path, kind: str) -> None:
    path = written(tmp_path, kind, "2024-07-01 00:30:00")
    assert read(kind, path, "a timestamp_ntz", "Asia/Tokyo") == [(datetime(2024, 7, 1, 0, 30),)]
    assert read(kind, path, "a date", "Asia/Tokyo") == [(date(2024, 7, 1),)]
    assert read(kind, written(tmp_path, kind, "2024-07-01T23:30:00Z"), "a date", "Asia/Tokyo") == [(date(2024, 7, 1),)]


def test_times_inside_of_json_values(tmp_path: Path) -> None:
    path, noon = tmp_path / "a.json", "2024-07-01 12:00:00"
    path.write_text(json.dumps({"l": [noon, 60], "m": {"k": noon}, "s": {"x": noon}}))
    rows = read("json", path, "l array<timestamp>, m map<string,timestamp>, s struct<x:timestamp>", "Asia/Tokyo")
    there = at("2024-07-01T03:00:00")
    assert rows == [([there, datetime.fromtimestamp(60, UTC)], [("k", there)], {"x": there})]


def test_times_of_inferred_columns(tmp_path: Path) -> None:
    path = written(tmp_path, "csv", "2024-07-01 12:00:00")
    assert read("csv", path, None, "Asia/Tokyo", inferSchema="true") == [(at("2024-07-01T03:00:00"),)]
    assert read("csv", path, None, "Asia/Tokyo") == [("2024-07-01 12:00:00",)]
    assert read("json", written(tmp_path, "json", "2024-07-01"), None, "Asia/Tokyo") == [("2024-07-01",)]


@pytest.mark.parametrize("zone", ["Nope", "", "+25:00", "+18:30"])
def test_a_zone_that_is_none_is_refused_when_the_reader_is_built(tmp_path: Path, zone: str) -> None:
    with pytest.raises(PlanError, match="INVALID_TIMEZONE"):
        read("csv", written(tmp_path, "csv", "2024-07-01"), "a timestamp", timeZone=zone)


def test_formats_without_times_in_text_have_no_time_zone(tmp_path: Path) -> None:
    path = written(tmp_path, "csv", "2024-07-01")
    assert read("text", path, None, "Asia/Tokyo") == [("2024-07-01",)]
    with pytest.raises(PlanError, match="UNKNOWN_OPTION"):
        read("text", path, None, timeZone="UTC")
