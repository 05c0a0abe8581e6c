"""Python rows to Arrow tables and back.

A naive `datetime` for a timestamp is in the machine's time zone, both ways, as in PySpark; the session time zone
only matters where timestamps become text. Year-month intervals come back as a number of months, other values as
PySpark gives them: Row for structs, dict for maps, bytes for binary, `datetime.time` for times of day.
Calendar intervals have no Python value, in PySpark too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

import pyarrow as pa

from app.errors import ArgumentError, PlanError, RowError
from app.kernel.values import plain_values
from app.kernel.variant.spark import from_bytes, to_bytes
from app.plan import types as t
from app.plan.carriers import arrow_schema, arrow_type
from app.sql.row import Row
from app.sql.variant import VariantVal

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_NTZ = datetime(1970, 1, 1)
_EPOCH_DAY = date(1970, 1, 1).toordinal()
_US = timedelta(microseconds=1)
_EXACT = Context(prec=400)
"""Python's own context has 28 digits, where columns have 38, and more before they are rounded."""

Converter = Callable[[Any], Any]


def table_of(rows: Sequence[Any], schema: t.StructType) -> pa.Table:
    """The rows (tuples, lists, dicts, Rows or objects) as a table that carries `schema`.

    Raises: ArgumentError for a row or value that does not fit, RowError for a decimal with too many digits."""
    try:
        columns = [_array(values, f.dataType) for values, f in zip(_columns(rows, schema), schema.fields, strict=True)]
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        if isinstance(error, ArgumentError):
            raise
        raise ArgumentError(f"A value does not fit {schema.simpleString()}: {error}") from error
    if not columns:
        return pa.table({"": pa.nulls(len(rows))}).select([])
    return pa.Table.from_arrays(columns, schema=arrow_schema(schema))


def _columns(rows: Iterable[Any], struct: t.StructType) -> list[list[Any]]:
    names, width = struct.names, len(struct)
    tuples = [_tuple(row, names, width) for row in rows]
    return [[row[i] for row in tuples] for i in range(width)]


def _tuple(row: Any, names: list[str], width: int) -> Sequence[Any]:
    if row is None:
        return [None] * width
    if isinstance(row, dict):
        return [row.get(name) for name in names]
    if not isinstance(row, (tuple, list)):
        return [row.__dict__.get(name) for name in names]
    if len(row) != width:
        raise ArgumentError(
            f"Input row doesn't have expected number of values required by the schema. {width} fields are required "
            f"while {len(row)} values are provided.",
            code="STRUCT_ARRAY_LENGTH_MISMATCH",
        )
    return row


def _array(values: list[Any], data_type: t.DataType) -> pa.Array:
    arrow = arrow_type(data_type)
    missing = pa.array([v is None for v in values], pa.bool_())
    if isinstance(data_type, t.StructType):
        columns = _columns(values, data_type)
        children = [_array(c, f.dataType) for c, f in zip(columns, data_type.fields, strict=True)]
        return pa.StructArray.from_arrays(children, fields=list(arrow), mask=missing)
    if isinstance(data_type, t.ArrayType):
        items = _array([item for v in values if v is not None for item in v], data_type.elementType)
        return pa.ListArray.from_arrays(_offsets(values), items, type=arrow, mask=missing)
    if isinstance(data_type, t.MapType):
        pairs = [pair for v in values if v is not None for pair in v.items()]
        keys = _array([k for k, _ in pairs], data_type.keyType)
        items = _array([v for _, v in pairs], data_type.valueType)
        return pa.MapArray.from_arrays(_offsets(values), keys, items, type=arrow, mask=missing)
    if isinstance(data_type, t.CalendarIntervalType):
        raise _no_python_value("toInternal")
    into = _INTO.get(type(data_type))
    if isinstance(data_type, t.DecimalType):
        into = _decimal(data_type)
    return pa.array(values if into is None else [None if v is None else into(v) for v in values], arrow)


def _offsets(values: list[Any]) -> pa.Array:
    ends = [0]
    for v in values:
        ends.append(ends[-1] + (0 if v is None else len(v)))
    return pa.array(ends, pa.int32())


