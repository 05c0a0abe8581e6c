"""Arrays, maps, structs and JSON: building, searching, changing, and rows from their elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.sql.column import Column
from app.sql.functions.building import ColumnOrName, call, lit, maybe, several, unless, value


def map_from_arrays(col1: ColumnOrName, col2: ColumnOrName) -> Column:
    """The map of an array of keys and an array of values."""
    return call("map_from_arrays", col1, col2)


def map_from_entries(col: ColumnOrName) -> Column:
    """The map of an array of key-value structs."""
    return call("map_from_entries", col)


def array_contains(col: ColumnOrName, value: Any) -> Column:
    """True where the array holds the value."""
    return call("array_contains", col, lit(value))


def arrays_overlap(a1: ColumnOrName, a2: ColumnOrName) -> Column:
    """True where the arrays have an element in common."""
    return call("arrays_overlap", a1, a2)


def slice(x: ColumnOrName, start: ColumnOrName | int, length: ColumnOrName | int) -> Column:
    """`length` elements from position `start`, 1 the first; a negative one counts from the end."""
    return call("slice", x, value(start), value(length))


def array_position(col: ColumnOrName, value: Any) -> Column:
    """The position of the value, 1 the first; 0 if it is not there."""
    return call("array_position", col, lit(value))


def element_at(col: ColumnOrName, extraction: Any) -> Column:
    """The element at a position of an array, 1 the first, or under a key of a map."""
    return call("element_at", col, lit(extraction))


def try_element_at(col: ColumnOrName, extraction: ColumnOrName) -> Column:
    """`element_at`, null where there is none."""
    return call("try_element_at", col, extraction)


def get(col: ColumnOrName, index: ColumnOrName | int) -> Column:
    """The element at index 0 and up; null outside."""
    return call("get", col, value(index))


def array_prepend(col: ColumnOrName, value: Any) -> Column:
    """The array with a value in front."""
    return call("array_prepend", col, lit(value))


def array_append(col: ColumnOrName, value: Any) -> Column:
    """The array with a value behind."""
    return call("array_append", col, lit(value))


def array_remove(col: ColumnOrName, element: Any) -> Column:
    """The array without the elements equal to a value."""
    return call("array_remove", col, lit(element))


def array_distinct(col: ColumnOrName) -> Column:
    """The array without repeated elements."""
    return call("array_distinct", col)


def array_intersect(col1: ColumnOrName, col2: ColumnOrName) -> Column:
    """The elements of both arrays, each once."""
    return call("array_intersect", col1, col2)


def array_union(col1: ColumnOrName, col2: ColumnOrName) -> Column:
    """The elements of either array, each once."""
    return call("array_union", col1, col2)


def array_except(col1: ColumnOrName, col2: ColumnOrName) -> Column:
    """The elements of the first array that are not in the second, each once."""
    return call("array_except", col1, col2)


def array_compact(col: ColumnOrName) -> Column:
    """The array without nulls."""
    return call("array_compact", col)


def array_min(col: ColumnOrName) -> Column:
    """The smallest element."""
    return call("array_min", col)


def array_max(col: ColumnOrName) -> Column:
    """The largest element."""
    return call("array_max", col)


def array_size(col: ColumnOrName) -> Column:
    """The number of elements; null for null."""
    return call("array_size", col)


def cardinality(col: ColumnOrName) -> Column:
    """The number of elements of an array or map."""
    return call("cardinality", col)


def size(col: ColumnOrName) -> Column:
    """The number of elements of an array or map."""
    return call("size", col)


def map_concat(*cols: ColumnOrName | Sequence[ColumnOrName] | tuple[ColumnOrName, ...]) -> Column:
    """The entries of all maps in one."""
    return call("map_concat", *several(cols))


def sort_array(col: ColumnOrName, asc: bool = True) -> Column:
    """The array in order; nulls first ascending, last descending."""
    return call("sort_array", col, unless(True, asc))


def array_join(col: ColumnOrName, delimiter: str, null_replacement: str | None = None) -> Column:
    """The elements as one text with `delimiter` between; nulls left out or replaced."""
    return call("array_join", col, lit(delimiter), maybe(null_replacement))


def flatten(col: ColumnOrName) -> Column:
    """The elements of the arrays in an array."""
    return call("flatten", col)


def array_repeat(col: ColumnOrName, count: ColumnOrName | int) -> Column:
    """An array that holds the value `count` times."""
    return call("array_repeat", col, value(count))


def arrays_zip(*cols: ColumnOrName) -> Column:
    """An array of structs of the elements at the same place."""
    return call("arrays_zip", *cols)


def sequence(start: ColumnOrName, stop: ColumnOrName, step: ColumnOrName | None = None) -> Column:
    """The values from `start` to `stop`, both included."""
    return call("sequence", start, stop, step)


def map_contains_key(col: ColumnOrName, value: Any) -> Column:
    """True where the map has the key."""
    return call("map_contains_key", col, lit(value))


def map_keys(col: ColumnOrName) -> Column:
    """The keys of a map."""
    return call("map_keys", col)


def map_values(col: ColumnOrName) -> Column:
    """The values of a map."""
    return call("map_values", col)


def map_entries(col: ColumnOrName) -> Column:
    """The entries of a map as an array of structs."""
    return call("map_entries", col)


def explode(col: ColumnOrName) -> Column:
    """One row for each element of an array (`col`) or entry of a map (`key`, `value`)."""
    return call("explode", col)


def explode_outer(col: ColumnOrName) -> Column:
    """`explode`, with one row of nulls for an empty or missing value."""
    return call("explode_outer", col)


def posexplode(col: ColumnOrName) -> Column:
    """`explode` with the position in front, 0 the first."""
    return call("posexplode", col)


def posexplode_outer(col: ColumnOrName) -> Column:
    """`posexplode`, with one row of nulls for an empty or missing value."""
    return call("posexplode_outer", col)


def inline(col: ColumnOrName) -> Column:
    """One row for each struct of an array, with its fields as columns."""
    return call("inline", col)


def inline_outer(col: ColumnOrName) -> Column:
    """`inline`, with one row of nulls for an empty or missing array."""
    return call("inline_outer", col)


def get_json_object(col: ColumnOrName, path: str) -> Column:
    """What a path such as `$.a[0]` finds in JSON text, as text."""
    return call("get_json_object", col, lit(path))


def json_array_length(col: ColumnOrName) -> Column:
    """The number of elements of a JSON array."""
    return call("json_array_length", col)


def json_object_keys(col: ColumnOrName) -> Column:
    """The keys of a JSON object."""
    return call("json_object_keys", col)


def array_insert(arr: ColumnOrName, pos: ColumnOrName | int, value: Any) -> Column:
    """The array with a value put in at a position, counted from 1, or from the end where it is negative."""
    return call("array_insert", arr, lit(pos) if isinstance(pos, int) else pos, lit(value))


def stack(*cols: ColumnOrName) -> Column:
    """The values behind the first as so many rows as the first says."""
    return call("stack", *cols)
