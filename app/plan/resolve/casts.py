"""What `CAST` takes: Spark's tables of `Cast.canAnsiCast` and `Cast.canCast`."""

from __future__ import annotations

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import Const, Convert, Typed
from app.plan.coerce import fits_decimal, from_variant, is_wider, to_variant
from app.plan.functions.collations import check_carried
from app.plan.moment_words import moment_of_word

_MOMENTS = (t.DateType, t.TimestampType, t.TimestampNTZType)
_INTERVALS = (t.DayTimeIntervalType, t.YearMonthIntervalType)
_FROM_STRING = (
    t.BinaryType, t.BooleanType, t.NumericType, *_MOMENTS, *_INTERVALS, t.CalendarIntervalType, t.TimeType,
)  # fmt: skip
_FUNCTIONS = (
    (t.NumericType, t.DateType, "`DATE_FROM_UNIX_DATE`"),
    (t.DateType, t.NumericType, "`UNIX_DATE`"),
)
_WIDENING = (t.ByteType, t.ShortType, t.IntegerType, t.LongType, t.FloatType, t.DoubleType)
_EXACT = (t.IntegralType, t.DecimalType)


def cast_to(child: Typed, to: t.DataType, safe: bool, ansi: bool, shown: str) -> Typed:
    """`child` cast to a type the user named. `shown` is the cast in the message.

    Raises: PlanError DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION and its kin."""
    check_carried(to, f'"{shown}"')
    if not castable(child.type, to, ansi or safe):
        kind, hint = _advice(child.type, to, safe) if ansi or safe else ("CAST_WITHOUT_SUGGESTION", "")
        raise PlanError(
            f'Cannot resolve "{shown}" due to data type mismatch: cannot cast "{child.type.sql()}" '
            f'to "{to.sql()}"{hint}.',
            code=f"DATATYPE_MISMATCH.{kind}",
        )
    if child.type == to and not safe:
        return child
    if isinstance(child, Const) and child.value is None:
        return Const(to, True, None)
    if (moment := moment_of_word(child, to)) is not None:
        return moment
    ansi = ansi or safe or any(isinstance(kind, t.VariantType) for kind in (child.type, to))
    ansi = ansi or isinstance(child.type, _INTERVALS)
    ansi = ansi or (isinstance(child.type, t.StringType) and isinstance(to, _INTERVALS))
    return Convert(to, _nullable(child, to, safe), child, safe or not ansi, ansi)


def castable(source: t.DataType, to: t.DataType, ansi: bool = True) -> bool:
    """Whether Spark accepts a cast from `source` to `to`."""
    if source == to or isinstance(source, t.NullType) or isinstance(to, t.StringType):
        return True
    if isinstance(source, t.VariantType):
        return from_variant(to)
    if isinstance(to, t.VariantType):
        return to_variant(source)
    match source, to:
        case t.ArrayType(), t.ArrayType():
            fits = not source.containsNull or to.containsNull
            return fits and castable(source.elementType, to.elementType, ansi)
        case t.MapType(), t.MapType():
            fits = not source.valueContainsNull or to.valueContainsNull
            keys = castable(source.keyType, to.keyType, ansi)
            return fits and keys and castable(source.valueType, to.valueType, ansi)
        case t.StructType(), t.StructType():
            return len(source) == len(to) and all(
                castable(a.dataType, b.dataType, ansi) and (not a.nullable or b.nullable)
                for a, b in zip(source, to, strict=True)
            )
    return _atoms(source, to) or (not ansi and _legacy(source, to))


def _advice(source: t.DataType, to: t.DataType, safe: bool) -> tuple[str, str]:
    """The error's kind, and what to do instead."""
    for froms, tos, functions in _FUNCTIONS:
        if isinstance(source, froms) and isinstance(to, tos):
            return "CAST_WITH_FUNC_SUGGESTION", f". To convert these values use the functions {functions} instead"
    if not safe and castable(source, to, False):
        return "CAST_WITH_CONF_SUGGESTION", (
            ' with ANSI mode on. If you have to, set the configuration "spark.sql.ansi.enabled" to "false"'
        )
    return "CAST_WITHOUT_SUGGESTION", ""


def _atoms(source: t.DataType, to: t.DataType) -> bool:
    match source:
        case t.StringType():
            return isinstance(to, _FROM_STRING)
        case t.BooleanType():
            return isinstance(to, t.NumericType)
        case t.NumericType():
            plain = isinstance(to, (t.NumericType, t.BooleanType, t.TimestampType))
            return plain or (isinstance(source, _EXACT) and isinstance(to, _INTERVALS))
        case t.TimestampType():
            return isinstance(to, (*_MOMENTS, t.NumericType))
        case t.DateType() | t.TimestampNTZType():
            return isinstance(to, _MOMENTS)
        case t.TimeType():
            return isinstance(to, (*_EXACT, t.TimeType))
        case t.DayTimeIntervalType() | t.YearMonthIntervalType():
            return isinstance(to, (*_EXACT, type(source)))
    return False


def _legacy(source: t.DataType, to: t.DataType) -> bool:
    match source, to:
        case t.IntegralType(), t.BinaryType():
            return True
        case ((t.BooleanType() | t.DateType()), (t.TimestampType() | t.NumericType() | t.BooleanType())):
            return True
        case t.TimestampType(), t.BooleanType():
            return True
    return False


def _nullable(child: Typed, to: t.DataType, safe: bool) -> bool:
    fails = not _always_fits(child.type, to) if safe else _may_give_null(child.type, to)
    return child.nullable or fails


def _always_fits(source: t.DataType, to: t.DataType) -> bool:
    """Where every value has its like in the other type (Spark's `Cast.canUpCast`)."""
    if isinstance(source, t.VariantType):
        return source == to
    if source == to or (isinstance(source, t.AtomicType) and isinstance(to, t.StringType)):
        return True
    if type(source) in _WIDENING and type(to) in _WIDENING:
        return _WIDENING.index(type(source)) < _WIDENING.index(type(to))
    if isinstance(to, t.DecimalType):
        return isinstance(source, (t.IntegralType, t.DecimalType)) and is_wider(source, to)
    return isinstance(source, t.DateType) and isinstance(to, _MOMENTS)


def _may_give_null(source: t.DataType, to: t.DataType) -> bool:
    """Spark's `Cast.forceNullable`, which does not ask whether ANSI rules would raise an error instead."""
    match source:
        case t.VariantType():
            return True
        case t.StringType():
            return not isinstance(to, (t.StringType, t.BinaryType))
        case t.BooleanType():
            return False
        case t.IntegralType():
            return isinstance(to, t.DecimalType) and not fits_decimal(source, to)
        case t.DecimalType() if isinstance(to, t.DecimalType):
            return not fits_decimal(source, to)
        case t.DecimalType():
            return isinstance(to, t.IntegralType)
        case t.FractionalType():
            return isinstance(to, (t.IntegralType, t.DecimalType, t.TimestampType))
        case t.DateType():
            return not isinstance(to, (t.StringType, t.DateType, t.TimestampType))
        case t.TimestampType():
            return isinstance(to, (t.ByteType, t.ShortType, t.IntegerType, t.DecimalType))
        case t.TimeType():
            return isinstance(to, (t.ByteType, t.ShortType, t.DecimalType))
        case t.TimestampNTZType():
            return isinstance(to, t.DateType)
        case t.DayTimeIntervalType() | t.YearMonthIntervalType():
            return isinstance(to, t.DecimalType)
    return False
