"""Chance as Spark has it with a seed: the value of row 1, 2, … of a table that is one partition.

Spark's generator is Marsaglia's xorshift (21, 35, 4) under Java's `Random`, its state murmur3 of the seed; arrays are
shuffled by a Mersenne Twister, and rows are taken repeatedly by a WELL generator. A value is a function of the seed and
the row's number; where the last rows ended is kept, so that rows asked for in order cost a step each.

A step of xorshift is linear over bits: the state n steps on is the exclusive or of what each byte of a state becomes.
So n states give the n next ones by tables of 8 times 256 words. Where many are wanted, states so far apart step on side
by side, which costs less than the tables.
"""

from __future__ import annotations

import math
import random
import string
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction
from app.kernel.arrow.flat import Numbers, column_of, ends_of
from app.kernel.arrow.murmur3 import longs
from app.kernel.arrow.well import well_doubles

_LETTERS = np.frombuffer((string.digits + string.ascii_lowercase + string.ascii_uppercase).encode(), dtype=np.uint8)
_KEPT = 64
_FIRST_BLOCK, _LARGEST_BLOCK = 5, 16
"""Logarithms of how many states are made at a time."""
_APART = 16
"""How many states there are from one that steps on to the next beside it."""


def _stepped(states: Numbers, out: Numbers | None = None) -> Numbers:
    """The state after each."""
    shifted = np.left_shift(states, 21)
    following: Numbers = np.bitwise_xor(states, shifted, out=out)
    following ^= np.right_shift(following, 35, out=shifted)
    following ^= np.left_shift(following, 4, out=shifted)
    return following


def _jumped(states: Numbers, table: Numbers) -> Numbers:
    """The state as many steps after each as the table is for."""
    places = states.astype("<u8").view(np.uint8).reshape(-1, 8)
    found: Numbers = table[0].take(places[:, 0])
    for i in range(1, 8):
        found ^= table[i].take(places[:, i])
    return found


@cache
def _tables() -> list[Numbers]:
    """Tables for 1, 2, 4, … steps."""
    words = np.arange(256, dtype=np.uint64) << np.arange(0, 64, 8, dtype=np.uint64)[:, None]
    tables = [_stepped(words)]
    for _ in range(_LARGEST_BLOCK):
        tables.append(_jumped(tables[-1].ravel(), tables[-1]).reshape(8, 256))
    return tables


def _states(seed: int) -> Iterator[Numbers]:
    """The states behind the first one, many at a time: a power of two, one column below the other. The next ones may
    overwrite them."""
    words = np.array([seed], dtype=np.int64).byteswap()
    low = longs(words, np.array([0x3C074A61], dtype=np.uint32))
    high = longs(words, low).astype(np.uint64)
    # From here on with the first one, which is the last of no block.
    states = high << np.uint64(32) | low
    for table in _tables()[:_FIRST_BLOCK]:
        states = np.concatenate([states, _jumped(states, table)])
    yield _stepped(states)[:, None]
    for table in _tables()[_FIRST_BLOCK:_LARGEST_BLOCK]:
        following = _jumped(states, table)
        states = np.concatenate([states, following])
        yield _stepped(following)[:, None]
    before = states[::_APART]
    rows = np.empty((_APART, len(before)), dtype=np.uint64)
    while True:
        before = _jumped(before, _tables()[_LARGEST_BLOCK])
        last = before
        for row in rows:
            last = _stepped(last, row)
        yield rows


def _doubles(seed: int) -> Iterator[Numbers]:
    """Of two states the lowest 26 and 27 bits."""
    for states in _states(seed):
        words = states[::2] << np.uint64(38)
        words >>= np.uint64(11)
        words |= states[1::2] & np.uint64((1 << 27) - 1)
        doubles = words.view(np.int64).T.astype(np.float64, order="C").ravel()
        doubles *= 2.0**-53
        yield doubles


def _normals(seed: int) -> Iterator[Numbers]:
    """Java's polar method: two values at a time."""
    for doubles in _doubles(seed):
        pairs = (2 * doubles - 1).reshape(-1, 2)
        squares = pairs[:, 0] * pairs[:, 0] + pairs[:, 1] * pairs[:, 1]
        good = (squares > 0) & (squares < 1)
        squares = squares[good]
        # numpy's logarithm may differ in the last bit.
        logs = np.array(list(map(math.log, squares.tolist())))
        yield (pairs[good] * np.sqrt(-2 * logs / squares)[:, None]).ravel()


def _texts(seed: int, length: int) -> Iterator[Numbers]:
    """A row of letters each."""
    rest = np.zeros(0, dtype=np.uint8)
    for states in _states(seed):
        words = np.abs(states.T.ravel().astype(np.uint32).view(np.int32).astype(np.int64))
        letters = np.concatenate([rest, _LETTERS[words % len(_LETTERS)]])
        whole = len(letters) // length * length
        yield letters[:whole].reshape(-1, length)
        rest = letters[whole:]


def _shuffles(seed: int, length: int) -> Iterator[Numbers]:
    """Orders of `length` places."""
    words = np.array([seed >> 32 & 0xFFFFFFFF, seed & 0xFFFFFFFF], dtype=np.uint32)
    state: Any = np.random.RandomState(words).get_state()
    twister = random.Random()
    twister.setstate((3, (*map(int, state[1]), int(state[2])), None))
    while True:
        places: list[int] = []
        for i in range(length):
            at = _below(twister, i + 1)
            places.append(i)
            places[i], places[at] = places[at], i
        yield np.array([places], dtype=np.int64)


def _below(twister: random.Random, limit: int) -> int:
    if limit & -limit == limit:
        return limit * twister.getrandbits(31) >> 31
    while True:
        drawn = twister.getrandbits(31)
        value = drawn % limit
        if drawn - value + limit - 1 < 1 << 31:
            return value


