"""Parts of text or binary: positions count code points of text, bytes of binary.

DuckDB cuts no binary: its hexadecimal digits are cut instead, two for a byte.
"""

from __future__ import annotations

from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const
from app.plan.coerce import cast
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import (
    INT,
    STRING,
    STRING_OR_BINARY,
    TOO_LONG,
    Args,
    different_types,
    once,
    scalar,
    type_of,
)

_BINARY = t.BinaryType()
_NAMES = {"contains": "contains", "startswith": "starts_with", "endswith": "ends_with"}


def _is_binary(call: Apply | AggCall) -> bool:
    return call.args[0].type == _BINARY


def _doubled(sql: str) -> str:
    return f"(2 * CAST({sql} AS BIGINT))"


def _print_substring(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    start = call.args[1]
    length = args[2] if len(args) > 2 else "2147483647"
    if _is_binary(call):
        first = f"({_doubled(args[1])} - CASE WHEN {args[1]} > 0 THEN 1 ELSE 0 END)"
        return f"from_hex(wt_substring(to_hex({args[0]}), {first}, {_doubled(length)}))"
    if isinstance(start, Const) and isinstance(start.value, int) and start.value > 0:
        return f"substring({args[0]}, {args[1]}, wt_count({length}))"
    return f"wt_substring({args[0]}, CAST({args[1]} AS BIGINT), CAST({length} AS BIGINT))"


def _print_left(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    if _is_binary(call):
        return f"from_hex(left(to_hex({args[0]}), wt_count({_doubled(args[1])})))"
    return f"left({args[0]}, wt_count({args[1]}))"


def _pad_args(name: str, _: Binding, args: Args) -> Args:
    """Binary is filled with binary, by zeros if nothing is said; anything else with text."""
    if len(args) == 2:
        return (*args, Const(_BINARY, False, b"\0") if args[0].type == _BINARY else Const(t.StringType(), False, " "))
    if {args[0].type, args[2].type} == {_BINARY}:
        return args
    return (cast(args[0], t.StringType()), args[1], cast(args[2], t.StringType()))


def _print_pad(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    text, count, pad = args
    if _is_binary(call):
        text, count, pad = f"to_hex({text})", _doubled(count), f"to_hex({pad})"
    padded = f"{call.function}({text}, CAST({count} AS INTEGER), {pad})"
    constant = call.args[2]
    if not (isinstance(constant, Const) and constant.value):
        padded = f"CASE WHEN {pad} = '' THEN left({text}, wt_count({count})) ELSE {padded} END"
    return f"from_hex({padded})" if _is_binary(call) else padded


def _overlay_args(name: str, _: Binding, args: Args) -> Args:
    if args[0].type != args[1].type:
        raise different_types(name, args[:2])
    return args


def _print_overlay(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    text, replacement, position = args[:3]
    length = args[3] if len(args) > 3 else "-1"
    if _is_binary(call):
        length = f"CASE WHEN {length} >= 0 THEN {length} ELSE octet_length({replacement}) END"
        before = f"left(to_hex({text}), wt_count({_doubled(position)} - 2))"
        after = f"substring(to_hex({text}), greatest({_doubled(position)} + {_doubled(length)} - 1, 1))"
        return f"from_hex({before} || to_hex({replacement}) || {after})"
    laid = f"{replacement}, CAST({position} AS BIGINT), CAST({length} AS BIGINT))"
    if len(text) >= TOO_LONG:
        return once(text, "under", f"wt_overlay(under, {laid}")
    return f"wt_overlay({text}, {laid}"


def _searched(name: str, _: Binding, args: Args) -> Args:
    if {arg.type for arg in args} == {_BINARY}:
        return args
    return tuple(cast(arg, t.StringType()) for arg in args)


def _print_search(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    if not _is_binary(call):
        return f"{_NAMES[call.function]}({args[0]}, {args[1]})"
    if call.function == "contains":
        return f"wt_contains({args[0]}, {args[1]})"
    return f"{_NAMES[call.function]}(to_hex({args[0]}), to_hex({args[1]}))"


def _search_null(args: Args) -> bool:
    return args[0].type == _BINARY or any(arg.nullable for arg in args)


def _search(name: str) -> Function:
    params = (STRING_OR_BINARY, STRING_OR_BINARY)
    return scalar(name, params, t.BooleanType(), _print_search, prepare=_searched, nullable=_search_null)


FUNCTIONS: tuple[Function, ...] = (
    scalar(
        "substring",
        (STRING_OR_BINARY, INT, INT),
        type_of(0),
        _print_substring,
        optional=1,
        aliases=("substr",),
    ),
    scalar("left", (STRING_OR_BINARY, INT), type_of(0), _print_left),
    scalar("right", (STRING, INT), t.StringType(), "right({0}, wt_count({1}))", nullable=True),
    scalar("lpad", (STRING_OR_BINARY, INT, STRING_OR_BINARY), type_of(0), _print_pad, optional=1, prepare=_pad_args),
    scalar("rpad", (STRING_OR_BINARY, INT, STRING_OR_BINARY), type_of(0), _print_pad, optional=1, prepare=_pad_args),
    scalar(
        "overlay",
        (STRING_OR_BINARY, STRING_OR_BINARY, INT, INT),
        type_of(0),
        _print_overlay,
        optional=1,
        prepare=_overlay_args,
    ),
    _search("contains"),
    _search("startswith"),
    _search("endswith"),
)
