"""Numbers as text and text as numbers: by a format, by digits of a base, by words of a locale."""

from __future__ import annotations

import re

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Typed
from app.plan.coerce import cast, decimal_of
from app.plan.functions.entry import Binding, Function
from app.plan.functions.number_format import number_format
from app.plan.functions.signature import (
    INT,
    STRING,
    Args,
    Param,
    literal_value,
    scalar,
    unsupported,
    wrong_count,
    wrong_type,
)

_TEXT = t.StringType()
_NUMBER = Param("NUMERIC", lambda s: s if isinstance(s, t.NumericType | t.NullType) else None)
_DIGITS_OR_FORM = Param('INT" or "STRING', lambda s: _TEXT if isinstance(s, t.StringType) else INT.accept(s))
_PATTERN = re.compile(r"(?:(?P<commas>[#0]*(?:,[#0]{3}))|(?P<left>[#0]*))(?:(?P<point>\.)(?P<right>0*#*))?")
_BINARY_FORMS = ("base64", "hex", "utf-8")
_MOMENTS = (t.DateType, t.TimestampType, t.TimestampNTZType)


def _form_of(name: str, form: Typed) -> str | None:
    text = literal_value(name, 1, form)
    if text is not None:
        number_format(str(text))
    return None if text is None else str(text)


def _read(name: str, _: Binding, args: Args) -> Args:
    return (args[0], Const(_TEXT, False, _form_of(name, args[1])))


def _read_type(args: Args) -> t.DataType:
    form = args[1]
    assert isinstance(form, Const)
    if form.value is None:
        return t.DecimalType(38, 0)
    known = number_format(form.value)
    return t.DecimalType(known.precision, known.scale)


