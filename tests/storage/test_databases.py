"""Databases beside the ledger's own, as sinks with a URL open them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from app.clock import SystemClock
from app.errors import DatabaseUnavailable, SinkBroken, SinkUnavailable
from app.settings import Settings
from app.storage import open_ledger
from app.storage.embedded import EmbeddedPostgres
from app.storage.ledger import PostgresLedger
from app.testing.contracts.ledger import SCHEMA, TABLE, raises, rows
from tests.storage.cut import cutting

pytestmark = pytest.mark.anyio


@pytest.fixture
async def ledger(postgres_url: str) -> AsyncIterator[PostgresLedger]:
    opened = await open_ledger(Settings(database_url=postgres_url, database_retry_s=1.0), SystemClock())
    yield opened
    await opened.close()


async def test_the_ledgers_own_database_is_known_by_any_url(ledger: PostgresLedger, postgres_url: str) -> None:
    async with cutting(postgres_url) as (_, by_another_way):
        assert await ledger.open_database(postgres_url) is None
        assert await ledger.open_database(by_another_way) is None


async def test_another_database_takes_rows_of_its_own(
    ledger: PostgresLedger, postgres_server: EmbeddedPostgres, empty_postgres_url: str
) -> None:
    other = await ledger.open_database(empty_postgres_url)
    assert other is not None
    await other.ensure_table(TABLE, SCHEMA, ("word",))
    async with other.transaction() as writer:
        await writer.merge(TABLE, rows(("a", 1)), ["word"])
    assert (await other.table(TABLE, SCHEMA).select()).to_pylist() == [{"word": "a", "count": 1}]
    connection = await asyncpg.connect(empty_postgres_url)
    assert await connection.fetchval("SELECT to_regnamespace('watertable') IS NULL"), "a sink is not a ledger"
    await connection.close()
    await other.close()


async def test_a_database_that_cannot_be_used_is_broken_or_unavailable(
    ledger: PostgresLedger, postgres_url: str
) -> None:
    name = postgres_url.split("?")[0].rsplit("/", 1)[1]
    for url, kind in {
        postgres_url.replace(name, "nowhere"): SinkBroken,
        postgres_url.replace("watertable:", "watertable:x"): SinkBroken,
        "jdbc:postgresql://localhost/x": SinkBroken,
        "postgresql://u:secret@127.0.0.1:1/x": SinkUnavailable,
    }.items():
        error = await raises(kind, ledger.open_database(url))
        assert "secret" not in str(error)


async def test_a_transaction_that_loses_its_connection_says_so_and_leaves_nothing(
    ledger: PostgresLedger, postgres_url: str
) -> None:
    await ledger.database.ensure_table(TABLE, SCHEMA, ())
    async with cutting(postgres_url) as (cutter, url):
        through = await open_ledger(Settings(database_url=url, database_retry_s=1.0), SystemClock())
        cutter.arm(b"COMMIT", "before")

        async def write() -> None:
            async with through.database.transaction() as writer:
                await writer.append(TABLE, rows(("a", 1)))

        await raises(DatabaseUnavailable, write())
        assert (await ledger.database.table(TABLE, SCHEMA).select()).num_rows == 0
        await write()
        assert (await ledger.database.table(TABLE, SCHEMA).select()).num_rows == 1
        await through.close()


async def test_a_role_that_may_not_write_is_told_so(ledger: PostgresLedger, postgres_url: str) -> None:
    await ledger.database.ensure_table(TABLE, SCHEMA, ())
    connection = await asyncpg.connect(postgres_url)
    await connection.execute("CREATE ROLE reader LOGIN PASSWORD 'reader'")
    port, name = postgres_url.rsplit("port=", 1)[1], postgres_url.split("?")[0].rsplit("/", 1)[1]
    other = await ledger.open_database(f"postgresql://reader:reader@127.0.0.1:{port}/{name}")
    assert other is not None

    async def write() -> None:
        async with other.transaction() as writer:
            await writer.append(TABLE, rows(("a", 1)))

    assert "permission denied" in str(await raises(SinkBroken, write()))
    assert "permission denied" in str(await raises(SinkBroken, other.ensure_table("mine", SCHEMA, ())))
    await other.close()
    await connection.execute("DROP ROLE reader")
    await connection.close()


async def test_a_table_is_made_in_a_schema_that_is_there(ledger: PostgresLedger, postgres_url: str) -> None:
    database = ledger.database
    said = str(await raises(SinkBroken, database.ensure_table("sails.counts", SCHEMA, ())))
    assert "no schema 'sails'" in said
    assert "sales" not in said
    connection = await asyncpg.connect(postgres_url)
    await connection.execute("CREATE SCHEMA sales")
    assert "only public, sales" in str(await raises(SinkBroken, database.ensure_table("sails.counts", SCHEMA, ())))
    assert await database.ensure_table("sales.counts", SCHEMA, ())
    await connection.execute("DROP SCHEMA sales CASCADE")
    await connection.close()
