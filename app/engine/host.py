"""The one engine of a process, for code that blocks.

A pipeline file is ordinary blocking code in a thread of its own; `start`, `stop` and `awaitTermination` cross to the
event loop here. Who builds the engine is settled above (`app.assembly`), on first use.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from anyio.from_thread import BlockingPortal

from app.engine.contracts import Connectors

if TYPE_CHECKING:
    from app.engine.engine import Engine

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Caller:
    """Whose blocking code runs here: a session and its queries belong to one `pipeline` of the process. `identity` is
    the name of a query that has neither name nor checkpoint."""

    pipeline: str = ""
    identity: str | None = None


ANYONE = Caller()
CALLER: ContextVar[Caller] = ContextVar("caller", default=ANYONE)
"""Set in the thread of a pipeline; callbacks of its queries run in copies of that context."""


class Host:
    """An engine and the way to its event loop from other threads."""

    def __init__(self, engine: Engine, portal: BlockingPortal) -> None:
        self.engine = engine
        self.stopping = False
        self._portal = portal

    def call(self, function: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs a coroutine function on the loop and gives its result. Never call it from the loop itself.

        Raises: KeyboardInterrupt where the process was told to stop meanwhile, so that the code behind an
        `awaitTermination()` does not take a signal for the end of its stream."""
        stopping = self.stopping

        async def run() -> T:
            return await function(*args, **kwargs)

        result = self._portal.call(run)
        if self.stopping and not stopping:
            raise KeyboardInterrupt
        return result


_lock = threading.RLock()
_host: Host | None = None
_start: Callable[[], Host] | None = None
_connectors: Callable[[], Connectors] | None = None


def configure(start: Callable[[], Host], connectors: Callable[[], Connectors]) -> None:
    """Says how this process gets its host when it first needs one, and which formats it knows."""
    global _start, _connectors
    with _lock:
        _start, _connectors = start, connectors


def set_host(host: Host | None) -> None:
    """Makes `host` the current one; None forgets it."""
    global _host
    with _lock:
        _host = host


def current_host() -> Host:
    """The process's host, started on first use."""
    global _host
    with _lock:
        if _host is None:
            _host = _configured()[0]()
        return _host


def started_host() -> Host | None:
    """The process's host if it has been needed before; starts nothing."""
    return _host


def current_connectors() -> Connectors:
    """The formats this process knows; starts nothing."""
    with _lock:
        return _host.engine.connectors if _host is not None else _configured()[1]()


def _configured() -> tuple[Callable[[], Host], Callable[[], Connectors]]:
    if _start is None or _connectors is None:
        # The composition root lies above this module; it is named, not imported, so that the arrow stays drawn down.
        importlib.import_module("app.assembly").configure()
    if _start is None or _connectors is None:
        raise AssertionError("app.assembly.configure() did not configure a host")
    return _start, _connectors
