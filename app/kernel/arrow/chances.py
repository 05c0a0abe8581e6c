"""Chance as Spark has it with a seed: the value of row 1, 2, … of a table that is one partition.

Spark's generator is Marsaglia's xorshift (21, 35, 4) under Java's `Random`, its state murmur3 of the seed; arrays are
shuffled by a Mersenne Twister. A value is a function of the seed and the row's number; where the last rows ended is
kept, so that rows asked for in order cost a step each.
"""

from __future__ import annotations

import math
import random
import string
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction
from app.kernel.arrow.murmur3 import longs

_MASK = (1 << 64) - 1
_LETTERS = string.digits + string.ascii_lowercase + string.ascii_uppercase
_KEPT = 64
_open: dict[tuple[object, ...], tuple[int, Iterator[Any]]] = {}


def _bits(seed: int) -> Callable[[int], int]:
    """`Random.next` of Spark's `XORShiftRandom`: that many low bits, as an unsigned number."""
    words = np.array([seed], dtype=np.int64).byteswap()
    low = longs(words, np.array([0x3C074A61], dtype=np.uint32))
    state = int(longs(words, low)[0]) << 32 | int(low[0])

    def following(count: int) -> int:
        nonlocal state
        state ^= state << 21 & _MASK
        state ^= state >> 35
        state ^= state << 4 & _MASK
        return state & ((1 << count) - 1)

    return following


def _double(bits: Callable[[int], int]) -> float:
    return ((bits(26) << 27) + bits(27)) / (1 << 53)


def _doubles(seed: int) -> Iterator[float]:
    bits = _bits(seed)
    while True:
        yield _double(bits)


def _normals(seed: int) -> Iterator[float]:
    """Java's polar method: two values at a time."""
    bits = _bits(seed)
    while True:
        x, y = 2 * _double(bits) - 1, 2 * _double(bits) - 1
        square = x * x + y * y
        if 0 < square < 1:
            scale = math.sqrt(-2 * math.log(square) / square)
            yield x * scale
            yield y * scale


def _texts(seed: int, length: int) -> Iterator[str]:
    bits = _bits(seed)
    while True:
        yield "".join(_LETTERS[abs(_signed(bits(32))) % len(_LETTERS)] for _ in range(length))


def _signed(word: int) -> int:
    return word - (1 << 32) if word >> 31 else word


def _shuffles(seed: int, length: int) -> Iterator[list[int]]:
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
        yield places


def _below(twister: random.Random, limit: int) -> int:
    if limit & -limit == limit:
        return limit * twister.getrandbits(31) >> 31
    while True:
        drawn = twister.getrandbits(31)
        value = drawn % limit
        if drawn - value + limit - 1 < 1 << 31:
            return value


def _in_order(make: Callable[..., Iterator[Any]], seed: tuple[int, ...], rows: list[int]) -> list[Any]:
    """The values of these rows."""
    key = (make, *seed)
    following, values = _open.pop(key, (1, make(*seed)))
    found = []
    for row in rows:
        if row < following:
            following, values = 1, make(*seed)
        for _ in range(row - following):
            next(values)
        found.append(next(values))
        following = row + 1
    if len(_open) >= _KEPT:
        _open.clear()
    _open[key] = following, values
    return found


def _seeded(make: Callable[..., Iterator[Any]], kind: pa.DataType) -> Callable[..., pa.Array]:
    def compute(rows: pa.Array, *seed: pa.Array) -> pa.Array:
        constants = tuple(column[0].as_py() for column in seed) if len(rows) else ()
        return pa.array(_in_order(make, constants, rows.to_pylist()) if len(rows) else [], type=kind)

    return compute


def _shuffled(rows: pa.Array, seed: pa.Array, arrays: pa.Array) -> pa.Array:
    """Arrays that have one length in all rows."""
    if not len(rows):
        return arrays
    lengths = arrays.value_lengths()
    orders = _in_order(_shuffles, (seed[0].as_py(), lengths[0].as_py()), rows.to_pylist())
    starts = arrays.offsets.to_pylist()[:-1]
    places = [start + at for start, order in zip(starts, orders, strict=True) for at in order]
    values = arrays.values.take(pa.array(places, type=pa.int64()))
    offsets = np.arange(len(rows) + 1, dtype=np.int32) * lengths[0].as_py()
    return pa.ListArray.from_arrays(pa.array(offsets), values)


def _shuffle(arrays: pa.Array, chance: pa.Array) -> pa.Array:
    """Each array in an order of its own; `chance` only keeps the call from being computed once for all rows."""
    offsets = arrays.offsets.to_numpy()
    places = np.arange(offsets[0], offsets[-1])
    for start, end in zip(offsets[:-1] - offsets[0], offsets[1:] - offsets[0], strict=True):
        np.random.default_rng().shuffle(places[start:end])
    values = arrays.values.take(pa.array(places))
    return pa.ListArray.from_arrays(pa.array(offsets - offsets[0]), values, mask=arrays.is_null())


def _random_text(lengths: pa.Array, chance: pa.Array) -> pa.Array:
    return pa.array(["".join(random.choices(_LETTERS, k=n)) for n in lengths.to_pylist()], type=pa.string())


FUNCTIONS = {
    "wa_rand": ArrowFunction(_seeded(_doubles, pa.float64()), ("BIGINT", "BIGINT"), "DOUBLE"),
    "wa_randn": ArrowFunction(_seeded(_normals, pa.float64()), ("BIGINT", "BIGINT"), "DOUBLE"),
    "wa_randstr": ArrowFunction(_seeded(_texts, pa.string()), ("BIGINT", "BIGINT", "INTEGER"), "VARCHAR"),
    "wa_random_text": ArrowFunction(_random_text, ("INTEGER", "DOUBLE"), "VARCHAR"),
    "wa_shuffled": ArrowFunction(_shuffled, None, None),
    "wa_shuffle": ArrowFunction(_shuffle, None, None),
}
