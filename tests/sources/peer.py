"""A TCP server that says what the test tells it to."""

from __future__ import annotations

import asyncio
import socket
import struct
from types import TracebackType
from typing import Any

import anyio

_BOUND_S = 20.0
_NO_LINGER = struct.pack("ii", 1, 0)


class Call:
    """One accepted connection."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self.writer = writer

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    async def sent(self) -> None:
        with anyio.fail_after(_BOUND_S):
            await self.writer.drain()

    def close(self) -> None:
        """Ends the connection after all that was sent."""
        self.writer.close()

    def reset(self) -> None:
        """Breaks the connection."""
        self.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        self.writer.transport.abort()


class Peer:
    """Listens on a port of the loopback for the length of a block."""

    def __init__(self, port: int = 0) -> None:
        self.port = port
        self._calls: asyncio.Queue[Call] = asyncio.Queue()
        self._open: list[Call] = []
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Peer:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for call in self._open:
            call.writer.transport.abort()
        await self._server.wait_closed()

    async def _accept(self, _: Any, writer: asyncio.StreamWriter) -> None:
        call = Call(writer)
        self._open.append(call)
        self._calls.put_nowait(call)

    async def call(self) -> Call:
        """The next connection somebody makes."""
        with anyio.fail_after(_BOUND_S):
            return await self._calls.get()
