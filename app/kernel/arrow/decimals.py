"""Arithmetic of decimals whose exact result, before it is rounded, may have more than the 38 digits that DuckDB
computes with, or that it would divide bit by bit.

Doubles compute a batch where they leave no doubt about the last digit, which they say themselves: what lies too near to
the middle between two results is computed again, with exact numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from app.kernel.arrow import limbs, wide
from app.kernel.arrow.entry import ArrowFunction, fail
from app.kernel.arrow.flat import Numbers, valid
from app.kernel.arrow.wholes import result_of
from app.kernel.arrow.wide import Wide

_MOST_DIGITS = 38
_NOT_LONG = 2.0**62
_OFF = 2.0**-49
"""How much of itself a double may be off, after the few steps that are taken here."""
_STEP, _LONG_DIGITS = 14, 18
_ROOM = 2.0**126
_EVERY_BIT = np.uint64(0xFFFFFFFFFFFFFFFF)


@dataclass(frozen=True, slots=True)
class _Operand:
    """Numbers without their points, as two's complement."""

    words: Wide
    kind: pa.DataType

    def size(self) -> tuple[Numbers | None, Wide]:
        """The signs, all bits of them set where one is negative, None if nowhere; and the numbers without them."""
        if self.words[1].view(np.int64).min(initial=0) >= 0:
            return None, self.words
        signs = wide.signs_of(self.words[1])
        return signs, wide.negated(self.words, signs)

    def at(self, rows: Numbers) -> _Operand:
        return _Operand(_at(self.words, rows), self.kind)

    def wholes(self) -> Numbers:
        """As Python's numbers."""
        found: Numbers = (self.words[1].view(np.int64).astype(object) << 64) | self.words[0].astype(object)
        return found


@dataclass(frozen=True, slots=True)
class _Result:
    """`size` without `signs`, as of an operand. `unsure` are the rows that are still to be computed."""

    size: Wide
    signs: Numbers | None
    unsure: Numbers | None = None


def _at(x: Wide, rows: Numbers) -> Wide:
    return x[0][rows], x[1][rows]


def _both(a: Numbers | None, b: Numbers | None) -> Numbers | None:
    """The signs of a product."""
    if a is None or b is None:
        return b if a is None else a
    return a ^ b


def _product(x: _Operand, y: _Operand, scale: int) -> _Result:
    (sign_x, size_x), (sign_y, size_y) = x.size(), y.size()
    signs = _both(sign_x, sign_y)
    fall = x.kind.scale + y.kind.scale - scale
    if fall < 0:
        return _Result(size_x, signs, np.arange(len(size_x[0])))
    double_x, double_y = wide.doubles(size_x), wide.doubles(size_y)
    if (double_x * double_y).max(initial=0) < _ROOM:
        return _Result(wide.shortened(wide.times(size_x, size_y), fall), signs)
    of_x = round(fall * x.kind.scale / max(fall + scale, 1))
    if max(of_x, fall - of_x) > _LONG_DIGITS:
        return _Result(limbs.product(size_x, size_y, fall), signs)
    found, unsure = _joined(_split(size_x, double_x, of_x), _split(size_y, double_y, fall - of_x))
    size = found, np.zeros_like(found)
    if unsure.any():
        rows = np.flatnonzero(unsure)
        size[0][rows], size[1][rows] = limbs.product(_at(size_x, rows), _at(size_y, rows), fall)
    return _Result(size, signs)


def _split(x: Wide, double: Numbers, digits: int) -> tuple[Numbers, Numbers]:
    """The number without its last digits, and these as a part of one; right if the former is below 2**48."""
    one = 10**digits
    upper = np.rint(double * (1 / one))
    last = x[0] - upper.astype(np.int64).view(np.uint64) * np.uint64(one)
    return upper, last.view(np.int64).astype(np.float64) * (1 / one)


def _joined(x: tuple[Numbers, Numbers], y: tuple[Numbers, Numbers]) -> tuple[Numbers, Numbers]:
    """Products of what `_split` has split, without the digits that fall away, and where they are not sure: that of the
    upper parts is whole, and a double tells how much the others add to it."""
    (upper_x, last_x), (upper_y, last_y) = x, y
    rest = upper_x * last_y + upper_y * last_x + last_x * last_y
    more = np.rint(rest)
    unsure = np.abs(rest - more) + (upper_x + upper_y) * _OFF >= 0.5
    unsure |= upper_x * upper_y >= _NOT_LONG
    found = upper_x.astype(np.int64) * upper_y.astype(np.int64) + more.astype(np.int64)
    return found.view(np.uint64), unsure


