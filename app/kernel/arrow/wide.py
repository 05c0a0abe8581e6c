"""Whole numbers of 128 bits, a batch of them at a time: an array of their lower 64 bits and one of their upper ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from app.kernel.arrow.flat import Numbers

Wide = tuple[Numbers, Numbers]
"""Lower and upper words, without a sign unless it is said: then as two's complement."""

_HALF, _LOWER, _TOP = np.uint64(32), np.uint64(0xFFFFFFFF), np.int64(63)
_ONE = np.uint64(1)
_WORD = 2.0**64
_CHUNK = 9
SURE_BITS = 48
"""A quotient of so many bits is wrong by less than a quarter when doubles have computed it."""


def signed_words(column: pa.Array) -> Wide:
    """The values of a column of decimals without their points, as two's complement; any where it is null."""
    words = np.frombuffer(column.buffers()[1], dtype="<u8").reshape(-1, 2)[column.offset : column.offset + len(column)]
    return np.array(words[:, 0]), np.array(words[:, 1])


def constant(value: int) -> tuple[np.uint64, np.uint64]:
    return np.uint64(value & 0xFFFFFFFFFFFFFFFF), np.uint64(value >> 64)


def signs_of(high: Numbers) -> Numbers:
    """All bits set where a number is negative."""
    signs: Numbers = (high.view(np.int64) >> _TOP).view(np.uint64)
    return signs


def negated(x: Wide, signs: Numbers) -> Wide:
    """Minus `x` where `signs` are set."""
    low: Numbers = (x[0] ^ signs) - signs
    return low, (x[1] ^ signs) + ((low == 0) & signs & _ONE)


def plus(x: Any, y: Any) -> Wide:
    """Modulo 2**128, as all that follow."""
    low = x[0] + y[0]
    return low, x[1] + y[1] + (low < x[0])


def minus(x: Any, y: Any) -> Wide:
    return x[0] - y[0], x[1] - y[1] - (x[0] < y[0])


def times(x: Any, y: Any) -> Wide:
    a, b = (x[0] & _LOWER, x[0] >> _HALF), (y[0] & _LOWER, y[0] >> _HALF)
    middle = a[1] * b[0] + (a[0] * b[0] >> _HALF)
    other = a[0] * b[1] + (middle & _LOWER)
    high = a[1] * b[1] + (middle >> _HALF) + (other >> _HALF)
    return x[0] * y[0], high + x[0] * y[1] + x[1] * y[0]


def shifted(x: Wide, bits: int) -> Wide:
    if not bits:
        return x
    if bits >= 64:
        return np.zeros_like(x[0]), x[0] << np.uint64(bits - 64)
    return x[0] << np.uint64(bits), (x[1] << np.uint64(bits)) | (x[0] >> np.uint64(64 - bits))


def at_least(x: Any, y: Any) -> Numbers:
    """Whether `x >= y`."""
    found: Numbers = (x[1] > y[1]) | ((x[1] == y[1]) & (x[0] >= y[0]))
    return found


def doubles(x: Wide) -> Numbers:
    """Off by less than a part in 2**52."""
    found: Numbers = x[1].astype(np.float64) * _WORD + x[0].astype(np.float64)
    return found


def shortened(x: Wide, digits: int) -> Wide:
    """Without so many digits, rounded half up."""
    low, high = plus(x, constant(10**digits // 2)) if digits else x
    while digits:
        by = np.uint64(10 ** min(digits, _CHUNK))
        upper = high // by
        rest = ((high - upper * by) << _HALF) | (low >> _HALF)
        middle = rest // by
        rest = ((rest - middle * by) << _HALF) | (low & _LOWER)
        low, high = (middle << _HALF) + rest // by, upper
        digits -= min(digits, _CHUNK)
    return low, high


def divided(x: Wide, y: Wide) -> tuple[Wide, Wide]:
    """Quotients and remainders of numbers below 2**127."""
    below = doubles(y)
    ratio = doubles(x) / below
    whole: Wide = np.zeros_like(x[0]), np.zeros_like(x[1])
    while True:
        # The digits that come first, then those that what is left of `x` gives.
        shift = max(0, int(np.frexp(np.abs(ratio).max(initial=0))[1]) - SURE_BITS)
        digits = _words(np.rint(ratio * 2.0**-shift))
        whole = plus(whole, shifted(digits, shift))
        x = minus(x, shifted(times(digits, y), shift))
        if not shift:
            return _settled(whole, x, y)
        signs = signs_of(x[1])
        ratio = doubles(negated(x, signs)) / below
        np.negative(ratio, out=ratio, where=signs > 0)


def divided_scaled(x: Wide, y: Wide, by: int) -> tuple[Wide, Wide]:
    """Quotients and remainders of `x * by` for `x < y < 2**127` and `by < 2**47`: what would pass 128 bits falls away
    with the multiple of `y`."""
    digits = _words(np.rint(doubles(x) * float(by) / doubles(y)))
    return _settled(digits, minus(times(x, constant(by)), times(digits, y)), y)


def _settled(whole: Wide, rest: Wide, y: Wide) -> tuple[Wide, Wide]:
    """A quotient that may be one too large, and what it leaves, with the sign that it ought to have."""
    signs = signs_of(rest[1])
    return plus(whole, (signs, signs)), plus(rest, (y[0] & signs, y[1] & signs))


def _words(whole: Numbers) -> Wide:
    low = whole.astype(np.int64)
    return low.view(np.uint64), (low >> _TOP).view(np.uint64)
