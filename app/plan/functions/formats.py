"""`format_string` and `printf`: Java's format directives, taken apart when the query is built."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Typed
from app.plan.coerce import cast
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import ANY, STRING, Args, literal_value, scalar, unsupported
from app.plan.functions.variants import print_json

_DIRECTIVE = re.compile(r"%(?:([0-9]+)\$|(<))?([-#+ 0,(]*)([0-9]+)?(?:\.([0-9]+))?([a-zA-Z%])")
_KINDS = "sSdfxXoeEgGbBcC"
_FLAGS = {
    "s": "-", "b": "-", "c": "-", "d": "-+ 0,(", "x": "-#0", "o": "-#0", "f": "-+ 0,(#", "e": "-+ 0(#", "g": "-+ 0,(",
}  # fmt: skip
"""Which flags go with which directive."""
_QUICK = "-0"
_MOST_DIGITS = 11
"""So many digits behind the point, and in all, are within what a double holds, with some to spare."""
_TIMES = (t.DateType, t.TimestampType, t.TimestampNTZType, t.DayTimeIntervalType, t.YearMonthIntervalType)


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
    end, following, last = 0, 0, 0
    for match in _DIRECTIVE.finditer(form):
        found.append(_Piece(_plain(name, form[end : match.start()])))
        end = match.end()
        index, again, flags, width, digits, kind = match.groups()
        if kind == "n" and not (flags or width or digits):
            found.append(_Piece("\n"))
            continue
        if kind == "%" and digits is None and not set(flags) - {"-"}:
            found.append(_Piece("%".ljust(int(width or 0)) if flags else "%".rjust(int(width or 0))))
            continue
        if kind not in _KINDS:
            raise unsupported(name, f"the directive {match[0]!r}; it knows {', '.join('%' + k for k in _KINDS)}")
        _check(name, match[0], kind.lower(), flags, width, digits)
        if again and not last:
            raise _illegal(name, match[0], "has nothing before it to show again")
        if not index and not again:
            following += 1
        last = int(index) if index else last if again else following
        found.append(_Piece("", last, flags, int(width or 0), None if digits is None else int(digits), kind))
    found.append(_Piece(_plain(name, form[end:])))
    return found


def _check(name: str, directive: str, kind: str, flags: str, width: str | None, digits: str | None) -> None:
    """Raises: PlanError for what Java's Formatter refuses."""
    if others := set(flags) - set(_FLAGS[kind]):
        raise _illegal(name, directive, f"may not have {', '.join(map(repr, sorted(others)))}")
    if len(set(flags)) < len(flags) or {"+", " "} <= set(flags) or {"-", "0"} <= set(flags):
        raise _illegal(name, directive, "has flags that exclude each other")
    if set(flags) & {"-", "0"} and not width:
        raise _illegal(name, directive, "has no width")
    if kind in "dxoc" and digits is not None:
        raise _illegal(name, directive, "may not have a precision")
    if kind in "fe" and "#" in flags:
        raise unsupported(name, f"the directive {directive!r}: no # with %f and %e")


def _illegal(name: str, directive: str, why: str) -> PlanError:
    return PlanError(
        f"The directive {directive!r} of `{name}` {why} (Java: IllegalFormatException).", code="ILLEGAL_FORMAT"
    )


def _plain(name: str, text: str) -> str:
    if "%" in text:
        raise _illegal(name, text, "is no directive; write %% for a percent sign")
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
    kind = arg.type
    if piece.kind not in "sS":
        return cast(arg, t.LongType()) if isinstance(kind, t.NullType) else arg
    if isinstance(kind, (t.VariantType, *_TIMES)) or (isinstance(kind, t.DecimalType) and kind.scale > 6):
        return arg
    # Of arrays and bytes Spark shows what Java holds them in.
    if not isinstance(kind, t.StringType | t.NumericType | t.BooleanType | t.NullType):
        raise unsupported(name, f"%s of a value of type {kind.sql()}; cast it to STRING")
    return cast(arg, t.StringType())


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
    wanted = _wanted(piece.kind.lower())
    if isinstance(kind, _TIMES):
        sql, kind = _number(sql, kind)
    if not isinstance(kind, wanted):
        wrong = f"'%{piece.kind} cannot show a value of type {kind.sql()}.'"
        text = f"CASE WHEN {sql} IS NOT NULL THEN CAST(wt_fail('ILLEGAL_FORMAT', {wrong}) AS VARCHAR) END"
        return _padded(piece, text)
    if piece.kind in "bB":
        text = f"coalesce(CAST({sql if isinstance(kind, t.BooleanType) else f'{sql} IS NOT NULL'} AS VARCHAR), 'false')"
        return _padded(piece, text)
    if piece.kind not in "sSdfxX" or set(piece.flags) - set(_QUICK):
        ours = f"wa_format('{_written(piece)}', {_widened(piece, sql, kind)})"
        return _padded(piece, _by_duckdb(piece, _widened(piece, sql, kind), ours) or ours)
    text = _text(piece, sql, kind)
    if "0" in piece.flags:
        text = f"wt_zero_padded({text}, {piece.width})"
    return _padded(piece, text)


