"""Values that rows are grouped, told apart and partitioned by.

As in Spark, -0.0 and 0.0 are one key, also inside of arrays, structs and maps, and maps are equal whatever order their
entries came in. All NaN are one key in DuckDB as well.
"""

from __future__ import annotations

from app.plan import types as t
from app.plan.carriers import duckdb_type
from app.plan.structs import field_of, struct_of


def key_of(sql: str, kind: t.DataType) -> str:
    """SQL of what stands for `sql`, a value of type `kind`, as a key, and in the result."""
    return _normal(sql, kind, 0) if _needs(kind) else sql


def _needs(kind: t.DataType) -> bool:
    match kind:
        case t.FloatType() | t.DoubleType() | t.MapType():
            return True
        case t.ArrayType(element):
            return _needs(element)
        case t.StructType():
            return any(_needs(f.dataType) for f in kind)
    return False


def _normal(sql: str, kind: t.DataType, depth: int) -> str:
    if not _needs(kind):
        return sql
    item = f"n{depth}"
    match kind:
        case t.ArrayType(element):
            return f"list_transform({sql}, lambda {item}: {_normal(item, element, depth + 1)})"
        case t.StructType():
            values = [_normal(field_of(sql, at), f.dataType, depth) for at, f in enumerate(kind)]
            return f"CASE WHEN {sql} IS NOT NULL THEN {struct_of(kind.names, values)} END"
        case t.MapType(key, value):
            entry = (
                f"struct_pack(key := {_normal(f'{item}.key', key, depth + 1)}, "
                f"value := {_normal(f'{item}.value', value, depth + 1)})"
            )
            return f"map_from_entries(list_sort(list_transform(map_entries({sql}), lambda {item}: {entry})))"
    return f"({sql} + CAST(0 AS {duckdb_type(kind)}))"
