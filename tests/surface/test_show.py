"""`show_table` gives, byte for byte, what `show()` printed on Spark 4.2.0 (`data/spark_show.json`, recorded with the
session in New York) for the same rows."""

from __future__ import annotations

import datetime as d
import json
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest

from app.kernel.showtable import show_table
from app.plan.ddl import parse_schema, type_from_json
from app.plan.types import StructType
from app.sql.convert import table_of

RECORDED = json.loads((Path(__file__).parent / "data" / "spark_show.json").read_text())
NEW_YORK = "America/New_York"


def new_york(*parts: int) -> d.datetime:
    return d.datetime(*parts, tzinfo=ZoneInfo(NEW_YORK))  # type: ignore[misc,arg-type]


LONG = "a very long string which gets cut"
day, second = d.timedelta(days=1), d.timedelta(seconds=1)
ROWS: dict[str, list[tuple[Any, ...]]] = {
    "mixed": [
        (1, "a", new_york(2020, 1, 1, 12, 0, 0, 500_000), d.date(2020, 1, 1), Decimal("1.50"), 1.5, True, b"ab"),
        (None,) * 8,
        (-5, LONG, new_york(2020, 7, 1), d.date(1582, 10, 4), Decimal(100), 1e10, False, b""),
    ],
    "nested": [
        (
            [1, None, 3],
            {"k": 1.0, "j": None},
            (1, "y", ["p", "q"]),
            [],
            (None,),
            [(new_york(2020, 1, 1),)],
        )
    ],
    "floats": [
        (0.001, 0.001),
        (0.00099, 1e-5),
        (1e7, 1e7),
        (9999999.5, 123456.79),
        (float("nan"), float("inf")),
        (-0.0, -0.0),
        (1 / 3, float(np.float32(1 / 3))),
    ],
    "intervals": [
        (
            day + 2 * 3600 * second + 3 * 60 * second + 4.5 * second,
            -5 * day,
            (26 * 60 + 7) * 60 * second,
            14,
            -36,
            14,
            75.25 * second,
            5 * 3600 * second,
            day + 3 * 3600 * second,
            0 * second,
            7 * 60 * second,
        )
    ],
    "many": [(i, i * 2) for i in range(25)],
    "empty": [],
    "bigdec": [(Decimal("0.0000000001"), Decimal("1E+5"), -7, None)],
}


def schema_of(case: str) -> StructType:
    struct = type_from_json(RECORDED["schemas"][case])
    assert isinstance(struct, StructType)
    return struct


@pytest.mark.parametrize(
    "shown", [pytest.param(s, id=f"{s['case']}-{s['args']}") for s in RECORDED["shows"] if s["case"] in ROWS]
)
def test_layout_is_sparks(shown: dict[str, Any]) -> None:
    schema = schema_of(shown["case"])
    args = shown["args"]
    truncate = args.get("truncate", 20)
    table = table_of(ROWS[shown["case"]], schema)
    text = show_table(table, schema, args.get("n", 20), int(truncate), args.get("vertical", False), NEW_YORK)
    assert text + "\n" == shown["text"]


def test_full_width_characters_count_twice_and_control_characters_are_shown() -> None:
    schema = parse_schema("`名` string, x string, kana string")
    table = table_of([("日本語", "ab\ncd\te", "カタカナ" * 5)], schema)
    assert show_table(table, schema) == (
        "+------+---------+----------------------------------------+\n"
        "|    名|        x|                                    kana|\n"
        "+------+---------+----------------------------------------+\n"
        "|日本語|ab\\ncd\\te|カタカナカタカナカタカナカタカナカタカナ|\n"
        "+------+---------+----------------------------------------+\n"
    )


def test_dates_beyond_python_are_printed() -> None:
    schema = parse_schema("a date, b timestamp, c timestamp_ntz")
    far = 400_000_000_000 * 1_000_000
    columns = [
        pa.array([3_789_000, -720_000], pa.int32()).cast(pa.date32()),
        pa.array([far, -62_200_000_000 * 1_000_000], pa.int64()).cast(pa.timestamp("us", "UTC")),
        pa.array([far, 0], pa.int64()).cast(pa.timestamp("us")),
    ]
    assert show_table(pa.table(dict(zip("abc", columns, strict=True))), schema, truncate=0) == (
        "+------------+---------------------+---------------------+\n"
        "|a           |b                    |c                    |\n"
        "+------------+---------------------+---------------------+\n"
        "|+12343-12-07|+14645-06-30 15:06:40|+14645-06-30 15:06:40|\n"
        "|-0002-09-16 |-0002-12-17 14:13:20 |1970-01-01 00:00:00  |\n"
        "+------------+---------------------+---------------------+\n"
    )


def test_a_cut_never_splits_a_character() -> None:
    schema = parse_schema("emoji string")
    text = show_table(table_of([("😀" * 11,)], schema), schema)
    assert "😀😀😀😀😀😀😀😀..." in text


def test_rows_without_columns_are_counted_in_the_footer() -> None:
    rows = pa.table({"a": [1, 2, 3]}).select([])
    assert show_table(rows, StructType(), 2) == "++\n||\n++\n||\n||\n++\nonly showing top 2 rows"
