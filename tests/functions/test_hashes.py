"""`hash` and `xxhash64` of batches of texts and decimals, beside the algorithms written down for one value."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from decimal import Decimal

import pyarrow as pa
import pytest

from app.kernel.arrow import ARROW_FUNCTIONS

_P = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
_SEED = 42


def _rotated(value: int, by: int, bits: int) -> int:
    return ((value << by) | (value >> (bits - by))) % (1 << bits)


def _murmur3(data: bytes) -> int:
    """Spark's: each byte behind the last whole word is a word of its own, with a sign."""
    whole = len(data) & ~3
    words = [int.from_bytes(data[at : at + 4], "little") for at in range(0, whole, 4)]
    words += [int.from_bytes(data[at : at + 1], "little", signed=True) % (1 << 32) for at in range(whole, len(data))]
    found = _SEED
    for word in words:
        found ^= _rotated(word * 0xCC9E2D51 % (1 << 32), 15, 32) * 0x1B873593 % (1 << 32)
        found = (_rotated(found, 13, 32) * 5 + 0xE6546B64) % (1 << 32)
    found ^= len(data)
    for by, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        found = (found ^ found >> by) * factor % (1 << 32)
    return found


def _xxhash64(data: bytes) -> int:
    size, at = 1 << 64, 0
    if len(data) >= 32:
        lanes = [_SEED + _P[0] + _P[1], _SEED + _P[1], _SEED, _SEED - _P[0]]
        while at + 32 <= len(data):
            for i in range(4):
                word = int.from_bytes(data[at + 8 * i : at + 8 * i + 8], "little")
                lanes[i] = _rotated((lanes[i] + word * _P[1]) % size, 31, 64) * _P[0] % size
            at += 32
        found = sum(_rotated(lane, by, 64) for lane, by in zip(lanes, (1, 7, 12, 18), strict=True)) % size
        for lane in lanes:
            found ^= _rotated(lane * _P[1] % size, 31, 64) * _P[0] % size
            found = (found * _P[0] + _P[3]) % size
    else:
        found = _SEED + _P[4]
    found = (found + len(data)) % size
    while at + 8 <= len(data):
        word = int.from_bytes(data[at : at + 8], "little")
        found ^= _rotated(word * _P[1] % size, 31, 64) * _P[0] % size
        found, at = (_rotated(found, 27, 64) * _P[0] + _P[3]) % size, at + 8
    if at + 4 <= len(data):
        found ^= int.from_bytes(data[at : at + 4], "little") * _P[0] % size
        found, at = (_rotated(found, 23, 64) * _P[1] + _P[2]) % size, at + 4
    for byte in data[at:]:
        found = _rotated(found ^ byte * _P[4] % size, 11, 64) * _P[0] % size
    for by, factor in ((33, _P[1]), (29, _P[2]), (32, 1)):
        found = (found ^ found >> by) * factor % size
    return found


def _signed(value: int, bits: int) -> int:
    return value - (value >> (bits - 1) << bits)


_HASHES = {"wa_murmur3": (_murmur3, 32), "wa_xxhash64": (_xxhash64, 64)}


def _check(column: pa.Array, data: list[bytes | None]) -> None:
    for name, (one, bits) in _HASHES.items():
        wanted = [_SEED if value is None else _signed(one(value), bits) for value in data]
        assert ARROW_FUNCTIONS[name].compute(column).to_pylist() == wanted, name


def _batches(make: Callable[[random.Random], bytes | int]) -> Iterator[list[bytes | int | None]]:
    """With nulls and without, of one value, of none, and of nulls alone."""
    rng = random.Random(3)
    yield from ([make(rng) for _ in range(count)] for count in (0, 1, 2, 200))
    yield [make(rng) if rng.random() < 0.5 else None for _ in range(200)]
    yield [None, None]


@pytest.mark.parametrize("length", [0, 1, 3, 4, 7, 8, 11, 13, 16, 31, 32, 33, 37, 63, 64, 69, 100, 131])
def test_texts_of_one_length(length: int) -> None:
    for values in _batches(lambda rng: rng.randbytes(length)):
        _check(pa.array([b"other", *values], pa.binary())[1:], values)  # type: ignore[arg-type]


@pytest.mark.parametrize("most", [3, 9, 40, 200])
def test_texts_of_several_lengths(most: int) -> None:
    for values in _batches(lambda rng: rng.randbytes(rng.randint(0, most))):
        _check(pa.array([b"other", *values], pa.binary())[1:], values)  # type: ignore[arg-type]


def test_wide_decimals_are_the_fewest_bytes_that_hold_them() -> None:
    rng = random.Random(4)
    edges = [sign * (2**bits + more) for bits in range(127) for more in (-1, 0, 1) for sign in (1, -1)]
    edges = [value for value in edges if abs(value) < 10**38]
    columns = [edges, *([value] * 3 for value in edges)]
    columns += [[rng.randrange(-(10**digits), 10**digits) for _ in range(50)] for digits in (1, 9, 19, 30, 38)]
    for values in [*columns, *([value, None, value] for value in edges[:60])]:
        data = [None if v is None else v.to_bytes(((v ^ v >> 127).bit_length() >> 3) + 1, signed=True) for v in values]
        _check(pa.array([None if v is None else Decimal(v) for v in [5, *values]], pa.decimal128(38, 0))[1:], data)
