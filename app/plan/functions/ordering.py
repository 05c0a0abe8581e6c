"""How values of arrays and structs are ordered: DuckDB puts nulls inside them last, Spark first."""

from __future__ import annotations

from app.plan import types as t
from app.plan.functions.collation_keys import is_folded
from app.plan.structs import field_of, struct_of


def order_key(sql: str, kind: t.DataType, depth: int = 0) -> str:
    """SQL of a value that DuckDB orders as Spark orders `sql`; null only where `sql` is. Atoms are their own key."""
    match kind:
        case t.ArrayType(element):
            v = f"o{depth}"
            return f"list_transform({sql}, lambda {v}: {_item(v, element, depth + 1)})"
        case t.StructType():
            items = [_item(field_of(sql, at), f.dataType, depth) for at, f in enumerate(kind)]
            return f"CASE WHEN {sql} IS NOT NULL THEN {struct_of((f'k{at}' for at in range(len(kind))), items)} END"
    return f"wt_folded({sql})" if is_folded(kind) else sql


def is_complex(kind: t.DataType) -> bool:
    """Whether the order of such values needs a key."""
    return isinstance(kind, t.ArrayType | t.StructType) or is_folded(kind)


def _item(sql: str, kind: t.DataType, depth: int) -> str:
    return f"{{'n': {sql} IS NOT NULL, 'v': {order_key(sql, kind, depth)}}}"
