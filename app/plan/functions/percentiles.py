"""Percentiles: interpolated, discrete, approximate.

Their state holds all values, so an approximate one is exact here, and every accuracy is kept.
"""

from __future__ import annotations

from collections.abc import Callable

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Const, Typed
from app.plan.functions.doubles import from_double, to_double
from app.plan.functions.entry import AND_FILTER_HERE, FILTER_HERE, AggregateState, Binding, Function
from app.plan.functions.signature import ANY, LONG, Args, Param, literal_value, one_of, unsupported
from app.plan.functions.signature_aggregate import Finish, WithinGroup, aggregate, combined

Print = Callable[[AggCall, tuple[str, ...]], str]

_DOUBLE = t.DoubleType()
_SPANS = (t.DayTimeIntervalType, t.YearMonthIntervalType)
_VALUE = one_of(t.NumericType, *_SPANS, default=_DOUBLE, wants='NUMERIC" or "ANSI INTERVAL')
_APPROXIMATE = one_of(
    t.NumericType,
    t.DateType,
    t.TimestampType,
    t.TimestampNTZType,
    *_SPANS,
    default=_DOUBLE,
    wants='NUMERIC" or "DATE" or "TIMESTAMP" or "TIMESTAMP_NTZ" or "INTERVAL YEAR TO MONTH" or "INTERVAL DAY TO SECOND',
)


def _fraction_type(source: t.DataType) -> t.DataType | None:
    atoms = (t.NumericType, t.StringType, t.NullType)
    if isinstance(source, t.ArrayType):
        empty_or_number = isinstance(source.elementType, t.NumericType) or source == t.ArrayType(t.NullType(), False)
        return source if empty_or_number else None
    return source if isinstance(source, atoms) else None


_FRACTION = Param('DOUBLE" or "ARRAY<DOUBLE>', _fraction_type)


def fractions_of(name: str, index: int, arg: Typed) -> list[float]:
    """The constant fraction, or list of them, from 0 to 1. Raises: PlanError."""
    values = _numbers_of(arg)
    if values is None:
        if literal_value(name, index, arg) is None:
            raise PlanError(
                f"The percentage of `{name}` must not be null. Write a number.",
                code="DATATYPE_MISMATCH.UNEXPECTED_NULL",
            )
        raise unsupported(name, "a percentage that is not a number; write it as 0.5 or array(0.25, 0.75)")
    if not all(0 <= value <= 1 for value in values):
        shown = ",".join(map(repr, values))
        raise PlanError(
            f"The percentage of `{name}` must be between [0.0, 1.0] (current value = {shown}).",
            code="DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
        )
    return values


def _numbers_of(arg: Typed) -> list[float] | None:
    if isinstance(arg, Const):
        number = isinstance(arg.type, t.NumericType | t.StringType) and arg.value is not None
        return [float(arg.value)] if number else None
    if isinstance(arg.type, t.ArrayType) and not getattr(arg, "args", (arg,)):
        return []
    inner = getattr(arg, "args", None) or ((arg.child,) if hasattr(arg, "child") else ())
    found = [_numbers_of(a) for a in inner]
    if not found or any(f is None for f in found):
        return None
    return [value for f in found if f is not None for value in f]


def _checked(name: str, _: Binding, args: Args) -> Args:
    fractions_of(name, 1, args[1])
    if len(args) == 3 and isinstance(args[2], Const) and args[2].value == 1:
        return args[:2]
    return args


def _accurate(name: str, binding: Binding, args: Args) -> Args:
    fractions_of(name, 1, args[1])
    if len(args) == 3:
        accuracy = literal_value(name, 2, args[2])
        if not isinstance(accuracy, int) or not 0 < accuracy <= 2**31 - 1:
            raise PlanError(
                f"The accuracy of `{name}` must be between (0, 2147483647] (current value = {accuracy}).",
                code="DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
            )
    return args[:2]


def _many(call: AggCall) -> bool:
    return len(call.args) > 1 and isinstance(call.args[1].type, t.ArrayType)


def _of_each(kind: t.DataType, args: Args) -> t.DataType:
    return t.ArrayType(kind, False) if len(args) > 1 and isinstance(args[1].type, t.ArrayType) else kind


def _between_type(args: Args) -> t.DataType:
    """Of intervals the finest of their kind, of numbers a double."""
    kind = args[0].type
    return _of_each(type(kind)() if isinstance(kind, _SPANS) else _DOUBLE, args)


def _number(call: AggCall, sql: str) -> str:
    """The values as doubles; the greatest first become the least where the order is descending."""
    kind = call.args[0].type
    number = f"CAST({f'epoch_us({sql})' if isinstance(kind, t.DayTimeIntervalType) else sql} AS DOUBLE)"
    return f"(-{number})" if _reversed(call) else number


def _reversed(call: AggCall) -> bool:
    return bool(call.orders) and not call.orders[0].ascending


def _value(call: AggCall, number: str) -> str:
    kind = call.args[0].type
    if _reversed(call):
        number = f"(-{number})"
    if isinstance(kind, t.DayTimeIntervalType):
        return f"wt_interval(CAST(trunc({number}) AS BIGINT))"
    return f"CAST(trunc({number}) AS INTEGER)" if isinstance(kind, t.YearMonthIntervalType) else number


