"""Text as binary and back: character sets, base64, hexadecimal digits, UTF-8; and digests of binary."""

from __future__ import annotations

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const
from app.plan.coerce import cast, common_type
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import (
    ANY,
    BINARY,
    INT,
    STRING,
    Args,
    Param,
    Printer,
    describe,
    different_types,
    literal_value,
    scalar,
)

_TEXT = t.StringType()
_BINARY = t.BinaryType()
_CHARSETS = ("UTF-8", "US-ASCII", "ISO-8859-1", "UTF-16", "UTF-16BE", "UTF-16LE", "UTF-32")
_TO_BINARY = {
    "hex": "wt_from_hex({}, {})", "base64": "wt_from_base64({}, {})", "utf-8": "encode({})", "utf8": "encode({})",
}  # fmt: skip
_OF_TEXT = Param(
    "STRING",
    lambda s: s if isinstance(s, t.BinaryType) else (_TEXT if isinstance(s, t.AtomicType | t.NullType) else None),
)


def _in_charset(name: str, call: Apply | AggCall, args: tuple[str, ...]) -> str:
    """`encode` or `decode`, by a function of its own where the character set is known now."""
    charset = call.args[1]
    known = str(charset.value).upper() if isinstance(charset, Const) else ""
    if (name, known) == ("encode", "UTF-8"):
        return f"encode({args[0]})"
    if known not in _CHARSETS:
        return f"wt_{name}({args[0]}, {args[1]})"
    whole = known in ("UTF-16BE", "UTF-16LE", "UTF-32") or (name, known) == ("decode", "UTF-16")
    prefix = "wa" if whole else "wt"
    return f"{prefix}_{name}_{known.lower().replace('-', '_')}({args[0]})"


def _print_encode(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    return _in_charset("encode", call, args)


def _decoded(name: str, binding: Binding, args: Args) -> Args:
    """`decode(bytes, charset)`, or `decode(x, search, result, …, default)` as in other databases."""
    if len(args) == 2:
        return (cast(args[0], _BINARY), cast(args[1], _TEXT))
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
        return _in_charset("decode", call, args)
    pairs = zip(args[1:-1:2], args[2::2], strict=False)
    whens = " ".join(f"WHEN {args[0]} IS NOT DISTINCT FROM {search} THEN {result}" for search, result in pairs)
    return f"CASE {whens}{f' ELSE {args[-1]}' if len(args) % 2 == 0 else ''} END"


def _binary_form(name: str, _: Binding, args: Args) -> Args:
    form = literal_value(name, 1, args[1]) if len(args) > 1 else "hex"
    if isinstance(form, str) and form.lower() not in _TO_BINARY and name == "to_binary":
        raise PlanError(
            f'Cannot resolve "{name}({describe(args[0])}, {form})" due to data type mismatch: the format has to be one '
            "of 'hex', 'utf-8', 'utf8' and 'base64', in any case.",
            code="DATATYPE_MISMATCH.INVALID_ARG_VALUE",
        )
    return (args[0], Const(_TEXT, form is None, form))


def _print_to_binary(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    form = call.args[1]
    assert isinstance(form, Const)
    known = _TO_BINARY.get(str(form.value).lower())
    if known is None:
        return "CAST(NULL AS BLOB)"
    return known.format(args[0], str(call.function == "try_to_binary").lower())


def _to_binary_null(args: Args) -> bool:
    """Base64 gives bytes or fails; the other forms may be null in Spark's eyes."""
    form = args[1].value if isinstance(args[1], Const) else None
    return args[0].nullable or not isinstance(form, str) or form.lower() != "base64"


def _print_sha2(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    bits = call.args[1]
    known = {0: "sha256({})", 256: "sha256({})", 224: "wa_sha224({})", 384: "wa_sha384({})", 512: "wa_sha512({})"}
    if isinstance(bits, Const):
        found = known.get(bits.value)
        return found.format(args[0]) if found else "CAST(NULL AS VARCHAR)"
    whens = " ".join(f"WHEN {size} THEN {sql.format(args[0])}" for size, sql in known.items())
    return f"CASE {args[1]} {whens} END"


def _print_checked(sql: str, for_text: str = "{0}") -> Printer:
    """Text is UTF-8 here always; binary may not be."""
    return lambda call, args: (sql if call.args[0].type == _BINARY else for_text).format(*args)


FUNCTIONS: tuple[Function, ...] = (
    scalar("base64", (BINARY,), _TEXT, "to_base64({0})"),
    scalar("unbase64", (STRING,), _BINARY, "wt_unbase64({0})"),
    scalar("encode", (STRING, STRING), _BINARY, _print_encode, nullable=True),
    scalar("decode", (ANY, ANY), _decoded_type, _print_decode, rest=ANY, prepare=_decoded, nullable=_decoded_null),
    scalar(
        "to_binary",
        (STRING, STRING),
        _BINARY,
        _print_to_binary,
        optional=1,
        prepare=_binary_form,
        nullable=_to_binary_null,
    ),
    scalar(
        "try_to_binary", (STRING, STRING), _BINARY, _print_to_binary, optional=1, prepare=_binary_form, nullable=True
    ),
    scalar(
        "is_valid_utf8",
        (_OF_TEXT,),
        t.BooleanType(),
        _print_checked("wt_is_utf8({0})", "CASE WHEN {0} IS NOT NULL THEN true END"),
        nullable=True,
    ),
    scalar("make_valid_utf8", (_OF_TEXT,), _TEXT, _print_checked("wt_repaired_utf8({0})"), nullable=True),
    scalar("validate_utf8", (_OF_TEXT,), _TEXT, _print_checked("wt_valid_utf8({0}, false)"), nullable=True),
    scalar("try_validate_utf8", (_OF_TEXT,), _TEXT, _print_checked("wt_valid_utf8({0}, true)"), nullable=True),
    scalar("md5", (BINARY,), _TEXT, "md5({0})"),
    scalar("sha1", (BINARY,), _TEXT, "sha1({0})", aliases=("sha",)),
    scalar("sha2", (BINARY, INT), _TEXT, _print_sha2, nullable=True),
    scalar("crc32", (BINARY,), t.LongType(), "wa_crc32({0})"),
)
