"""A column of JSON texts as what its letters are, all texts at once: of a key, of another text, or outside of texts.

No row is looked at by Python, only the outlines of objects: a batch has few different ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from app.kernel.arrow.flat import Numbers, column_of, counted, flat, replaced
from app.kernel.variant.parse import QUICK_DEPTH, QUICK_LETTERS

_BLANK, _CASE = 32, 32
_WHOLE, _PART, _COUNTED = 9, 12, 20
_KEYS = re.compile(r'[{}]|"[^"\\]*(?:\\.[^"\\]*)*"')


@dataclass(frozen=True, slots=True)
class JsonTexts:
    """The letters of all texts. Of each letter `outside` tells if it is in no string, `quotes` if one begins or ends
    there, `keys` if it is of a key, `blank` if it is one between tokens; `after` is the letter behind it, 0 behind the
    last one of a text. No blank stands before a colon or a closing brace or bracket."""

    letters: Numbers
    offsets: Numbers
    outside: Numbers
    quotes: Numbers
    keys: Numbers
    blank: Numbers
    after: Numbers

    def signs(self, signs: str) -> Numbers:
        """Which letters are one of these, outside of strings."""
        found: Numbers = self.letters == ord(signs[0])
        for sign in signs[1:]:
            found |= self.letters == ord(sign)
        found &= self.outside
        return found

    def having(self, flags: Numbers) -> Numbers:
        """Which texts have a letter that is flagged."""
        return self.holding(np.flatnonzero(flags))

    def holding(self, places: Numbers) -> Numbers:
        """Which texts the letters at these places are in."""
        found = np.zeros(len(self.offsets) - 1, dtype=bool)
        if len(places):
            found[np.searchsorted(self.offsets, places, side="right") - 1] = True
        return found

    def minified(self) -> pa.Array:
        """The texts without blanks."""
        return column_of(*_without(self.letters, self.offsets, self.blank), pa.string(), pa.array(self.offsets[1:]))


def json_texts(column: pa.Array) -> JsonTexts:
    """What a column holds without nulls, all of it valid for DuckDB's `json_valid`."""
    given = flat(column)
    letters, offsets = given.letters, given.offsets
    quotes = quotes_in(letters)
    between = flips(quotes)
    after = _after(letters, offsets)
    blank = (letters <= _BLANK) & ~between
    closing = after | _CASE
    if (blank & ((after == ord(":")) | (closing == ord("}")))).any():
        letters, offsets = _without(letters, offsets, blank)
        quotes = quotes_in(letters)
        between, after, blank = flips(quotes), _after(letters, offsets), np.zeros(len(letters), dtype=bool)
    ends = quotes & ~between
    keys = _keys(between, ends & (after == ord(":"))) if len(letters) else between
    return JsonTexts(letters, offsets, ~(between | ends), quotes, keys, blank, after)


def _without(letters: Numbers, offsets: Numbers, gone: Numbers) -> tuple[Numbers, Numbers]:
    if not gone.any():
        return letters, offsets
    return np.frombuffer(_kept(letters, ~gone), dtype=np.uint8), offsets - counted_before(gone, offsets)


def _kept(letters: Numbers, flags: Numbers) -> bytes:
    """The letters that are flagged, of texts in which NUL is none."""
    return (letters * flags.view(np.uint8)).tobytes().translate(None, b"\0")


def counted_before(flags: Numbers, places: Numbers) -> Numbers:
    """How many flags are set before each place."""
    words = _words(flags)
    before = np.zeros(len(words), dtype=np.int64)
    np.cumsum(np.bitwise_count(words[:-1]), out=before[1:])
    at, bits = places >> 6, np.left_shift(np.uint64(1), (places & 63).astype(np.uint64))
    found: Numbers = before[at] + np.bitwise_count(words[at] & (bits - np.uint64(1)))
    return found


def _words(flags: Numbers) -> Numbers:
    """Flags as bits of 64, the first one the lowest; there is at least one bit more."""
    words = np.zeros((len(flags) >> 6) + 1, dtype=np.uint64)
    packed = np.packbits(flags, bitorder="little")
    words.view(np.uint8)[: len(packed)] = packed
    return words


