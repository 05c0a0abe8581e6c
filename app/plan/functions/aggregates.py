"""Aggregate functions: counts, sums, extremes, lists. What is statistics stands in `statistics.py`.

Partial values are plain values wherever they merge as such; what merges them must stand a null, which is the partial
value of a group none of whose new rows counted.
"""

from __future__ import annotations

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Const
from app.plan.coerce import bounded_decimal
from app.plan.functions.entry import AND_FILTER_HERE, FILTER_HERE, Binding, Function
from app.plan.functions.ordering import is_complex, order_key
from app.plan.functions.signature import (
    ANY,
    BOOLEAN,
    DOUBLE,
    INTEGRAL,
    STRING,
    Args,
    Param,
    check_orderable,
    literal_value,
    type_of,
    unsupported,
)
from app.plan.functions.signature_aggregate import aggregate

_LONG = t.LongType()
_ADD = "coalesce({a} + {b}, {a}, {b})"
_SUMMED = Param(
    'NUMERIC" or "ANSI INTERVAL',
    lambda s: s if isinstance(s, t.NumericType | t.DayTimeIntervalType | t.YearMonthIntervalType) else _double(s),
)


def _double(source: t.DataType) -> t.DataType | None:
    return t.DoubleType() if isinstance(source, t.StringType | t.NullType) else None


def _sum_type(args: Args) -> t.DataType:
    kind = args[0].type
    if isinstance(kind, t.DecimalType):
        return bounded_decimal(kind.precision + 10, kind.scale)
    if isinstance(kind, t.IntegralType):
        return _LONG
    return t.DoubleType() if isinstance(kind, t.NumericType) else kind


def _partial_sum(call: AggCall, args: tuple[str, ...]) -> str:
    distinct = "DISTINCT " if call.distinct else ""
    kind = call.args[0].type
    if isinstance(kind, t.FloatType):
        return f"sum({distinct}CAST({args[0]} AS DOUBLE)){FILTER_HERE}"
    if isinstance(kind, t.DayTimeIntervalType):
        return f"sum({distinct}epoch_us({args[0]})){FILTER_HERE}"
    return f"sum({distinct}{args[0]}){FILTER_HERE}"


def _finish_sum(call: AggCall, state: str) -> str:
    safe = call.function.startswith("try_")
    match call.type:
        case t.LongType() | t.YearMonthIntervalType():
            name = "BIGINT" if isinstance(call.type, t.LongType) else "INTEGER"
            return f"TRY_CAST({state} AS {name})" if safe else f"CAST(wt_sum({state}) AS {name})"
        case t.DecimalType(precision, scale):
            return f"{'TRY_CAST' if safe else 'CAST'}({state} AS DECIMAL({precision},{scale}))"
        case t.DayTimeIntervalType():
            return f"wt_interval(CAST({state} AS BIGINT))"
    return state


def _avg_type(args: Args) -> t.DataType:
    kind = args[0].type
    return bounded_decimal(kind.precision + 4, kind.scale + 4) if isinstance(kind, t.DecimalType) else t.DoubleType()


def _partial_avg(call: AggCall, args: tuple[str, ...]) -> str:
    distinct = "DISTINCT " if call.distinct else ""
    arg = args[0] if isinstance(call.args[0].type, t.DecimalType) else f"CAST({args[0]} AS DOUBLE)"
    return f"struct_pack(s := sum({distinct}{arg}){FILTER_HERE}, n := count({distinct}{arg}){FILTER_HERE})"


def _finish_avg(call: AggCall, state: str) -> str:
    kind = call.args[0].type
    total, count = f"struct_extract({state}, 's')", f"struct_extract({state}, 'n')"
    if not isinstance(kind, t.DecimalType) or not isinstance(call.type, t.DecimalType):
        return f"({total} / nullif({count}, 0))"
    unscaled = f"CAST({total} * CAST(1{'0' * kind.scale} AS DECIMAL(38,0)) AS HUGEINT)"
    shift = f"CAST(1{'0' * (call.type.scale - kind.scale)} AS HUGEINT)"
    unit = f"CAST('1e-{call.type.scale}' AS DECIMAL(38,{call.type.scale}))"
    quotient = f"CAST(wt_round_div({unscaled} * {shift}, CAST(nullif({count}, 0) AS HUGEINT)) AS DECIMAL(38,0))"
    return f"CAST({quotient} * {unit} AS DECIMAL({call.type.precision},{call.type.scale}))"


