"""Numbers by their digits and bits."""

from __future__ import annotations

from app.sql.column import Column
from app.sql.functions.building import ColumnOrName, call, lit, maybe, value


def conv(col: ColumnOrName, fromBase: int, toBase: int) -> Column:
    """The digits of a number in another base."""
    return call("conv", col, lit(fromBase), lit(toBase))


def format_number(col: ColumnOrName, d: int) -> Column:
    """The number with a comma for thousands and `d` decimal places."""
    return call("format_number", col, lit(d))


def crc32(col: ColumnOrName) -> Column:
    """The cyclic redundancy check value of binary."""
    return call("crc32", col)


def bit_get(col: ColumnOrName, pos: ColumnOrName) -> Column:
    """The bit at a position, 0 the lowest."""
    return call("bit_get", col, pos)


def getbit(col: ColumnOrName, pos: ColumnOrName) -> Column:
    """The bit at a position, 0 the lowest."""
    return call("getbit", col, pos)


def shiftrightunsigned(col: ColumnOrName, numBits: int) -> Column:
    """The bits moved to the right, zeros filled in."""
    return call("shiftrightunsigned", col, lit(numBits))


def width_bucket(v: ColumnOrName, min: ColumnOrName, max: ColumnOrName, numBucket: ColumnOrName | int) -> Column:
    """The number of the bucket a value falls into, of `numBucket` equal ones between `min` and `max`."""
    return call("width_bucket", v, min, max, value(numBucket))


def randn(seed: int | None = None) -> Column:
    """A random double of the standard normal distribution; not the same when an epoch is computed again."""
    return call("randn", maybe(seed))
