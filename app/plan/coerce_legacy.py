"""Spark's implicit casts without ANSI rules (`TypeCoercion`): which type two values share where they meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce

from app.plan import types as t
from app.plan.coerce import decimal_of, is_interval, least_common_type, same_type, wider_decimal

_NUMBERS = (t.ByteType, t.ShortType, t.IntegerType, t.LongType, t.FloatType, t.DoubleType)
_NO_TEXT = (t.BinaryType, t.BooleanType, t.VariantType)
Widen = Callable[[t.DataType, t.DataType], t.DataType | None]


def tightest(a: t.DataType, b: t.DataType) -> t.DataType | None:
    """The type both have without loss of kind: of numbers the later in byte … double, of times the finer."""
    if isinstance(a, t.StringType) != isinstance(b, t.StringType):
        return _beside_null(a, b)
    match a, b:
        case t.DecimalType(), t.DecimalType():
            return a if same_type(a, b) else None
        case (t.DecimalType() as wide, t.NumericType() as other) | (t.NumericType() as other, t.DecimalType() as wide):
            fits = isinstance(other, t.IntegralType) and wider_decimal(wide, decimal_of(other)) == wide
            return wide if fits else None
        case t.NumericType(), t.NumericType():
            return max(a, b, key=lambda kind: _NUMBERS.index(type(kind)))
    return _of_parts(a, b, tightest)


def wider(a: t.DataType, b: t.DataType) -> t.DataType | None:
    """The type that holds both, which beside a string is string for most (coalesce, CASE, IN, arrays, UNION)."""
    found = without_texts(a, b)
    if found is not None:
        return found
    for one, other in ((a, b), (b, a)):
        if isinstance(one, t.StringType) and isinstance(other, t.AtomicType) and not isinstance(other, _NO_TEXT):
            return one
    return _of_parts(a, b, wider)


def without_texts(a: t.DataType, b: t.DataType) -> t.DataType | None:
    """The same, but nothing becomes a string (greatest, least, searching in arrays)."""
    found = tightest(a, b)
    if found is not None:
        return found
    if isinstance(a, t.NumericType) and isinstance(b, t.NumericType):
        floats = isinstance(a, (t.FloatType, t.DoubleType)) or isinstance(b, (t.FloatType, t.DoubleType))
        return t.DoubleType() if floats else wider_decimal(decimal_of(a), decimal_of(b))
    return _of_parts(a, b, without_texts)


def comparable(a: t.DataType, b: t.DataType) -> t.DataType | None:
    """The type in which two are compared: a string becomes what stands beside it."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, t.StringType) and not isinstance(other, t.StringType):
            if isinstance(other, t.NullType):
                return one
            return t.DoubleType() if isinstance(other, t.DecimalType) else _comparable_text(other)
    return without_texts(a, b)


def common(types: Iterable[t.DataType], widen: Widen) -> t.DataType | None:
    """The type that several have in common by one of the rules above; strings first, as in Spark."""
    ordered = sorted(types, key=lambda kind: not _holds_text(kind))

    def step(found: t.DataType | None, kind: t.DataType) -> t.DataType | None:
        return None if found is None else widen(found, kind)

    first: t.DataType | None = ordered[0] if ordered else t.NullType()
    return reduce(step, ordered[1:], first)


def _comparable_text(other: t.DataType) -> t.DataType | None:
    plain = isinstance(other, t.AtomicType) and not (isinstance(other, t.VariantType) or is_interval(other))
    return other if plain else None


def _beside_null(a: t.DataType, b: t.DataType) -> t.DataType | None:
    if isinstance(a, t.NullType):
        return b
    return a if isinstance(b, t.NullType) else None


def _holds_text(kind: t.DataType) -> bool:
    return isinstance(kind, t.StringType) or (isinstance(kind, t.ArrayType) and _holds_text(kind.elementType))


def _of_parts(a: t.DataType, b: t.DataType, widen: Widen) -> t.DataType | None:
    """For times, intervals and nulls as under ANSI rules; arrays, maps and structs by what is in them."""
    match a, b:
        case t.ArrayType(), t.ArrayType():
            element = widen(a.elementType, b.elementType)
            return element and t.ArrayType(element, a.containsNull or b.containsNull)
        case t.MapType(), t.MapType():
            key, value = widen(a.keyType, b.keyType), widen(a.valueType, b.valueType)
            return key and value and t.MapType(key, value, a.valueContainsNull or b.valueContainsNull)
        case t.StructType(), t.StructType():
            if [n.lower() for n in a.names] != [n.lower() for n in b.names]:
                return None
            kinds = [widen(x.dataType, y.dataType) for x, y in zip(a, b, strict=True)]
            fields = [
                t.StructField(x.name, kind, x.nullable or y.nullable)
                for x, y, kind in zip(a, b, kinds, strict=True)
                if kind is not None
            ]
            return t.StructType(fields) if len(fields) == len(kinds) else None
    if isinstance(a, t.AtomicType) and isinstance(b, t.AtomicType) and not (is_interval(a) or _timely(a, b)):
        return a if same_type(a, b) else None
    return least_common_type(a, b)


def _timely(a: t.DataType, b: t.DataType) -> bool:
    times = (t.DateType, t.TimestampType, t.TimestampNTZType)
    return isinstance(a, times) and isinstance(b, times)
