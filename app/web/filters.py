"""Which columns can be filtered and ordered, and how the value of `where.<column>` is written for each type."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Any

from app.plan import types as t
from app.web.problem import Problem

_BITS = {t.ByteType: 8, t.ShortType: 16, t.IntegerType: 32, t.LongType: 64}
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,18})")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_DAYS = (
    r"[12][0-9]{3}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))"
    r"|([12][0-9](0[48]|[2468][048]|[13579][26])|(1[26]|2[048])00)-02-29"
)
_CLOCK = r"^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?$"
_LOCAL = rf"^({_DAYS})T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{{1,6}})?$"
"""No JSON schema format names a local time, so the calendar is spelled out, for the years 1000 to 2999."""
_PLAIN = r"-?[0-9]{1,17}(\.[0-9]{1,17})?"
_SCIENTIFIC = r"-?[1-9](\.[0-9]{1,17})?[eE][+-]?"
_NO_NUMBER = "NaN|-?Infinity"
_DOUBLE = f"^({_NO_NUMBER}|{_PLAIN}|{_SCIENTIFIC}([0-9]|[1-9][0-9]|[12][0-9]{{2}}|30[0-7]))$"
_FLOAT = f"^({_NO_NUMBER}|{_PLAIN}|{_SCIENTIFIC}([0-9]|[12][0-9]|3[0-7]))$"


def can_order(kind: t.DataType) -> bool:
    """Whether the values have an order."""
    return isinstance(kind, t.AtomicType)


def value_schema(kind: t.DataType) -> dict[str, Any] | None:
    """The JSON schema of a filter value, None for a type that cannot be filtered."""
    if isinstance(kind, t.IntegralType):
        limit = 1 << (_BITS[type(kind)] - 1)
        return {"type": "integer", "minimum": -limit, "maximum": limit - 1}
    if isinstance(kind, t.DecimalType):
        return {"type": "string", "pattern": _decimal_pattern(kind)}
    schemas: dict[type[t.DataType], dict[str, Any]] = {
        t.StringType: {"type": "string", "pattern": "^[^\\u0000]*$"},
        t.BooleanType: {"type": "boolean"},
        t.FloatType: {"type": "string", "pattern": _FLOAT},
        t.DoubleType: {"type": "string", "pattern": _DOUBLE},
        t.DateType: {"type": "string", "format": "date"},
        t.TimestampType: {"type": "string", "format": "date-time"},
        t.TimestampNTZType: {"type": "string", "pattern": _LOCAL},
        t.TimeType: {"type": "string", "pattern": _CLOCK},
    }
    return schemas.get(type(kind))


def read_value(parameter: str, text: str, kind: t.DataType) -> str:
    """The value in the text form `ResultTable.select` compares with. Raises: Problem 400."""
    schema = value_schema(kind)
    if schema is None:
        sentence = f"The parameter {parameter!r} names a column of type {kind.simpleString()}, which has no filter."
        raise Problem(400, "INVALID_PARAMETER", sentence, name=parameter)
    try:
        return _read(text, kind, schema)
    except (ValueError, OverflowError):
        raise Problem(
            400,
            "INVALID_PARAMETER",
            f"The parameter {parameter!r} is {text!r}, which is no {kind.simpleString()}; it is written as "
            f"{_form(kind)}.",
            name=parameter,
        ) from None


def _form(kind: t.DataType) -> str:
    """How a value is written, in words."""
    if isinstance(kind, t.IntegralType):
        return f"a whole number of {_BITS[type(kind)]} bits, such as -15"
    if isinstance(kind, t.DecimalType):
        return f"a number with at most {kind.precision - kind.scale} digits before the point and {kind.scale} behind it"
    if isinstance(kind, t.StringType):
        return "a text without U+0000"
    forms: dict[type[t.DataType], str] = {
        t.BooleanType: "true or false",
        t.FloatType: "-1.5, 1.5e20, NaN, Infinity or -Infinity, of at most 17 digits and below 1e38",
        t.DoubleType: "-1.5, 1.5e20, NaN, Infinity or -Infinity, of at most 17 digits and below 1e308",
        t.DateType: "2026-01-31",
        t.TimestampType: "2026-01-31T12:30:00Z",
        t.TimestampNTZType: "2026-01-31T12:30:00",
        t.TimeType: "12:30:00",
    }
    return forms[type(kind)]


def _decimal_pattern(kind: t.DecimalType) -> str:
    whole = kind.precision - kind.scale
    digits = f"[0-9]{{1,{whole}}}" if whole else "0"
    fraction = rf"(\.[0-9]{{1,{kind.scale}}})?" if kind.scale else ""
    return f"^-?{digits}{fraction}$"


def _read(text: str, kind: t.DataType, schema: dict[str, Any]) -> str:
    if isinstance(kind, t.TimestampType):
        _require(_INSTANT.fullmatch(text) is not None)
        return datetime.fromisoformat(text.upper()).astimezone(UTC).replace(tzinfo=None).isoformat(" ") + "Z"
    if isinstance(kind, t.DateType):
        _require(date.fromisoformat(text).isoformat() == text)
        return text
    if isinstance(kind, t.IntegralType):
        _require(_WHOLE.fullmatch(text) is not None)
        _require(schema["minimum"] <= int(text) <= schema["maximum"])
    elif isinstance(kind, t.BooleanType):
        _require(text in ("true", "false"))
    else:
        _require(re.fullmatch(schema["pattern"], text, re.DOTALL) is not None)
    return text.replace("T", " ") if isinstance(kind, t.TimestampNTZType) else text


def _require(fits: bool) -> None:
    if not fits:
        raise ValueError
