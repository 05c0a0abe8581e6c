"""Casts of intervals and times of day to and from text and numbers, as DuckDB SQL.

A day-time interval is an INTERVAL of days and microseconds, a year-month interval a number of months.
"""

from __future__ import annotations

from app.errors import PlanError
from app.plan import types as t
from app.plan.carriers import duckdb_type
from app.plan.functions.signature import TOO_LONG, once

_MICROS = (86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000)
_NAMES = ("DAY", "HOUR", "MINUTE", "SECOND")
SPANS = (t.DayTimeIntervalType, t.YearMonthIntervalType, t.TimeType)
Interval = t.DayTimeIntervalType | t.YearMonthIntervalType
_FORMS = (r"[0-9]{1,6}", r" (?:[01]?[0-9]|2[0-3])", r":[0-5]?[0-9]", r":[0-5]?[0-9](?:\.[0-9]{1,6})?")
"""What the fields of most texts look like, each behind the sign that parts it from the one before."""


def interval_text(sql: str, kind: Interval) -> str:
    """`INTERVAL '1 02:03:04.5' DAY TO SECOND`: text as Spark writes it."""
    name = kind.sql().removeprefix("INTERVAL ")
    if isinstance(kind, t.YearMonthIntervalType):
        digits = f"CAST(abs({sql} // 12) AS VARCHAR)"
        if kind.startField == t.YearMonthIntervalType.MONTH:
            digits = f"CAST(abs(CAST({sql} AS BIGINT)) AS VARCHAR)"
        elif kind.endField == t.YearMonthIntervalType.MONTH:
            digits += f" || '-' || CAST(abs({sql} % 12) AS VARCHAR)"
        negative = f"{sql} < 0"
    else:
        us = f"epoch_us({sql})"
        digits = "".join(_day_part(f"abs({us})", field, kind) for field in range(kind.startField, kind.endField + 1))
        digits, negative = digits.removeprefix(" || "), f"{us} < 0"
    return f"('INTERVAL ''' || CASE WHEN {negative} THEN '-' ELSE '' END || {digits} || ''' {name}')"


def _day_part(us: str, field: int, kind: t.DayTimeIntervalType) -> str:
    """One field of an absolute interval, the first with what larger fields would hold."""
    rest = us if field == kind.startField else f"({us} % {_MICROS[field - 1]})"
    before = " || " if field == kind.startField else f" || '{' ' if field == 1 else ':'}' || "
    if field == t.DayTimeIntervalType.DAY:
        return f"{before}CAST({us} // {_MICROS[0]} AS VARCHAR)"
    whole = f"wt_two_digits({rest} // {_MICROS[field]})"
    if field == t.DayTimeIntervalType.SECOND:
        return f"{before}{whole} || rtrim(rtrim('.' || lpad(CAST({us} % 1000000 AS VARCHAR), 6, '0'), '0'), '.')"
    return before + whole


def interval_cast(sql: str, source: t.DataType, to: t.DataType, cast: str) -> str:
    """A cast to an interval, or from one or a time of day to anything but text; `cast` is CAST or TRY_CAST. Raises:
    PlanError."""
    if isinstance(source, t.TimeType):
        return _from_time(sql, source, to, cast)
    if isinstance(source, t.DayTimeIntervalType | t.YearMonthIntervalType):
        return _from_interval(sql, source, to, cast)
    assert isinstance(to, t.DayTimeIntervalType | t.YearMonthIntervalType)
    if isinstance(source, t.NullType):
        return f"CAST({sql} AS {duckdb_type(to)})"
    if isinstance(source, t.StringType):
        return _from_text(sql, to, "true" if cast == "TRY_CAST" else "false")
    return _to_interval(sql, source, to, cast)


def _from_text(sql: str, to: Interval, safe: str) -> str:
    """By DuckDB where the text has the usual form."""
    if len(sql) >= TOO_LONG:
        return once(sql, "given", _from_text("given", to, safe))
    fields = to.sql().removeprefix("INTERVAL ")
    if isinstance(to, t.YearMonthIntervalType):
        return f"wt_read_{fields.replace(' ', '_').lower()}({sql}, {safe})"
    form = "".join(_FORMS[to.startField : to.endField + 1]).lstrip(" :")
    before = "00:" * max(to.startField - to.HOUR, 0)
    behind = {to.DAY: " days", to.HOUR: ":00"}.get(to.endField, "")
    return f"wt_read_day_time({sql}, '{form}', '{before}', '{behind}', '{fields}', {safe})"


def _from_interval(sql: str, source: Interval, to: t.DataType, cast: str) -> str:
    """An interval as another of its kind, or as a number of its last field."""
    name = duckdb_type(to)
    if isinstance(source, t.YearMonthIntervalType):
        if isinstance(to, t.YearMonthIntervalType):
            return f"({sql} - {sql} % 12)" if to.endField == to.YEAR else sql
        years = source.endField == source.YEAR
        return f"{cast}({sql} // 12 AS {name})" if years else f"{cast}({sql} AS {name})"
    unit = _MICROS[source.endField]
    if isinstance(to, t.DayTimeIntervalType):
        unit = _MICROS[to.endField]
        return sql if to.endField == to.SECOND else f"wt_interval(epoch_us({sql}) - epoch_us({sql}) % {unit})"
    if isinstance(to, t.DecimalType) and source.endField == source.SECOND:
        return f"{cast}(CAST(epoch_us({sql}) AS DECIMAL(20,0)) * CAST('0.000001' AS DECIMAL(6,6)) AS {name})"
    return f"{cast}(epoch_us({sql}) // {unit} AS {name})"


def _from_time(sql: str, source: t.TimeType, to: t.DataType, cast: str) -> str:
    """A time of day with fewer digits, or as its seconds."""
    name = duckdb_type(to)
    if isinstance(to, t.TimeType):
        return f"wt_time_cut({sql}, {10 ** (6 - to.precision)})" if to.precision < source.precision else sql
    if isinstance(to, t.IntegralType):
        return f"{cast}(epoch_us({sql}) // 1000000 AS {name})"
    return f"{cast}(CAST(epoch_us({sql}) AS DECIMAL(20,0)) * CAST('0.000001' AS DECIMAL(6,6)) AS {name})"


def _to_interval(sql: str, source: t.DataType, to: Interval, cast: str) -> str:
    """A number of the interval's last field as that interval. Raises: PlanError for what is none."""
    if not isinstance(source, t.IntegralType | t.DecimalType):
        raise PlanError(
            f'Cannot cast "{source.sql()}" to "{to.sql()}" here. Build the interval with make_dt_interval or '
            "make_ym_interval instead.",
            code="UNSUPPORTED_FEATURE",
        )
    if isinstance(to, t.YearMonthIntervalType):
        wide = sql if isinstance(source, t.DecimalType) else f"CAST({sql} AS BIGINT)"
        scaled = f"({wide} * {12 if to.endField == to.YEAR else 1})"
        return f"{cast}({_rounded(scaled, source)} AS INTEGER)"
    wide = "DECIMAL(38,6)" if isinstance(source, t.DecimalType) else "HUGEINT"
    return f"wt_interval({cast}({_rounded(f'(CAST({sql} AS {wide}) * {_MICROS[to.endField]})', source)} AS BIGINT))"


def _rounded(sql: str, source: t.DataType) -> str:
    return f"round({sql})" if isinstance(source, t.DecimalType) else sql
