"""`schema_of_json`: the type of a constant JSON text, found when the query is built."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import Apply, Const, Typed
from app.plan.functions.entry import Binding, Function
from app.plan.functions.record_options import options_of, time_test
from app.plan.functions.signature import ANY, STRING, Args, literal_value, scalar
from app.plan.instant_texts import moment_of

_NULL, _TEXT, _LONG, _DOUBLE = t.NullType(), t.StringType(), t.LongType(), t.DoubleType()
_DIGITS = 38
_OPTIONS = ("infertimestamp", "dateformat", "timestampformat", "timestampntzformat")


def _bind(binding: Binding, args: Args) -> Typed:
    bound = _PLAIN.bind(binding, args)
    assert isinstance(bound, Apply)
    text = literal_value("schema_of_json", 0, bound.args[0])
    if text is None:
        raise PlanError(
            "Cannot resolve schema_of_json(NULL): the json must not be null.",
            code="DATATYPE_MISMATCH.UNEXPECTED_NULL",
        )
    options = options_of("schema_of_json", binding, args[1] if len(args) > 1 else None, _OPTIONS)
    is_time = time_test(options, "timestampformat") or (lambda text: moment_of(text) is not None)
    if options.get("infertimestamp", "false").lower() != "true":
        is_time = _never
    try:
        kind = _kind(_first_value(str(text)), is_time) if str(text).strip() else _TEXT
    except ValueError as error:
        raise PlanError(
            f"schema_of_json() was given a text that is no JSON: {error}. Correct it.",
            code="MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
        ) from error
    return Const(_TEXT, False, _named(kind).sql())


def _first_value(text: str) -> Any:
    """What is behind it is not looked at, but for the sign next to a number. Raises: ValueError."""
    value, end = json.JSONDecoder().raw_decode(text.lstrip(" \t\n\r") + " ")
    behind = text.lstrip(" \t\n\r")[end:]
    if isinstance(value, int | float) and not isinstance(value, bool) and behind[:1].strip():
        raise ValueError(f"no number ends with {behind[:1]!r}")
    return value


def _never(_: str) -> bool:
    return False


def _kind(value: Any, is_time: Callable[[str], bool]) -> t.DataType:
    match value:
        case None:
            return _NULL
        case bool():
            return t.BooleanType()
        case int():
            digits = len(str(abs(value)))
            fits = -(1 << 63) <= value < 1 << 63
            return _LONG if fits else (t.DecimalType(digits, 0) if digits <= _DIGITS else _DOUBLE)
        case float() | Decimal():
            return _DOUBLE
        case str():
            return t.TimestampType() if is_time(value) else _TEXT
        case list():
            found: t.DataType = _NULL
            for item in value:
                found = _merged(found, _kind(item, is_time))
            return t.ArrayType(found, True)
    return t.StructType([t.StructField(key, _kind(value[key], is_time), True) for key in sorted(value)])


def _merged(a: t.DataType, b: t.DataType) -> t.DataType:
    """The type that holds values of both: text where nothing else does."""
    match a, b:
        case (t.NullType(), other) | (other, t.NullType()):
            return other
        case t.ArrayType(), t.ArrayType():
            return t.ArrayType(_merged(a.elementType, b.elementType), True)
        case t.StructType(), t.StructType():
            kinds = {f.name: f.dataType for f in a}
            for f in b:
                kinds[f.name] = _merged(kinds.get(f.name, _NULL), f.dataType)
            return t.StructType([t.StructField(name, kinds[name], True) for name in sorted(kinds)])
        case t.NumericType(), t.NumericType():
            if isinstance(a, t.DoubleType) or isinstance(b, t.DoubleType):
                return _DOUBLE
            wider = max((x.precision for x in (a, b) if isinstance(x, t.DecimalType)), default=0)
            return t.DecimalType(max(wider, 20), 0) if wider else _LONG
    return a if a == b else _TEXT


def _named(kind: t.DataType) -> t.DataType:
    """Null becomes text, and a field that is an empty object is left out."""
    match kind:
        case t.NullType():
            return _TEXT
        case t.ArrayType(element):
            return t.ArrayType(_named(element), True)
        case t.StructType():
            kept = [f for f in kind if not (isinstance(f.dataType, t.StructType) and not len(f.dataType))]
            return t.StructType([t.StructField(f.name, _named(f.dataType), True) for f in kept])
    return kind


_PLAIN = scalar("schema_of_json", (STRING, ANY), _TEXT, "{0}", optional=1)
FUNCTIONS: tuple[Function, ...] = (
    Function("schema_of_json", "scalar", _bind, lambda call, args: args[0]),  # type: ignore[arg-type]
)
