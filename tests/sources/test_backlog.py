"""Rows in memory between the ingest log and the epochs."""

from __future__ import annotations

import pyarrow as pa
import pytest

from app.errors import FormatTooNew, SourceBroken
from app.sources.backlog import Backlog, decode_lines, encode_lines


def run(first: int, count: int) -> pa.RecordBatch:
    return pa.record_batch([pa.array(range(first, first + count))], ["n"])


def backlog(*runs: tuple[int, int]) -> Backlog:
    made = Backlog()
    for first, count in runs:
        made.add(first, run(first, count))
    return made


def numbers(held: Backlog, start: int, end: int) -> list[int] | None:
    batches = held.rows(start, end)
    return None if batches is None else [n for batch in batches for n in batch.column(0).to_pylist()]


def test_a_range_is_put_together_from_runs() -> None:
    held = backlog((3, 4), (0, 3), (7, 2))
    assert numbers(held, 0, 9) == list(range(9))
    assert numbers(held, 2, 8) == list(range(2, 8))
    assert numbers(held, 5, 5) == []


def test_a_range_with_a_gap_is_not_held() -> None:
    held = backlog((0, 3), (5, 3))
    assert numbers(held, 2, 6) is None
    assert numbers(held, 3, 5) is None
    assert numbers(held, 6, 9) is None
    assert held.next_after(0) == 5
    assert held.next_after(5) is None


@pytest.mark.parametrize(
    ("start", "max_rows", "max_bytes", "end"),
    [
        (0, 100, 1000, 8),
        (0, 5, 1000, 5),
        (4, 2, 1000, 6),
        (0, 100, 30, 3),
        (0, 100, 1, 3),
        (3, 100, 1, 8),
        (8, 100, 1000, 8),
        (9, 100, 1000, 9),
        (10, 100, 1000, 12),
    ],
)
def test_reach_ends_at_a_limit_or_a_gap(start: int, max_rows: int, max_bytes: int, end: int) -> None:
    assert backlog((0, 3), (3, 5), (10, 2)).reach(start, max_rows, max_bytes) == end


def test_forgetting_frees_whole_runs_only() -> None:
    held = backlog((0, 3), (3, 5))
    full = held.nbytes
    held.forget(4)
    assert held.nbytes < full
    assert numbers(held, 3, 8) == list(range(3, 8))
    held.forget(8)
    assert held.nbytes == 0


def test_a_chunk_of_a_newer_version_is_refused_by_name() -> None:
    with pytest.raises(FormatTooNew, match="format 9"):
        decode_lines(b"\x09" + encode_lines(b"a\n", 0)[1:])


def test_a_damaged_chunk_is_no_rows_but_an_error() -> None:
    with pytest.raises(SourceBroken):
        decode_lines(b"\x01\x00")
    with pytest.raises(SourceBroken):
        decode_lines(encode_lines(b"abcdefgh\n" * 1000, 0)[:-50])
