"""Lines of CSV taken apart.

Most lines have quotes around whole fields only, and nothing escaped. In all such lines of a batch the separators
outside of quotes are found at once; the others are gone through letter by letter. A list of texts costs much on its
way back: one text with a sign between the fields, which DuckDB cuts at it, costs less.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, by_row
from app.kernel.arrow.flat import Flat, Numbers, column_of, counted, ends_of, flat, replaced

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
    quotes, splits = texts.letters == _QUOTE, texts.letters == separator
    counts = counted(quotes, texts.offsets)
    plain = counts & 1 == 0
    inside = _inside(quotes if plain.all() else quotes & np.repeat(plain, texts.lengths))
    _leave_odd(plain, texts, quotes, splits, inside)
    marked = texts.letters ^ ((splits & ~inside) * np.uint8(separator ^ ord(_MARK)))
    data = marked.tobytes().translate(None, b'"')
    found = column_of(data, ends_of(texts.lengths - counts), pa.string(), lines)
    if plain.all():
        return found
    texts_of = (_MARK.join(fields(line, chr(separator))) for line in lines.filter(pa.array(~plain)).to_pylist())
    return replaced(found, ~plain, pa.array(texts_of, type=pa.string()))


def _inside(quotes: Numbers) -> Numbers:
    """Which letters have an odd number of quotes before them, themselves included; 64 at a time."""
    bits = np.packbits(quotes, bitorder="little")
    words = np.zeros(len(bits) // 8 + 1, dtype="<u8")
    words.view(np.uint8)[: len(bits)] = bits
    for shift in (1, 2, 4, 8, 16, 32):
        words ^= words << np.uint64(shift)
    odd = words >> np.uint64(63)
    words ^= -(np.bitwise_xor.accumulate(odd) ^ odd)
    return np.unpackbits(words.view(np.uint8), count=len(quotes), bitorder="little").view(bool)


def _leave_odd(plain: Numbers, texts: Flat, quotes: Numbers, splits: Numbers, inside: Numbers) -> None:
    """Of the lines that are `plain`, only those whose quotes stand around whole fields."""
    first, behind = np.zeros(len(quotes) + 1, dtype=bool), np.zeros(len(quotes) + 1, dtype=bool)
    first[1:], behind[:-1] = splits, splits
    first[texts.offsets] = behind[texts.offsets] = True
    wrong = (quotes & inside & ~first[:-1]) | (quotes & ~inside & ~behind[1:]) | (texts.letters == _ESCAPE)
    if wrong.any():
        plain[np.searchsorted(texts.offsets, np.flatnonzero(wrong), side="right") - 1] = False


FUNCTIONS = {
    "wa_csv_marked": ArrowFunction(_marked, ("VARCHAR", "UTINYINT"), "VARCHAR"),
    "wa_csv_fields": ArrowFunction(by_row(fields, pa.list_(pa.string())), ("VARCHAR", "VARCHAR"), "VARCHAR[]"),
}
