"""Arrow columns as plain Python values, without losing what Python's own types cannot hold."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from app.kernel.variant.spark import from_bytes, to_bytes
from app.plan.carriers import is_variant, spark_arrow


def plain_values(column: pa.ChunkedArray | pa.Array) -> list[Any]:
    """One value a row: instants, dates and spans as whole numbers (microseconds, days), so that none is out
    of range; structs as tuples (field names may repeat), arrays as lists, maps as lists of pairs, null as None.
    """
    if isinstance(column, pa.ChunkedArray):
        return [value for chunk in column.chunks for value in plain_values(chunk)]
    kind = column.type
    if pa.types.is_struct(kind):
        rows: Any = zip(*map(plain_values, column.flatten()), strict=True) if kind.num_fields else [()] * len(column)
        return _with_nulls(list(rows), column)
    if pa.types.is_map(kind):
        pairs = list(zip(plain_values(column.keys), plain_values(column.items), strict=True))
        return _sliced(pairs, column)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _sliced(plain_values(column.values), column)
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        return list(column.cast(pa.int64()).to_pylist())
    if pa.types.is_date32(kind):
        return list(column.cast(pa.int32()).to_pylist())
    return list(column.to_pylist())


def carried(column: pa.ChunkedArray, wanted: pa.DataType) -> pa.ChunkedArray:
    """A column as DuckDB or a program gives it in the Arrow type that carries it between the parts. Raises: RowError
    MALFORMED_VARIANT."""
    if column.type == wanted:
        return column
    return pa.chunked_array([_carried(chunk, wanted) for chunk in column.chunks], wanted)


def _carried(values: pa.Array, wanted: pa.DataType) -> pa.Array:
    """Arrow has no cast for day-time spans and variants, nor for null structs whose fields are never null."""
    if values.type == wanted or (pa.types.is_struct(wanted) and not wanted.num_fields):
        return values
    if values.type == pa.month_day_nano_interval() and pa.types.is_duration(wanted):
        return _durations(values)
    if is_variant(wanted) and values.type.num_fields != wanted.num_fields:
        return _variants(values, wanted)
    if pa.types.is_map(wanted):
        whole = pa.concat_arrays([values])
        keys, items = _carried(whole.keys, wanted.key_type), _carried(whole.items, wanted.item_type)
        return pa.MapArray.from_arrays(whole.offsets, keys, items, type=wanted, mask=whole.is_null())
    if pa.types.is_list(wanted) or pa.types.is_struct(wanted):
        whole = pa.concat_arrays([values])  # without an offset
        if pa.types.is_list(wanted):
            if not pa.types.is_list(whole.type):
                whole = whole.cast(pa.list_(whole.type.value_field))
            items = _carried(whole.values, wanted.value_type)
            return pa.ListArray.from_arrays(whole.offsets, items, wanted, mask=whole.is_null())
        fields = [_carried(whole.field(i), wanted.field(i).type) for i in range(wanted.num_fields)]
        return pa.StructArray.from_arrays(fields, fields=list(wanted), mask=whole.is_null())
    return values.cast(wanted)


_SPARK_VARIANT_NAME = "struct<value: binary, metadata: binary"


def has_spark_variants(arrow: pa.DataType) -> bool:
    """Whether a type holds variants as Spark hands them to Arrow; maybe where a struct only has their names."""
    return _SPARK_VARIANT_NAME in str(arrow)


def for_spark(table: pa.Table) -> pa.Table:
    """A carried table with variants as Spark hands them to Arrow. Raises: RowError VARIANT_SIZE_LIMIT."""
    schema = pa.schema([field.with_type(spark_arrow(field.type)) for field in table.schema])
    if schema == table.schema:
        return table
    columns = [
        column
        if column.type == f.type
        else pa.chunked_array([_carried(chunk, f.type) for chunk in column.chunks], f.type)
        for column, f in zip(table.columns, schema, strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _variants(values: pa.Array, wanted: pa.DataType) -> pa.Array:
    """Variants as they are carried from Spark's bytes, or the other way round."""
    parts = plain_values(values)
    if wanted.num_fields == 1:
        texts = [None if part is None or None in part else from_bytes(*part) for part in parts]
        return pa.array([text and {"variant": text} for text in texts], wanted)
    pairs = [part and to_bytes(part[0]) for part in parts]
    return pa.array([pair and {"value": pair[0], "metadata": pair[1]} for pair in pairs], wanted)


def _durations(spans: pa.Array) -> pa.Array:
    """Arrow has no cast for it: 16 bytes a value, months, days and nanoseconds; a day-time span has no months."""
    layout = np.dtype([("months", "<i4"), ("days", "<i4"), ("ns", "<i8")])
    raw = np.frombuffer(spans.buffers()[1], layout)[spans.offset : spans.offset + len(spans)]
    missing = spans.is_null().to_numpy(zero_copy_only=False)
    us = raw["days"].astype(np.int64) * 86_400_000_000 + raw["ns"] // 1000
    return pa.array(us.astype("timedelta64[us]"), pa.duration("us"), mask=missing)


def _sliced(values: list[Any], column: pa.Array) -> list[Any]:
    bounds = column.offsets.to_pylist()
    return _with_nulls([values[a:b] for a, b in pairwise(bounds)], column)


def _with_nulls(values: list[Any], column: pa.Array) -> list[Any]:
    if not column.null_count:
        return values
    return [v if ok else None for v, ok in zip(values, column.is_valid().to_pylist(), strict=True)]
