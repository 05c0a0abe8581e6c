"""`histogram_numeric`: Spark's histogram of at most so many bins, value after value (Hive's `NumericHistogram`).

A value that meets no bin's middle opens one; beyond the limit the two nearest bins become one. Where several pairs are
equally near, Spark draws one with a generator of fixed seed, and so does this.

It also draws, to no effect, where pairs are equally near that are not the nearest of all. To know how often, all pairs
are looked at. Usually that is never needed: so values are added without, looking at the two bins beside them, and only
if later several nearest pairs are equally near, those values are added again.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import islice, pairwise
from operator import length_hint, sub

import numpy as np
import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction
from app.kernel.arrow.flat import Numbers

_SEED = 31183
_CALM = 16
"""So many values in a row need no chance before values are first added without looking at all pairs."""
_BINS = "STRUCT(x DOUBLE, y DOUBLE)[]"
_KIND = pa.list_(pa.struct([("x", pa.float64()), ("y", pa.float64())]))


@dataclass(slots=True)
class _Bins:
    """At most `limit` bins, by their middles; `ties` counts how often chance said which become one."""

    limit: int
    middles: list[float] = field(default_factory=list)
    heights: list[float] = field(default_factory=list)
    ties: int = 0
    chance: int = (_SEED ^ 0x5DEECE66D) & ((1 << 48) - 1)

    def add(self, value: float) -> None:
        middles, heights = self.middles, self.heights
        at = _place(middles, value)
        if at < len(middles) and middles[at] == value:
            heights[at] += 1
            return
        middles.insert(at, value)
        heights.insert(at, 1.0)
        if len(middles) > self.limit:
            _unite(middles, heights, self._nearest())

    def _nearest(self) -> int:
        """The place of the first of the two bins that are nearest to each other."""
        middles = self.middles
        least, place, count = middles[1] - middles[0], 0, 1
        for i in range(1, len(middles) - 1):
            gap = middles[i + 1] - middles[i]
            if gap < least:
                least, place, count = gap, i, 1
            elif gap == least:
                count += 1
                if self._drawn() <= 1.0 / count:
                    place = i
        self.ties += count > 1
        return place

    def _drawn(self) -> float:
        """What Java's `new Random(31183).nextDouble()` gives, one after the other."""
        parts = []
        for bits in (26, 27):
            self.chance = (self.chance * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
            parts.append(self.chance >> (48 - bits))
        return ((parts[0] << 27) + parts[1]) / (1 << 53)


def bins_of(values: Numbers, limit: int) -> list[dict[str, float]]:
    """The bins of values that came in this order."""
    bins = _Bins(limit)
    if np.isfinite(values).all():
        _add_finite(bins, values.tolist())
    else:
        for value in values.tolist():
            bins.add(value)
    return [{"x": x, "y": y} for x, y in zip(bins.middles, bins.heights, strict=True)]


def _add_finite(bins: _Bins, values: list[float]) -> None:
    at, calm = _fill(bins, values), _CALM
    while at < len(values):
        ties = bins.ties
        for value in values[at : at + calm]:
            bins.add(value)
        at += calm
        if bins.ties > ties:
            continue
        middles, heights, start = [*bins.middles], [*bins.heights], at
        at = _join(bins, values, start)
        if at < len(values):
            bins.middles, bins.heights = middles, heights
            for value in values[start : at + 1]:
                bins.add(value)
            at, calm = at + 1, 2 * calm


def _fill(bins: _Bins, values: list[float]) -> int:
    """Adds values until one needs more bins than there may be. Returns how many."""
    middles, heights = bins.middles, bins.heights
    for i, value in enumerate(values):
        at = bisect_left(middles, value)
        if at < len(middles) and middles[at] == value:
            heights[at] += 1
        elif len(middles) == bins.limit:
            return i
        else:
            middles.insert(at, value)
            heights.insert(at, 1.0)
    return len(values)


def _join(bins: _Bins, values: list[float], start: int) -> int:
    """Adds values from place `start` on to full bins, without drawing, up to one for which several pairs are nearest.
    Returns its place."""
    # No value is near the outer ones.
    middles, heights = [-np.inf, *bins.middles, np.inf], [0.0, *bins.heights, 0.0]
    # No gap of two bins is smaller.
    bound = -np.inf
    rest = iter(values)
    for value in islice(rest, start, None):
        at = bisect_left(middles, value)
        left, right = value - middles[at - 1], middles[at] - value
        if left >= bound and right >= bound:
            gaps = list(map(sub, middles[2:-1], middles[1:]))
            bound, near = min(gaps), min(left, right)
            if bound <= 0 or near == bound or (near > bound and gaps.count(bound) > 1):
                break
            if near > bound:
                place = gaps.index(bound) + 1
                middles.insert(at, value)
                heights.insert(at, 1.0)
                _unite(middles, heights, place + (place >= at))
                bound = -np.inf
                continue
        if left == right:
            break
        if not right:
            heights[at] += 1
            continue
        if left < right:
            at -= 1
        middle, height = middles[at], heights[at]
        heights[at] = more = height + 1
        if left < right:
            middles[at] = moved = middle * (height / more) + value / more
        else:
            middles[at] = moved = value * (1 / more) + middle / more * height
        gap = moved - middles[at - 1] if moved < middle else middles[at + 1] - moved
        if gap < bound:
            bound = gap
    else:
        start = len(values)
    bins.middles, bins.heights = middles[1:-1], heights[1:-1]
    return max(start, len(values) - length_hint(rest) - 1)


def _unite(middles: list[float], heights: list[float], at: int) -> None:
    """Makes one bin of two that are side by side."""
    height = heights[at] + heights[at + 1]
    middles[at] = middles[at] * (heights[at] / height) + middles[at + 1] / height * heights[at + 1]
    heights[at] = height
    del middles[at + 1], heights[at + 1]


def _place(middles: list[float], value: float) -> int:
    """Where a value belongs. A middle that is no number is neither above nor below it, and ends the search."""
    low, high, at = 0, len(middles), 0
    while low < high:
        at = (low + high) // 2
        if middles[at] > value:
            high = at
        elif middles[at] < value:
            low = at = at + 1
        else:
            break
    return at


def _histogram(values: pa.Array, limits: pa.Array) -> pa.Array:
    numbers, offsets = values.values.to_numpy(), values.offsets.to_numpy()
    rows = zip(pairwise(offsets.tolist()), limits.to_pylist(), strict=True)
    return pa.array([bins_of(numbers[a:b], limit) if b > a else None for (a, b), limit in rows], type=_KIND)


FUNCTIONS = {"wa_histogram": ArrowFunction(_histogram, None, _BINS)}
