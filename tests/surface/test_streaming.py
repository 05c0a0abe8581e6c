"""Streams through the whole surface, on the real engine: reader, writer, query, manager."""

from __future__ import annotations

import io
import json
import re
import threading
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from app.errors import ArgumentError, ArgumentTypeError, PlanError, QueryFailed
from app.sql import DataFrame, Row, SparkSession
from app.sql import functions as F
from app.sql.streaming import StreamingQuery
from app.testing import MemoryStream


@pytest.fixture
def stream(spark: SparkSession) -> MemoryStream:
    return MemoryStream(spark, "k string, v int")


def counts(stream: MemoryStream) -> DataFrame:
    return stream.toDF().groupBy("k").count()


def test_a_memory_table_is_read_when_it_is_asked_for(spark: SparkSession, stream: MemoryStream) -> None:
    query = counts(stream).writeStream.format("memory").queryName("words").outputMode("complete").start()
    table = spark.table("words")
    total = spark.sql("SELECT sum(count) AS n FROM words WHERE k <> 'z'")
    seen = []
    for rows in ([("a", 1), ("b", 1)], [("a", 2), ("z", 0)]):
        stream.addData(*rows)
        query.processAllAvailable()
        seen.append((sorted(table.collect()), total.first().n))  # type: ignore[union-attr]
    assert seen == [([("a", 1), ("b", 1)], 2), ([("a", 2), ("b", 1), ("z", 1)], 3)]
    assert spark.catalog.tableExists("WORDS")


def test_a_view_of_a_stream_gives_what_the_calls_give(spark: SparkSession, stream: MemoryStream) -> None:
    stream.toDF().createOrReplaceTempView("lines")
    from_sql = spark.sql("SELECT k, count(*) AS count FROM lines GROUP BY k")
    assert from_sql.isStreaming and from_sql.schema == counts(stream).schema
    assert spark.readStream.table("lines").columns == ["k", "v"]


def test_foreach_batch_gets_each_epoch_as_a_static_frame(stream: MemoryStream) -> None:
    seen: list[Any] = []

    def take(df: DataFrame, batch_id: int) -> None:
        seen.append((batch_id, df.isStreaming, sorted(df.withColumn("w", F.col("count") * 2).collect())))

    query = counts(stream).writeStream.outputMode("update").foreachBatch(take).start()
    stream.addData(("a", 1), ("a", 2))
    query.processAllAvailable()
    stream.addData(("b", 1))
    query.processAllAvailable()
    query.stop()
    assert seen == [(0, False, [("a", 2, 4)]), (1, False, [("b", 1, 2)])]


