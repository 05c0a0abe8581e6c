"""`histogram_numeric`: Spark's histogram of at most so many bins, value after value (Hive's `NumericHistogram`).

A value that meets no bin's middle opens one; beyond the limit the two nearest bins become one. Where several pairs are
equally near, Spark draws one with a generator of fixed seed, and so does this.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction

_SEED = 31183
_BINS = "STRUCT(x DOUBLE, y DOUBLE)[]"
_KIND = pa.list_(pa.struct([("x", pa.float64()), ("y", pa.float64())]))


def _chances() -> Iterator[float]:
    """What Java's `new Random(31183).nextDouble()` gives, one after the other."""
    state = (_SEED ^ 0x5DEECE66D) & ((1 << 48) - 1)
    while True:
        parts = []
        for bits in (26, 27):
            state = (state * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
            parts.append(state >> (48 - bits))
        yield ((parts[0] << 27) + parts[1]) / (1 << 53)


def bins_of(values: list[float], limit: int) -> list[dict[str, float]]:
    """The bins of values that came in this order."""
    middles: list[float] = []
    heights: list[float] = []
    chances = _chances()
    for value in values:
        at = _place(middles, value)
        if at < len(middles) and middles[at] == value:
            heights[at] += 1
            continue
        middles.insert(at, value)
        heights.insert(at, 1.0)
        if len(middles) > limit:
            at = _nearest(middles, chances)
            height = heights[at] + heights[at + 1]
            middles[at] = middles[at] * (heights[at] / height) + middles[at + 1] / height * heights[at + 1]
            heights[at] = height
            del middles[at + 1], heights[at + 1]
    return [{"x": x, "y": y} for x, y in zip(middles, heights, strict=True)]


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


def _nearest(middles: list[float], chances: Iterator[float]) -> int:
    """The place of the first of the two bins that are nearest to each other."""
    least, place, count = middles[1] - middles[0], 0, 1
    for i in range(1, len(middles) - 1):
        gap = middles[i + 1] - middles[i]
        if gap < least:
            least, place, count = gap, i, 1
        elif gap == least:
            count += 1
            if next(chances) <= 1.0 / count:
                place = i
    return place


def _histogram(values: pa.Array, limits: pa.Array) -> pa.Array:
    rows = zip(values.to_pylist(), limits.to_pylist(), strict=True)
    return pa.array([bins_of(v, limit) if v else None for v, limit in rows], type=_KIND)


FUNCTIONS = {"wa_histogram": ArrowFunction(_histogram, None, _BINS)}
