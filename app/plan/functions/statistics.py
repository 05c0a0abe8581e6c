"""Aggregates of statistics, on doubles. DuckDB's exported states carry count, mean and moments, which merge exactly."""

from __future__ import annotations

from app.plan import types as t
from app.plan.bound import AggCall
from app.plan.functions.entry import FILTER_HERE, AggregateState, Function
from app.plan.functions.signature import (
    DOUBLE,
)
from app.plan.functions.signature_aggregate import aggregate

_DOUBLE = t.DoubleType()


def _of_several(name: str, arity: int, parts: tuple[str, ...], formula: str, *aliases: str) -> Function:
    """An aggregate of several of DuckDB's; the formula names them by number."""

    def printed(args: tuple[str, ...], distinct: str = "") -> tuple[str, ...]:
        return tuple(f"{part}({distinct}{', '.join(args)}){FILTER_HERE}" for part in parts)

    def whole(call: AggCall, args: tuple[str, ...]) -> str:
        return "(" + formula.format(*printed(args, "DISTINCT " if call.distinct else "")) + ")"

    def partial(_: AggCall, args: tuple[str, ...]) -> str:
        states = (f"p{i} := {part} EXPORT_STATE" for i, part in enumerate(printed(args)))
        return f"struct_pack({', '.join(states)})"

    def combine(_: AggCall, a: str, b: str) -> str:
        states = (f"combine(struct_extract({a}, 'p{i}'), struct_extract({b}, 'p{i}'))" for i in range(len(parts)))
        return f"struct_pack({', '.join(f'p{i} := {state}' for i, state in enumerate(states))})"

    def finish(_: AggCall, state: str) -> str:
        ends = (f"finalize(struct_extract({state}, 'p{i}'))" for i in range(len(parts)))
        return f"({formula.format(*ends)})"

    state = AggregateState(partial, combine, finish)
    return aggregate(name, (DOUBLE,) * arity, _DOUBLE, whole, None, stepwise=state, aliases=aliases)


def _moments(name: str, *aliases: str) -> Function:
    return _of_several(name, 1, (name, "avg", "count"), "wt_spread({0}, {1}, {1}, {2})", *aliases)


_PAIR = ("regr_avgx", "regr_avgy", "regr_count")
_SPREAD_XX = "wt_spread({0}, {1}, {1}, {3})"
_SECOND_XX = "wt_spread({4}, {1}, {1}, {3})"
_THIRD_YY = "wt_spread({5}, {2}, {2}, {3})"
_SPREAD_YY = "wt_spread({0}, {2}, {2}, {3})"
_SPREAD_XY = "wt_spread({0}, {1}, {2}, {3})"


def _pairs(name: str, formula: str = _SPREAD_XY) -> Function:
    return _of_several(name, 2, (name, *_PAIR), formula)


def _edges(a: str, b: str) -> str:
    """The least and greatest `a` among rows that have both."""
    value = f"CASE WHEN {b} IS NOT NULL THEN {a} END"
    return f"struct_pack(lo := min({value}){FILTER_HERE}, hi := max({value}){FILTER_HERE})"


def _count_pairs(call: AggCall, args: tuple[str, ...]) -> str:
    both = f"CASE WHEN {args[0]} IS NOT NULL AND {args[1]} IS NOT NULL THEN "
    if call.distinct:
        return f"count(DISTINCT {both}row({args[0]}, {args[1]}) END){FILTER_HERE}"
    return f"count({both}1 END){FILTER_HERE}"


def _corr_parts(call: AggCall, args: tuple[str, ...]) -> str:
    return f"n := {_count_pairs(call, args)}, x := {_edges(*args)}, y := {_edges(args[1], args[0])}"


def _means(call: AggCall, args: tuple[str, ...], behind: str = "") -> str:
    distinct = "DISTINCT " if call.distinct else ""
    return ", ".join(
        f"{name} := {sql}({distinct}{args[0]}, {args[1]}){FILTER_HERE}{behind}"
        for name, sql in (("mx", "regr_avgy"), ("my", "regr_avgx"))
    )


