"""Dates and instants of any year as ISO text: Python's own end at the years 1 and 9999, Arrow's text at 32767.

Years are astronomical (0 is 1 BC); those before 0 have a sign.
"""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pyarrow.compute as pc

DAY_US = 86_400_000_000
_EPOCH = dt.date(1970, 1, 1).toordinal()
_FIRST = dt.date.min.toordinal() - _EPOCH
_LAST = dt.date.max.toordinal() - _EPOCH
# The calendar repeats itself.
_CYCLE_YEARS, _CYCLE_DAYS = 400, 146_097


def year_and_rest(days: int) -> tuple[int, str]:
    """The year of a day (counted from 1970-01-01), and its month and day as `-MM-DD`."""
    cycle, day = divmod(days, _CYCLE_DAYS)
    date = dt.date.fromordinal(_EPOCH + day)
    return date.year + cycle * _CYCLE_YEARS, f"-{date.month:02}-{date.day:02}"


def days_of(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01. Raises: ValueError if there is no such day."""
    cycle, place = divmod(year, _CYCLE_YEARS)
    return dt.date(2000 + place, month, day).toordinal() - _EPOCH + (cycle - 5) * _CYCLE_DAYS


def iso_date(days: int) -> str:
    year, rest = year_and_rest(days)
    return f"{'-' if year < 0 else ''}{abs(year):04}{rest}"


def clock(us: int) -> str:
    """A time of day, `HH:MM:SS`, with six digits of a fraction if there is one."""
    seconds, micros = divmod(us, 1_000_000)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}.{micros:06}" if micros else text


def iso_instant(us: int) -> str:
    days, rest = divmod(us, DAY_US)
    return f"{iso_date(days)}T{clock(rest)}"


def is_ordinary(column: pa.ChunkedArray | pa.Array) -> bool:
    """Whether all of a column of dates or instants (in microseconds) are of years 1 to 9999."""
    is_date = pa.types.is_date32(column.type)
    bounds = pc.min_max(column.cast(pa.int32() if is_date else pa.int64()))
    low, high = bounds["min"].as_py(), bounds["max"].as_py()
    unit = 1 if is_date else DAY_US
    return low is None or (low >= _FIRST * unit and high < (_LAST + 1) * unit)
