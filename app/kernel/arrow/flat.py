"""Columns of texts and binary as what they are in memory: all bytes one after the other, and where each value ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

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
        """`letters` with `WIDEST` bytes more, so that so many may be read at any of them."""
        return np.concatenate([self.letters, np.zeros(WIDEST, dtype=np.uint8)])

    def rows(self) -> Numbers:
        """For each byte the number of its value."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.lengths)


def flat(column: pa.Array) -> Flat:
    """The bytes of a column of texts or binary; they are not copied."""
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, dtype=np.int32)[column.offset : column.offset + len(column) + 1].astype(np.int64)
    letters = np.frombuffer(data or b"", dtype=np.uint8)[ends[0] : ends[-1]]
    return Flat(letters, ends - ends[0])


def gathered(letters: Numbers, starts: Numbers, width: int, word: Any) -> Numbers:
    """The `width` bytes that begin at each of `starts` in padded letters, as a row of words each. They may reach
    beyond the end of a value."""
    # One element, of any number of bytes, at every address: numpy copies it whole.
    values = np.ndarray(len(letters) - width + 1, f"V{width}", letters.data, strides=(1,))
    words: Numbers = values[starts].view(word).reshape(len(starts), -1)
    return words


def longest_first(lengths: Numbers) -> Any:
    """What puts values in the order of their lengths; all of them as they are where they are equally long."""
    if not len(lengths) or lengths.min() == lengths.max():
        return slice(None)
    return np.argsort(-lengths, kind="stable")


def column_of(letters: Any, offsets: Numbers, kind: pa.DataType, nulls_of: pa.Array) -> pa.Array:
    """A column of texts or binary from its bytes, null where `nulls_of` is."""
    validity = None
    if nulls_of.null_count:
        validity = nulls_of.buffers()[0] if not nulls_of.offset else nulls_of.is_valid().buffers()[1]
    buffers = [validity, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(letters)]
    return pa.Array.from_buffers(kind, len(nulls_of), buffers, nulls_of.null_count)
