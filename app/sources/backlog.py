"""Rows of an ingest log that are held in memory until an epoch has committed them, and how they look in the log."""

from __future__ import annotations

import bisect
import struct

import pyarrow as pa

from app.errors import FormatTooNew, SourceBroken
from app.sources.lines import line_array, line_ends

_HEAD = struct.Struct("<BBqI")
_VERSION = 1
_PLAIN, _LZ4 = 0, 1
_COMPRESS_FROM_BYTES = 2048


def encode_lines(body: bytes, arrived_us: int) -> bytes:
    """The payload of a chunk: a head of 14 bytes (version, compression, arrival in microseconds, length of the
    text), then the text: lines, each ended by LF, as LZ4 frames where it is long."""
    if len(body) < _COMPRESS_FROM_BYTES:
        return _HEAD.pack(_VERSION, _PLAIN, arrived_us, len(body)) + body
    packed: bytes = pa.compress(body, codec="lz4", asbytes=True)
    return _HEAD.pack(_VERSION, _LZ4, arrived_us, len(body)) + packed


def decode_lines(payload: bytes) -> tuple[pa.Array, int]:
    """The lines of a chunk as an Arrow string array, and when they arrived. Raises: FormatTooNew, SourceBroken."""
    if payload and payload[0] > _VERSION:
        raise FormatTooNew(
            f"A chunk of the ingest log has format {payload[0]}; this version reads up to {_VERSION}. "
            "Run the newer version that wrote it."
        )
    try:
        _, packing, arrived_us, length = _HEAD.unpack_from(payload)
        text = payload[_HEAD.size :]
        if packing == _LZ4:
            text = pa.decompress(text, decompressed_size=length, codec="lz4", asbytes=True)
    except (struct.error, pa.ArrowException, OSError) as error:
        raise SourceBroken(f"A chunk of the ingest log cannot be read: {error}.") from error
    return line_array(text, line_ends(text), pa.string()), arrived_us


class Backlog:
    """Runs of rows by position, in order, without overlaps and perhaps with gaps (rows only the log has)."""

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._runs: list[pa.RecordBatch] = []
        self.nbytes = 0

    def add(self, first: int, rows: pa.RecordBatch) -> None:
        """Puts a run where it belongs; it must not overlap another."""
        if rows.num_rows:
            at = bisect.bisect_left(self._firsts, first)
            self._firsts.insert(at, first)
            self._runs.insert(at, rows)
            self.nbytes += rows.nbytes

    def next_after(self, position: int) -> int | None:
        """The position of the first run that begins after `position`."""
        at = bisect.bisect_right(self._firsts, position)
        return self._firsts[at] if at < len(self._firsts) else None

    def reach(self, start: int, max_rows: int, max_bytes: int) -> int:
        """How far rows are held from `start` on without a gap, within the limits (a first run is cut by rows
        only). `start` where none is held."""
        position, size = start, 0
        for at in range(max(0, bisect.bisect_right(self._firsts, start) - 1), len(self._firsts)):
            first, run = self._firsts[at], self._runs[at]
            end = first + run.num_rows
            if end <= position:
                continue
            size += run.nbytes
            if first > position or (size > max_bytes and position > start):
                break
            position = min(end, start + max_rows)
            if position < end:
                break
        return position

    def rows(self, start: int, end: int) -> list[pa.RecordBatch] | None:
        """Exactly the rows of a range, or None where some are not held."""
        found: list[pa.RecordBatch] = []
        position = start
        for at in range(max(0, bisect.bisect_right(self._firsts, start) - 1), len(self._firsts)):
            first, run = self._firsts[at], self._runs[at]
            if first + run.num_rows <= position:
                continue
            if position >= end or first > position:
                break
            part = run.slice(position - first, end - position)
            found.append(part)
            position += part.num_rows
        return found if position >= end else None

    def forget(self, end: int) -> None:
        """Drops the runs that lie wholly before `end`."""
        keep = 0
        while keep < len(self._runs) and self._firsts[keep] + self._runs[keep].num_rows <= end:
            self.nbytes -= self._runs[keep].nbytes
            keep += 1
        del self._firsts[:keep], self._runs[:keep]