def _by_duckdb(piece: _Piece, number: str, ours: str) -> str | None:
    """The text of a number as DuckDB writes it, where that is Java's, else `ours`; None if it never may be.

    Java rounds the shortest digits that name a double, half up, DuckDB what the double is: they differ only where those
    digits end in the middle between two, and where so few digits name a double that it is far from them.
    """
    flags, digits = set(piece.flags), 6 if piece.digits is None else piece.digits
    if piece.kind not in "dfeE" or flags - set("-+ ,"):
        return None
    comma, sign = "," if "," in flags else "", "+" if "+" in flags else " " if " " in flags else ""
    if piece.kind == "d":
        shown = f"format('{{:{comma}}}', {number})"
        return f"(CASE WHEN {number} < 0 THEN '' ELSE '{sign}' END || {shown})" if sign else shown
    if digits > _MOST_DIGITS:
        return None
    if piece.kind == "f":
        shown = f"format('{{:{comma}.{digits}f}}', {number})"
        scaled = f"abs({number}) * 1e{digits}"
        plain = f"{scaled} < 1e{_MOST_DIGITS} AND abs({scaled} % 1 - 0.5) > 1e-3"
    else:
        shown = f"format('{{:.{digits}e}}', {number})"
        longer = f"format('{{:.{digits + 1}e}}', {number})"
        plain = f"isfinite({number}) AND ({number} = 0 OR abs({number}) > 1e-290) "
        plain += f"AND NOT (contains({longer}, '5e') AND CAST({longer} AS DOUBLE) = {number})"
        shown = f"upper({shown})" if piece.kind == "E" else shown
    if sign:
        shown = f"(CASE WHEN signbit({number}) THEN '' ELSE '{sign}' END || {shown})"
    return f"CASE WHEN {plain} THEN {shown} ELSE {ours} END"


def _wanted(kind: str) -> type | tuple[type, ...]:
    if kind in "dxoc":
        return t.IntegralType
    return (t.FloatType, t.DoubleType) if kind in "feg" else t.DataType


def _number(sql: str, kind: t.DataType) -> tuple[str, t.DataType]:
    """Dates, timestamps and intervals are numbers to Spark here."""
    if isinstance(kind, t.DateType):
        return f"CAST({sql} - DATE '1970-01-01' AS INTEGER)", t.IntegerType()
    if isinstance(kind, t.YearMonthIntervalType):
        return sql, t.IntegerType()
    return f"epoch_us({sql})", t.LongType()


def _written(piece: _Piece) -> str:
    width = str(piece.width) if piece.width else ""
    return f"{piece.flags}{width}{'' if piece.digits is None else f'.{piece.digits}'}{piece.kind}"


def _widened(piece: _Piece, sql: str, kind: t.DataType) -> str:
    """Whole numbers in other bases are as many bits as their type has, without a sign."""
    if piece.kind in "xXo":
        bits = {"byte": 8, "short": 16, "integer": 32}.get(kind.typeName(), 64)
        return f"CAST(({sql} + CAST({1 << bits} AS HUGEINT)) % CAST({1 << bits} AS HUGEINT) AS UBIGINT)"
    return f"CAST({sql} AS DOUBLE)" if piece.kind in "feEgG" else f"CAST({sql} AS BIGINT)"


def _padded(piece: _Piece, text: str) -> str:
    # Java cuts the word for null, too, to the digits asked for.
    null = ("NULL" if piece.kind.isupper() else "null")[: piece.digits]
    text = f"coalesce({text}, '{null}')"
    if piece.kind in "sSbB" and piece.digits is not None:
        text = f"left({text}, {piece.digits})"
    if piece.kind in "SB":
        text = f"upper({text})"
    if not piece.width:
        return text
    return f"wt_padded_{'right' if '-' in piece.flags else 'left'}({text}, {piece.width})"


def _text(piece: _Piece, sql: str, kind: t.DataType) -> str:
    if piece.kind in "sS":
        if isinstance(kind, t.DecimalType):
            return f"wt_java_decimal({sql}, {kind.scale})"
        return print_json(sql, "UTC") if isinstance(kind, t.VariantType) else f"CAST({sql} AS VARCHAR)"
    if piece.kind == "d":
        return f"CAST({sql} AS VARCHAR)"
    if piece.kind in "xX":
        bits = {"byte": 2, "short": 4, "integer": 8}.get(kind.typeName(), 16)
        shown = f"right(to_hex(CAST({sql} AS BIGINT)), {bits})"
        return shown if piece.kind == "X" else f"lower({shown})"
    digits = 6 if piece.digits is None else piece.digits
    if isinstance(kind, t.FloatType):
        sql = f"CAST({sql} AS DOUBLE)"
    finite = f"CAST(CASE WHEN isfinite({sql}) THEN abs({sql}) END AS VARCHAR)"
    sign = f"CASE WHEN signbit({sql}) THEN '-' ELSE '' END"
    special = f"CASE WHEN isnan({sql}) THEN 'NaN' WHEN isinf({sql}) THEN {sign} || 'Infinity' END"
    if digits > 37:
        return f"wa_format('.{digits}f', CAST({sql} AS DOUBLE))"
    exact = f"coalesce({special}, {sign} || CAST(CAST({finite} AS DECIMAL(38,{digits})) AS VARCHAR))"
    large = f"isfinite({sql}) AND abs({sql}) >= 1e{37 - digits}"
    return f"CASE WHEN {large} THEN wa_format('.{digits}f', CAST({sql} AS DOUBLE)) ELSE {exact} END"


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
