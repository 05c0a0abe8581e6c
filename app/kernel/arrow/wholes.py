"""Arithmetic of decimals with Python's whole numbers, of the unit that their scale gives: exact, whatever they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.kernel.arrow.flat import Numbers


def result_of(op: str, a: tuple[Numbers, int], b: tuple[Numbers, int], scale: int) -> Numbers:
    """The exact results of numbers with their scales, rounded to `scale`. No divisor may be zero."""
    (x, scale_a), (y, scale_b) = a, b
    common = max(scale_a, scale_b)
    if op == "*":
        x, common = x * y, scale_a + scale_b
    else:
        x, y = x * _power(common - scale_a), y * _power(common - scale_b)
    match op:
        case "/":
            return _rounded(x * _power(scale), y)
        case "div":
            whole = abs(x) // abs(y)
            return np.where((x < 0) == (y < 0), whole, -whole)
        case "+":
            x = x + y
        case "-":
            x = x - y
        case "%":
            x = _remainder(x, y)
        case "pmod":
            x = _remainder(x, y)
            x = np.where(x < 0, _remainder(x + y, y), x)
    return _rounded(x, _power(common - scale)) if common > scale else x * _power(scale - common)


def _power(digits: int) -> int:
    """One followed by as many zeros."""
    return int(10 ** max(0, digits))


def _rounded(above: Numbers, below: Any) -> Numbers:
    """Quotients rounded half away from zero."""
    size, by = abs(above), abs(below)
    whole = size // by
    whole = whole + (2 * (size - whole * by) >= by)
    found: Numbers = np.where((above < 0) == (below < 0), whole, -whole)
    return found


def _remainder(a: Numbers, b: Numbers) -> Numbers:
    """With the signs of `a`."""
    rest = abs(a) % abs(b)
    return np.where(a < 0, -rest, rest)
