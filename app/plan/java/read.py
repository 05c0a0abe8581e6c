"""Text read by a pattern, letter by letter as Java's parser goes, and what it names as Spark completes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta, timezone, tzinfo
from functools import cache

from app.plan.instant_texts import at_zone, in_range
from app.plan.java import pattern as p
from app.plan.java.calendar import DAY_US
from app.plan.java.names import TEXTS, zones_called
from app.plan.java.resolve import Fields, resolved
from app.plan.regions import region, zone_of

LAST_OFFSET_S = 18 * 3600


@dataclass(slots=True)
class _State:
    """What has been read so far."""

    text: str
    fields: Fields = field(default_factory=dict)
    offset_s: int | None = None
    zone: tzinfo | None = None

    def put(self, name: str, value: int) -> bool:
        """False if the field is there with another value."""
        return self.fields.setdefault(name, value) == value

    def put_offset(self, seconds: int) -> bool:
        known, self.offset_s = self.offset_s, seconds
        return known is None or known == seconds


@dataclass(frozen=True, slots=True)
class Read:
    """A day and a time of day, and the zone if the text names one."""

    days: int
    clock_us: int
    zone: tzinfo | None

    def instant(self, zone: tzinfo) -> int | None:
        """In `zone` where the text names no other; None where 64 bits do not hold it."""
        return in_range(at_zone(self.days * DAY_US + self.clock_us, self.zone or zone))

    def wall(self) -> int | None:
        return in_range(self.days * DAY_US + self.clock_us)


def read(parts: Sequence[p.Part], text: str) -> Read | None:
    """What a text names; None where it does not look like the pattern or names nothing."""
    state = _State(text)
    if _sequence(parts, state, 0) != len(text):
        return None
    if state.offset_s is not None and abs(state.offset_s) > LAST_OFFSET_S:
        return None
    found = resolved(state.fields)
    if found is None:
        return None
    zone = state.zone
    if zone is None and state.offset_s is not None:
        zone = timezone(timedelta(seconds=state.offset_s))
    return Read(*found, zone)


def zone_at(part: p.ZoneName | p.OffsetOfGmt, text: str) -> tuple[int, int | None, tzinfo | None]:
    """Where the zone ends that a text begins with, -1 if it does with none; its offset in seconds or itself."""
    state = _State(text)
    return _WAYS[type(part)](part, state, 0), state.offset_s, state.zone


def _sequence(parts: Sequence[p.Part], state: _State, at: int) -> int:
    """Where the text goes on behind the parts; -1 if it is not like them."""
    for part in parts:
        at = _WAYS[type(part)](part, state, at)
        if at < 0:
            return -1
    return at


def _optional(part: p.Optional, state: _State, at: int) -> int:
    tried = _State(state.text, dict(state.fields), state.offset_s, state.zone)
    end = _sequence(part.parts, tried, at)
    if end < 0:
        return at
    state.fields, state.offset_s, state.zone = tried.fields, tried.offset_s, tried.zone
    return end


def _same(text: str, at: int, wanted: str) -> bool:
    given = text[at : at + len(wanted)]
    return given == wanted or (len(given) == len(wanted) and given.lower() == wanted.lower())


def _plain(part: p.Plain, state: _State, at: int) -> int:
    return at + len(part.text) if _same(state.text, at, part.text) else -1


def _text(part: p.Text, state: _State, at: int) -> int:
    found = [(name, value) for value, name in TEXTS[part.field, part.full].items() if _same(state.text, at, name)]
    if not found:
        return -1
    name, value = max(found, key=lambda one: len(one[0]))
    return at + len(name) if state.put(part.field, value) else -1


def _digits_end(text: str, at: int, most: int) -> int:
    end = at
    while end < len(text) and end - at < most and "0" <= text[end] <= "9":
        end += 1
    return end


def _number(part: p.Number, state: _State, at: int) -> int:
    if part.field == p.NANO:
        return _fraction(part, state, at)
    text = state.text
    sign = text[at : at + 1]
    if sign in ("+", "-"):
        if part.sign == "none" or (sign == "+" and part.sign == "normal"):
            return -1
        at += 1
    end = _digits_end(text, at, part.most + part.reserved)
    if part.reserved:
        end = _digits_end(text, at, max(part.least, end - at - part.reserved))
    if end - at < part.least:
        return -1
    value = int(text[at:end])
    if sign == "-":
        if not value:
            return -1
        value = -value
    elif part.sign == "exceeds" and (end - at > part.least) is not (sign == "+"):
        return -1
    if part.field in (p.YEAR, p.YEAR_OF_ERA) and part.fixed:
        value += 2000
    return end if state.put(part.field, value) else -1


def _fraction(part: p.Number, state: _State, at: int) -> int:
    end = _digits_end(state.text, at, part.most)
    if end - at < part.least:
        return -1
    return end if state.put(p.NANO, int(state.text[at:end].ljust(9, "0"))) else -1


def _offset(part: p.Offset, state: _State, at: int) -> int:
    text = state.text
    if at < len(text) and _same(text, at, part.zero):
        return at + len(part.zero) if state.put_offset(0) else -1
    if text[at : at + 1] not in ("+", "-"):
        return -1
    colon = ":" in part.form
    hours, end = _two_digits(text, at + 1, False)
    if hours is None:
        return -1
    minutes, end = _two_digits(text, end, colon)
    if minutes is None and part.form != "+HHmm":
        return -1
    seconds, end = _two_digits(text, end, colon) if part.form.endswith("ss") else (0, end)
    if hours > 23:
        return -1
    total = hours * 3600 + (minutes or 0) * 60 + (seconds or 0)
    return end if state.put_offset(-total if text[at] == "-" else total) else -1


def _two_digits(text: str, at: int, colon: bool) -> tuple[int | None, int]:
    """A number below 60 and where it ends; None where there is none."""
    start = at + colon
    if colon and text[at:start] != ":":
        return None, at
    end = _digits_end(text, start, 2)
    if end - start < 2 or int(text[start:end]) > 59:
        return None, at
    return int(text[start:end]), end


def _offset_of_gmt(part: p.OffsetOfGmt, state: _State, at: int) -> int:
    text = state.text
    if not _same(text, at, "GMT"):
        return -1
    at += 3
    sign = text[at : at + 1]
    if sign not in ("+", "-"):
        return at if state.put_offset(0) else -1
    start = at + 1
    end = _digits_end(text, start, 2)
    if end == start or (part.full and end - start < 2):
        return -1
    hours = int(text[start:end])
    minutes, after = _pair(text, end)
    if part.full and minutes is None:
        return -1
    seconds = None
    if minutes is not None:
        seconds, after = _pair(text, after)
    total = hours * 3600 + (minutes or 0) * 60 + (seconds or 0)
    return after if state.put_offset(-total if sign == "-" else total) else -1


def _pair(text: str, at: int) -> tuple[int | None, int]:
    """Two digits behind a colon."""
    end = _digits_end(text, at + 1, 2)
    if text[at : at + 1] != ":" or end - at < 3:
        return None, at
    return int(text[at + 1 : end]), end


def _zone(part: p.ZoneName, state: _State, at: int) -> int:
    text = state.text
    if at >= len(text):
        return -1
    if text[at] in "+-":
        return _zone_of_offset("", state, at, at)
    if _same(text, at, "GMT0"):
        return _take_zone(state, "UTC", at + 4)
    for prefix in ("UTC", "UT", "GMT"):
        if _same(text, at, prefix):
            return _zone_of_offset(prefix, state, at + len(prefix), at)
    known = zones_called(part.style)
    for end in range(min(len(text), at + _longest(part.style)), at, -1):
        if (name := known.get(text[at:end].lower())) is not None:
            return _take_zone(state, name, end)
    return _take_zone(state, "UTC", at + 1) if _same(text, at, "Z") else -1


def _zone_of_offset(prefix: str, state: _State, at: int, start: int) -> int:
    """A zone by its offset, behind letters that may stand alone."""
    text = state.text
    if prefix and (at >= len(text) or text[at] == "0" or _same(text, at, "Z")):
        return _take_zone(state, "UTC", at)
    tried = _State(text)
    end = _offset(p.Offset("+HH:MM:ss", "0" if prefix else "Z"), tried, at)
    if end < 0:
        return _take_zone(state, "UTC", at) if prefix else -1
    assert tried.offset_s is not None
    if abs(tried.offset_s) > LAST_OFFSET_S:
        return _take_zone(state, "UTC", at) if prefix else -1
    state.zone = timezone(timedelta(seconds=tried.offset_s))
    return end


def _take_zone(state: _State, name: str, end: int) -> int:
    try:
        state.zone = zone_of(region(name))
    except ValueError:  # a region that Python's data does not have
        return -1
    return end


@cache
def _longest(style: str) -> int:
    return max(map(len, zones_called(style)))


_WAYS: dict[type, Callable[..., int]] = {
    p.Plain: _plain,
    p.Text: _text,
    p.Number: _number,
    p.Offset: _offset,
    p.OffsetOfGmt: _offset_of_gmt,
    p.ZoneName: _zone,
    p.Optional: _optional,
}