def test_foreach_batch_refuses_the_file_of_a_row_that_came_from_one(
    spark: SparkSession, stream: MemoryStream, tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_text("1\n")
    seen: list[Any] = []

    def take(df: DataFrame, batch_id: int) -> None:
        seen.append(df.select(F.input_file_name()).collect())

    files = spark.readStream.schema("a INT").csv(str(tmp_path))
    query = files.writeStream.foreachBatch(take).option("checkpointLocation", str(tmp_path / "c")).start()
    with pytest.raises(QueryFailed, match="over files is not supported"):
        query.processAllAvailable()
    query = stream.toDF().writeStream.foreachBatch(take).start()
    stream.addData(("a", 1))
    query.processAllAvailable()
    query.stop()
    assert seen == [[("",)]]


def test_foreach_calls_a_function_with_each_row(stream: MemoryStream) -> None:
    seen: list[Row] = []
    query = stream.toDF().writeStream.foreach(seen.append).start()
    stream.addData(("a", 1), ("b", 2))
    query.processAllAvailable()
    assert [repr(row) for row in seen] == ["Row(k='a', v=1)", "Row(k='b', v=2)"]


class Writer:
    """Notes what is called; `accept` is what `open` says."""

    def __init__(self, accept: bool = True, fail_on: str = "") -> None:
        self.calls: list[Any] = []
        self.accept, self.fail_on = accept, fail_on

    def open(self, partition_id: int, epoch_id: int) -> bool:
        self.calls.append(("open", partition_id, epoch_id))
        return self.accept

    def process(self, row: Row) -> None:
        self.calls.append(row.k)
        if row.k == self.fail_on:
            raise ValueError("no " + row.k)

    def close(self, error: BaseException | None) -> None:
        self.calls.append(("close", repr(error)))


@pytest.mark.parametrize(
    ("writer", "calls"),
    [
        (Writer(), [("open", 0, 0), "a", "b", ("close", "None")]),
        (Writer(accept=False), [("open", 0, 0), ("close", "None")]),
        (Writer(fail_on="a"), [("open", 0, 0), "a", ("close", "ValueError('no a')")]),
    ],
)
def test_foreach_calls_an_object(stream: MemoryStream, writer: Writer, calls: list[Any]) -> None:
    query = stream.toDF().writeStream.foreach(writer).start()
    stream.addData(("a", 1), ("b", 2))
    if writer.fail_on:
        with pytest.raises(QueryFailed, match="no a"):
            query.processAllAvailable()
    else:
        query.processAllAvailable()
    query.stop()
    assert writer.calls[: len(calls)] == calls


def test_a_query_that_failed_says_so_each_time(spark: SparkSession, stream: MemoryStream) -> None:
    def refuse(df: DataFrame, batch_id: int) -> None:
        raise RuntimeError("the till is shut")

    query = stream.toDF().writeStream.foreachBatch(refuse).start()
    stream.addData(("a", 1))
    for _ in range(2):
        with pytest.raises(QueryFailed, match="the till is shut") as caught:
            query.awaitTermination(60)
    assert caught.value.code == "FOREACH_BATCH_USER_FUNCTION_ERROR"
    assert not query.isActive and query.exception() is caught.value
    with pytest.raises(QueryFailed, match="the till is shut"):
        spark.streams.awaitAnyTermination()
    spark.streams.resetTerminated()
    assert spark.streams.awaitAnyTermination(0.01) is False


def test_what_a_query_says_about_itself(spark: SparkSession, stream: MemoryStream) -> None:
    query = counts(stream).writeStream.outputMode("update").format("noop").queryName("said").start()
    assert query.lastProgress is None and query.recentProgress == []
    stream.addData(("a", 1), ("b", 1))
    query.processAllAvailable()
    last = query.lastProgress
    assert last is not None
    assert (last.name, last.batchId, last.numInputRows, last["numInputRows"]) == ("said", 0, 2, 2)
    assert (last.sources[0].endOffset, last.stateOperators[0].numRowsTotal, last.sink.numOutputRows) == (2, 2, 2)
    assert json.loads(last.json) == json.loads(last.prettyJson) == last == query.recentProgress[-1]
    assert last.json.startswith('{"id":') and "\n" in last.prettyJson
    with pytest.raises(AttributeError, match="numRows"):
        _ = last.numRows
    assert (query.id, query.runId, query.name) == (last.id, last.runId, "said")
    assert set(query.status) == {"message", "isDataAvailable", "isTriggerActive"}
    assert [q.id for q in spark.streams.active if q.name == "said"] == [query.id]
    found = spark.streams.get(query.id)
    assert isinstance(found, StreamingQuery) and found.isActive
    with redirect_stdout(io.StringIO()) as printed:
        query.explain()
    assert "aggregate" in printed.getvalue()
    assert query.awaitTermination(0.01) is False
    query.stop()
    query.stop()
    assert query.awaitTermination(60) is True and query.awaitTermination() is None
    assert query.exception() is None and spark.streams.get(query.id) is None and "active=False" in repr(query)


def test_once_ends_by_itself(stream: MemoryStream) -> None:
    stream.addData(("a", 1))
    for trigger in ({"once": True}, {"availableNow": True}):
        query = stream.toDF().writeStream.format("noop").queryName("once").trigger(**trigger).start()
        assert query.awaitTermination(60) is True


def test_one_waits_for_any_query_started_later_too(spark: SparkSession, stream: MemoryStream) -> None:
    spark.streams.resetTerminated()
    ended = threading.Event()

    def wait() -> None:
        spark.streams.awaitAnyTermination()
        ended.set()

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    stream.toDF().writeStream.format("noop").queryName("later").start().stop()
    assert ended.wait(60)
    waiting.join(60)


def test_start_takes_what_the_writer_takes(stream: MemoryStream) -> None:
    query = counts(stream).writeStream.start(
        format="memory", outputMode="Complete", queryName="direct", checkpointLocation="a name"
    )
    assert query.name == "direct"
    query.stop()


@pytest.mark.parametrize(
    ("act", "error", "code"),
    [
        (lambda w: w.start(), PlanError, "DATA_SOURCE_NOT_FOUND"),
        (lambda w: w.format("consol").start(), PlanError, "DATA_SOURCE_NOT_FOUND"),
        (lambda w: w.format("console").option("numRow", 5).start(), PlanError, "UNKNOWN_OPTION"),
        (lambda w: w.format("console").partitionBy("k").start(), PlanError, "UNSUPPORTED_PARTITIONING"),
        (lambda w: w.format("memory").start(), PlanError, "MISSING_QUERY_NAME"),
        (lambda w: w.format("postgres").option("dbtable", "t").start(), PlanError, "CHECKPOINT_LOCATION_MISSING"),
        (lambda w: w.format("console").outputMode("complete").start(), PlanError, "STREAMING_OUTPUT_MODE"),
        (lambda w: w.trigger(continuous="1 second"), PlanError, "UNSUPPORTED_FEATURE.TRIGGER"),
        (lambda w: w.trigger(realTime="5 minutes"), PlanError, "UNSUPPORTED_FEATURE.TRIGGER"),
        (lambda w: w.trigger(processingTime="1 month"), ArgumentError, "UNSUPPORTED_TRIGGER_INTERVAL"),
        (lambda w: w.foreachBatch(5), ArgumentTypeError, "NOT_EXPECTED_TYPE"),
        (lambda w: w.toTable(5), ArgumentTypeError, "NOT_EXPECTED_TYPE"),
        (lambda w: w.format(5), ArgumentTypeError, "NOT_EXPECTED_TYPE"),
    ],
)
def test_a_wrong_writer_is_refused_before_anything_runs(
    spark: SparkSession, stream: MemoryStream, act: Any, error: type[Exception], code: str
) -> None:
    before = len(spark.streams.active)
    with pytest.raises(error) as caught:
        act(stream.toDF().writeStream)
    assert caught.value.code.startswith(code)  # type: ignore[attr-defined]
    assert len(spark.streams.active) == before


@pytest.mark.parametrize("seconds", [0, -1, "x", True])
def test_a_query_is_waited_for_a_positive_time(stream: MemoryStream, seconds: Any) -> None:
    query = stream.toDF().writeStream.format("noop").queryName("waited").start()
    with pytest.raises(ArgumentError, match=re.escape("`timeout` must be positive")):
        query.awaitTermination(seconds)


def test_a_format_there_is_not_is_named_with_the_nearest(spark: SparkSession, stream: MemoryStream) -> None:
    with pytest.raises(PlanError, match="Did you mean console"):
        stream.toDF().writeStream.format("consol").start()
    with pytest.raises(PlanError, match="Did you mean socket") as caught:
        spark.readStream.format("sockt").load()
    assert caught.value.code == "DATA_SOURCE_NOT_FOUND"
    assert spark.readStream.format("RATE").option("rowsPerSecond", 5).load().columns == ["timestamp", "value"]


def test_several_paths_are_read_one_after_the_other(spark: SparkSession, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(f"{name}1\n{name}2\n")
    paths = [str(tmp_path / f"{name}.txt") for name in ("b", "a")]
    assert [row.value for row in spark.read.text(paths).collect()] == ["b1", "b2", "a1", "a2"]
    assert spark.read.format("text").load(paths[0]).count() == 2
    with pytest.raises(ArgumentError):
        spark.read.text([])