def _quotient(x: _Operand, y: _Operand, scale: int) -> _Result:
    (sign_x, size_x), (sign_y, size_y) = x.size(), y.size()
    signs = _both(sign_x, sign_y)
    digits = scale - x.kind.scale + y.kind.scale
    if digits < 0:
        return _Result(size_x, signs, np.arange(len(size_x[0])))
    ratio = wide.doubles(size_x) * (float(10**digits)) / wide.doubles(size_y)
    whole = np.rint(ratio)
    unsure = np.abs(ratio - whole) + ratio * _OFF >= 0.5
    size = whole.astype(np.int64).view(np.uint64), np.zeros_like(size_x[1])
    if unsure.any():
        rows = np.flatnonzero(unsure)
        size[0][rows], size[1][rows] = _exact_quotient(_at(size_x, rows), _at(size_y, rows), digits)
    return _Result(size, signs)


def _exact_quotient(x: Wide, y: Wide, digits: int) -> Wide:
    """`x` with so many zeros behind it by `y`, rounded half up; 2**128 - 1 if it has more bits."""
    first = min(digits, int(math.log10(_ROOM / wide.doubles(x).max(initial=1))))
    digits -= first
    whole, rest = wide.divided(wide.times(x, wide.constant(10**first)), y)
    over = np.zeros(len(x[0]), dtype=bool)
    while digits:
        by = 10 ** min(digits, _STEP)
        more, rest = wide.divided_scaled(rest, y, by)
        over |= wide.doubles(whole) * by > 3e38
        whole = wide.plus(wide.times(whole, wide.constant(by)), more)
        digits -= min(digits, _STEP)
    half = wide.at_least(wide.shifted(rest, 1), y)
    whole = wide.plus(whole, (half.astype(np.uint64), np.uint64(0)))
    whole[0][over] = whole[1][over] = _EVERY_BIT
    return whole


def _aligned(x: _Operand, y: _Operand) -> tuple[Wide, Wide, Numbers | None]:
    """Both with the same scale, and the rows where one of them has no room for that."""
    scale = max(x.kind.scale, y.kind.scale)
    found, unsure = [], None
    for operand in (x, y):
        words = operand.words
        if digits := scale - operand.kind.scale:
            if operand.kind.precision + digits > _MOST_DIGITS:
                most = 10 ** (_MOST_DIGITS - digits)
                over = wide.at_least(operand.size()[1], wide.constant(most))
                if over.any():
                    unsure = over if unsure is None else unsure | over
            words = wide.times(words, wide.constant(10**digits))
        found.append(words)
    return found[0], found[1], None if unsure is None else np.flatnonzero(unsure)


def _sum(op: str, x: _Operand, y: _Operand, scale: int) -> _Result:
    a, b, unsure = _aligned(x, y)
    low, high = wide.plus(a, b) if op == "+" else wide.minus(a, b)
    # Where both are negative the sum is, and may need one bit more than there is.
    other = b[1] if op == "+" else ~b[1]
    top = (a[1] & other) | ((a[1] ^ other) & high)
    signs = None
    if top.view(np.int64).min(initial=0) < 0:
        signs = wide.signs_of(top)
        low, high = wide.negated((low, high), signs)
    return _rounded(_Result((low, high), signs, unsure), max(x.kind.scale, y.kind.scale), scale)


def _division(op: str, x: _Operand, y: _Operand, scale: int) -> _Result:
    """`%`, `pmod` and `div`."""
    a, b, unsure = _aligned(x, y)
    if unsure is not None:
        b = b[0].copy(), b[1].copy()
        b[0][unsure], b[1][unsure] = 1, 0
    (sign_x, size_x), (sign_y, size_y) = _Operand(a, x.kind).size(), _Operand(b, y.kind).size()
    whole, rest = wide.divided(size_x, size_y)
    if op == "div":
        return _Result(whole, _both(sign_x, sign_y), unsure)
    if op == "pmod" and sign_x is not None:
        below = sign_x & wide.signs_of(~b[1]) & np.where(rest[0] | rest[1], _EVERY_BIT, np.uint64(0))
        other = wide.minus(size_y, rest)
        rest = np.where(below, other[0], rest[0]), np.where(below, other[1], rest[1])
        sign_x = sign_x & ~below
    return _rounded(_Result(rest, sign_x, unsure), max(x.kind.scale, y.kind.scale), scale)


def _rounded(found: _Result, scale: int, wanted: int) -> _Result:
    if scale < wanted:
        return _Result(found.size, found.signs, np.arange(len(found.size[0])))
    return _Result(wide.shortened(found.size, scale - wanted), found.signs, found.unsure)


