"""An asyncio program may hold the engine itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from app.assembly import connectors
from app.clock import SystemClock
from app.engine.contracts import Ledger, SinkSpec
from app.engine.engine import Engine
from app.engine.spec import QuerySpec, Trigger
from app.errors import ArgumentError, PlanError, QueryFailed, StateIncompatible
from app.plan.resolve import resolve
from app.settings import Settings
from app.sql.dataframe import DataFrame
from app.sql.session import SparkSession
from app.testing import MemoryStream
from app.testing.memory_ledger import MemoryLedger

pytestmark = pytest.mark.anyio


class Kept:
    """A database in memory that outlives engines."""

    def __init__(self) -> None:
        self.ledger = MemoryLedger()

    async def open(self, *_: object) -> Ledger:
        return self.ledger


@asynccontextmanager
async def engine(ledger: Kept | None = None) -> AsyncIterator[Engine]:
    async with Engine(Settings(), connectors(), (ledger or Kept()).open, SystemClock()) as running:
        yield running


@pytest.fixture
def stream() -> MemoryStream:
    return MemoryStream(SparkSession.builder.getOrCreate(), "k string, v int")


def spec(df: DataFrame, mode: Any = "update", name: str | None = "counts", **more: Any) -> QuerySpec:
    return QuerySpec(resolve(df._node), SinkSpec("memory"), mode, name=name, **more)


async def test_progress_and_changes_can_be_iterated(stream: MemoryStream) -> None:
    async with engine() as running:
        query = await running.start(spec(stream.toDF().groupBy("k").count()))
        numbers: list[int] = []
        tables: list[Any] = []

        async def read_progress() -> None:
            numbers.extend([progress["batchId"] async for progress in query.progress()])

        async def read_changes() -> None:
            tables.extend([output.rows.to_pylist() async for output in query.changes()])

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read_progress)
            tasks.start_soon(read_changes)
            await anyio.lowlevel.checkpoint()
            await anyio.lowlevel.checkpoint()
            for row in (("a", 1), ("a", 2)):
                stream.addData(row)
                await query.process_all_available()
            await query.stop()
        assert numbers == [0, 1]
        assert tables == [[{"k": "a", "count": 1}], [{"k": "a", "count": 2}]]


async def test_a_query_can_be_awaited(stream: MemoryStream) -> None:
    stream.addData(("a", 1), ("b", 2))
    async with engine() as running:
        query = await running.start(spec(stream.toDF().groupBy("k").count(), trigger=Trigger("available_now")))
        assert await query
        assert not query.is_active
        result = query.result()
        assert result is not None
        assert (await result.select(order=[("k", False)])).to_pylist() == [
            {"k": "a", "count": 1},
            {"k": "b", "count": 1},
        ]


async def test_progress_has_sparks_fields(stream: MemoryStream) -> None:
    async with engine() as running:
        query = await running.start(spec(stream.toDF().groupBy("k").count()))
        assert query.last_progress is None
        stream.addData(("a", 1), ("b", 2))
        await query.process_all_available()
        progress = query.last_progress
        assert progress is not None
        assert {"id", "runId", "name", "timestamp", "batchId", "numInputRows", "durationMs", "eventTime"} < set(
            progress
        )
        assert {"inputRowsPerSecond", "processedRowsPerSecond", "stateOperators", "sources", "sink"} < set(progress)
        assert progress["numInputRows"] == 2
        assert progress["sources"][0]["startOffset"] == 0
        assert progress["sources"][0]["endOffset"] == 2
        assert progress["stateOperators"][0]["operatorName"] == "stateStoreSave"
        assert progress["stateOperators"][0]["numRowsTotal"] == 2
        assert progress["sink"]["numOutputRows"] == 2
        assert progress["id"] == query.id


async def test_a_failure_is_raised_to_everyone_who_waits(stream: MemoryStream) -> None:
    async with engine() as running:
        query = await running.start(spec(stream.toDF().selectExpr("1 / v AS x"), "append"))
        stream.addData(("a", 0))
        for _ in range(2):
            with pytest.raises(QueryFailed, match="DIVIDE_BY_ZERO"):
                await query
        assert query.exception is not None
        assert query.exception.code == "DIVIDE_BY_ZERO"
        assert query.exception.__cause__ is not None


async def test_a_name_is_active_once(stream: MemoryStream) -> None:
    async with engine() as running:
        await running.start(spec(stream.toDF().groupBy("k").count()))
        with pytest.raises(ArgumentError, match="already active"):
            await running.start(spec(stream.toDF().groupBy("k").count()))


async def test_the_same_identity_takes_over_from_its_earlier_run(stream: MemoryStream) -> None:
    async with engine() as running:
        first = await running.start(spec(stream.toDF().groupBy("k").count(), name="first", checkpoint="c"))
        stream.addData(("a", 1))
        await first.process_all_available()
        second = await running.start(spec(stream.toDF().groupBy("k").count(), checkpoint="c"))
        assert not first.is_active
        assert second.id == first.id
        assert second.run_id != first.run_id


async def test_a_changed_query_is_refused_and_both_forms_are_shown(stream: MemoryStream) -> None:
    kept = Kept()
    async with engine(kept) as running:
        query = await running.start(spec(stream.toDF().groupBy("k").count(), checkpoint="c"))
        stream.addData(("a", 1))
        await query.process_all_available()
    async with engine(kept) as running:
        with pytest.raises(StateIncompatible) as refused:
            await running.start(spec(stream.toDF().groupBy("k", "v").count(), checkpoint="c"))
        assert "keys: ['source0.k string']" in str(refused.value)
        assert "keys: ['source0.k string', 'source0.v int']" in str(refused.value)
        changed = await running.start(
            spec(stream.toDF().groupBy("k").count().withColumnRenamed("count", "n"), checkpoint="c")
        )
        stream.addData(("a", 1))
        await changed.process_all_available()
        result = changed.result()
        assert result is not None
        assert (await result.select()).to_pylist() == [{"k": "a", "n": 2}]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("SELECT k, sum(v) AS x FROM {t} GROUP BY k", "SELECT k, sum(v + 1) AS x FROM {t} GROUP BY k"),
        ("SELECT k, sum(v) AS x FROM {t} GROUP BY k", "SELECT upper(k) AS k, sum(v) AS x FROM {t} GROUP BY upper(k)"),
        ("SELECT k, sum(v) AS x FROM {t} GROUP BY k",
         "SELECT k, sum(v) AS x FROM (SELECT lower(k) AS k, v FROM {t}) GROUP BY k"),
        ("SELECT k, sum(v) AS x FROM {t} GROUP BY k", "SELECT k, sum(v) FILTER (WHERE v > 0) AS x FROM {t} GROUP BY k"),
        ("SELECT w, sum(v) AS x FROM {t} LATERAL VIEW explode(split(k, ',')) AS w GROUP BY w",
         "SELECT w, sum(v) AS x FROM {t} LATERAL VIEW explode(split(k, ';')) AS w GROUP BY w"),
        ("SELECT percentile(v, 0.5) AS x FROM {t}", "SELECT percentile(v, 0.9) AS x FROM {t}"),
        ("SELECT listagg(k) WITHIN GROUP (ORDER BY v) AS x FROM {t}",
         "SELECT listagg(k) WITHIN GROUP (ORDER BY v DESC) AS x FROM {t}"),
        ("SELECT transform(array(v), a -> a + 1) AS k, count(*) AS x FROM {t} GROUP BY ALL",
         "SELECT transform(array(v), a -> a + 2) AS k, count(*) AS x FROM {t} GROUP BY ALL"),
        ("SELECT CASE WHEN v > 1 THEN 'x' END AS k, count(*) AS x FROM {t} GROUP BY ALL",
         "SELECT CASE WHEN v > 2 THEN 'x' END AS k, count(*) AS x FROM {t} GROUP BY ALL"),
    ],
)  # fmt: skip
async def test_a_query_that_means_something_else_is_refused(stream: MemoryStream, before: str, after: str) -> None:
    kept = Kept()
    stream.addData(("a", 1))
    for text, refused in ((before, False), (after, True), (before, False)):
        async with engine(kept) as running:
            asked = spec(stream.toDF().sparkSession.sql(text, t=stream.toDF()), checkpoint="c")
            if refused:
                with pytest.raises(StateIncompatible):
                    await running.start(asked)
            else:
                await (await running.start(asked)).process_all_available()


@pytest.mark.parametrize(
    "after",
    [
        "SELECT k AS k, sum(v) AS x FROM {t} WHERE v > 1 GROUP BY k",
        "SELECT q.key AS k, sum(q.n) AS x FROM (SELECT k AS key, v AS n, 1 AS unused FROM {t}) AS q GROUP BY 1",
        "SELECT k, x FROM (SELECT k, sum(v) AS x FROM {t} GROUP BY k) WHERE x > 1",
        "FROM {t} |> AGGREGATE sum(v) AS x GROUP BY k",
    ],
)
async def test_another_wording_or_filter_goes_on(stream: MemoryStream, after: str) -> None:
    kept = Kept()
    for text in ("SELECT k, sum(v) AS x FROM {t} GROUP BY k", after):
        async with engine(kept) as running:
            asked = spec(stream.toDF().sparkSession.sql(text, t=stream.toDF()), checkpoint="c")
            query = await running.start(asked)
            stream.addData(("a", 2))
            await query.process_all_available()
            result = query.result()
            assert result is not None
            last = (await result.select()).to_pylist()
    assert last == [{"k": "a", "x": 4}]


async def test_a_sink_that_keeps_rows_needs_an_identity(stream: MemoryStream) -> None:
    async with engine() as running:
        nameless = QuerySpec(resolve(stream.toDF()._node), SinkSpec("postgres", {"dbtable": "t"}))
        with pytest.raises(PlanError, match="queryName"):
            await running.start(nameless)


async def test_once_runs_one_epoch_of_everything_there_is(stream: MemoryStream) -> None:
    kept = Kept()
    async with engine(kept) as running:
        seen = []
        for rows in ([("a", 1), ("b", 2)], [("c", 3)], []):
            if rows:
                stream.addData(*rows)
            query = await running.start(spec(stream.toDF(), "append", checkpoint="c", trigger=Trigger("once")))
            await query
            seen.append([(p["batchId"], p["numInputRows"]) for p in query.recent_progress])
        assert seen == [[(0, 2)], [(1, 1)], []]


async def test_two_queries_that_write_to_one_table_are_told(
    stream: MemoryStream, caplog: pytest.LogCaptureFixture
) -> None:
    def counts(name: str, table: str) -> QuerySpec:
        sink = SinkSpec("postgres", {"dbtable": table})
        return QuerySpec(resolve(stream.toDF().groupBy("k").count()._node), sink, "update", name=name)

    async with engine() as running:
        for name, table in (("a", "t"), ("b", "u")):
            await running.start(counts(name, table))
        assert not caplog.messages
        await running.start(counts("c", "t"))
        assert "the queries a and c both write to PostgreSQL[t]" in caplog.text
