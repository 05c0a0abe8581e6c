"""Records in which a key comes twice, without all of its values but the last: all of a batch at once.

Of records with the same keys, braces, brackets and commas the same parts go: what stands between which of those signs
is worked out once for them all.
"""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa

from app.kernel.arrow.flat import Numbers, column_of, replaced
from app.kernel.arrow.json_texts import (
    JsonTexts,
    askable,
    counted_before,
    deep,
    escaped,
    flips,
    json_texts,
    lenient,
    outlines,
    twice,
)

_Spans = list[tuple[int, int]]
_TOKENS = re.compile(r'[{}\[\],]|"[^"\\]*(?:\\.[^"\\]*)*"')


def last_if_usual(column: pa.Array, valid: pa.Array) -> tuple[pa.Array, Numbers | None]:
    """The records with the last value of each key, null where one is no JSON or has anything unusual; and where it has
    not, None if nowhere. `valid` is what DuckDB's `json_valid` says."""
    usual = askable(column, valid)
    whole = bool(usual.all())
    given = column if whole else column.filter(pa.array(usual))
    texts = json_texts(given)
    fine = ~(lenient(texts) | escaped(texts) | deep(texts))
    if (twice(texts) & fine).any():
        given = _last_values(texts)
    if whole and fine.all():
        return given, None
    usual = usual.copy()
    usual[usual] = fine
    return replaced(pa.nulls(len(column), pa.string()), usual, given.filter(pa.array(fine))), usual


def _last_values(texts: JsonTexts) -> pa.Array:
    """The texts without what stands before the last value of a key. Keys are compared as they are written."""
    signs = texts.signs("{}[],")
    places = np.flatnonzero(signs)
    shapes, kinds = outlines(texts, signs)
    starts = counted_before(signs, texts.offsets[:-1])
    edges = np.zeros(len(texts.letters), dtype=bool)
    for kind, shape in enumerate(shapes):
        for span in _Outline(shape).replaced():
            ends = places[starts[kinds == kind][:, None] + np.array(span)] + 1
            edges[ends] ^= True
    gone = flips(edges)
    offsets = texts.offsets - counted_before(gone, texts.offsets)
    return column_of(texts.letters[~gone], offsets, pa.string(), pa.array(offsets[1:]))


class _Outline:
    """Reads the keys and signs of a text from the left."""

    def __init__(self, outline: str) -> None:
        self._tokens = [*_TOKENS.findall(outline), ""]
        self._at = self._sign = 0

    def replaced(self) -> _Spans:
        """What goes: from behind which sign to behind which, both by number."""
        opened = self._tokens[self._at]
        return self._fields() if opened == "{" else self._items() if opened == "[" else []

    def _items(self) -> _Spans:
        self._next()
        found = self.replaced()
        while self._tokens[self._at] == ",":
            self._next()
            found += self.replaced()
        self._next()
        return found

    def _fields(self) -> _Spans:
        found: _Spans = []
        last: dict[str, tuple[int, int]] = {}
        within: dict[str, _Spans] = {}
        sign = self._next()
        while (key := self._tokens[self._at]) != "}":
            self._at += 1
            found += [last[key]] if key in last else []
            within[key] = self.replaced()
            last[key] = (sign, self._sign)
            if self._tokens[self._at] == ",":
                sign = self._next()
        self._next()
        return sum(within.values(), found)

    def _next(self) -> int:
        """The number of the sign that is passed."""
        self._at, self._sign = self._at + 1, self._sign + 1
        return self._sign - 1