_ADD_AVG = (
    "struct_pack(s := coalesce(struct_extract({a}, 's') + struct_extract({b}, 's'), struct_extract({a}, 's'), "
    "struct_extract({b}, 's')), n := struct_extract({a}, 'n') + struct_extract({b}, 'n'))"
)


def _partial_count(call: AggCall, args: tuple[str, ...]) -> str:
    constant = all(isinstance(arg, Const) and arg.value is not None for arg in call.args)
    if (not args or constant) and not call.distinct:
        return f"count(*){FILTER_HERE}"
    if len(args) == 1:
        return f"count({'DISTINCT ' if call.distinct else ''}{args[0]}){FILTER_HERE}"
    present = " AND ".join(f"{arg} IS NOT NULL" for arg in args)
    if not call.distinct:
        return f"count(CASE WHEN {present} THEN 1 END){FILTER_HERE}"
    return f"count(DISTINCT CASE WHEN {present} THEN row({', '.join(args)}) END){FILTER_HERE}"


def _partial_extreme(call: AggCall, args: tuple[str, ...]) -> str:
    """Of arrays and structs the greatest key, with its value; of the rest the greatest value."""
    if not is_complex(call.args[0].type):
        return f"{call.function}({args[0]}){FILTER_HERE}"
    sql = "arg_max" if call.function == "max" else "arg_min"
    key = order_key(args[0], call.args[0].type)
    return f"{sql}(struct_pack(o := {key}, v := {args[0]}), {key}){FILTER_HERE}"


def _finish_extreme(call: AggCall, state: str) -> str:
    return f"struct_extract({state}, 'v')" if is_complex(call.args[0].type) else state


def _extreme(name: str) -> Function:
    # The merge does not see the type: of a pair of key and value DuckDB compares the key first.
    better = "<" if name == "min" else ">"
    merged = f"CASE WHEN {{a}} IS NULL OR {{b}} {better} {{a}} THEN {{b}} ELSE {{a}} END"
    return aggregate(name, (ANY,), type_of(0), _partial_extreme, merged, _finish_extreme, prepare=check_orderable)


def _extreme_by(name: str) -> Function:
    sql = "arg_max" if name == "max_by" else "arg_min"
    better = ">" if name == "max_by" else "<"
    new, old = "struct_extract({b}, 'o')", "struct_extract({a}, 'o')"

    def partial(call: AggCall, args: tuple[str, ...]) -> str:
        key = order_key(args[1], call.args[1].type)
        return f"{sql}(struct_pack(v := {args[0]}, o := {key}), {key}){FILTER_HERE}"

    return aggregate(
        name,
        (ANY, ANY),
        type_of(0),
        partial,
        f"CASE WHEN {{a}} IS NULL OR {new} {better} {old} THEN {{b}} ELSE {{a}} END",
        "struct_extract({s}, 'v')",
        prepare=lambda n, b, args: (args[0], *check_orderable(n, b, args[1:])),
    )


def _keep_nulls(name: str, binding: Binding, args: Args) -> Args:
    """`first(x, true)`: the second argument says to skip nulls; it stays as a constant."""
    if len(args) == 2 and not isinstance(literal_value(name, 1, args[1]), bool):
        raise unsupported(name, "a second argument that is not true or false")
    return args


def _partial_edge(call: AggCall, args: tuple[str, ...]) -> str:
    sql = "last" if call.function == "last" else "first"
    value = f"{sql}(struct_pack(v := {args[0]}))"
    flag = call.args[1] if len(call.args) > 1 else None
    if call.ignore_nulls or (isinstance(flag, Const) and flag.value):
        return f"{value} FILTER (WHERE {args[0]} IS NOT NULL{AND_FILTER_HERE})"
    return f"{value}{FILTER_HERE}"


def _edge(name: str, *aliases: str) -> Function:
    merged = "coalesce({b}, {a})" if name == "last" else "coalesce({a}, {b})"
    return aggregate(
        name,
        (ANY, BOOLEAN),
        type_of(0),
        _partial_edge,
        merged,
        "struct_extract({s}, 'v')",
        optional=1,
        prepare=_keep_nulls,
        aliases=aliases,
        nullable=True,
    )


