"""A moment printed by a pattern."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from app.plan.java import pattern as p
from app.plan.java.calendar import DAY_US, US, date_of
from app.plan.java.names import TEXTS, zone_names
from app.plan.java_text import known_us
from app.plan.regions import shown_zone, zone_of

_MJD_OF_1970 = 40_587
WINTER_SAVED = ("Europe/Dublin", "Eire", "Africa/Casablanca", "Africa/El_Aaiun")
"""Where Python's data has the summer as the standard, and Java's does not."""


def shown(parts: Sequence[p.Part], wall_us: int, offset_s: int, zone: str) -> str:
    """What clocks show as `wall_us`, so many seconds ahead of UTC in a zone, as text."""
    return "".join(_part(part, wall_us, offset_s, zone) for part in parts)


def _part(part: p.Part, wall_us: int, offset_s: int, zone: str) -> str:
    match part:
        case p.Plain(text):
            return text
        case p.Number(p.NANO, _, most):
            return f"{wall_us % US * 1000:09}"[:most]
        case p.Number(field, 2, 2) if field in (p.YEAR, p.YEAR_OF_ERA):
            return f"{abs(_field(field, wall_us)) % 100:02}"
        case p.Number():
            return _number(part, _field(part.field, wall_us))
        case p.Text(field, full):
            return TEXTS[field, full][_field(field, wall_us)]
        case p.Offset(form, zero):
            return offset_text(offset_s, form, zero)
        case p.OffsetOfGmt(full):
            return _of_gmt(offset_s, full)
        case p.ZoneName(style):
            return _zone_name(style, wall_us, offset_s, zone)
        case p.Optional(inner):
            return shown(inner, wall_us, offset_s, zone)


def _number(part: p.Number, value: int) -> str:
    digits = str(abs(value)).zfill(part.least)
    if value < 0:
        return f"-{digits}"
    return f"+{digits}" if part.sign == "exceeds" and value >= 10**part.least else digits


def _field(field: str, wall_us: int) -> int:
    days, clock = divmod(wall_us, DAY_US)
    if field in (p.HOUR, p.HOUR_24, p.HOUR_12, p.HOUR_0, p.HALF, p.MINUTE, p.SECOND):
        return _of_clock(field, clock // US)
    year, month, day = date_of(days)
    match field:
        case p.YEAR:
            return year
        case p.YEAR_OF_ERA:
            return year if year > 0 else 1 - year
        case p.ERA:
            return int(year > 0)
        case p.MONTH:
            return month
        case p.DAY:
            return day
        case p.QUARTER:
            return (month + 2) // 3
        case p.ALIGNED_DAY:
            return (day - 1) % 7 + 1
        case p.DAY_OF_WEEK:
            return (days + 3) % 7 + 1
        case p.JULIAN_DAY:
            return days + _MJD_OF_1970
    assert field == p.DAY_OF_YEAR
    return (datetime(2000 + year % 400, month, day) - datetime(2000 + year % 400, 1, 1)).days + 1


def _of_clock(field: str, second: int) -> int:
    hour = second // 3600
    match field:
        case p.HOUR:
            return hour
        case p.HOUR_24:
            return hour or 24
        case p.HOUR_12:
            return hour % 12 or 12
        case p.HOUR_0:
            return hour % 12
        case p.HALF:
            return hour // 12
        case p.MINUTE:
            return second // 60 % 60
    return second % 60


def offset_text(seconds: int, form: str, zero: str) -> str:
    """An offset in one of Java's forms."""
    colon = ":" if ":" in form else ""
    hours, minutes, rest = abs(seconds) // 3600, abs(seconds) // 60 % 60, abs(seconds) % 60
    text = f"{hours:02}"
    told = hours
    if form != "+HHmm" or minutes:
        text += f"{colon}{minutes:02}"
        told += minutes
    if form.endswith("ss") and rest:
        text += f"{colon}{rest:02}"
        told += rest
    return ("-" if seconds < 0 else "+") + text if told else zero


def _of_gmt(seconds: int, full: bool) -> str:
    if not seconds:
        return "GMT"
    hours, minutes, rest = abs(seconds) // 3600, abs(seconds) // 60 % 60, abs(seconds) % 60
    tail = f":{rest:02}" if rest else ""
    behind = f":{minutes:02}{tail}" if full or minutes or rest else ""
    clock = f"{hours:02}{behind}" if full else f"{hours}{behind}"
    return f"GMT{'-' if seconds < 0 else '+'}{clock}"


def _zone_name(style: str, wall_us: int, offset_s: int, zone: str) -> str:
    names = zone_names().get(zone)
    if style == "id" or names is None:
        return shown_zone(zone)
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=known_us(wall_us - offset_s * US))
    saved = at.astimezone(zone_of(zone)).dst()
    summer = offset_s > 0 if zone in WINTER_SAVED else saved is not None and saved > timedelta(0)
    return names[(2 if style == "full" else 0) + summer]
