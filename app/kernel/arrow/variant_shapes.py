"""What tells the texts that carry variants apart where types differ: texts without what makes no difference to them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from app.kernel.arrow.flat import Numbers
from app.kernel.arrow.json_texts import JsonTexts, digits_from, distinct, flips, json_texts
from app.kernel.variant.carried import DECIMAL_MARK, written

_MARK = written(DECIMAL_MARK)[:-2].encode()
"""How a marked text begins, up to the letter that names its kind."""
_DECIMAL = ord(DECIMAL_MARK[-1])


def variant_shapes(column: pa.Array) -> tuple[list[str], Numbers]:
    """The different shapes, themselves texts that carry variants of the same types; and which one each text has.

    Of whole numbers one digit is left, of numbers with a point as many ones as they have digits, of texts their marks,
    of marked decimals all."""
    texts = json_texts(column)
    letters, after, outside = texts.letters, texts.after, texts.outside
    digits = (letters - ord("0") <= 9) & outside
    follows = digits & (after - ord("0") <= 9)
    shown = outside & (letters != ord("-"))
    shown[1:] &= ~follows[:-1]
    points = np.flatnonzero(texts.signs("."))
    letters = np.where(digits, np.uint8(ord("1")), letters)
    if len(points):
        part, whole = digits_from(points + 1, follows, 1), digits_from(points - 1, follows, -1)
        letters[points - 1] -= (whole == 1) & (texts.letters[points - 1] == ord("0"))
        shown |= _spans(len(letters), points - whole, points + part + 1)
    shown |= texts.keys | texts.quotes | _marks(texts)
    return distinct(letters, shown, texts.offsets)


def _marks(texts: JsonTexts) -> Numbers:
    """Which letters are of marks, or of decimals that have one."""
    letters = texts.letters
    places = np.flatnonzero(texts.quotes & (texts.after == ord("\\")))
    if not len(places):
        return np.zeros(len(letters), dtype=bool)
    begins = letters.take(places[:, None] + np.arange(len(_MARK)), mode="clip")
    places = places[(begins == np.frombuffer(_MARK, dtype=np.uint8)).all(axis=1)]
    decimal = letters.take(places + len(_MARK), mode="clip") == _DECIMAL
    quotes = np.flatnonzero(texts.quotes)
    ends = np.where(decimal, quotes.take(np.searchsorted(quotes, places) + 1, mode="clip"), places + len(_MARK) + 1)
    return _spans(len(letters), places, ends)


def _spans(count: int, starts: Numbers, ends: Numbers) -> Numbers:
    """Which of so many letters are in spans."""
    edges = np.zeros(count + 1, dtype=bool)
    edges[starts] = True
    edges[ends] ^= True  # where the next span begins
    return flips(edges)[:count]
