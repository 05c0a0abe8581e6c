"""Generators as DuckDB SQL: one list a column, all of one length, unnested side by side."""

from __future__ import annotations

from app.plan import types as t
from app.plan.bound import Apply
from app.plan.structs import field_of


def print_generator(generator: Apply, items: str, outer: bool) -> list[str]:
    """The SELECT items that give the columns of a generator over the collection `items` (SQL text; it may be used
    several times). No rows come from a null or empty collection; with `outer`, one row of nulls."""
    printed = []
    size = _size(generator, items)
    for values, cast in _lists(generator, items):
        kept = f"CASE WHEN {size} > 0 THEN {values} ELSE [NULL] END" if outer else values
        printed.append(f"CAST(unnest({kept}) AS {cast})" if cast else f"unnest({kept})")
    return printed


def uses(generator: Apply, outer: bool) -> int:
    """How often `print_generator` writes the collection."""
    return sum(text.count("@") for text in print_generator(generator, "@", outer))


def _size(generator: Apply, items: str) -> str:
    return f"len(map_keys({items}))" if isinstance(generator.args[0].type, t.MapType) else f"len({items})"


def _lists(generator: Apply, items: str) -> list[tuple[str, str]]:
    """The values of each column, and the type to cast to where it is not that of the list."""
    kind = generator.args[0].type
    if generator.function == "inline":
        assert isinstance(kind, t.ArrayType) and isinstance(kind.elementType, t.StructType)
        return [(f"[{field_of('x', at)} FOR x IN {items}]", "") for at in range(len(kind.elementType))]
    values = [items]
    if isinstance(kind, t.MapType):
        values = [f"map_keys({items})", f"map_values({items})"]
    positions = [(f"range({_size(generator, items)})", "INTEGER")] if generator.function == "posexplode" else []
    return [*positions, *((text, "") for text in values)]
