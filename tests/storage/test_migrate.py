"""Migrations, and what a database is refused for when it is opened."""

from __future__ import annotations

from urllib.parse import quote

import anyio
import asyncpg
import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import Column, MetaData, UniqueConstraint
from sqlalchemy.dialects import postgresql

from app.clock import SystemClock
from app.errors import DatabaseUnavailable, EngineError, FormatTooNew, SettingsError
from app.settings import Settings
from app.storage import migrate, open_ledger
from app.storage.connect import Gateway
from app.storage.embedded import EmbeddedPostgres
from app.storage.revisions import Server, check_server, scripts_folder
from app.storage.tables import REVISION, SCHEMA, metadata

pytestmark = pytest.mark.anyio


async def execute(url: str, statement: str) -> str:
    connection = await asyncpg.connect(url)
    try:
        return str(await connection.execute(statement))
    finally:
        await connection.close()


async def refused(url: str) -> EngineError:
    with pytest.raises(EngineError) as caught:
        await open_ledger(Settings(database_url=url, database_retry_s=0.2), SystemClock())
    return caught.value


def test_the_program_knows_the_newest_migration() -> None:
    scripts = ScriptDirectory(str(scripts_folder()))
    assert scripts.get_current_head() == REVISION
    names = [script.path.rsplit("/", 1)[1] for script in scripts.walk_revisions()]
    assert all(name.split("_")[1] in ("pre", "post") for name in names), "named by when they may run"


def _type(column: Column[object]) -> str:
    return column.type.compile(dialect=postgresql.dialect()).removesuffix(' COLLATE "C"')


def _described(tables: MetaData) -> dict[str, list[tuple[object, ...]]]:
    return {
        table.name: [
            *((c.name, _type(c), c.nullable, c.primary_key, c.comment, bool(c.foreign_keys)) for c in table.columns),
            *sorted((str(i.name), *i.columns.keys()) for i in table.indexes),
            *sorted(tuple(c.columns.keys()) for c in table.constraints if isinstance(c, UniqueConstraint)),
        ]
        for table in tables.sorted_tables
        if table.name != "alembic_version"
    }


async def test_the_migrations_make_the_tables_the_program_sees(postgres_url: str) -> None:
    found = MetaData(schema=SCHEMA)
    gateway = Gateway(postgres_url)
    async with gateway.engine.connect() as connection:
        await connection.run_sync(found.reflect)
    await gateway.close()
    assert _described(found) == _described(metadata)


async def test_two_processes_may_migrate_at_the_same_time(empty_postgres_url: str) -> None:
    settings = Settings(database_url=empty_postgres_url)
    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(migrate, settings, SystemClock())
    connection = await asyncpg.connect(empty_postgres_url)
    assert [r[0] for r in await connection.fetch(f"SELECT version_num FROM {SCHEMA}.alembic_version")] == [REVISION]
    await connection.close()


async def test_payloads_are_not_compressed_again(postgres_url: str) -> None:
    connection = await asyncpg.connect(postgres_url)
    found = await connection.fetch(
        "SELECT attrelid::regclass::text, attstorage FROM pg_attribute WHERE attname = 'payload' AND attrelid = "
        "ANY (ARRAY['watertable.ingest'::regclass, 'watertable.state_change'::regclass])"
    )
    assert [row["attstorage"] for row in found] == [b"e", b"e"]
    await connection.close()


async def test_a_newer_database_is_refused(postgres_url: str) -> None:
    await execute(postgres_url, f"UPDATE {SCHEMA}.alembic_version SET version_num = '9999'")
    error = await refused(postgres_url)
    assert isinstance(error, FormatTooNew)
    assert "9999" in str(error)


async def test_a_read_only_database_is_refused_and_left_alone(empty_postgres_url: str) -> None:
    name = empty_postgres_url.split("?")[0].rsplit("/", 1)[1]
    await execute(empty_postgres_url, f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    error = await refused(empty_postgres_url)
    assert isinstance(error, SettingsError)
    assert "takes no writes" in str(error)


async def test_a_role_without_the_right_to_create_is_told_which(
    empty_postgres_url: str, postgres_server: EmbeddedPostgres
) -> None:
    await execute(empty_postgres_url, "CREATE ROLE plain LOGIN PASSWORD 'plain secret'")
    port = empty_postgres_url.rsplit("port=", 1)[1]
    name = empty_postgres_url.split("?")[0].rsplit("/", 1)[1]
    error = await refused(f"postgres://plain:{quote('plain secret')}@127.0.0.1:{port}/{name}")
    assert isinstance(error, SettingsError)
    assert "permission denied for database" in str(error)
    assert "secret" not in str(error)
    await execute(empty_postgres_url, "DROP ROLE plain")


@pytest.mark.parametrize(
    ("server", "words"),
    [
        (Server(130011, "13.11", False, False, True), "is PostgreSQL 13.11; Watertable needs 14"),
        (Server(160002, "16.2", True, False, True), "it is a standby"),
        (Server(160002, "16.2", False, True, True), "default_transaction_read_only"),
    ],
)
def test_a_server_that_will_not_do_is_refused_by_what_it_says(server: Server, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        check_server(server, "me@host/db")


async def test_wrong_logins_are_refused_without_the_password(postgres_url: str) -> None:
    port = postgres_url.rsplit("port=", 1)[1]
    name = postgres_url.split("?")[0].rsplit("/", 1)[1]
    wrong = {
        f"postgresql://watertable:guessed@127.0.0.1:{port}/{name}": (SettingsError, "refuses the login"),
        postgres_url.replace(name, "nowhere"): (SettingsError, "does not exist"),
        "postgresql://u:guessed@127.0.0.1:1/x": (DatabaseUnavailable, "could not be reached"),
        "postgresql+asyncpg://u:guessed@127.0.0.1:1/x": (DatabaseUnavailable, "could not be reached"),
        "mysql://u:guessed@localhost/x": (SettingsError, "begin with postgresql://"),
        "postgresql://u:guessed@localhost:port/x": (SettingsError, "cannot be read"),
        "postgresql://u:gue/ssed#@localhost:5432/x": (SettingsError, "cannot be read"),
    }
    for url, (kind, words) in wrong.items():
        error = await refused(url)
        assert isinstance(error, kind), url
        assert words in str(error)
        assert "guessed" not in str(error)
        assert "\n" not in str(error)


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+asyncpg"])
async def test_a_database_may_be_named_in_three_ways(postgres_url: str, scheme: str) -> None:
    ledger = await open_ledger(Settings(database_url=postgres_url.replace("postgresql", scheme, 1)), SystemClock())
    await ledger.ping()
    assert await ledger.open_database(postgres_url) is None
    await ledger.close()
