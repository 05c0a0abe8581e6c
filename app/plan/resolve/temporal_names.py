"""The names of calls in which a date, a time or an interval stands: most sums have no parentheses."""

from __future__ import annotations

from app.plan import types as t
from app.plan.functions.temporal_arithmetic import is_span

_MOMENTS = (t.DateType, t.TimestampType, t.TimestampNTZType)
_DAY = t.DayTimeIntervalType(0, 0)


def temporal_name(operator: str, left: t.DataType, right: t.DataType) -> str | None:
    """A pattern over both operands' names, or None where the call is named as every other is."""
    if operator == "+" and _comes_second(left, right):
        swapped = temporal_name(operator, right, left)
        return swapped and swapped.replace("{0}", "{}").replace("{1}", "{0}").replace("{}", "{1}")
    if operator == "time_bucket":
        kind = "TIMESTAMP_NTZ" if isinstance(right, t.TimestampNTZType) else "TIMESTAMP"
        return f"time_bucket({{0}}, {{1}}, {kind} '1970-01-01 00:00:00')"
    if operator in "*/":
        return _scaled(operator, left, right)
    if isinstance(left, t.DateType) and isinstance(right, t.IntegralType):
        return "date_add({0}, {1})" if operator == "+" else "date_sub({0}, {1})"
    if isinstance(left, t.DateType) and right == _DAY:
        days = "extractansiintervaldays({1})"
        return f"date_add({{0}}, {days if operator == '+' else f'(- {days})'})"
    if operator == "-" and t.TimeType in (type(left), type(right)):
        return "{0} - {1}"
    plain = not is_span(left) and is_span(right)
    if isinstance(left, t.NullType) and not isinstance(right, t.CalendarIntervalType | t.TimeType):
        plain = False
    return f"{{0}} {operator} {{1}}" if plain or _nothing_later(left, right) else None


def _comes_second(left: t.DataType, right: t.DataType) -> bool:
    """Whether Spark turns a sum round: the time comes first."""
    if isinstance(right, t.DateType):
        return isinstance(left, t.IntegralType) or is_span(left)
    if isinstance(right, t.TimeType) and isinstance(left, t.NullType):
        return True
    if isinstance(right, t.NullType):
        return isinstance(left, t.CalendarIntervalType)
    return is_span(left) and not is_span(right)


def _scaled(operator: str, left: t.DataType, right: t.DataType) -> str | None:
    if isinstance(left, t.CalendarIntervalType):
        return "multiply_interval({0}, {1})" if operator == "*" else "divide_interval({0}, {1})"
    if isinstance(right, t.CalendarIntervalType) and operator == "*":
        return "multiply_interval({1}, {0})"
    return "({1} * {0})" if operator == "*" and is_span(right) else None


def _nothing_later(left: t.DataType, right: t.DataType) -> bool:
    return isinstance(left, t.TimeType) and isinstance(right, t.NullType)
