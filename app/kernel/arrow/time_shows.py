"""Times printed by one of Java's patterns, all times of a batch part by part.

Parts have few values: their texts are made once, by the printer of one time, and looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property, lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from app.kernel.arrow.flat import Numbers
from app.kernel.arrow.zone_steps import saves_light
from app.plan.java import pattern as p
from app.plan.java.calendar import DAY_US, US, days_of
from app.plan.java.show import shown

_FIRST, _END = ((days_of(year, 1, 1) or 0) * DAY_US for year in (1, 10_000))


def show_all(parts: Sequence[p.Part], walls_us: Numbers, offsets_s: Numbers, zone: str) -> pa.Array:
    """What clocks of a zone, so many seconds ahead of UTC, show as `walls_us`."""
    far = (walls_us < _FIRST) | (walls_us >= _END)
    times = _Times(np.where(far, 0, walls_us), offsets_s, zone)
    texts = [text for part, behind in _with_plain(_flat(parts)) for text in times.texts(part, behind)]
    found = pc.binary_join_element_wise(*texts, "") if len(texts) > 1 else texts[0] if texts else pa.scalar("")
    if isinstance(found, pa.Scalar):
        found = pa.repeat(found, len(walls_us))
    if not far.any():
        return found
    others = zip(walls_us[far].tolist(), offsets_s[far].tolist(), strict=True)
    return pc.replace_with_mask(found, pa.array(far), pa.array([shown(parts, *other, zone) for other in others]))


def _flat(parts: Sequence[p.Part]) -> list[p.Part]:
    """What brackets hold is printed as all else."""
    return [one for part in parts for one in (_flat(part.parts) if isinstance(part, p.Optional) else (part,))]


def _with_plain(parts: Sequence[p.Part]) -> list[tuple[p.Part, str]]:
    """Each part with what stands behind it plainly."""
    found: list[tuple[p.Part, str]] = [(p.Plain(""), "")]
    for part in parts:
        if isinstance(part, p.Plain):
            found[-1] = (found[-1][0], found[-1][1] + part.text)
        else:
            found.append((part, ""))
    return found if found[0][1] else found[1:]


class _Times:
    def __init__(self, walls_us: Numbers, offsets_s: Numbers, zone: str) -> None:
        self._walls_us, self._offsets_s, self._zone = walls_us, offsets_s, zone

    def texts(self, part: p.Part, behind: str) -> list[pa.Array | pa.Scalar]:
        """What stands one behind the other for one part and a text behind it."""
        match part:
            case p.Plain():
                return [pa.scalar(behind)]
            case p.Number(p.NANO, _, most):
                return [*self._fraction(most), pa.scalar(behind)]
            case p.Number(field) | p.Text(field) if field != p.JULIAN_DAY:
                count, wall_us = _KINDS[_KIND_OF[field]]
                return [_table(part, behind, count, wall_us).take(pa.array(getattr(self, _KIND_OF[field])))]
        return [self._by_value(part), pa.scalar(behind)]

    def _fraction(self, digits: int) -> list[pa.Array | pa.Scalar]:
        texts = []
        for unit_us, known in ((1000, digits), (1, digits - 3)):
            if (some := min(3, known)) > 0:
                texts.append(_thousand(some).take(pa.array(self._walls_us // unit_us % 1000 // 10 ** (3 - some))))
        return [*texts, pa.scalar("0" * (digits - 6))]

    def _by_value(self, part: p.Part) -> pa.Array:
        """By the day, or by the offset and by whether light is saved."""
        if isinstance(part, p.Number):
            values, kinds = np.unique(self._days, return_inverse=True)
            return pa.array([shown([part], day * DAY_US, 0, self._zone) for day in values.tolist()]).take(
                pa.array(kinds)
            )
        keys = self._offsets_s * 2
        if isinstance(part, p.ZoneName) and part.style != "id":
            keys = keys + saves_light(self._walls_us // US - self._offsets_s, self._zone)
        _, first, kinds = np.unique(keys, return_index=True, return_inverse=True)
        some = zip(self._walls_us[first].tolist(), self._offsets_s[first].tolist(), strict=True)
        return pa.array([shown([part], *one, self._zone) for one in some]).take(pa.array(kinds))

    @cached_property
    def _days(self) -> Numbers:
        days: Numbers = self._walls_us // DAY_US
        return days

    @cached_property
    def _seconds(self) -> Numbers:
        seconds: Numbers = (self._walls_us - self._days * DAY_US) // US
        return seconds

    @cached_property
    def _months(self) -> Numbers:
        """Since 1970."""
        months: Numbers = self._days.view("M8[D]").astype("M8[M]").view(np.int64)
        return months

    @property
    def second(self) -> Numbers:
        return self._seconds % 60

    @property
    def minute(self) -> Numbers:
        return self._seconds // 60 % 60

    @property
    def hour(self) -> Numbers:
        return self._seconds // 3600

    @property
    def month(self) -> Numbers:
        return self._months % 12

    @property
    def year(self) -> Numbers:
        return self._months // 12 + 1969

    @property
    def day(self) -> Numbers:
        first: Numbers = self._months.view("M8[M]").astype("M8[D]").view(np.int64)
        return self._days - first

    @property
    def day_of_year(self) -> Numbers:
        first: Numbers = (self._months // 12).view("M8[Y]").astype("M8[D]").view(np.int64)
        return self._days - first

    @property
    def day_of_week(self) -> Numbers:
        return self._days % 7


_KINDS: dict[str, tuple[int, Callable[[int], int]]] = {
    "second": (60, lambda i: i * US),
    "minute": (60, lambda i: i * 60 * US),
    "hour": (24, lambda i: i * 3600 * US),
    "month": (12, lambda i: (days_of(2000, i + 1, 1) or 0) * DAY_US),
    "year": (9999, lambda i: (days_of(i + 1, 1, 1) or 0) * DAY_US),
    "day": (31, lambda i: i * DAY_US),
    "day_of_year": (366, lambda i: ((days_of(2000, 1, 1) or 0) + i) * DAY_US),
    "day_of_week": (7, lambda i: i * DAY_US),
}
"""How many values there are, and times that show each."""
_KIND_OF = {
    p.SECOND: "second", p.MINUTE: "minute", p.HOUR: "hour", p.HOUR_24: "hour", p.HOUR_12: "hour", p.HOUR_0: "hour",
    p.HALF: "hour", p.MONTH: "month", p.QUARTER: "month", p.YEAR: "year", p.YEAR_OF_ERA: "year", p.ERA: "year",
    p.DAY: "day", p.ALIGNED_DAY: "day", p.DAY_OF_YEAR: "day_of_year", p.DAY_OF_WEEK: "day_of_week",
}  # fmt: skip


@lru_cache(maxsize=256)
def _table(part: p.Part, behind: str, count: int, wall_us: Callable[[int], int]) -> pa.Array:
    return pa.array([shown([part], wall_us(i), 0, "UTC") + behind for i in range(count)])


@cache
def _thousand(digits: int) -> pa.Array:
    return pa.array([f"{i:0{digits}}" for i in range(10**digits)])
