"""The rows every expression on columns is evaluated over, by Spark when recording and by us when replaying."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

SCHEMA = (
    "id int, b tinyint, sh smallint, i int, l bigint, f float, d double, n decimal(10,2), s string, w string, "
    "p boolean, bin binary, dt date, ts timestamp, ai array<int>, sa array<string>, m map<string,int>, "
    "st struct<x: int, y: string>, num string, js string"
)

NAN, INF = float("nan"), float("inf")


def _at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type, misc]


ROWS: list[tuple[object, ...]] = [
    (1, 1, 10, 100, 1000, 1.5, 2.5, Decimal("12.34"), "Hello World", "a,b,c", True, b"abc",
     date(2020, 2, 29), _at(2020, 2, 29, 12, 34, 56, 789000), [3, 1, 2], ["x", "y"], {"a": 1, "b": 2},
     {"x": 1, "y": "one"}, "42", '{"a": 1, "b": [1, 2], "c": "x"}'),
    (2, -1, -10, -7, -1000, -2.25, -2.5, Decimal("-0.05"), "  spaced  ", "", False, b"",
     date(1969, 12, 31), _at(1969, 12, 31, 23, 59, 59, 999999), [], [], {}, {"x": -5, "y": "zwei"}, " -7 ", "{}"),
    (3, None, None, None, None, None, None, None, None, None, None, None, None, None, None, None, None, None, None,
     None),
    (4, 127, 32767, 2147483647, 9223372036854775807, INF, NAN, Decimal("99999999.99"), "straße ÄÖ", "aa,,bb", True,
     b"\xff\x00", date(2024, 12, 31), _at(2024, 12, 31, 0, 0, 0), [None, 5, 5], [None, "z", "x"],
     {"k": None}, {"x": None, "y": None}, "1e3", '{"a": null, "d": {"e": 1.5}}'),
    (5, -128, -32768, -2147483648, -9223372036854775808, -0.0, -0.0, Decimal("0.00"), "", "abcabc", None, b"\x00",
     date(2000, 1, 1), _at(2000, 1, 1, 6, 0, 0, 1), [2, None], ["b", "a", "b"], {"a": 1, "b": 7}, None, "x",
     "not json"),
    (6, 0, 0, 0, 0, 0.0, 0.0, Decimal("0.01"), "foo.bar", "ABC", False, b"abc", date(2023, 1, 1),
     _at(2023, 1, 1, 23, 59, 59), [1, 2, 3, 4], ["a b", ""], {"z": 26}, {"x": 6, "y": ""}, "0", "[1,2]"),
    (7, 5, 300, 42, 123456789012, 1e10, 1e-5, Decimal("1.50"), "日本語", "éàü", True, b"\xe6\x97\xa5",
     date(1582, 10, 15), _at(1582, 10, 15, 12, 0, 0), [42], ["日本"], {"日": 1}, {"x": 42, "y": "日"}, "-1.5",
     '{"a": "text", "b": []}'),
    (8, 5, 300, 42, 99, 0.1, 123456789.125, Decimal("-12345678.90"), "Hello World", "a,b,c", False, b"zz",
     date(2020, 2, 29), _at(2020, 3, 1, 0, 0, 0), [3, 1, 2], ["x", "y"], {"a": 1, "b": 2},
     {"x": 1, "y": "one"}, "2020-01-01", '{"a": true, "b": {"c": [{"d": 1}]}}'),
]  # fmt: skip
