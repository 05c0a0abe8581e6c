"""Chance with a seed beyond the first rows, where states are made many at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np
import pyarrow as pa
import pytest

from app.kernel.arrow import ARROW_FUNCTIONS
from app.kernel.arrow.murmur3 import longs

ROWS = 150_000
"""Some more than the blocks of each size hold."""


def one_by_one(seed: int) -> Iterator[float]:
    """What Spark does for each row of `rand(seed)`."""
    words = np.array([seed], dtype=np.int64).byteswap()
    low = longs(words, np.array([0x3C074A61], dtype=np.uint32))
    state = int(longs(words, low)[0]) << 32 | int(low[0])
    while True:
        parts = []
        for bits in (26, 27):
            state ^= state << 21 & (1 << 64) - 1
            state ^= state >> 35
            state ^= state << 4 & (1 << 64) - 1
            parts.append(state & (1 << bits) - 1)
        yield ((parts[0] << 27) + parts[1]) * 2.0**-53


def drawn(seed: int, rows: list[int]) -> list[float]:
    found: list[float] = ARROW_FUNCTIONS["wa_rand"].compute(pa.array(rows), pa.array([seed] * len(rows))).to_pylist()
    return found


@pytest.mark.parametrize("seed", [0, 42, -3, (1 << 63) - 1, -(1 << 63)])
def test_many_states_at_a_time_are_those_of_one_after_the_other(seed: int) -> None:
    expected = list(islice(one_by_one(seed), ROWS))
    found = [value for at in range(1, ROWS, 2048) for value in drawn(seed, [*range(at, min(at + 2048, ROWS + 1))])]
    assert found == expected
    assert drawn(seed, [*range(1, ROWS + 1)]) == expected


def test_rows_come_in_any_order() -> None:
    expected = list(islice(one_by_one(7), ROWS))
    for rows in ([1], [3, 2, 5], [70_000], [70_001, 140_000], [140_001, 140_001, 149_999], [2, 149_999], [], [4]):
        assert drawn(7, rows) == [expected[row - 1] for row in rows]
