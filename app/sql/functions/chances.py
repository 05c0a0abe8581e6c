"""Chance, and the numbers of rows. Seeds count for static data; a stream has new ones for every epoch."""

from __future__ import annotations

from app.sql.column import Column
from app.sql.functions.building import ColumnOrName, call, lit, maybe


def monotonically_increasing_id() -> Column:
    """The number of the row, from 0; static data only."""
    return call("monotonically_increasing_id")


def randstr(length: Column | int, seed: Column | int | None = None) -> Column:
    """A random text of that many digits and letters."""
    return call("randstr", lit(length), maybe(seed))


def shuffle(col: ColumnOrName, seed: Column | int | None = None) -> Column:
    """The array in a random order."""
    return call("shuffle", col, maybe(seed))


def uniform(min: Column | int | float, max: Column | int | float, seed: Column | int | None = None) -> Column:
    """A random number between two constants."""
    return call("uniform", lit(min), lit(max), maybe(seed))
