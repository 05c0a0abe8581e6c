"""Choosing among values: nulls, conditions, extremes of a row; and what says something about a value."""

from __future__ import annotations

from dataclasses import replace

from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Ref
from app.plan.coerce import cast, common_type, least_common_type
from app.plan.functions.entry import Binding, Function
from app.plan.functions.ordering import is_complex, order_key
from app.plan.functions.signature import (
    ANY,
    BOOLEAN,
    STRING,
    Args,
    Param,
    check_orderable,
    different_types,
    scalar,
    type_of,
    unified,
    wrong_count,
)

_BOOL = t.BooleanType()
_ZERO = Const(t.IntegerType(), False, 0)
_FLOAT = Param(
    'DOUBLE" or "FLOAT',
    lambda s: s if isinstance(s, t.FloatType | t.DoubleType) else _double(s),
)


_CONDITION = Param("BOOLEAN", lambda s: t.BooleanType() if isinstance(s, t.BooleanType | t.NullType) else None)
"""Texts are no conditions, though other parameters of the type take them."""


def _double(source: t.DataType) -> t.DataType | None:
    return t.DoubleType() if isinstance(source, t.NumericType | t.StringType | t.NullType) else None


def _all_null(args: Args) -> bool:
    return all(arg.nullable for arg in args)


def _extreme(name: str, binding: Binding, args: Args) -> Args:
    if len(args) < 2:
        raise wrong_count(name, "> 1", len(args))
    return check_orderable(name, binding, unified(texts=False)(name, binding, args))


def _print_extreme(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    kind = call.args[0].type
    if isinstance(kind, t.DayTimeIntervalType):
        # DuckDB compares days before all smaller units here, and a column may count its days in those.
        args = tuple(f"wt_interval(epoch_us({arg}))" for arg in args)
    if isinstance(kind, t.FloatType):
        # Only of doubles DuckDB keeps the sign of a zero.
        doubles = ", ".join(f"CAST({arg} AS DOUBLE)" for arg in args)
        return f"CAST({call.function}({doubles}) AS FLOAT)"
    if not is_complex(kind):
        return f"{call.function}({', '.join(args)})"
    # DuckDB puts nulls inside values last, Spark first; and Spark passes over values that are null.
    operator = ">" if call.function == "greatest" else "<"
    better = f"{order_key('y', kind)} {operator} {order_key('x', kind)}"
    there = f"list_filter([{', '.join(args)}], lambda x: x IS NOT NULL)"
    return (
        f"CASE WHEN len({there}) > 0 THEN list_reduce({there}, lambda x, y: CASE WHEN {better} THEN y ELSE x END) END"
    )


def _nullif(name: str, binding: Binding, args: Args) -> Args:
    kind = least_common_type(args[0].type, args[1].type)
    if kind is None:
        raise different_types(name, args)
    return (args[0], *check_orderable(name, binding, (cast(args[0], kind), cast(args[1], kind))))


def _print_if(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    return f"CASE WHEN {args[0]} THEN {args[1]} ELSE {args[2]} END"


def _branches_null(args: Args) -> bool:
    return any(arg.nullable for arg in args[1:])


def _nan_arg(name: str, binding: Binding, args: Args) -> Args:
    kind = common_type(arg.type for arg in args)
    assert kind is not None
    return tuple(cast(arg, kind) for arg in args)


def _type_text(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    return f"'{call.args[0].type.simpleString()}'"


def _print_assert(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    message = args[1] if len(args) > 1 else "'The condition is not true!'"
    return f"CASE WHEN {args[0]} THEN NULL ELSE wt_fail('USER_RAISED_EXCEPTION', {message}) END"


def _zero_if_null(binding: Binding, args: Args) -> Apply:
    """`coalesce(x, 0)`, as Spark defines it."""
    from app.plan.functions import lookup

    if len(args) != 1:
        raise wrong_count("zeroifnull", "1", len(args))
    return lookup("coalesce").bind(binding, (args[0], _ZERO))  # type: ignore[return-value]


def _null_if_zero(binding: Binding, args: Args) -> Apply:
    """`if(x = 0, NULL, x)`, as Spark defines it."""
    from app.plan.functions import lookup

    if len(args) != 1:
        raise wrong_count("nullifzero", "1", len(args))
    is_zero = lookup("==").bind(binding, (args[0], _ZERO))
    return lookup("if").bind(binding, (is_zero, Const(t.NullType(), True, None), args[0]))  # type: ignore[return-value]


def _defined(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    raise AssertionError(f"{call.function} is another function when it is bound")


def _print_first(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    """The first that is not null. A column before what is computed stands in a CASE: out of coalesce() DuckDB takes
    what occurs more than once in the rest, and computes it for every row."""
    plain = [isinstance(arg, Ref | Const) for arg in call.args]
    if plain[0] and not all(plain):
        rest = _print_first(replace(call, args=call.args[1:]), args[1:])
        return f"CASE WHEN {args[0]} IS NOT NULL THEN {args[0]} ELSE {rest} END"
    return f"coalesce({', '.join(args)})"


FUNCTIONS: tuple[Function, ...] = (
    scalar("coalesce", (ANY,), type_of(0), _print_first, rest=ANY, prepare=unified(), nullable=_all_null),
    scalar("nvl", (ANY, ANY), type_of(0), _print_first, prepare=unified(), nullable=_all_null, aliases=("ifnull",)),
    scalar(
        "nvl2",
        (ANY, ANY, ANY),
        type_of(1),
        "CASE WHEN {0} IS NOT NULL THEN {1} ELSE {2} END",
        prepare=unified(1),
        nullable=_branches_null,
    ),
    scalar(
        "nullif", (ANY, ANY), type_of(0), "CASE WHEN {1} = {2} THEN NULL ELSE {0} END", prepare=_nullif, nullable=True
    ),
    scalar("nanvl", (_FLOAT, _FLOAT), type_of(0), "CASE WHEN isnan({0}) THEN {1} ELSE {0} END", prepare=_nan_arg),
    scalar(
        "if",
        (_CONDITION, ANY, ANY),
        type_of(1),
        _print_if,
        prepare=unified(1),
        nullable=_branches_null,
        aliases=("iff",),
    ),
    scalar("isnan", (_FLOAT,), _BOOL, "coalesce(isnan({0}), false)", nullable=False),
    scalar("greatest", (), type_of(0), _print_extreme, rest=ANY, prepare=_extreme, nullable=_all_null),
    scalar("least", (), type_of(0), _print_extreme, rest=ANY, prepare=_extreme, nullable=_all_null),
    Function("nullifzero", "scalar", _null_if_zero, _defined),
    Function("zeroifnull", "scalar", _zero_if_null, _defined),
    scalar("typeof", (ANY,), t.StringType(), _type_text, nullable=False),
    scalar("assert_true", (BOOLEAN, STRING), t.NullType(), _print_assert, optional=1, nullable=True),
    scalar("raise_error", (STRING,), t.NullType(), "wt_fail('USER_RAISED_EXCEPTION', {0})", nullable=True),
)
