"""The engine, its HTTP pages and the way in for pipeline threads, as one thing that starts and stops.

start   HTTP port bound (a port in use ends it here) -> engine -> portal for threads
stop    queries stop, each after its running epoch -> calls of threads that still wait are cancelled
        -> engine closes the database -> HTTP ends
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

import anyio
from anyio.from_thread import BlockingPortal

from app.assembly import build_engine, install_pyspark
from app.clock import SystemClock
from app.engine.engine import Engine
from app.engine.host import Host, set_host
from app.settings import Settings
from app.web import WebServer

STOP_S = 4.5
"""After a signal the process is gone by then, whatever still holds it; the database rolls back what is open."""

logger = logging.getLogger(__name__)


class Service:
    """What runs: `url` is None without HTTP. After a signal `watchdog` ends the process, unless it is cancelled."""

    def __init__(self, engine: Engine, url: str | None, watchdog: threading.Timer) -> None:
        self.engine = engine
        self.url = url
        self._watchdog = watchdog

    async def until_signal(self, work: Callable[[], Awaitable[None]]) -> bool:
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
                    self._watchdog.start()
                    tasks.cancel_scope.cancel()
                    break
        if failed:
            raise failed[0]
        return bool(caught)


@asynccontextmanager
async def running(
    settings: Settings,
    *,
    http: bool = True,
    pipelines: Callable[[], Mapping[str, str | None]] = dict,
) -> AsyncIterator[Service]:
    """The service of this process while the block runs; pipelines find it through `pyspark`. `pipelines` is for
    the HTTP side: by file, why it does not run, else None.

    Raises: SettingsError for a port in use or an address that needs a token.
    """
    engine = build_engine(settings)
    watchdog = threading.Timer(STOP_S, os._exit, (0,))
    watchdog.daemon = True
    async with AsyncExitStack() as stack:
        stack.callback(watchdog.cancel)
        url = None
        if http:
            url = (await stack.enter_async_context(WebServer(engine, settings, SystemClock(), pipelines))).url
            logger.info("HTTP on %s", url)
        await stack.enter_async_context(engine)
        portal = await stack.enter_async_context(BlockingPortal())
        # It stays set: a pipeline thread that outlives the service must not start a second engine.
        host = Host(engine, portal)
        set_host(host)
        install_pyspark()
        try:
            yield Service(engine, url, watchdog)
        finally:
            host.stopping = True
            with anyio.CancelScope(shield=True):
                await engine.stop()
                await portal.stop(cancel_remaining=True)
