"""Functions on text. Positions and lengths count code points, from 1, as in Spark."""

from __future__ import annotations

from dataclasses import replace

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Typed
from app.plan.coerce import cast
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import (
    ANY,
    INT,
    LONG,
    STRING,
    Args,
    Param,
    literal_value,
    only,
    scalar,
    wrong_count,
)

_TEXT = t.StringType()
_INT = t.IntegerType()
_BOOL = t.BooleanType()
_BYTES_OR_TEXT = Param(
    'STRING" or "BINARY',
    lambda s: s if isinstance(s, t.BinaryType) else (_TEXT if isinstance(s, t.AtomicType | t.NullType) else None),
)


def _integer(sql: str) -> str:
    return f"CAST({sql} AS INTEGER)"


def _print_trim(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    sql = {"trim": "trim", "btrim": "trim", "ltrim": "ltrim", "rtrim": "rtrim"}[call.function]
    if len(args) == 1:
        return f"{sql}({args[0]}, ' ')"
    # SQL's trim(characters, text); btrim(text, characters).
    text, characters = args if call.function == "btrim" else (args[1], args[0])
    return f"{sql}({text}, {characters})"


def _concat_args(name: str, binding: Binding, args: Args) -> Args:
    if args and all(isinstance(arg.type, t.BinaryType) for arg in args):
        return args
    if any(isinstance(arg.type, t.ArrayType) for arg in args):
        from app.plan.functions.signature import unified

        return unified()(name, binding, args)
    return tuple(cast(arg, _TEXT) for arg in args)


def _concat_type(args: Args) -> t.DataType:
    return args[0].type if args else _TEXT


def _print_concat(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    return f"({' || '.join(args)})" if args else "''"


def _ws_args(name: str, binding: Binding, args: Args) -> Args:
    if not args:
        raise wrong_count(name, "> 0", 0)
    return (args[0], *(arg if isinstance(arg.type, t.ArrayType) else cast(arg, _TEXT) for arg in args[1:]))


def _print_concat_ws(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    separator, parts = args[0], args[1:]
    if not parts:
        return f"CASE WHEN {separator} IS NOT NULL THEN '' END"
    if not any(isinstance(arg.type, t.ArrayType) for arg in call.args[1:]):
        return f"concat_ws({', '.join(args)})"
    join = "array_to_string" if isinstance(call.args[0], Const) else "wt_join"
    lists = []
    for arg, sql in zip(call.args[1:], parts, strict=True):
        lists.append(f"coalesce({sql}, [])" if isinstance(arg.type, t.ArrayType) else f"[{sql}]")
    joined = f"{join}({' || '.join(lists)}, {separator})"
    return f"CASE WHEN {separator} IS NOT NULL THEN coalesce({joined}, '') END"


_TEXT_OR_LIST = Param(
    'STRING" or "ARRAY<STRING>',
    lambda s: (
        (t.ArrayType(_TEXT) if isinstance(s.elementType, t.AtomicType | t.NullType) else None)
        if isinstance(s, t.ArrayType)
        else (_TEXT if isinstance(s, t.AtomicType | t.NullType) else None)
    ),
)


def _print_locate(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    if len(args) == 2:
        return _integer(f"instr({args[1]}, {args[0]})")
    return f"wt_locate({args[0]}, {args[1]}, {args[2]})"


def _print_hex(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    return f"hex({args[0]})"


def _elt_args(name: str, _: Binding, args: Args) -> Args:
    if len(args) < 2:
        raise wrong_count(name, "> 1", len(args))
    if all(isinstance(arg.type, t.BinaryType) for arg in args[1:]):
        return args
    return (args[0], *(cast(arg, _TEXT) for arg in args[1:]))


def _elt_type(args: Args) -> t.DataType:
    return args[1].type


def _print_elt(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    whens = " ".join(f"WHEN {i} THEN {value}" for i, value in enumerate(args[1:], 1))
    outside = (
        f"wt_fail('INVALID_ARRAY_INDEX', 'The index ' || {args[0]} || ' is out of bounds. The array has "
        f"{len(args) - 1} elements.')"
    )
    return f"CASE WHEN {args[0]} IS NOT NULL THEN CASE {args[0]} {whens} ELSE {outside} END END"


_MASKS = (("upperChar", "X"), ("lowerChar", "x"), ("digitChar", "n"), ("otherChar", None))


def _mask_args(name: str, _: Binding, args: Args) -> Args:
    kept = list(args[:1])
    for i, (shown, default) in enumerate(_MASKS, 1):
        sign = literal_value(name, i, args[i]) if i < len(args) else default
        if sign is not None and len(str(sign)) != 1:
            raise PlanError(
                f'Cannot resolve "{name}" due to data type mismatch: Length of {shown} should be 1. Give one letter.',
                code="DATATYPE_MISMATCH.INPUT_SIZE_NOT_ONE",
            )
        kept.append(Const(_TEXT, sign is None, sign))
    return tuple(kept)


def _print_mask(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    return f"wa_mask({', '.join(args)})"


def _never_null(args: tuple[Typed, ...]) -> bool:
    return args[0].nullable


FUNCTIONS: tuple[Function, ...] = (
    # Language and country change nothing: Java has other rules for Thai only, and its letters are refused.
    scalar(
        "sentences",
        (STRING, STRING, STRING),
        t.ArrayType(t.ArrayType(_TEXT, False), False),
        "wa_sentences({0})",
        optional=2,
        nullable=True,
    ),
    scalar("upper", (STRING,), _TEXT, "wt_upper({0})", aliases=("ucase",)),
    scalar("lower", (STRING,), _TEXT, "wt_lower({0})", aliases=("lcase",)),
    scalar(
        "length",
        (_BYTES_OR_TEXT,),
        _INT,
        lambda c, a: _length(c, a[0]),
        aliases=("char_length", "character_length", "len"),
    ),
    scalar("octet_length", (_BYTES_OR_TEXT,), _INT, lambda c, a: _bytes(c, a[0])),
    scalar("bit_length", (_BYTES_OR_TEXT,), _INT, lambda c, a: f"CAST(8 * {_bytes(c, a[0])} AS INTEGER)"),
    scalar("trim", (STRING, STRING), _TEXT, _print_trim, optional=1),
    scalar("ltrim", (STRING, STRING), _TEXT, _print_trim, optional=1),
    scalar("rtrim", (STRING, STRING), _TEXT, _print_trim, optional=1),
    scalar("btrim", (STRING, STRING), _TEXT, _print_trim, optional=1),
    scalar("substring_index", (STRING, STRING, INT), _TEXT, "wt_substring_index({0}, {1}, {2})"),
    scalar("concat", (), _concat_type, _print_concat, rest=ANY, prepare=_concat_args, aliases=("||",)),
    scalar("concat_ws", (STRING,), _TEXT, _print_concat_ws, rest=_TEXT_OR_LIST, prepare=_ws_args, nullable=_never_null),
    scalar("instr", (STRING, STRING), _INT, "CAST(instr({0}, {1}) AS INTEGER)"),
    scalar("locate", (STRING, STRING, INT), _INT, _print_locate, optional=1, aliases=("position", "charindex")),
    scalar("repeat", (STRING, INT), _TEXT, "repeat({0}, wt_count({1}))"),
    scalar("space", (INT,), _TEXT, "repeat(' ', wt_count({0}))"),
    scalar("translate", (STRING, STRING, STRING), _TEXT, "translate({0}, {1}, {2})"),
    scalar(
        "replace",
        (STRING, STRING, STRING),
        _TEXT,
        lambda c, a: f"replace({a[0]}, {a[1]}, {a[2] if len(a) > 2 else chr(39) * 2})",
        optional=1,
    ),
    scalar("initcap", (STRING,), _TEXT, "wt_initcap({0})"),
    scalar("ascii", (STRING,), _INT, "ascii({0})"),
    scalar("chr", (LONG,), _TEXT, "wt_chr({0})", aliases=("char",)),
    scalar(
        "levenshtein",
        (STRING, STRING, INT),
        _INT,
        lambda c, a: f"wt_levenshtein({', '.join(a)}{', 2147483647' if len(a) == 2 else ''})",
        optional=1,
    ),
    scalar("split_part", (STRING, STRING, INT), _TEXT, "wt_split_part({0}, {1}, {2})", nullable=True),
    scalar("find_in_set", (STRING, STRING), _INT, "wt_find_in_set({0}, {1})"),
    scalar("elt", (INT,), _elt_type, _print_elt, rest=_BYTES_OR_TEXT, prepare=_elt_args, nullable=True),
    scalar("soundex", (only(t.StringType, wants="STRING"),), _TEXT, "wa_soundex({0})"),
    replace(
        scalar("mask", (STRING,) * 5, _TEXT, _print_mask, optional=4, prepare=_mask_args, nullable=True),
        params=("str", "upperchar", "lowerchar", "digitchar", "otherchar"),
        defaults={"upperchar": "X", "lowerchar": "x", "digitchar": "n"},
    ),
    scalar("quote", (STRING,), _TEXT, "wt_quote({0})", nullable=True),
    scalar("luhn_check", (STRING,), _BOOL, "wt_luhn_check({0})", nullable=True),
    scalar("uuid", (), _TEXT, "CAST(uuid() AS VARCHAR)", deterministic=False, nullable=False),
)


def _bytes(call: Apply | AggCall, sql: str) -> str:
    is_text = isinstance(call.args[0].type, t.StringType)
    return _integer(f"strlen({sql})" if is_text else f"octet_length({sql})")


def _length(call: Apply | AggCall, sql: str) -> str:
    is_text = isinstance(call.args[0].type, t.StringType)
    return _integer(f"length({sql})" if is_text else f"octet_length({sql})")
