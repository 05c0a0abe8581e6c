"""Python values as typed constants: what `lit`, operators and the parameters of SQL text mean."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any

from app.errors import ArgumentError, ArgumentTypeError
from app.plan import types as t
from app.plan.expressions import Call, Expr, Literal

_INT_MAX = (1 << 31) - 1
_LONG_MAX = (1 << 63) - 1


def literal(value: Any) -> Expr:
    """The constant a Python value stands for, typed as Spark types it.

    A naive `datetime` is taken in the machine's time zone, as PySpark does.

    >>> literal(1)
    Literal(value=1, type=IntegerType())
    >>> literal(1 << 40).type
    LongType()

    Raises: ArgumentError (an integer beyond 64 bits), ArgumentTypeError (no literal for this Python type).
    """
    if isinstance(value, Enum):
        value = value.value
    if hasattr(value, "item") and type(value).__module__ == "numpy" and not getattr(value, "shape", ()):
        return _numpy_literal(value)
    if isinstance(value, (list, tuple)):
        return Call("array", tuple(literal(item) for item in value))
    if isinstance(value, int) and not isinstance(value, bool):
        return _integer(value)
    if isinstance(value, datetime):
        return Literal(value.astimezone(UTC), t.TimestampType())
    if isinstance(value, Decimal):
        return Literal(value, decimal_type(value))
    if isinstance(value, bytearray):
        value = bytes(value)
    for kind, data_type in _SIMPLE:
        if isinstance(value, kind):
            return Literal(value, data_type)
    raise ArgumentTypeError(
        f"A value of type {type(value).__name__} cannot be used as a literal; give a number, string, bytes, "
        "bool, date, datetime, time, timedelta, Decimal, a list of these, or None.",
        code="UNSUPPORTED_LITERAL",
        type=type(value).__name__,
    )


_SIMPLE: tuple[tuple[type, t.DataType], ...] = (
    (type(None), t.NullType()),
    (bool, t.BooleanType()),
    (float, t.DoubleType()),
    (str, t.StringType()),
    (bytes, t.BinaryType()),
    (date, t.DateType()),
    (timedelta, t.DayTimeIntervalType()),
    (time, t.TimeType()),
)

_NUMPY: dict[str, t.DataType] = {
    "int8": t.ByteType(),
    "int16": t.ShortType(),
    "int32": t.IntegerType(),
    "int64": t.LongType(),
    "float32": t.FloatType(),
    "float64": t.DoubleType(),
    "bool": t.BooleanType(),
}


def _integer(value: int) -> Literal:
    if abs(value) > _LONG_MAX and value != -_LONG_MAX - 1:
        raise ArgumentError(
            f"{value} does not fit in 64 bits; use Decimal({str(value)!r}) instead.",
            code="ARITHMETIC_OVERFLOW",
        )
    fits = -_INT_MAX - 1 <= value <= _INT_MAX
    return Literal(int(value), t.IntegerType() if fits else t.LongType())


def _numpy_literal(value: Any) -> Expr:
    data_type = _NUMPY.get(str(value.dtype))
    return literal(value.item()) if data_type is None else Literal(value.item(), data_type)


def decimal_type(value: Decimal) -> t.DecimalType:
    """The narrowest decimal type that holds `value`. Raises: ArgumentError beyond 38 digits."""
    _sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise ArgumentError(f"The decimal {value} is not a number; use float({str(value)!r}).", code="INVALID_LITERAL")
    scale = max(0, -exponent)
    precision = max(len(digits) + max(0, exponent), scale, 1)
    if precision > 38:
        raise ArgumentError(
            f"The decimal {value} has {precision} digits; 38 are the most there can be.",
            code="NUMERIC_VALUE_OUT_OF_RANGE.WITHOUT_SUGGESTION",
        )
    return t.DecimalType(precision, scale)


def negated(expr: Expr) -> Expr:
    """The expression with the other sign; of a constant, a constant."""
    if isinstance(expr, Literal) and isinstance(expr.value, (int, float, Decimal, timedelta)):
        return Literal(-expr.value, expr.type)
    return Call("-", (expr,))
