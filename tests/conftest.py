"""A real PostgreSQL for every test that wants one: one server a session, a fresh database a test."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio
import asyncpg
import pytest
from hypothesis import HealthCheck, settings

from app.clock import SystemClock
from app.engine.contracts import Ledger
from app.settings import Settings
from app.storage import migrate, open_ledger
from app.storage.embedded import EmbeddedPostgres

_TEMPLATE = "migrated_template"

# However slow the machine is, a property holds or does not.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[EmbeddedPostgres]:
    """One embedded server for the session, without fsync."""
    home = Path(tempfile.mkdtemp(prefix="watertable-tests-"))
    server = EmbeddedPostgres(home, durable=False)
    _run(server.start)
    yield server
    _run(server.stop)
    shutil.rmtree(home)


@pytest.fixture
def empty_postgres_url(postgres_server: EmbeddedPostgres) -> Iterator[str]:
    """The URL of a database nobody has used yet."""
    yield from _database(postgres_server, "template1")


@pytest.fixture(scope="session")
def migrated_template(postgres_server: EmbeddedPostgres) -> str:
    """The name of a database with the tables of the newest revision, to copy from."""
    _run(_administer, postgres_server, f'CREATE DATABASE "{_TEMPLATE}"')
    _run(migrate, Settings(database_url=postgres_server.url(_TEMPLATE)), SystemClock())
    return _TEMPLATE


@pytest.fixture
def postgres_url(postgres_server: EmbeddedPostgres, migrated_template: str) -> Iterator[str]:
    """The URL of a fresh database that is migrated already."""
    yield from _database(postgres_server, migrated_template)


@pytest.fixture(scope="module")
def module_postgres_url(postgres_server: EmbeddedPostgres, migrated_template: str) -> Iterator[str]:
    """The same, but one for all tests of a module: they have to clean up after each other."""
    yield from _database(postgres_server, migrated_template)


def _database(server: EmbeddedPostgres, template: str) -> Iterator[str]:
    name = f"test_{uuid.uuid4().hex}"
    _run(_administer, server, f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')
    yield server.url(name)
    _run(_administer, server, f'DROP DATABASE "{name}" WITH (FORCE)')


def _run(work: Callable[..., Awaitable[object]], *arguments: object) -> None:
    """On a loop of its own in a thread of its own: a fixture may be asked for inside a running loop."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(anyio.run, work, *arguments).result()


async def _administer(server: EmbeddedPostgres, statement: str) -> None:
    connection = await asyncpg.connect(server.url("postgres"))
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


@pytest.fixture(params=["memory", "postgres"])
async def ledger(request: pytest.FixtureRequest) -> AsyncIterator[Ledger]:
    """The same test on the in-memory twin and on PostgreSQL."""
    # Imported here: the package brings the PySpark surface, which most tests that want a database do not.
    from app.testing.memory_ledger import MemoryLedger

    opened: Ledger
    if request.param == "memory":
        opened = MemoryLedger()
    else:
        settings = Settings(database_url=request.getfixturevalue("postgres_url"), database_retry_s=20.0)
        opened = await open_ledger(settings, SystemClock())
    yield opened
    await opened.close()