def _found(op: str, x: _Operand, y: _Operand, scale: int) -> _Result:
    if op == "*":
        return _product(x, y, scale)
    if op == "/":
        return _quotient(x, y, scale)
    return _sum(op, x, y, scale) if op in "+-" else _division(op, x, y, scale)


def _exact(op: str, x: _Operand, y: _Operand, rows: Numbers, scale: int) -> Numbers:
    """The same of some rows, with Python's numbers."""
    a, b = x.at(rows).wholes(), y.at(rows).wholes()
    return result_of(op, (a, x.kind.scale), (b, y.kind.scale), scale)


def _compute(op: str, safe: bool) -> Callable[..., pa.Array]:
    def compute(left: pa.Array, right: pa.Array, like: pa.Array) -> pa.Array:
        kind = like.type
        x, y = _Operand(wide.signed_words(left), left.type), _Operand(wide.signed_words(right), right.type)
        known = _known(left, right)
        if op in ("/", "%", "div", "pmod"):
            known = _without_zeros(op, y, known, safe)
        if known is not None:
            for operand, value in ((x, 0), (y, 1)):
                operand.words[0][~known], operand.words[1][~known] = value, 0
        with np.errstate(invalid="ignore"):
            found = _found(op, x, y, kind.scale)
        words, over = _checked(op, x, y, found, kind)
        if len(over):
            if not safe:
                value = _exact(op, x, y, over[:1], kind.scale)[0]
                fail(
                    "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
                    f"{value}e-{kind.scale} is no DECIMAL({kind.precision},{kind.scale}).",
                )
            known = np.ones(len(left), dtype=bool) if known is None else known
            known[over] = False
        validity = None if known is None else pa.array(known).buffers()[1]
        return pa.Array.from_buffers(kind, len(left), [validity, pa.py_buffer(words)])

    return compute


def _known(left: pa.Array, right: pa.Array) -> Numbers | None:
    """Which rows have no null, None if all of them."""
    if not left.null_count and not right.null_count:
        return None
    return valid(left) & valid(right)


def _without_zeros(op: str, y: _Operand, known: Numbers | None, safe: bool) -> Numbers | None:
    zero: Numbers = (y.words[0] | y.words[1]) == 0
    if known is not None:
        zero &= known
    if not zero.any():
        return known
    if not safe:
        code, hint = ("DIVIDE_BY_ZERO", "try_divide") if op in ("/", "div") else ("REMAINDER_BY_ZERO", "try_mod")
        fail(code, f"Division by zero. Use `{hint}` to tolerate divisor being 0 and return NULL instead.")
    return ~zero if known is None else known & ~zero


def _checked(op: str, x: _Operand, y: _Operand, found: _Result, kind: pa.DataType) -> tuple[Numbers, Numbers]:
    """The words of all results, and the rows where they have more digits than `kind`."""
    most = 10**kind.precision
    low, high = found.size
    over = np.empty(0, dtype=np.int64)
    if (int(high.max(initial=0)) << 64) + int(low.max(initial=0)) >= most:
        over = np.flatnonzero(wide.at_least(found.size, wide.constant(most)))
    if found.signs is not None:
        low, high = wide.negated(found.size, found.signs)
    words = np.empty((len(low), 2), dtype=np.uint64)
    words[:, 0], words[:, 1] = low, high
    if found.unsure is not None:
        exact = _exact(op, x, y, found.unsure, kind.scale)
        words[found.unsure, 0], words[found.unsure, 1] = exact & 0xFFFFFFFFFFFFFFFF, exact >> 64 & 0xFFFFFFFFFFFFFFFF
        over = np.union1d(np.setdiff1d(over, found.unsure), found.unsure[np.abs(exact) >= most])
    return words, over


def _whole_quotients(left: pa.Array, right: pa.Array) -> pa.Array:
    """`div`, of which Spark takes the last 64 bits."""
    found = _compute("div", False)(left, right, pa.nulls(0, pa.decimal128(_MOST_DIGITS, 0)))
    low, _ = wide.signed_words(found)
    return pa.Array.from_buffers(pa.int64(), len(low), [found.buffers()[0], pa.py_buffer(low)])


_NAMES = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "mod": "%", "pmod": "pmod"}

FUNCTIONS = {
    **{
        f"wa_decimal_{how}{name}": ArrowFunction(_compute(op, bool(how)), None, None)
        for name, op in _NAMES.items()
        for how in ("", "try_")
    },
    "wa_decimal_div": ArrowFunction(_whole_quotients, None, "BIGINT"),
}
"""The third argument, a null of the result's type, says what that is."""
