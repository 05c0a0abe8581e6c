"""Aggregates whose calls carry more than arguments: DISTINCT, nulls passed over, and counts of rows."""

from __future__ import annotations

import warnings

from app.plan.expressions import Star
from app.sql.column import Column, to_column_expr
from app.sql.functions.building import ColumnOrName, call, lit, maybe


def count(col: ColumnOrName) -> Column:
    """How many values are not null; with "*", how many rows there are.

    >>> count("*")._expr.args
    (Literal(value=1, type=IntegerType()),)
    """
    expr = to_column_expr(col)
    return call("count", lit(1) if isinstance(expr, Star) and not expr.qualifier else Column(expr))


def count_distinct(col: ColumnOrName, *cols: ColumnOrName) -> Column:
    """How many distinct values, or combinations of values, there are without null."""
    return call("count", col, *cols, distinct=True)


def countDistinct(col: ColumnOrName, *cols: ColumnOrName) -> Column:
    """`count_distinct` under its older name."""
    return count_distinct(col, *cols)


def sum_distinct(col: ColumnOrName) -> Column:
    """The sum of the distinct values."""
    return call("sum", col, distinct=True)


def sumDistinct(col: ColumnOrName) -> Column:
    """`sum_distinct` under its deprecated name."""
    warnings.warn("Deprecated in 3.2, use sum_distinct instead.", FutureWarning, stacklevel=2)
    return sum_distinct(col)


def approxCountDistinct(col: ColumnOrName, rsd: float | None = None) -> Column:
    """`approx_count_distinct` under its deprecated name."""
    warnings.warn("Deprecated in 2.1, use approx_count_distinct instead.", FutureWarning, stacklevel=2)
    return call("approx_count_distinct", col, maybe(rsd))


def first(col: ColumnOrName, ignorenulls: bool = False) -> Column:
    """The value of the first row, or the first that is not null. The order is that of arrival."""
    return call("first", col, ignore_nulls=ignorenulls)


def last(col: ColumnOrName, ignorenulls: bool = False) -> Column:
    """The value of the last row, or the last that is not null. The order is that of arrival."""
    return call("last", col, ignore_nulls=ignorenulls)
