"""JSON as text: read by a schema, written, taken apart; and maps written as text."""

from __future__ import annotations

from collections.abc import Mapping

from app.errors import ArgumentError
from app.plan.types import ArrayType, DataType, StructType
from app.sql.column import Column
from app.sql.functions.building import ColumnOrName, call, lit, value


def from_json(
    col: ColumnOrName,
    schema: ArrayType | StructType | Column | str,
    options: Mapping[str, str] | None = None,
) -> Column:
    """The value that JSON text holds, by a schema given as a type or as DDL text; null for what is no JSON.

    >>> from_json("a", "x INT")._expr.args[1].value
    'x INT'
    """
    text = schema.json() if isinstance(schema, DataType) else schema
    return call("from_json", col, lit(text), _as_map(options))


def to_json(col: ColumnOrName, options: Mapping[str, str] | None = None) -> Column:
    """A struct, map or array as JSON text."""
    return call("to_json", col, _as_map(options))


def json_tuple(col: ColumnOrName, *fields: str) -> Column:
    """One column for each field of a JSON object, as text. Raises: ArgumentError without fields."""
    if not fields:
        raise ArgumentError("json_tuple() needs at least one field.", code="CANNOT_BE_EMPTY")
    return call("json_tuple", col, *(lit(field) for field in fields))


def str_to_map(
    text: ColumnOrName, pairDelim: ColumnOrName | None = None, keyValueDelim: ColumnOrName | None = None
) -> Column:
    """The map written in a text, its pairs parted by `pairDelim` (a comma), keys by `keyValueDelim` (a colon)."""
    if keyValueDelim is None:
        return call("str_to_map", text, pairDelim)
    return call("str_to_map", text, lit(",") if pairDelim is None else value(pairDelim), keyValueDelim)


def from_csv(col: ColumnOrName, schema: Column | str, options: Mapping[str, str] | None = None) -> Column:
    """The struct that a line of CSV holds, by a schema given as DDL text; null for each field that is none."""
    return call("from_csv", col, lit(schema), _as_map(options))


def schema_of_json(json: Column | str, options: Mapping[str, str] | None = None) -> Column:
    """The schema of a JSON text, as DDL text."""
    return call("schema_of_json", lit(json), _as_map(options))


def to_csv(col: ColumnOrName, options: Mapping[str, str] | None = None) -> Column:
    """A struct as a line of CSV."""
    return call("to_csv", col, _as_map(options))


def schema_of_csv(csv: Column | str, options: Mapping[str, str] | None = None) -> Column:
    """The schema of a line of CSV, as DDL text."""
    return call("schema_of_csv", lit(csv), _as_map(options))


def _as_map(options: Mapping[str, str] | None) -> Column | None:
    if options is None:
        return None
    return call("map", *(lit(part) for pair in options.items() for part in pair))