def _merged_edges(name: str, a: str, b: str) -> str:
    a, b = f"struct_extract({a}, '{name}')", f"struct_extract({b}, '{name}')"
    low = f"least(struct_extract({a}, 'lo'), struct_extract({b}, 'lo'))"
    return f"struct_pack(lo := {low}, hi := greatest(struct_extract({a}, 'hi'), struct_extract({b}, 'hi')))"


def _combined(name: str, a: str, b: str) -> str:
    return f"combine(struct_extract({a}, '{name}'), struct_extract({b}, '{name}'))"


CORR_OR_NULL = "corr or null"
"""`corr` without ANSI rules: null for values that are all the same, where division by zero fails with them."""


def _alike(call: AggCall) -> str:
    if call.function == CORR_OR_NULL:
        return "NULL"
    return "wt_fail('DIVIDE_BY_ZERO', 'Division by zero: corr of values that are all the same.')"


def _whole_corr(call: AggCall, args: tuple[str, ...]) -> str:
    found = f"corr({'DISTINCT ' if call.distinct else ''}{args[0]}, {args[1]}){FILTER_HERE}"
    return f"wt_corr({found}, struct_pack({_corr_parts(call, args)}, {_means(call, args)}), {_alike(call)})"


_CORR = AggregateState(
    lambda call, args: (
        f"struct_pack(c := corr({args[0]}, {args[1]}){FILTER_HERE} EXPORT_STATE, {_corr_parts(call, args)}, "
        f"{_means(call, args, ' EXPORT_STATE')})"
    ),
    lambda _, a, b: (
        f"struct_pack(c := {_combined('c', a, b)}, mx := {_combined('mx', a, b)}, my := {_combined('my', a, b)}, "
        f"n := struct_extract({a}, 'n') + struct_extract({b}, 'n'), "
        f"x := {_merged_edges('x', a, b)}, y := {_merged_edges('y', a, b)})"
    ),
    lambda call, s: (
        f"wt_corr(finalize(struct_extract({s}, 'c')), struct_pack(n := struct_extract({s}, 'n'), "
        f"x := struct_extract({s}, 'x'), y := struct_extract({s}, 'y'), "
        f"mx := finalize(struct_extract({s}, 'mx')), my := finalize(struct_extract({s}, 'my'))), {_alike(call)})"
    ),
)


FUNCTIONS: tuple[Function, ...] = (
    _moments("stddev_samp", "stddev", "std"),
    _moments("stddev_pop"),
    _moments("var_samp", "variance"),
    _moments("var_pop"),
    _pairs("covar_pop"),
    _pairs("covar_samp"),
    _of_several(
        "regr_slope",
        2,
        ("regr_sxy", *_PAIR, "regr_sxx"),
        f"{_SPREAD_XY} / nullif({_SECOND_XX}, 0)",
    ),
    _of_several(
        "regr_intercept",
        2,
        ("regr_sxy", *_PAIR, "regr_sxx"),
        f"{{2}} - {_SPREAD_XY} / nullif({_SECOND_XX}, 0) * {{1}}",
    ),
    _of_several(
        "regr_r2",
        2,
        ("regr_sxy", *_PAIR, "regr_sxx", "regr_syy"),
        f"wt_r2({_SPREAD_XY}, {_SECOND_XX}, {_THIRD_YY})",
    ),
    _pairs("regr_sxx", _SPREAD_XX),
    _pairs("regr_syy", _SPREAD_YY),
    _pairs("regr_sxy"),
    aggregate(
        "regr_count",
        (DOUBLE, DOUBLE),
        t.LongType(),
        _count_pairs,
        "{a} + {b}",
        nullable=False,
    ),
    aggregate("corr", (DOUBLE, DOUBLE), _DOUBLE, _whole_corr, None, stepwise=_CORR),
    aggregate(CORR_OR_NULL, (DOUBLE, DOUBLE), _DOUBLE, _whole_corr, None, stepwise=_CORR),
)
