"""Texts in other character sets and back, all texts of a batch at once.

The bytes of a batch are translated as one text; where each value ends in the result follows from the number of bytes
that each letter takes there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, fail
from app.kernel.arrow.flat import Flat, Numbers, column_of, flat

_MARK = 0xFEFF


@dataclass(frozen=True, slots=True)
class _Charset:
    """`codec` is Python's name, `unit` the numpy type of what it is made of; `marked` if a byte order mark leads."""

    codec: str
    unit: str
    marked: bool = False

    @property
    def width(self) -> int:
        return int(self.unit[-1])


_CHARSETS = {
    "UTF-8": _Charset("utf-8", "u1"), "US-ASCII": _Charset("ascii", "u1"), "ISO-8859-1": _Charset("latin-1", "u1"),
    "UTF-16BE": _Charset("utf-16-be", ">u2"), "UTF-16LE": _Charset("utf-16-le", "<u2"),
    "UTF-16": _Charset("utf-16-be", ">u2", marked=True), "UTF-32": _Charset("utf-32-be", ">u4"),
}  # fmt: skip
"""What Spark knows. Its UTF-32 writes no mark and reads one."""


def _known(name: str, function: str) -> _Charset:
    found = _CHARSETS.get(name.upper())
    if found is None:
        fail(
            "INVALID_PARAMETER_VALUE.CHARSET",
            f"The value of parameter(s) `charset` in `{function}` is invalid: expects one of "
            f"{', '.join(sorted(_CHARSETS))}, but got {name}.",
        )
    return found


def _malformed(function: str, name: str) -> NoReturn:
    fail(
        "MALFORMED_CHARACTER_CODING",
        f"Invalid value found when performing `{function}` with {name}: it has no such character.",
    )


def _encoded(column: pa.Array, name: str) -> pa.Array:
    charset, texts = _known(name, "encode"), flat(column)
    offsets = texts.offsets
    if len(texts.letters) and int(texts.letters.max()) < 128:
        units = texts.letters.astype(charset.unit)
    else:
        try:
            data = texts.letters.tobytes().decode().encode(charset.codec)
        except UnicodeEncodeError:
            _malformed("encode", name)
        units = np.frombuffer(data, dtype=charset.unit)
        sizes = (texts.letters & 0xC0 != 0x80).astype(np.int64)
        if charset.codec == "utf-8":
            sizes[:] = 1
        elif charset.width == 2:
            sizes += texts.letters >= 0xF0
        offsets = _ends(sizes)[offsets]
    if charset.marked:
        there = np.diff(offsets) > 0
        units = np.insert(units, offsets[:-1][there], _MARK)
        offsets = offsets + _ends(there)
    return column_of(units, offsets * charset.width, pa.binary(), column)


def _decoded(column: pa.Array, name: str) -> pa.Array:
    charset, values = _known(name, "decode"), flat(column)
    if (values.offsets % charset.width).any():
        _malformed("decode", name)
    units, offsets = values.letters.view(charset.unit), values.offsets // charset.width
    if name.upper() in ("UTF-16", "UTF-32"):
        units, offsets = _without_marks(units, offsets)
    first = units[offsets[:-1][np.diff(offsets) > 0]]
    # What a value may not begin with would pass as the rest of the letter before it.
    broken = (first & 0xFC00 == 0xDC00) if charset.width == 2 else (first & 0xC0 == 0x80)
    if charset.codec.startswith(("utf-8", "utf-16")) and broken.any():
        _malformed("decode", name)
    try:
        text = units.tobytes().decode(charset.codec)
    except UnicodeDecodeError:
        _malformed("decode", name)
    if charset.codec == "utf-8":
        sizes = np.ones(len(units), dtype=np.int64)
    else:
        sizes = 1 + (units >= 0x80).astype(np.int64)
        if charset.width > 1:
            sizes += units >= 0x800
        if charset.width == 2:
            sizes -= units & 0xF800 == 0xD800
        elif charset.width == 4:
            sizes += units >= 0x10000
    return column_of(text.encode(), _ends(sizes)[offsets], pa.string(), column)


def _without_marks(units: Numbers, offsets: Numbers) -> tuple[Numbers, Numbers]:
    """The units in their machine's order, without the byte order marks that lead values."""
    there = np.flatnonzero(np.diff(offsets) > 0)
    first = units[offsets[there]]
    swapped = there[first == np.array(_MARK, dtype=units.dtype).byteswap()]
    units = units.copy()
    for row in swapped:
        units[offsets[row] : offsets[row + 1]].byteswap(inplace=True)
    marked = np.union1d(there[first == _MARK], swapped)
    leads = np.zeros(len(offsets) - 1, dtype=bool)
    leads[marked] = True
    return np.delete(units, offsets[marked]), offsets - _ends(leads)


def _ends(sizes: Numbers) -> Numbers:
    """Where things of these sizes end, one after the other, from 0 on."""
    return np.concatenate([[0], np.cumsum(sizes)])


def _in_one(translate: Callable[[pa.Array, str], pa.Array], name: str) -> Callable[[pa.Array], pa.Array]:
    return lambda column: translate(column, name)


def _in_each(translate: Callable[[pa.Array, str], pa.Array]) -> Callable[..., pa.Array]:
    """The same where rows may name different character sets."""

    def compute(column: pa.Array, names: pa.Array) -> pa.Array:
        there = np.asarray(column.is_valid()) & np.asarray(names.is_valid())
        name_of: Any = names.to_numpy(zero_copy_only=False)
        rows, parts = [np.flatnonzero(~there)], [pa.nulls(int((~there).sum()), translate(column[:0], "UTF-8").type)]
        for name in set(name_of[there]):
            rows.append(np.flatnonzero(there & (name_of == name)))
            parts.append(translate(column.take(pa.array(rows[-1])), name))
        return pa.concat_arrays(parts).take(pa.array(np.argsort(np.concatenate(rows))))

    return compute


def function_of(charset: str) -> str:
    """What the functions of one character set end with: `utf_16be`."""
    return charset.lower().replace("-", "_")


FUNCTIONS = {
    "wa_encode": ArrowFunction(_in_each(_encoded), ("VARCHAR", "VARCHAR"), "BLOB"),
    "wa_decode": ArrowFunction(_in_each(_decoded), ("BLOB", "VARCHAR"), "VARCHAR"),
}
for _name in ("ISO-8859-1", "UTF-16", "UTF-16BE", "UTF-16LE", "UTF-32"):
    _end = _name.lower().replace("-", "_")
    FUNCTIONS[f"wa_encode_{_end}"] = ArrowFunction(_in_one(_encoded, _name), ("VARCHAR",), "BLOB")
    FUNCTIONS[f"wa_decode_{_end}"] = ArrowFunction(_in_one(_decoded, _name), ("BLOB",), "VARCHAR")
__all__ = ["FUNCTIONS", "Flat"]
