"""Casts to whole numbers without ANSI rules: what does not fit wraps, or stops at the bounds, or is null."""

from __future__ import annotations

from app.plan import types as t
from app.plan.carriers import duckdb_type

_BITS: dict[type[t.DataType], int] = {t.ByteType: 8, t.ShortType: 16, t.IntegerType: 32, t.LongType: 64}


def legacy_cast(sql: str, source: t.DataType, to: t.DataType) -> str:
    """`CAST(sql AS to)` as Java converts numbers, for a whole number `to`."""
    name = duckdb_type(to)
    bits = _BITS[type(to)]
    match source:
        case t.StringType():
            return f"TRY_CAST(wt_cut_whole({sql}) AS {name})"
        case t.FloatType() | t.DoubleType():
            if bits == 64:
                return f"wt_to_long(trunc({sql}))"
            number = f"CAST({sql} AS DOUBLE)"
            bounded = f"greatest(least(trunc({number}), 2147483647), -2147483648)"
            found = f"CASE WHEN isnan({sql}) THEN 0 WHEN {sql} IS NOT NULL THEN {bounded} END"
            return f"CAST(wt_wrap{bits}(CAST({found} AS BIGINT)) AS {name})"
        case t.DecimalType():
            return f"CAST(wt_wrap{bits}(CAST(trunc({sql}) AS HUGEINT)) AS {name})"
        case t.IntegralType() if _BITS[type(source)] > bits:
            return f"CAST(wt_wrap{bits}(CAST({sql} AS BIGINT)) AS {name})"
    return f"CAST({sql} AS {name})"
