"""DuckDB's words for values that do not fit, as Spark says them."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from app.errors import RowError
from app.plan.java_text import float_text

_BYPASS = 'If necessary set "spark.sql.ansi.enabled" to "false" to bypass this error'
_TYPES = {"INT8": "TINYINT", "INT16": "SMALLINT", "INT32": "INT", "INT64": "BIGINT"}
_SUFFIXES = {"INT8": "Y", "INT16": "S", "INT64": "L"}
_SIGNS = {"addition": ("+", "try_add"), "subtraction": ("-", "try_subtract"), "multiplication": ("*", "try_multiply")}
_NUMBER = r"(-?[\w.+-]+)"


def _arithmetic(match: re.Match[str]) -> RowError:
    """Of the small types Spark shows the operands, of the others it does not."""
    what, kind, left, right = match.groups()
    sign, instead = _SIGNS[what]
    if kind not in ("INT8", "INT16"):
        return overflow(instead)
    return RowError(
        f"{left}S {sign} {right}S caused overflow. Use `{instead}` to ignore overflow problem and return NULL.",
        code="BINARY_ARITHMETIC_OVERFLOW",
    )


def overflow(instead: str = "", what: str = "overflow") -> RowError:
    """The error of arithmetic that leaves its type; `instead` is a function that gives null."""
    advice = f" Use '{instead}' to tolerate overflow and return NULL instead." if instead else ""
    return RowError(f"{what}.{advice} {_BYPASS}.", code="ARITHMETIC_OVERFLOW")


def _number_cast(match: re.Match[str]) -> RowError:
    kind, value, wanted = match.groups()
    return _cast_overflow(_shown(value, kind), _TYPES.get(kind, kind), _TYPES.get(wanted, wanted))


def _cast_overflow(value: str, kind: str, wanted: str) -> RowError:
    return RowError(
        f'The value {value} of the type "{kind}" cannot be cast to "{wanted}" due to an overflow. Use `try_cast` to '
        "tolerate overflow and return NULL instead.",
        code="CAST_OVERFLOW",
    )


def _decimal_cast(match: re.Match[str]) -> RowError:
    return _cast_overflow(f"{match[1]}BD", "DECIMAL", _TYPES.get(match[2], match[2]))


def _shown(value: str, kind: str) -> str:
    if kind in ("FLOAT", "DOUBLE"):
        number = np.float64(value)
        return f"{float_text(number)}{'D' if kind == 'DOUBLE' and np.isfinite(number) else ''}"
    return f"{value}{_SUFFIXES.get(kind, '')}"


def _no_decimal(match: re.Match[str]) -> RowError:
    value, precision, scale = match.groups()
    return RowError(
        f"{value} cannot be represented as Decimal({precision}, {scale}). {_BYPASS}, and return NULL instead.",
        code="NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
    )


def _no_number(match: re.Match[str]) -> RowError:
    value, wanted = match.groups()
    return RowError(
        f'The value \'{value}\' of the type "STRING" cannot be cast to "{_TYPES.get(wanted, wanted)}" because it is '
        "malformed. Correct the value as per the syntax, or change its target type. Use `try_cast` to tolerate "
        "malformed input and return NULL instead.",
        code="CAST_INVALID_INPUT",
    )


def _no_instant(match: re.Match[str]) -> RowError:
    return _cast_overflow(f"{match[1]}L", "BIGINT", "TIMESTAMP")


def _no_moment(_: re.Match[str]) -> RowError:
    return RowError(
        "Datetime operation overflow: the result is more than 292,277 years from 1970.", code="DATETIME_OVERFLOW"
    )


def _no_zone(match: re.Match[str]) -> RowError:
    return RowError(
        f"The timezone: {match[1]} is invalid. The timezone must be either a region-based zone ID or a zone offset. "
        "Region IDs must have the form 'area/city', such as 'America/Los_Angeles'. Zone offsets must be in the format "
        "'(+|-)HH', '(+|-)HH:mm' or '(+|-)HH:mm:ss', e.g '-08' , '+01:00' or '-13:33:33', and must be in the range "
        "from -18:00 to +18:00. 'Z' and 'UTC' are accepted as synonyms for '+00:00'.",
        code="INVALID_TIMEZONE",
    )


_KNOWN: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], RowError]], ...] = (
    (re.compile(rf"Overflow in (addition|subtraction|multiplication) of (\w+) \({_NUMBER} . {_NUMBER}\)"), _arithmetic),
    (re.compile(r"Overflow in negation|Overflow on abs"), lambda _: overflow()),
    (
        re.compile(r"Overflow in division of"),
        lambda _: overflow("try_divide", "Overflow in integral divide"),
    ),
    (
        re.compile(r"Type (\w+) with value (\S+) can't be cast because the value is out of range .* type (\w+)"),
        _number_cast,
    ),
    (re.compile(r"Failed to cast decimal value (\S+) to type (\w+)"), _decimal_cast),
    (re.compile(rf"(?:Casting|cast) value \"?{_NUMBER}\"? to (?:type )?DECIMAL\((\d+),(\d+)\)"), _no_decimal),
    (re.compile(rf"convert string \"\s*{_NUMBER}\s*\" to DECIMAL\((\d+),(\d+)\)"), _no_decimal),
    (re.compile(r"Could not convert string '(.*)' to (INT\d+)"), _no_number),
    (re.compile(r"Date out of range"), lambda _: overflow(what="A date is more than 5,877,641 years from 1970")),
    (re.compile(r"Timestamp microseconds out of range: (\S+)"), _no_instant),
    (re.compile(r"overflows timestamp range"), _no_moment),
    (re.compile(r"Unknown TimeZone '(.*)'!"), _no_zone),
)


def fitting(text: str) -> RowError | None:
    """Spark's error for what DuckDB said of a value; None where it is of another kind."""
    for pattern, make in _KNOWN:
        if (match := pattern.search(text)) is not None:
            return make(match)
    return None
