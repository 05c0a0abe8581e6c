"""Counts, sums and means.

Sums of decimals are kept as whole numbers of their last digit, those of many digits in two halves, so that only the
end result can overflow. Sums of integers are kept in 128 bits.
"""

from __future__ import annotations

from dataclasses import replace

from app.plan import types as t
from app.plan.bound import AggCall, Apply, Choose, Const, Typed
from app.plan.coerce import bounded_decimal
from app.plan.functions.entry import AND_FILTER_HERE, FILTER_HERE, Binding, Function
from app.plan.functions.signature import ANY, BOOLEAN, DOUBLE, NUMERIC, Args, Param, describe
from app.plan.functions.signature_aggregate import aggregate

_LONG = t.LongType()
_INTERVALS = (t.DayTimeIntervalType, t.YearMonthIntervalType)
_NARROW_DIGITS = 28
"""Sums of so many digits and ten more fit a DECIMAL(38)."""
_SUMMED = Param(
    'NUMERIC" or "ANSI INTERVAL',
    lambda s: s if isinstance(s, t.NumericType | t.DayTimeIntervalType | t.YearMonthIntervalType) else _double(s),
)


def _double(source: t.DataType) -> t.DataType | None:
    return t.DoubleType() if isinstance(source, t.StringType | t.TimestampType | t.NullType) else None


def _sum_type(args: Args) -> t.DataType:
    kind = args[0].type
    if isinstance(kind, t.DecimalType):
        return bounded_decimal(kind.precision + 10, kind.scale)
    if isinstance(kind, t.IntegralType):
        return _LONG
    return t.DoubleType() if isinstance(kind, t.NumericType) else kind


def _wide(call: AggCall) -> bool:
    """Whether the sum is kept in halves."""
    kind = call.args[0].type
    return isinstance(kind, t.DecimalType) and kind.precision > _NARROW_DIGITS


def _partial_sum(call: AggCall, args: tuple[str, ...]) -> str:
    distinct = "DISTINCT " if call.distinct else ""
    kind = call.args[0].type
    if isinstance(kind, t.FloatType):
        return f"sum({distinct}CAST({args[0]} AS DOUBLE)){FILTER_HERE}"
    if isinstance(kind, t.DayTimeIntervalType):
        return f"sum({distinct}epoch_us({args[0]})){FILTER_HERE}"
    if _wide(call):
        halves = (_half_of_distinct if call.distinct else _half)(args[0])
        return f"struct_pack({', '.join(f'{name} := {sql}' for name, sql in zip('hl', halves, strict=True))})"
    return f"sum({distinct}{args[0]}){FILTER_HERE}"


def _half(sql: str) -> tuple[str, str]:
    return f"sum(wt_high_digits({sql})){FILTER_HERE}", f"sum(wt_low_digits({sql})){FILTER_HERE}"


def _half_of_distinct(sql: str) -> tuple[str, str]:
    """Different values may have the same half."""
    once = f"list(DISTINCT {sql}){FILTER_HERE}"
    high, low = (f"list_sum(list_transform({once}, lambda v: wt_{half}_digits(v)))" for half in ("high", "low"))
    return high, low


def _add(call: AggCall, a: str, b: str) -> str:
    return f"wt_add_halves({a}, {b})" if _wide(call) else f"coalesce({a} + {b}, {a}, {b})"


def _unscaled(call: AggCall, state: str) -> str:
    """The sum of decimals in units of their last digit; null where 38 digits do not hold it."""
    return f"wt_whole_halves({state})" if _wide(call) else f"wt_unscaled({state})"


def _finish_sum(call: AggCall, state: str) -> str:
    safe = "try_" if call.function.startswith("try_") else ""
    match call.type:
        case t.LongType():
            return f"TRY_CAST({state} AS BIGINT)" if safe else f"CAST(wt_sum({state}, {_name(call)}) AS BIGINT)"
        case t.YearMonthIntervalType():
            return f"wt_try_months({state})" if safe else f"wt_months({state}, {_name(call)})"
        case t.DayTimeIntervalType():
            return f"wt_try_span({state})" if safe else f"wt_span({state}, {_name(call)})"
        case t.DecimalType() if _wide(call):
            return _decimal(_total(call, state, f"struct_extract({state}, 'h') IS NOT NULL"), call)
        case t.DecimalType(precision, scale):
            return f"{'TRY_CAST' if safe else 'CAST'}({state} AS DECIMAL({precision},{scale}))"
    return state


def _name(call: AggCall) -> str:
    """What is summed, as a text in messages."""
    return "'" + describe(call.args[0]).replace("'", "''") + "'"


def _total(call: AggCall, state: str, given: str) -> str:
    """The sum of decimals in units of their last digit, as a decimal of 38 digits; where `given` holds, it has to
    fit."""
    return _fitting("sum", call, f"TRY_CAST({_unscaled(call, state)} AS DECIMAL(38,0))", given)


def _fitting(what: str, call: AggCall, sql: str, given: str) -> str:
    """What is null because it did not fit, refused where that is not asked for."""
    return sql if call.function.startswith("try_") else f"wt_{what}_fitting({sql}, {given}, {_name(call)})"


