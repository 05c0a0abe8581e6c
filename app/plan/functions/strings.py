"""Functions on text. Positions and lengths count code points, from 1, as in Spark."""

from __future__ import annotations

from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Typed
from app.plan.coerce import cast, common_type
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import (
    ANY,
    BINARY,
    INT,
    LONG,
    STRING,
    Args,
    Param,
    different_types,
    literal_value,
    scalar,
    unsupported,
    wrong_count,
)

_TEXT = t.StringType()
_INT = t.IntegerType()
_BOOL = t.BooleanType()
# Where Spark works on bytes if it is given bytes, and this engine does not.
CHARS = Param("STRING", lambda s: _TEXT if isinstance(s, t.AtomicType | t.NullType) and s != t.BinaryType() else None)
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


def _print_substring(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    start = call.args[1]
    length = args[2] if len(args) > 2 else "2147483647"
    if isinstance(start, Const) and isinstance(start.value, int) and start.value > 0:
        return f"substring({args[0]}, {args[1]}, wt_count({length}))"
    return f"wt_substring({args[0]}, CAST({args[1]} AS BIGINT), CAST({length} AS BIGINT))"


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


def _print_pad(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    pad = args[2] if len(args) > 2 else "' '"
    constant = call.args[2] if len(call.args) > 2 else None
    if len(call.args) == 2 or (isinstance(constant, Const) and constant.value):
        return f"{call.function}({args[0]}, {args[1]}, {pad})"
    padded = f"{call.function}({args[0]}, {args[1]}, {pad})"
    return f"CASE WHEN {pad} = '' THEN left({args[0]}, wt_count({args[1]})) ELSE {padded} END"


def _print_locate(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    if len(args) == 2:
        return _integer(f"instr({args[1]}, {args[0]})")
    return f"wt_locate({args[0]}, {args[1]}, {args[2]})"


def _print_hex(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    return f"hex({args[0]})"


def _sha2_bits(name: str, _: Binding, args: Args) -> Args:
    bits = literal_value(name, 1, args[1])
    if bits not in (0, 256):
        raise unsupported(name, f"{bits} bits; use 256")
    return args


def _decoded(name: str, binding: Binding, args: Args) -> Args:
    """`decode(bytes, charset)`, or `decode(x, search, result, …, default)` as in other databases."""
    if len(args) == 2:
        return _utf8(name, binding, (cast(args[0], t.BinaryType()), args[1]))
    searched, results = (
        common_type(a.type for a in (args[0], *args[1:-1:2])),
        common_type(a.type for a in (*args[2::2], *args[len(args) - 1 + len(args) % 2 :])),
    )
    if searched is None or results is None:
        raise different_types(name, args)
    is_result = [i and (i % 2 == 0 or i == len(args) - 1) for i in range(len(args))]
    return tuple(cast(arg, results if out else searched) for arg, out in zip(args, is_result, strict=True))


def _decoded_type(args: Args) -> t.DataType:
    return _TEXT if len(args) == 2 else args[2].type


def _decoded_null(args: Args) -> bool:
    return len(args) % 2 == 1 or len(args) == 2 or any(arg.nullable for arg in (*args[2::2], args[-1]))


def _print_decode(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    if len(args) == 2:
        return f"decode({args[0]})"
    pairs = zip(args[1:-1:2], args[2::2], strict=False)
    whens = " ".join(f"WHEN {args[0]} IS NOT DISTINCT FROM {search} THEN {result}" for search, result in pairs)
    return f"CASE {whens}{f' ELSE {args[-1]}' if len(args) % 2 == 0 else ''} END"


def _utf8(name: str, _: Binding, args: Args) -> Args:
    charset = str(literal_value(name, 1, args[1])).upper()
    if charset not in ("UTF-8", "UTF8"):
        raise unsupported(name, f"the charset {charset}; use 'UTF-8'")
    return args


def _print_contains(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    sql = {"contains": "contains", "startswith": "starts_with", "endswith": "ends_with"}[call.function]
    return f"{sql}({args[0]}, {args[1]})"


def _print_overlay(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    text, replacement, position = args[:3]
    length = args[3] if len(args) > 3 else "-1"
    return f"wt_overlay({text}, {replacement}, CAST({position} AS BIGINT), CAST({length} AS BIGINT))"


def _never_null(args: tuple[Typed, ...]) -> bool:
    return args[0].nullable


FUNCTIONS: tuple[Function, ...] = (
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
    scalar("trim", (CHARS, CHARS), _TEXT, _print_trim, optional=1),
    scalar("ltrim", (CHARS, CHARS), _TEXT, _print_trim, optional=1),
    scalar("rtrim", (CHARS, CHARS), _TEXT, _print_trim, optional=1),
    scalar("btrim", (CHARS, CHARS), _TEXT, _print_trim, optional=1),
    scalar("substring", (CHARS, INT, INT), _TEXT, _print_substring, optional=1, aliases=("substr", "mid")),
    scalar("substring_index", (STRING, STRING, INT), _TEXT, "wt_substring_index({0}, {1}, {2})"),
    scalar("left", (CHARS, INT), _TEXT, "left({0}, wt_count({1}))"),
    scalar("right", (CHARS, INT), _TEXT, "right({0}, wt_count({1}))", nullable=True),
    scalar("concat", (), _concat_type, _print_concat, rest=ANY, prepare=_concat_args, aliases=("||",)),
    scalar("concat_ws", (STRING,), _TEXT, _print_concat_ws, rest=_TEXT_OR_LIST, prepare=_ws_args, nullable=_never_null),
    scalar("instr", (STRING, STRING), _INT, "CAST(instr({0}, {1}) AS INTEGER)"),
    scalar("locate", (STRING, STRING, INT), _INT, _print_locate, optional=1, aliases=("position", "charindex")),
    scalar("lpad", (CHARS, INT, CHARS), _TEXT, _print_pad, optional=1),
    scalar("rpad", (CHARS, INT, CHARS), _TEXT, _print_pad, optional=1),
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
    scalar("base64", (BINARY,), _TEXT, "to_base64({0})"),
    scalar("unbase64", (STRING,), t.BinaryType(), "from_base64({0})"),
    scalar("md5", (BINARY,), _TEXT, "md5({0})"),
    scalar("sha1", (BINARY,), _TEXT, "sha1({0})", aliases=("sha",)),
    scalar("sha2", (BINARY, INT), _TEXT, "sha256({0})", prepare=_sha2_bits, nullable=True),
    scalar("encode", (STRING, STRING), t.BinaryType(), "encode({0})", prepare=_utf8, nullable=True),
    scalar("decode", (ANY, ANY), _decoded_type, _print_decode, rest=ANY, prepare=_decoded, nullable=_decoded_null),
    scalar(
        "levenshtein",
        (STRING, STRING, INT),
        _INT,
        lambda c, a: f"wt_levenshtein({', '.join(a)}{', 2147483647' if len(a) == 2 else ''})",
        optional=1,
    ),
    scalar("overlay", (CHARS, CHARS, INT, INT), _TEXT, _print_overlay, optional=1),
    scalar("split_part", (STRING, STRING, INT), _TEXT, "wt_split_part({0}, {1}, {2})", nullable=True),
    scalar("find_in_set", (STRING, STRING), _INT, "wt_find_in_set({0}, {1})"),
    scalar("contains", (CHARS, CHARS), _BOOL, _print_contains),
    scalar("startswith", (CHARS, CHARS), _BOOL, _print_contains),
    scalar("endswith", (CHARS, CHARS), _BOOL, _print_contains),
    scalar("url_encode", (STRING,), _TEXT, "wt_url_encode({0})", nullable=True),
    scalar("uuid", (), _TEXT, "CAST(uuid() AS VARCHAR)", deterministic=False, nullable=False),
)


def _bytes(call: Apply | AggCall, sql: str) -> str:
    is_text = isinstance(call.args[0].type, t.StringType)
    return _integer(f"strlen({sql})" if is_text else f"octet_length({sql})")


def _length(call: Apply | AggCall, sql: str) -> str:
    is_text = isinstance(call.args[0].type, t.StringType)
    return _integer(f"length({sql})" if is_text else f"octet_length({sql})")
