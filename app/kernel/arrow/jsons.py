"""Records that DuckDB's JSON reads otherwise than Spark does: with something behind them, or a key that comes twice."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import orjson
import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, by_row
from app.kernel.variant.parse import are_plain, first_value


def _no_json(word: str) -> NoReturn:
    raise ValueError(word)


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return dict(pairs)


_LAST = json.JSONDecoder(
    object_pairs_hook=_fields, parse_int=orjson.Fragment, parse_float=orjson.Fragment, parse_constant=_no_json
)
"""Keeps the digits of numbers as they are."""


def _last(text: str) -> str:
    try:
        return orjson.dumps(_LAST.decode(text)).decode()
    except (ValueError, RecursionError, orjson.JSONEncodeError):
        return text


def _record(text: str) -> str:
    return _last(first_value(text) or text)


def _records(column: pa.Array) -> pa.Array:
    return column if are_plain(column.drop_null().to_pylist()) else by_row(_record, pa.string())(column)


FUNCTIONS = {
    "wa_json_first": ArrowFunction(by_row(first_value, pa.string()), ("VARCHAR",), "VARCHAR"),
    "wa_json_last": ArrowFunction(by_row(_last, pa.string()), ("VARCHAR",), "VARCHAR"),
    "wa_json_record": ArrowFunction(_records, ("VARCHAR",), "VARCHAR"),
}
"""The first JSON value of a text, null where it begins with none; a record in which the last value of a key counts, in
every object of it; and both, a text that begins with no value staying as it is."""
