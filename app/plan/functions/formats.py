"""`format_string` and `printf`: Java's format directives, taken apart when the query is built."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Typed
from app.plan.coerce import cast
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import ANY, STRING, Args, literal_value, scalar, unsupported, wrong_type

_DIRECTIVE = re.compile(r"%(?:([0-9]+)\$)?([-#+ 0,(]*)([0-9]+)?(?:\.([0-9]+))?([a-zA-Z%])")
_LEAST = {"d": 0, "x": 0, "X": 0}


@dataclass(frozen=True, slots=True)
class _Piece:
    """Literal text, or (with `at`) what becomes of one argument."""

    text: str = ""
    at: int = -1
    flags: str = ""
    width: int = 0
    digits: int | None = None
    kind: str = ""


def _pieces(name: str, form: str) -> list[_Piece]:
    found: list[_Piece] = []
    end, following = 0, 0
    for match in _DIRECTIVE.finditer(form):
        found.append(_Piece(_plain(name, form[end : match.start()])))
        end = match.end()
        index, flags, width, digits, kind = match.groups()
        if kind in "%n" and not (flags or width or digits):
            found.append(_Piece("%" if kind == "%" else "\n"))
            continue
        if kind not in "sdfxX" or set(flags) - set("-0") or ("0" in flags and kind == "s"):
            raise unsupported(name, f"the directive {match[0]!r}; it knows %s, %d, %f, %x with width, - and 0")
        if not index:
            following += 1
        at = int(index) if index else following
        found.append(_Piece("", at, flags, int(width or 0), None if digits is None else int(digits), kind))
    found.append(_Piece(_plain(name, form[end:])))
    return found


def _plain(name: str, text: str) -> str:
    if "%" in text:
        raise unsupported(name, f"a lone % in {text!r}; write %%")
    return text


def _prepare(name: str, _: Binding, args: Args) -> Args:
    form = str(literal_value(name, 0, args[0]))
    kept: list[Typed] = list(args)
    for piece in _pieces(name, form):
        if piece.at >= len(args):
            raise PlanError(
                f"The format {form!r} of `{name}` wants {piece.at} values, but there are {len(args) - 1}. Give them.",
                code="WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
            )
        if piece.at > 0:
            kept[piece.at] = _argument(name, piece, args[piece.at])
    return tuple(kept)


def _argument(name: str, piece: _Piece, arg: Typed) -> Typed:
    if piece.kind == "s":
        if isinstance(arg.type, t.VariantType):
            return arg
        # Spark shows other types as Java holds them (a date as a number, an array as an address).
        if not isinstance(arg.type, t.StringType | t.NumericType | t.BooleanType | t.NullType):
            raise unsupported(name, f"%s of a value of type {arg.type.sql()}; cast it to STRING")
        if isinstance(arg.type, t.DecimalType) and arg.type.scale > 6:
            return arg
        return cast(arg, t.StringType())
    if isinstance(arg.type, t.NullType):
        return cast(arg, t.LongType() if piece.kind in _LEAST else t.DoubleType())
    wanted = (t.FloatType, t.DoubleType) if piece.kind == "f" else (t.IntegralType,)
    if not isinstance(arg.type, wanted):
        raise wrong_type(name, piece.at, "DOUBLE" if piece.kind == "f" else "BIGINT", arg)
    return arg


def _print(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    form = call.args[0]
    assert isinstance(form, Const)
    parts = []
    for piece in _pieces(call.function, str(form.value)):
        if piece.at > 0:
            parts.append(_shown(piece, args[piece.at], call.args[piece.at].type))
        elif piece.text:
            quoted = piece.text.replace("'", "''")
            parts.append(f"'{quoted}'")
    return f"({' || '.join(parts)})" if parts else "''"


def _shown(piece: _Piece, sql: str, kind: t.DataType) -> str:
    text = _text(piece, sql, kind)
    if "0" in piece.flags and piece.width:
        text = f"wt_zero_padded({text}, {piece.width})"
    # Java cuts the word, too, to the digits asked for.
    null = ("NULL" if piece.kind == "X" else "null")[: piece.digits]
    text = f"coalesce({text}, '{null}')"
    if piece.kind == "s" and piece.digits is not None:
        text = f"left({text}, {piece.digits})"
    if not piece.width:
        return text
    return f"wt_padded_{'right' if '-' in piece.flags else 'left'}({text}, {piece.width})"


def _text(piece: _Piece, sql: str, kind: t.DataType) -> str:
    if piece.kind == "s":
        if isinstance(kind, t.DecimalType):
            return f"wt_java_decimal({sql}, {kind.scale})"
        return f"wa_variant_json({sql}, 'UTC')" if isinstance(kind, t.VariantType) else sql
    if piece.kind == "d":
        return f"CAST({sql} AS VARCHAR)"
    if piece.kind in "xX":
        bits = {"byte": 2, "short": 4, "integer": 8}.get(kind.typeName(), 16)
        shown = f"right(to_hex(CAST({sql} AS BIGINT)), {bits})"
        return shown if piece.kind == "X" else f"lower({shown})"
    digits = 6 if piece.digits is None else piece.digits
    finite = f"CAST(CASE WHEN isfinite({sql}) THEN abs({sql}) END AS VARCHAR)"
    sign = f"CASE WHEN signbit({sql}) THEN '-' ELSE '' END"
    special = f"CASE WHEN isnan({sql}) THEN 'NaN' WHEN isinf({sql}) THEN {sign} || 'Infinity' END"
    return f"coalesce({special}, {sign} || CAST(CAST({finite} AS DECIMAL(38,{digits})) AS VARCHAR))"


FUNCTIONS: tuple[Function, ...] = (
    scalar(
        "format_string",
        (STRING,),
        t.StringType(),
        _print,
        rest=ANY,
        prepare=_prepare,
        nullable=lambda args: args[0].nullable,
        aliases=("printf",),
    ),
)
