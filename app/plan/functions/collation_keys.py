"""The keys by which strings without case are compared, alone and inside arrays, maps and structs."""

from __future__ import annotations

from app.plan import types as t
from app.plan.structs import field_of, struct_of

BINARY, LCASE = "UTF8_BINARY", "UTF8_LCASE"


def is_folded(kind: t.DataType) -> bool:
    """Whether values of a type are strings whose case does not matter."""
    return isinstance(kind, t.StringType) and kind.collation != BINARY


def has_folded(kind: t.DataType) -> bool:
    """The same of the type or of any type inside it."""
    return kind != recollated(kind, BINARY)


def has_folded_key(kind: t.DataType) -> bool:
    """Whether a map in the type has keys whose case does not matter."""
    match kind:
        case t.ArrayType(element):
            return has_folded_key(element)
        case t.MapType(key, value):
            return has_folded(key) or has_folded_key(value)
        case t.StructType():
            return any(has_folded_key(f.dataType) for f in kind)
    return False


def recollated(kind: t.DataType, collation: str) -> t.DataType:
    """The type with a collation for all strings in it."""
    match kind:
        case t.StringType():
            return t.StringType(collation)
        case t.ArrayType(element):
            return t.ArrayType(recollated(element, collation), kind.containsNull)
        case t.MapType(key, value):
            return t.MapType(recollated(key, collation), recollated(value, collation), kind.valueContainsNull)
        case t.StructType():
            return t.StructType([t.StructField(f.name, recollated(f.dataType, collation), f.nullable) for f in kind])
    return kind


def key_sql(sql: str, kind: t.DataType, depth: int = 0) -> str:
    """SQL of what is the same for values that are equal."""
    v = f"f{depth}"
    match kind:
        case _ if not has_folded(kind):
            return sql
        case t.ArrayType(element):
            return f"list_transform({sql}, lambda {v}: {key_sql(v, element, depth + 1)})"
        case t.MapType(key, value):
            entry = (
                f"{{'key': {key_sql(f'{v}.key', key, depth + 1)}, 'value': {key_sql(f'{v}.value', value, depth + 1)}}}"
            )
            return f"map_from_entries(list_transform(map_entries({sql}), lambda {v}: {entry}))"
        case t.StructType():
            keys = [key_sql(field_of(sql, at), f.dataType, depth) for at, f in enumerate(kind)]
            return f"CASE WHEN {sql} IS NOT NULL THEN {struct_of(kind.names, keys)} END"
    return f"wt_folded({sql})"
