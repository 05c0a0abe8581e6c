"""Spark's implicit casts under ANSI rules: which type two values share, and what may become what without asking.

The rules are those of Spark's `AnsiTypeCoercion`, `Cast` and `DecimalType`; nullability inside arrays, maps and
structs never makes two types different.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from typing import TypeGuard

from app.plan import types as t
from app.plan.bound import Const, Convert, Typed
from app.plan.moment_words import moment_of_word

_INTEGRAL: tuple[t.DataType, ...] = (t.ByteType(), t.ShortType(), t.IntegerType(), t.LongType())
_NUMERIC = (*_INTEGRAL, t.FloatType(), t.DoubleType())
_DIGITS: dict[type[t.DataType], int] = {t.ByteType: 3, t.ShortType: 5, t.IntegerType: 10, t.LongType: 20}
_DATETIMES = (t.DateType, t.TimestampNTZType, t.TimestampType)
_INTERVALS = (t.DayTimeIntervalType, t.YearMonthIntervalType)
_IN_VARIANTS = (t.NumericType, t.BooleanType, t.StringType, t.BinaryType, *_DATETIMES, t.VariantType)
_MAX_DIGITS = 38
_MIN_SCALE = 6


def cast(typed: Typed, to: t.DataType) -> Typed:
    """`typed` as `to`: unchanged if it has the type already, else with a `Convert` around it."""
    if typed.type == to:
        return typed
    if same_type(typed.type, to):
        return replace(typed, type=to)
    if isinstance(typed, Const) and typed.value is None:
        return Const(to, True, None)
    if isinstance(typed, Const) and is_integral(typed.type) and _holds(to, typed.value):
        return Const(to, False, typed.value)
    if isinstance(typed, Const) and to == t.DoubleType() and isinstance(typed.type, (t.IntegralType, t.DecimalType)):
        return Const(to, False, float(typed.value))
    if (moment := moment_of_word(typed, to)) is not None:
        return moment
    return Convert(to, typed.nullable or _may_fail(typed.type, to), typed)


def _holds(kind: t.DataType, value: int) -> bool:
    return kind == t.LongType() or (kind == t.IntegerType() and -(1 << 31) <= value < 1 << 31)


def same_type(a: t.DataType, b: t.DataType) -> bool:
    """Whether two types differ in nothing but the nullability of what is inside."""
    match a, b:
        case t.ArrayType(), t.ArrayType():
            return same_type(a.elementType, b.elementType)
        case t.MapType(), t.MapType():
            return same_type(a.keyType, b.keyType) and same_type(a.valueType, b.valueType)
        case t.StructType(), t.StructType():
            return a.names == b.names and all(same_type(x.dataType, y.dataType) for x, y in zip(a, b, strict=True))
    return a == b


def alike(a: t.DataType, b: t.DataType) -> bool:
    """The same, whatever the names of fields."""
    match a, b:
        case t.ArrayType(), t.ArrayType():
            return alike(a.elementType, b.elementType)
        case t.MapType(), t.MapType():
            return alike(a.keyType, b.keyType) and alike(a.valueType, b.valueType)
        case t.StructType(), t.StructType():
            return len(a) == len(b) and all(alike(x.dataType, y.dataType) for x, y in zip(a, b, strict=True))
    return a == b


def is_integral(kind: t.DataType) -> bool:
    return isinstance(kind, t.IntegralType)


def is_interval(kind: t.DataType) -> TypeGuard[t.DayTimeIntervalType | t.YearMonthIntervalType]:
    return isinstance(kind, _INTERVALS)


def decimal_of(kind: t.DataType) -> t.DecimalType:
    """The decimal wide enough for every value of a numeric type (Spark: `DecimalType.forType`)."""
    if isinstance(kind, t.DecimalType):
        return kind
    if isinstance(kind, t.FloatType):
        return t.DecimalType(14, 7)
    if isinstance(kind, t.DoubleType):
        return t.DecimalType(30, 15)
    return t.DecimalType(_DIGITS.get(type(kind), _MAX_DIGITS), 0 if type(kind) in _DIGITS else 18)


def decimal_of_literal(typed: Typed) -> t.DecimalType:
    """As `decimal_of`, but a whole-number literal takes only the digits it has."""
    if isinstance(typed, Const) and is_integral(typed.type) and typed.value is not None:
        return t.DecimalType(len(str(abs(typed.value))), 0)
    return decimal_of(typed.type)


def bounded_decimal(precision: int, scale: int) -> t.DecimalType:
    """`decimal(precision, scale)`, both cut to 38."""
    return t.DecimalType(min(precision, _MAX_DIGITS), min(scale, _MAX_DIGITS))


def adjusted_decimal(precision: int, scale: int) -> t.DecimalType:
    """The result type of decimal arithmetic: beyond 38 digits the scale gives way, but not below 6."""
    if precision <= _MAX_DIGITS:
        return t.DecimalType(precision, scale)
    whole = precision - scale
    return t.DecimalType(_MAX_DIGITS, max(_MAX_DIGITS - whole, min(scale, _MIN_SCALE)))


def wider_decimal(a: t.DecimalType, b: t.DecimalType) -> t.DecimalType:
    """The decimal that holds every value of both; beyond 38 digits the scale gives way."""
    whole = max(a.precision - a.scale, b.precision - b.scale)
    scale = min(max(a.scale, b.scale), _MAX_DIGITS - whole)
    return t.DecimalType(whole + scale, scale)


def least_common_type(a: t.DataType, b: t.DataType, texts: bool = True) -> t.DataType | None:
    """The type both become where they meet (comparison, CASE, IN, UNION, arrays), or None if there is none. Without
    `texts`, strings go with strings only (greatest, least, looking for elements and keys)."""
    if same_type(a, b):
        return _merge_nullability(a, b)
    match a, b:
        case (t.NullType(), other) | (other, t.NullType()):
            return other
        case t.StringType(), t.StringType():
            return None  # of two collations
        case (t.StringType(), other) | (other, t.StringType()):
            return _with_string(other) if texts else None
        case t.NumericType(), t.NumericType():
            return _common_number(a, b)
    if isinstance(a, _DATETIMES) and isinstance(b, _DATETIMES):
        return max(a, b, key=lambda kind: _DATETIMES.index(type(kind)))
    if is_interval(a) and is_interval(b) and type(a) is type(b):
        return type(a)(min(a.startField, b.startField), max(a.endField, b.endField))
    return _common_complex(a, b, texts)


def common_type(types: Iterable[t.DataType], texts: bool = True) -> t.DataType | None:
    """The least common type of several, strings last as in Spark; None if there is none. `texts` as above."""
    ordered = sorted(types, key=lambda kind: isinstance(kind, t.StringType))
    if not ordered:
        return t.NullType()

    def widen(found: t.DataType | None, kind: t.DataType) -> t.DataType | None:
        return None if found is None else least_common_type(found, kind, texts)

    return reduce(widen, ordered[1:], ordered[0] if ordered else None)


def implicitly_castable(source: t.DataType, to: t.DataType) -> bool:
    """Whether a function that wants `to` takes an argument of type `source` (Spark: ANSI store assignment, and
    strings as any atomic type)."""
    if same_type(source, to) or isinstance(source, t.NullType):
        return True
    match source, to:
        case t.StringType(), t.AtomicType():
            return not is_interval(to)
        case t.NumericType(), t.NumericType():
            return True
        case ((t.AtomicType() | t.CalendarIntervalType()), t.StringType()):
            return True
        case t.ArrayType(), t.ArrayType():
            return implicitly_castable(source.elementType, to.elementType)
        case t.MapType(), t.MapType():
            keys = implicitly_castable(source.keyType, to.keyType)
            return keys and implicitly_castable(source.valueType, to.valueType)
        case t.StructType(), t.StructType():
            pairs = zip(source, to, strict=False)
            return len(source) == len(to) and all(implicitly_castable(x.dataType, y.dataType) for x, y in pairs)
    return isinstance(source, _DATETIMES) and isinstance(to, _DATETIMES)


def castable(source: t.DataType, to: t.DataType) -> bool:
    """Whether `CAST(source AS to)` is allowed at all under ANSI rules."""
    if same_type(source, to) or isinstance(source, t.NullType) or isinstance(to, t.StringType):
        return True
    if isinstance(source, t.VariantType):
        return from_variant(to)
    if isinstance(to, t.VariantType):
        return to_variant(source)
    match source, to:
        case t.StringType(), (t.AtomicType() | t.CalendarIntervalType()):
            return True
        case t.NumericType() | t.BooleanType(), t.NumericType() | t.BooleanType():
            return True
        case (t.NumericType(), t.TimestampType()) | (t.TimestampType(), t.NumericType()):
            return True
        case t.ArrayType(), t.ArrayType():
            return castable(source.elementType, to.elementType)
        case t.MapType(), t.MapType():
            return castable(source.keyType, to.keyType) and castable(source.valueType, to.valueType)
        case t.StructType(), t.StructType():
            pairs = zip(source, to, strict=False)
            return len(source) == len(to) and all(castable(x.dataType, y.dataType) for x, y in pairs)
    if is_interval(source) and is_interval(to):
        return type(source) is type(to)
    return isinstance(source, _DATETIMES) and isinstance(to, _DATETIMES)


def contains(kind: t.DataType, wanted: type[t.DataType]) -> bool:
    """Whether a type is of a kind, or has a part that is."""
    match kind:
        case t.ArrayType(element):
            parts: tuple[t.DataType, ...] = (element,)
        case t.MapType(key, value):
            parts = (key, value)
        case t.StructType():
            parts = tuple(f.dataType for f in kind)
        case _:
            parts = ()
    return isinstance(kind, wanted) or any(contains(part, wanted) for part in parts)


def from_variant(to: t.DataType) -> bool:
    """Whether a variant may be cast to a type."""
    return to_variant(to, nested=True)


def to_variant(source: t.DataType, nested: bool = False) -> bool:
    """Whether values of a type may be cast to variants; `nested` says whether structs and maps may."""
    match source:
        case t.ArrayType(element):
            return to_variant(element, nested)
        case t.MapType(key, value):
            return nested and isinstance(key, t.StringType) and to_variant(value, nested)
        case t.StructType():
            return nested and all(to_variant(f.dataType, nested) for f in source)
    return isinstance(source, _IN_VARIANTS)


def _may_fail(source: t.DataType, to: t.DataType) -> bool:
    """Whether Spark calls the cast nullable whatever its input (Cast.forceNullable)."""
    match source, to:
        case t.VariantType(), _:
            return True
        case t.StringType(), _:
            return not isinstance(to, t.BinaryType)
        case (t.TimestampType(), t.IntegralType()):
            return not isinstance(to, t.LongType)
        case (t.FractionalType(), t.IntegralType() | t.TimestampType()):
            return not (isinstance(source, t.DecimalType) and isinstance(to, t.TimestampType))
        case (t.NumericType(), t.DecimalType()):
            return not fits_decimal(source, to)
    return isinstance(source, t.DateType) and not isinstance(to, (t.StringType, *_DATETIMES))


def fits_decimal(source: t.NumericType, to: t.DecimalType) -> bool:
    """Whether every value becomes one of the decimal type, rounded if need be (Spark's canNullSafeCastToDecimal)."""
    if is_wider(source, to):
        return True
    return isinstance(source, t.DecimalType) and to.precision - to.scale > source.precision - source.scale


def is_wider(source: t.NumericType, to: t.DecimalType) -> bool:
    """Whether the decimal type has every value of another as it is."""
    if isinstance(source, (t.FloatType, t.DoubleType)):
        return False
    digits = decimal_of(source)
    return to.precision - to.scale >= digits.precision - digits.scale and to.scale >= digits.scale


def _with_string(other: t.DataType) -> t.DataType | None:
    if isinstance(other, t.IntegralType):
        return t.LongType()
    if isinstance(other, t.FractionalType):
        return t.DoubleType()
    return other if isinstance(other, t.AtomicType) and not is_interval(other) else None


def _common_number(a: t.DataType, b: t.DataType) -> t.DataType:
    if isinstance(a, t.DecimalType) or isinstance(b, t.DecimalType):
        if isinstance(a, (t.FloatType, t.DoubleType)) or isinstance(b, (t.FloatType, t.DoubleType)):
            return t.DoubleType()
        return wider_decimal(decimal_of(a), decimal_of(b))
    wider = max(a, b, key=_NUMERIC.index)
    return t.DoubleType() if wider == t.FloatType() else wider


def _merge_nullability(a: t.DataType, b: t.DataType) -> t.DataType:
    return a if a == b else (_common_complex(a, b, True) or a)


def _common_complex(a: t.DataType, b: t.DataType, texts: bool) -> t.DataType | None:
    match a, b:
        case t.ArrayType(), t.ArrayType():
            element = least_common_type(a.elementType, b.elementType, texts)
            return element and t.ArrayType(element, a.containsNull or b.containsNull)
        case t.MapType(), t.MapType():
            key = least_common_type(a.keyType, b.keyType, texts)
            value = least_common_type(a.valueType, b.valueType, texts)
            return key and value and t.MapType(key, value, a.valueContainsNull or b.valueContainsNull)
        case t.StructType(), t.StructType() if [n.lower() for n in a.names] == [n.lower() for n in b.names]:
            fields = []
            for x, y in zip(a, b, strict=True):
                kind = least_common_type(x.dataType, y.dataType, texts)
                if kind is None:
                    return None
                fields.append(t.StructField(x.name, kind, x.nullable or y.nullable))
            return t.StructType(fields)
    return None
