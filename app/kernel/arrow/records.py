"""Lines of CSV taken apart.

Most lines have quotes around whole fields only, and nothing escaped. All such lines of a batch are cut as one text; the
others are gone through letter by letter.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, by_row
from app.kernel.arrow.flat import Flat, Numbers, ends_of, flat

_QUOTE, _ESCAPE = ord('"'), ord("\\")
_KIND = pa.list_(pa.string())


def fields(line: str, separator: str) -> list[str | None]:
    """The fields of one line; what is empty is null. A quoted field may hold the separator, and quotes behind a
    backslash; where text follows its closing quote the quotes are text too.

    >>> fields('1,"a,b",,"x"y', ",")
    ['1', 'a,b', None, '"x"y']
    """
    found: list[str | None] = []
    at = 0
    while True:
        quoted = _quoted(line, at, separator) if line[at : at + 1] == '"' else None
        if quoted is None:
            end = line.find(separator, at)
            end = len(line) if end < 0 else end
            text = line[at:end]
        else:
            text, end = quoted
        found.append(text or None)
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


_fields_of_each = by_row(fields, _KIND)


def _fields(lines: pa.Array, separators: pa.Array) -> pa.Array:
    separator = (separators[0].as_py() or "") if len(lines) else ""
    if len(separator.encode()) != 1 or separator in '"\\' or lines.null_count:
        return _fields_of_each(lines, separators)
    plain = _plain(flat(lines), ord(separator))
    if plain.all():
        return _cut(flat(lines), ord(separator))
    rows = pa.array(plain), pa.array(~plain)
    found = [
        _cut(flat(lines.filter(rows[0])), ord(separator)),
        _fields_of_each(*(c.filter(rows[1]) for c in (lines, separators))),
    ]
    places = np.argsort(np.concatenate([np.flatnonzero(plain), np.flatnonzero(~plain)]))
    return pa.concat_arrays(found).take(pa.array(places))


def _plain(lines: Flat, separator: int) -> Numbers:
    """For each line whether its quotes stand around whole fields."""
    plain = np.ones(len(lines.starts), dtype=bool)
    quotes = np.flatnonzero(lines.letters == _QUOTE)
    row = np.searchsorted(lines.offsets, quotes, side="right") - 1
    plain[np.bincount(row, minlength=len(plain)) & 1 > 0] = False
    kept = plain[row]
    quotes, row = quotes[kept], row[kept]
    opening, closing = quotes[::2], quotes[1::2]
    begins = (opening == lines.offsets[row[::2]]) | (lines.letters[opening - 1] == separator)
    follows = np.concatenate([lines.letters, [separator]])[closing + 1]
    ends = (closing + 1 == lines.offsets[row[1::2] + 1]) | (follows == separator)
    plain[row[::2][~(begins & ends)]] = False
    escapes = np.flatnonzero(lines.letters == _ESCAPE)
    plain[np.searchsorted(lines.offsets, escapes, side="right") - 1] = False
    return plain


def _cut(lines: Flat, separator: int) -> pa.Array:
    """The fields of lines that are plain."""
    letters, offsets = lines.letters, lines.offsets
    quotes = letters == _QUOTE
    inside = np.bitwise_xor.accumulate(quotes)
    cuts = np.flatnonzero((letters == separator) & ~inside)
    # Where fields end, those at the end of a line before those that begin there and are empty.
    order = np.argsort(np.concatenate([2 * offsets[1:], 2 * cuts + 1]), kind="stable")
    ends = np.concatenate([offsets[1:], cuts])[order]
    lasts = order < len(offsets) - 1
    starts = np.concatenate([[0], (ends + ~lasts)[:-1]])
    quoted = np.concatenate([quotes, [False]])[np.minimum(starts, ends)] & (ends > starts)
    sizes = ends - starts - 2 * quoted
    kept = ~quotes
    kept[cuts] = False
    there = pa.array(sizes > 0)
    texts = pa.Array.from_buffers(
        pa.string(),
        len(sizes),
        [there.buffers()[1], pa.py_buffer(ends_of(sizes).astype(np.int32)), pa.py_buffer(np.compress(kept, letters))],
    )
    rows = np.concatenate([[0], np.flatnonzero(lasts) + 1]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(rows), texts)


FUNCTIONS = {"wa_csv_fields": ArrowFunction(_fields, ("VARCHAR", "VARCHAR"), "VARCHAR[]")}
