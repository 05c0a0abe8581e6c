"""Arithmetic of decimals whose exact result, before it is rounded, has more than the 38 digits that DuckDB computes
with. Values are whole numbers here, of the unit that their scale gives; a batch of them is an array of Python's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, fail
from app.kernel.arrow.flat import Numbers

_MOST = 10**38
_WORD = (1 << 64) - 1


def _unscaled(column: pa.Array) -> Numbers:
    """Each value without its point, whatever lies where it is null."""
    words = np.frombuffer(column.buffers()[1], dtype="<u8").reshape(-1, 2)[column.offset : column.offset + len(column)]
    low, high = words[:, 0].view("<i8"), words[:, 1].view("<i8")
    if (high == low >> np.int64(63)).all():
        return low.astype(object)
    found: Numbers = (high.astype(object) << 64) | words[:, 0].astype(object)
    return found


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


def _result(op: str, a: tuple[Numbers, int], b: tuple[Numbers, int], scale: int) -> Numbers:
    """The exact results of numbers with their scales, rounded to `scale`."""
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


def _compute(op: str, safe: bool) -> Callable[..., pa.Array]:
    def compute(left: pa.Array, right: pa.Array, like: pa.Array) -> pa.Array:
        kind = like.type
        x, y = _unscaled(left), _unscaled(right)
        known = np.asarray(left.is_valid()) & np.asarray(right.is_valid())
        if op in ("/", "%", "div", "pmod"):
            zero = known & (y == 0)
            if zero.any() and not safe:
                _fail_by_zero(op)
            known &= ~zero
        rows = np.flatnonzero(known)
        found = _result(op, (x[rows], left.type.scale), (y[rows], right.type.scale), kind.scale)
        large = abs(found) >= min(10**kind.precision, _MOST)
        if large.any():
            if not safe:
                fail(
                    "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
                    f"{found[large][0]}e-{kind.scale} is no DECIMAL({kind.precision},{kind.scale}).",
                )
            known[rows[large]] = False
            rows, found = rows[~large], found[~large]
        words = np.zeros((len(left), 2), dtype="<u8")
        words[rows, 0] = found & _WORD
        words[rows, 1] = found >> 64 & _WORD
        return pa.Array.from_buffers(kind, len(left), [pa.array(known).buffers()[1], pa.py_buffer(words)])

    return compute


def _fail_by_zero(op: str) -> None:
    code, hint = ("DIVIDE_BY_ZERO", "try_divide") if op in ("/", "div") else ("REMAINDER_BY_ZERO", "try_mod")
    fail(code, f"Division by zero. Use `{hint}` to tolerate divisor being 0 and return NULL instead.")


_NAMES = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "mod": "%", "pmod": "pmod", "div": "div"}

FUNCTIONS = {
    f"wa_decimal_{how}{name}": ArrowFunction(_compute(op, bool(how)), None, None)
    for name, op in _NAMES.items()
    for how in ("", "try_")
}
"""The third argument, a null of the result's type, says what that is."""
