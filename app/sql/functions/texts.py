"""Text by its letters, its sound, its checks."""

from __future__ import annotations

from app.sql.column import Column
from app.sql.functions.building import ColumnOrName, call, lit, maybe


def elt(*inputs: ColumnOrName) -> Column:
    """The value whose number the first argument is, 1 the first."""
    return call("elt", *inputs)


def sentences(
    string: ColumnOrName, language: ColumnOrName | None = None, country: ColumnOrName | None = None
) -> Column:
    """The sentences of a text, each as its words."""
    if language is None and country is not None:
        language = lit("")
    return call("sentences", string, language, country)


def soundex(col: ColumnOrName) -> Column:
    """Four signs for how an English word sounds."""
    return call("soundex", col)


def mask(
    col: ColumnOrName,
    upperChar: ColumnOrName | None = None,
    lowerChar: ColumnOrName | None = None,
    digitChar: ColumnOrName | None = None,
    otherChar: ColumnOrName | None = None,
) -> Column:
    """The text with letters and digits replaced by kind."""
    signs = (
        lit(default) if sign is None else sign
        for sign, default in ((upperChar, "X"), (lowerChar, "x"), (digitChar, "n"), (otherChar, None))
    )
    return call("mask", col, *signs)


def quote(col: ColumnOrName) -> Column:
    """The text in single quotes, those inside it with a backslash."""
    return call("quote", col)


def regexp_instr(str: ColumnOrName, regexp: ColumnOrName, idx: Column | int | None = None) -> Column:
    """The position of the first match of a regular expression, 1 the first; 0 if there is none."""
    return call("regexp_instr", str, regexp, maybe(idx))


def collate(col: ColumnOrName, collation: str) -> Column:
    """The text with a collation: UTF8_BINARY, or UTF8_LCASE, by which texts are equal whatever their case."""
    return call("collate", col, lit(collation))


def collation(col: ColumnOrName) -> Column:
    """The name of the order of a text."""
    return call("collation", col)
