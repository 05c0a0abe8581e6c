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
from app.kernel.arrow.flat import WIDEST, flat

Hashes = np.ndarray[Any, np.dtype[Any]]
_SEED = 42
_WIDE = 18


@dataclass(frozen=True, slots=True)
class _Algorithm:
    """`ints`, `longs` and `texts` give the hashes of values with a seed each."""

    ints: Callable[[Hashes, Hashes], Hashes]
    longs: Callable[[Hashes, Hashes], Hashes]
    texts: Callable[[Hashes, Hashes, Hashes, Hashes], Hashes]
    carrier: Any
    signed: Any


_MURMUR3 = _Algorithm(murmur3.ints, murmur3.longs, murmur3.texts, np.uint32, np.int32)
_XXHASH64 = _Algorithm(xxhash64.ints, xxhash64.longs, xxhash64.texts, np.uint64, np.int64)


def _function(algorithm: _Algorithm) -> Callable[..., pa.Array]:
    def compute(*columns: pa.Array) -> pa.Array:
        hashes = np.full(len(columns[0]), _SEED, dtype=algorithm.carrier)
        for column in columns:
            hashes = _update(algorithm, column, hashes)
        return pa.array(hashes.view(algorithm.signed))

    return compute


def _update(algorithm: _Algorithm, column: pa.Array, hashes: Hashes) -> Hashes:
    """`hashes` with the values of one column taken in."""
    if pa.types.is_null(column.type) or not len(column):
        return hashes
    if not column.null_count:
        return _take_in(algorithm, column, hashes)
    there = column.is_valid().to_numpy(zero_copy_only=False)
    if not pa.types.is_nested(column.type):
        return np.where(there, _take_in(algorithm, column, hashes), hashes)
    updated = hashes.copy()
    updated[there] = _take_in(algorithm, column.filter(pa.array(there)), hashes[there])
    return updated


def _take_in(algorithm: _Algorithm, column: pa.Array, hashes: Hashes) -> Hashes:
    """The same of a column without nulls at its top; of one of single values with any values where it has nulls."""
    kind = column.type
    if pa.types.is_struct(kind):
        for field in column.flatten():
            hashes = _update(algorithm, field, hashes)
        return hashes
    if pa.types.is_list(kind):
        return _take_in_lists(algorithm, column, hashes)
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        return algorithm.texts(*_bytes_of(column), hashes)
    if pa.types.is_decimal(kind) and kind.precision > _WIDE:
        return algorithm.texts(*_shortest(_plain(column, np.dtype((np.uint8, 16)))), hashes)
    values = _numbers_of(column)
    return (algorithm.longs if values.dtype.itemsize == 8 else algorithm.ints)(values, hashes)


def _take_in_lists(algorithm: _Algorithm, column: pa.Array, hashes: Hashes) -> Hashes:
    offsets = column.offsets.to_numpy()
    lengths = np.diff(offsets)
    hashes = hashes.copy()
    for at in range(int(lengths.max(initial=0))):
        longer = np.flatnonzero(lengths > at)
        items = column.values.take(pa.array(offsets[longer] + at))
        hashes[longer] = _update(algorithm, items, hashes[longer])
    return hashes


def _bytes_of(column: pa.Array) -> tuple[Hashes, Hashes, Hashes]:
    """The bytes of all texts, and where each starts and how long it is."""
    texts = flat(column)
    return texts.padded(), texts.starts, texts.lengths


def _shortest(numbers: Hashes) -> tuple[Hashes, Hashes, Hashes]:
    """Whole numbers of 16 bytes, least first, as Java's `BigInteger.toByteArray`: the fewest bytes that hold number and
    sign, greatest first."""
    letters = np.ascontiguousarray(numbers[:, ::-1])
    sign = np.where(letters[:, 0] & 0x80, np.uint8(0xFF), np.uint8(0))
    differs = letters != sign[:, None]
    first = np.where(differs.any(axis=1), differs.argmax(axis=1), 15)
    # The first byte that is there has to begin with the sign.
    rows = np.arange(len(letters))
    first -= (first > 0) & ((letters[rows, first] ^ sign) & 0x80 > 0)
    padded = np.concatenate([letters.ravel(), np.zeros(WIDEST, dtype=np.uint8)])
    return padded, rows * 16 + first, 16 - first


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
