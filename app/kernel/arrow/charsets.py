"""Texts in other character sets and back, all texts of a batch at once.

The bytes of a batch are translated as one text; where each value ends in the result follows from the number of bytes
that each letter takes there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from app.kernel.arrow.entry import ArrowFunction, fail
from app.kernel.arrow.flat import Numbers, column_of, counted, ends_of, flat

_MARK = 0xFEFF
_ORDER = "le" if sys.byteorder == "little" else "be"


@dataclass(frozen=True, slots=True)
class _Charset:
    """`codec` is Python's name, `unit` the numpy type of what it is made of, `machine` the codec of the same units as
    they lie in memory here."""

    name: str
    codec: str
    unit: str
    machine: str

    @property
    def width(self) -> int:
        return int(self.unit[-1])


_CHARSETS = (
    _Charset("ISO-8859-1", "latin-1", "u1", "latin-1"),
    _Charset("UTF-16", "utf-16-be", ">u2", f"utf-16-{_ORDER}"),
    _Charset("UTF-16BE", "utf-16-be", ">u2", f"utf-16-{_ORDER}"),
    _Charset("UTF-16LE", "utf-16-le", "<u2", f"utf-16-{_ORDER}"),
    _Charset("UTF-32", "utf-32-be", ">u4", f"utf-32-{_ORDER}"),
)


def _malformed(function: str, charset: _Charset) -> NoReturn:
    fail(
        "MALFORMED_CHARACTER_CODING",
        f"Invalid value found when performing `{function}` with {charset.name}: it has no such character.",
    )


def _encoded(column: pa.Array, charset: _Charset) -> pa.Array:
    """Without a byte order mark."""
    texts = flat(column)
    letters, offsets = texts.letters, texts.offsets
    if not len(letters) or letters.max() < 128:
        return column_of(letters.astype(charset.unit), offsets * charset.width, pa.binary(), column)
    try:
        data = letters.tobytes().decode().encode(charset.codec)
    except UnicodeEncodeError:
        _malformed("encode", charset)
    sizes = pc.utf8_length(column).fill_null(0).to_numpy().astype(np.int64)
    if charset.width == 2 and letters.max() >= 0xF0:
        sizes += counted(letters >= 0xF0, offsets)
    return column_of(data, ends_of(sizes) * charset.width, pa.binary(), column)


def _decoded(column: pa.Array, charset: _Charset) -> pa.Array:
    values = flat(column)
    if charset.width > 1 and (values.offsets & (charset.width - 1)).any():
        _malformed("decode", charset)
    units, offsets = values.letters.view(charset.unit), values.offsets // charset.width
    units = units.astype(charset.unit.strip("<>"))
    if charset.name in ("UTF-16", "UTF-32"):
        units, offsets = _without_marks(units, offsets)
    if not len(units) or units.max() < 128:
        return column_of(units.astype(np.uint8), offsets, pa.string(), column)
    # The second half of a letter would pass as the rest of the value before it.
    if charset.width == 2 and (units[offsets[:-1][np.diff(offsets) > 0]] & 0xFC00 == 0xDC00).any():
        _malformed("decode", charset)
    if charset.width == 4:
        units = _without_halves(units, offsets)
    try:
        text = units.tobytes().decode(charset.machine)
    except UnicodeDecodeError:
        _malformed("decode", charset)
    sizes = np.diff(offsets) + counted(units >= 0x80, offsets)
    if charset.width > 1:
        sizes += counted(units >= 0x800, offsets)
    if charset.width == 2:
        sizes -= counted(units & 0xF800 == 0xD800, offsets)
    elif charset.width == 4:
        sizes += counted(units >= 0x10000, offsets)
    return column_of(text.encode(), ends_of(sizes), pa.string(), column)


def _without_marks(units: Numbers, offsets: Numbers) -> tuple[Numbers, Numbers]:
    """The units in their right order, without the byte order marks that lead values."""
    there = np.flatnonzero(np.diff(offsets) > 0)
    first = units[offsets[there]]
    swapped = there[first == np.array(_MARK, dtype=units.dtype).byteswap()]
    marked = np.union1d(there[first == _MARK], swapped)
    if not len(marked):
        return units, offsets
    for row in swapped:
        units[offsets[row] : offsets[row + 1]].byteswap(inplace=True)
    leads = np.zeros(len(offsets) - 1, dtype=bool)
    leads[marked] = True
    return np.delete(units, offsets[marked]), offsets - ends_of(leads)


def _without_halves(units: Numbers, offsets: Numbers) -> Numbers:
    """Java writes a question mark for half a letter. Two halves in a row may be one letter to it."""
    halves = units & 0xFFFFF800 == 0xD800
    if not halves.any():
        return units
    both = np.flatnonzero(halves[1:] & halves[:-1]) + 1
    if not np.isin(both, offsets).all():
        fail("UNSUPPORTED_FEATURE", "`decode` of UTF-32 in which letters are cut into surrogates.")
    return np.where(halves, units.dtype.type(ord("?")), units)


def _of(translate: Callable[[pa.Array, _Charset], pa.Array], charset: _Charset) -> Callable[[pa.Array], pa.Array]:
    return lambda column: translate(column, charset)


FUNCTIONS: dict[str, ArrowFunction] = {}
for _charset in _CHARSETS:
    _end = _charset.name.lower().replace("-", "_")
    FUNCTIONS[f"wa_decode_{_end}"] = ArrowFunction(_of(_decoded, _charset), ("BLOB",), "VARCHAR")
    if _charset.name != "UTF-16":
        FUNCTIONS[f"wa_encode_{_end}"] = ArrowFunction(_of(_encoded, _charset), ("VARCHAR",), "BLOB")