def _each(call: AggCall, found: str) -> str:
    """The end of one or several interpolated values."""
    plain = not isinstance(call.args[0].type, _SPANS) and not _reversed(call)
    if plain:
        return found
    return f"list_transform({found}, lambda v: {_value(call, 'v')})" if _many(call) else _value(call, found)


def _quantile(sql: str) -> tuple[Print, Finish]:
    """How DuckDB computes the quantiles, and their end."""

    def partial(call: AggCall, args: tuple[str, ...]) -> str:
        values = fractions_of(call.function, 1, call.args[1]) if len(call.args) > 1 else [0.5]
        shown = ", ".join(map(repr, values))
        # Without a fraction there is nothing to give; any will do for the state.
        which = f"[{shown or '0.5'}]" if _many(call) else shown
        distinct = "DISTINCT " if call.distinct else ""
        return f"{sql}({distinct}{_number(call, args[0])}, {which}){FILTER_HERE}"

    def finish(call: AggCall, found: str) -> str:
        empty = _many(call) and not fractions_of(call.function, 1, call.args[1])
        return f"CASE WHEN false THEN {_each(call, found)} END" if empty else _each(call, found)

    return partial, finish


def _listed(call: AggCall) -> bool:
    """Whether the values are kept as a list, each with how often it counts where that is said. The last digit of what
    lies between two intervals matters, as they are whole numbers, and DuckDB's quantiles round in another order."""
    return len(call.args) == 3 or isinstance(call.args[0].type, _SPANS)


def _list_of_values(call: AggCall, args: tuple[str, ...]) -> str:
    item, there = _number(call, args[0]), f"{args[0]} IS NOT NULL"
    if len(args) == 3:
        item, there = f"struct_pack(v := {item}, n := wt_frequency({args[2]}))", f"{there} AND {args[2]} <> 0"
    return f"list({'DISTINCT ' if call.distinct else ''}{item}) FILTER (WHERE {there}{AND_FILTER_HERE})"


def _placed(call: AggCall, state: str) -> str:
    values = fractions_of(call.function, 1, call.args[1]) if len(call.args) > 1 else [0.5]
    place = "wt_weighted" if len(call.args) == 3 else "wt_placed"
    found = [_value(call, f"{place}({state}, {value!r})") for value in values]
    if not _many(call):
        return found[0]
    return f"CASE WHEN len({state}) > 0 THEN [{', '.join(found)}] END"


def _continuous(name: str, params: tuple[Param, ...], optional: int = 0, within_group: WithinGroup = "") -> Function:
    """A percentile that lies between two values where it has to."""
    quantile, end = _quantile("quantile_cont")

    def partial(call: AggCall, args: tuple[str, ...]) -> str:
        return _list_of_values(call, args) if _listed(call) else quantile(call, args)

    def finish(call: AggCall, state: str) -> str:
        return _placed(call, state) if _listed(call) else end(call, state)

    state = AggregateState(
        lambda call, args: partial(call, args) + ("" if _listed(call) else " EXPORT_STATE"),
        lambda call, a, b: f"list_concat({a}, {b})" if _listed(call) else combined(call, a, b),
        lambda call, s: finish(call, s if _listed(call) else f"finalize({s})"),
    )
    return aggregate(
        name,
        params,
        _between_type,
        partial,
        None,
        finish,
        stepwise=state,
        optional=optional,
        prepare=_checked if len(params) > 1 else None,
        within_group=within_group,
    )


def _discrete() -> Function:
    partial, finish = _quantile("quantile_disc")
    return aggregate(
        "percentile_disc",
        (_VALUE, _FRACTION),
        _between_type,
        partial,
        None,
        finish,
        exported=True,
        prepare=_checked,
        within_group="required",
    )


def _partial_approximate(call: AggCall, args: tuple[str, ...]) -> str:
    shown = ", ".join(map(repr, fractions_of(call.function, 1, call.args[1])))
    which = f"[{shown or '0.5'}]" if _many(call) else shown
    value = to_double(args[0], call.args[0].type)
    return f"quantile_disc({'DISTINCT ' if call.distinct else ''}{value}, {which}){FILTER_HERE}"


def _finish_approximate(call: AggCall, found: str) -> str:
    kind = call.args[0].type
    return f"list_transform({found}, lambda v: {from_double('v', kind)})" if _many(call) else from_double(found, kind)


FUNCTIONS: tuple[Function, ...] = (
    _continuous("median", (_VALUE,)),
    _continuous("percentile", (_VALUE, _FRACTION, LONG), optional=1),
    _continuous("percentile_cont", (_VALUE, _FRACTION), within_group="required"),
    _discrete(),
    aggregate(
        "percentile_approx",
        (_APPROXIMATE, _FRACTION, ANY),
        lambda args: _of_each(args[0].type, args),
        _partial_approximate,
        None,
        _finish_approximate,
        exported=True,
        optional=1,
        prepare=_accurate,
        aliases=("approx_percentile",),
    ),
)
