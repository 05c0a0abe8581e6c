"""Each Spark type as JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import orjson
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.kernel.variant.parse import carried_of_json
from app.plan import types as t
from app.plan.carriers import arrow_schema, arrow_type
from app.plan.ddl import parse_schema, parse_type
from app.web.encode import to_csv, to_json, to_ndjson, to_values

BC = pa.array([-62_135_596_800_000_001], pa.int64())
FAR = pa.array([253_402_300_800_500_000], pa.int64())


def encoded(ddl: str, value: Any) -> Any:
    kind = parse_type(ddl)
    carried = arrow_type(kind)
    array = value.cast(carried) if isinstance(value, pa.Array) else pa.array([value], carried)
    table = pa.table({"v": array})
    schema = t.StructType([t.StructField("v", kind)])
    ((result,),) = to_values(table, schema)
    assert json.loads(to_ndjson(table, schema)) == {"v": result}
    return result


@pytest.mark.parametrize(
    ("ddl", "value", "expected"),
    [
        ("bigint", 2**63 - 1, 2**63 - 1),
        ("tinyint", -128, -128),
        ("boolean", True, True),
        ("string", 'a"\n\u2028', 'a"\n\u2028'),
        ("float", 0.1, 0.1),
        ("float", float("-inf"), "-Infinity"),
        ("double", 1e300, 1e300),
        ("double", float("nan"), "NaN"),
        ("double", float("inf"), "Infinity"),
        (
            "decimal(38,2)",
            Decimal("123456789012345678901234567890123456.78"),
            "123456789012345678901234567890123456.78",
        ),
        ("decimal(20,10)", Decimal("0.0000000001"), "0.0000000001"),
        ("decimal(3,0)", Decimal("100"), "100"),
        ("binary", b"\x00\xff", "AP8="),
        ("date", pa.array([2_932_897], pa.int32()), "10000-01-01"),
        ("date", pa.array([-1], pa.int32()), "1969-12-31"),
        ("date", pa.array([-735_525], pa.int32()), "-0044-03-15"),
        ("date", pa.array([2**31 - 1], pa.int32()), "5881580-07-11"),
        ("timestamp", pa.array([2**63 - 2], pa.int64()), "294247-01-10T04:00:54.775806Z"),
        ("timestamp_ntz", pa.array([-(2**63)], pa.int64()), "-290308-12-21T19:59:05.224192"),
        ("timestamp", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "2026-01-02T03:04:05Z"),
        ("timestamp", datetime(2026, 1, 2, 3, 4, 5, 670_000, tzinfo=UTC), "2026-01-02T03:04:05.67Z"),
        ("timestamp", FAR, "10000-01-01T00:00:00.5Z"),
        ("timestamp_ntz", datetime(2026, 1, 2, 3, 4, 5, 1), "2026-01-02T03:04:05.000001"),
        ("interval day to second", timedelta(days=1, microseconds=1), "PT86400.000001S"),
        ("interval day to second", timedelta(seconds=-1.5), "PT-1.5S"),
        ("interval year to month", 14, "P14M"),
        ("interval", pa.MonthDayNano([14, -3, 1_500_000_000]), "P14M-3DT1.5S"),
        ("time", time(1, 2, 3, 40_000), "01:02:03.04"),
        ("array<double>", [1.5, None, float("nan")], [1.5, None, "NaN"]),
        ("array<array<int>>", [[1], [], None], [[1], [], None]),
        ("map<string,bigint>", [("a", 1), ("b", None)], {"a": 1, "b": None}),
        ("map<int,date>", [(7, 0)], {"7": "1970-01-01"}),
        ("struct<a:int,b:struct<c:binary>>", {"a": None, "b": {"c": b"x"}}, {"a": None, "b": {"c": "eA=="}}),
        ("void", None, None),
    ],
)
def test_a_value_in_json(ddl: str, value: Any, expected: Any) -> None:
    assert encoded(ddl, value) == expected


def test_a_year_before_the_first_is_printed_all_the_same() -> None:
    assert encoded("timestamp", BC) == "0000-12-31T23:59:59.999999Z"


@pytest.mark.parametrize("ddl", ["int", "float", "decimal(5,1)", "date", "timestamp", "binary", "array<int>",
                                 "map<string,int>", "struct<a:int>", "interval day to second"])  # fmt: skip
def test_null_is_null_in_every_type(ddl: str) -> None:
    assert encoded(ddl, None) is None


def test_a_cut_of_a_nested_table_keeps_rows_and_nulls_apart() -> None:
    schema = parse_schema("s struct<a:int>, xs array<int>, m map<string,int>")
    rows = [{"s": {"a": n} if n % 2 else None, "xs": [n] * n, "m": [(str(n), n)]} for n in range(6)]
    table = pa.Table.from_pylist(rows, schema=arrow_schema(schema)).slice(2, 3)
    assert [json.loads(line) for line in to_ndjson(table, schema).splitlines()] == [
        {"s": {"a": n} if n % 2 else None, "xs": [n] * n, "m": {str(n): n}} for n in (2, 3, 4)
    ]


def test_a_table_without_rows_still_has_its_columns() -> None:
    schema = parse_schema("a int, `b,c` string")
    table = arrow_schema(schema).empty_table()
    assert orjson.loads(to_json(table, schema, {})) == {
        "columns": [
            {"name": "a", "type": "int", "nullable": True},
            {"name": "b,c", "type": "string", "nullable": True},
        ],
        "rows": [],
    }
    assert to_csv(table, schema) == b'a,"b,c"\r\n'
    assert to_ndjson(table, schema) == b""


def test_csv_tells_null_from_the_empty_string() -> None:
    schema = parse_schema("a string, b string")
    table = pa.Table.from_pylist([{"a": None, "b": ""}], schema=arrow_schema(schema))
    assert to_csv(table, schema) == b'a,b\r\n,""\r\n'


def test_nested_values_are_json_in_csv() -> None:
    schema = parse_schema("xs array<string>, b boolean")
    table = pa.Table.from_pylist([{"xs": ["a", 'b"'], "b": True}], schema=arrow_schema(schema))
    assert next(csv.reader(io.StringIO(to_csv(table, schema).decode().split("\r\n", 1)[1]))) == ['["a","b\\""]', "true"]


@given(st.lists(st.tuples(st.text(), st.text()), max_size=8))
def test_any_text_comes_back_from_csv(rows: list[tuple[str, str]]) -> None:
    schema = parse_schema("a string, b string")
    table = pa.table({"a": [a for a, _ in rows], "b": [b for _, b in rows]}, schema=arrow_schema(schema))
    text = to_csv(table, schema).decode()
    assert [tuple(row) for row in csv.reader(io.StringIO(text, newline=""), strict=True)][1:] == rows


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), max_size=8))
def test_a_float_is_written_so_that_it_reads_back(values: list[float]) -> None:
    table = pa.table({"v": pa.array(values, pa.float32())})
    (shown,) = to_values(table, parse_schema("v float"))
    assert pa.array(shown, pa.float32()).to_pylist() == values


def test_a_variant_is_the_json_it_holds() -> None:
    carried = carried_of_json('{"a":[1.50,12345678901234567890,"é",null,1e400],"b":{}}')
    kind = t.VariantType()
    table = pa.table({"v": pa.array([{"variant": carried}, None], arrow_type(kind))})
    schema = t.StructType([t.StructField("v", kind)])
    text = '{"a":[1.5,12345678901234567890,"é",null,"Infinity"],"b":{}}'
    assert to_ndjson(table, schema).decode() == f'{{"v":{text}}}\n{{"v":null}}\n'
    assert list(csv.reader(io.StringIO(to_csv(table, schema).decode()))) == [["v"], [text], []]
