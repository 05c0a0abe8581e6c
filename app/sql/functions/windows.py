"""Functions over windows (`Column.over`), and what tells the sets of a rollup or cube apart."""

from __future__ import annotations

from typing import Any

from app.sql.column import Column
from app.sql.functions.building import ColumnOrName, call, lit, several


def row_number() -> Column:
    """The number of the row in its window, from 1."""
    return call("row_number")


def rank() -> Column:
    """The rank of the row in its window, with gaps behind equal ones."""
    return call("rank")


def dense_rank() -> Column:
    """The rank of the row in its window, without gaps."""
    return call("dense_rank")


def percent_rank() -> Column:
    """The rank from 0 to 1."""
    return call("percent_rank")


def cume_dist() -> Column:
    """The share of the window's rows that are not behind this one."""
    return call("cume_dist")


def ntile(n: int) -> Column:
    """The number, from 1 to `n`, of the part the row falls in where the window is cut into `n` like parts."""
    return call("ntile", lit(n))


def lag(col: ColumnOrName, offset: int = 1, default: Any = None) -> Column:
    """The value `offset` rows before, or `default` where there is none."""
    return _distant("lag", col, offset, default)


def lead(col: ColumnOrName, offset: int = 1, default: Any = None) -> Column:
    """The value `offset` rows behind, or `default` where there is none."""
    return _distant("lead", col, offset, default)


def nth_value(col: ColumnOrName, offset: int, ignoreNulls: bool | None = False) -> Column:
    """The value in row `offset` of the window's frame, counted from 1."""
    return call("nth_value", col, lit(offset), ignore_nulls=bool(ignoreNulls))


def grouping(col: ColumnOrName) -> Column:
    """1 where the row's group is over all values of a key of rollup or cube, else 0."""
    return call("grouping", col)


def grouping_id(*cols: ColumnOrName) -> Column:
    """The `grouping` of all keys as the bits of one number."""
    return call("grouping_id", *several(cols))


def _distant(name: str, col: ColumnOrName, offset: int, default: Any) -> Column:
    if default is not None:
        return call(name, col, lit(offset), lit(default))
    return call(name, col) if offset == 1 else call(name, col, lit(offset))
