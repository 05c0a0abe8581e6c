"""Aggregates that give back some of their values, or all: extremes, edges, bits, lists.

Partial values are plain values wherever they merge as such; what merges them must stand a null, which is the partial
value of a group none of whose new rows counted.
"""

from __future__ import annotations

from collections.abc import Callable

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Const
from app.plan.coerce import cast
from app.plan.expressions import RESPECTING
from app.plan.functions.entry import AND_FILTER_HERE, FILTER_HERE, SORT_KEY_HERE, Binding, Function
from app.plan.functions.ordering import is_complex, order_key
from app.plan.functions.signature import (
    ANY,
    BOOLEAN,
    INT,
    INTEGRAL,
    STRING_OR_BINARY,
    Args,
    check_orderable,
    literal_value,
    type_of,
    unsupported,
)
from app.plan.functions.signature_aggregate import aggregate
from app.plan.keys import key_of


def _partial_extreme(call: AggCall, args: tuple[str, ...]) -> str:
    """Of arrays and structs the greatest key, with its value; of the rest the greatest value. Of both zeros it is the
    first that came, where DuckDB's own takes the last."""
    sql = "arg_max" if call.function == "max" else "arg_min"
    if isinstance(call.args[0].type, t.DoubleType):
        return f"{sql}({args[0]}, {args[0]}){FILTER_HERE}"
    if isinstance(call.args[0].type, t.FloatType):  # of which DuckDB makes -0.0 a 0.0
        return f"CAST({sql}(CAST({args[0]} AS DOUBLE), CAST({args[0]} AS DOUBLE)){FILTER_HERE} AS FLOAT)"
    if not is_complex(call.args[0].type):
        return f"{call.function}({args[0]}){FILTER_HERE}"
    key = order_key(args[0], call.args[0].type)
    return f"{sql}(struct_pack(o := {key}, v := {args[0]}), {key}){FILTER_HERE}"


def _finish_extreme(call: AggCall, state: str) -> str:
    return f"struct_extract({state}, 'v')" if is_complex(call.args[0].type) else state


def _extreme(name: str) -> Function:
    better = "<" if name == "min" else ">"

    def merged(call: AggCall, a: str, b: str) -> str:
        keys = (f"struct_extract({s}, 'o')" if is_complex(call.args[0].type) else s for s in (b, a))
        return f"CASE WHEN {a} IS NULL OR {f' {better} '.join(keys)} THEN {b} ELSE {a} END"

    return aggregate(name, (ANY,), type_of(0), _partial_extreme, merged, _finish_extreme, prepare=check_orderable)


def _extreme_by(name: str) -> Function:
    """Of rows with the same extreme order the last is taken, as in Spark; with a third argument, the first k rows."""
    which = name.removesuffix("_by")
    better = ">=" if which == "max" else "<="
    new, old = "struct_extract({b}, 'o')", "struct_extract({a}, 'o')"
    one = f"CASE WHEN {{a}} IS NULL OR {new} {better} {old} THEN {{b}} ELSE {{a}} END"

    def partial(call: AggCall, args: tuple[str, ...]) -> str:
        key = order_key(args[1], call.args[1].type)
        item = f"{'DISTINCT ' if call.distinct else ''}struct_pack(v := {args[0]}, o := {key})"
        items = f"list({item}) FILTER (WHERE {args[1]} IS NOT NULL{AND_FILTER_HERE})"
        return f"wt_last_{which}({items})" if len(args) == 2 else f"wt_top_{which}({items}, {args[2]})"

    def combine(call: AggCall, a: str, b: str) -> str:
        if len(call.args) == 2:
            return one.format(a=a, b=b)
        k = call.args[2]
        assert isinstance(k, Const)
        return f"wt_top_{which}(list_concat({a}, {b}), {k.value})"

    def finish(call: AggCall, state: str) -> str:
        if len(call.args) == 2:
            return f"struct_extract({state}, 'v')"
        return f"CASE WHEN len({state}) > 0 THEN list_transform({state}, lambda e: e.v) END"

    return aggregate(
        name,
        (ANY, ANY, INT),
        lambda args: t.ArrayType(args[0].type, True) if len(args) == 3 else args[0].type,
        partial,
        combine,
        finish,
        optional=1,
        prepare=_ordered_by,
    )


def _ordered_by(name: str, binding: Binding, args: Args) -> Args:
    check_orderable(name, binding, args[1:2])
    if len(args) == 3:
        k = literal_value(name, 2, args[2])
        if not isinstance(k, int) or not 1 <= k <= 100_000:
            raise PlanError(
                f"The `k` of `{name}` must be between [1, 100000] (current value = {k}).",
                code="DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
            )
    return args


def _keep_nulls(name: str, binding: Binding, args: Args) -> Args:
    """`first(x, true)`: the second argument says to skip nulls; it stays as a constant."""
    if len(args) == 2 and not isinstance(literal_value(name, 1, args[1]), bool):
        raise unsupported(name, "a second argument that is not true or false")
    return args


def _partial_edge(call: AggCall, args: tuple[str, ...]) -> str:
    sql = "last" if call.function == "last" else "first"
    # DuckDB's own first and last make -0.0 of a struct 0.0.
    sign = f", s := signbit({args[0]})" if _is_floating(call) else ""
    value = f"{sql}(struct_pack(v := {args[0]}{sign}))"
    flag = call.args[1] if len(call.args) > 1 else None
    if call.ignore_nulls or (isinstance(flag, Const) and flag.value):
        return f"{value} FILTER (WHERE {args[0]} IS NOT NULL{AND_FILTER_HERE})"
    return f"{value}{FILTER_HERE}"