def _after(letters: Numbers, offsets: Numbers) -> Numbers:
    found = np.zeros_like(letters)
    found[:-1] = letters[1:]
    found[offsets[1:] - 1] = 0
    return found


def quotes_in(letters: Numbers) -> Numbers:
    """Which letters begin a text or end it."""
    found: Numbers = letters == ord('"')
    back = np.flatnonzero(letters == ord("\\"))
    if len(back):
        first = np.ones(len(back), dtype=bool)
        first[1:] = np.diff(back) > 1
        begun = np.maximum.accumulate(np.where(first, back, 0))
        found[back[(back - begun) & 1 == 0] + 1] = False
    return found


def flips(flags: Numbers) -> Numbers:
    """True from each flag on up to the next one, which is not, and so on."""
    words = _words(flags)
    for shift in (1, 2, 4, 8, 16, 32):
        words ^= words << np.uint64(shift)
    odd = np.bitwise_xor.accumulate(words >> np.uint64(63))
    words[1:] ^= np.uint64(0) - odd[:-1]
    return np.unpackbits(words.view(np.uint8), count=len(flags), bitorder="little").view(bool)


def _keys(between: Numbers, ends: Numbers) -> Numbers:
    """Which letters are of the texts that end there."""
    last = np.zeros_like(ends)
    last[:-1] = ends[1:]
    texts, added = (int.from_bytes(np.packbits(flags).tobytes()) for flags in (between, last))
    # The carry runs through a text from its end to its beginning.
    found = texts & ~(texts + added)
    packed = np.frombuffer(found.to_bytes(-(-len(ends) // 8)), dtype=np.uint8)
    return np.logical_or(np.unpackbits(packed, count=len(ends)), ends)


def carried_if_usual(column: pa.Array, valid: pa.Array) -> tuple[pa.Array, Numbers | None]:
    """The texts that carry JSON as variants, null where it has anything unusual; and where it has not, None if nowhere.
    `valid` is what DuckDB's `json_valid` says."""
    usual = askable(column, valid)
    whole = bool(usual.all())
    texts = json_texts(column if whole else column.filter(pa.array(usual)))
    fine = ~(lenient(texts) | escaped(texts) | deep(texts) | twice(texts) | numbers(texts))
    if whole and fine.all():
        return texts.minified(), None
    usual = usual.copy()
    usual[usual] = fine
    return replaced(pa.nulls(len(column), pa.string()), usual, texts.minified().filter(pa.array(fine))), usual


def askable(column: pa.Array, valid: pa.Array) -> Numbers:
    """Which texts are valid and not very long."""
    found: Numbers = valid.fill_null(False).to_numpy(zero_copy_only=False)
    short = flat(column).lengths <= QUICK_LETTERS
    return found if short.all() else found & short


def lenient(texts: JsonTexts) -> Numbers:
    """Which texts are no JSON but for DuckDB: with a comma behind the last item, or with NaN or Infinity."""
    after = texts.after | _CASE
    last = (texts.letters == ord(",")) & (after == ord("]") | _CASE)
    words = (texts.letters | _CASE == ord("n")) & ((after == ord("a")) | (after == ord("f")))
    return texts.having((last | words) & texts.outside)


def escaped(texts: JsonTexts) -> Numbers:
    """Which texts have a letter given by its number, or a slash behind a backslash."""
    if not (texts.letters == ord("\\")).any():
        return np.zeros(len(texts.offsets) - 1, dtype=bool)
    after = texts.after
    return texts.having((texts.letters == ord("\\")) & ((after == ord("u")) | (after == ord("/"))))


def deep(texts: JsonTexts) -> Numbers:
    """Which texts may be nested deeper than a parser goes."""
    if (np.diff(texts.offsets) <= 2 * QUICK_DEPTH).all():
        return np.zeros(len(texts.offsets) - 1, dtype=bool)
    return counted(texts.signs("{["), texts.offsets) > QUICK_DEPTH


def outlines(texts: JsonTexts, signs: Numbers) -> tuple[list[str], Numbers]:
    """The different outlines, which are the keys and the signs between them; and which one each text has."""
    return distinct(texts.letters, texts.keys | signs, texts.offsets)


def distinct(letters: Numbers, shown: Numbers, offsets: Numbers) -> tuple[list[str], Numbers]:
    """What is shown of texts, each once; and which of them each text has.

    Where all are like the first, texts that begin with a sign and end with one are not looked at one by one."""
    found, count = _kept(letters, shown), len(offsets) - 1
    first = found[: np.count_nonzero(shown[: offsets[1]])] if count else b""
    if found == first * count:
        return [first.decode()], np.zeros(count, dtype=np.int64)
    ends = counted_before(shown, offsets)
    column = column_of(found, ends, pa.string(), pa.array(ends[1:])).dictionary_encode()
    return column.dictionary.to_pylist(), column.indices.to_numpy()


def twice(texts: JsonTexts) -> Numbers:
    """Which texts have an object with a key that comes twice; maybe some with the same objects in other texts. Keys are
    compared as they are written."""
    shapes, kinds = outlines(texts, texts.signs("{}"))
    return np.array(list(map(_has_twice, shapes)), dtype=bool)[kinds]


def _has_twice(outline: str) -> bool:
    objects: list[set[str]] = []
    for token in _KEYS.findall(outline):
        if token == "{":
            objects.append(set())
        elif token == "}":
            objects.pop()
        elif token in objects[-1]:
            return True
        else:
            objects[-1].add(token)
    return False


def numbers(texts: JsonTexts) -> Numbers:
    """Which texts have a number that may not be what a double or 64 bits print of it: with an exponent, a zero at the
    end of its digits, a zero below zero, or many digits."""
    letters, after, outside = texts.letters, texts.after, texts.outside
    digits = (letters - ord("0") <= 9) & outside
    follows = digits & (after - ord("0") <= 9)
    odd = texts.having(digits & (after | _CASE == ord("e"))) | texts.holding(np.flatnonzero(_runs(follows)))
    below = np.flatnonzero((letters == ord("-")) & (after == ord("0")) & outside)
    odd |= texts.holding(below[after[below + 1] != ord(".")])
    return odd | texts.holding(_unsure(texts, np.flatnonzero(texts.signs(".")), follows))


def _runs(follows: Numbers) -> Numbers:
    """Where 19 digits begin, if each of these is followed by another."""
    found = two = follows[:-1] & follows[1:]
    for length in (2, 4, 8):
        if not found.any():
            return found
        found = found[:-length] & found[length:]
    return found[:-2] & two[16 : 14 + len(found)]


def _unsure(texts: JsonTexts, points: Numbers, follows: Numbers) -> Numbers:
    """The points in numbers of which a double may not have all digits, or would print them otherwise."""
    letters = texts.letters
    part, whole = digits_from(points + 1, follows, 1), digits_from(points - 1, follows, -1)
    odd = letters[points + part] == ord("0")
    if (part > 3).any():
        zeros = letters.take(points[:, None] + np.array((-1, 1, 2, 3)), mode="clip") == ord("0")
        odd |= (part > _PART) | (part > 6) & (whole > 3) | (part > 3) & (whole == 1) & zeros.all(axis=1)
    found: Numbers = points[odd | (whole > _WHOLE)]
    return found


def digits_from(places: Numbers, follows: Numbers, step: int) -> Numbers:
    """How many digits stand from each place on, forwards or backwards; at most 20. `follows` tells of all letters which
    are digits with another behind."""
    found = np.ones(len(places), dtype=np.int64)
    links = places if step > 0 else places - 1
    # Before the first letter is the last one, which has none behind.
    live = np.flatnonzero(follows[links])
    while len(live) and found[live[0]] < _COUNTED:
        found[live] += 1
        live = live[follows[links[live] + step * (found[live] - 1)]]
    return found
