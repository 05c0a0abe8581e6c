"""Spark's `hash` (Murmur3, 32 bits) and `xxhash64`, a column at a time.

A row's hash is the seed of its next column; a null leaves it as it is. Arrays and structs are hashed value by value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from app.kernel.arrow import murmur3, xxhash64
from app.kernel.arrow.entry import ArrowFunction
from app.kernel.arrow.flat import Alike, alike, flat, padded, valid

Hashes = np.ndarray[Any, np.dtype[Any]]
_SEED = 42
_WIDE = 18


@dataclass(frozen=True, slots=True)
class _Algorithm:
    """`ints`, `longs`, `alike` and `texts` give the hashes of values with a seed each."""

    ints: Callable[[Hashes, Hashes], Hashes]
    longs: Callable[[Hashes, Hashes], Hashes]
    alike: Callable[[Alike, Hashes], Hashes]
    texts: Callable[[Hashes, Hashes, Hashes, Hashes], Hashes]
    carrier: Any
    signed: Any


_MURMUR3 = _Algorithm(murmur3.ints, murmur3.longs, murmur3.alike, murmur3.texts, np.uint32, np.int32)
_XXHASH64 = _Algorithm(xxhash64.ints, xxhash64.longs, xxhash64.alike, xxhash64.texts, np.uint64, np.int64)


def _function(algorithm: _Algorithm) -> Callable[..., pa.Array]:
    def compute(*columns: pa.Array) -> pa.Array:
        hashes = np.full(len(columns[0]), _SEED, dtype=algorithm.carrier)
        for column in columns:
            hashes = _update(algorithm, column, hashes)
        return pa.array(hashes.view(algorithm.signed))

    return compute


def _update(algorithm: _Algorithm, column: pa.Array, hashes: Hashes) -> Hashes:
    """`hashes` with the values of one column taken in."""
    if column.null_count == len(column):
        return hashes
    if not column.null_count:
        return _take_in(algorithm, column, hashes)
    there = valid(column)
    if _numeric(column.type):
        return np.where(there, _take_in(algorithm, column, hashes), hashes)
    updated = hashes.copy()
    if _is_text(column.type):
        rows = np.flatnonzero(there)
        texts = flat(column)
        updated[rows] = _take_in_texts(algorithm, texts.letters, texts.starts[rows], texts.lengths[rows], hashes[rows])
    else:
        updated[there] = _take_in(algorithm, column.filter(pa.array(there)), hashes[there])
    return updated


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_binary(kind))


def _numeric(kind: pa.DataType) -> bool:
    """Whether a value is hashed as one number."""
    return not (_is_text(kind) or pa.types.is_nested(kind))


def _take_in(algorithm: _Algorithm, column: pa.Array, hashes: Hashes) -> Hashes:
    """The same of a column without nulls at its top; of one of single values with any values where it has nulls."""
    kind = column.type
    if pa.types.is_struct(kind):
        for field in column.flatten():
            hashes = _update(algorithm, field, hashes)
        return hashes
    if pa.types.is_list(kind):
        return _take_in_lists(algorithm, column, hashes)
    if _is_text(kind):
        texts = flat(column)
        return _take_in_texts(algorithm, texts.letters, texts.starts, texts.lengths, hashes)
    if pa.types.is_decimal(kind) and kind.precision > _WIDE:
        return _take_in_texts(algorithm, *_shortest(_plain(column, np.dtype((np.uint64, 2)))), hashes)
    values = _numbers_of(column)
    return (algorithm.longs if values.dtype.itemsize == 8 else algorithm.ints)(values, hashes)


def _take_in_texts(algorithm: _Algorithm, letters: Hashes, starts: Hashes, lengths: Hashes, hashes: Hashes) -> Hashes:
    same = alike(letters, starts, lengths)
    if same is not None:
        return algorithm.alike(same, hashes)
    return algorithm.texts(padded(letters), starts, lengths, hashes)


def _take_in_lists(algorithm: _Algorithm, column: pa.Array, hashes: Hashes) -> Hashes:
    offsets = column.offsets.to_numpy()
    lengths = np.diff(offsets)
    hashes = hashes.copy()
    for at in range(int(lengths.max(initial=0))):
        longer = np.flatnonzero(lengths > at)
        items = column.values.take(pa.array(offsets[longer] + at))
        hashes[longer] = _update(algorithm, items, hashes[longer])
    return hashes


def _shortest(numbers: Hashes) -> tuple[Hashes, Hashes, Hashes]:
    """Whole numbers of two words, least first, as Java's `BigInteger.toByteArray`: the fewest bytes that hold number
    and sign, greatest first. Those bytes, and where each number starts and how long it is."""
    low, high = numbers[:, 0], numbers[:, 1]
    signs = (high.view(np.int64) >> 63).view(np.uint64)
    # No bit has a one before it then: as a double it has the same first bit.
    low, high = ((word & ~(word >> np.uint64(1))).astype(np.float64) for word in (low ^ signs, high ^ signs))
    bits = ((high * 2.0**64 + low).view(np.int64) >> 52) - 1022
    sizes = (np.maximum(bits, 0) >> 3) + 1
    letters = numbers[:, ::-1].byteswap().view(np.uint8).ravel()
    return letters, np.arange(16, 16 * len(numbers) + 16, 16) - sizes, sizes


def _numbers_of(column: pa.Array) -> Hashes:
    """Values as whole numbers of 32 or 64 bits; floating ones as their bits, with one zero and one NaN."""
    kind = column.type
    if pa.types.is_boolean(kind) or (pa.types.is_integer(kind) and kind.bit_width < 32):
        return _plain(pc.cast(column, pa.int32()), np.int32)
    if pa.types.is_floating(kind):
        values = _plain(column, np.float32 if kind.bit_width == 32 else np.float64).copy()
        values[values == 0] = 0.0
        values[np.isnan(values)] = np.nan
        return values.view(np.int32 if kind.bit_width == 32 else np.int64)
    if pa.types.is_decimal(kind):
        return np.ascontiguousarray(_plain(column, np.dtype((np.int64, 2)))[:, 0])
    if pa.types.is_interval(kind):
        parts = _plain(column, np.dtype([("months", "<i4"), ("days", "<i4"), ("ns", "<i8")]))
        micros: Hashes = parts["days"].astype(np.int64) * 86_400_000_000 + parts["ns"] // 1000
        return micros
    return _plain(column, np.int32 if kind.bit_width == 32 else np.int64)


def _plain(column: pa.Array, kind: Any) -> Hashes:
    """The values of a column as they lie in memory, whatever lies where it has nulls."""
    values: Hashes = np.frombuffer(column.buffers()[1], dtype=kind)
    return values[column.offset : column.offset + len(column)]


FUNCTIONS = {
    "wa_murmur3": ArrowFunction(_function(_MURMUR3), None, "INTEGER"),
    "wa_xxhash64": ArrowFunction(_function(_XXHASH64), None, "BIGINT"),
}
