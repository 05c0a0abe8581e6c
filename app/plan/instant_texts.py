"""Days and instants from text, and between time zones, as Spark casts them; in whole days and microseconds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from app.plan.java import calendar
from app.plan.java_text import known_us, offset_us
from app.plan.regions import SHORT_ZONES, zone_of

_US = 1_000_000
_DAY_US = 86_400 * _US
_BLANK = r"[\x00-\x20\x7F]*"
_REST = r"(?:-(?P<month>[0-9]{1,2})(?:-(?P<day>[0-9]{1,2})"
_DAY = re.compile(rf"{_BLANK}(?P<year>[+-]?[0-9]{{4,7}}){_REST}(?:[ T].*)?)?)?{_BLANK}", re.DOTALL)
_ZONE = (
    r" *(?:(?:UTC|GMT|UT)?(?P<sign>[+-])(?P<zh>[0-9]{1,2})(?::?(?P<zm>[0-9]{1,2})(?::?(?P<zs>[0-9]{1,2}))?)?"
    r"|(?P<zone>[A-Za-z][A-Za-z0-9_/+-]*))?"
)
_MINUTE = rf":(?P<m>[0-9]{{1,2}})(?::(?P<s>[0-9]{{1,2}})(?:\.(?P<f>[0-9]*))?{_ZONE})?"
_HOUR = r"(?P<h>[0-9]{1,2})"
_INSTANT = re.compile(rf"{_BLANK}(?P<year>[+-]?[0-9]{{4,6}}){_REST}(?:[ T]{_HOUR}(?:{_MINUTE})?)?)?)?{_BLANK}")
_CLOCKS = re.compile(rf"T{_HOUR}(?:{_MINUTE})?{_BLANK}"), re.compile(rf"{_BLANK}{_HOUR}{_MINUTE}{_BLANK}")
_MOST = (1 << 63) - 1
_LAST_OFFSET = timedelta(hours=18)


@dataclass(frozen=True, slots=True)
class Moment:
    """What a text says of an instant: the day (None: the current one), the time of day, the zone if it names one."""

    days: int | None
    clock_us: int
    zone: tzinfo | timedelta | None

    def us(self, zone: tzinfo | None) -> int | None:
        """The instant, in `zone` where the text names no other; without one, the wall clock it shows. None where 64
        bits do not hold it, and for a time without a day."""
        if self.days is None:
            return None
        wall = self.days * _DAY_US + self.clock_us
        if zone is None:
            return in_range(wall)
        if isinstance(self.zone, timedelta):
            return in_range(wall - self.zone // timedelta(microseconds=1))
        return in_range(at_zone(wall, self.zone or zone))


def days_of(text: str) -> int | None:
    """The day that a text names, None where it names none."""
    found = _DAY.fullmatch(text)
    days = _days(found) if found else None
    return days if days is not None and -(1 << 31) <= days < 1 << 31 else None


def moment_of(text: str) -> Moment | None:
    """What a text names as a timestamp; None where it is malformed."""
    if (found := _INSTANT.fullmatch(text)) is not None:
        days = _days(found)
        return None if days is None else _moment(found, days)
    found = _CLOCKS[0].fullmatch(text) or _CLOCKS[1].fullmatch(text)
    return _moment(found, None) if found else None


def instant_of(text: str, time_zone: str | None) -> int | None:
    """The instant that a text with a day names, in `time_zone` where it names no other; without one, the wall clock."""
    found = moment_of(text)
    return None if found is None else found.us(None if time_zone is None else zone_of(time_zone))


def at_zone(wall_us: int, zone: tzinfo) -> int:
    """The instant at which clocks in a zone show a time; the earlier of two, and in a gap the time moves on by it."""
    at = datetime(1970, 1, 1) + timedelta(microseconds=known_us(wall_us))
    offset = at.replace(tzinfo=zone).utcoffset()
    assert offset is not None
    return wall_us - offset // timedelta(microseconds=1)


def on_the_wall(value: datetime | int, zone: str) -> int:
    """What clocks in a zone show at an instant, in microseconds. A datetime without a zone is what they show already,
    but for the gaps."""
    if isinstance(value, int):
        us = value
    elif value.tzinfo is None:
        us = at_zone((value - datetime(1970, 1, 1)) // timedelta(microseconds=1), zone_of(zone))
    else:
        us = (value - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    return us + offset_us(us, zone_of(zone))


def in_range(us: int) -> int | None:
    """The same if 64 bits hold it."""
    return us if -_MOST - 1 <= us <= _MOST else None


def _moment(found: re.Match[str], days: int | None) -> Moment | None:
    hours, minutes, seconds = (int(found[part] or 0) for part in ("h", "m", "s"))
    zone = _named_zone(found)
    if hours > 23 or minutes > 59 or seconds > 59 or (zone is None and found["zone"]):
        return None
    if isinstance(zone, timedelta) and abs(zone) > _LAST_OFFSET:
        return None
    us = int((found["f"] or "")[:6].ljust(6, "0"))
    return Moment(days, ((hours * 60 + minutes) * 60 + seconds) * _US + us, zone)


def _days(found: re.Match[str]) -> int | None:
    """Days since 1970 of a date in the proleptic Gregorian calendar, None if there is no such day."""
    year, month, day = int(found["year"]), int(found["month"] or 1), int(found["day"] or 1)
    return calendar.days_of(year, month, day)


def _named_zone(found: re.Match[str]) -> tzinfo | timedelta | None:
    if found["sign"]:
        parts = (int(found[part] or 0) for part in ("zh", "zm", "zs"))
        offset = timedelta(**dict(zip(("hours", "minutes", "seconds"), parts, strict=True)))
        return -offset if found["sign"] == "-" else offset
    name = found["zone"]
    if not name:
        return None
    if name in ("Z", "UTC", "GMT", "UT"):
        return timedelta(0)
    try:
        return zone_of(SHORT_ZONES.get(name, name))
    except (KeyError, ValueError, OSError):  # no such zone
        return None
