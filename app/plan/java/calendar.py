"""The proleptic Gregorian calendar for years that Python has no dates of."""

from __future__ import annotations

from datetime import date

US = 1_000_000
DAY_US = 86_400 * US
_EPOCH = date(1970, 1, 1).toordinal()
_ERA_DAYS = 146_097
"""The calendar repeats itself every 400 years."""


def days_of(year: int, month: int, day: int) -> int | None:
    """Days since 1970, None if there is no such day."""
    eras, of_era = divmod(year - 2000, 400)
    try:
        return date(2000 + of_era, month, day).toordinal() - _EPOCH + eras * _ERA_DAYS
    except ValueError:
        return None


def date_of(days: int) -> tuple[int, int, int]:
    """Year, month and day."""
    eras, of_era = divmod(days + _EPOCH - date(2000, 1, 1).toordinal(), _ERA_DAYS)
    near = date.fromordinal(date(2000, 1, 1).toordinal() + of_era)
    return near.year + 400 * eras, near.month, near.day
