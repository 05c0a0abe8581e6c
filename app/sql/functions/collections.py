"""Arrays, maps, structs and JSON: building, searching, changing, and rows from their elements."""

from __future__ import annotations

from app.sql.column import Column
from app.sql.functions.building import ColumnOrName, call


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
