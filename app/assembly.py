"""The composition root: which connectors there are, and how an engine is put together."""

from __future__ import annotations

import atexit
from contextlib import ExitStack

from anyio.from_thread import start_blocking_portal

from app import pyspark_alias
from app.clock import SystemClock
from app.engine import host
from app.engine.contracts import Connectors, SinkFormat, SourceFormat
from app.engine.engine import Engine
from app.settings import Settings, read_settings
from app.sinks.console import ConsoleFormat
from app.sinks.foreach import ForeachFormat
from app.sinks.foreach_batch import ForeachBatchFormat
from app.sinks.memory import MemorySinkFormat
from app.sinks.noop import NoopFormat
from app.sinks.postgres import PostgresFormat
from app.sources.files import FileFormat
from app.sources.memory import MemoryFormat
from app.sources.rate import RateFormat
from app.sources.socket import SocketFormat
from app.storage import open_ledger


def connectors() -> Connectors:
    """All formats of this version, by name."""
    files = (FileFormat(name) for name in ("text", "csv", "json", "parquet"))
    sources: tuple[SourceFormat, ...] = (MemoryFormat(), SocketFormat(), RateFormat(), *files)
    sinks: tuple[SinkFormat, ...] = (
        ConsoleFormat(),
        MemorySinkFormat(),
        PostgresFormat(),
        ForeachFormat(),
        ForeachBatchFormat(),
        NoopFormat(),
    )
    return Connectors(
        sources={name: format for format in sources for name in format.names},
        sinks={name: format for format in sinks for name in format.names},
    )


def build_engine(settings: Settings) -> Engine:
    """An engine on the machine's clock. Nothing is opened before it is entered and used."""
    return Engine(settings, connectors(), open_ledger, SystemClock())


def configure() -> None:
    """Makes this process start an engine of its own when blocking code first needs one."""
    host.configure(_start_host, connectors)


def install_pyspark() -> None:
    """Makes `import pyspark` give Watertable's surface, and starts an engine when a pipeline first needs one."""
    configure()
    pyspark_alias.install()


def _start_host() -> host.Host:
    stack = ExitStack()
    atexit.register(stack.close)
    portal = stack.enter_context(start_blocking_portal("asyncio"))
    engine = build_engine(read_settings())
    stack.enter_context(portal.wrap_async_context_manager(engine))
    return host.Host(engine, portal)
