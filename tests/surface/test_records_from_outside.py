"""Records as the world writes them: read as a table and as a stream of files, they give the same."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from app.errors import EngineError, QueryFailed
from app.sql import DataFrame, SparkSession
from app.sql import functions as F

BOM = b"\xef\xbb\xbf"
Make = Callable[[DataFrame], DataFrame]


class Folder:
    """A folder of files in one format, read both ways."""

    def __init__(self, spark: SparkSession, path: Path, kind: str, **options: str) -> None:
        self._spark, self._path, self._kind, self._options = spark, path, kind, options

    def put(self, name: str, data: bytes) -> None:
        (self._path / name).write_bytes(data)

    def table(self, ddl: str) -> DataFrame:
        return self._spark.read.format(self._kind).schema(ddl).options(**self._options).load(str(self._path))

    def stream(self, ddl: str) -> DataFrame:
        return self._spark.readStream.format(self._kind).schema(ddl).options(**self._options).load(str(self._path))

    def both(self, ddl: str, make: Make, mode: str = "append") -> tuple[list[Any], list[Any]]:
        """What the rows become as a table, and as a stream."""
        query = make(self.stream(ddl)).writeStream.format("memory").queryName("seen").outputMode(mode).start()
        try:
            query.processAllAvailable()
            return make(self.table(ddl)).collect(), self._spark.table("seen").collect()
        finally:
            query.stop()


def same(df: DataFrame) -> DataFrame:
    return df


INSTANTS = (
    "2020-03-26T11:03:29.986905-0700",
    "2020-03-26T11:03:29.986905-07:00",
    "2020-03-26T18:03:29.986905Z",
    "2020-03-27T00:03:29.986905+06:00",
    "2020-03-26T23:33:29.9869051+0530",
)
ONE_GROUP = [(datetime(2020, 3, 26, 18, 3, 29, 986905, tzinfo=UTC), 5)]


@pytest.mark.parametrize("kind", ["json", "csv", "from_json", "from_csv", "cast", "to_timestamp"])
def test_an_instant_with_any_spelling_of_its_offset_is_one_group(
    spark: SparkSession, tmp_path: Path, kind: str
) -> None:
    in_json = kind.endswith("json")
    folder = Folder(spark, tmp_path, kind if kind in ("json", "csv") else "text")
    folder.put("a", "".join(f'{{"t":"{t}"}}\n' if in_json else f"{t}\n" for t in INSTANTS).encode())
    value = {
        "from_json": "from_json(value, 't timestamp').t", "from_csv": "from_csv(value, 't timestamp').t",
        "cast": "cast(value as timestamp)", "to_timestamp": "to_timestamp(value)",
    }.get(kind, "t")  # fmt: skip

    def grouped(df: DataFrame) -> DataFrame:
        return df.selectExpr(f"{value} AS t").groupBy("t").count()

    table, stream = folder.both("t timestamp" if kind in ("json", "csv") else "value string", grouped, "complete")
    assert [(t.astimezone(UTC), n) for t, n in table] == [(t.astimezone(UTC), n) for t, n in stream] == ONE_GROUP


def test_a_local_time_in_a_record_has_no_offset(spark: SparkSession, tmp_path: Path) -> None:
    folder = Folder(spark, tmp_path, "json")
    folder.put("a", b'{"t":"2020-03-26T11:03:29-07:00"}\n{"t":"2020-03-26T11:03:29"}\n')
    rows = [(None, '{"t":"2020-03-26T11:03:29-07:00"}'), (datetime(2020, 3, 26, 11, 3, 29), None)]
    assert folder.both("t timestamp_ntz, _corrupt_record string", same) == (rows, rows)


MILLISECONDS = b'{"t":1765233417000}\n{"t":1765233417}\n{"t":1765233417000000}\n{"t":99999999999999999}\n'


def test_milliseconds_in_another_unit_are_what_they_say_and_never_a_near_date(
    spark: SparkSession, tmp_path: Path
) -> None:
    folder = Folder(spark, tmp_path, "json")
    folder.put("a", MILLISECONDS)

    def dated(df: DataFrame) -> DataFrame:
        bound = F.when(F.col("t") < 253402300800000, F.expr("timestamp_millis(t)"))
        return df.select("t", bound.cast("string").alias("at"))

    rows = [
        (1765233417000, "2025-12-08 17:36:57"),
        (1765233417, "1970-01-21 05:20:33.417"),
        (1765233417000000, None),
        (99999999999999999, None),
    ]
    assert folder.both("t bigint", dated) == (rows, rows)


def test_milliseconds_beyond_every_instant_are_an_error_with_a_name(spark: SparkSession) -> None:
    with pytest.raises(EngineError) as caught:
        spark.sql("SELECT timestamp_millis(99999999999999999)").collect()
    assert caught.value.code == "ARITHMETIC_OVERFLOW"


def test_seconds_beyond_every_instant_are_a_malformed_record(spark: SparkSession, tmp_path: Path) -> None:
    folder = Folder(spark, tmp_path, "json")
    folder.put("a", b'{"t":1765233417}\n{"t":99999999999999999}\n')

    def shown(df: DataFrame) -> DataFrame:
        return df.select(F.col("t").cast("string").alias("t"), "_corrupt_record")

    rows = [("2025-12-08 17:36:57", None), (None, '{"t":99999999999999999}')]
    assert folder.both("t timestamp, _corrupt_record string", shown) == (rows, rows)


POISON = ('{"a":"x","n":"abc","m":3}', '{"a":"y"', '{"a":"z","n":5,"m":6}')
FIELDS = "a string, n int, m int, _corrupt_record string"


def test_one_field_of_the_wrong_type_leaves_the_others(spark: SparkSession, tmp_path: Path) -> None:
    rows = [("x", None, 3, POISON[0]), (None, None, None, POISON[1]), ("z", 5, 6, None)]
    (tmp_path / "a").write_text("\n".join(POISON))
    assert Folder(spark, tmp_path, "json").both(FIELDS, same) == (rows, rows)

    def parsed(df: DataFrame) -> DataFrame:
        return df.select(F.from_json("value", FIELDS).alias("r")).select("r.*")

    assert Folder(spark, tmp_path, "text").both("value string", parsed) == (rows, rows)


def test_dropped_records_go_whole(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("\n".join(POISON))
    rows = [("z", 5, 6, None)]
    assert Folder(spark, tmp_path, "json", mode="DROPMALFORMED").both(FIELDS, same) == (rows, rows)


@pytest.mark.parametrize("kind", ["json", "text"])
def test_a_record_that_may_not_be_wrong_stops_the_query_and_is_shown(
    spark: SparkSession, tmp_path: Path, kind: str
) -> None:
    (tmp_path / "a").write_text("\n".join(POISON))

    def parsed(df: DataFrame) -> DataFrame:
        strict = F.from_json("value", FIELDS, {"mode": "FAILFAST"})
        return df.select(strict.alias("r")).select("r.*") if kind == "text" else df

    folder = Folder(spark, tmp_path, kind, **({"mode": "FAILFAST"} if kind == "json" else {}))
    ddl = FIELDS if kind == "json" else "value string"
    with pytest.raises(EngineError, match="abc") as caught:
        parsed(folder.table(ddl)).collect()
    assert caught.value.code.startswith("MALFORMED_RECORD_IN_PARSING")
    with pytest.raises(QueryFailed, match="abc"):
        folder.both(ddl, parsed)


@pytest.mark.parametrize(
    ("kind", "data", "ddl", "options", "rows"),
    [
        ("csv", b"id,name\n1,Ann\n", "id int, name string", {"header": "true"}, [(1, "Ann")]),
        ("csv", b"1,Ann\n", "id int, name string", {}, [(1, "Ann")]),
        ("json", b'{"id":1,"name":"Ann"}\n', "id int, name string", {}, [(1, "Ann")]),
        ("json", b'[{"id":1},\n{"id":2}]', "id int", {"multiLine": "true"}, [(1,), (2,)]),
        ("text", b"one\ntwo\n", "value string", {}, [("one",), ("two",)]),
        ("csv", b"", "id int", {"header": "true"}, []),
        ("json", b"", "id int", {}, []),
        ("text", b"", "value string", {}, []),
    ],
)
def test_a_byte_order_mark_is_no_part_of_the_first_value(
    spark: SparkSession, tmp_path: Path, kind: str, data: bytes, ddl: str, options: dict[str, str], rows: list[Any]
) -> None:
    folder = Folder(spark, tmp_path, kind, **options)
    folder.put("a", BOM + data)
    folder.put("b", BOM + data)
    assert folder.both(ddl, same) == (rows + rows, rows + rows)


def test_a_byte_order_mark_is_no_part_of_the_first_name(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(BOM + b'"id",name\n1,Ann\n')
    df = spark.read.csv(str(tmp_path), header=True, inferSchema=True)
    assert (df.columns, df.collect()) == (["id", "name"], [(1, "Ann")])


@pytest.mark.parametrize(
    ("spec", "texts", "windows"),
    [
        (("10 seconds",), ["1969-12-31T23:59:59Z"], [(-10, 0, 1)]),
        (("10 seconds", "10 seconds", "5 seconds"), ["1969-12-31T23:59:59Z"], [(-5, 5, 1)]),
        (("1 minute",), ["1960-05-22T00:00:30Z"], [(-303350400, -303350340, 1)]),
        (("8 seconds", "4 seconds", "3 seconds"), ["1969-12-31T23:59:57Z"], [(-9, -1, 1), (-5, 3, 1)]),
        (
            ("1 hour",),
            ["2026-03-08T06:30:00Z", "2026-03-08T07:30:00Z", "2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z"],
            [(start, start + 3600, 1) for start in (1772949600, 1772953200, 1793509200, 1793512800)],
        ),
        (
            ("10 seconds", "5 seconds"),
            [f"1970-01-01T00:00:{second:02}Z" for second in range(0, 40, 2)],
            [(-5, 5, 3), *[(start, start + 10, 5) for start in range(0, 35, 5)], (35, 45, 2)],
        ),
    ],
    ids=["before 1970", "before 1970, moved", "ten years before 1970", "overlapping and moved", "hours of a zone whose "
         "clock is put forward and back", "overlapping"],
)  # fmt: skip
def test_a_window_holds_the_rows_from_its_start_up_to_its_end(
    spark: SparkSession, tmp_path: Path, spec: tuple[str, ...], texts: list[str], windows: list[tuple[int, int, int]]
) -> None:
    """In the session time zone America/New_York."""
    folder = Folder(spark, tmp_path, "csv")
    folder.put("a", "\n".join(texts).encode())

    def counted(df: DataFrame) -> DataFrame:
        found = df.groupBy(F.window("ts", *spec).alias("w")).count()
        return found.select(F.unix_seconds("w.start").alias("a"), F.unix_seconds("w.end").alias("b"), "count")

    table, stream = folder.both("ts timestamp", counted, "complete")
    assert sorted(table) == sorted(stream) == windows
