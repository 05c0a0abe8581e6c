"""A real PostgreSQL for every test that wants one: one server a session, a fresh database a test."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import anyio
import asyncpg
import pytest

from app.clock import SystemClock
from app.settings import Settings
from app.storage import migrate
from app.storage.embedded import EmbeddedPostgres

_TEMPLATE = "migrated_template"


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[EmbeddedPostgres]:
    """One embedded server for the session, without fsync."""
    home = Path(tempfile.mkdtemp(prefix="watertable-tests-"))
    server = EmbeddedPostgres(home, durable=False)
    anyio.run(server.start)
    yield server
    anyio.run(server.stop)
    shutil.rmtree(home)


@pytest.fixture
def empty_postgres_url(postgres_server: EmbeddedPostgres) -> Iterator[str]:
    """The URL of a database nobody has used yet."""
    yield from _database(postgres_server, "template1")


@pytest.fixture(scope="session")
def migrated_template(postgres_server: EmbeddedPostgres) -> str:
    """The name of a database with the tables of the newest revision, to copy from."""
    anyio.run(_administer, postgres_server, f'CREATE DATABASE "{_TEMPLATE}"')
    anyio.run(migrate, Settings(database_url=postgres_server.url(_TEMPLATE)), SystemClock())
    return _TEMPLATE


@pytest.fixture
def postgres_url(postgres_server: EmbeddedPostgres, migrated_template: str) -> Iterator[str]:
    """The URL of a fresh database that is migrated already."""
    yield from _database(postgres_server, migrated_template)


def _database(server: EmbeddedPostgres, template: str) -> Iterator[str]:
    name = f"test_{uuid.uuid4().hex}"
    anyio.run(_administer, server, f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')
    yield server.url(name)
    anyio.run(_administer, server, f'DROP DATABASE "{name}" WITH (FORCE)')


async def _administer(server: EmbeddedPostgres, statement: str) -> None:
    connection = await asyncpg.connect(server.url("postgres"))
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
