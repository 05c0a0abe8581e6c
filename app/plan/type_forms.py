"""Data types in other forms: with nulls everywhere, as DDL, from the values of JSON."""

from __future__ import annotations

import re
from typing import Any

from app.errors import ArgumentError, ParseError
from app.plan import types as t
from app.plan.ddl import parse_schema, parse_type, type_from_json

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def from_ddl(text: str) -> t.DataType:
    """Columns (`a INT, b STRING`) as a struct, or the type a name says (`int`). Raises: ParseError."""
    try:
        return parse_type(text)
    except ParseError:
        return parse_schema(text)


def to_nullable(data_type: t.DataType) -> t.DataType:
    """The type with nulls allowed in all its parts."""
    match data_type:
        case t.ArrayType(element):
            return t.ArrayType(to_nullable(element), True)
        case t.MapType(key, value):
            return t.MapType(to_nullable(key), to_nullable(value), True)
        case t.StructType(fields):
            return t.StructType([t.StructField(f.name, to_nullable(f.dataType), True, f.metadata) for f in fields])
    return data_type


def to_ddl(struct: t.StructType) -> str:
    """The columns as they are written in SQL."""
    return ",".join(map(_field_ddl, struct.fields))


def _field_ddl(f: t.StructField) -> str:
    name = f.name if _PLAIN.fullmatch(f.name) else f"`{f.name.replace('`', '``')}`"
    comment = f.metadata.get("comment")
    behind = "" if comment is None else " COMMENT '" + str(comment).replace("\\", "\\\\").replace("'", "\\'") + "'"
    return f"{name} {f.dataType.sql()}{'' if f.nullable else ' NOT NULL'}{behind}"


def from_json_value(value: Any) -> t.DataType:
    """The type whose `jsonValue()` is `value`. Raises: ArgumentError CANNOT_PARSE_DATATYPE."""
    try:
        return type_from_json(value)
    except ParseError as error:
        raise ArgumentError(
            f"Unable to parse datatype {value!r}: {error.sentence}", code="CANNOT_PARSE_DATATYPE"
        ) from error
