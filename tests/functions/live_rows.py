"""The columns that random expressions are over, their edge-valued rows, and the constants beside them."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

SCHEMA = (
    "id int, g int, b tinyint, i int, j int, l bigint, f float, d double, e double, n decimal(10,2), w decimal(38,18), "
    "s string, u string, p boolean, bin binary, dt date, ts timestamp, ai array<int>, sa array<string>, "
    "m map<string,int>, st struct<x: int, y: string>, h smallint, nt timestamp_ntz, iv interval day to second, "
    "da array<double>, aa array<array<int>>, ma map<int,array<string>>, q decimal(5,2), js string, tm string"
)
COLUMNS = {
    "bool": "p", "tiny": "b", "short": "h", "int": "i j id", "long": "l", "float": "f", "double": "d e", "dec": "n w q",
    "str": "s u", "bin": "bin", "date": "dt", "ts": "ts", "ntz": "nt", "dts": "iv", "ym": "", "ints": "ai",
    "strs": "sa", "doubles": "da", "nested": "aa", "map": "m", "maparr": "ma", "st": "st", "json": "js", "time": "tm",
}  # fmt: skip
CONSTANTS = {
    "bool": "true;false;cast(null as boolean)",
    "tiny": "1Y;-1Y;127Y",
    "short": "1S;-300S;32767S",
    "int": "0;1;-1;2;7;2147483647;-2147483648;cast(null as int)",
    "long": "0L;1L;-3L;9223372036854775807L",
    "float": "cast(0.1 as float);cast('NaN' as float)",
    "double": "0.0D;-0.0D;1.5D;1e300D;cast('NaN' as double);cast('Infinity' as double)",
    "dec": "0.00;1.5;-0.005;99999999.99;cast(0.1 as decimal(38,18));12345678901234567890123456789012345678",
    "str": "'';'a';'Ab c';'é';'42';'null';cast(null as string)",
    "bin": "x'';x'00ff'",
    "date": "date'2024-02-29';date'1582-10-15';date'0001-01-01'",
    "ts": "timestamp'2024-03-31 02:30:00';timestamp'1969-12-31 23:59:59.999999'",
    "ntz": "timestamp_ntz'2024-11-03 01:30:00';timestamp_ntz'1969-12-31 23:59:59.999999'",
    "dts": "interval '1' day;interval '-1 02:03:04.5' day to second;interval '0' second",
    "ym": "interval '1' year;interval '-1-2' year to month;interval '0' month",
    "ints": "array(1, null, 3);array()",
    "strs": "array('b', 'a', null)",
    "doubles": "array(1.5D, null, -0.0D);array(cast('NaN' as double))",
    "nested": "array(array(1), null, array(2, null));array(array(0))",
    "map": "map('a', 1)",
    "maparr": "map(1, array('a'), 2, array(null))",
    "st": "named_struct('x', 1, 'y', 'z')",
    "json": """'{"a": [1, 2], "b": {"c": null}}';'[1, "x"]'""",
    "time": "'2024-02-29 12:34:56';'2024-1-2'",
}
_INTS = [0, 1, -1, 7, 42, 2**31 - 1, -(2**31)]
_FLOATS = [0.0, -0.0, 1.5, -2.25, 0.1, 1e10, float("nan"), float("inf"), float("-inf")]
_DOUBLES = [*_FLOATS, 1e-5, 123456789.125, 1e300, 5e-324]
_TEXTS = ["", "a", "abc", "Ab c", " x ", "a,b,c", "é", "日本", "42", "-1.5", "1e3", "2024-02-29", "null", '{"a": 1}']
_DAYS = [(1, 1, 1), (1582, 10, 4), (1582, 10, 15), (1969, 12, 31), (2024, 2, 29), (9999, 12, 31)]
_TIMES = [(1582, 10, 15, 12), (1969, 12, 31, 23, 59, 59, 999999), (2024, 3, 31, 1, 30), (2000, 1, 1), (2038, 1, 19, 3)]
_LOCAL = [*_TIMES, (2024, 11, 3, 1, 30), (1, 1, 1), (9999, 12, 31, 23, 59, 59, 999999)]
_SPANS = [timedelta(0), timedelta(days=1), timedelta(microseconds=-1), timedelta(hours=-25), timedelta(days=40000)]
_JSON = [
    '{"a": 1}',
    '{"a": [1, {"b": "x"}], "k": 1.5}',
    "[]",
    "[1, null, 3]",
    '"t"',
    "null",
    "{",
    '{"a": "é\\n", "b": {}}',
]
_MOMENTS = ["2024-02-29", "2024-02-29 12:34:56", "2024-02-30", "0001-01-01", "29/02/2024", "20240229", "x"]


def rows(seed: int, count: int = 24) -> list[tuple[Any, ...]]:
    """Rows of `SCHEMA`: edges of every type, and nulls."""
    rng = random.Random(f"rows {seed}")
    pick = rng.choice
    values: list[Callable[[], Any]] = [
        lambda: pick([0, 1, -1, 5, 127, -128]),
        lambda: pick(_INTS),
        lambda: pick(_INTS),
        lambda: pick([*_INTS, 2**63 - 1, -(2**63), 123456789012]),
        lambda: pick(_FLOATS),
        lambda: pick(_DOUBLES),
        lambda: pick(_DOUBLES),
        lambda: Decimal(pick(["0.00", "0.01", "-0.05", "12.34", "99999999.99", "-99999999.99"])),
        lambda: Decimal(pick(["0", "1.5", "-0.000000000000000001", "12345678901234567890.123456789"])),
        lambda: pick(_TEXTS),
        lambda: pick(_TEXTS),
        lambda: rng.random() < 0.5,
        lambda: pick([b"", b"a", b"\x00\xff", b"abc"]),
        lambda: date(*pick(_DAYS)),
        lambda: datetime(*pick(_TIMES), tzinfo=UTC),  # type: ignore[arg-type, misc]
        lambda: [pick([None, 1, 2, 3, -7]) for _ in range(rng.randrange(4))],
        lambda: [pick([None, "a", "b", ""]) for _ in range(rng.randrange(4))],
        lambda: {k: pick([None, 1, 2]) for k in rng.sample(["a", "b", "k", ""], rng.randrange(2))},
        lambda: {"x": pick([None, *_INTS]), "y": pick([None, *_TEXTS])},
        lambda: pick([0, 1, -1, 300, 2**15 - 1, -(2**15)]),
        lambda: datetime(*pick(_LOCAL)),
        lambda: pick(_SPANS),
        lambda: [pick([None, *_DOUBLES]) for _ in range(rng.randrange(4))],
        lambda: [pick([None, [], [1, None], [2, 1], [-7]]) for _ in range(rng.randrange(4))],
        lambda: {k: pick([None, [], ["a", None]]) for k in sorted(rng.sample([0, 1, 2], rng.randrange(3)))},
        lambda: Decimal(pick(["0.00", "0.01", "-1.50", "999.99", "-999.99"])),
        lambda: pick(_JSON),
        lambda: pick(_MOMENTS),
    ]
    return [
        (i, rng.randrange(3), *(None if rng.random() < 0.12 else value() for value in values)) for i in range(count)
    ]
