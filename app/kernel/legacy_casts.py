"""Casts without ANSI rules: what does not fit wraps, or stops at the bounds, or is null."""

from __future__ import annotations

from app.kernel.casts import print_cast
from app.plan import types as t
from app.plan.carriers import duckdb_type
from app.plan.structs import field_of, struct_of

_BITS: dict[type[t.DataType], int] = {t.ByteType: 8, t.ShortType: 16, t.IntegerType: 32, t.LongType: 64}


def legacy_cast(sql: str, source: t.DataType, to: t.DataType, depth: int = 0) -> str:
    """`CAST(sql AS to)` as Java converts numbers, null where it has no value."""
    v = f"v{depth}"
    match source, to:
        case t.ArrayType(), t.ArrayType():
            inner = legacy_cast(v, source.elementType, to.elementType, depth + 1)
            return f"list_transform({sql}, lambda {v}: {inner})"
        case t.MapType(), t.MapType():
            key = legacy_cast(f"{v}.key", source.keyType, to.keyType, depth + 1)
            value = legacy_cast(f"{v}.value", source.valueType, to.valueType, depth + 1)
            pair = f"{{'key': {key}, 'value': {value}}}"
            return f"map_from_entries(list_transform(map_entries({sql}), lambda {v}: {pair}))"
        case t.StructType(), t.StructType():
            values = [
                legacy_cast(field_of(sql, at), old.dataType, new.dataType, depth + 1)
                for at, (old, new) in enumerate(zip(source, to, strict=True))
            ]
            return f"CASE WHEN {sql} IS NOT NULL THEN {struct_of(to.names, values)} END"
    special = _to_whole(sql, source, to) if isinstance(to, t.IntegralType) else _special(sql, source, to)
    return print_cast(sql, source, to, True, depth) if special is None else special


def _special(sql: str, source: t.DataType, to: t.DataType) -> str | None:
    """Casts that ANSI rules do not have."""
    match source, to:
        case t.DateType(), (t.NumericType() | t.BooleanType()):
            return f"CAST(NULL AS {duckdb_type(to)})"
        case t.TimestampType(), t.BooleanType():
            return f"(epoch_us({sql}) <> 0)"
        case t.BooleanType(), t.TimestampType():
            return f"make_timestamptz(CAST({sql} AS BIGINT))"
        case ((t.FloatType() | t.DoubleType()), t.TimestampType()):
            return f"wt_saturated_instant(CAST({sql} AS DOUBLE) * 1000000)"
        case t.DecimalType(_, scale), t.StringType() if scale > 6:
            return f"wt_java_decimal({sql}, {scale})"
        case t.IntegralType(), t.BinaryType():
            return f"unhex(right(lpad(hex(CAST({sql} AS BIGINT)), 16, '0'), {_BITS[type(source)] // 4}))"
    return None


def _to_whole(sql: str, source: t.DataType, to: t.DataType) -> str | None:
    name = duckdb_type(to)
    bits = _BITS[type(to)]
    match source:
        case t.DateType():
            return f"CAST(NULL AS {name})"
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
        case t.IntegralType():
            return f"CAST({sql} AS {name})"
    return None
