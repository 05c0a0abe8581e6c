"""Texts letter by letter: `soundex`, `mask`."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from app.kernel.arrow.entry import ArrowFunction
from app.kernel.arrow.flat import Numbers, column_of, flat

_CODES = "01230127022455012623017202"
_NONE, _SILENT = ord("0"), ord("7")


def _code_table() -> Numbers:
    """The code of each byte: 0 for vowels and all that is no letter, 7 for what is passed over."""
    table = np.full(256, _NONE, dtype=np.uint8)
    for i, code in enumerate(_CODES):
        table[[ord("A") + i, ord("a") + i]] = ord(code)
    return table


_CODE_OF = _code_table()


def _soundex(column: pa.Array) -> pa.Array:
    """Four signs for how an English word sounds; what does not begin with a letter is given back."""
    texts = flat(column)
    starts = texts.starts[texts.lengths > 0]
    if not len(starts):
        return column
    leads = np.zeros(len(texts.letters), dtype=bool)
    leads[starts] = True
    # H and W neither count nor part what stands around them; the first letter is never passed over.
    codes = _CODE_OF[texts.letters]
    kept = np.flatnonzero((codes != _SILENT) | leads)
    codes, leads, row = codes[kept], leads[kept], texts.rows()[kept]
    counted = (codes != _NONE) & ~leads
    counted[1:] &= codes[1:] != codes[:-1]
    at = np.flatnonzero(counted)
    row, codes = row[at], codes[at]
    place = np.arange(len(at)) - np.searchsorted(row, row) + 1
    found = np.full((len(column), 4), _NONE, dtype=np.uint8)
    found[row[place < 4], place[place < 4]] = codes[place < 4]
    first = texts.letters[starts] & 0xDF
    words = np.zeros(len(column), dtype=bool)
    words[texts.lengths > 0] = (first >= ord("A")) & (first <= ord("Z"))
    found[texts.lengths > 0, 0] = first
    sounds = column_of(found, np.arange(len(column) + 1) * 4, pa.string(), column)
    return sounds if words.all() else pc.if_else(pa.array(words), sounds, column)


def _mask(texts: pa.Array, *replacements: pa.Array) -> pa.Array:
    """Letters and digits replaced by kind; a null replacement keeps them. Java counts letters beyond U+FFFF twice."""
    upper, lower, digit, other = (r[0].as_py() if len(r) else None for r in replacements)

    def masked(char: str) -> str:
        if ord(char) > 0xFFFF:
            return char if other is None else other * 2
        for kind, sign in ((char.isupper(), upper), (char.islower(), lower), (char.isdecimal(), digit), (True, other)):
            if kind:
                return char if sign is None else str(sign)
        raise AssertionError

    known: dict[str, str] = {}
    found: list[str | None] = []
    for text in texts.to_pylist():
        if text is not None:
            for char in set(text).difference(known):
                known[char] = masked(char)
        found.append(None if text is None else "".join(map(known.__getitem__, text)))
    return pa.array(found, type=pa.string())


FUNCTIONS = {
    "wa_soundex": ArrowFunction(_soundex, ("VARCHAR",), "VARCHAR"),
    "wa_mask": ArrowFunction(_mask, ("VARCHAR",) * 5, "VARCHAR"),
}
