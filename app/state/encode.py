"""Rows of a state table as bytes for PostgreSQL, and back.

A chunk is an Arrow IPC stream with zstd inside, of about `CHUNK_BYTES` before compression. A CRC-32 guards the
payload, and `format` names the engine that wrote the exported aggregate states: no other version guesses at them.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Literal

import pyarrow as pa

from app.errors import StateCorrupt, StateIncompatible
from app.kernel.kernel import STATE_FORMAT
from app.state.chunk import StateChunk

CHUNK_BYTES = 4 << 20
_OPTIONS = pa.ipc.IpcWriteOptions(compression="zstd")


def encode(operator: int, epoch: int, kind: Literal["base", "change"], rows: pa.Table) -> list[StateChunk]:
    """The chunks that hold `rows`; none for no rows."""
    return [
        StateChunk(operator, epoch, number, kind, STATE_FORMAT, piece.num_rows, zlib.crc32(payload), payload)
        for number, piece in enumerate(_pieces(rows))
        for payload in (_payload(piece),)
    ]


def decode(chunk: StateChunk) -> pa.Table:
    """The rows of one chunk. Raises: StateCorrupt, StateIncompatible (written by another engine version)."""
    where = f"state of operator {chunk.operator}, epoch {chunk.epoch}, chunk {chunk.chunk}"
    if chunk.format != STATE_FORMAT:
        raise StateIncompatible(
            f"The {where} was written as {chunk.format}; this program reads {STATE_FORMAT}. Run it with the version "
            "that wrote it, or start the query under a new name.",
            code="STATE_FORMAT",
            stored=chunk.format,
            expected=STATE_FORMAT,
        )
    if zlib.crc32(chunk.payload) != chunk.checksum:
        raise StateCorrupt(f"The {where} fails its checksum: restore the database from a backup.")
    rows = pa.ipc.open_stream(chunk.payload).read_all()
    if rows.num_rows != chunk.rows:
        raise StateCorrupt(f"The {where} holds {rows.num_rows} rows and was stored with {chunk.rows}.")
    return rows


def _pieces(rows: pa.Table) -> Iterator[pa.Table]:
    if not rows.num_rows:
        return
    per_piece = max(1, rows.num_rows * CHUNK_BYTES // max(rows.nbytes, 1))
    for start in range(0, rows.num_rows, per_piece):
        yield rows.slice(start, per_piece)


def _payload(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema, options=_OPTIONS) as writer:
        writer.write_table(rows)
    return bytes(sink.getvalue())
