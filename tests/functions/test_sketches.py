"""Sketches made many at a time are, byte by byte, those of the library that takes value after value."""

from __future__ import annotations

from random import Random
from typing import Any

import datasketches
import numpy as np
import pyarrow as pa
import pytest

from app.kernel.arrow import ARROW_FUNCTIONS
from app.kernel.arrow.coupons import of_bytes, of_longs
from app.kernel.arrow.sketches import _merged, _union, _union_of

ENDS = [0, 1, -1, (1 << 63) - 1, -(1 << 63), 9001]


def sketch(values: list[int], lg_k: int) -> bytes:
    found = datasketches.hll_sketch(lg_k, datasketches.HLL_8)
    for value in values:
        found.update(value)
    return bytes(found.serialize_updatable())


def drawn(random: Random, count: int, of: int = 1 << 62) -> list[int]:
    return [random.randrange(-of, of) for _ in range(count)]


def computed(name: str, *columns: Any) -> list[bytes | None]:
    found: list[bytes | None] = ARROW_FUNCTIONS[name].compute(*columns).to_pylist()
    return found


def test_coupons_of_longs_are_those_of_their_bytes() -> None:
    values = [*ENDS, *drawn(Random(1), 20_000)]
    expected = [of_bytes(value.to_bytes(8, "little", signed=True)) for value in values]
    assert of_longs(np.array(values)).tolist() == expected
    assert of_longs(np.array([], dtype=np.int64)).tolist() == []


@pytest.mark.parametrize("lg_k", [4, 5, 7, 8, 12, 21])
@pytest.mark.parametrize("of", [3, 40, 2000, 1 << 62])
def test_a_sketch_of_many_values_is_that_of_one_after_the_other(lg_k: int, of: int) -> None:
    random = Random(lg_k)
    lists: list[Any] = [drawn(random, count, of) for count in (0, 7, 65, 900, 4000, 50_000)]
    lists[2:2] = [None, ENDS * 20]
    for kept in (slice(None), slice(2, 5)):
        column = pa.array(lists, pa.list_(pa.int64()))[kept]
        found = computed("wa_hll_sketch", column, pa.array([lg_k] * len(column)))
        assert found == [sketch(values or [], lg_k) for values in lists[kept]]


def test_a_sketch_of_ints_is_that_of_longs() -> None:
    values = drawn(Random(2), 5000, 1 << 31)
    found = computed("wa_hll_sketch", pa.array([values], pa.list_(pa.int32())), pa.array([12]))
    assert found == [sketch(values, 12)]


@pytest.mark.parametrize("lg_k", [4, 7, 8, 10, 12])
@pytest.mark.parametrize("of", [5, 300, 1 << 62])
def test_a_union_of_many_small_sketches_is_that_of_one_after_the_other(lg_k: int, of: int) -> None:
    random = Random(lg_k)
    small = [sketch(drawn(random, random.randrange(1, 8), of), lg_k) for _ in range(6000)]
    empty, wide, tall = sketch([], lg_k), sketch([4], lg_k + 1), sketch(drawn(random, 2000), lg_k)
    groups: list[Any] = [small[:10], small[10:100], None, [], small[100:], [*small[:200], empty, *small[200:300]]]
    groups += [[*small[:70], tall], [tall, *small[:70]], [wide, *small[:70]]]
    for kept in (slice(None), slice(1, 5), slice(8, None)):
        column = pa.array(groups, pa.list_(pa.binary()))[kept]
        found = computed("wa_hll_union_of", column, pa.array([True] * len(column)))
        assert found == [_union_of(group, True) for group in groups[kept]]
    assert computed("wa_hll_union_of", pa.array(groups[:1], pa.list_(pa.binary())), pa.array([None], pa.bool_())) == [
        None
    ]


def test_sketches_of_other_sizes_are_refused_among_many() -> None:
    sketches = [sketch([value], 12) for value in range(5000)]
    for at in (0, 3, 4999):
        mixed = [*sketches[:at], sketch([1], 11), *sketches[at + 1 :]]
        with pytest.raises(ValueError, match="HLL_UNION_DIFFERENT_LG_K"):
            computed("wa_hll_union_of", pa.array([mixed], pa.list_(pa.binary())), pa.array([False]))
        mixed[at] = b"none"
        with pytest.raises(ValueError, match="HLL_INVALID_INPUT_SKETCH_BUFFER"):
            computed("wa_hll_union_of", pa.array([mixed], pa.list_(pa.binary())), pa.array([False]))


def pairs(seed: int) -> tuple[list[Any], list[Any]]:
    """Sketches of none, few and many values, of values that meet, and nulls."""
    random, columns = Random(seed), []
    for _ in range(2):
        counts = [random.choice([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 30, 2000]) for _ in range(400)]
        columns.append([sketch(drawn(random, count, 12), random.choice([12, 12, 12, 5])) for count in counts])
    return columns[0], columns[1]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_pair_is_united_as_the_library_does(seed: int) -> None:
    a, b = pairs(seed)
    ones = [sketch([value % 9], 12) for value in range(400)]
    for left, right in ((a, b), (ones, ones[::-1]), (ones, b), ([None, *a[1:]], [*b[:-1], None])):
        for kept in (slice(None), slice(3, 50), slice(399, None), slice(7, 7)):
            x, y = pa.array(left, pa.binary())[kept], pa.array(right, pa.binary())[kept]
            rows = list(zip(left[kept], right[kept], strict=True))
            expected = [None if None in row else _union(*row, True) for row in rows]
            assert computed("wa_hll_union", x, y, pa.array([True] * len(x), pa.bool_())) == expected
            assert computed("wa_hll_merged", x, y) == [None if None in row else _merged(*row) for row in rows]
    nulls = pa.array([None] * 400, pa.bool_())
    assert computed("wa_hll_union", pa.array(a), pa.array(b), nulls) == [None] * 400


def test_pairs_of_other_sizes_are_refused() -> None:
    a, b = [sketch([1, 2], 12)] * 3, [sketch([3], 12), sketch([4], 11), sketch([5], 12)]
    with pytest.raises(ValueError, match="HLL_UNION_DIFFERENT_LG_K"):
        computed("wa_hll_union", pa.array(a), pa.array(b), pa.array([False] * 3))


def test_an_image_that_lists_a_coupon_twice_is_left_to_the_library() -> None:
    image = sketch([1, 2, 3], 12)
    twice = image[:12] + image[8:12] + image[16:]
    for left, right in ((twice, image), (image, twice)):
        found = computed("wa_hll_union", pa.array([left] * 2), pa.array([right] * 2), pa.array([True] * 2))
        assert found == [_union(left, right, True)] * 2
