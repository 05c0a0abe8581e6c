"""What DuckDB or numpy computes for most values is what the exact ways give for all of them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from urllib.parse import unquote_plus

import pyarrow as pa
import pytest

from app.kernel.arrow import ARROW_FUNCTIONS
from app.kernel.casts import print_cast
from app.kernel.kernel import Kernel
from app.plan import types as t
from app.plan.ddl import parse_schema

_PARTS = {
    "base64": ("AAAA", "Zm9v", "+/+/", "\n", "\r\n", "\r", "=", "==", "QQ==", "QUI=", "QQ", "A", " ", "\t", "-", "é"),
    "csv": ('"', '""', "a", "bc", ",", ";", "\\", '\\"', ',"', '",', '"x,y"', "é", "\x01", " ", "|", "--"),
    "interval": (
        *(f"{count} {unit}{s}" for count in ("1", "-2", "07", "99999", "100000", "0.5", "-1.123456", "1.1234567", "1.",
          "+3", "- 3", ".5", "") for unit in ("year", "month", "week", "day", "hour", "minute", "second",
          "millisecond", "microsecond", "quarter") for s in ("", "s")),
        " ", "  ", "\t", "interval ", "INTERVAL ", "x",
    ),
    "span": (
        *"-+ :.'", "0", "1", "9", "12", "23", "24", "59", "60", "07", "999999", "1000000", "1.5", "1.123456",
        "0.0000001", " 03", " 23:", ":59", ":07.5", "INTERVAL '", "' DAY TO SECOND", "' YEAR TO MONTH", "-11", "-12",
    ),
}  # fmt: skip

_SPAN_TEXTS = (
    "7|7 03|7 3:4|07 03:04:05|0 23:59:59.999999|03:04|3:4:5.5|-1 02:03:04.5|-0 0:0:0.000001|999999 23:59:59.999999|"
    "1000000|24:00|7-11|7-12|-7-11|59.9|-59|00:00| 7 |+7|INTERVAL '7 03:04:05.5' {0}|INTERVAL '7' {0}|"
    "INTERVAL '-3-4' {0}|INTERVAL '03:04' {0}|interval '3' {0}|INTERVAL -'3' {0}"
)
_CALENDAR_TEXTS = (
    "1 day", "1 day 2 hours -3 minutes 4.5 seconds", "-99999 years 99999 months 1 week", "99999 hours " * 16,
    "-99999 hours " * 17, " ".join(["99999 hours"] * 16), " ".join(["-99999 hours"] * 17), "interval 3 hours",
    "interval  3 hours", "interval interval 3 hours", "interval", "1 day2 hours", "1 day ", " 1 day", "1 DAY", "",
)  # fmt: skip


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    with Kernel(1 << 28, 1) as kernel:
        kernel.set_epoch(0)
        yield kernel


def _texts(parts: tuple[str, ...], most: int, count: int, seed: int) -> list[str | None]:
    """Texts made of some of the parts, joined by nothing or a blank, and nulls."""
    chance = random.Random(seed)
    made: list[str | None] = [
        None
        if chance.random() < 0.05
        else chance.choice(["", " "]).join(chance.choices(parts, k=chance.randint(0, most)))
        for _ in range(count)
    ]
    return made


def _same(kernel: Kernel, values: pa.Array, quick: str, exact: str) -> None:
    """Both expressions on a column `v` give the same."""
    kernel.put_named("given", pa.table({"v": values}))
    found = kernel.arrow(f"SELECT v, {quick} AS a, {exact} AS b FROM given").to_pylist()
    assert [row for row in found if row["a"] != row["b"]] == []


_SPANS = [field.dataType for field in parse_schema(", ".join(f"f{i} interval {fields}" for i, fields in enumerate((
    "day", "day to hour", "day to minute", "day to second", "hour", "hour to minute", "hour to second", "minute",
    "minute to second", "second", "year", "year to month", "month",
))))]  # fmt: skip


@pytest.mark.parametrize("kind", _SPANS, ids=lambda kind: kind.sql())
def test_intervals_of_usual_form_are_read_as_all_others(kernel: Kernel, kind: t.DataType) -> None:
    fields = kind.sql().removeprefix("INTERVAL ")
    values = pa.array([*_SPAN_TEXTS.format(fields).split("|"), *_texts(_PARTS["span"], 6, 4000, 1)], type=pa.string())
    quick = print_cast("v", t.StringType(), kind, True)
    if isinstance(kind, t.YearMonthIntervalType):
        _same(kernel, values, quick, f"wa_year_month(v, '{fields}', true)")
    else:
        _same(kernel, values, f"epoch_us({quick})", f"epoch_us(wa_day_time(v, '{fields}', true))")


def test_calendar_intervals_of_usual_form_are_read_as_all_others(kernel: Kernel) -> None:
    values = pa.array([*_CALENDAR_TEXTS, *_texts(_PARTS["interval"], 4, 20000, 2)], type=pa.string())
    _same(kernel, values, print_cast("v", t.StringType(), t.CalendarIntervalType()), "wa_calendar(v)")


@pytest.mark.parametrize("name", ["unbase64({})", "from_base64({}, true)"])
def test_lines_of_base64_are_read_as_all_else(kernel: Kernel, name: str) -> None:
    lines = ("Zm9v" * 19 + "\r\n") * 3 + "QQ==", ("Zm9v" * 19 + "\n") * 1000, "\n", "\r\n", "\r", "", "\nQQ==", "QQ==\n"
    values = pa.array([*lines, *_texts(_PARTS["base64"], 7, 6000, 3)], type=pa.string())
    _same(kernel, values, f"TRY(wt_{name.format('v')})", f"TRY(wa_{name.format('v')})")


@pytest.mark.parametrize("separator", [",", ";", "--", "é", '"', "\\", "\x01"])
def test_fields_in_quotes_are_cut_as_letter_by_letter(kernel: Kernel, separator: str) -> None:
    lines = '1,"a,b",,"c"', '"a""b"', '"a"b,"c', '"', '""', '"",""', ',"","', '"a,b,c,d,e"', ',,,,"', '"a\\"b",c'
    values = pa.array([*lines, *_texts(_PARTS["csv"], 8, 8000, 4)], type=pa.string())
    cut = f"CASE WHEN contains(v, '\"') THEN wa_csv_fields(v, '{separator}') ELSE string_split(v, '{separator}') END"
    _same(kernel, values, f"wt_csv_fields(v, '{separator}')", cut)


def test_fields_in_quotes_are_cut_in_slices_and_beside_nulls() -> None:
    compute = ARROW_FUNCTIONS["wa_csv_marked"].compute
    lines = pa.array(["x", '1,"a,b"', None, "", 'a"b', '"c"'])
    for start, end, marked in (1, 5, ["1\x01a,b", None, "", 'a"b']), (2, 4, [None, ""]), (5, 6, ["c"]), (3, 3, []):
        assert compute(lines[start:end], pa.array([ord(",")] * (end - start), pa.uint8())).to_pylist() == marked


def test_bytes_are_repaired_value_by_value(kernel: Kernel) -> None:
    chance = random.Random(5)
    parts = (
        b"",
        b"a",
        b" ",
        b"\x00",
        b"\xc3\xa9",
        b"\xc3",
        b"\xa9",
        b"\xe2\x82",
        b"\xf0\x9f\x98\x80",
        b"\xf0\x9f",
        b"\xff",
    )
    made = [b"".join(chance.choices(parts, k=chance.randint(0, 5))) for _ in range(5000)]
    for values in (
        made,
        [b"\xc3\xa9", b"", b"x"],
        [b"\xc3", b"\xa9"],
        [b"ascii", b""],
        [bytes(range(256)), b"\xe2\x82"],
    ):
        column = pa.array([b"\xff", None, *values])
        found = ARROW_FUNCTIONS["wa_repaired_utf8"].compute(column[1:]).to_pylist()
        assert found == [None, *(value.decode(errors="replace") for value in values)]


def test_escapes_are_read_text_by_text(kernel: Kernel) -> None:
    parts = ("%", "%4", "%41", "%2B", "+", "%C3%A9", "%E9", "%00", "é", "a", "%ED%A0%80", "%zz", "%c3")
    made = [*_texts(parts, 5, 6000, 6), "%", "%4", "+%41", "%4", "1"]
    for safe in ("true", "false"):
        _same(kernel, pa.array(made), f"TRY(wa_url_decode(v, {safe}))", f"TRY(wt_url_decode(v, {safe}))")
    for text in made[:500]:
        if text is None or "%ED" in text:
            continue
        kernel.put_named("given", pa.table({"v": pa.array([text])}))
        found = kernel.arrow("SELECT wa_url_decode(v, true) AS a FROM given")["a"][0].as_py()
        assert found == (None if re.search("%(?![0-9A-Fa-f]{2})", text) else unquote_plus(text, errors="replace"))
