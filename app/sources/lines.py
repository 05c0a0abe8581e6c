"""Lines from a stream of bytes, a chunk at a time: Python never touches a single line of a chunk that is in order.

A line ends with LF or CRLF and is at most `max_line_bytes` long without its end. A chunk is scanned for its line
ends, checked and turned into one Arrow array by vector operations; only a chunk in which some line is too long or
not UTF-8 is taken apart line by line. How the bytes were cut on their way does not change what comes out.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

TOO_LONG = "LINE_TOO_LONG"
NOT_UTF8 = "INVALID_UTF8"


@dataclass(frozen=True, slots=True)
class Rejected:
    """A line that is no row; `row` is the number of rows before it in its chunk. Of a line that is too long,
    `payload` is the beginning."""

    row: int
    reason: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Lines:
    """`body` is the text of all `rows` lines, each ended by LF; `values` is the same as an Arrow string array."""

    body: bytes = b""
    values: pa.Array = field(default_factory=lambda: pa.array([], pa.string()))
    rejected: tuple[Rejected, ...] = ()

    @property
    def rows(self) -> int:
        return len(self.values)


class LineSplitter:
    """Keeps the half line at the end of a chunk for the next one. Memory is bounded by `max_line_bytes`."""

    def __init__(self, max_line_bytes: int, replace_invalid: bool) -> None:
        self._max = max_line_bytes
        self._replace = replace_invalid
        self._half: list[bytes] = []
        self._half_bytes = 0
        self._skipping: bytes | None = None

    def feed(self, data: bytes) -> Lines:
        """The lines that `data` completes."""
        rejected: tuple[Rejected, ...] = ()
        if self._skipping is not None:
            cut = data.find(b"\n")
            if cut < 0:
                return Lines()
            rejected = (Rejected(0, TOO_LONG, self._skipping),)
            data, self._skipping = data[cut + 1 :], None
        cut = data.rfind(b"\n") + 1
        body = b""
        if cut:
            body = b"".join((*self._half, data[:cut]))
            self._half, self._half_bytes = [], 0
        self._keep(data[cut:])
        return sort_lines(body, self._max, self._replace, rejected)

    def _keep(self, half: bytes) -> None:
        if not half:
            return
        self._half.append(half)
        self._half_bytes += len(half)
        # One byte more than the limit may still be the CR of the line's end.
        if self._half_bytes > self._max + 1:
            self._skipping = b"".join(self._half)[: self._max]
            self._half, self._half_bytes = [], 0

    def finish(self) -> Lines:
        """The half line at the end of a stream that ended well, as a line."""
        pending = self._half_bytes > 0 or self._skipping is not None
        return self.feed(b"\n") if pending else Lines()

    def drop(self) -> int:
        """Forgets the half line of a stream that broke; returns how many of its bytes were held."""
        lost = self._half_bytes + len(self._skipping or b"")
        self._half, self._half_bytes, self._skipping = [], 0, None
        return lost


def sort_lines(body: bytes, max_line_bytes: int, replace_invalid: bool, rejected: tuple[Rejected, ...] = ()) -> Lines:
    """Whole lines, with those that are no rows put aside behind `rejected`."""
    if b"\r\n" in body:
        body = body.replace(b"\r\n", b"\n")
    if not body:
        return Lines(rejected=rejected)
    ends = line_ends(body)
    longest = int(np.diff(ends, prepend=-1).max()) - 1
    if longest <= max_line_bytes:
        try:
            return Lines(body, line_array(body, ends, pa.binary()).cast(pa.string()), rejected)
        except pa.ArrowInvalid:
            pass
    return _one_by_one(body, max_line_bytes, replace_invalid, rejected)


def line_ends(body: bytes) -> np.ndarray:
    """The positions of all LF."""
    return np.flatnonzero(np.frombuffer(body, np.uint8) == 10)


def line_array(body: bytes, ends: np.ndarray, kind: pa.DataType) -> pa.Array:
    """The lines of `body` as `kind` (binary or string, which the caller vouches for), without copying a line."""
    offsets = np.zeros(len(ends) + 1, np.int32)
    # Without the LFs the lines lie end to end, each moved down by the number of LFs before it.
    offsets[1:] = ends - np.arange(len(ends))
    data = pa.py_buffer(body.replace(b"\n", b""))
    return pa.Array.from_buffers(kind, len(ends), [None, pa.py_buffer(offsets), data])


def _one_by_one(body: bytes, most: int, replace: bool, rejected: tuple[Rejected, ...]) -> Lines:
    good: list[bytes] = []
    bad = list(rejected)
    for line in body[:-1].split(b"\n"):
        if len(line) > most:
            bad.append(Rejected(len(good), TOO_LONG, line[:most]))
            continue
        try:
            line.decode()
        except UnicodeDecodeError:
            if not replace:
                bad.append(Rejected(len(good), NOT_UTF8, line))
                continue
            line = line.decode(errors="replace").encode()
        good.append(line)
    if not good:
        return Lines(rejected=tuple(bad))
    kept = b"\n".join(good) + b"\n"
    return Lines(kept, line_array(kept, line_ends(kept), pa.string()), tuple(bad))
