"""Casts by Spark's ANSI rules, printed as DuckDB SQL."""

from __future__ import annotations

from app.errors import PlanError
from app.kernel.interval_casts import SPANS, interval_cast, interval_text
from app.plan import types as t
from app.plan.carriers import duckdb_type
from app.plan.coerce import is_interval
from app.plan.functions.decimals import decimal_text
from app.plan.functions.signature import TOO_LONG, once
from app.plan.functions.variants import print_get, print_json, print_variant
from app.plan.structs import field_of, struct_of

# Spark asks whether a number is at most the last BIGINT, which is 2^63 as a double.
_LONG = "CASE WHEN (given) = 9223372036854775808e0 THEN 9223372036854775807 ELSE {cast}(trunc((given)) AS BIGINT) END"


def print_cast(sql: str, source: t.DataType, to: t.DataType, safe: bool = False, depth: int = 0) -> str:
    """`CAST(sql AS to)`, or `TRY_CAST` with `safe`. Raises: PlanError for a pair Spark has no cast for."""
    if isinstance(source, t.NullType):
        return f"CAST({sql} AS {duckdb_type(to)})"
    if isinstance(source, t.VariantType):
        return print_get(sql, "'$'", to, safe, "UTC", steps=())
    if isinstance(to, t.VariantType):
        return print_variant(sql, source)
    return _between_types(sql, source, to, safe, depth)


def _between_types(sql: str, source: t.DataType, to: t.DataType, safe: bool, depth: int) -> str:
    cast = "TRY_CAST" if safe else "CAST"
    name = duckdb_type(to)
    if is_interval(to) or (isinstance(source, SPANS) and not isinstance(to, t.StringType)):
        return interval_cast(sql, source, to, cast)
    match source, to:
        case _, t.StringType():
            return _to_text(sql, source, depth)
        case t.StringType(), _:
            return _from_text(sql, to, safe)
        case ((t.FloatType() | t.DoubleType()), t.LongType()):
            return _once(sql, sql, _LONG.format(cast=cast))
        case (t.FloatType() | t.DoubleType(), t.IntegralType()) | (t.DecimalType(), t.IntegralType()):
            return f"{cast}(trunc({sql}) AS {name})"
        case ((t.FloatType() | t.DoubleType()), t.DecimalType()):
            # Of all the digits of a double, which a float becomes first.
            double = f"CAST({sql} AS DOUBLE)" if isinstance(source, t.FloatType) else sql
            return f"{cast}(CAST(CASE WHEN isfinite({sql}) THEN {double} END AS VARCHAR) AS {name})"
        case t.DoubleType(), t.FloatType():
            return (
                f"CAST(coalesce(TRY_CAST({sql} AS FLOAT), CASE WHEN {sql} > 0 THEN CAST('inf' AS FLOAT) "
                f"WHEN {sql} < 0 THEN CAST('-inf' AS FLOAT) END) AS FLOAT)"
            )
        case t.TimestampType(), t.NumericType():
            return _seconds_of(sql, to, cast)
        case t.NumericType(), t.TimestampType():
            return _instant_of(sql, source, cast)
        case t.ArrayType(), t.ArrayType():
            v = f"v{depth}"
            inner = print_cast(v, source.elementType, to.elementType, safe, depth + 1)
            return f"list_transform({sql}, lambda {v}: {inner})"
        case t.MapType(), t.MapType():
            return _map(sql, source, to, safe, depth)
        case t.StructType(), t.StructType():
            return _struct(sql, source, to, safe, depth)
    if _direct(source, to):
        return f"{cast}({sql} AS {name})"
    raise PlanError(
        f'Cannot cast "{source.sql()}" to "{to.sql()}". Go through a type both know, or leave the cast out.',
        code="DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
    )


def _direct(source: t.DataType, to: t.DataType) -> bool:
    numbers = (t.NumericType, t.BooleanType)
    times = (t.DateType, t.TimestampType, t.TimestampNTZType)
    return (isinstance(source, numbers) and isinstance(to, numbers)) or (
        (isinstance(source, times) and isinstance(to, times)) or type(source) is type(to)
    )


_TEXT_FORMS: dict[type[t.DataType], str] = {
    t.FloatType: "wt_float",
    t.DoubleType: "wt_float",
    t.DecimalType: "wt_number",
    t.BooleanType: "wt_truth",
    t.DateType: "wt_day",
    t.TimestampType: "wt_instant_here",
    t.TimestampNTZType: "wt_local_instant",
    t.TimeType: "wt_clock",
}


def _from_text(sql: str, to: t.DataType, safe: bool) -> str:
    if isinstance(to, t.BinaryType):
        return f"encode({sql})"
    if isinstance(to, t.CalendarIntervalType):
        return _once(sql, sql, "wt_read_calendar(given)")
    form = "wt_whole" if isinstance(to, t.IntegralType) else _TEXT_FORMS.get(type(to))
    if form is None:
        raise PlanError(
            f'Cannot cast "STRING" to "{to.sql()}" here. Build the value with a function instead.',
            code="DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
        )
    if safe:
        return f"TRY_CAST({form}({sql}) AS {duckdb_type(to)})"
    if isinstance(to, (t.TimestampType, t.TimestampNTZType)):
        found = f"TRY_CAST({form}({sql}) AS {duckdb_type(to)})"
        return f"wt_checked({found}, {sql}, '{to.sql()}')"
    return f"CAST(wt_checked({form}({sql}), {sql}, '{to.sql()}') AS {duckdb_type(to)})"


