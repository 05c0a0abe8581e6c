"""Arrow columns as text that PostgreSQL's types read, and back.

Text is the one form that fits whatever type an existing column has (bigint into numeric, an instant into
timestamp), and Arrow makes it by the column.
"""

from __future__ import annotations

import base64
import datetime as dt
import decimal
import json
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from app.errors import SinkBroken
from app.kernel.iso_times import iso_date, iso_instant
from app.kernel.variant.parse import carried_of_json
from app.kernel.variant.show import json_text
from app.plan.carriers import is_variant
from app.storage.times import count_of, parse_times, time_texts


def render(column: pa.ChunkedArray, kind: pa.DataType, postgres_type: str, name: str, table: str) -> pa.ChunkedArray:
    """The column as strings. `kind` is its type, with the marks of variants, which the column may have lost;
    `postgres_type` is the type it goes into. Raises: SinkBroken for a NUL character and for times out of range."""
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        _refuse_nul(column, name, table)
        return column
    if pa.types.is_duration(kind):
        return _suffixed(pc.cast(column, pa.int64()), " microseconds")
    if pa.types.is_interval(kind):
        return _each(column, lambda v: f"{v.months} months {v.days} days {v.nanoseconds // 1000} microseconds")
    if postgres_type == "interval":
        return _suffixed(column, " months")
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return _each(column, lambda value: "\\x" + value.hex())
    if pa.types.is_nested(kind):
        counted = column.cast(_counted(column.type))
        return _each(counted, lambda value: orjson.dumps(_plain(value, kind)).decode())
    if pa.types.is_timestamp(kind) or pa.types.is_date32(kind):
        return time_texts(column, name, table)
    if pa.types.is_null(kind):
        return pa.chunked_array([pa.nulls(len(column), pa.string())])
    return pc.cast(column, pa.string())


def parse(texts: list[str | None], kind: pa.DataType) -> pa.Array:
    """What `SELECT column::text` gave, as Arrow. Intervals come as whole microseconds or months, calendar intervals
    as months, days and microseconds."""
    if pa.types.is_binary(kind):
        return pa.array([None if text is None else bytes.fromhex(text[2:]) for text in texts], kind)
    if is_variant(kind):
        return pa.array([None if text is None else _variant(text) for text in texts], kind)
    if pa.types.is_nested(kind):
        values = [
            None if text is None else _typed(json.loads(text, parse_float=decimal.Decimal), kind) for text in texts
        ]
        return pa.array(values, kind)
    if pa.types.is_duration(kind):
        return pa.array(texts, pa.string()).cast(pa.int64()).cast(kind)
    if pa.types.is_interval(kind):
        counts = [None if text is None else [int(part) for part in text.split()] for text in texts]
        spans = [None if n is None else pa.MonthDayNano([n[0], n[1], n[2] * 1000]) for n in counts]
        return pa.array(spans, kind)
    if pa.types.is_time(kind):
        return pa.array([None if text is None else dt.time.fromisoformat(text) for text in texts], kind)
    if pa.types.is_timestamp(kind) or pa.types.is_date32(kind):
        return parse_times(texts, kind)
    return pa.array(texts, pa.string()).cast(kind)


def _refuse_nul(column: pa.ChunkedArray, name: str, table: str) -> None:
    if pc.any(pc.match_substring(column, "\x00")).as_py():
        raise SinkBroken(
            f"A value of column {name!r} for table {table!r} holds a NUL character, which PostgreSQL's text cannot "
            f"store. Take it out before (`regexp_replace({name}, '\\u0000', '')`), or filter such rows.",
            table=table,
            column=name,
        )


def _suffixed(numbers: pa.ChunkedArray, unit: str) -> pa.ChunkedArray:
    return pc.binary_join_element_wise(pc.cast(numbers, pa.string()), unit, "")


def _each(column: pa.ChunkedArray, text_of: Any) -> pa.ChunkedArray:
    """By the value: only for types that Arrow cannot turn into text itself."""
    texts = [None if value is None else text_of(value) for value in column.to_pylist()]
    return pa.chunked_array([pa.array(texts, pa.string())])


def _counted(kind: pa.DataType) -> pa.DataType:
    """The type with days and microseconds for dates and instants, which Python's own cannot all hold."""
    if pa.types.is_date32(kind):
        return pa.int32()
    if pa.types.is_timestamp(kind):
        return pa.int64()
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_counted(field.type)) for field in kind])
    if pa.types.is_map(kind):
        key, item = kind.key_field, kind.item_field
        return pa.map_(key.with_type(_counted(key.type)), item.with_type(_counted(item.type)))
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_counted(kind.value_type)))
    return kind


def _plain(value: Any, kind: pa.DataType) -> Any:
    """A nested value as JSON has it: instants in UTC, binary as base64, NaN and decimals as Spark's to_json."""
    if value is None:
        return None
    if is_variant(kind):
        return orjson.Fragment(json_text(value["variant"]))
    if pa.types.is_struct(kind):
        return {field.name: _plain(value[field.name], field.type) for field in kind}
    if pa.types.is_map(kind):
        return {_key(k, kind.key_type): _plain(v, kind.item_type) for k, v in value}
    if pa.types.is_nested(kind):
        return [_plain(item, kind.value_type) for item in value]
    if pa.types.is_date32(kind):
        return iso_date(value)
    if pa.types.is_timestamp(kind):
        return iso_instant(value) + ("+00:00" if kind.tz else "")
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, float) and value - value != 0.0:
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, decimal.Decimal):
        return orjson.Fragment(format(value, "f"))
    if isinstance(value, dt.timedelta):
        return value // dt.timedelta(microseconds=1)
    return value


def _variant(text: str) -> dict[str, str]:
    """JSON as a variant again; numbers are what jsonb has made of them, times are texts."""
    return {"variant": carried_of_json(text, allow_duplicates=True)}


def _text_of(tree: Any) -> str:
    if isinstance(tree, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{_text_of(item)}" for name, item in tree.items()) + "}"
    if isinstance(tree, list):
        return "[" + ",".join(map(_text_of, tree)) + "]"
    return format(tree, "f") if isinstance(tree, decimal.Decimal) else json.dumps(tree)


def _key(value: Any, kind: pa.DataType) -> str:
    return value if isinstance(value, str) else orjson.dumps(_plain(value, kind)).decode().strip('"')


def _typed(value: Any, kind: pa.DataType) -> Any:
    """The other way round: what Arrow needs to make a value of `kind` from JSON."""
    if value is None and not is_variant(kind):
        return None
    if is_variant(kind):
        return _variant(_text_of(value))
    if pa.types.is_struct(kind):
        return {field.name: _typed(value.get(field.name), field.type) for field in kind}
    if pa.types.is_map(kind):
        return [(_typed(k, kind.key_type), _typed(v, kind.item_type)) for k, v in value.items()]
    if pa.types.is_nested(kind):
        return [_typed(item, kind.value_type) for item in value]
    if pa.types.is_binary(kind):
        return base64.b64decode(value)
    if pa.types.is_duration(kind):
        return dt.timedelta(microseconds=int(value))
    if pa.types.is_string(kind):
        return value if isinstance(value, str) else json.dumps(value, default=str)
    if pa.types.is_time(kind):
        return dt.time.fromisoformat(value)
    if pa.types.is_timestamp(kind) or pa.types.is_date32(kind):
        return count_of(value, kind)
    return pa.scalar(value if isinstance(value, str) else str(value)).cast(kind).as_py()
