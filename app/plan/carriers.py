"""How each Spark type is carried: by Arrow between the parts, DuckDB in the kernel, PostgreSQL in tables.

Spark                Arrow                 DuckDB          PostgreSQL
boolean              bool                  BOOLEAN         boolean
tinyint              int8                  TINYINT         smallint
smallint             int16                 SMALLINT        smallint
int                  int32                 INTEGER         integer
bigint               int64                 BIGINT          bigint
float                float32               FLOAT           real
double               float64               DOUBLE          double precision
decimal(p,s)         decimal128(p,s)       DECIMAL(p,s)    numeric(p,s)
string               string                VARCHAR         text
binary               binary                BLOB            bytea
date                 date32                DATE            date
timestamp            timestamp(us, UTC)    TIMESTAMPTZ     timestamptz
timestamp_ntz        timestamp(us)         TIMESTAMP       timestamp
day-time interval    duration(us)          INTERVAL        interval
year-month interval  int32 (months)        INTEGER         interval
calendar interval    month_day_nano        INTERVAL        interval
time                 time64(us)            TIME            time
array                list                  T[]             jsonb
map                  map                   MAP(K, V)       jsonb
struct               struct                STRUCT(…)       jsonb
void                 null                  "NULL"          refused
variant              struct of a text      STRUCT(…)       jsonb

A variant is carried as JSON in which every value tells its kind (`kernel.variant.carried`), which DuckDB looks into by
itself; Spark's bytes are made where it leaves for a program, and are the same as Spark's own. A mark on its field tells
it from a struct that a user made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from app.errors import PlanError
from app.plan import types as t
from app.plan.structs import kernel_names


@dataclass(frozen=True, slots=True)
class _Carrier:
    arrow: pa.DataType
    duckdb: str
    postgres: str


_ATOMS: dict[type[t.DataType], _Carrier] = {
    t.NullType: _Carrier(pa.null(), '"NULL"', ""),
    t.BooleanType: _Carrier(pa.bool_(), "BOOLEAN", "boolean"),
    t.ByteType: _Carrier(pa.int8(), "TINYINT", "smallint"),
    t.ShortType: _Carrier(pa.int16(), "SMALLINT", "smallint"),
    t.IntegerType: _Carrier(pa.int32(), "INTEGER", "integer"),
    t.LongType: _Carrier(pa.int64(), "BIGINT", "bigint"),
    t.FloatType: _Carrier(pa.float32(), "FLOAT", "real"),
    t.DoubleType: _Carrier(pa.float64(), "DOUBLE", "double precision"),
    t.StringType: _Carrier(pa.string(), "VARCHAR", "text"),
    t.BinaryType: _Carrier(pa.binary(), "BLOB", "bytea"),
    t.DateType: _Carrier(pa.date32(), "DATE", "date"),
    t.TimestampType: _Carrier(pa.timestamp("us", "UTC"), "TIMESTAMPTZ", "timestamptz"),
    t.TimestampNTZType: _Carrier(pa.timestamp("us"), "TIMESTAMP", "timestamp"),
    t.DayTimeIntervalType: _Carrier(pa.duration("us"), "INTERVAL", "interval"),
    t.YearMonthIntervalType: _Carrier(pa.int32(), "INTEGER", "interval"),
    t.VariantType: _Carrier(
        pa.struct([pa.field("variant", pa.string(), True, {"variant": "true"})]),
        "STRUCT(variant VARCHAR)",
        "jsonb",
    ),
    t.CalendarIntervalType: _Carrier(pa.month_day_nano_interval(), "INTERVAL", "interval"),
    t.TimeType: _Carrier(pa.time64("us"), "TIME", "time"),
}

SPARK_VARIANT = pa.struct(
    [pa.field("value", pa.binary()), pa.field("metadata", pa.binary(), True, {"variant": "true"})]
)

_FROM_ARROW: dict[pa.DataType, t.DataType] = {
    pa.null(): t.NullType(),
    pa.bool_(): t.BooleanType(),
    pa.int8(): t.ByteType(),
    pa.int16(): t.ShortType(),
    pa.int32(): t.IntegerType(),
    pa.int64(): t.LongType(),
    pa.uint8(): t.ShortType(),
    pa.uint16(): t.IntegerType(),
    pa.uint32(): t.LongType(),
    pa.uint64(): t.DecimalType(20, 0),
    pa.float16(): t.FloatType(),
    pa.float32(): t.FloatType(),
    pa.float64(): t.DoubleType(),
    pa.string(): t.StringType(),
    pa.large_string(): t.StringType(),
    pa.string_view(): t.StringType(),
    pa.binary(): t.BinaryType(),
    pa.large_binary(): t.BinaryType(),
    pa.binary_view(): t.BinaryType(),
    pa.date32(): t.DateType(),
    pa.date64(): t.DateType(),
    pa.time64("us"): t.TimeType(),
    pa.month_day_nano_interval(): t.CalendarIntervalType(),
}


def arrow_type(data_type: t.DataType) -> pa.DataType:
    """The Arrow type that carries `data_type`."""
    match data_type:
        case t.DecimalType(precision, scale):
            return pa.decimal128(precision, scale)
        case t.ArrayType(element, contains_null):
            return pa.list_(_field("element", element, contains_null))
        case t.MapType(key, value, contains_null):
            return pa.map_(arrow_type(key), _field("value", value, contains_null))
        case t.StructType():
            return pa.struct(list(arrow_schema(data_type)))
    return _atom(data_type).arrow


def arrow_schema(struct: t.StructType) -> pa.Schema:
    """The schema of an Arrow table that holds rows of `struct`: names, carried types, nullability."""
    return pa.schema([_field(f.name, f.dataType, f.nullable) for f in struct])


def _field(name: str, data_type: t.DataType, nullable: bool) -> pa.Field:
    """Arrow has no field of nulls that may not be null, which is what `array()` without items gives."""
    return pa.field(name, arrow_type(data_type), nullable or isinstance(data_type, t.NullType))


def duckdb_type(data_type: t.DataType) -> str:
    """The DuckDB type, as SQL text, that carries `data_type` in the kernel."""
    match data_type:
        case t.DecimalType(precision, scale):
            return f"DECIMAL({precision},{scale})"
        case t.ArrayType(element):
            return f"{duckdb_type(element)}[]"
        case t.MapType(key, value):
            return f"MAP({duckdb_type(key)}, {duckdb_type(value)})"
        case t.StructType() if len(data_type):
            fields = zip(kernel_names(data_type.names), data_type, strict=True)
            return f"STRUCT({', '.join(f'{_quoted(name)} {duckdb_type(f.dataType)}' for name, f in fields)})"
        case t.StructType():
            raise _refused(data_type, "a struct without fields has no DuckDB type; give it a field")
    return _atom(data_type).duckdb


def postgres_type(data_type: t.DataType) -> str:
    """The PostgreSQL column type, as SQL text. Raises: PlanError where PostgreSQL has none."""
    match data_type:
        case t.DecimalType(precision, scale):
            return f"numeric({precision},{scale})"
        case t.ArrayType() | t.MapType() | t.StructType():
            if _holds(data_type, lambda kind: isinstance(kind, t.CalendarIntervalType)):
                raise _refused(data_type, "a calendar interval in it has no JSON form; cast that to STRING")
            if _holds(data_type, lambda kind: isinstance(kind, t.StructType) and len(set(kind.names)) < len(kind)):
                raise _refused(data_type, "jsonb keeps one value of a name; give the fields of its structs other names")
            return "jsonb"
        case t.NullType():
            raise _refused(data_type, "a PostgreSQL table has no column of type VOID; cast it to another type")
    return _atom(data_type).postgres


def from_arrow(arrow: pa.DataType) -> t.DataType:
    """The Spark type of an Arrow type. Unsigned numbers become the next wider signed ones; encodings and
    units that Spark does not tell apart become one type. Raises: PlanError."""
    known = _FROM_ARROW.get(arrow)
    if known is not None:
        return known
    if pa.types.is_dictionary(arrow) or pa.types.is_run_end_encoded(arrow):
        return from_arrow(arrow.value_type)
    if pa.types.is_timestamp(arrow):
        return t.TimestampType() if arrow.tz else t.TimestampNTZType()
    if pa.types.is_decimal(arrow) and arrow.precision <= 38 and 0 <= arrow.scale <= arrow.precision:
        return t.DecimalType(arrow.precision, arrow.scale)
    if pa.types.is_duration(arrow):
        return t.DayTimeIntervalType()
    if pa.types.is_fixed_size_binary(arrow):
        return t.BinaryType()
    if pa.types.is_map(arrow):
        return t.MapType(from_arrow(arrow.key_type), from_arrow(arrow.item_type), arrow.item_field.nullable)
    if pa.types.is_nested(arrow) and hasattr(arrow, "value_field"):
        return t.ArrayType(from_arrow(arrow.value_type), arrow.value_field.nullable)
    if is_variant(arrow):
        return t.VariantType()
    if pa.types.is_struct(arrow):
        return from_arrow_schema(pa.schema(list(arrow)))
    raise PlanError(
        f"The Arrow type {arrow} has no Spark type; cast the column before it is handed over.",
        code="UNSUPPORTED_DATA_TYPE_FOR_ARROW_CONVERSION",
    )


def from_arrow_schema(schema: pa.Schema) -> t.StructType:
    """The struct of an Arrow schema. Raises: PlanError."""
    return t.StructType([t.StructField(f.name, from_arrow(f.type), f.nullable) for f in schema])


def _holds(data_type: t.DataType, sought: Callable[[t.DataType], bool]) -> bool:
    """Whether a type is what is sought, or has it inside."""
    match data_type:
        case t.ArrayType(element):
            inner = [element]
        case t.MapType(key, value):
            inner = [key, value]
        case t.StructType():
            inner = [f.dataType for f in data_type]
        case _:
            inner = []
    return sought(data_type) or any(_holds(kind, sought) for kind in inner)


def kernel_arrow(arrow: pa.DataType) -> pa.DataType:
    """An Arrow type with the names that DuckDB gets for the fields of its structs."""
    if not pa.types.is_nested(arrow):
        return arrow
    if pa.types.is_map(arrow):
        return pa.map_(kernel_arrow(arrow.key_type), _kernel_field(arrow.item_field))
    if pa.types.is_list(arrow):
        return pa.list_(_kernel_field(arrow.value_field))
    if pa.types.is_struct(arrow):
        names = kernel_names(field.name for field in arrow)
        return pa.struct([_kernel_field(f).with_name(name) for f, name in zip(arrow, names, strict=True)])
    return arrow


def _kernel_field(field: pa.Field) -> pa.Field:
    return field.with_type(kernel_arrow(field.type))


def is_variant(arrow: pa.DataType) -> bool:
    """Whether an Arrow type is marked as one of variants, as they are carried or as Spark has them."""
    marks = [field.metadata or {} for field in arrow] if pa.types.is_struct(arrow) else []
    return len(marks) in (1, 2) and any(b"variant" in mark for mark in marks)


def spark_arrow(arrow: pa.DataType) -> pa.DataType:
    """An Arrow type with variants as Spark hands them to Arrow."""
    if is_variant(arrow):
        return SPARK_VARIANT
    if pa.types.is_map(arrow):
        return pa.map_(arrow.key_type, _spark_field(arrow.item_field))
    if pa.types.is_list(arrow):
        return pa.list_(_spark_field(arrow.value_field))
    return pa.struct([_spark_field(field) for field in arrow]) if pa.types.is_struct(arrow) else arrow


def _spark_field(field: pa.Field) -> pa.Field:
    return field.with_type(spark_arrow(field.type))


def _atom(data_type: t.DataType) -> _Carrier:
    carrier = _ATOMS.get(type(data_type))
    if carrier is None:
        raise _refused(data_type, "it is not a type a column can have")
    return carrier


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _refused(data_type: t.DataType, why: str) -> PlanError:
    return PlanError(
        f"The type {data_type.sql()} cannot be carried: {why}.", code="UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE"
    )
