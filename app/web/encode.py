"""Result rows as JSON, NDJSON and CSV: each value in the text form of its Spark type.

Whole and floating numbers are JSON numbers (a bigint may pass 2^53), NaN and the infinities strings; decimals are
strings, exact; instants are ISO 8601 in UTC with a Z, a `timestamp_ntz` the same without; binary is base64;
intervals are ISO 8601 durations; arrays, maps and structs are JSON arrays and objects; variants are the JSON they hold.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterator, Sequence
from datetime import time
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from app.kernel.iso_times import is_ordinary, iso_date, iso_instant
from app.kernel.values import plain_values
from app.kernel.variant.show import json_text
from app.plan import types as t

_SPECIAL = frozenset('",\r\n')


def to_values(table: pa.Table, schema: t.StructType) -> list[list[Any]]:
    """The columns of `table`, whose types are those of `schema`, as lists of JSON values."""
    return [_column(table.column(i), f.dataType) for i, f in enumerate(schema.fields)]


def to_json(table: pa.Table, schema: t.StructType, head: dict[str, Any]) -> bytes:
    """One object: the members of `head`, then `columns` and `rows` (an object a row)."""
    columns = [{"name": f.name, "type": f.dataType.simpleString(), "nullable": f.nullable} for f in schema.fields]
    return orjson.dumps({**head, "columns": columns, "rows": list(_objects(table, schema))})


def to_ndjson(table: pa.Table, schema: t.StructType) -> bytes:
    """An object a line."""
    return b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in _objects(table, schema))


def to_csv(table: pa.Table, schema: t.StructType) -> bytes:
    """RFC 4180 with a header line. Null is an empty field, an empty string is `""`."""
    values = to_values(table, schema)
    lines = [[_field(name) for name in schema.names]]
    lines += [[_field(value) for value in row] for row in zip(*values, strict=True)]
    return "".join(",".join(line) + "\r\n" for line in lines).encode()


def _objects(table: pa.Table, schema: t.StructType) -> Iterator[dict[str, Any]]:
    names = schema.names
    for row in zip(*to_values(table, schema), strict=True):
        yield dict(zip(names, row, strict=True))


def _field(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    plain = text and not _SPECIAL & set(text)
    return text if plain else '"' + text.replace('"', '""') + '"'


def _column(column: pa.ChunkedArray, kind: t.DataType) -> list[Any]:
    return [value for chunk in column.chunks for value in _values(chunk, kind)]


def _values(array: pa.Array, kind: t.DataType) -> list[Any]:
    nested = _NESTED.get(type(kind))
    if nested is not None:
        return nested(array, kind)
    if isinstance(kind, (t.DateType, t.TimestampType, t.TimestampNTZType)):
        return _times(array, isinstance(kind, t.TimestampType))
    if isinstance(kind, t.DayTimeIntervalType):
        array = pc.cast(array, pa.int64())
    convert = _SCALARS.get(type(kind))
    values: list[Any] = array.to_pylist()
    return values if convert is None else [None if v is None else convert(v) for v in values]


def _times(array: pa.Array, zoned: bool) -> list[str | None]:
    if pa.types.is_date32(array.type):
        if is_ordinary(array):
            return list(pc.cast(array, pa.string()).to_pylist())
        return [None if days is None else iso_date(days) for days in plain_values(array)]
    if is_ordinary(array):
        return [None if text is None else _iso(text) for text in pc.cast(array, pa.string()).to_pylist()]
    instants = [None if us is None else iso_instant(us) for us in plain_values(array)]
    return [text and _iso(text + ("Z" if zoned else "")) for text in instants]


def _iso(text: str) -> str:
    text, zone = (text[:-1], "Z") if text.endswith("Z") else (text, "")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace(" ", "T", 1) + zone


def _double(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _float(value: float) -> float | str:
    # The shortest text of the 32-bit number: 0.1, not 0.10000000149011612.
    return float(str(np.float32(value))) if math.isfinite(value) else _double(value)


def _duration(value_us: int) -> str:
    seconds, micros = divmod(abs(value_us), 1_000_000)
    fraction = f".{micros:06}".rstrip("0") if micros else ""
    return f"PT{'-' if value_us < 0 else ''}{seconds}{fraction}S"


def _calendar(value: pa.MonthDayNano) -> str:
    return f"P{value.months}M{value.days}D{_duration(value.nanoseconds // 1000)[1:]}"


def _clock(value: time) -> str:
    text = value.isoformat()
    return text.rstrip("0") if value.microsecond else text


def _struct(array: pa.Array, kind: t.StructType) -> list[Any]:
    # `flatten` and not `field`: only it minds the offset of a slice and the nulls of the struct itself.
    parts = [_values(part, f.dataType) for part, f in zip(array.flatten(), kind.fields, strict=True)]
    rows = zip(*parts, strict=True) if parts else iter([()] * len(array))
    here = array.is_valid().to_pylist()
    return [dict(zip(kind.names, row, strict=True)) if ok else None for ok, row in zip(here, rows, strict=True)]


def _array(array: pa.Array, kind: t.ArrayType) -> list[Any]:
    return _cut(array, _values(array.values, kind.elementType))


def _map(array: pa.Array, kind: t.MapType) -> list[Any]:
    keys = [k if isinstance(k, str) else orjson.dumps(k).decode() for k in _values(array.keys, kind.keyType)]
    pairs = list(zip(keys, _values(array.items, kind.valueType), strict=True))
    return [None if entries is None else dict(entries) for entries in _cut(array, pairs)]


def _variant(array: pa.Array, _: t.VariantType) -> list[Any]:
    """As their JSON: no number loses a digit."""
    found = plain_values(array)
    return [None if v is None else orjson.Fragment(json_text(*v)) for v in found]


def _cut(array: pa.Array, inner: Sequence[Any]) -> list[Any]:
    offsets, here = array.offsets.to_pylist(), array.is_valid().to_pylist()
    return [list(inner[offsets[i] : offsets[i + 1]]) if ok else None for i, ok in enumerate(here)]


_SCALARS: dict[type[t.DataType], Callable[[Any], Any]] = {
    t.FloatType: _float,
    t.DoubleType: _double,
    t.DecimalType: lambda value: format(value, "f"),
    t.BinaryType: lambda value: base64.b64encode(value).decode("ascii"),
    t.DayTimeIntervalType: _duration,
    t.YearMonthIntervalType: lambda months: f"P{months}M",
    t.CalendarIntervalType: _calendar,
    t.TimeType: _clock,
}
_NESTED: dict[type[t.DataType], Callable[[pa.Array, Any], list[Any]]] = {
    t.StructType: _struct,
    t.ArrayType: _array,
    t.MapType: _map,
    t.VariantType: _variant,
}
