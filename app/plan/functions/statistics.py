"""Aggregates of statistics, on doubles. DuckDB's exported states carry count, mean and moments, which merge exactly."""

from __future__ import annotations

from app.plan import types as t
from app.plan.bound import AggCall, Const, Typed
from app.plan.coerce import cast
from app.plan.functions.entry import FILTER_HERE, Binding, Function
from app.plan.functions.signature import (
    ANY,
    DOUBLE,
    NUMERIC,
    Args,
    check_orderable,
    literal_value,
    type_of,
    unsupported,
)
from app.plan.functions.signature_aggregate import aggregate

_DOUBLE = t.DoubleType()
_PAIR = "CASE WHEN {1} IS NOT NULL THEN {0} END"


def _moments(name: str, *aliases: str) -> Function:
    return aggregate(name, (DOUBLE,), _DOUBLE, f"{name}({{d}}{{0}}){{f}}", None, exported=True, aliases=aliases)


def _pairs(name: str, sql: str | None = None) -> Function:
    return aggregate(name, (DOUBLE, DOUBLE), _DOUBLE, f"{sql or name}({{0}}, {{1}}){{f}}", None, exported=True)


def _edges(a: str, b: str) -> str:
    """The least and greatest `a` among rows that have both."""
    value = f"CASE WHEN {b} IS NOT NULL THEN {a} END"
    return f"struct_pack(lo := min({value}){FILTER_HERE}, hi := max({value}){FILTER_HERE})"


def _corr_parts(args: tuple[str, ...]) -> str:
    count = f"count(CASE WHEN {args[0]} IS NOT NULL AND {args[1]} IS NOT NULL THEN 1 END){FILTER_HERE}"
    return f"n := {count}, x := {_edges(*args)}, y := {_edges(args[1], args[0])}"


def _merged_edges(name: str) -> str:
    a, b = f"struct_extract({{a}}, '{name}')", f"struct_extract({{b}}, '{name}')"
    low = f"least(struct_extract({a}, 'lo'), struct_extract({b}, 'lo'))"
    return f"struct_pack(lo := {low}, hi := greatest(struct_extract({a}, 'hi'), struct_extract({b}, 'hi')))"


_CORR_MERGED = (
    "struct_pack(c := combine(struct_extract({a}, 'c'), struct_extract({b}, 'c')), "
    "n := struct_extract({a}, 'n') + struct_extract({b}, 'n'), "
    f"x := {_merged_edges('x')}, y := {_merged_edges('y')})"
)


def _print_corr(call: AggCall, args: tuple[str, ...]) -> str:
    return f"struct_pack(c := corr({args[0]}, {args[1]}){FILTER_HERE} EXPORT_STATE, {_corr_parts(args)})"


def _fractions(name: str, binding: Binding, args: Args) -> Args:
    """The fraction (or list of them) as a constant list of doubles from 0 to 1."""
    values = _numbers_of(args[1])
    if values is None:
        literal_value(name, 1, args[1])
        raise unsupported(name, "a fraction that is not a number; write it as 0.5 or array(0.25, 0.75)")
    if not all(0 <= value <= 1 for value in values):
        raise unsupported(name, "a fraction outside 0 to 1")
    checked = check_orderable(name, binding, args[:1])
    return (*checked, args[1])


def _numbers_of(arg: Typed) -> list[float] | None:
    if isinstance(arg, Const) and isinstance(arg.type, t.NumericType) and arg.value is not None:
        return [float(arg.value)]
    inner = getattr(arg, "args", None) or ((arg.child,) if hasattr(arg, "child") else ())
    found = [_numbers_of(a) for a in inner]
    if not found or any(f is None for f in found):
        return None
    return [value for f in found if f is not None for value in f]


def _many(arg: Typed) -> bool:
    return isinstance(arg.type, t.ArrayType)


def _percentile_type(args: Args) -> t.DataType:
    return t.ArrayType(_DOUBLE, False) if _many(args[1]) else _DOUBLE


def _element_type(args: Args) -> t.DataType:
    return t.ArrayType(args[0].type, False) if _many(args[1]) else args[0].type


def _print_quantile(call: AggCall, args: tuple[str, ...]) -> str:
    values = _numbers_of(call.args[1]) or []
    shown = ", ".join(repr(v) for v in values)
    which = f"[{shown}]" if _many(call.args[1]) else shown
    sql = "quantile_cont" if call.function == "percentile" else "quantile_disc"
    return f"{sql}({'DISTINCT ' if call.distinct else ''}{args[0]}, {which}){FILTER_HERE}"


def _as_double(name: str, binding: Binding, args: Args) -> Args:
    return _fractions(name, binding, (cast(args[0], _DOUBLE), *args[1:]))


FUNCTIONS: tuple[Function, ...] = (
    _moments("stddev_samp", "stddev", "std"),
    _moments("stddev_pop"),
    _moments("var_samp", "variance"),
    _moments("var_pop"),
    _pairs("covar_pop"),
    _pairs("covar_samp"),
    aggregate(
        "regr_slope",
        (DOUBLE, DOUBLE),
        _DOUBLE,
        "struct_pack(xy := regr_sxy({0}, {1}){f} EXPORT_STATE, xx := regr_sxx({0}, {1}){f} EXPORT_STATE)",
        "struct_pack(xy := combine(struct_extract({a}, 'xy'), struct_extract({b}, 'xy')), "
        "xx := combine(struct_extract({a}, 'xx'), struct_extract({b}, 'xx')))",
        "(finalize(struct_extract({s}, 'xy')) / nullif(finalize(struct_extract({s}, 'xx')), 0))",
    ),
    _pairs("regr_intercept"),
    _pairs("regr_avgx"),
    _pairs("regr_avgy"),
    _pairs("regr_r2"),
    _pairs("regr_sxx"),
    _pairs("regr_syy"),
    _pairs("regr_sxy"),
    aggregate(
        "regr_count",
        (DOUBLE, DOUBLE),
        t.LongType(),
        "count(CASE WHEN {0} IS NOT NULL AND {1} IS NOT NULL THEN 1 END){f}",
        "{a} + {b}",
        nullable=False,
    ),
    aggregate(
        "corr",
        (DOUBLE, DOUBLE),
        _DOUBLE,
        _print_corr,
        _CORR_MERGED,
        "wt_corr(finalize(struct_extract({s}, 'c')), {s})",
    ),
    aggregate("median", (NUMERIC,), _DOUBLE, "quantile_cont({d}CAST({0} AS DOUBLE), 0.5){f}", None, exported=True),
    aggregate("percentile", (NUMERIC, ANY), _percentile_type, _print_quantile, None, exported=True, prepare=_as_double),
    aggregate(
        "percentile_approx",
        (ANY, ANY, ANY),
        _element_type,
        _print_quantile,
        None,
        exported=True,
        optional=1,
        prepare=_fractions,
        aliases=("approx_percentile",),
    ),
    aggregate(
        "approx_count_distinct",
        (ANY,),
        t.LongType(),
        "approx_count_distinct({0}){f}",
        None,
        exported=True,
        nullable=False,
    ),
    aggregate("mode", (ANY,), type_of(0), "mode({0}){f}", None),
)