def _finish_edge(call: AggCall, state: str) -> str:
    value = f"struct_extract({state}, 'v')"
    if not _is_floating(call):
        return value
    return f"CASE WHEN {value} = 0 AND struct_extract({state}, 's') THEN -abs({value}) ELSE {value} END"


def _is_floating(call: AggCall) -> bool:
    return isinstance(call.args[0].type, t.FloatType | t.DoubleType)


def _edge(name: str, *aliases: str) -> Function:
    merged = "coalesce({b}, {a})" if name == "last" else "coalesce({a}, {b})"
    return aggregate(
        name,
        (ANY, BOOLEAN),
        type_of(0),
        _partial_edge,
        merged,
        _finish_edge,
        optional=1,
        prepare=_keep_nulls,
        aliases=aliases,
        nullable=True,
    )


def _list_type(args: Args) -> t.DataType:
    return t.ArrayType(args[0].type, False)


def _nullable_list_type(args: Args) -> t.DataType:
    return t.ArrayType(args[0].type, args[0].nullable)


def _no_maps(name: str, binding: Binding, args: Args) -> Args:
    if isinstance(args[0].type, t.MapType):
        raise PlanError(
            f"Cannot resolve {name}: its input cannot hold maps. Collect the map's entries instead.",
            code="DATATYPE_MISMATCH.UNSUPPORTED_INPUT_TYPE",
        )
    return args


def _joined_text(name: str, binding: Binding, args: Args) -> Args:
    """Texts, or bytes, with a constant delimiter of their type."""
    if len(args) > 1:
        literal_value(name, 1, args[1])
        delimiter = cast(args[1], args[0].type)
        if isinstance(delimiter, Const):
            return (args[0], delimiter)
        raise unsupported(name, "a delimiter of another type than what it joins")
    return (*args, Const(args[0].type, True, None))


def _partial_joined(call: AggCall, args: tuple[str, ...]) -> str:
    item = f"struct_pack(o := {SORT_KEY_HERE}, v := {args[0]})" if call.orders else args[0]
    distinct = "DISTINCT " if call.distinct else ""
    return f"list({distinct}{item}) FILTER (WHERE {args[0]} IS NOT NULL{AND_FILTER_HERE})"


def _finish_joined(call: AggCall, state: str) -> str:
    delimiter = call.args[1]
    assert isinstance(delimiter, Const)
    values = f"wt_in_order({state})" if call.orders else state
    if isinstance(call.type, t.BinaryType):
        between = "" if not delimiter.value else f" || unhex('{delimiter.value.hex()}')"
        return f"CASE WHEN len({state}) > 0 THEN list_reduce({values}, lambda x, y: x{between} || y) END"
    quoted = "" if delimiter.value is None else str(delimiter.value).replace("'", "''")
    return f"CASE WHEN len({state}) > 0 THEN array_to_string({values}, '{quoted}') END"


def _bits(name: str, sql: str, combine: str) -> Function:
    return aggregate(name, (INTEGRAL,), type_of(0), f"{sql}({{d}}{{0}}){{f}}", f"coalesce({combine}, {{a}}, {{b}})")


def _of_distinct(sql: str) -> Callable[[AggCall, tuple[str, ...]], str]:
    """The printer of a set: `{0}` of `sql` as it is told apart from others."""
    return lambda call, args: sql.format(key_of(args[0], call.args[0].type), f=FILTER_HERE, af=AND_FILTER_HERE)


def _partial_list(call: AggCall, args: tuple[str, ...]) -> str:
    item, distinct = (key_of(args[0], call.args[0].type), "DISTINCT ") if call.distinct else (args[0], "")
    return f"list({distinct}{item}) FILTER (WHERE {item} IS NOT NULL{AND_FILTER_HERE})"


_EMPTY = "coalesce({s}, [])"

FUNCTIONS: tuple[Function, ...] = (
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
        _partial_list,
        "list_concat({a}, {b})",
        _EMPTY,
        nullable=False,
        aliases=("array_agg",),
    ),
    aggregate(
        "collect_set",
        (ANY,),
        _list_type,
        _of_distinct("list(DISTINCT {0}) FILTER (WHERE {0} IS NOT NULL{af})"),
        "list_distinct(list_concat({a}, {b}))",
        _EMPTY,
        nullable=False,
        prepare=_no_maps,
    ),
    aggregate(
        f"collect_list{RESPECTING}",
        (ANY,),
        _nullable_list_type,
        "list({d}{0}){f}",
        "list_concat({a}, {b})",
        _EMPTY,
        nullable=False,
        aliases=(f"array_agg{RESPECTING}",),
    ),
    aggregate(
        f"collect_set{RESPECTING}",
        (ANY,),
        _nullable_list_type,
        _of_distinct("wt_array_distinct(list({0}){f})"),
        "wt_array_distinct(list_concat({a}, {b}))",
        _EMPTY,
        nullable=False,
        prepare=_no_maps,
    ),
    aggregate(
        "listagg",
        (STRING_OR_BINARY, ANY),
        type_of(0),
        _partial_joined,
        "list_concat({a}, {b})",
        _finish_joined,
        optional=1,
        prepare=_joined_text,
        aliases=("string_agg",),
        within_group="optional",
    ),
)
