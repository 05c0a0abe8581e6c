"""Records that DuckDB's JSON reads otherwise than Spark does: with something behind them, or a key that comes twice."""

from __future__ import annotations

import json
import re
from typing import Any

import orjson
import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, by_row
from app.kernel.arrow.flat import replaced
from app.kernel.arrow.json_cuts import json_cut
from app.kernel.arrow.json_records import last_if_usual
from app.kernel.variant.parse import first_value, no_json


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Each key with its last value, where that stood."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        found.pop(key, None)
        found[key] = value
    return found


_LAST = json.JSONDecoder(
    object_pairs_hook=_fields, parse_int=orjson.Fragment, parse_float=orjson.Fragment, parse_constant=no_json
)
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


def _record(text: str, valid: bool) -> str | None:
    found = _first(text)
    if found is None and valid and ("NaN" in text or "Infinity" in text):  # numbers for Spark
        found = text
    return None if found is None else _last(found)


def _records(column: pa.Array, valid: pa.Array) -> pa.Array:
    found, usual = last_if_usual(column, valid)
    if usual is None:
        return found
    others = by_row(_record, pa.string())(column.filter(pa.array(~usual)), valid.filter(pa.array(~usual)))
    return replaced(found, ~usual, others)


FUNCTIONS = {
    "wa_json_cut": ArrowFunction(json_cut, ("VARCHAR",), "VARCHAR"),
    "wa_json_first": ArrowFunction(by_row(_first, pa.string()), ("VARCHAR",), "VARCHAR"),
    "wa_json_record": ArrowFunction(_records, ("VARCHAR", "BOOLEAN"), "VARCHAR"),
}
"""What the first JSON value of a text may be; what it is, null where it begins with none, single quotes made double;
and a record, of which `json_valid` is told, in which the last value of a key counts, in every object of it."""
