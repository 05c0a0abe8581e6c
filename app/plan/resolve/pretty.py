"""The names Spark gives to result columns that the user did not name: `sum(v)`, `(a + 1)`, `CAST(a AS INT)`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import time, timedelta
from decimal import Decimal
from typing import Any

from app.plan import types as t
from app.plan.expressions import (
    RESPECTING,
    Alias,
    Attribute,
    Call,
    Case,
    Cast,
    Expr,
    Lambda,
    Literal,
    NamedArg,
    Outer,
    Over,
    SortKey,
    Star,
    Subquery,
    Tuple,
)
from app.plan.java_text import value_text
from app.plan.resolve.call_names import DEFAULTS, OVER_WINDOWS, RENAMED, SHAPES, SHOWN
from app.plan.resolve.window_names import over_text, sort_key_text

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
    "<<": "<<",
    ">>": ">>",
    ">>>": ">>>",
}
_PATTERNS = {
    "not": "(NOT {0})",
    "positive": "(+ {0})",
    "if": "(IF({0}, {1}, {2}))",
    "log": "LOG(E(), {0})",
    "isnull": "({0} IS NULL)",
    "isnotnull": "({0} IS NOT NULL)",
    "~": "~{0}",
    "like": "{0} LIKE {1}",
    "extract": "extract({0} FROM {1})",
    "datepart": "datepart({0} FROM {1})",
    "trim": "TRIM(BOTH {0} FROM {1})",
    "ltrim": "TRIM(LEADING {0} FROM {1})",
    "rtrim": "TRIM(TRAILING {0} FROM {1})",
    "getitem": "{0}[{1}]",
}
# fmt: off
_UPPER = frozenset((
    "rlike", "regexp", "regexp_like", "power", "sqrt", "cbrt", "exp", "expm1", "log", "log10", "log1p", "log2", "sin",
    "cos", "tan", "cot", "sec", "csc", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh",
    "atanh", "degrees", "radians", "signum", "hypot", "pi", "e", "rank", "dense_rank", "percent_rank",
    "spark_partition_id",
))
# fmt: on
_CASTS_TEXT = "bigint binary boolean date decimal double float int smallint string timestamp tinyint time"
_CASTS = frozenset(_CASTS_TEXT.split())
"""Functions that cast and are named as what they cast is."""


_DISTANT = ("lag", "lead")
_MOMENTS = {
    "try_to_time": "try_to_time(to_time({}))",
    "make_timestamp_ltz": "make_timestamp({})",
    "try_make_timestamp_ltz": "make_timestamp({})",
    "try_make_timestamp_ntz": "try_make_timestamp_ntz(make_timestamp_ntz({}))",
}
"""Calls named as what Spark makes of them, with fewer than four arguments."""


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
            return pretty(expr.child, name_of) + _path_alias(expr)
        case NamedArg():
            return pretty(expr.value, name_of)
        case Over():
            silent = expr.call.name.lower() != "nth_value"
            plain = expr.call.name
            named = OVER_WINDOWS.get(plain.lower(), plain) if expr.call.ignore_nulls else plain
            call = replace(expr.call, name=named, ignore_nulls=expr.call.ignore_nulls and not silent)
            return over_text(expr, _call(call, name_of), lambda inner: pretty(inner, name_of))
        case Cast():
            return _cast(expr, name_of)
        case Case():
            return _case(expr, name_of)
        case Call():
            return _tuple(expr, name_of) if isinstance(expr, Tuple) else _call(expr, name_of)
        case Outer():
            return pretty(expr.child, name_of)
        case Subquery():
            return {"scalar": "scalarsubquery()", "exists": "exists()", "in": "listquery()"}[expr.kind]
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
        case str() if isinstance(data_type, t.StringType) and data_type != t.StringType():
            return f"'{_escaped(value)}' collate {data_type.collation}"
        case str():
            return value
        case bytes():
            return f"X'{value.hex().upper()}'"
        case float():
            return _float_text(value)
        case Decimal() if "E+" in str(value):
            return f"{value:f}"
        case time():
            text = value.isoformat()
            return f"TIME '{text.rstrip('0') if value.microsecond else text}'"
        case timedelta():
            assert isinstance(data_type, t.DayTimeIntervalType)
            return f"INTERVAL '{_span_text(value, data_type)}' {data_type.sql().removeprefix('INTERVAL ')}"
    if isinstance(data_type, (t.DateType, t.TimestampType, t.TimestampNTZType)):
        return f"{data_type.sql()} '{value_text(value, isinstance(data_type, t.DateType))}'"
    if isinstance(data_type, t.YearMonthIntervalType):
        return f"INTERVAL '{_months_text(value, data_type)}' {data_type.sql().removeprefix('INTERVAL ')}"
    return str(value)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")


def _cast(expr: Cast, name_of: NameOf) -> str:
    """A cast to a type with parts is called as what it casts."""
    child = pretty(expr.child, name_of)
    nested = isinstance(expr.to, t.ArrayType | t.MapType | t.StructType)
    return child if nested else f"{'TRY_CAST' if expr.safe else 'CAST'}({child} AS {expr.to.sql()})"


def _updated(expr: Expr, name_of: NameOf) -> str:
    """A struct and, one behind the other, what is done to its fields."""
    done: list[str] = []
    while isinstance(expr, Call) and expr.name in ("update field", "drop field"):
        done.insert(0, f"WithField({pretty(expr.args[2], name_of)})" if len(expr.args) == 3 else "dropfield()")
        expr = expr.args[0]
    return f"update_fields({', '.join([pretty(expr, name_of), *done])})"


def _path_alias(expr: Expr) -> str:
    """The alias that `v:a` has inside of an expression, where Spark shows no other alias."""
    match expr:
        case Alias(Call(name="variant_get"), (name,)):
            return f" AS {name}"
    return ""


def _case(expr: Case, name_of: NameOf) -> str:
    branches = [f"WHEN {pretty(c, name_of)} THEN {pretty(v, name_of)}" for c, v in expr.branches]
    otherwise = [] if expr.otherwise is None else [f"ELSE {pretty(expr.otherwise, name_of)}"]
    return " ".join(["CASE", *branches, *otherwise, "END"])


def _is_map(schema: Expr) -> bool:
    """Whether a constant schema is one of a map, of which Spark has a name of its own."""
    text = str(schema.value).lstrip().lower() if isinstance(schema, Literal) else ""
    return text.startswith(("map<", '{"type":"map"'))


def _call(expr: Call, name_of: NameOf) -> str:
    name = expr.name.lower().removesuffix(RESPECTING)
    if name in ("update field", "drop field"):
        return _updated(expr, name_of)
    if name == "mode" and len(expr.args) == 2 and isinstance(expr.args[1], Literal) and expr.args[1].value is True:
        expr = replace(expr, args=(), order=(SortKey(expr.args[0]),))
    if name == "from_json" and len(expr.args) > 1 and _is_map(expr.args[1]):
        return "entries"
    args = _arguments(expr, name, name_of)
    special = _special(name, args)
    if special is not None:
        return special
    if (shape := SHAPES.get((name, len(args)))) is not None and not expr.order:
        return shape.format(*args)
    name = RENAMED.get(name, name)
    if name == "string_agg" and expr.order:
        name = "listagg"
    if name in _DISTANT:
        args += ["1", "NULL"][len(args) - 1 :]
    args = args[: SHOWN.get(name, len(args))]
    while (name, len(args)) in DEFAULTS:
        args.append(DEFAULTS[name, len(args)])
    if name.removeprefix("not").startswith("ilike") and name != "ilike":
        name, args = name.replace("ilike", "like"), [f"lower({args[0]})"]
    distinct = "DISTINCT " if expr.distinct else ""
    upper = name in _UPPER or (name in ("ceil", "floor") and len(args) == 1)
    text = f"{name.upper() if upper else name}({distinct}{', '.join(args)})"
    if expr.ignore_nulls and name == "nth_value":
        text += " ignore nulls"
    if expr.name.lower().endswith(RESPECTING):
        text += " RESPECT NULLS"
    if expr.order:
        text += f" WITHIN GROUP (ORDER BY {', '.join(_key(key, name, name_of) for key in expr.order)})"
    if expr.filter is not None:
        text += f" FILTER (WHERE {pretty(expr.filter, name_of)})"
    return text


def _tuple(expr: Tuple, name_of: NameOf) -> str:
    parts: list[str] = []
    for at, arg in enumerate(expr.args, 1):
        name = f"col{at}"
        if isinstance(arg, Alias):
            name = arg.names[0]
        elif isinstance(arg, Attribute):
            name = arg.parts[-1]
        parts += [name, pretty(arg, name_of) + (f" AS {name}" if isinstance(arg, Alias) else "")]
    return f"named_struct({', '.join(parts)})"


def _arguments(expr: Call, name: str, name_of: NameOf) -> list[str]:
    star = expr.args[0] if len(expr.args) == 1 else None
    if name == "count" and isinstance(star, Star) and not star.dropped and not expr.distinct:
        return ["1"]
    args = [pretty(arg, name_of) for arg in expr.args]
    if name != "struct":
        return args
    aliases = [f" AS {arg.names[0]}" if isinstance(arg, Alias) else "" for arg in expr.args]
    return [text + alias for text, alias in zip(args, aliases, strict=True)]


def _special(name: str, args: list[str]) -> str | None:
    """The name of a call that is not shown as one."""
    if name in _CASTS and len(args) == 1:
        return args[0]
    if name == "-" and len(args) == 1:
        return f"(- {args[0]})"
    if name in _INFIX and len(args) == 2:
        return f"({args[0]} {_INFIX[name]} {args[1]})"
    if name in _PATTERNS and len(args) == _PATTERNS[name].count("{"):
        return _PATTERNS[name].format(*args)
    if name in _MOMENTS and len(args) < 4:
        return _MOMENTS[name].format(", ".join(args))
    if name == "like" and len(args) == 3:
        return f"{args[0]} LIKE {args[1]} ESCAPE '{args[2]}'"
    if name == "in":
        return f"({args[0]} IN ({', '.join(args[1:])}))"
    return None


def _key(key: SortKey, function: str, name_of: NameOf) -> str:
    child = pretty(key.child, name_of)
    if function == "listagg":
        return sort_key_text(key, child)
    # Spark names mode() by the order it looks for the least value in.
    descending = key.ascending if function == "mode" else not key.ascending
    return f"{child} DESC" if descending else child


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


def _months_text(months: int, data_type: t.YearMonthIntervalType) -> str:
    sign, months = "-" if months < 0 else "", abs(months)
    if data_type.startField == data_type.endField:
        return f"{sign}{months // 12 if data_type.endField == t.YearMonthIntervalType.YEAR else months}"
    return f"{sign}{months // 12}-{months % 12}"


def _span_text(value: timedelta, data_type: t.DayTimeIntervalType) -> str:
    """Days, hours, minutes and seconds from the type's first field to its last; the first takes what is above."""
    sign, rest = ("-", -value) if value < timedelta(0) else ("", value)
    units = (timedelta(days=1), timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1))
    texts = []
    for at in range(data_type.startField, data_type.endField + 1):
        count, rest = divmod(rest, units[at])
        texts.append(str(count) if at == t.DayTimeIntervalType.DAY else f"{count:02}")
    text = sign + texts[0]
    for at, part in enumerate(texts[1:], data_type.startField + 1):
        text += f"{' ' if at == t.DayTimeIntervalType.HOUR else ':'}{part}"
    if data_type.endField == t.DayTimeIntervalType.SECOND and rest:
        text += f".{rest.microseconds:06}".rstrip("0")
    return text
