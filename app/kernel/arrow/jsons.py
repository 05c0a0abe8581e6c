"""Records that DuckDB's JSON reads otherwise than Spark does: with something behind them, or a key that comes twice."""

from __future__ import annotations

import json
import re

import orjson
import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, by_row
from app.kernel.variant.parse import are_plain, first_value, no_json

_LAST = json.JSONDecoder(parse_int=orjson.Fragment, parse_float=orjson.Fragment, parse_constant=no_json)
"""Keeps the digits of numbers as they are."""


def _last(text: str) -> str:
    try:
        return orjson.dumps(_LAST.decode(text)).decode()
    except (ValueError, RecursionError, orjson.JSONEncodeError):
        return text


_TOKEN = re.compile(r"""("(?:[^"\\]|\\.)*")|'((?:[^'\\]|\\.)*)'|[^"']+|.""", re.DOTALL)
_QUOTE = re.compile(r"(\\.)|\x22", re.DOTALL)


def _quoted(token: re.Match[str]) -> str:
    """A text in single quotes in double ones."""
    if token[2] is None:
        return token[0]
    return '"' + _QUOTE.sub(lambda found: found[0] if found[1] else '\\"', token[2]) + '"'


def _first(text: str) -> str | None:
    return first_value(_TOKEN.sub(_quoted, text) if "'" in text else text)


def _record(text: str) -> str | None:
    found = _first(text)
    if found is None and ("NaN" in text or "Infinity" in text):  # numbers for Spark
        found = text
    return None if found is None else _last(found)


def _records(column: pa.Array) -> pa.Array:
    return column if are_plain(column.drop_null().to_pylist()) else by_row(_record, pa.string())(column)


FUNCTIONS = {
    "wa_json_first": ArrowFunction(by_row(_first, pa.string()), ("VARCHAR",), "VARCHAR"),
    "wa_json_last": ArrowFunction(by_row(_last, pa.string()), ("VARCHAR",), "VARCHAR"),
    "wa_json_record": ArrowFunction(_records, ("VARCHAR",), "VARCHAR"),
}
"""The first JSON value of a text, null where it begins with none, single quotes made double; a record in which the last
value of a key counts, in every object of it; and both."""
