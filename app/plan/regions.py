"""Time zones by the names that Spark takes."""

from __future__ import annotations

import re
from zoneinfo import ZoneInfo

from app.plan.instant_texts import SHORT_ZONES

_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?")


def region(text: str) -> str:
    """A zone by region, by one of Java's short names or by an offset of whole hours (`+02:00`, `UTC+2`), as a region's
    name. Raises: ValueError.

    >>> region("Asia/Tokyo"), region("+02:00"), region("PST"), region("Z")
    ('Asia/Tokyo', 'Etc/GMT-2', 'America/Los_Angeles', 'UTC')
    """
    offset = _OFFSET.fullmatch(text)
    if offset:
        sign, hours, minutes, seconds = offset.groups()
        if int(minutes or 0) or int(seconds or 0) or int(hours) > 14 or (sign == "-" and int(hours) > 12):
            raise ValueError(text)
        return f"Etc/GMT{'-' if sign == '+' else '+'}{int(hours)}" if int(hours) else "UTC"
    if text in ("Z", "UTC", "GMT", "UT"):
        return "UTC"
    try:
        return ZoneInfo(SHORT_ZONES.get(text, text)).key
    except (KeyError, ValueError, OSError) as error:
        raise ValueError(text) from error
