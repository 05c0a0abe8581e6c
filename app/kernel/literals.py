"""Constants as DuckDB SQL text of exactly their type."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from app.plan import types as t
from app.plan.carriers import duckdb_type

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def print_literal(value: Any, kind: t.DataType) -> str:
    """`value` (as in `expressions.Literal`; lists, dicts and tuples inside complex types) as one SQL operand."""
    if value is None:
        return f"CAST(NULL AS {duckdb_type(kind)})"
    match kind:
        case t.BooleanType():
            return "true" if value else "false"
        case t.IntegerType() if value >= 0:
            return str(value)
        case t.StringType():
            return _text(value)
        case t.BinaryType():
            return f"from_hex('{bytes(value).hex()}')"
        case t.FloatType() | t.DoubleType():
            return f"CAST('{_float(float(value))}' AS {duckdb_type(kind)})"
        case t.DecimalType():
            return f"CAST('{Decimal(value):f}' AS {duckdb_type(kind)})"
        case t.ArrayType(element):
            return f"CAST([{', '.join(print_literal(v, element) for v in value)}] AS {duckdb_type(kind)})"
    return _of_time(value, kind)


def _of_time(value: Any, kind: t.DataType) -> str:
    match kind:
        case t.DateType():
            if isinstance(value, int):
                return f"(CAST('1970-01-01' AS DATE) + {value})"
            return f"CAST('{value.isoformat() if isinstance(value, date) else value}' AS DATE)"
        case t.TimestampType():
            return f"make_timestamptz({_micros(value)})"
        case t.TimestampNTZType():
            return f"make_timestamp({_micros(value)})"
        case t.TimeType():
            return f"CAST('{value.isoformat()}' AS TIME)"
        case t.DayTimeIntervalType():
            return f"wt_interval({value // timedelta(microseconds=1)})"
    return f"CAST({value} AS {duckdb_type(kind)})"


def _micros(value: datetime | int) -> int:
    if isinstance(value, int):
        return value
    aware = value if value.tzinfo else value.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(microseconds=1)


def _text(value: str) -> str:
    quoted = "'" + value.replace("'", "''") + "'"
    if "\x00" not in quoted:
        return quoted
    return "(" + quoted.replace("\x00", "' || chr(0) || '") + ")"


def _float(value: float) -> str:
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return repr(value)
