"""Numbers and times as the text that Java writes for them, and times of any year as Python values."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any

import numpy as np

_US = 1_000_000
_DAY_US = 86_400 * _US
_LAST_US = 253_402_214_400 * _US
_FIRST_US = -62_135_510_400 * _US
_CYCLE_US = 146_097 * _DAY_US


def float_text(value: np.floating[Any]) -> str:
    """As Java prints it: plain between 0.001 and 10,000,000, else like `1.0E10`."""
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return np.format_float_positional(value, unique=True, trim="0")
    text = np.format_float_scientific(value, unique=True, trim="0")
    if ".0e" in text:
        # Java writes two digits at least, and the nearest: the smallest numbers of all are known by one. Before Java 19
        # it does not look for those of a double below the power of ten.
        two = np.format_float_scientific(value, precision=1, unique=False)
        lower = two.split("e")[1] != text.split("e")[1] and isinstance(value, np.float64)
        text = two if type(value)(two) == value and not lower else text
    mantissa, exponent = text.split("e")
    return f"{mantissa}E{int(exponent)}"


def least_numbers(least: np.floating[Any]) -> list[tuple[str, str]]:
    """The shortest text and Java's, with a small e, of those multiples of the least number for which they differ."""
    found = []
    for times in range(1, 256):
        value = type(least)(least * times)
        shortest = np.format_float_scientific(value, unique=True, trim="-")
        java = float_text(value).lower()
        if "." not in shortest and java != shortest.replace("e", ".0e"):
            found.append((shortest, java))
    return found


def date_text(day: np.datetime64) -> str:
    """As java.time prints it: years beyond 9999 with a sign."""
    text = str(day)
    year = int(text[:-6])
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04d}{text[-6:]}"


def instant_text(local_us: int) -> str:
    """Microseconds on a wall clock as `2020-01-31 23:59:59.5`."""
    seconds, us = divmod(local_us, _US)
    days, second = divmod(seconds, 86_400)
    clock = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
    fraction = f".{us:06d}".rstrip("0") if us else ""
    return f"{date_text(np.datetime64(days, 'D'))} {clock}{fraction}"


def offset_us(instant_us: int, zone: tzinfo) -> int:
    """The zone's distance from UTC."""
    offset = datetime.fromtimestamp(known_us(instant_us) // _US, zone).utcoffset()
    assert offset is not None
    return int(offset.total_seconds()) * _US


def known_us(us: int) -> int:
    """The same time in a year that Python knows: before those the first one, behind them the like of it in the
    calendar, which repeats itself every 400 years."""
    return max(us, _FIRST_US) if us <= _LAST_US else us - -((_LAST_US - us) // _CYCLE_US) * _CYCLE_US


def day_value(days: int) -> date | int:
    """The day as a date; where Python's years end, as the number itself."""
    known = _FIRST_US <= days * _DAY_US <= _LAST_US
    return date(1970, 1, 1) + timedelta(days=days) if known else days


def instant_value(us: int, zone: tzinfo | None = None) -> datetime | int:
    """The instant as a datetime of UTC or (without `zone`) a wall clock; where Python's years end, as the number."""
    return datetime(1970, 1, 1, tzinfo=zone) + timedelta(microseconds=us) if _FIRST_US <= us <= _LAST_US else us


def value_text(value: Any, is_date: bool) -> str:
    """A date or a wall clock in UTC, a Python value or a number of days or microseconds, as text."""
    if isinstance(value, datetime):
        value = (value if value.tzinfo else value.replace(tzinfo=UTC)) - datetime(1970, 1, 1, tzinfo=UTC)
        value //= timedelta(days=1) if is_date else timedelta(microseconds=1)
    elif isinstance(value, date):
        value = value.toordinal() - date(1970, 1, 1).toordinal()
    return date_text(np.datetime64(value, "D")) if is_date else instant_text(value)
