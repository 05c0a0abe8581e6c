"""The engine, its HTTP pages and the way in for pipeline threads, as one thing that starts and stops.

    start   HTTP port bound (a port in use ends it here) -> engine -> portal for threads
    stop    queries stop, each after its running epoch -> calls of threads that still wait are cancelled
            -> engine closes the database -> HTTP ends
"""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import anyio
from anyio.from_thread import BlockingPortal

from app.assembly import build_engine, install_pyspark
from app.clock import SystemClock
from app.engine.engine import Engine
from app.engine.host import Host, set_host
from app.engine.query import Query
from app.engine.spec import QuerySpec
from app.settings import Settings
from app.web import WebServer

STOP_S = 3.5
"""How long running epochs may take to end after a signal; what is not committed by then is rolled back."""

logger = logging.getLogger(__name__)
T = TypeVar("T")


class PipelineHost(Host):
    """A host that knows which pipeline thread started which query, and gives a nameless query `name`."""

    def __init__(self, engine: Engine, portal: BlockingPortal, name: str | None = None) -> None:
        super().__init__(engine, portal)
        self._identity = name
        self._started: dict[str, list[Query]] = {}

    def call(self, function: Callable[..., Awaitable[T]], *args: Any, **kwargs: Any) -> T:
        result = super().call(function, *map(self._named, args), **kwargs)
        if isinstance(result, Query):
            started = self._started.setdefault(threading.current_thread().name, [])
            if result not in started:
                started.append(result)
        return result

    def take_started(self, thread_name: str) -> list[Query]:
        """The queries that the thread has started since the last call."""
        return self._started.pop(thread_name, [])

    def _named(self, argument: object) -> object:
        if self._identity and isinstance(argument, QuerySpec) and not (argument.checkpoint or argument.name):
            return replace(argument, name=self._identity)
        return argument


@dataclass(frozen=True, slots=True)
class Service:
    """What runs: `url` is None without HTTP."""

    engine: Engine
    host: PipelineHost
    url: str | None


@asynccontextmanager
async def running(settings: Settings, *, http: bool = True, name: str | None = None) -> AsyncIterator[Service]:
    """The service of this process while the block runs; pipelines find it through `pyspark`.

    Raises: SettingsError for a port in use or an address that needs a token.
    """
    engine = build_engine(settings)
    async with AsyncExitStack() as stack:
        url = None
        if http:
            url = (await stack.enter_async_context(WebServer(engine, settings, SystemClock()))).url
            logger.info("HTTP on %s", url)
        await stack.enter_async_context(engine)
        portal = await stack.enter_async_context(BlockingPortal())
        host = PipelineHost(engine, portal, name)
        # It stays set: a pipeline thread that outlives the service must not start a second engine.
        set_host(host)
        install_pyspark()
        try:
            yield Service(engine, host, url)
        finally:
            with anyio.CancelScope(shield=True):
                await stop_queries(engine.queries)
                await portal.stop(cancel_remaining=True)


async def stop_queries(queries: tuple[Query, ...] | list[Query]) -> None:
    """Stops them side by side, each at the end of its running epoch, within `STOP_S`."""
    with anyio.move_on_after(STOP_S) as limit:
        async with anyio.create_task_group() as tasks:
            for query in queries:
                if query.is_active:
                    tasks.start_soon(query.stop)
    if limit.cancelled_caught:
        logger.warning("an epoch did not end within %s s; it is rolled back and runs again next time", STOP_S)


async def until_signal(work: Callable[[], Awaitable[None]]) -> bool:
    """Runs `work` until it ends (False) or SIGTERM or SIGINT cancels it (True). Raises: whatever `work` raises."""
    failed: list[Exception] = []
    caught: list[signal.Signals] = []

    async def body() -> None:
        try:
            await work()
        except Exception as error:
            failed.append(error)
        tasks.cancel_scope.cancel()

    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(body)
            async for number in signals:
                caught.append(number)
                logger.info("%s: stopping", number.name)
                tasks.cancel_scope.cancel()
    if failed:
        raise failed[0]
    return bool(caught)
