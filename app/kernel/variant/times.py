"""Days and instants from text, and between time zones, as Spark casts them; in whole days and microseconds."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

_US = 1_000_000
_DAY_US = 86_400 * _US
_BLANK = r"[\x00-\x20\x7F]*"
_DATE = r"(?P<year>[+-]?[0-9]{4,7})(?:-(?P<month>[0-9]{1,2})(?:-(?P<day>[0-9]{1,2})"
_DAY = re.compile(rf"{_BLANK}{_DATE}(?:[ T].*)?)?)?{_BLANK}", re.DOTALL)
_CLOCK = (
    r"(?P<h>[0-9]{1,2})(?::(?P<m>[0-9]{1,2}))?(?::(?P<s>[0-9]{1,2})(?:\.(?P<f>[0-9]*))?)? *"
    r"(?:(?:UTC|GMT|UT)?(?P<sign>[+-])(?P<zh>[0-9]{1,2})(?::?(?P<zm>[0-9]{1,2}))?|(?P<zone>[A-Za-z][A-Za-z0-9_/+-]*))?"
)
_INSTANT = re.compile(rf"{_BLANK}{_DATE}(?:[ T]{_CLOCK})?)?)?{_BLANK}")
_MOST = (1 << 63) - 1
_LAST_OFFSET = timedelta(hours=18)


def days_of(text: str) -> int | None:
    """The day that a text names, None where it names none."""
    found = _DAY.fullmatch(text)
    return _days(found) if found else None


def instant_of(text: str, time_zone: str | None) -> int | None:
    """The instant that a text names, in `time_zone` where it names no other; without one, the wall clock it shows."""
    found = _INSTANT.fullmatch(text)
    days = _days(found) if found else None
    if found is None or days is None:
        return None
    hours, minutes, seconds = (int(found[part] or 0) for part in ("h", "m", "s"))
    if hours > 23 or minutes > 59 or seconds > 59:
        return None
    us = int((found["f"] or "")[:6].ljust(6, "0"))
    wall = days * _DAY_US + ((hours * 60 + minutes) * 60 + seconds) * _US + us
    named = _named_zone(found)
    if named is None and found["zone"]:
        return None
    if time_zone is None:
        return in_range(wall)
    if isinstance(named, timedelta):
        far = abs(named) > _LAST_OFFSET
        return None if far else in_range(wall - named // timedelta(microseconds=1))
    return in_range(at_zone(wall, named or ZoneInfo(time_zone)))


def at_zone(wall_us: int, zone: ZoneInfo) -> int:
    """The instant at which clocks in a zone show a time; the earlier of two, and in a gap the time moves on by it."""
    days, rest = divmod(wall_us, _DAY_US)
    ordinal = days + datetime(1970, 1, 1).toordinal()
    known = min(max(ordinal, 2), datetime(9999, 12, 30).toordinal())
    at = datetime.fromordinal(known) + timedelta(microseconds=rest)
    offset = at.replace(tzinfo=zone).utcoffset()
    assert offset is not None
    return wall_us - offset // timedelta(microseconds=1)


def in_range(us: int) -> int | None:
    """The same if 64 bits hold it."""
    return us if -_MOST - 1 <= us <= _MOST else None


def _days(found: re.Match[str]) -> int | None:
    """Days since 1970 of a date in the proleptic Gregorian calendar, None if there is no such day."""
    year, month, day = int(found["year"]), int(found["month"] or 1), int(found["day"] or 1)
    # The calendar repeats itself every 400 years, which are 146,097 days.
    eras, of_era = divmod(year - 2000, 400)
    try:
        near = datetime(2000 + of_era, month, day)
    except ValueError:
        return None
    return near.toordinal() - datetime(1970, 1, 1).toordinal() + eras * 146_097


def _named_zone(found: re.Match[str]) -> ZoneInfo | timedelta | None:
    if found["sign"]:
        offset = timedelta(hours=int(found["zh"]), minutes=int(found["zm"] or 0))
        return -offset if found["sign"] == "-" else offset
    name = found["zone"]
    if not name:
        return None
    if name in ("Z", "z", "UTC", "GMT", "UT"):
        return timedelta(0)
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # no such zone
        return None
