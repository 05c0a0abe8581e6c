"""Columns as such: by name, from values and SQL text, in order, put together, and chosen by conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from app.errors import ArgumentTypeError
from app.plan.expressions import Case
from app.plan.functions import INTERNAL, unresolved
from app.plan.parse import parse_expression
from app.sql.column import Column, to_column_expr, to_expr
from app.sql.functions.building import ColumnOrName, call, lit, several
from app.sql.literals import column_by_name

_Frame = TypeVar("_Frame")


def col(col: str) -> Column:
    """The column with this name; dots lead to fields, a part between backticks may hold dots.

    >>> col("a.b")._expr
    Attribute(parts=('a', 'b'))

    Raises: ParseError.
    """
    if isinstance(col, Column):
        return col
    return Column(column_by_name(col))


column = col


def expr(str: str) -> Column:
    """The column that SQL text describes.

    >>> expr("a + 1")._expr == (col("a") + 1)._expr
    True

    Raises: ParseError, PlanError.
    """
    from app.sql.session import SparkSession

    session = SparkSession.getActiveSession()
    return Column(parse_expression(str) if session is None else parse_expression(str, session.catalog._find))


def asc(col: ColumnOrName) -> Column:
    """Sorts by the column, smallest first."""
    return Column(to_column_expr(col)).asc()


def asc_nulls_first(col: ColumnOrName) -> Column:
    """Sorts by the column, nulls first, then smallest first."""
    return Column(to_column_expr(col)).asc_nulls_first()


def asc_nulls_last(col: ColumnOrName) -> Column:
    """Sorts by the column, smallest first, nulls last."""
    return Column(to_column_expr(col)).asc_nulls_last()


def desc(col: ColumnOrName) -> Column:
    """Sorts by the column, largest first."""
    return Column(to_column_expr(col)).desc()


def desc_nulls_first(col: ColumnOrName) -> Column:
    """Sorts by the column, nulls first, then largest first."""
    return Column(to_column_expr(col)).desc_nulls_first()


def desc_nulls_last(col: ColumnOrName) -> Column:
    """Sorts by the column, largest first, nulls last."""
    return Column(to_column_expr(col)).desc_nulls_last()


def when(condition: Column, value: Any) -> Column:
    """`value` where the condition is true; more branches by `.when`, the rest by `.otherwise`, else null.
    Raises: ArgumentTypeError."""
    if not isinstance(condition, Column):
        raise ArgumentTypeError(
            f"The condition of when() has to be a Column, not {type(condition).__name__}.", code="NOT_EXPECTED_TYPE"
        )
    return Column(Case(((condition._expr, to_expr(value)),)))


def array(
    *cols: ColumnOrName | Sequence[ColumnOrName] | tuple[ColumnOrName, ...],
) -> Column:
    """An array of the columns, which have one type in common."""
    return call("array", *several(cols))


def struct(
    *cols: ColumnOrName | Sequence[ColumnOrName] | tuple[ColumnOrName, ...],
) -> Column:
    """A struct with a field for each column, under its name."""
    return call("struct", *several(cols))


def create_map(
    *cols: ColumnOrName | Sequence[ColumnOrName] | tuple[ColumnOrName, ...],
) -> Column:
    """A map of columns that are keys and values in turn."""
    return call("map", *several(cols))


def broadcast(df: _Frame) -> _Frame:
    """The DataFrame as it is: there is one process, so nothing has to be sent to others."""
    return df


def call_function(funcName: str, *cols: ColumnOrName) -> Column:
    """The call of a function by its name in SQL."""
    if funcName.lower() in INTERNAL:
        raise unresolved(funcName)
    return call(funcName.lower(), *cols)


__all__ = [
    "array", "asc", "asc_nulls_first", "asc_nulls_last", "broadcast", "call_function", "col", "column", "create_map",
    "desc", "desc_nulls_first", "desc_nulls_last", "expr", "lit", "struct", "when",
]  # fmt: skip
