"""Arithmetic of decimals as SQL: exact, then rounded to Spark's result type.

DuckDB computes what needs no division of numbers of 128 bits, which it does bit by bit, and at most 38 digits. The rest
is left to a vectorised function. Operands that are more than a column and are named more than once are then computed
once.
"""

from __future__ import annotations

import re
from decimal import Decimal

from app.plan import types as t

_MAX_DIGITS = 38
_LONG_DIGITS = 18
_OPERAND = re.compile(r"(?:CAST\()?(?:c[0-9]+|'?[0-9.+-]+'?)(?: AS DECIMAL\([0-9]+,[0-9]+\)\))?")
"""A column, a constant, or a cast of one."""
_NAMES = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "mod", "pmod": "pmod"}


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
    plain_operands = _OPERAND.fullmatch(left) and _OPERAND.fullmatch(right)
    plain = _fitting(symbol, result, a, b)
    if plain is not None and (symbol != "/" or plain_operands):
        if symbol in ("/", "%", "pmod"):
            zero = "divisor" if symbol == "/" else "modulus"
            right = f"nullif({right}, 0)" if safe else f"wt_{zero}({left}, {right})"
        return f"{'TRY_CAST' if safe else 'CAST'}({plain.format(left, right)} AS {_sql(result)})"
    function = f"wa_decimal_{'try_' if safe else ''}{_NAMES[symbol]}__{_sql(result).encode().hex()}"
    exact = f"{function}({{0}}, {{1}}, CAST(NULL AS {_sql(result)}))"
    quick = _trying(symbol, result, a, b)
    if quick is None:
        return exact.format(left, right)
    fits, plain = quick
    either = f"CASE WHEN {fits} THEN CAST({plain} AS {_sql(result)}) ELSE {exact} END"
    if plain_operands:
        return either.format(left, right)
    return f"list_extract(list_transform([{{'a': {left}, 'b': {right}}}], lambda v: {either.format('v.a', 'v.b')}), 1)"


def _fitting(symbol: str, result: t.DecimalType, a: t.DecimalType, b: t.DecimalType) -> str | None:
    """SQL over {0} and {1} that cannot pass 38 digits on its way, None where it could or divides as many bits."""
    exact = exact_type(a, b)
    if symbol in "+-":
        if exact is None or exact.precision == _MAX_DIGITS:
            return None
        return f"({_cast('{0}', result)} {symbol} {_cast('{1}', result)})"
    if symbol == "*":
        fits = a.precision + b.precision <= _MAX_DIGITS and result.scale == a.scale + b.scale
        return _product(a, b) if fits else None
    if symbol == "/":
        return _quotient(result, a, b)
    if exact is None or exact.precision > _LONG_DIGITS:
        return None
    x, y = _cast("{0}", exact), _cast("{1}", exact)
    return f"wt_pmod({x}, {y})" if symbol == "pmod" else f"({x} % {y})"


def _trying(symbol: str, result: t.DecimalType, a: t.DecimalType, b: t.DecimalType) -> tuple[str, str] | None:
    """SQL over {0} and {1} of when the exact result needs no more than 38 digits on its way, and of that result. None
    where it would have to be rounded, or never is so small."""
    if symbol in "+-" and result.scale == max(a.scale, b.scale):
        wide = t.DecimalType(_MAX_DIGITS, result.scale)
        digits = _MAX_DIGITS - 1 - result.scale
        return _small(a, b, digits, digits), f"({_cast('{0}', wide)} {symbol} {_cast('{1}', wide)})"
    if symbol == "*" and result.scale == a.scale + b.scale:
        # Half of the digits for each, unless one operand never needs so many.
        whole = _MAX_DIGITS - result.scale
        least_a, least_b = a.precision - a.scale, b.precision - b.scale
        of_a = min(least_a, max(whole // 2, whole - least_b))
        return _small(a, b, of_a, whole - of_a), _product(a, b)
    return None


def _small(a: t.DecimalType, b: t.DecimalType, digits_a: int, digits_b: int) -> str:
    """SQL of whether the values have at most so many digits before the point."""
    tests = []
    for name, kind, digits in (("{0}", a, digits_a), ("{1}", b, digits_b)):
        if kind.precision - kind.scale > digits:
            point = "." if kind.scale else ""
            most = f"0{'9' * digits}{point}{'9' * kind.scale}" if digits >= 0 else "0"
            tests.append(f"{name} BETWEEN CAST('-{most}' AS {_sql(kind)}) AND CAST('{most}' AS {_sql(kind)})")
    return " AND ".join(tests) or "true"


def _quotient(result: t.DecimalType, a: t.DecimalType, b: t.DecimalType) -> str | None:
    """With numbers of 64 bits, if they are enough: each as a whole number, the upper one with the digits that are
    wanted behind the point. Twice the remainder is computed too."""
    more = result.scale - a.scale + b.scale
    widest = max(a.precision + max(a.scale + 1, more), b.precision + b.scale + 1)
    if more < 0 or widest > _LONG_DIGITS:
        return None
    whole = f"wt_round_div({_whole('{0}', a)} * {10**more}, {_whole('{1}', b)})"
    unit = _cast(f"'{Decimal(1).scaleb(-result.scale):f}'", t.DecimalType(max(result.scale, 1), result.scale))
    return f"(CAST({whole} AS DECIMAL({_LONG_DIGITS},0)) * {unit})"


def _whole(sql: str, kind: t.DecimalType) -> str:
    """The digits of a decimal as a whole number."""
    if not kind.scale:
        return f"CAST({sql} AS BIGINT)"
    return f"CAST({sql} * {_cast(str(10**kind.scale), t.DecimalType(kind.scale + 1, 0))} AS BIGINT)"


def _product(a: t.DecimalType, b: t.DecimalType) -> str:
    if a.precision + b.precision <= _LONG_DIGITS:
        return "({0} * {1})"
    wide = [_cast(f"{{{i}}}", t.DecimalType(_MAX_DIGITS, kind.scale)) for i, kind in enumerate((a, b))]
    return f"({wide[0]} * {wide[1]})"


def _cast(sql: str, kind: t.DecimalType) -> str:
    return f"CAST({sql} AS {_sql(kind)})"


def _sql(kind: t.DecimalType) -> str:
    return f"DECIMAL({kind.precision},{kind.scale})"