def _string(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _decimal(data_type: t.DecimalType) -> Converter:
    step, limit = Decimal(1).scaleb(-data_type.scale), Decimal(10) ** (data_type.precision - data_type.scale)

    def convert(value: Decimal) -> Decimal | None:
        if value.is_nan():
            return None
        if value.copy_abs() >= limit or (rounded := value.quantize(step, ROUND_HALF_UP, _EXACT)).copy_abs() >= limit:
            raise RowError(
                f"{value} cannot be represented as {data_type.simpleString()}.",
                code="NUMERIC_VALUE_OUT_OF_RANGE.WITHOUT_SUGGESTION",
            )
        return rounded

    return convert


_INTO: dict[type[t.DataType], Converter] = {
    t.NullType: lambda value: None,
    t.StringType: _string,
    t.BinaryType: bytes,
    t.DateType: lambda value: value.date() if isinstance(value, datetime) else value,
    t.TimestampType: lambda value: (value.astimezone(UTC) - _EPOCH) // _US,
    t.TimestampNTZType: lambda value: (value.replace(tzinfo=None) - _EPOCH_NTZ) // _US,
    t.VariantType: lambda value: {"variant": from_bytes(bytes(_variant(value).value), bytes(value.metadata))},
}


def _variant(value: Any) -> VariantVal:
    if isinstance(value, VariantVal):
        return value
    raise ArgumentError(
        f"A column of type VARIANT takes VariantVal, not {type(value).__name__}. Use VariantVal.parseJson, or "
        "give the column as texts and use parse_json.",
        code="FIELD_DATA_TYPE_UNACCEPTABLE",
    )


# ---------------------------------------------------------------------------------------------- back


def rows_of(table: pa.Table, schema: t.StructType) -> list[Row]:
    """The rows of a table that carries `schema`, as `collect()` gives them.

    Raises: RowError for a date or timestamp beyond the years 1 to 9999, which Python does not have."""
    names = schema.names
    if not names:
        return [Row._make([], ())] * table.num_rows
    columns = []
    for i, f in enumerate(schema.fields):
        values, out = plain_values(table.column(i)), _out(f.dataType)
        columns.append(values if out is None else [None if v is None else out(v) for v in values])
    return [Row._make(names, values) for values in zip(*columns, strict=True)]


def _out(data_type: t.DataType) -> Converter | None:
    """What turns a plain value that is not null into PySpark's; None where it is the same."""
    match data_type:
        case t.StructType():
            return _struct_out(data_type)
        case t.ArrayType(elementType=item):
            inner = _nullable(_out(item))
            return lambda values: [inner(v) for v in values]
        case t.MapType(keyType=key, valueType=item):
            key_out, item_out = _nullable(_out(key)), _nullable(_out(item))
            return lambda pairs: {key_out(k): item_out(v) for k, v in pairs}
        case t.DateType():
            return _in_range(lambda days: date.fromordinal(days + _EPOCH_DAY))
        case t.TimestampType():
            return _in_range(_local)
        case t.TimestampNTZType():
            return _in_range(lambda us: _EPOCH_NTZ + timedelta(microseconds=us))
        case t.VariantType():
            return lambda parts: VariantVal(*map(bytearray, to_bytes(parts[0])))
        case t.CalendarIntervalType():
            raise _no_python_value("fromInternal")
        case t.DayTimeIntervalType():
            return lambda us: timedelta(microseconds=us)
    return None


def _no_python_value(step: str) -> PlanError:
    return PlanError(
        f"CalendarIntervalType.{step} is not implemented: Python has no value for a calendar interval. Cast it to a "
        "string, or take the rows with toArrow().",
        code="NOT_IMPLEMENTED",
    )


def _local(us: int) -> datetime:
    seconds, rest = divmod(us, 1_000_000)
    return datetime.fromtimestamp(seconds).replace(microsecond=rest)


def _struct_out(struct: t.StructType) -> Converter:
    names, outs = struct.names, [_nullable(_out(f.dataType)) for f in struct]
    return lambda values: Row._make(names, [out(v) for out, v in zip(outs, values, strict=True)])


def _nullable(out: Converter | None) -> Converter:
    if out is None:
        return lambda value: value
    return lambda value: None if value is None else out(value)


def _in_range(out: Converter) -> Converter:
    def convert(value: int) -> Any:
        try:
            return out(value)
        except (ValueError, OverflowError) as error:
            raise RowError(
                "A date or timestamp lies outside the years 1 to 9999 that Python has; cast it to a string, or take "
                "the rows with toArrow().",
                code="DATETIME_OVERFLOW",
            ) from error

    return convert
