"""INTERVAL literals: day-time intervals as `timedelta`, year-month intervals as months.

A literal is of one kind; months and days together have no fixed length, and Spark refuses the mixture too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal

from app.plan import types as t
from app.plan.expressions import Literal


class OutOfRange(ValueError):
    """An interval that its type does not hold; `code` is Spark's class of the error."""

    def __init__(self, code: str, why: str) -> None:
        super().__init__(why)
        self.code = code


class MixedInterval(ValueError):
    """Months and days in one literal, which Spark refuses unless an old setting asks for it."""


MICROSECOND = timedelta(microseconds=1)

UNITS = ("YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND")
_MONTHS = {"YEAR": 12, "MONTH": 1}
_MICROS = {
    "WEEK": 7 * 86_400_000_000,
    "DAY": 86_400_000_000,
    "HOUR": 3_600_000_000,
    "MINUTE": 60_000_000,
    "SECOND": 1_000_000,
    "MILLISECOND": 1_000,
    "MICROSECOND": 1,
}
_DAY_FIELD = {"WEEK": 0, "DAY": 0, "HOUR": 1, "MINUTE": 2}
_YEAR_FIELD = {"YEAR": 0, "MONTH": 1}
_PART = re.compile(r"\s*(?P<value>[+-]?\s*(?:\d+(?:\.\d*)?|\.\d+))\s+(?P<unit>[A-Za-z]+)")
_CLOCK = {
    ("DAY", "HOUR"): "D H",
    ("DAY", "MINUTE"): "D H:M",
    ("DAY", "SECOND"): "D H:M:S",
    ("HOUR", "MINUTE"): "H:M",
    ("HOUR", "SECOND"): "H:M:S",
    ("MINUTE", "SECOND"): "M:S",
    ("YEAR", "MONTH"): "Y-O",
}
_FIELDS = {
    "D": r"(?P<DAY>\d+)",
    "H": r"(?P<HOUR>\d+)",
    "M": r"(?P<MINUTE>\d+)",
    "S": r"(?P<SECOND>\d+(?:\.\d{1,9})?)",
    "Y": r"(?P<YEAR>\d+)",
    "O": r"(?P<MONTH>\d+)",
}


def unit(word: str) -> str:
    """The unit in upper case and singular; empty if the word is none."""
    singular = word.upper().removesuffix("S")
    return singular if singular in UNITS else ""


def from_parts(parts: Sequence[tuple[str, str]]) -> Literal:
    """The interval of values with units (see `unit`): `INTERVAL 1 DAY 2 HOURS`. Raises: ValueError.

    >>> from_parts([("1", "DAY"), ("-2", "HOUR")])
    Literal(value=datetime.timedelta(seconds=79200), type=DayTimeIntervalType(0,1))
    """
    units = [name for _value, name in parts]
    if all(name in _MONTHS for name in units):
        fields = [_YEAR_FIELD[name] for name in units]
        months = sum(_whole(value, name) * _MONTHS[name] for value, name in parts)
        if not -(1 << 31) <= months < 1 << 31:
            raise OutOfRange("INVALID_INTERVAL_FORMAT.ARITHMETIC_EXCEPTION", f"{months} months are too many")
        return Literal(months, t.YearMonthIntervalType(min(fields), max(fields)))
    if any(name in _MONTHS for name in units):
        raise MixedInterval("an interval literal has either years and months or days and smaller units, not both")
    fields = [_DAY_FIELD.get(name, 3) for name in units]
    micros = sum(_micros(value, name) for value, name in parts)
    if not -(1 << 63) <= micros < 1 << 63:
        raise OutOfRange("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION", f"{micros} microseconds are too many")
    return Literal(timedelta(microseconds=micros), t.DayTimeIntervalType(min(fields), max(fields)))


def from_text(text: str) -> Literal:
    """The interval a string spells out: `1 day 2 hours`. Raises: ValueError."""
    rest = re.sub(r"(?i)^\s*interval\b", "", text)
    parts: list[tuple[str, str]] = []
    while rest.strip():
        match = _PART.match(rest)
        if match is None or not unit(match["unit"]):
            raise ValueError(f"{rest.strip()!r} is not a number and a unit ({', '.join(UNITS).lower()})")
        parts.append((match["value"].replace(" ", ""), unit(match["unit"])))
        rest = rest[match.end() :]
    if not parts:
        raise ValueError("the text is empty; write for instance '1 day'")
    return from_parts(parts)


def from_range(text: str, start: str, end: str) -> Literal:
    """The interval of `'1 02:03:04' DAY TO SECOND`. Raises: ValueError."""
    layout = _CLOCK.get((start, end))
    if layout is None:
        raise ValueError(f"an interval cannot run from {start} to {end}")
    pattern = re.sub("[DHMSYO]", lambda field: _FIELDS[field[0]], layout)
    match = re.fullmatch(rf"\s*(?P<sign>[+-]?)\s*{pattern}\s*", text)
    if match is None:
        raise ValueError(f"{text!r} does not have the form {layout} of {start} TO {end}")
    named = {name: value for name, value in match.groupdict().items() if name != "sign"}
    _check_clock(named, start)
    negative = "-" if match["sign"] == "-" else ""
    return from_parts([(negative + value, name) for name, value in named.items()])


def _check_clock(named: dict[str, str], start: str) -> None:
    limits = {"HOUR": 24, "MINUTE": 60, "SECOND": 60, "MONTH": 12}
    for name, value in named.items():
        if name != start and Decimal(value) >= limits.get(name, 1 << 62):
            raise ValueError(f"{value} {name.lower()}s are too many; the next unit starts at {limits[name]}")


def _whole(value: str, name: str) -> int:
    if not re.fullmatch(r"[+-]?\d+", value):
        raise ValueError(f"{value} {name.lower()}s is not a whole number")
    return int(value)


def _micros(value: str, name: str) -> int:
    if name != "SECOND":
        return _whole(value, name) * _MICROS[name]
    return int(Decimal(value) * _MICROS[name])
