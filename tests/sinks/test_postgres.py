"""Results in PostgreSQL, in the commit and beside it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from app.clock import SystemClock
from app.engine.contracts import Ledger, Output, OutputMode, Sink, SinkContext, SinkSpec
from app.errors import PlanError, SinkBroken
from app.plan.types import StructField, StructType
from app.settings import Settings
from app.sinks.postgres import PostgresFormat
from app.storage import open_ledger
from app.testing.contracts.sink import SCHEMA, rows, write
from app.testing.memory_ledger import MemoryLedger

pytestmark = pytest.mark.anyio


class World:
    exactly_once = True
    logs_changes = False

    def __init__(self, ledger: Ledger, **options: str) -> None:
        self.ledger = ledger
        self._options = options

    def new_sink(self, mode: OutputMode) -> Sink:
        return PostgresFormat().create(SinkSpec("postgres", self._options), mode, "counts")

    async def started(self, mode: OutputMode, *keys: str, schema: StructType = SCHEMA) -> Sink:
        sink = self.new_sink(mode)
        await sink.open(SinkContext("query", "counts", mode, schema, keys, True, self.ledger))
        return sink

    async def seen(self, sink: Sink) -> list[tuple[object, ...]]:
        table = sink.result()
        assert table is not None
        found = await table.select(order=[("word", False), ("count", False)])
        return [tuple(row.values()) for row in found.to_pylist()]


@pytest.fixture
async def postgres_ledger(postgres_url: str) -> AsyncIterator[Ledger]:
    ledger = await open_ledger(Settings(database_url=postgres_url), SystemClock())
    yield ledger
    await ledger.close()


async def test_the_engines_own_url_joins_the_commit(postgres_ledger: Ledger, postgres_url: str) -> None:
    assert (await World(postgres_ledger, url=postgres_url).started("append")).transactional


async def test_the_last_value_of_a_key_in_one_epoch_wins(ledger: Ledger) -> None:
    world = World(ledger)
    sink = await world.started("update", "word")
    await write(world, sink, 0, Output("upsert", rows(("k1", 1), ("k2", 7), ("k1", 2))))
    assert await world.seen(sink) == [("k1", 2), ("k2", 7)]


async def test_keys_that_are_given_make_append_idempotent_by_value(ledger: Ledger) -> None:
    world = World(ledger, keys="WORD", dbtable="other")
    sink = await world.started("append")
    await write(world, sink, 0, Output("append", rows(("a", 1))))
    await write(world, sink, 1, Output("append", rows(("a", 2))))
    assert await world.seen(sink) == [("a", 2)]


async def test_the_row_of_a_global_aggregate_is_replaced(ledger: Ledger) -> None:
    world = World(ledger)
    sink = await world.started("update")
    await write(world, sink, 0, Output("replace", rows(("all", 1))))
    await write(world, sink, 1, Output("replace", rows(("all", 2))))
    assert await world.seen(sink) == [("all", 2)]


async def test_a_key_that_is_no_column_is_refused(ledger: Ledger) -> None:
    with pytest.raises(PlanError, match="keys names `nope`, but the result has word, count"):
        await World(ledger, keys="nope").started("append")


async def test_another_database_has_each_epoch_once(postgres_ledger: Ledger, empty_postgres_url: str) -> None:
    world = World(postgres_ledger, url=empty_postgres_url)
    for _ in range(2):
        sink = await world.started("append")
        assert not sink.transactional
        for epoch in range(3):
            await write(world, sink, epoch, Output("append", rows(("a", epoch))))
        assert await world.seen(sink) == [("a", 0), ("a", 1), ("a", 2)]
        await sink.close(None)


async def test_an_epoch_that_fails_leaves_nothing_behind(postgres_ledger: Ledger, empty_postgres_url: str) -> None:
    world = World(postgres_ledger, url=empty_postgres_url)
    await (await world.started("update", "word")).close(None)
    wide = StructType([*SCHEMA, StructField("more", SCHEMA[0].dataType)])
    with pytest.raises(SinkBroken, match="more"):
        await world.started("update", "word", schema=wide)
    sink = await world.started("append")
    await write(world, sink, 0, Output("append", rows(("a", 1))))
    with pytest.raises(SinkBroken):
        await sink.write(1, Output("append", rows(("b", 1), ("a", 1))), None)
    await write(world, sink, 1, Output("append", rows(("b", 1))))
    assert await world.seen(sink) == [("a", 1), ("b", 1)]
    await sink.close(None)


async def test_what_is_remembered_of_epochs_does_not_grow(postgres_ledger: Ledger, empty_postgres_url: str) -> None:
    world = World(postgres_ledger, url=empty_postgres_url)
    sink = await world.started("append")
    for epoch in (0, 1, 1000, 1001):
        await write(world, sink, epoch, Output("append", rows(("a", epoch))))
    database = await postgres_ledger.open_database(empty_postgres_url)
    assert database is not None
    schema = StructType.fromDDL("query_id string, epoch bigint")
    marks = await database.table("watertable_sink", schema).select(order=[("epoch", False)])
    assert marks.column("epoch").to_pylist() == [1000, 1001]
    await database.close()
    await sink.close(None)


async def test_a_wrong_login_is_told_without_the_password(postgres_ledger: Ledger, empty_postgres_url: str) -> None:
    scheme, _, rest = empty_postgres_url.partition("://")
    world = World(postgres_ledger, url=f"{scheme}://{rest.rpartition('@')[2]}", user="nobody", password="s3cret")
    with pytest.raises(Exception) as caught:
        await world.started("append")
    assert "s3cret" not in repr(caught.value)


def test_the_memory_ledger_stands_in_for_a_database() -> None:
    assert PostgresFormat().create(SinkSpec("postgres", {}), "append", "counts").takes_changes
    assert MemoryLedger().database is not None
