"""A session on an engine whose database is in memory, in a process that lives in Berlin."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from anyio.from_thread import start_blocking_portal

from app.assembly import connectors
from app.clock import SystemClock
from app.engine.contracts import Ledger
from app.engine.engine import Engine
from app.engine.host import Host, set_host
from app.settings import Settings
from app.sql import SparkSession
from app.testing.memory_ledger import MemoryLedger


@pytest.fixture(scope="package", autouse=True)
def berlin() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Europe/Berlin")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture(scope="package", autouse=True)
def host() -> Iterator[Host]:
    ledger = MemoryLedger()

    async def open_ledger(*_: object) -> Ledger:
        return ledger

    with ExitStack() as stack:
        portal = stack.enter_context(start_blocking_portal("asyncio"))
        engine = Engine(Settings(), connectors(), open_ledger, SystemClock())
        stack.enter_context(portal.wrap_async_context_manager(engine))
        host = Host(engine, portal)
        set_host(host)
        stack.callback(set_host, None)
        yield host


@pytest.fixture
def spark() -> Iterator[SparkSession]:
    session = SparkSession.builder.appName("x").config("spark.sql.session.timeZone", "America/New_York").getOrCreate()
    yield session
    session.stop()
