"""Bins of `histogram_numeric` are those of Spark's way, which looks at all pairs of bins for each value."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

import numpy as np
import pyarrow as pa
import pytest

from app.kernel.arrow import ARROW_FUNCTIONS
from app.kernel.arrow.histograms import bins_of


def plain(values: list[float], limit: int) -> list[tuple[float, float]]:
    """Hive's `NumericHistogram`, step by step."""
    bins: list[tuple[float, float]] = []
    state = (31183 ^ 0x5DEECE66D) & ((1 << 48) - 1)

    def drawn() -> float:
        nonlocal state
        parts = []
        for bits in (26, 27):
            state = (state * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
            parts.append(state >> (48 - bits))
        return ((parts[0] << 27) + parts[1]) / (1 << 53)

    for value in values:
        low, high, at = 0, len(bins), 0
        while low < high:
            at = (low + high) // 2
            if bins[at][0] > value:
                high = at
            elif bins[at][0] < value:
                low = at = at + 1
            else:
                break
        if at < len(bins) and bins[at][0] == value:
            bins[at] = (bins[at][0], bins[at][1] + 1)
            continue
        bins.insert(at, (value, 1.0))
        if len(bins) <= limit:
            continue
        least, place, count = bins[1][0] - bins[0][0], 0, 1
        for i in range(1, len(bins) - 1):
            gap = bins[i + 1][0] - bins[i][0]
            if gap < least:
                least, place, count = gap, i, 1
            elif gap == least:
                count += 1
                if drawn() <= 1 / count:
                    place = i
        (x, n), (y, m) = bins[place], bins[place + 1]
        bins[place : place + 2] = [(x * (n / (n + m)) + y / (n + m) * m, n + m)]
    return bins


KINDS: dict[str, Callable[[Random, int], float]] = {
    "rising": lambda random, i: i * 1000 / 7,
    "falling": lambda random, i: -i * 1000 / 7,
    "rising whole": lambda random, i: float(i),
    "to and fro": lambda random, i: (-1) ** i * float(i),
    "in turn": lambda random, i: float(i % 97),
    "doubling": lambda random, i: 2.0 ** (i % 1000),
    "even": lambda random, i: random.random(),
    "normal": lambda random, i: random.gauss(0, 1),
    "long tail": lambda random, i: random.lognormvariate(0, 3),
    "few": lambda random, i: float(random.randrange(9)),
    "tenths": lambda random, i: random.randrange(100) / 10,
    "zeros": lambda random, i: random.choice([0.0, -0.0, 1.0, 2.0, 4.5]),
    "next to each other": lambda random, i: 1 + random.randrange(50) * 2.0**-52,
    "tiny": lambda random, i: random.randrange(100) * 5e-324,
    "huge": lambda random, i: random.uniform(-1.7e308, 1.7e308),
    "no numbers": lambda random, i: random.choice([math.nan, math.inf, -math.inf, 0.0, random.random()]),
    "late ties": lambda random, i: random.gauss(0, 1) if i % 1000 < 900 else float(random.randrange(-50, 50)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("limit", [2, 3, 10, 25])
def test_bins_are_those_of_looking_at_all_pairs(kind: str, limit: int) -> None:
    for count, seed in [(1, 1), (limit, 2), (limit + 1, 3), (60, 4), (500, 5), (3000, 6)]:
        random = Random(seed)
        values = [KINDS[kind](random, i) for i in range(count)]
        found = [(one["x"], one["y"]) for one in bins_of(np.array(values), limit)]
        assert repr(found) == repr(plain(values, limit)), (seed, count)


def test_each_list_has_bins_of_its_own() -> None:
    random = Random(7)
    lists = [[random.random() for _ in range(count)] for count in (400, 0, 1, 30)]
    column = pa.array([*lists[:2], None, *lists[2:]], pa.list_(pa.float64()))
    for kept in (slice(None), slice(1, 4), slice(3, None), slice(2, 2)):
        part = column[kept]
        found = ARROW_FUNCTIONS["wa_histogram"].compute(part, pa.array([4] * len(part), pa.int32())).to_pylist()
        expected = [plain(values, 4) if values else None for values in part.to_pylist()]
        assert [one and [(each["x"], each["y"]) for each in one] for one in found] == expected
