"""Columns of texts and binary as what they are in memory: all bytes one after the other, and where each value ends."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

Numbers = np.ndarray[Any, np.dtype[Any]]
WIDEST = 64


@dataclass(frozen=True, slots=True)
class Flat:
    """`letters` are the bytes of all values, value i being those from `offsets[i]` up to `offsets[i + 1]`. A null has
    none."""

    letters: Numbers
    offsets: Numbers

    @property
    def starts(self) -> Numbers:
        return self.offsets[:-1]

    @property
    def lengths(self) -> Numbers:
        return np.diff(self.offsets)

    def padded(self) -> Numbers:
        return padded(self.letters)

    def rows(self) -> Numbers:
        """For each byte the number of its value."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.lengths)


@dataclass(frozen=True, slots=True)
class Alike:
    """Values of the same length, each as many bytes behind the one before it."""

    letters: Numbers
    start: int
    stride: int
    length: int
    count: int

    def words(self, start: int, end: int, word: Any) -> Numbers:
        """What lies there in each value, as words: the first of each value, then the second of each, and so on."""
        size = np.dtype(word).itemsize
        shape = ((end - start) // size, self.count)
        return np.ndarray(shape, word, self.letters.data, self.start + start, (size, self.stride)).copy()


def alike(letters: Numbers, starts: Numbers, lengths: Numbers) -> Alike | None:
    """None if the values are not."""
    if not len(starts) or lengths.min() != lengths.max():
        return None
    stride = int(starts[1] - starts[0]) if len(starts) > 1 else 0
    if (np.diff(starts) != stride).any():
        return None
    return Alike(letters, int(starts[0]), stride, int(lengths[0]), len(starts))


def valid(column: pa.Array) -> Numbers:
    """Which values are no nulls."""
    bits, start = column.buffers()[0], column.offset
    if bits is None:
        return np.ones(len(column), dtype=bool)
    found = np.unpackbits(np.frombuffer(bits, dtype=np.uint8), count=start + len(column), bitorder="little")
    return found[start:].view(bool)


def flat(column: pa.Array) -> Flat:
    """The bytes of a column of texts or binary; they are not copied."""
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, dtype=np.int32)[column.offset : column.offset + len(column) + 1].astype(np.int64)
    letters = np.frombuffer(data or b"", dtype=np.uint8)[ends[0] : ends[-1]]
    return Flat(letters, ends - ends[0])


def padded(letters: Numbers) -> Numbers:
    """With `WIDEST` bytes more, so that so many may be read at any of them."""
    return np.concatenate([letters, np.zeros(WIDEST, dtype=np.uint8)])


def ends_of(sizes: Numbers) -> Numbers:
    """Where things of these sizes end, one after the other, from 0 on."""
    found = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=found[1:])
    return found


def counted(flags: Numbers, offsets: Numbers) -> Numbers:
    """How many of the flags of each value are set; or the sum of small numbers."""
    if not len(flags):
        return np.zeros(len(offsets) - 1, dtype=np.int64)
    if offsets[-2] == len(flags):
        flags = np.concatenate([flags, flags[:1]])
    sums = np.add.reduceat(flags, offsets[:-1], dtype=np.int64)
    # numpy gives one element where there is none.
    sums[offsets[1:] == offsets[:-1]] = 0
    return sums


def gathered(letters: Numbers, starts: Numbers, width: int, word: Any) -> Numbers:
    """The `width` bytes that begin at each of `starts` in padded letters, as a row of words each. They may reach
    beyond the end of a value."""
    # One element, of any number of bytes, at every address: numpy copies it whole.
    values = np.ndarray(len(letters) - width + 1, f"V{width}", letters.data, strides=(1,))
    words: Numbers = values[starts].view(word).reshape(len(starts), -1)
    return words


def longest_first(lengths: Numbers) -> Any:
    """What puts values in the order of their lengths; all of them as they are where they are equally long."""
    if not len(lengths) or lengths.min() == (most := lengths.max()):
        return slice(None)
    # numpy sorts numbers of 16 bits digit by digit.
    return np.argsort((most - lengths).astype(np.uint16 if most < 1 << 16 else np.int64), kind="stable")


def column_of(letters: Any, offsets: Numbers, kind: pa.DataType, nulls_of: pa.Array) -> pa.Array:
    """A column of texts or binary from its bytes, null where `nulls_of` is."""
    validity = None
    if nulls_of.null_count:
        validity = nulls_of.buffers()[0] if not nulls_of.offset else nulls_of.is_valid().buffers()[1]
    buffers = [validity, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(letters)]
    return pa.Array.from_buffers(kind, len(nulls_of), buffers, nulls_of.null_count)


def replaced(found: pa.Array, rows: Numbers, others: pa.Array) -> pa.Array:
    """`found` with `others` in those rows for which `rows` is true."""
    return pc.replace_with_mask(found, pa.array(rows), others)


def repaired(values: Flat, nulls_of: pa.Array) -> pa.Array:
    """Texts of bytes: for what is no UTF-8 stands U+FFFD, as Unicode recommends it."""
    data = values.letters.tobytes()
    if _is_utf8(data, values):
        return column_of(data, values.offsets, pa.string(), nulls_of)
    free = next((sign for sign in range(128) if bytes([sign]) not in data), None)
    if free is None:
        texts = [data[start:end].decode(errors="replace").encode() for start, end in pairwise(values.offsets.tolist())]
        return column_of(b"".join(texts), ends_of(np.array(list(map(len, texts)))), pa.string(), nulls_of)
    # A sign that none of them has ends each value: it keeps the bytes of two apart, and tells where they end then.
    joined = np.full(len(data) + len(nulls_of), free, dtype=np.uint8)
    ends = values.offsets[1:] + np.arange(len(nulls_of))
    inside = np.ones(len(joined), dtype=bool)
    inside[ends] = False
    joined[inside] = values.letters
    text = joined.tobytes().decode(errors="replace").encode()
    ends = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == free) - np.arange(len(nulls_of))
    return column_of(text.translate(None, bytes([free])), np.concatenate([[0], ends]), pa.string(), nulls_of)


def _is_utf8(data: bytes, values: Flat) -> bool:
    """Whether all values are."""
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    # A value that ends within a letter is followed by one that begins there.
    return not (values.letters[values.starts[values.lengths > 0]] & 0xC0 == 0x80).any()
