"""Arithmetic of decimals as SQL: exact, then rounded to Spark's result type.

Where the exact result may have more than the 38 digits DuckDB has, values that are small enough are computed there; the
others are left to a vectorised function. Operands that are more than a column are then computed once.
"""

from __future__ import annotations

import re

from app.plan import types as t

_MAX_DIGITS = 38
_OPERAND = re.compile(r"(?:CAST\()?(?:c[0-9]+|'?[0-9.+-]+'?)(?: AS DECIMAL\([0-9]+,[0-9]+\)\))?")
"""A column, a constant, or a cast of one."""
_NAMES = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "mod", "pmod": "pmod", "div": "div"}


def exact_type(a: t.DecimalType, b: t.DecimalType) -> t.DecimalType | None:
    """A decimal that holds every value of both, if 38 digits are enough."""
    scale = max(a.scale, b.scale)
    digits = max(a.precision - a.scale, b.precision - b.scale) + scale
    return t.DecimalType(digits, scale) if digits <= _MAX_DIGITS else None


def decimal_text(sql: str, kind: t.DecimalType) -> str:
    """A decimal as text with all its digits."""
    return f"wt_decimal_text({sql})" if kind.precision == kind.scale else f"CAST({sql} AS VARCHAR)"


def decimal_sql(
    symbol: str, result: t.DecimalType, a: t.DecimalType, b: t.DecimalType, left: str, right: str, safe: bool
) -> str:
    """`left symbol right` as `result`; null with `safe` where it does not fit or is divided by zero.

    Raises in a row: DIVIDE_BY_ZERO, REMAINDER_BY_ZERO, NUMERIC_VALUE_OUT_OF_RANGE."""
    name = f"{'TRY_CAST' if safe else 'CAST'}({{}} AS {_sql(result)})"
    if (plain := _fitting(symbol, result, a, b)) is not None:
        if symbol in ("/", "%", "div", "pmod"):
            zero = "divisor" if symbol in ("/", "div") else "modulus"
            right = f"nullif({right}, 0)" if safe else f"wt_{zero}({left}, {right})"
        return name.format(plain.format(left, right))
    quick = _trying(symbol, a, b, result)
    function = f"wa_decimal_{'try_' if safe else ''}{_NAMES[symbol]}__{_sql(result).encode().hex()}"
    plain_operands = _OPERAND.fullmatch(left) and _OPERAND.fullmatch(right)
    x, y = (left, right) if plain_operands else ("v.a", "v.b")
    exact = f"{function}({x}, {y}, CAST(NULL AS {_sql(result)}))"
    exact = f"CASE WHEN {x} IS NOT NULL AND {y} IS NOT NULL THEN {exact} END"
    if quick is not None:
        plain, fits = (sql.format(x, y) for sql in quick)
        exact = f"coalesce(CASE WHEN {fits} THEN TRY_CAST({plain} AS {_sql(result)}) END, {exact})"
    if plain_operands:
        return exact
    return f"list_extract(list_transform([{{'a': {left}, 'b': {right}}}], lambda v: {exact}), 1)"


def _fitting(symbol: str, result: t.DecimalType, a: t.DecimalType, b: t.DecimalType) -> str | None:
    """SQL over {0} and {1} that cannot pass 38 digits on its way, None where it could."""
    if symbol in "+-":
        exact = exact_type(a, b)
        if exact is None or exact.precision == _MAX_DIGITS:
            return None
        return f"({_cast('{0}', result)} {symbol} {_cast('{1}', result)})"
    if symbol == "*":
        if a.precision + b.precision > _MAX_DIGITS:
            return None
        return _product(a, b)
    if symbol in ("/", "div"):
        shift = result.scale - a.scale + b.scale
        widest = max(a.precision + max(shift, 0), a.precision + a.scale, b.precision + b.scale - min(shift, 0))
        # Twice the remainder is computed too.
        return None if widest >= _MAX_DIGITS else _quotient(symbol, result, a, b)
    exact = exact_type(a, b)
    if exact is None or (symbol == "pmod" and exact.precision == _MAX_DIGITS):
        return None
    x, y = _cast("{0}", exact), _cast("{1}", exact)
    return f"wt_pmod({x}, {y})" if symbol == "pmod" else f"({x} % {y})"


