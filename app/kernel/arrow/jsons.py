"""Records that DuckDB's JSON reads otherwise than Spark does: with something behind them, or a key that comes twice."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import orjson
import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, by_row
from app.kernel.arrow.flat import replaced
from app.kernel.arrow.json_cuts import json_cut
from app.kernel.arrow.json_records import last_if_usual
from app.kernel.variant.parse import first_value, no_json
from app.plan.json_reader import PATHS, RECORDS, Leniency, read_json, written


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


def _first(text: str) -> str | None:
    found = first_value(text)
    return _read(text, PATHS) if found is None else found


def _read(text: str, allowed: Leniency) -> str | None:
    try:
        return written(read_json(text, allowed))
    except ValueError:
        return None


def _record(text: str, valid: bool) -> str | None:
    """`valid` is not asked where the text is looked at."""
    found = first_value(text)
    if found is None:
        found = _read(text, RECORDS)
    return None if found is None else _last(found)


def _standard(text: str, allowed: str) -> str | None:
    return _read(text, _leniency(allowed))


_leniency = lru_cache(64)(lambda allowed: Leniency(**json.loads(allowed)))


def _records(column: pa.Array, valid: pa.Array) -> pa.Array:
    found, usual = last_if_usual(column, valid)
    if usual is None:
        return found
    others = by_row(_record, pa.string())(column.filter(pa.array(~usual)), valid.filter(pa.array(~usual)))
    return replaced(found, ~usual, others)


FUNCTIONS = {
    "wa_json_cut": ArrowFunction(json_cut, ("VARCHAR",), "VARCHAR"),
    "wa_json_first": ArrowFunction(by_row(_first, pa.string()), ("VARCHAR",), "VARCHAR"),
    "wa_json_standard": ArrowFunction(by_row(_standard, pa.string()), ("VARCHAR", "VARCHAR"), "VARCHAR"),
    "wa_json_record": ArrowFunction(_records, ("VARCHAR", "BOOLEAN"), "VARCHAR"),
}
"""What the first JSON value of a text may be; what it is, null where it begins with none, in the standard's form; the
same with what is given as allowed, by name; and a record, of which `json_valid` is told, in which the last value of a
key counts, in every object of it."""
