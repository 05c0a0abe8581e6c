"""What clocks of a time zone do at many times at once.

Between two changes of a zone nothing has to be asked. They are looked for once for each stretch of years: every third
day, for no zone has had two of them within less, and then to the second.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache

import numpy as np

from app.kernel.arrow.flat import Numbers
from app.plan.regions import zone_of

_CYCLE_S = 146_097 * 86_400
_LEAST_S = 3 * 86_400
_FIRST_S = -170 * 31_556_952
"""In 1800: no zone has changed before."""
_LAST_S = 530 * 31_556_952
"""In 2500: for 400 years every zone has kept to rules by the calendar, which then repeats itself."""
_STRETCH_BITS = 29
"""A stretch is 17 years."""


def offsets_s(walls_s: Numbers, zone: str) -> Numbers:
    """How far ahead of UTC a zone is when its clocks show these seconds since 1970: before it is put back where they
    show a time twice, and as before the gap in one."""
    return _stepped(walls_s, zone, _offset_s)


def saves_light(instants_s: Numbers, zone: str) -> Numbers:
    """Whether the zone has daylight saving time."""
    return _stepped(instants_s, zone, _saves_light).astype(bool)


def _offset_s(wall_s: int, zone: str) -> int:
    offset = (datetime(1970, 1, 1) + timedelta(seconds=wall_s)).replace(tzinfo=zone_of(zone)).utcoffset()
    assert offset is not None
    return int(offset.total_seconds())


def _saves_light(instant_s: int, zone: str) -> int:
    saved = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=instant_s)).astimezone(zone_of(zone)).dst()
    return saved is not None and saved > timedelta(0)


def _stepped(at_s: Numbers, zone: str, value: Callable[[int, str], int]) -> Numbers:
    if not len(at_s):
        return at_s
    at_s = np.maximum(at_s, _FIRST_S)
    if at_s.max() > _LAST_S:
        at_s = at_s - np.maximum(0, -((_LAST_S - at_s) // _CYCLE_S)) * _CYCLE_S
    first, last = int(at_s.min()) >> _STRETCH_BITS, int(at_s.max()) >> _STRETCH_BITS
    starts, values = _steps(zone, value, first, last)
    return values[np.searchsorted(starts, at_s, side="right") - 1]


@lru_cache(maxsize=256)
def _steps(zone: str, value: Callable[[int, str], int], first: int, last: int) -> tuple[Numbers, Numbers]:
    """From when on, up to the end of the stretch `last`, which values hold."""
    if first < last:
        parts = [_steps(zone, value, stretch, stretch) for stretch in range(first, last + 1)]
        return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
    at, end = first << _STRETCH_BITS, (first + 1) << _STRETCH_BITS
    known = value(at, zone)
    found = [(at, known)]
    for day in range(at, end + _LEAST_S, _LEAST_S):
        if (then := value(day, zone)) != known:
            before, after = day - _LEAST_S, day
            while after - before > 1:
                middle = (before + after) // 2
                before, after = (middle, after) if value(middle, zone) == known else (before, middle)
            found.append((after, then))
            known = then
    found = [(start, then) for start, then in found if start < end]
    return np.array([start for start, _ in found]), np.array([then for _, then in found])
