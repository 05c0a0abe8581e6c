"""Intervals from text: `1 year -2 days 3.5 seconds`, `1 02:03` and `INTERVAL '1 02:03' DAY TO MINUTE`."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import NoReturn

import numpy as np
import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, by_row, fail

_KIND = pa.month_day_nano_interval()
_Parts = tuple[int, int, int]
"""Months, days and nanoseconds."""
_LAYOUT = np.dtype([("months", "<i4"), ("days", "<i4"), ("ns", "<i8")])

_MONTHS = {"year": 12, "month": 1}
_DAYS = {"week": 7, "day": 1}
_MICROS = {"hour": 3_600_000_000, "minute": 60_000_000, "second": 1_000_000, "millisecond": 1000, "microsecond": 1}
_UNIT = "|".join((*_MONTHS, *_DAYS, *_MICROS))
_PART = re.compile(
    rf"(?P<sign>[+-]?)\s*(?P<count>\d+(?=\s+(?:{_UNIT}))|(?:\d+\.\d{{0,9}}|\.\d{{1,9}})(?=\s+second))\s+"
    rf"(?P<unit>{_UNIT})s?(?:\s+|$)"
)
_LEAD = re.compile(r"^interval\s+")
_ARROW_US = (2**63 - 1) // 1000


def _parsed(text: str) -> _Parts | None:
    """The interval, or None where Spark finds none: another unit, a fraction of anything but seconds, an overflow."""
    rest = _LEAD.sub("", text.strip().lower())
    months = days = micros = 0
    at = 0
    while at < len(rest):
        part = _PART.match(rest, at)
        if part is None:
            return None
        sign, unit, at = -1 if part["sign"] == "-" else 1, part["unit"], part.end()
        if unit in _MICROS:
            count = part["count"]
            micros += sign * int((Decimal(count) if "." in count else int(count)) * _MICROS[unit])
        else:
            months += sign * int(part["count"]) * _MONTHS.get(unit, 0)
            days += sign * int(part["count"]) * _DAYS.get(unit, 0)
    if not at or not all(-(2**31) <= n < 2**31 for n in (months, days)) or not -(2**63) <= micros < 2**63:
        return None
    if abs(micros) > _ARROW_US:
        fail("UNSUPPORTED_FEATURE", "An interval of more than 292 years in hours and seconds is not supported.")
    return months, days, micros * 1000


_FIELDS = {
    "YEAR": (r"(\d+)", 12), "MONTH": (r"(\d+)", 1), "DAY": (r"(\d+)", 86_400_000_000),
    "HOUR": (r"(\d+)", 3_600_000_000), "MINUTE": (r"(\d+)", 60_000_000), "SECOND": (r"(\d+(?:\.\d{1,9})?)", 1_000_000),
}  # fmt: skip
_LIMITS = {"MONTH": 12, "HOUR": 24, "MINUTE": 60, "SECOND": 60}
_BEFORE = {"MONTH": "-", "HOUR": " ", "MINUTE": ":", "SECOND": ":"}


@cache
def _form(fields: str) -> tuple[list[str], re.Pattern[str], re.Pattern[str]]:
    """Of an interval type such as `DAY TO MINUTE` its fields, and what its texts look like: bare, and as a literal."""
    names = list(_FIELDS)
    first, _, last = fields.partition(" TO ")
    given = names[names.index(first) : names.index(last or first) + 1]
    value = _FIELDS[first][0] + "".join(_BEFORE[name] + _FIELDS[name][0] for name in given[1:])
    quoted = rf"INTERVAL\s+([+-]?)'([+-]?){value}'\s+{fields.replace(' ', chr(92) + 's+')}"
    return given, re.compile(rf"([+-]?){value}"), re.compile(quoted, re.IGNORECASE)


def _spanned(text: str, fields: str, safe: bool) -> int | None:
    """Months or microseconds of a text that has the form of an interval type such as `DAY TO MINUTE`, or None with
    `safe`. Raises: ValueError."""
    given, bare, literal = _form(fields)
    signs, found = 1, bare.fullmatch(text.strip())
    if found is None:
        signs, found = 2, literal.fullmatch(text.strip())
    if found is None:
        return None if safe else _malformed(text, fields)
    counts = found.groups()[signs:]
    whole = 0
    for name, count in zip(given, counts, strict=True):
        number = Decimal(count) if "." in count else int(count)
        if name != given[0] and number >= _LIMITS[name]:
            return None if safe else _malformed(text, fields)
        whole += int(number * _FIELDS[name][1])
    whole = -whole if "".join(found.groups()[:signs]).count("-") % 2 else whole
    bits = 31 if given[0] in ("YEAR", "MONTH") else 63
    if not -(1 << bits) <= whole < 1 << bits:
        return None if safe else _malformed(text, fields)
    return whole


def _malformed(text: str, fields: str) -> NoReturn:
    notice = "" if fields in ("YEAR", "MONTH", "YEAR TO MONTH") else "_WITH_NOTICE"
    fail(
        f"INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING{notice}",
        f"Error parsing '{text}' to interval: it does not match INTERVAL {fields}. Use try_cast to have null instead.",
    )


def _day_time(text: str, fields: str, safe: bool) -> _Parts | None:
    micros = _spanned(text, fields, safe)
    if micros is None:
        return None
    days, rest = divmod(micros, 86_400_000_000)
    return 0, days, rest * 1000


def _by_row(function: Callable[..., _Parts | None]) -> Callable[..., pa.Array]:
    """As `by_row`, which takes microseconds to make an interval of."""

    def compute(*columns: pa.Array) -> pa.Array:
        rows = zip(*(column.to_pylist() for column in columns), strict=True)
        found = [None if None in row else function(*row) for row in rows]
        there = pa.array([parts is not None for parts in found], type=pa.bool_())
        data = np.array([parts or (0, 0, 0) for parts in found], dtype=_LAYOUT)
        return pa.Array.from_buffers(_KIND, len(found), [there.buffers()[1], pa.py_buffer(data)])

    return compute


_TEXT_AND_TYPE = ("VARCHAR", "VARCHAR", "BOOLEAN")

FUNCTIONS = {
    "wa_year_month": ArrowFunction(by_row(_spanned, pa.int32()), _TEXT_AND_TYPE, "INTEGER"),
    "wa_day_time": ArrowFunction(_by_row(_day_time), _TEXT_AND_TYPE, "INTERVAL"),
    "wa_calendar": ArrowFunction(_by_row(_parsed), ("VARCHAR",), "INTERVAL"),
}
