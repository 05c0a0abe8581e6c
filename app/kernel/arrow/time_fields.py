"""What fields of many texts say together: as `app.plan.java.resolve`, for years from 1 to 9999."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.kernel.arrow.flat import Numbers
from app.plan.java import pattern as p
from app.plan.java.resolve import LIMITS, MJD_OF_1970

Fields = dict[str, Numbers]
"""By name, the values of as many texts."""
_MONTHS = np.arange("0000-01", "10002-01", dtype="M8[M]").astype("M8[D]").astype(np.int64)
"""The day since 1970 on which each month from that of year 0 on begins."""
_FIRST, _END = int(_MONTHS[12]), int(_MONTHS[12 * 10_000])
_SECOND_US = 1_000_000


@dataclass(frozen=True, slots=True)
class Moments:
    """Days since 1970 and microseconds of them where `fits`: fields contradict each other or name nothing elsewhere.
    Of what is `far` nothing is said."""

    days: Numbers
    clock_us: Numbers
    fits: Numbers
    far: Numbers


def within_limits(fields: Fields) -> Numbers | None:
    """Which texts have no field outside of its range; None if there are no limits."""
    fits = None
    for name, value in fields.items():
        if name in LIMITS and name != p.YEAR:
            low, high = LIMITS[name]
            inside = (value >= low) & (value <= high) if low else value <= high
            fits = inside if fits is None else fits & inside
    return fits


def resolved(given: Fields, count: int) -> Moments:
    """Of as many texts, whose fields are within their limits and not negative."""
    fields, fits = dict(given), np.ones(count, dtype=bool)
    if p.YEAR_OF_ERA in fields and p.ERA in fields:
        of_era = fields.pop(p.YEAR_OF_ERA)
        _put(fields, p.YEAR, np.where(fields.pop(p.ERA) == 1, of_era, 1 - of_era), fits)
    _hour(fields, fits)
    days, far = _days(fields, count, fits)
    return Moments(days, np.zeros(count, dtype=np.int64) + _clock(fields), fits, far)


def _put(fields: Fields, name: str, value: Numbers, fits: Numbers) -> None:
    known = fields.setdefault(name, value)
    if known is not value:
        fits &= known == value


def _hour(fields: Fields, fits: Numbers) -> None:
    """Puts the hour that hours of a half of the day mean."""
    if p.HOUR_24 in fields:
        _put(fields, p.HOUR, fields.pop(p.HOUR_24) % 24, fits)
    if p.HOUR_12 in fields:
        _put(fields, p.HOUR_0, fields.pop(p.HOUR_12) % 12, fits)
    if p.HALF in fields and p.HOUR_0 in fields:
        _put(fields, p.HOUR, fields[p.HALF] * 12 + fields[p.HOUR_0], fits)
    if p.HOUR in fields and p.HALF in fields:
        fits &= fields[p.HALF] == fields[p.HOUR] // 12
    if p.HOUR in fields and p.HOUR_0 in fields:
        fits &= fields[p.HOUR_0] == fields[p.HOUR] % 12


def _days(fields: Fields, count: int, fits: Numbers) -> tuple[Numbers, Numbers]:
    """The days, and those that are far."""
    year = fields.get(p.YEAR, np.full(count, 1970))
    far = (year < 1) | (year > 9999)
    at = (np.where(far, 1970, year) if far.any() else year) * 12
    if p.JULIAN_DAY in fields:
        days = fields[p.JULIAN_DAY] - MJD_OF_1970
    elif p.DAY_OF_YEAR in fields and not (p.YEAR in fields and p.MONTH in fields and p.DAY in fields):
        days = _MONTHS[at] + fields[p.DAY_OF_YEAR] - 1
        fits &= days < _MONTHS[at + 12]
    else:
        if p.MONTH in fields:
            at += fields[p.MONTH] - 1
        days = _MONTHS[at]
        if p.DAY in fields:
            days += fields[p.DAY] - 1
            fits &= days < _MONTHS[at + 1]
    if p.JULIAN_DAY in fields or p.DAY_OF_YEAR in fields:
        far |= (days < _FIRST) | (days >= _END)
        days = np.where(far, 0, days)
        _same_day(fields, days, fits)
    return days, far


def _same_day(fields: Fields, days: Numbers, fits: Numbers) -> None:
    """Whether what else is said of the day is so."""
    at = np.searchsorted(_MONTHS, days, side="right") - 1
    year = at // 12
    said = {
        p.YEAR: year,
        p.MONTH: at % 12 + 1,
        p.DAY: days - _MONTHS[at] + 1,
        p.DAY_OF_YEAR: days - _MONTHS[year * 12] + 1,
    }
    for name, value in said.items():
        if name in fields:
            fits &= fields[name] == value


def _clock(fields: Fields) -> Numbers:
    """Without a half of the day, hours of it are those before noon; a half alone begins with its first."""
    hour = fields.get(p.HOUR, fields.get(p.HOUR_0))
    if hour is None:
        hour = 12 * fields[p.HALF] if p.HALF in fields else np.zeros(1, dtype=np.int64)
    for name in (p.MINUTE, p.SECOND):
        hour = hour * 60
        if name in fields:
            hour = hour + fields[name]
    return hour * _SECOND_US + fields[p.NANO] // 1000 if p.NANO in fields else hour * _SECOND_US
