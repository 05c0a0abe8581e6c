"""Hashes of any values, as Spark computes them."""

from __future__ import annotations

from app.sql.column import Column
from app.sql.functions.building import ColumnOrName, call


def hash(*cols: ColumnOrName) -> Column:
    """The Murmur3 hash of the values, an integer."""
    return call("hash", *cols)


def xxhash64(*cols: ColumnOrName) -> Column:
    """The 64-bit hash of the values by xxHash, a bigint."""
    return call("xxhash64", *cols)