def _trying(symbol: str, a: t.DecimalType, b: t.DecimalType, result: t.DecimalType) -> tuple[str, str] | None:
    """SQL over {0} and {1} of the exact result, and of when it needs no more than 38 digits on its way. None where
    there is no such. (What fails in TRY costs DuckDB a thousand times as much.)"""
    if symbol in "+-%":
        scale = max(a.scale, b.scale)
        wide = t.DecimalType(_MAX_DIGITS, scale)
        fits = f"{_below('{0}', _MAX_DIGITS - scale, 0.49)} AND {_below('{1}', _MAX_DIGITS - scale, 0.49)}"
        if symbol == "%":
            fits += " AND {1} <> 0"
        return f"({_cast('{0}', wide)} {symbol} {_cast('{1}', wide)})", fits
    if symbol == "*" and a.scale + b.scale <= _MAX_DIGITS:
        size = f"{_double('{0}')} * {_double('{1}')}"
        return _product(a, b), f"abs({size}) < 0.99e{_MAX_DIGITS - a.scale - b.scale}"
    shift = result.scale - a.scale + b.scale
    if symbol == "/" and 0 <= shift < _MAX_DIGITS and max(a.scale, b.scale) < _MAX_DIGITS:
        # Each as a whole number, the upper one with the digits that are wanted behind the point.
        room_a = _MAX_DIGITS - a.scale - max(a.scale, shift)
        fits = f"{_below('{0}', room_a, 0.99)} AND {_below('{1}', _MAX_DIGITS - 2 * b.scale, 0.49)}"
        return _quotient(symbol, result, a, b), f"{fits} AND {{1}} <> 0"
    return None


def _below(sql: str, digits: int, part: float) -> str:
    """SQL of whether a value has less than that part of a one with so many zeros, whatever its sign."""
    return f"abs({_double(sql)}) < {part}e{digits}"


def _double(sql: str) -> str:
    return f"CAST({sql} AS DOUBLE)"


def _product(a: t.DecimalType, b: t.DecimalType) -> str:
    if a.precision + b.precision <= 18:
        return "({0} * {1})"
    wide = [_cast(f"{{{i}}}", t.DecimalType(_MAX_DIGITS, kind.scale)) for i, kind in enumerate((a, b))]
    return f"({wide[0]} * {wide[1]})"


def _quotient(symbol: str, result: t.DecimalType, a: t.DecimalType, b: t.DecimalType) -> str:
    shift = result.scale - a.scale + b.scale
    above, below = _whole("{0}", a), _whole("{1}", b)
    if shift > 0:
        above = f"({above} * CAST('1{'0' * shift}' AS HUGEINT))"
    elif shift < 0:
        below = f"({below} * CAST('1{'0' * -shift}' AS HUGEINT))"
    if symbol == "div":
        return f"({above} // {below})"
    unit = f"CAST('{10**-result.scale:.{result.scale}f}' AS DECIMAL({max(result.scale, 1)},{result.scale}))"
    return f"(CAST(wt_round_div({above}, {below}) AS DECIMAL(38,0)) * {unit})"


def _whole(sql: str, kind: t.DecimalType) -> str:
    """The digits of a decimal as a whole number."""
    if not kind.scale:
        return f"CAST({sql} AS HUGEINT)"
    return f"CAST({sql} * CAST(1{'0' * kind.scale} AS DECIMAL(38,0)) AS HUGEINT)"


def _cast(sql: str, kind: t.DecimalType) -> str:
    return f"CAST({sql} AS {_sql(kind)})"


def _sql(kind: t.DecimalType) -> str:
    return f"DECIMAL({kind.precision},{kind.scale})"
