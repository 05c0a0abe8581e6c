"""Connections that break at the worst moments, databases that come and go, processes that take over."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import asyncpg
import pytest

from app.clock import SystemClock
from app.engine.contracts import DeadLetter, EpochCommit, Identity, IngestChunk, RowWriter
from app.errors import DatabaseUnavailable, Fenced, LedgerBehind
from app.settings import Settings
from app.storage import open_ledger
from app.storage.ledger import PostgresLedger
from app.testing.contracts.ledger import IDENTITY, SCHEMA, TABLE, appending, change, epoch, raises, rows, stored
from tests.storage.cut import Side, cutting

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def opened(url: str, retry_s: float = 20.0) -> AsyncIterator[PostgresLedger]:
    ledger = await open_ledger(Settings(database_url=url, database_retry_s=retry_s), SystemClock())
    try:
        await ledger.database.ensure_table(TABLE, SCHEMA, ())
        yield ledger
    finally:
        await ledger.close()


async def fetch(url: str, statement: str, *values: object) -> list[tuple[object, ...]]:
    connection = await asyncpg.connect(url)
    try:
        return [tuple(row) for row in await connection.fetch(statement, *values)]
    finally:
        await connection.close()


def whole(number: int) -> EpochCommit:
    letters = (DeadLetter(0, {"line": number}, "broken", b"\xff"),)
    return epoch(number, state=(change(0, number),), dead=letters, late=((0, '{"word":"a\\u0000"}'),))


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("word", [b"BEGIN", b"epoch-payload", b"row-of-epoch", b"COMMIT"])
async def test_an_epoch_is_there_once_wherever_its_connection_breaks(
    postgres_url: str, word: bytes, side: Side
) -> None:
    async with cutting(postgres_url) as (cutter, url), opened(url) as ledger:
        held = await ledger.claim(IDENTITY)
        await held.commit(whole(0), appending(("first", 0)))
        cutter.arm(word, side)
        second = epoch(1, state=(change(0, 1, b"epoch-payload"),), dead=whole(1).dead, late=whole(1).late)
        await held.commit(second, appending(("row-of-epoch", 1)))
        assert cutter.cuts == 1
        await held.commit(whole(2), appending(("third", 2)))
        assert await stored(ledger) == [("first", 0), ("row-of-epoch", 1), ("third", 2)]
        assert [chunk.epoch async for chunk in held.state()] == [0, 1, 2]
        assert await held.late_rows() == 3
        (known,) = await ledger.queries()
        assert (known.epoch, known.input_rows, known.dead_letters) == (2, 3, 3)
        await held.close()


async def test_a_backend_that_is_killed_while_rows_are_written_costs_nothing(postgres_url: str) -> None:
    async with opened(postgres_url) as ledger:
        held = await ledger.claim(IDENTITY)
        attempts = []

        async def write(writer: RowWriter) -> None:
            attempts.append(1)
            await writer.append(TABLE, rows(("a", 1)))
            if len(attempts) < 3:
                await fetch(
                    postgres_url,
                    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND state = 'idle in transaction'",
                )
            await writer.append(TABLE, rows(("b", 2)))

        await held.commit(epoch(0), write)
        assert len(attempts) == 3
        assert await stored(ledger) == [("a", 1), ("b", 2)]
        await held.close()


@pytest.mark.parametrize("side", ["before", "after"])
async def test_an_append_is_there_once_wherever_its_connection_breaks(postgres_url: str, side: Side) -> None:
    async with cutting(postgres_url) as (cutter, url), opened(url) as ledger:
        held = await ledger.claim(IDENTITY)
        log = held.ingest(0)
        await log.append(IngestChunk(0, 1, b"one"))
        cutter.arm(b"the payload", side)
        await log.append(IngestChunk(1, 2, b"the payload"), [DeadLetter(0, None, "long", b"l")])
        cutter.arm(b"only a letter", side)
        await log.append(IngestChunk(3, 0, b""), [DeadLetter(0, None, "only a letter", b"l")])
        assert cutter.cuts == 2
        await log.append(IngestChunk(3, 1, b"three"))
        assert [(c.first, c.payload) async for c in log.read(0, 4)] == [(0, b"one"), (1, b"the payload"), (3, b"three")]
        assert await fetch(postgres_url, "SELECT count(*) FROM watertable.dead_letter") == [(2,)]
        await held.close()


@pytest.mark.parametrize("side", ["before", "after"])
async def test_a_fold_is_done_once_wherever_its_connection_breaks(postgres_url: str, side: Side) -> None:
    async with cutting(postgres_url) as (cutter, url), opened(url) as ledger:
        held = await ledger.claim(IDENTITY)
        for number in range(3):
            await held.commit(epoch(number, state=(change(0, number),)))
        cutter.arm(b"COMMIT", side)
        base = [change(0, 1, b"whole", base=True)]
        await held.fold(base)
        assert cutter.cuts == 1
        assert [chunk async for chunk in held.state()] == [*base, change(0, 2)]
        await held.close()


async def test_a_take_over_in_the_middle_of_a_lost_reply_is_seen(postgres_url: str) -> None:
    async with cutting(postgres_url) as (cutter, url), opened(url) as ledger, opened(postgres_url) as other:
        held = await ledger.claim(IDENTITY)
        cutter.arm(b"COMMIT", "after")
        taken = []

        async def write(writer: RowWriter) -> None:
            await writer.append(TABLE, rows(("a", 1)))

        await held.commit(epoch(0), write)
        taken.append(await other.claim(IDENTITY))
        assert taken[0].done == epoch(0).plan
        await raises(Fenced, held.commit(epoch(1), write))
        assert await stored(other) == [("a", 1)]


async def test_a_claim_waits_for_the_commit_that_is_under_way(postgres_url: str) -> None:
    async with opened(postgres_url) as ledger, opened(postgres_url) as other:
        held = await ledger.claim(IDENTITY)
        claimed = []

        async def claim() -> None:
            claimed.append(await other.claim(IDENTITY))

        async with anyio.create_task_group() as tasks:

            async def write(writer: RowWriter) -> None:
                tasks.start_soon(claim)
                with anyio.fail_after(20):
                    # Each look is a round trip to the server, so the loop is not a busy one.
                    while not await fetch(postgres_url, "SELECT 1 FROM pg_locks WHERE NOT granted"):
                        pass
                await writer.append(TABLE, rows(("a", 1)))

            await held.commit(epoch(0), write)
        assert claimed[0].done == epoch(0).plan
        await raises(Fenced, held.commit(epoch(1)))


async def test_an_append_does_not_wait_for_a_commit(postgres_url: str) -> None:
    async with opened(postgres_url) as ledger:
        held = await ledger.claim(IDENTITY)

        async def write(writer: RowWriter) -> None:
            with anyio.fail_after(20):
                await held.ingest(0).append(IngestChunk(0, 1, b"row"))

        await held.commit(epoch(0), write)
        assert await held.ingest(0).end() == 1


async def test_a_database_that_forgot_the_query_or_its_rows_is_behind(postgres_url: str) -> None:
    async with opened(postgres_url) as ledger:
        held = await ledger.claim(IDENTITY)
        await held.commit(epoch(0))
        await held.ingest(0).append(IngestChunk(0, 5, b"rows"))
        await fetch(postgres_url, "DELETE FROM watertable.ingest")
        await raises(LedgerBehind, held.ingest(0).append(IngestChunk(5, 1, b"row")))
        await fetch(postgres_url, "UPDATE watertable.query SET fence = fence - 1")
        await raises(LedgerBehind, held.commit(epoch(1)))
        await fetch(postgres_url, "DELETE FROM watertable.query")
        await raises(LedgerBehind, held.commit(epoch(1)))
        await raises(LedgerBehind, held.ingest(0).append(IngestChunk(0, 1, b"row")))
        await held.close()


async def test_a_primary_that_became_read_only_is_left_for_the_new_one(postgres_url: str) -> None:
    async with opened(postgres_url) as ledger:
        held = await ledger.claim(IDENTITY)
        await held.commit(epoch(0), appending(("a", 0)))
        name = postgres_url.split("?")[0].rsplit("/", 1)[1]
        admin = postgres_url.replace(name, "postgres")
        await fetch(admin, f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
        # Connections of before go on writing; a server that was demoted would have ended them.
        await _end_connections(postgres_url)
        await raises(DatabaseUnavailable, ledger.ping())
        done = anyio.Event()
        async with anyio.create_task_group() as tasks:

            async def commit() -> None:
                await held.commit(epoch(1), appending(("b", 1)))
                done.set()

            tasks.start_soon(commit)
            await raises(DatabaseUnavailable, ledger.ping())
            assert not done.is_set()
            await fetch(admin, f'ALTER DATABASE "{name}" RESET ALL')
        await ledger.ping()
        assert await stored(ledger) == [("a", 0), ("b", 1)]
        await held.close()


async def _end_connections(url: str) -> None:
    await fetch(
        url,
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )


async def test_the_wait_for_a_database_has_an_end(postgres_url: str) -> None:
    async with cutting(postgres_url) as (cutter, url), opened(url, retry_s=0.3) as ledger:
        held = await ledger.claim(IDENTITY)
        name = postgres_url.split("?")[0].rsplit("/", 1)[1]
        admin = postgres_url.replace(name, "postgres")
        await fetch(admin, f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        await fetch(admin, "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1", name)
        error = await raises(DatabaseUnavailable, held.commit(epoch(0)))
        assert "could not be reached" in str(error)
        assert "not currently accepting connections" in str(error)
        await fetch(admin, f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
        await held.commit(epoch(0))
        await held.close()
        assert cutter.cuts == 0


async def test_what_a_killed_process_kept_for_a_temporary_query_goes_later(postgres_url: str) -> None:
    nobody = Identity(None, None, {}, "")
    async with opened(postgres_url) as ledger:
        living = await ledger.claim(nobody)
        dead = str(uuid.uuid4())
        insert = "INSERT INTO watertable.query (id, fence, fingerprint, plan) VALUES ($1, 1, '{}', '')"
        await fetch(postgres_url, insert, dead)
        await ledger.remove_leftovers()
        assert len(await fetch(postgres_url, "SELECT id FROM watertable.query")) == 2, "it may be reconnecting"
        await fetch(postgres_url, "UPDATE watertable.query SET updated = now() - interval '1 hour'")
        async with opened(postgres_url):
            found = await fetch(postgres_url, "SELECT id::text FROM watertable.query")
        assert found == [(living.query_id,)]
        await living.commit(epoch(0))
        await living.close()
        assert await fetch(postgres_url, "SELECT 1 FROM watertable.query") == []


async def test_old_epochs_go_and_the_totals_stay(postgres_url: str) -> None:
    async with opened(postgres_url) as ledger:
        held = await ledger.claim(IDENTITY)
        for number in range(201):
            await held.commit(epoch(number))
        kept = await fetch(postgres_url, "SELECT min(number), max(number) FROM watertable.epoch")
        assert kept == [(101, 200)]
        (known,) = await ledger.queries()
        assert known.input_rows == 201
        await held.close()