def _list_type(args: Args) -> t.DataType:
    return t.ArrayType(args[0].type, False)


def _no_maps(name: str, binding: Binding, args: Args) -> Args:
    if isinstance(args[0].type, t.MapType):
        raise PlanError(
            f"Cannot resolve {name}: its input cannot hold maps. Collect the map's entries instead.",
            code="DATATYPE_MISMATCH.UNSUPPORTED_INPUT_TYPE",
        )
    return args


def _joined_text(name: str, binding: Binding, args: Args) -> Args:
    if len(args) > 1:
        literal_value(name, 1, args[1])
        return args
    return (*args, Const(t.StringType(), False, ""))


def _finish_joined(call: AggCall, state: str) -> str:
    delimiter = call.args[1]
    text = "" if not isinstance(delimiter, Const) or delimiter.value is None else str(delimiter.value)
    quoted = text.replace("'", "''")
    return f"CASE WHEN len({state}) > 0 THEN array_to_string({state}, '{quoted}') END"


def _bits(name: str, sql: str, combine: str) -> Function:
    return aggregate(name, (INTEGRAL,), type_of(0), f"{sql}({{0}}){{f}}", f"coalesce({combine}, {{a}}, {{b}})")


_COLLECT = "list({d}{0}) FILTER (WHERE {0} IS NOT NULL{af})"
_EMPTY = "coalesce({s}, [])"

FUNCTIONS: tuple[Function, ...] = (
    aggregate("count", (), _LONG, _partial_count, "{a} + {b}", rest=ANY, nullable=False),
    aggregate("count_if", (BOOLEAN,), _LONG, "count(CASE WHEN {0} THEN 1 END){f}", "{a} + {b}", nullable=False),
    aggregate("sum", (_SUMMED,), _sum_type, _partial_sum, _ADD, _finish_sum),
    aggregate("try_sum", (_SUMMED,), _sum_type, _partial_sum, _ADD, _finish_sum),
    aggregate("avg", (_SUMMED,), _avg_type, _partial_avg, _ADD_AVG, _finish_avg, aliases=("mean",)),
    aggregate("try_avg", (_SUMMED,), _avg_type, _partial_avg, _ADD_AVG, _finish_avg),
    aggregate("product", (DOUBLE,), t.DoubleType(), "product({d}{0}){f}", "coalesce({a} * {b}, {a}, {b})"),
    _extreme("min"),
    _extreme("max"),
    _extreme_by("min_by"),
    _extreme_by("max_by"),
    _edge("first", "first_value", "any_value"),
    _edge("last", "last_value"),
    aggregate(
        "bool_and",
        (BOOLEAN,),
        t.BooleanType(),
        "bool_and({0}){f}",
        "coalesce({a} AND {b}, {a}, {b})",
        aliases=("every",),
    ),
    aggregate(
        "bool_or",
        (BOOLEAN,),
        t.BooleanType(),
        "bool_or({0}){f}",
        "coalesce({a} OR {b}, {a}, {b})",
        aliases=("some", "any"),
    ),
    _bits("bit_and", "bit_and", "{a} & {b}"),
    _bits("bit_or", "bit_or", "{a} | {b}"),
    _bits("bit_xor", "bit_xor", "xor({a}, {b})"),
    aggregate(
        "collect_list",
        (ANY,),
        _list_type,
        _COLLECT,
        "list_concat({a}, {b})",
        _EMPTY,
        nullable=False,
        aliases=("array_agg",),
    ),
    aggregate(
        "collect_set",
        (ANY,),
        _list_type,
        _COLLECT.replace("{d}", "DISTINCT "),
        "list_distinct(list_concat({a}, {b}))",
        _EMPTY,
        nullable=False,
        prepare=_no_maps,
    ),
    aggregate(
        "listagg",
        (STRING, STRING),
        t.StringType(),
        "list({d}{0}) FILTER (WHERE {0} IS NOT NULL{af})",
        "list_concat({a}, {b})",
        _finish_joined,
        optional=1,
        prepare=_joined_text,
        aliases=("string_agg",),
    ),
)
