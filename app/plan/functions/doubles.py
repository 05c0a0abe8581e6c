"""Values that Spark computes with as doubles, there and back."""

from __future__ import annotations

from app.plan import types as t
from app.plan.carriers import duckdb_type

_EXACT_DIGITS = 15
_CLOCKS = (t.TimestampType, t.TimestampNTZType, t.DayTimeIntervalType)


def to_double(sql: str, kind: t.DataType) -> str:
    """A number, moment or interval as a double: days since 1970 of dates, microseconds of what has a clock."""
    if isinstance(kind, t.DateType):
        sql = f"({sql} - DATE '1970-01-01')"
    elif isinstance(kind, _CLOCKS):
        sql = f"epoch_us({sql})"
    elif isinstance(kind, t.DecimalType) and kind.precision > _EXACT_DIGITS:
        sql = f"CAST({sql} AS VARCHAR)"  # DuckDB rounds twice on the short way
    return f"CAST({sql} AS DOUBLE)"


def from_double(sql: str, kind: t.DataType) -> str:
    """The value of type `kind` that such a double stands for; what it has behind the point is cut off."""
    match kind:
        case t.DateType():
            return f"DATE '1970-01-01' + CAST(trunc({sql}) AS INTEGER)"
        case t.DayTimeIntervalType():
            return f"wt_interval(wt_saturated({sql}))"
        case t.TimestampType() | t.TimestampNTZType():
            return f"CAST(make_timestamp(wt_saturated({sql})) AS {duckdb_type(kind)})"
        case t.LongType():
            return f"wt_saturated({sql})"
        case t.DecimalType():  # of the digits that show the double
            return f"CAST(CAST({sql} AS VARCHAR) AS {duckdb_type(kind)})"
        case t.IntegralType() | t.YearMonthIntervalType():
            return f"CAST(trunc({sql}) AS {duckdb_type(kind)})"
    return f"CAST({sql} AS {duckdb_type(kind)})"
