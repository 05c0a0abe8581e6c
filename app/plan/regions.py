"""Time zones by the names that Spark takes."""

from __future__ import annotations

import re
from datetime import timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo

SHORT_ZONES = {
    "ACT": "Australia/Darwin", "AET": "Australia/Sydney", "AGT": "America/Argentina/Buenos_Aires",
    "ART": "Africa/Cairo", "AST": "America/Anchorage", "BET": "America/Sao_Paulo", "BST": "Asia/Dhaka",
    "CAT": "Africa/Harare", "CNT": "America/St_Johns", "CST": "America/Chicago", "CTT": "Asia/Shanghai",
    "EAT": "Africa/Addis_Ababa", "ECT": "Europe/Paris", "EST": "GMT-05:00", "HST": "GMT-10:00",
    "IET": "America/Indiana/Indianapolis", "IST": "Asia/Kolkata", "JST": "Asia/Tokyo", "MIT": "Pacific/Apia",
    "MST": "GMT-07:00", "NET": "Asia/Yerevan", "NST": "Pacific/Auckland", "PLT": "Asia/Karachi",
    "PNT": "America/Phoenix", "PRT": "America/Puerto_Rico", "PST": "America/Los_Angeles",
    "SST": "Pacific/Guadalcanal", "VST": "Asia/Ho_Chi_Minh",
}  # fmt: skip
"""What Java takes three letters for."""
_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{1,2}))?(?::?(\d{1,2}))?")
_FIXED = re.compile(r"GMT([+-])(\d\d):(\d\d)(?::(\d\d))?")
_UTC = ("Z", "UTC", "GMT", "UT")
_LAST_OFFSET_S = 18 * 3600


def region(text: str) -> str:
    """A zone by region, by one of Java's short names or by an offset (`+02:00`, `UTC+2`), as a name that DuckDB and
    `zone_of` take. Raises: ValueError.

    >>> region("Asia/Tokyo"), region("+05:30"), region("UTC+2"), region("PST"), region("Z")
    ('Asia/Tokyo', 'GMT+05:30', 'GMT+02:00', 'America/Los_Angeles', 'UTC')
    """
    offset = _OFFSET.fullmatch(text)
    if offset:
        hours, minutes, seconds = (int(part or 0) for part in offset.groups()[1:])
        whole = hours * 3600 + minutes * 60 + seconds
        if max(minutes, seconds) > 59 or whole > _LAST_OFFSET_S:
            raise ValueError(text)
        tail = f":{seconds:02}" if seconds else ""
        return f"GMT{offset[1]}{hours:02}:{minutes:02}{tail}" if whole else "UTC"
    if text in _UTC:
        return "UTC"
    name = SHORT_ZONES.get(text, text)
    try:
        zone_of(name)
    except (KeyError, ValueError, OSError) as error:
        raise ValueError(text) from error
    return name


@cache
def zone_of(name: str) -> tzinfo:
    """The zone that `region` named. Raises: KeyError, ValueError, OSError where there is none."""
    found = _FIXED.fullmatch(name)
    if found is None:
        return ZoneInfo(name)
    hours, minutes, seconds = (int(part or 0) for part in found.groups()[1:])
    offset = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return timezone(-offset if found[1] == "-" else offset)


def shown_zone(name: str) -> str:
    """The name of a zone as Java writes it.

    >>> shown_zone("GMT+05:30"), shown_zone("Asia/Tokyo")
    ('+05:30', 'Asia/Tokyo')
    """
    return name.removeprefix("GMT") if _FIXED.fullmatch(name) else name
