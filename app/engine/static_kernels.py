"""The kernels that static plans are computed in, by whichever threads ask for their rows, and how they end together."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import anyio

from app.kernel.kernel import Kernel
from app.settings import Settings

_AGAIN_S = 0.05
"""A plan has several statements: the one that begins after an interruption is interrupted as well."""


class StaticKernels:
    """They share a database, save for plans that want their rows in order. Any thread may use them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._shared: Kernel | None = None
        self._used: set[Kernel] = set()
        self._lock = threading.Lock()
        self._closing = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended = anyio.Event()

    @contextmanager
    def one(self, one_thread: bool) -> Iterator[Kernel]:
        """A kernel for one static plan. Raises: KeyboardInterrupt where `close` ends it, so that a pipeline does not
        take the end of its process for a failure of its query."""
        with self._lock:
            if self._closing:
                raise KeyboardInterrupt
            kernel = self._made(one_thread)
            self._used.add(kernel)
        try:
            with kernel:
                yield kernel
        except Exception:
            if self._closing:
                raise KeyboardInterrupt from None
            raise
        finally:
            with self._lock:
                self._used.discard(kernel)
                if self._loop is not None and not self._used:
                    self._loop.call_soon_threadsafe(self._ended.set)

    async def close(self) -> None:
        """Interrupts what is computed, waits for it to end, and closes: a database that is closed under a
        running statement takes the process with it."""
        self._loop = asyncio.get_running_loop()
        while self._interrupted():
            with anyio.move_on_after(_AGAIN_S):
                await self._ended.wait()
        if self._shared is not None:
            self._shared.close()

    def _interrupted(self) -> bool:
        """Whether something was still computed."""
        with self._lock:
            self._closing = True
            for kernel in self._used:
                kernel.interrupt()
            return bool(self._used)

    def _made(self, one_thread: bool) -> Kernel:
        settings = self._settings
        if one_thread:
            return Kernel(settings.kernel_memory_bytes, threads=1)
        if self._shared is None:
            self._shared = Kernel(settings.kernel_memory_bytes, settings.kernel_threads)
        return self._shared.beside()
