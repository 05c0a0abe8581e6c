"""Nulls, errors and facts about the query."""

from __future__ import annotations

from app.sql.column import Column
from app.sql.functions.building import ColumnOrName, call, lit, maybe


def coalesce(*cols: ColumnOrName) -> Column:
    """The first value that is not null."""
    return call("coalesce", *cols)


def isnull(col: ColumnOrName) -> Column:
    """True where the value is null."""
    return call("isnull", col)


def isnotnull(col: ColumnOrName) -> Column:
    """True where the value is not null."""
    return call("isnotnull", col)


def ifnull(col1: ColumnOrName, col2: ColumnOrName) -> Column:
    """`col1`, or `col2` where it is null."""
    return call("ifnull", col1, col2)


def nvl(col1: ColumnOrName, col2: ColumnOrName) -> Column:
    """`col1`, or `col2` where it is null."""
    return call("nvl", col1, col2)


def nvl2(col1: ColumnOrName, col2: ColumnOrName, col3: ColumnOrName) -> Column:
    """`col2` where `col1` is not null, else `col3`."""
    return call("nvl2", col1, col2, col3)


def nullif(col1: ColumnOrName, col2: ColumnOrName) -> Column:
    """Null where both are equal, else `col1`."""
    return call("nullif", col1, col2)


def nullifzero(col: ColumnOrName) -> Column:
    """Null where the value is 0."""
    return call("nullifzero", col)


def zeroifnull(col: ColumnOrName) -> Column:
    """0 where the value is null."""
    return call("zeroifnull", col)


def equal_null(col1: ColumnOrName, col2: ColumnOrName) -> Column:
    """Equality in which null equals null and nothing is null."""
    return call("equal_null", col1, col2)


def typeof(col: ColumnOrName) -> Column:
    """The name of the type."""
    return call("typeof", col)


def raise_error(errMsg: Column | str) -> Column:
    """Fails with a message in every row it is computed for."""
    return call("raise_error", lit(errMsg))


def assert_true(col: ColumnOrName, errMsg: Column | str | None = None) -> Column:
    """Null where the condition is true; fails the query where it is not."""
    return call("assert_true", col, maybe(errMsg))


def uuid(seed: Column | int | None = None) -> Column:
    """A random UUID; not the same when an epoch is computed again."""
    return call("uuid", maybe(seed))


def named_struct(*cols: ColumnOrName) -> Column:
    """A struct of names and values that alternate."""
    return call("named_struct", *cols)
