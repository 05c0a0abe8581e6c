"""Intervals from text: `1 year -2 days 3.5 seconds`, `1 02:03` and `INTERVAL '1 02:03' DAY TO MINUTE`."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NoReturn

import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, by_row, fail

_MONTHS = {"year": 12, "month": 1}
_DAYS = {"week": 7, "day": 1}
_MICROS = {"hour": 3_600_000_000, "minute": 60_000_000, "second": 1_000_000, "millisecond": 1000, "microsecond": 1}
_UNIT = "|".join((*_MONTHS, *_DAYS, *_MICROS))
_PART = re.compile(
    rf"(?P<sign>[+-]?)\s*(?P<count>\d+(?=\s+(?:{_UNIT}))|(?:\d+\.\d{{0,9}}|\.\d{{1,9}})(?=\s+second))\s+"
    rf"(?P<unit>{_UNIT})s?(?:\s+|$)"
)
_ARROW_US = (2**63 - 1) // 1000


def _parsed(text: str) -> pa.MonthDayNano | None:
    """The interval, or None where Spark finds none: another unit, a fraction of anything but seconds, an overflow."""
    rest = re.sub(r"^interval\s+", "", text.strip().lower())
    months = days = micros = 0
    at = 0
    while at < len(rest):
        part = _PART.match(rest, at)
        if part is None:
            return None
        sign, unit, at = -1 if part["sign"] == "-" else 1, part["unit"], part.end()
        if unit in _MICROS:
            micros += sign * int(Decimal(part["count"]) * _MICROS[unit])
        else:
            months += sign * int(part["count"]) * _MONTHS.get(unit, 0)
            days += sign * int(part["count"]) * _DAYS.get(unit, 0)
    if not at or not all(-(2**31) <= n < 2**31 for n in (months, days)) or not -(2**63) <= micros < 2**63:
        return None
    if abs(micros) > _ARROW_US:
        fail("UNSUPPORTED_FEATURE", "An interval of more than 292 years in hours and seconds is not supported.")
    return pa.MonthDayNano([months, days, micros * 1000])


_FIELDS = {
    "YEAR": (r"(\d+)", 12), "MONTH": (r"(\d+)", 1), "DAY": (r"(\d+)", 86_400_000_000),
    "HOUR": (r"(\d+)", 3_600_000_000), "MINUTE": (r"(\d+)", 60_000_000), "SECOND": (r"(\d+(?:\.\d{1,9})?)", 1_000_000),
}  # fmt: skip
_LIMITS = {"MONTH": 12, "HOUR": 24, "MINUTE": 60, "SECOND": 60}
_BEFORE = {"MONTH": "-", "HOUR": " ", "MINUTE": ":", "SECOND": ":"}


def _spanned(text: str, fields: str, safe: bool) -> int | None:
    """Months or microseconds of a text that has the form of an interval type such as `DAY TO MINUTE`, or None with
    `safe`. Raises: ValueError."""
    names = list(_FIELDS)
    first, _, last = fields.partition(" TO ")
    given = names[names.index(first) : names.index(last or first) + 1]
    value = _FIELDS[first][0] + "".join(_BEFORE[name] + _FIELDS[name][0] for name in given[1:])
    quoted = rf"INTERVAL\s+([+-]?)'([+-]?){value}'\s+{fields.replace(' ', chr(92) + 's+')}"
    signs, found = 1, re.fullmatch(rf"([+-]?){value}", text.strip())
    if found is None:
        signs, found = 2, re.fullmatch(quoted, text.strip(), re.IGNORECASE)
    counts = () if found is None else tuple(map(Decimal, found.groups()[signs:]))
    fits = all(count < _LIMITS[name] for name, count in zip(given[1:], counts[1:], strict=False))
    if found is None or not fits:
        return None if safe else _malformed(text, fields)
    sign = -1 if "".join(found.groups()[:signs]).count("-") % 2 else 1
    whole = sign * sum(int(count * _FIELDS[name][1]) for name, count in zip(given, counts, strict=True))
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


def _day_time(text: str, fields: str, safe: bool) -> pa.MonthDayNano | None:
    micros = _spanned(text, fields, safe)
    if micros is None:
        return None
    days, rest = divmod(micros, 86_400_000_000)
    return pa.MonthDayNano([0, days, rest * 1000])


_TEXT_AND_TYPE = ("VARCHAR", "VARCHAR", "BOOLEAN")

FUNCTIONS = {
    "wa_year_month": ArrowFunction(by_row(_spanned, pa.int32()), _TEXT_AND_TYPE, "INTEGER"),
    "wa_day_time": ArrowFunction(by_row(_day_time, pa.month_day_nano_interval()), _TEXT_AND_TYPE, "INTERVAL"),
    "wa_calendar": ArrowFunction(by_row(_parsed, pa.month_day_nano_interval()), ("VARCHAR",), "INTERVAL"),
}
