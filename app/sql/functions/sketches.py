"""Sketches: distinct values counted in bytes that can be kept and united."""

from __future__ import annotations

from app.sql.column import Column
from app.sql.functions.building import ColumnOrName, call, maybe


def hll_sketch_agg(col: ColumnOrName, lgConfigK: int | Column | None = None) -> Column:
    """The HyperLogLog sketch of the values of a column."""
    return call("hll_sketch_agg", col, maybe(lgConfigK))


def hll_sketch_estimate(col: ColumnOrName) -> Column:
    """About how many distinct values a sketch has seen."""
    return call("hll_sketch_estimate", col)


def hll_union(col1: ColumnOrName, col2: ColumnOrName, allowDifferentLgConfigK: bool | None = None) -> Column:
    """The sketch of the values of two sketches."""
    return call("hll_union", col1, col2, maybe(allowDifferentLgConfigK))


def hll_union_agg(col: ColumnOrName, allowDifferentLgConfigK: bool | Column | None = None) -> Column:
    """The sketch of the values of all sketches in a column."""
    return call("hll_union_agg", col, maybe(allowDifferentLgConfigK))
