"""Lines of CSV taken apart.

Most lines have quotes around whole fields only, and nothing escaped. In all such lines of a batch the separators
outside of quotes are found at once; the others are gone through letter by letter. A list of texts costs much on its
way back: one text with a sign between the fields, which DuckDB cuts at it, costs less.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, by_row
from app.kernel.arrow.flat import Numbers, column_of, ends_of, flat, replaced

_QUOTE, _ESCAPE = ord('"'), ord("\\")
_MARK = "\x01"


def fields(line: str, separator: str) -> list[str]:
    """The fields of one line. A quoted field may hold the separator, and quotes behind a
    backslash; where text follows its closing quote the quotes are text too.

    >>> fields('1,"a,b",,"x"y', ",")
    ['1', 'a,b', '', '"x"y']
    """
    found = []
    at = 0
    while True:
        quoted = _quoted(line, at, separator) if line[at : at + 1] == '"' else None
        if quoted is None:
            end = line.find(separator, at)
            end = len(line) if end < 0 else end
            text = line[at:end]
        else:
            text, end = quoted
        found.append(text)
        if end >= len(line):
            return found
        at = end + len(separator)


def _quoted(line: str, start: int, separator: str) -> tuple[str, int] | None:
    """A quoted field and where it ends, None if it is none after all."""
    text, at = "", start + 1
    while at < len(line):
        if line[at] == "\\" and line[at + 1 : at + 2] in ('"', "\\"):
            text, at = text + line[at + 1], at + 2
        elif line[at] == '"':
            end = at + 1
            return (text, end) if end == len(line) or line.startswith(separator, end) else None
        else:
            text, at = text + line[at], at + 1
    return text, at


def _marked(lines: pa.Array, separators: pa.Array) -> pa.Array:
    """The fields of each line, which are without the mark, one behind the other with a mark between them. Separators
    are one code point of ASCII in all rows, no quote and no backslash."""
    separator = separators[0].as_py() if len(lines) else 0
    texts = flat(lines)
    letters, offsets = texts.letters, texts.offsets
    quotes = np.flatnonzero(letters == _QUOTE)
    before = np.searchsorted(quotes, offsets)
    counts = np.diff(before)
    plain = counts & 1 == 0
    opening = np.arange(0, len(quotes), 2)
    if not plain.all():
        opening = np.flatnonzero(np.repeat(plain, counts))[::2]
    _leave_odd(plain, letters, offsets, quotes[opening], quotes[opening + 1], separator)
    data = bytearray(letters.tobytes().translate(_marks(separator), b'"'))
    inner, pair = _between(np.flatnonzero(letters == separator), quotes[opening], quotes[opening + 1])
    np.frombuffer(data, dtype=np.uint8)[inner - opening[pair] - 1] = separator
    found = column_of(data, offsets - before, pa.string(), lines)
    if plain.all():
        return found
    texts_of = (_MARK.join(fields(line, chr(separator))) for line in lines.filter(pa.array(~plain)).to_pylist())
    return replaced(found, ~plain, pa.array(texts_of, type=pa.string()))


@cache
def _marks(separator: int) -> bytes:
    return bytes(ord(_MARK) if i == separator else i for i in range(256))


def _between(places: Numbers, opening: Numbers, closing: Numbers) -> tuple[Numbers, Numbers]:
    """Those of the places that stand within a pair of quotes, and the pair."""
    first, end = np.searchsorted(places, opening), np.searchsorted(places, closing)
    sizes = end - first
    ends = ends_of(sizes)
    return places[np.arange(ends[-1]) + np.repeat(first - ends[:-1], sizes)], np.repeat(np.arange(len(sizes)), sizes)


def _leave_odd(
    plain: Numbers, letters: Numbers, offsets: Numbers, opening: Numbers, closing: Numbers, separator: int
) -> None:
    """Of the lines that are `plain`, only those whose quotes stand around whole fields."""
    inner = opening[letters[opening - 1] != separator]
    inner = inner[offsets[np.searchsorted(offsets, inner)] != inner]
    behind = closing[letters.take(closing + 1, mode="clip") != separator] + 1
    behind = behind[offsets[np.searchsorted(offsets, behind)] != behind]
    escapes = np.flatnonzero(letters == _ESCAPE)
    for places in (inner, behind - 1, escapes):
        plain[np.searchsorted(offsets, places, side="right") - 1] = False


FUNCTIONS = {
    "wa_csv_marked": ArrowFunction(_marked, ("VARCHAR", "UTINYINT"), "VARCHAR"),
    "wa_csv_fields": ArrowFunction(by_row(fields, pa.list_(pa.string())), ("VARCHAR", "VARCHAR"), "VARCHAR[]"),
}
