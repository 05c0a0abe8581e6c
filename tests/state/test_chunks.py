"""State tables survive as chunks: the same rows come back, damage is noticed, folding keeps the last row of a key."""

from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import StateCorrupt, StateIncompatible
from app.kernel.kernel import Kernel
from app.state.encode import CHUNK_BYTES, decode, encode
from app.state.fold import MANY_CHANGES, MIN_BYTES, due, fold


def table(rows):
    keys, values = [key for key, _ in rows], [value for _, value in rows]
    return pa.table({"k0": pa.array(keys, pa.string()), "s0": pa.array(values, pa.int64())})


def test_rows_come_back_as_they_were():
    rows = table([("a", 1), (None, 2), ("", None)])
    (chunk,) = encode(0, 7, "change", rows)
    assert (chunk.operator, chunk.epoch, chunk.chunk, chunk.kind, chunk.rows) == (0, 7, 0, "change", 3)
    assert decode(chunk).equals(rows)


def test_no_rows_need_no_chunk():
    assert encode(0, 7, "change", table([])) == []


def test_large_states_are_cut_into_chunks_of_some_megabytes():
    rows = table([(f"key {n}", n) for n in range(500_000)])
    chunks = encode(1, 3, "base", rows)
    assert [chunk.chunk for chunk in chunks] == list(range(len(chunks)))
    assert len(chunks) == pytest.approx(rows.nbytes / CHUNK_BYTES, abs=2)
    assert pa.concat_tables(map(decode, chunks)).equals(rows)


def test_a_flipped_bit_is_noticed():
    (chunk,) = encode(0, 7, "change", table([("a", 1)]))
    damaged = bytes([chunk.payload[0] ^ 1]) + chunk.payload[1:]
    with pytest.raises(StateCorrupt, match="checksum"):
        decode(replace(chunk, payload=damaged))


def test_a_state_of_another_engine_version_is_refused_by_name():
    (chunk,) = encode(0, 7, "change", table([("a", 1)]))
    with pytest.raises(StateIncompatible, match="duckdb-1\\.0"):
        decode(replace(chunk, format="arrow-1/duckdb-1.0"))


@settings(max_examples=50)
@given(st.lists(st.lists(st.tuples(st.sampled_from(["a", "b", None]), st.integers(0, 9)), max_size=4), min_size=1))
def test_folding_keeps_the_last_row_of_each_key(epochs):
    # Within one epoch a key is changed once.
    epochs = [list(dict(epoch).items()) for epoch in epochs]
    last = {key: value for epoch in epochs for key, value in epoch}
    with Kernel(1 << 27, 1) as scratch:
        folded = fold(scratch, [table(epoch) for epoch in epochs], ["k0"])
    assert dict(zip(*folded.to_pydict().values(), strict=True)) == last


def test_a_fold_is_due_when_the_changes_weigh_as_much_as_the_base():
    assert not due(0, MIN_BYTES - 1, 10)
    assert due(0, MIN_BYTES, 10)
    assert not due(10 * MIN_BYTES, 9 * MIN_BYTES, 10)
    assert due(10 * MIN_BYTES, 10 * MIN_BYTES, 10)


def test_very_many_small_changes_are_folded_too():
    assert due(10 * MIN_BYTES, MIN_BYTES, MANY_CHANGES)
    assert not due(1000 * MIN_BYTES, MIN_BYTES, MANY_CHANGES)