def _once(value: str, sql: str, text: str) -> str:
    """`text` of `given`, which is `value` made from `sql`; the macro in it repeats its argument."""
    return once(value, "given", text) if len(sql) >= TOO_LONG else text.replace("(given)", f"({value})")


def _to_text(sql: str, source: t.DataType, depth: int) -> str:
    v = f"v{depth}"
    match source:
        case t.StringType():
            return sql
        case t.VariantType():
            return print_json(sql, "UTC")
        case t.FloatType() | t.DoubleType():
            return _once(sql, sql, "wt_java_number(given)")
        case t.DecimalType():
            return decimal_text(sql, source)
        case t.BinaryType():
            return f"decode({sql})"
        case t.TimestampType():
            return _once(f"CAST({sql} AS TIMESTAMP)", sql, "wt_time_text(given)")
        case t.TimestampNTZType():
            return _once(sql, sql, "wt_time_text(given)")
        case t.DateType():
            return _once(sql, sql, "wt_date_text(given)")
        case t.CalendarIntervalType():
            return f"wt_calendar_text({sql})"
        case t.ArrayType(element):
            shown = f"coalesce({_to_text(v, element, depth + 1)}, 'null')"
            return f"('[' || array_to_string(list_transform({sql}, lambda {v}: {shown}), ', ') || ']')"
        case t.MapType(key, value):
            shown = f"coalesce({_to_text(f'{v}.value', value, depth + 1)}, 'null')"
            pair = f"{_to_text(f'{v}.key', key, depth + 1)} || ' -> ' || {shown}"
            return f"('{{' || array_to_string(list_transform(map_entries({sql}), lambda {v}: {pair}), ', ') || '}}')"
        case t.StructType():
            glue = " || ', ' || "
            fields = (_to_text(field_of(sql, at), f.dataType, depth + 1) for at, f in enumerate(source))
            parts = [f"coalesce({field}, 'null')" for field in fields]
            return f"CASE WHEN {sql} IS NOT NULL THEN '{{' || {glue.join(parts)} || '}}' END"
    if isinstance(source, (t.DayTimeIntervalType, t.YearMonthIntervalType)):
        return interval_text(sql, source)
    return f"CAST({sql} AS VARCHAR)"


def _seconds_of(sql: str, to: t.DataType, cast: str) -> str:
    if isinstance(to, t.IntegralType):
        return f"{cast}(wt_floor_div(epoch_us({sql}), 1000000) AS {duckdb_type(to)})"
    if isinstance(to, t.DecimalType):
        return f"{cast}(CAST(epoch_us({sql}) AS DECIMAL(20,0)) * CAST('0.000001' AS DECIMAL(6,6)) AS {duckdb_type(to)})"
    return f"CAST(epoch_us({sql}) / 1000000 AS {duckdb_type(to)})"


def _instant_of(sql: str, source: t.DataType, cast: str) -> str:
    if isinstance(source, t.LongType):
        return f"make_timestamptz(wt_second_us({sql}))"
    if isinstance(source, t.IntegralType):
        return f"make_timestamptz(CAST({sql} AS BIGINT) * 1000000)"
    if isinstance(source, t.DecimalType) and source.precision > 31:
        scales = (source.scale, max(6 - source.scale, 0), max(source.scale - 6, 0))
        powers = ", ".join(f"CAST('1{'0' * scale}' AS HUGEINT)" for scale in scales)
        return f"make_timestamptz(CAST(wt_wide_second_us(wt_unscaled({sql}), {powers}) AS BIGINT))"
    if isinstance(source, t.DecimalType):
        wide = f"CAST({sql} AS DECIMAL(38,{source.scale}))"
        return f"make_timestamptz(CAST(wt_wrap64(CAST(trunc({wide} * 1000000) AS HUGEINT)) AS BIGINT))"
    sql = f"CAST({sql} AS DOUBLE)"
    finite = f"CASE WHEN isfinite({sql}) THEN {sql} END" if cast == "TRY_CAST" else f"wt_finite({sql})"
    return f"make_timestamptz({cast}(trunc({finite} * 1000000) AS BIGINT))"


def _map(sql: str, source: t.MapType, to: t.MapType, safe: bool, depth: int) -> str:
    v = f"v{depth}"
    key = print_cast(f"{v}.key", source.keyType, to.keyType, safe, depth + 1)
    value = print_cast(f"{v}.value", source.valueType, to.valueType, safe, depth + 1)
    entries = f"list_transform(map_entries({sql}), lambda {v}: {{'key': {key}, 'value': {value}}})"
    return f"map_from_entries({entries})"


def _struct(sql: str, source: t.StructType, to: t.StructType, safe: bool, depth: int) -> str:
    values = [
        print_cast(field_of(sql, at), old.dataType, new.dataType, safe, depth + 1)
        for at, (old, new) in enumerate(zip(source, to, strict=True))
    ]
    return f"CASE WHEN {sql} IS NOT NULL THEN {struct_of(to.names, values)} END"
