"""Arithmetic of decimals whose exact result, before it is rounded, has more than the 38 digits that DuckDB computes
with. Values are whole numbers here, of the unit that their scale gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, fail

_WIDTH = 16
_MOST = 10**38


def _unscaled(column: pa.Array) -> list[int | None]:
    """Each value without its point."""
    raw = column.buffers()[1].to_pybytes()
    starts = range(_WIDTH * column.offset, _WIDTH * (column.offset + len(column)), _WIDTH)
    values = [int.from_bytes(raw[at : at + _WIDTH], "little", signed=True) for at in starts]
    if not column.null_count:
        return list(values)
    return [v if there else None for v, there in zip(values, column.is_valid().to_pylist(), strict=True)]


def _power(digits: int) -> int:
    """One followed by as many zeros."""
    return int(10 ** max(0, digits))


def _rounded(above: int, below: int) -> int:
    """A quotient rounded half away from zero."""
    whole, rest = divmod(abs(above), abs(below))
    whole += 2 * rest >= abs(below)
    return whole if (above < 0) == (below < 0) else -whole


def _remainder(a: int, b: int) -> int:
    """With the sign of `a`."""
    return abs(a) % abs(b) * (-1 if a < 0 else 1)


def _computed(op: str, a: int, b: int) -> int:
    """`op` on two numbers of one unit; for `/` and `div`, without the fraction's digits."""
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "%":
            return _remainder(a, b)
    rest = _remainder(a, b)
    return _remainder(rest + b, b) if rest < 0 else rest


def _result(op: str, a: tuple[int, int], b: tuple[int, int], scale: int) -> int:
    """The exact result of two numbers with their scales, rounded to `scale`."""
    (x, scale_a), (y, scale_b) = a, b
    if op == "*":
        return _rounded(x * y * _power(scale - scale_a - scale_b), _power(scale_a + scale_b - scale))
    common = max(scale_a, scale_b)
    x, y = x * _power(common - scale_a), y * _power(common - scale_b)
    if op == "/":
        return _rounded(x * _power(scale), y)
    if op == "div":
        return (x - _remainder(x, y)) // y
    return _rounded(_computed(op, x, y) * _power(scale - common), _power(common - scale))


def _one(op: str, safe: bool, a: tuple[int, int], b: tuple[int, int], digits: int, scale: int) -> int | None:
    if op in ("/", "%", "div", "pmod") and not b[0]:
        if safe:
            return None
        code, hint = ("DIVIDE_BY_ZERO", "try_divide") if op in ("/", "div") else ("REMAINDER_BY_ZERO", "try_mod")
        fail(code, f"Division by zero. Use `{hint}` to tolerate divisor being 0 and return NULL instead.")
    found = _result(op, a, b, scale)
    if abs(found) < min(10**digits, _MOST):
        return found
    if not safe:
        fail("NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION", f"{found}e-{scale} is no DECIMAL({digits},{scale}).")
    return None


def _compute(op: str, safe: bool) -> Callable[..., pa.Array]:
    def compute(left: pa.Array, right: pa.Array, like: pa.Array) -> pa.Array:
        kind = like.type
        scales = left.type.scale, right.type.scale
        given: Any = zip(_unscaled(left), _unscaled(right), strict=True)
        found = [
            None if a is None or b is None
            else _one(op, safe, (a, scales[0]), (b, scales[1]), kind.precision, kind.scale)
            for a, b in given
        ]  # fmt: skip
        there = pa.array([v is not None for v in found], type=pa.bool_())
        data = pa.py_buffer(b"".join((v or 0).to_bytes(_WIDTH, "little", signed=True) for v in found))
        return pa.Array.from_buffers(kind, len(found), [there.buffers()[1], data])

    return compute


_NAMES = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "mod": "%", "pmod": "pmod", "div": "div"}

FUNCTIONS = {
    f"wa_decimal_{how}{name}": ArrowFunction(_compute(op, bool(how)), None, None)
    for name, op in _NAMES.items()
    for how in ("", "try_")
}
"""The third argument, a null of the result's type, says what that is."""