def _print_read(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    kind = call.type
    assert isinstance(kind, t.DecimalType)
    safe, form = str(call.function == "try_to_number").lower(), call.args[1]
    to = f"DECIMAL({kind.precision},{kind.scale})"
    ours = f"CAST(wa_to_number({args[0]}, {args[1]}, {safe}) AS {to})"
    known = number_format(form.value) if isinstance(form, Const) and form.value is not None else None
    if known is None or (pattern := known.plain()) is None:
        return ours
    negative = "<" if "<" in known.tokens else "-" if known.tokens[-1] in ("S", "M") else ""
    digits = args[0]
    for sign in (sign for sign in f",$+{negative}>" if sign in pattern and sign):
        digits = f"replace({digits}, '{sign}', '')"
    read = f"CAST({digits} AS {to})"
    if negative:
        read = f"CASE WHEN contains({args[0]}, '{negative}') THEN -{read} ELSE {read} END"
    return f"CASE WHEN regexp_full_match({args[0]}, '{pattern}') THEN {read} WHEN {args[0]} IS NOT NULL THEN {ours} END"


def _to_char(name: str, *aliases: str) -> Function:
    def bind(binding: Binding, args: Args) -> Apply:
        from app.plan.functions import lookup

        if len(args) != 2:
            raise wrong_count(name, "2", len(args))
        value, form = args
        if isinstance(value.type, _MOMENTS):
            return lookup("date_format").bind(binding, args)  # type: ignore[return-value]
        if isinstance(value.type, t.BinaryType):
            return _binary_text(binding, args)
        if not isinstance(value.type, t.NumericType | t.StringType | t.NullType):
            raise wrong_type(name, 0, "DECIMAL", value)
        number = cast(value, decimal_of(t.DecimalType(38, 18) if isinstance(value.type, t.StringType) else value.type))
        text = _form_of(name, form)
        return Apply(_TEXT, number.nullable or text is None, name, (number, Const(_TEXT, text is None, text)))

    return Function(
        name, "scalar", bind, lambda call, args: f"wa_to_char(CAST({args[0]} AS VARCHAR), {args[1]})", aliases
    )


def _binary_text(binding: Binding, args: Args) -> Apply:
    from app.plan.functions import lookup

    form = str(literal_value("to_char", 1, args[1])).lower()
    if form not in _BINARY_FORMS:
        raise PlanError(
            f"The value of parameter(s) `format` in `to_char` is invalid: expects one of binary formats 'base64', "
            f"'hex', 'utf-8', but got {form!r}.",
            code="INVALID_PARAMETER_VALUE.BINARY_FORMAT",
        )
    if form == "utf-8":
        return lookup("decode").bind(binding, (args[0], Const(_TEXT, False, "UTF-8")))  # type: ignore[return-value]
    return lookup(form).bind(binding, args[:1])  # type: ignore[return-value]


def _print_format(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    number, form = args[0], call.args[1]
    if not isinstance(form.type, t.StringType):
        if isinstance(form, Const) and isinstance(form.value, int) and form.value >= 0:
            return _formatted(call.args[0].type, number, True, form.value, form.value)
        return f"CASE WHEN {args[1]} >= 0 THEN wa_format_number({number}, 1, true, {args[1]}, wt_count({args[1]})) END"
    pattern = literal_value("format_number", 1, form)
    if pattern is None:
        return "CAST(NULL AS VARCHAR)"
    if pattern == "":
        return _formatted(call.args[0].type, number, True, 0, 0)
    shape = _PATTERN.fullmatch(str(pattern))
    if shape is None or re.search("0[#,]*#|#0*#$", (shape["commas"] or shape["left"] or "")[1:] and ""):
        raise unsupported("format_number", f"the pattern {pattern!r}; it knows #, 0, a comma for thousands and a point")
    left, right = shape["commas"] or shape["left"] or "", shape["right"] or ""
    least = max(left.count("0"), 1 if "0" not in left + right and left and shape["point"] else 0)
    zeros, commas = right.count("0"), "," in left
    if least == 1:
        return _formatted(call.args[0].type, number, commas, zeros, len(right))
    return f"wa_format_number({number}, {least}, {str(commas).lower()}, {zeros}, {len(right)})"


def _formatted(kind: t.DataType, number: str, commas: bool, least: int, most: int) -> str:
    """The number with `least` to `most` digits behind the point: by DuckDB where 15 digits hold it, and where Java
    rounds as DuckDB does. Decimals, which may lie in the middle between two, are rounded to even by our own."""
    comma = "," if commas else ""
    if isinstance(kind, t.IntegralType):
        return f"(format('{{:{comma}}}', {number}) || '{'.' * bool(least)}{'0' * least}')"
    ours = f"wa_format_number({number}, 1, {str(commas).lower()}, {least}, {most})"
    scale = kind.scale if isinstance(kind, t.DecimalType) else 0
    room = 15 - max(most, scale)
    if room <= 0:
        return ours
    plain = f"CAST({number} AS DOUBLE)"
    quick = f"abs({plain}) < 1e{room}"
    if scale > most:
        quick += f" AND abs(abs({plain}) * 1e{most} % 1 - 0.5) > 0.45e-{scale - most}"
    if isinstance(kind, t.FloatType | t.DoubleType):
        # The one below 0.001 that Java does not round up, but by its fast way of patterns like #,##0.### alone.
        quick += f" AND abs({plain}) <> CAST('5e-{most + 1}' AS DOUBLE)" * (most > 2)
    text = f"format('{{:{comma}.{most}f}}', {plain})"
    if most > least:
        point = rf"\.0{{{most}}}$|" if not least else ""
        text = f"regexp_replace({text}, '{point}0{{1,{most - least}}}$', '')"
    return f"CASE WHEN {quick} THEN {text} WHEN {number} IS NOT NULL THEN {ours} END"


FUNCTIONS: tuple[Function, ...] = (
    scalar("to_number", (STRING, STRING), _read_type, _print_read, prepare=_read),
    scalar("try_to_number", (STRING, STRING), _read_type, _print_read, prepare=_read, nullable=True),
    _to_char("to_char", "to_varchar"),
    scalar("format_number", (_NUMBER, _DIGITS_OR_FORM), _TEXT, _print_format, nullable=True),
    scalar("conv", (STRING, INT, INT), _TEXT, "wt_conv({0}, {1}, {2})", nullable=True),
)
