"""What fields say together: Java's strict rules, and what Spark takes where one is missing."""

from __future__ import annotations

from app.plan.java import pattern as p
from app.plan.java.calendar import US, date_of, days_of

Fields = dict[str, int]
MJD_OF_1970 = 40_587
LIMITS = {
    p.YEAR: (-999_999_999, 999_999_999), p.YEAR_OF_ERA: (1, 999_999_999), p.ERA: (0, 1), p.MONTH: (1, 12),
    p.DAY: (1, 31), p.DAY_OF_YEAR: (1, 366), p.HOUR: (0, 23), p.HOUR_24: (1, 24), p.HOUR_12: (1, 12),
    p.HOUR_0: (0, 11), p.HALF: (0, 1), p.MINUTE: (0, 59), p.SECOND: (0, 59), p.NANO: (0, 999_999_999),
}  # fmt: skip


def resolved(fields: Fields) -> tuple[int, int] | None:
    """The day since 1970 and the microseconds of it; None where fields contradict each other or name nothing."""
    if any(not low <= fields[name] <= high for name, (low, high) in LIMITS.items() if name in fields):
        return None
    if not (_year(fields) and _hour(fields)):
        return None
    days, clock = _days(fields), _clock(fields)
    return None if days is None else (days, clock)


def _put(fields: Fields, name: str, value: int) -> bool:
    return fields.setdefault(name, value) == value


def _year(fields: Fields) -> bool:
    """Puts the year that a year of an era means."""
    if p.YEAR_OF_ERA not in fields or p.ERA not in fields:
        return True
    of_era = fields.pop(p.YEAR_OF_ERA)
    return _put(fields, p.YEAR, of_era if fields.pop(p.ERA) else 1 - of_era)


def _hour(fields: Fields) -> bool:
    """Puts the hour that hours of a half of the day mean."""
    fits = True
    if p.HOUR_24 in fields:
        fits = _put(fields, p.HOUR, fields.pop(p.HOUR_24) % 24)
    if p.HOUR_12 in fields:
        fits = _put(fields, p.HOUR_0, fields.pop(p.HOUR_12) % 12) and fits
    if p.HALF in fields and p.HOUR_0 in fields:
        fits = _put(fields, p.HOUR, fields[p.HALF] * 12 + fields[p.HOUR_0]) and fits
    if p.HOUR in fields:
        hour = fields[p.HOUR]
        fits = fits and fields.get(p.HALF, hour // 12) == hour // 12 and fields.get(p.HOUR_0, hour % 12) == hour % 12
    return fits


def _days(fields: Fields) -> int | None:
    year = fields.get(p.YEAR, 1970)
    days: int | None
    if p.JULIAN_DAY in fields:
        days = fields[p.JULIAN_DAY] - MJD_OF_1970
        if abs(days) > 365_243_219_162:
            return None
    elif p.DAY_OF_YEAR in fields and not (p.YEAR in fields and p.MONTH in fields and p.DAY in fields):
        first = days_of(year, 1, 1)
        assert first is not None
        days = first + fields[p.DAY_OF_YEAR] - 1
        if date_of(days)[0] != year:
            return None
    else:
        days = days_of(year, fields.get(p.MONTH, 1), fields.get(p.DAY, 1))
    return days if days is not None and _same_day(fields, days) else None


def _same_day(fields: Fields, days: int) -> bool:
    """Whether what else is said of the day is so."""
    year, month, day = date_of(days)
    first = days_of(year, 1, 1)
    assert first is not None
    said = {p.YEAR: year, p.MONTH: month, p.DAY: day, p.DAY_OF_YEAR: days - first + 1}
    return all(fields.get(name, value) == value for name, value in said.items())


def _clock(fields: Fields) -> int:
    """Without a half of the day, hours of it are those before noon; a half alone begins with its first."""
    hour = fields.get(p.HOUR, fields.get(p.HOUR_0, 12 * fields.get(p.HALF, 0)))
    seconds = hour * 3600 + fields.get(p.MINUTE, 0) * 60 + fields.get(p.SECOND, 0)
    return seconds * US + fields.get(p.NANO, 0) // 1000
