"""Exact products of numbers of 128 bits, without some of their last digits: limbs of 32 bits, in words of 64."""

from __future__ import annotations

import numpy as np

from app.kernel.arrow.flat import Numbers
from app.kernel.arrow.wide import Wide

_BITS, _LOWER = np.uint64(32), np.uint64(0xFFFFFFFF)
_CHUNK = 9


def product(x: Wide, y: Wide, digits: int) -> Wide:
    """Rounded half up; 2**128 - 1 instead of what has more bits."""
    limbs = _multiplied(_limbs(x), _limbs(y))
    if digits:
        _add(limbs, 10**digits // 2)
    while digits:
        _divide(limbs, np.uint64(10 ** min(digits, _CHUNK)))
        digits -= min(digits, _CHUNK)
    low, high = limbs[0] | limbs[1] << _BITS, limbs[2] | limbs[3] << _BITS
    over = np.any(limbs[4:], axis=0)
    low[over] = high[over] = np.uint64(0xFFFFFFFFFFFFFFFF)
    return low, high


def _limbs(x: Wide) -> list[Numbers]:
    """The last ones that are not all zero, least first; one at least."""
    found = [x[0] & _LOWER, x[0] >> _BITS, x[1] & _LOWER, x[1] >> _BITS]
    while len(found) > 1 and not found[-1].any():
        found.pop()
    return found


def _multiplied(x: list[Numbers], y: list[Numbers]) -> list[Numbers]:
    """At least five limbs."""
    found = [np.zeros_like(x[0]) for _ in range(max(5, len(x) + len(y) + 1))]
    for i, a in enumerate(x):
        carry = np.zeros_like(a)
        for j, b in enumerate(y):
            # No more than 64 bits: (2**32 - 1)**2 + 2 * (2**32 - 1) is 2**64 - 1.
            total = a * b + found[i + j] + carry
            found[i + j], carry = total & _LOWER, total >> _BITS
        found[i + len(y)] = carry
    return found


def _add(x: list[Numbers], value: int) -> None:
    carry: Numbers = np.zeros_like(x[0])
    for i, limb in enumerate(x):
        total = limb + np.uint64(value >> 32 * i & 0xFFFFFFFF) + carry
        x[i], carry = total & _LOWER, total >> _BITS


def _divide(x: list[Numbers], by: np.uint64) -> None:
    rest: Numbers = np.zeros_like(x[0])
    for i in reversed(range(len(x))):
        total = rest << _BITS | x[i]
        x[i] = total // by
        rest = total - x[i] * by
