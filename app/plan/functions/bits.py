"""Bits of whole numbers."""

from __future__ import annotations

from app.plan import types as t
from app.plan.bound import AggCall, Apply
from app.plan.functions.entry import Function
from app.plan.functions.signature import INT, INTEGRAL, Param, scalar, type_of

_INT = t.IntegerType()
_SHIFTED = Param("INT", lambda s: s if isinstance(s, t.IntegerType | t.LongType) else _narrow(s))
_COUNTED = Param(
    'INTEGRAL" or "BOOLEAN', lambda s: s if isinstance(s, t.IntegralType | t.BooleanType | t.NullType) else None
)
_BITS = {"byte": 8, "short": 16, "integer": 32, "long": 64}


def _narrow(source: t.DataType) -> t.DataType | None:
    return _INT if isinstance(source, t.NumericType | t.NullType | t.StringType) else None


def _print_shift(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    """Java shifts by the distance modulo the width, and drops what is shifted out."""
    wide = isinstance(call.type, t.LongType)
    mask, bits = (63, 64) if wide else (31, 32)
    distance = f"CAST(({args[1]} & {mask}) AS BIGINT)"
    name = "BIGINT" if wide else "INTEGER"
    if call.function == "shiftright":
        return f"CAST(CAST({args[0]} AS BIGINT) >> {distance} AS {name})"
    if call.function == "shiftrightunsigned":
        unsigned = f"CASE WHEN {args[0]} < 0 THEN CAST({args[0]} AS HUGEINT) + {1 << bits} ELSE {args[0]} END"
        return f"CAST(wt_wrap{bits}(CAST({unsigned} AS HUGEINT) // CAST(pow(2, {distance}) AS HUGEINT)) AS {name})"
    return f"CAST(wt_wrap{bits}(CAST({args[0]} AS HUGEINT) * CAST(pow(2, {distance}) AS HUGEINT)) AS {name})"


def _print_bit(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    bits = _BITS.get(call.args[0].type.typeName(), 64)
    value, at = args
    outside = (
        f"wt_fail('INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE', 'The value of parameter(s) `pos` in `{call.function}` "
        f"is invalid: expects an integer value in [0, {bits}), but got ' || {at} || '.')"
    )
    found = f"CAST((CAST({value} AS BIGINT) >> CAST({at} AS BIGINT)) & 1 AS TINYINT)"
    return f"CASE WHEN ({at} < 0 OR {at} >= {bits}) AND {value} IS NOT NULL THEN {outside} ELSE {found} END"


FUNCTIONS: tuple[Function, ...] = (
    scalar("shiftleft", (_SHIFTED, INT), type_of(0), _print_shift, aliases=("<<",)),
    scalar("shiftright", (_SHIFTED, INT), type_of(0), _print_shift, aliases=(">>",)),
    scalar("shiftrightunsigned", (_SHIFTED, INT), type_of(0), _print_shift, aliases=(">>>",)),
    scalar("bit_count", (_COUNTED,), _INT, "CAST(bit_count(CAST({0} AS BIGINT)) AS INTEGER)"),
    scalar("bit_get", (INTEGRAL, INT), t.ByteType(), _print_bit, aliases=("getbit",)),
)
