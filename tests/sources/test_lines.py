"""Lines are the same however their bytes were cut on the way."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.sources.backlog import decode_lines, encode_lines
from app.sources.lines import NOT_UTF8, TOO_LONG, LineSplitter

MAX = 6
PIECES = st.sampled_from([b"a", b"bc", b"\n", b"\r\n", b"\r", b"\xc3\xa9", b"\xff", b"xxxxxxx", b"\n\n", b"defgh"])


def twin(data: bytes, replace: bool) -> tuple[list[str], list[tuple[int, str, bytes]]]:
    """What should come out, a line at a time; a half line at the end counts."""
    rows: list[str] = []
    rejected = []
    lines = data.split(b"\n")
    for line in lines if lines[-1] else lines[:-1]:
        line = line.removesuffix(b"\r")
        if len(line) > MAX:
            rejected.append((len(rows), TOO_LONG, line[:MAX]))
            continue
        try:
            rows.append(line.decode(errors="replace" if replace else "strict"))
        except UnicodeDecodeError:
            rejected.append((len(rows), NOT_UTF8, line))
    return rows, rejected


def split(pieces: list[bytes], replace: bool) -> tuple[list[str], list[tuple[int, str, bytes]]]:
    splitter = LineSplitter(MAX, replace)
    rows: list[str] = []
    rejected = []
    for lines in [*(splitter.feed(piece) for piece in pieces), splitter.finish()]:
        rejected += [(len(rows) + r.row, r.reason, r.payload) for r in lines.rejected]
        rows += lines.values.to_pylist()
        assert lines.body.decode() == "".join(f"{row}\n" for row in lines.values.to_pylist())
    return rows, rejected


@given(data=st.lists(PIECES).map(b"".join), cuts=st.lists(st.integers(0, 60)), replace=st.booleans())
def test_any_cut_of_the_bytes_gives_the_same_lines(data: bytes, cuts: list[int], replace: bool) -> None:
    bounds = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    assert split([data[a:b] for a, b in pairwise(bounds)], replace) == twin(data, replace)


def test_line_ends_are_lf_and_crlf_and_a_lone_cr_is_text() -> None:
    assert split([b"a\nb\r\n\r\nc\rd\n"], False) == (["a", "b", "", "c\rd"], [])


def test_memory_of_an_endless_line_is_bounded() -> None:
    splitter = LineSplitter(1000, False)
    for _ in range(1000):
        assert splitter.feed(b"x" * 1000).rows == 0
    assert splitter.drop() <= 1000
    assert splitter.feed(b"ok\n").values.to_pylist() == ["ok"]


def test_half_a_line_of_a_broken_connection_can_be_dropped() -> None:
    splitter = LineSplitter(MAX, False)
    splitter.feed(b"a\nha")
    assert splitter.drop() == 2
    assert splitter.finish().rows == 0


@given(rows=st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=9)))
def test_a_chunk_comes_back_from_the_log_as_it_was(rows: list[str]) -> None:
    for copies in (1, 1000):
        values, arrived_us = decode_lines(encode_lines("".join(f"{row}\n" for row in rows * copies).encode(), 42))
        assert (values.to_pylist(), arrived_us) == (rows * copies, 42)