def _counts(seed: int, mean: float) -> Iterator[Numbers]:
    """Numbers with Poisson's distribution, the mean being small: how many chances in a row multiply to e^-mean."""
    chances, least = well_doubles(seed), math.exp(-mean)
    while True:
        counts = []
        for _ in range(1024):
            count, product = 0, next(chances)
            while product >= least:
                count, product = count + 1, product * next(chances)
            counts.append(count)
        yield np.array(counts, dtype=np.int64)


class _Values:
    """The values of rows 1, 2, … from the rows on that were asked for last."""

    def __init__(self, blocks: Iterator[Numbers]) -> None:
        self._blocks, self._kept, self.first = blocks, next(blocks), 1

    def of(self, least: int, most: int) -> Numbers:
        """The values of the rows from `least`, not before `first`, up to `most`."""
        while self.first + len(self._kept) <= least:
            self.first += len(self._kept)
            self._kept = next(self._blocks)
        parts, end = [self._kept] if len(self._kept) else [], self.first + len(self._kept)
        while end <= most:
            parts.append(next(self._blocks))
            end += len(parts[-1])
        values = np.concatenate(parts) if len(parts) > 1 else parts[0]
        first, self.first = self.first, most + 1
        self._kept = values[most + 1 - first :]
        found: Numbers = values[least - first : most + 1 - first]
        return found


_open: dict[tuple[object, ...], _Values] = {}


def _in_order(make: Callable[..., Iterator[Numbers]], seed: tuple[float, ...], rows: Numbers) -> Numbers:
    """The values of these rows."""
    key = (make, *seed)
    values = _open.pop(key, None)
    least, most = int(rows[0]), int(rows[-1])
    following = most - least + 1 == len(rows) and (rows == np.arange(least, most + 1)).all()
    if not following:
        least, most = int(rows.min()), int(rows.max())
    if values is None or values.first > least:
        values = _Values(make(*seed))
    found = values.of(least, most)
    if len(_open) >= _KEPT:
        _open.clear()
    _open[key] = values
    return found if following else found[rows - least]


def _seeded(make: Callable[[int], Iterator[Numbers]]) -> Callable[[pa.Array, pa.Array], pa.Array]:
    def compute(rows: pa.Array, seed: pa.Array) -> pa.Array:
        if not len(rows):
            return pa.array([], type=pa.float64())
        return pa.array(_in_order(make, (seed[0].as_py(),), rows.to_numpy()))

    return compute


def _seeded_counts(rows: pa.Array, seed: pa.Array, means: pa.Array) -> pa.Array:
    if not len(rows):
        return pa.array([], type=pa.int64())
    return pa.array(_in_order(_counts, (seed[0].as_py(), means[0].as_py()), rows.to_numpy()))


def _seeded_text(rows: pa.Array, seed: pa.Array, lengths: pa.Array) -> pa.Array:
    """Texts that have one length in all rows."""
    length = lengths[0].as_py() if len(rows) else 0
    if not length:
        return pa.array([""] * len(rows), type=pa.string())
    letters = _in_order(_texts, (seed[0].as_py(), length), rows.to_numpy())
    return column_of(np.ascontiguousarray(letters), np.arange(len(rows) + 1) * length, pa.string(), rows)


def _shuffled(rows: pa.Array, seed: pa.Array, arrays: pa.Array) -> pa.Array:
    """Arrays that have one length in all rows."""
    if not len(rows):
        return arrays
    offsets = arrays.offsets.to_numpy()
    orders = _in_order(_shuffles, (seed[0].as_py(), int(offsets[1] - offsets[0])), rows.to_numpy())
    return pa.ListArray.from_arrays(
        pa.array(offsets - offsets[0]), arrays.values.take(pa.array((orders + offsets[:-1, None]).ravel()))
    )


def _shuffle(arrays: pa.Array, chance: pa.Array) -> pa.Array:
    """Each array in an order of its own; `chance` only keeps the call from being computed once for all rows."""
    offsets = arrays.offsets.to_numpy()
    starts, lengths = offsets[:-1] - offsets[0], np.diff(offsets)
    places = np.arange(offsets[0], offsets[-1])
    generator = np.random.default_rng()
    for length in np.unique(lengths):
        at = starts[lengths == length][:, None] + np.arange(length)
        places[at] = generator.permuted(places[at], axis=1)
    values = arrays.values.take(pa.array(places))
    return pa.ListArray.from_arrays(pa.array(offsets - offsets[0]), values, mask=arrays.is_null())


def _random_text(lengths: pa.Array, chance: pa.Array) -> pa.Array:
    offsets = ends_of(lengths.fill_null(0).to_numpy())
    letters = _LETTERS[np.random.default_rng().integers(len(_LETTERS), size=offsets[-1], dtype=np.uint8)]
    return column_of(letters, offsets, pa.string(), lengths)


FUNCTIONS = {
    "wa_rand": ArrowFunction(_seeded(_doubles), ("BIGINT", "BIGINT"), "DOUBLE"),
    "wa_randn": ArrowFunction(_seeded(_normals), ("BIGINT", "BIGINT"), "DOUBLE"),
    "wa_poisson": ArrowFunction(_seeded_counts, ("BIGINT", "BIGINT", "DOUBLE"), "BIGINT"),
    "wa_randstr": ArrowFunction(_seeded_text, ("BIGINT", "BIGINT", "INTEGER"), "VARCHAR"),
    "wa_random_text": ArrowFunction(_random_text, ("INTEGER", "DOUBLE"), "VARCHAR"),
    "wa_shuffled": ArrowFunction(_shuffled, None, None),
    "wa_shuffle": ArrowFunction(_shuffle, None, None),
}
