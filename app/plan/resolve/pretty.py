"""The names Spark gives to result columns that the user did not name: `sum(v)`, `(a + 1)`, `CAST(a AS INT)`."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

from app.plan import types as t
from app.plan.expressions import Alias, Attribute, Call, Case, Cast, Expr, Lambda, Literal, SortKey, Star

NameOf = Callable[[Expr], str | None]
"""The text of a column or field access once its meaning is known; None leaves it as it is written."""

_INFIX = {
    "+": "+",
    "-": "-",
    "*": "*",
    "/": "/",
    "%": "%",
    "div": "div",
    "==": "=",
    "=": "=",
    "<=>": "<=>",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
    "and": "AND",
    "or": "OR",
    "&": "&",
    "|": "|",
    "^": "^",
}
_PATTERNS = {
    "not": "(NOT {0})",
    "negative": "(- {0})",
    "isnull": "({0} IS NULL)",
    "isnotnull": "({0} IS NOT NULL)",
    "~": "~{0}",
    "like": "{0} LIKE {1}",
    "getitem": "{0}[{1}]",
}
_UPPER = {"rlike": "RLIKE", "power": "POWER"}


def pretty(expr: Expr, name_of: NameOf = lambda _: None) -> str:
    """The generated name of an expression.

    >>> pretty(Call("+", (Attribute(("a",)), Literal(1, t.IntegerType()))))
    '(a + 1)'
    """
    known = name_of(expr)
    if known is not None:
        return known
    match expr:
        case Attribute():
            return expr.parts[-1]
        case Star():
            return ".".join((*expr.qualifier, "*"))
        case Literal():
            return literal_text(expr.value, expr.type)
        case Alias() | SortKey():
            return pretty(expr.child, name_of)
        case Cast():
            return f"{'TRY_CAST' if expr.safe else 'CAST'}({pretty(expr.child, name_of)} AS {expr.to.sql()})"
        case Case():
            return _case(expr, name_of)
        case Call():
            return _call(expr, name_of)
        case Lambda():
            params = ", ".join("namedlambdavariable()" for _ in expr.params)
            return f"lambdafunction({pretty(expr.body, _inside(expr, name_of))}, {params})"
    raise AssertionError(f"no name for {expr!r}")


def literal_text(value: Any, data_type: t.DataType) -> str:
    """A constant as it stands in generated names: texts without quotes."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).lower()
        case str():
            return value
        case bytes():
            return f"X'{value.hex().upper()}'"
        case float():
            return _float_text(value)
        case datetime():
            return _timestamp_text(value, data_type)
        case date():
            return f"DATE '{value.isoformat()}'"
        case timedelta():
            return f"INTERVAL '{_interval_text(value)}' {data_type.sql().removeprefix('INTERVAL ')}"
    if isinstance(data_type, t.YearMonthIntervalType):
        sign, months = "-" if value < 0 else "", abs(value)
        return f"INTERVAL '{sign}{months // 12}-{months % 12}' YEAR TO MONTH"
    return str(value)


def _case(expr: Case, name_of: NameOf) -> str:
    branches = [f"WHEN {pretty(c, name_of)} THEN {pretty(v, name_of)}" for c, v in expr.branches]
    otherwise = [] if expr.otherwise is None else [f"ELSE {pretty(expr.otherwise, name_of)}"]
    return " ".join(["CASE", *branches, *otherwise, "END"])


def _call(expr: Call, name_of: NameOf) -> str:
    name = expr.name.lower()
    if name == "count" and len(expr.args) == 1 and isinstance(expr.args[0], Star) and not expr.distinct:
        args = ["1"]
    else:
        args = [pretty(arg, name_of) for arg in expr.args]
    if name in _INFIX and len(args) == 2:
        return f"({args[0]} {_INFIX[name]} {args[1]})"
    if name in _PATTERNS and len(args) == _PATTERNS[name].count("{"):
        return _PATTERNS[name].format(*args)
    if name == "in":
        return f"({args[0]} IN ({', '.join(args[1:])}))"
    distinct = "DISTINCT " if expr.distinct else ""
    text = f"{_UPPER.get(name, name)}({distinct}{', '.join(args)})"
    if expr.ignore_nulls:
        text += " IGNORE NULLS"
    if expr.filter is not None:
        text += f" FILTER (WHERE {pretty(expr.filter, name_of)})"
    return text


def _inside(expr: Lambda, name_of: NameOf) -> NameOf:
    """Names in the body of a lambda: its parameters have none of their own."""
    params = {name.lower() for name in expr.params}

    def name_in_body(inner: Expr) -> str | None:
        if isinstance(inner, Attribute) and inner.parts[0].lower() in params:
            return ".".join(("namedlambdavariable()", *inner.parts[1:]))
        return name_of(inner)

    return name_in_body


def _float_text(value: float) -> str:
    """As Java prints a double."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        text = format(value, "f") if "e" in repr(value) else repr(value)
        return text.rstrip("0") + "0" if text.endswith("0") else text
    mantissa, exponent = f"{float(value)!r}".split("e") if "e" in repr(value) else _scientific(value)
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}E{int(exponent)}"


def _scientific(value: float) -> tuple[str, str]:
    digits = repr(abs(value)).replace(".", "").lstrip("0").rstrip("0") or "0"
    exponent = math.floor(math.log10(abs(value)))
    return f"{'-' if value < 0 else ''}{digits[0]}.{digits[1:] or '0'}", str(exponent)


def _timestamp_text(value: datetime, data_type: t.DataType) -> str:
    if isinstance(data_type, t.DateType):
        return f"DATE '{value.date().isoformat()}'"
    if value.tzinfo is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    kind = "TIMESTAMP_NTZ" if isinstance(data_type, t.TimestampNTZType) else "TIMESTAMP"
    text = value.isoformat(sep=" ", timespec="microseconds").rstrip("0").rstrip(".")
    return f"{kind} '{text}'"


def _interval_text(value: timedelta) -> str:
    sign, value = ("-", -value) if value < timedelta(0) else ("", value)
    hours, rest = divmod(value.seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    text = f"{sign}{value.days} {hours:02}:{minutes:02}:{seconds:02}"
    return f"{text}.{value.microseconds:06}".rstrip("0") if value.microseconds else text
