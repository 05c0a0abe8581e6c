"""A TCP connection that only receives: bytes lie in a bounded inbox until they are taken, and then all at once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator

from app.clock import Clock

_INBOX_BYTES = 4 << 20
_FIRST_DELAY_S = 0.1
_LONGEST_DELAY_S = 10.0
_log = logging.getLogger(__name__)


class Inbox(asyncio.Protocol):
    """`error` is why the connection ended; None after a clean close. Full, it stops reading until it is emptied."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.received = False
        self._transport: asyncio.Transport | None = None
        self._parts: list[bytes] = []
        self._bytes = 0
        self._closed = False
        self._stirred = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self.received = True
        self._parts.append(data)
        self._bytes += len(data)
        if self._bytes >= _INBOX_BYTES and self._transport is not None:
            self._transport.pause_reading()
        self._stirred.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.error = exc
        self._closed = True
        self._stirred.set()

    async def take(self) -> bytes | None:
        """Waits for bytes and returns all there are; None once the connection has ended and all is taken."""
        while not self._parts:
            if self._closed:
                return None
            self._stirred.clear()
            await self._stirred.wait()
        data = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        self._parts, self._bytes = [], 0
        if self._transport is not None and not self._closed:
            self._transport.resume_reading()
        return data

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()


async def connect(host: str, port: int, clock: Clock) -> AsyncIterator[Inbox]:
    """One connection after the other, for ever. Between attempts it waits longer and longer, up to ten seconds; a
    connection that brought something starts the waiting anew."""
    loop = asyncio.get_running_loop()
    delay_s = _FIRST_DELAY_S
    while True:
        try:
            _, inbox = await loop.create_connection(Inbox, host, port)
        except OSError as error:
            _log.warning("Nothing to read at %s:%d (%s); next attempt in %.1f s", host, port, error, delay_s)
        else:
            _log.info("Connected to %s:%d", host, port)
            yield inbox
            if inbox.received:
                delay_s = _FIRST_DELAY_S
            _log.info("The connection to %s:%d ended; next attempt in %.1f s", host, port, delay_s)
        await clock.sleep(delay_s)
        delay_s = min(_LONGEST_DELAY_S, delay_s * 2)
