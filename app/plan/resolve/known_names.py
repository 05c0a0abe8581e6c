"""Generated names that hang on types: `dt + 1` is named `date_add(dt, 1)`, a field by its struct."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal

from app.plan import types as t
from app.plan.expressions import Call, Expr, Literal
from app.plan.resolve.temporal_names import temporal_name

_MOMENTS = (t.DateType, t.TimestampType, t.TimestampNTZType)
_MIRRORED = {">": "<", "<": ">", ">=": "<=", "<=": ">="}
_ROUNDED: dict[str, Callable[[Decimal], int]] = {">": math.floor, "<=": math.floor, "<": math.ceil, ">=": math.ceil}
"""A whole number against a decimal literal: Spark compares with the nearest whole number that gives the same."""

TypeOf = Callable[[Expr], t.DataType]
TextOf = Callable[[Expr], str]


def typed_name(call: Call, type_of: TypeOf, text: TextOf) -> str | None:
    """The name of a call where it hangs on the types of the arguments; None where it does not."""
    name = call.name.lower()
    read = _WAYS.get(name)
    return read(call, type_of, text) if read is not None else None


def _field(call: Call, type_of: TypeOf, text: TextOf) -> str | None:
    base, key = call.args
    if isinstance(key, Literal) and isinstance(key.value, str):
        kind = type_of(base)
        inner = kind.elementType if isinstance(kind, t.ArrayType) else kind
        if isinstance(inner, t.StructType):
            return f"{text(base)}.{key.value}"
    return None


def _temporal(call: Call, type_of: TypeOf, text: TextOf) -> str | None:
    """`ts + INTERVAL '1' DAY` has no parentheses either."""
    if len(call.args) != 2:
        return None
    shape = temporal_name(call.name.lower(), *map(type_of, call.args))
    return shape and shape.format(*map(text, call.args))


def _compared(call: Call, type_of: TypeOf, text: TextOf) -> str | None:
    left, right = call.args
    for value, other, sign in ((right, left, call.name), (left, right, _MIRRORED[call.name])):
        if (
            isinstance(value, Literal)
            and isinstance(value.value, Decimal)
            and isinstance(type_of(other), t.IntegralType)
        ):
            whole = str(_ROUNDED[sign](value.value))
            shown = (text(left), whole) if value is right else (whole, text(right))
            return f"({shown[0]} {call.name} {shown[1]})"
    return None


def _to_char(call: Call, type_of: TypeOf, text: TextOf) -> str | None:
    if len(call.args) != 2:
        return None
    value, layout = map(text, call.args)
    kind = type_of(call.args[0])
    if isinstance(kind, _MOMENTS):
        return f"date_format({value}, {layout})"
    if not isinstance(kind, t.BinaryType):
        return f"to_char({value}, {layout})"
    if layout.lower() in ("base64", "hex"):
        return f"{layout.lower() if call.name.lower() == 'to_char' else call.name.lower()}({value})"
    return f"{'decode' if call.name.lower() == 'to_char' else call.name.lower()}({value}, {layout})"


def _padded(call: Call, type_of: TypeOf, text: TextOf) -> str | None:
    if len(call.args) != 2 or not isinstance(type_of(call.args[0]), t.BinaryType):
        return None
    return f"{call.name.lower()}({text(call.args[0])}, {text(call.args[1])}, X'00')"


_WAYS: dict[str, Callable[[Call, TypeOf, TextOf], str | None]] = {
    "getitem": _field,
    **dict.fromkeys(("+", "-", "*", "/", "time_bucket"), _temporal),
    **dict.fromkeys(_MIRRORED, _compared),
    "to_char": _to_char,
    "to_varchar": _to_char,
    "lpad": _padded,
    "rpad": _padded,
}
