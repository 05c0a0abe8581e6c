"""Rows by hand: what `MemoryStream` takes and gives."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from app.errors import ArgumentError, EngineError
from app.plan.nodes import Scan
from app.sources.memory import MemoryFormat
from app.sql.row import Row
from app.sql.session import SparkSession
from app.testing import MemoryStream


def added(ddl: str, *rows: Any) -> list[tuple[Any, ...]]:
    """The rows of a stream that was given `rows`."""
    stream = MemoryStream(SparkSession.builder.getOrCreate(), ddl)
    assert stream.addData(*rows) == len(rows)
    frame = stream.toDF()
    assert frame.isStreaming
    node = frame._node
    assert isinstance(node, Scan)
    return [tuple(row.values()) for row in MemoryFormat().load(node).to_pylist()]


def test_rows_are_tuples_dicts_rows_or_bare_values() -> None:
    assert added("k string, v int", ("a", 1), {"k": "b"}, Row(k="c", v=3)) == [("a", 1), ("b", None), ("c", 3)]
    assert added("v int", 1, (2,), None) == [(1,), (2,), (None,)]
    assert added("v array<int>", [1, 2]) == [([1, 2],)]


def test_values_are_carried_by_their_types() -> None:
    now = datetime(2024, 1, 1, tzinfo=UTC)
    assert added("d double, t timestamp", (1, now)) == [(1.0, now)]


def test_each_addition_says_how_far_the_stream_is() -> None:
    stream = MemoryStream(SparkSession.builder.getOrCreate(), "v int")
    assert [stream.addData(1, 2), stream.addData(), stream.addData(3)] == [2, 2, 3]


@pytest.mark.parametrize("row", [("a",), ("a", 1, 2), ("a", "b"), ("a", 1 << 40)])
def test_a_row_that_does_not_fit_is_refused(row: tuple[Any, ...]) -> None:
    with pytest.raises(ArgumentError):
        added("k string, v int", row)


def test_a_memory_stream_is_not_had_by_name() -> None:
    spark = SparkSession.builder.getOrCreate()
    with pytest.raises(EngineError, match="make a MemoryStream"):
        spark.readStream.format("memory").load()
