"""Times in files by the patterns of a reader's options; the rows are those of Spark 4.2.0."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.errors import PlanError
from app.sql import SparkSession

Cells = list[list[str | None]]

CASES: list[tuple[str, str, str | None, dict[str, str], str, Cells]] = [
    (
        "csv",
        "05.03.2024,05.03.2024 10:11,2024/03/05 10\n+,x,y\n31.02.2024,05.03.2024 24:00,2024/03/05 10 +01\n",
        "d date, t timestamp, n timestamp_ntz",
        {"dateFormat": "dd.MM.yyyy", "timestampFormat": "dd.MM.yyyy HH:mm", "timestampNTZFormat": "yyyy/MM/dd HH[ X]"},
        "struct<d:date,t:timestamp,n:timestamp_ntz>",
        [["2024-03-05", "2024-03-05 10:11:00", "2024-03-05 10:00:00"], [None, None, None], [None, None, None]],
    ),
    (
        "csv",
        "05.03.2024,05.03.2024 10:11,2024/03/05 10\n+,x,y\n",
        "d date, t timestamp, n timestamp_ntz, _corrupt_record string",
        {"dateFormat": "dd.MM.yyyy", "timestampFormat": "dd.MM.yyyy HH:mm", "timestampNTZFormat": "yyyy/MM/dd HH"},
        "struct<d:date,t:timestamp,n:timestamp_ntz,_corrupt_record:string>",
        [["2024-03-05", "2024-03-05 10:11:00", "2024-03-05 10:00:00", None], [None, None, None, "+,x,y"]],
    ),
    (
        "csv",
        "05.03.2024,05.03.2024 10:11,2024/03/05 10\n06.03.2024,06.03.2024 10:11,x\n",
        None,
        {"inferSchema": "true", "dateFormat": "dd.MM.yyyy", "timestampFormat": "dd.MM.yyyy HH:mm"},
        "struct<_c0:date,_c1:timestamp,_c2:string>",
        [["2024-03-05", "2024-03-05 10:11:00", "2024/03/05 10"], ["2024-03-06", "2024-03-06 10:11:00", "x"]],
    ),
    (
        "csv",
        "2024-03-05,2024-03-05 10:11:12\n",
        None,
        {"inferSchema": "true", "dateFormat": "dd.MM.yyyy"},
        "struct<_c0:timestamp,_c1:timestamp>",
        [["2024-03-05 00:00:00", "2024-03-05 10:11:12"]],
    ),
    (
        "csv",
        "2024-03-05,2024-03-05 10:11:12\n",
        None,
        {"inferSchema": "true", "timestampFormat": "dd.MM.yyyy"},
        "struct<_c0:date,_c1:string>",
        [["2024-03-05", "2024-03-05 10:11:12"]],
    ),
    (
        "csv",
        "05.03.2024\n",
        None,
        {"inferSchema": "true", "timestampFormat": "dd.MM.yyyy"},
        "struct<_c0:timestamp>",
        [["2024-03-05 00:00:00"]],
    ),
    (
        "csv",
        "1230,1230\n",
        None,
        {"inferSchema": "true", "timestampFormat": "HHmm"},
        "struct<_c0:int,_c1:int>",
        [["1230", "1230"]],
    ),
    (
        "csv",
        "2024-03-05T10:11:12.5Z\n2024-03-05T10:11:12\n2024-03-05 10:11:12\n",
        "t timestamp",
        {"timestampFormat": "yyyy-MM-dd'T'HH:mm:ss[.SSS][XXXXX]"},
        "struct<t:timestamp>",
        [["2024-03-05 05:11:12.5"], ["2024-03-05 10:11:12"], [None]],
    ),
    (
        "csv",
        "2024-03-05 10:11:12\n2024-03-05\n",
        "t timestamp",
        {"timestampFormat": "yyyy-MM-dd HH:mm:ss"},
        "struct<t:timestamp>",
        [["2024-03-05 10:11:12"], [None]],
    ),
    (
        "csv",
        "2024-3-5\n2024-03-05\n2024\n",
        "t date",
        {"dateFormat": "yyyy-MM-dd"},
        "struct<t:date>",
        [[None], ["2024-03-05"], [None]],
    ),
    (
        "csv",
        "2024-03-05 10:11\n",
        "t timestamp",
        {"timestampFormat": "yyyy-MM-dd HH:mm", "timeZone": "Asia/Tokyo"},
        "struct<t:timestamp>",
        [["2024-03-04 20:11:00"]],
    ),
    (
        "csv",
        "2024-03-05 10:11 PST\n5 mar 24\n",
        "t timestamp",
        {"timestampFormat": "[yyyy-MM-dd HH:mm z][d MMM yy]"},
        "struct<t:timestamp>",
        [["2024-03-05 13:11:00"], ["2024-03-05 00:00:00"]],
    ),
    (
        "csv",
        "05.03.2024\nx\n",
        "t date",
        {"dateFormat": "dd.MM.yyyy", "mode": "DROPMALFORMED"},
        "struct<t:date>",
        [["2024-03-05"]],
    ),
    (
        "json",
        '{"d":"05.03.2024","t":"05.03.2024 10:11","n":"2024/03/05 10","a":["06.03.2024"]}\n'
        '{"d":"x","t":1709633472,"n":"2024/03/05 10 +01","a":["2024-03-05"]}\n',
        "d date, t timestamp, n timestamp_ntz, a array<date>, _corrupt_record string",
        {"dateFormat": "dd.MM.yyyy", "timestampFormat": "dd.MM.yyyy HH:mm", "timestampNTZFormat": "yyyy/MM/dd HH[ X]"},
        "struct<d:date,t:timestamp,n:timestamp_ntz,a:array<date>,_corrupt_record:string>",
        [
            ["2024-03-05", "2024-03-05 10:11:00", "2024-03-05 10:00:00", "[2024-03-06]", None],
            [
                None,
                "2024-03-05 05:11:12",
                None,
                None,
                '{"d":"x","t":1709633472,"n":"2024/03/05 10 +01","a":["2024-03-05"]}',
            ],
        ],
    ),
    (
        "json",
        '{"t":"2024-03-05 10:11:12"}\n{"t":"2024-03-05"}\n{"t":"2024-03-05T10:11:12Z"}\n',
        "t timestamp",
        {"timestampFormat": "yyyy-MM-dd HH:mm:ss"},
        "struct<t:timestamp>",
        [["2024-03-05 10:11:12"], [None], [None]],
    ),
    (
        "json",
        '{"t":"5 mar 24"}\n{"t":"11 PM"}\n',
        "t timestamp",
        {"timestampFormat": "[d MMM yy][h a]"},
        "struct<t:timestamp>",
        [["2024-03-05 00:00:00"], ["1970-01-01 23:00:00"]],
    ),
    ("json", '{"t":"5 mar 24"}\n', None, {"timestampFormat": "d MMM yy"}, "struct<t:string>", [["5 mar 24"]]),
]


def _written(folder: Path, kind: str, text: str) -> str:
    (folder / f"a.{kind}").write_text(text)
    return str(folder)


@pytest.mark.parametrize(("kind", "text", "schema", "options", "columns", "rows"), CASES)
def test_times_are_read_by_the_patterns_of_the_reader(
    spark: SparkSession,
    tmp_path: Path,
    kind: str,
    text: str,
    schema: str | None,
    options: dict[str, str],
    columns: str,
    rows: Cells,
) -> None:
    reader = spark.read.format(kind).options(**options)
    frame = (reader.schema(schema) if schema else reader).load(_written(tmp_path, kind, text))
    assert frame.schema.simpleString() == columns
    shown = frame.selectExpr(*(f"cast(`{name}` AS string)" for name in frame.columns))
    assert [list(row) for row in shown.collect()] == rows


@pytest.mark.parametrize(
    ("pattern", "code"),
    [
        ("w", "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION"),
        ("V", "INVALID_DATETIME_PATTERN.WITH_SUGGESTION"),
        ("E", "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION"),
        ("q", "INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER"),
    ],
)
def test_a_pattern_that_reads_nothing_is_refused_by_the_reader(
    spark: SparkSession, tmp_path: Path, pattern: str, code: str
) -> None:
    with pytest.raises(PlanError) as caught:
        spark.read.schema("a timestamp").csv(_written(tmp_path, "csv", "x"), timestampFormat=pattern)
    assert caught.value.code == code


def test_a_stream_reads_by_the_patterns_of_its_reader(spark: SparkSession, tmp_path: Path) -> None:
    reader = spark.readStream.schema("a date, b timestamp").option("dateFormat", "d-MMM-yy")
    frame = reader.option("timestampFormat", "K:mm a").csv(_written(tmp_path, "csv", "5-Mar-24,11:30 PM"))
    query = frame.writeStream.format("memory").queryName("patterns").trigger(availableNow=True).start()
    assert query.awaitTermination(30)
    rows = spark.table("patterns").selectExpr("string(a)", "string(b)").collect()
    assert [list(row) for row in rows] == [["2024-03-05", "1970-01-01 23:30:00"]]
