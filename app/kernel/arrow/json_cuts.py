"""Texts up to the last brace or bracket that closes something: all of a batch at once."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from app.kernel.arrow.flat import Numbers, column_of, ends_of, flat, replaced
from app.kernel.arrow.json_texts import flips, quotes_in

_CASE, _BLANK, _BLANKS, _LETTERS = 32, 32, 8, 2000


def json_cut(column: pa.Array) -> pa.Array:
    """Each text without what is behind its last brace or bracket: its first JSON value, if `json_valid` says that it is
    one. Null where there is none, where DuckDB might call JSON what is none for Spark, and of long texts."""
    texts = flat(column)
    asked = (texts.lengths > 0) & (texts.lengths <= _LETTERS)
    asked[asked] = texts.letters[texts.offsets[1:][asked] - 1] != ord("\\")
    given = column if asked.all() else column.filter(pa.array(asked))
    texts = flat(given)
    between = flips(quotes_in(texts.letters))
    odd = between[texts.offsets[1:] - 1]
    odd[1:] ^= odd[:-1].copy()
    if odd.any():  # a quote without a second one turns inside out what follows
        asked[asked] = ~odd
        given = given.filter(pa.array(~odd))
        texts = flat(given)
        between = flips(quotes_in(texts.letters))
    found = _cut(texts.letters, texts.offsets, ~between)
    return found if len(found) == len(column) else replaced(pa.nulls(len(column), pa.string()), asked, found)


def _cut(letters: Numbers, offsets: Numbers, outside: Numbers) -> pa.Array:
    closing = np.flatnonzero((letters | _CASE == ord("}")) & outside)
    firsts = np.searchsorted(closing, offsets)
    has = np.diff(firsts) > 0
    has &= ~_doubtful(letters, offsets, outside, closing)
    starts, ends = offsets[:-1][has], closing[firsts[1:][has] - 1] + 1
    edges = np.zeros(len(letters) + 1, dtype=bool)
    edges[starts] = True
    edges[ends] ^= True  # where the next one begins
    sizes = np.zeros(len(has), dtype=np.int64)
    sizes[has] = ends - starts
    return column_of(letters[flips(edges)[:-1]], ends_of(sizes), pa.string(), pa.array(sizes, mask=~has))


def _doubtful(letters: Numbers, offsets: Numbers, outside: Numbers, closing: Numbers) -> Numbers:
    """Which texts have NaN or Infinity outside of strings, or a comma before a closing brace or bracket."""
    small = letters | _CASE
    words = (small[:-1] == ord("n")) & ((small[1:] == ord("a")) | (small[1:] == ord("f"))) & outside[:-1]
    at = closing - 1
    for _ in range(_BLANKS):
        blank = letters[at] <= _BLANK
        if not blank.any():
            break
        at = at - blank
    before = letters[at]
    places = np.concatenate([np.flatnonzero(words), at[(before == ord(",")) | (before <= _BLANK)]])
    found = np.zeros(len(offsets) - 1, dtype=bool)
    found[np.searchsorted(offsets, places, side="right") - 1] = True
    return found
