"""`histogram_numeric`. Its bins depend on the order of arrival, so the state is all values in that order."""

from __future__ import annotations

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Const
from app.plan.functions.doubles import from_double, to_double
from app.plan.functions.entry import AND_FILTER_HERE, Binding, Function
from app.plan.functions.signature import INT, Args, literal_value, one_of
from app.plan.functions.signature_aggregate import aggregate

_CLOCKS = (t.TimestampType, t.TimestampNTZType, t.DayTimeIntervalType)
_VALUE = one_of(
    t.NumericType,
    t.DateType,
    *_CLOCKS,
    t.YearMonthIntervalType,
    default=t.DoubleType(),
    wants='NUMERIC" or "DATE" or "TIMESTAMP" or "TIMESTAMP_NTZ" or "INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH',
)


def _type(args: Args) -> t.DataType:
    middle = t.StructField("x", args[0].type, True)
    return t.ArrayType(t.StructType([middle, t.StructField("y", t.DoubleType(), True)]), True)


def _limited(name: str, _: Binding, args: Args) -> Args:
    limit = literal_value(name, 1, args[1])
    if limit is None:
        raise PlanError(
            f"The nb of `{name}` must not be null. Write a number.", code="DATATYPE_MISMATCH.UNEXPECTED_NULL"
        )
    if not isinstance(limit, int) or limit < 2:
        raise PlanError(
            f"The nb of `{name}` must be between [2, 2147483647] (current value = {limit}).",
            code="DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
        )
    return args


def _partial(call: AggCall, args: tuple[str, ...]) -> str:
    distinct = "DISTINCT " if call.distinct else ""
    number = to_double(args[0], call.args[0].type)
    return f"list({distinct}{number}) FILTER (WHERE {args[0]} IS NOT NULL{AND_FILTER_HERE})"


def _finish(call: AggCall, state: str) -> str:
    limit = call.args[1]
    assert isinstance(limit, Const)
    middle = from_double("e.x", call.args[0].type)
    bins = f"wa_histogram({state}, {limit.value})"
    return f"list_transform({bins}, lambda e: struct_pack(x := {middle}, y := e.y))"


FUNCTIONS: tuple[Function, ...] = (
    aggregate("histogram_numeric", (_VALUE, INT), _type, _partial, "list_concat({a}, {b})", _finish, prepare=_limited),
)
