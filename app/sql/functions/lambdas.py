"""Higher-order functions over arrays and maps: Python functions from Columns to a Column."""

from __future__ import annotations

from collections.abc import Callable

from app.sql.column import Column
from app.sql.functions.building import ColumnOrName, call, higher_order


def transform(col: ColumnOrName, f: Callable[[Column], Column] | Callable[[Column, Column], Column]) -> Column:
    """The array with `f` applied to each element, or to each element and its index.

    >>> transform("xs", lambda x: x + 1)._expr.args[1].params
    ('x',)
    """
    return higher_order("transform", [col], [f])


def exists(col: ColumnOrName, f: Callable[[Column], Column]) -> Column:
    """True where `f` is true for an element of the array."""
    return higher_order("exists", [col], [f])


def forall(col: ColumnOrName, f: Callable[[Column], Column]) -> Column:
    """True where `f` is true for every element of the array."""
    return higher_order("forall", [col], [f])


def filter(col: ColumnOrName, f: Callable[[Column], Column] | Callable[[Column, Column], Column]) -> Column:
    """The elements of the array for which `f` is true; it may take the index too."""
    return higher_order("filter", [col], [f])


def aggregate(
    col: ColumnOrName,
    initialValue: ColumnOrName,
    merge: Callable[[Column, Column], Column],
    finish: Callable[[Column], Column] | None = None,
) -> Column:
    """The elements of the array merged one after the other into `initialValue`, then finished."""
    return higher_order("aggregate", [col, initialValue], [merge] if finish is None else [merge, finish])


def reduce(
    col: ColumnOrName,
    initialValue: ColumnOrName,
    merge: Callable[[Column, Column], Column],
    finish: Callable[[Column], Column] | None = None,
) -> Column:
    """The elements of the array merged one after the other into `initialValue`, then finished."""
    return higher_order("reduce", [col, initialValue], [merge] if finish is None else [merge, finish])


def zip_with(left: ColumnOrName, right: ColumnOrName, f: Callable[[Column, Column], Column]) -> Column:
    """The array of `f` over elements at the same place; the shorter array is filled with nulls."""
    return higher_order("zip_with", [left, right], [f])


def transform_keys(col: ColumnOrName, f: Callable[[Column, Column], Column]) -> Column:
    """The map with keys computed from key and value."""
    return higher_order("transform_keys", [col], [f])


def transform_values(col: ColumnOrName, f: Callable[[Column, Column], Column]) -> Column:
    """The map with values computed from key and value."""
    return higher_order("transform_values", [col], [f])


def map_filter(col: ColumnOrName, f: Callable[[Column, Column], Column]) -> Column:
    """The entries of the map for whose key and value `f` is true."""
    return higher_order("map_filter", [col], [f])


def map_zip_with(col1: ColumnOrName, col2: ColumnOrName, f: Callable[[Column, Column, Column], Column]) -> Column:
    """The map of all keys with `f` over the key and both values."""
    return higher_order("map_zip_with", [col1, col2], [f])


def array_sort(col: ColumnOrName, comparator: Callable[[Column, Column], Column] | None = None) -> Column:
    """The array in order, nulls last; `comparator` gives a negative number, 0 or a positive one."""
    return call("array_sort", col) if comparator is None else higher_order("array_sort", [col], [comparator])