def _decimal(digits: str, call: AggCall) -> str:
    """A whole number of last digits as a decimal of the call's type."""
    assert isinstance(call.type, t.DecimalType)
    precision, scale = call.type.precision, call.type.scale
    unit = f"CAST('{'0.' + '1'.zfill(scale) if scale else 1}' AS DECIMAL(38,{scale}))"
    safe = "TRY_" if call.function.startswith("try_") else ""
    return f"{safe}CAST({digits} * {unit} AS DECIMAL({precision},{scale}))"


def _avg_type(args: Args) -> t.DataType:
    kind = args[0].type
    if isinstance(kind, _INTERVALS):
        return type(kind)()
    return bounded_decimal(kind.precision + 4, kind.scale + 4) if isinstance(kind, t.DecimalType) else t.DoubleType()


def _partial_avg(call: AggCall, args: tuple[str, ...]) -> str:
    distinct = "DISTINCT " if call.distinct else ""
    exact = isinstance(call.args[0].type, t.DecimalType | t.DayTimeIntervalType | t.YearMonthIntervalType)
    arg = args[0] if exact else f"CAST({args[0]} AS DOUBLE)"
    total = _partial_sum(call, (arg,)) if exact else f"sum({distinct}{arg}){FILTER_HERE}"
    return f"struct_pack(s := {total}, n := count({distinct}{arg}){FILTER_HERE})"


def _add_avg(call: AggCall, a: str, b: str) -> str:
    total = _add(call, f"struct_extract({a}, 's')", f"struct_extract({b}, 's')")
    return f"struct_pack(s := {total}, n := struct_extract({a}, 'n') + struct_extract({b}, 'n'))"


def _finish_avg(call: AggCall, state: str) -> str:
    kind = call.args[0].type
    safe = "try_" if call.function.startswith("try_") else ""
    total, count = f"struct_extract({state}, 's')", f"nullif(struct_extract({state}, 'n'), 0)"
    if isinstance(call.type, t.DayTimeIntervalType):
        whole = f"wt_try_span({total})" if safe else f"wt_span({total}, {_name(call)})"
        return f"wt_try_span(wt_mean(epoch_us({whole}), {count}))"
    if isinstance(call.type, t.YearMonthIntervalType):
        whole = f"wt_try_months({total})" if safe else f"wt_months({total}, {_name(call)})"
        return f"wt_try_months(wt_mean({whole}, {count}))"
    if not isinstance(kind, t.DecimalType) or not isinstance(call.type, t.DecimalType):
        return f"({total} / {count})"
    more = "1" + "0" * (call.type.scale - kind.scale)
    given = f"{count} IS NOT NULL"
    sum_ = f"CAST({_total(call, total, given)} AS HUGEINT)"
    mean = f"wt_decimal_mean({sum_}, CAST({count} AS HUGEINT), CAST({more} AS HUGEINT))"
    return _decimal(_fitting("mean", call, f"TRY_CAST({mean} AS DECIMAL(38,0))", f"{sum_} IS NOT NULL"), call)


def _mean_of_pairs(name: str, which: int) -> Function:
    """`regr_avgx(y, x)` and `regr_avgy(y, x)`: the mean of one of both, where both are there."""
    mean = aggregate(name, (NUMERIC, NUMERIC), _avg_type, _partial_avg, _add_avg, _finish_avg)

    def bind(binding: Binding, args: Args) -> Apply | AggCall:
        pair = mean.bind(binding, args)
        there = Apply(t.BooleanType(), False, "and", tuple(map(_present, pair.args)))
        kept = pair.args[which]
        chosen = Choose(kept.type, True, ((there, kept),), None)
        return AggCall(_avg_type((chosen,)), True, "avg", (chosen,))

    return replace(mean, bind=bind)


def _present(arg: Typed) -> Typed:
    return Apply(t.BooleanType(), False, "isnotnull", (arg,))


def _partial_count(call: AggCall, args: tuple[str, ...]) -> str:
    constant = all(isinstance(arg, Const) and arg.value is not None for arg in call.args)
    if (not args or constant) and not call.distinct:
        return f"count(*){FILTER_HERE}"
    if len(args) == 1:
        return f"count({'DISTINCT ' if call.distinct else ''}{args[0]}){FILTER_HERE}"
    present = " AND ".join(f"{arg} IS NOT NULL" for arg in args)
    if not call.distinct:
        return f"count(CASE WHEN {present} THEN 1 END){FILTER_HERE}"
    return f"count(DISTINCT row({', '.join(args)})) FILTER (WHERE {present}{AND_FILTER_HERE})"


FUNCTIONS: tuple[Function, ...] = (
    aggregate("count", (), _LONG, _partial_count, "{a} + {b}", rest=ANY, nullable=False),
    aggregate("count_if", (BOOLEAN,), _LONG, "count({d}CASE WHEN {0} THEN 1 END){f}", "{a} + {b}", nullable=False),
    aggregate("sum", (_SUMMED,), _sum_type, _partial_sum, _add, _finish_sum),
    aggregate("try_sum", (_SUMMED,), _sum_type, _partial_sum, _add, _finish_sum),
    aggregate("avg", (_SUMMED,), _avg_type, _partial_avg, _add_avg, _finish_avg, aliases=("mean",)),
    aggregate("try_avg", (_SUMMED,), _avg_type, _partial_avg, _add_avg, _finish_avg),
    _mean_of_pairs("regr_avgx", 1),
    _mean_of_pairs("regr_avgy", 0),
    aggregate("product", (DOUBLE,), t.DoubleType(), "product({d}{0}){f}", "coalesce({a} * {b}, {a}, {b})"),
)
