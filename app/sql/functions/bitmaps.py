"""Functions of bitmaps, which count distinct numbers in fixed space."""

from __future__ import annotations

from app.sql.column import Column
from app.sql.functions.building import ColumnOrName, call


def bitmap_bit_position(col: ColumnOrName) -> Column:
    """The place of a number in its bitmap, from 0."""
    return call("bitmap_bit_position", col)


def bitmap_bucket_number(col: ColumnOrName) -> Column:
    """Which bitmap a number belongs to."""
    return call("bitmap_bucket_number", col)


def bitmap_construct_agg(col: ColumnOrName) -> Column:
    """The bitmap of all places given."""
    return call("bitmap_construct_agg", col)


def bitmap_count(col: ColumnOrName) -> Column:
    """How many bits of a bitmap are set."""
    return call("bitmap_count", col)


def bitmap_or_agg(col: ColumnOrName) -> Column:
    """The bits set in a bitmap."""
    return call("bitmap_or_agg", col)


def bitmap_and_agg(col: ColumnOrName) -> Column:
    """The bits set in every bitmap."""
    return call("bitmap_and_agg", col)
