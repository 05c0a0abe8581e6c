"""A TCP proxy before PostgreSQL that cuts the connection at a chosen message, once: the ambiguous moment, for real."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Literal
from urllib.parse import parse_qs, urlsplit

import anyio
from anyio.abc import SocketAttribute, SocketStream

Side = Literal["before", "after"]


class Cutter:
    """`arm` it with a piece of what the client will send. "before": the server never gets that; "after": the server
    does it, and its answer is lost."""

    def __init__(self, server_port: int) -> None:
        self._server_port = server_port
        self._word: bytes | None = None
        self._side: Side = "before"
        self.cuts = 0
        self.port = 0

    def arm(self, word: bytes, side: Side) -> None:
        self._word, self._side = word, side

    async def handle(self, client: SocketStream) -> None:
        server = await anyio.connect_tcp("127.0.0.1", self._server_port)
        async with client, server, anyio.create_task_group() as tasks:
            tasks.start_soon(self._answers, server, client, tasks.cancel_scope)
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                async for data in client:
                    if self._word is not None and self._word in data:
                        self._word = None
                        self.cuts += 1
                        await self._cut(data, server, tasks.cancel_scope)
                        return
                    await server.send(data)
            tasks.cancel_scope.cancel()

    async def _cut(self, data: bytes, server: SocketStream, scope: anyio.CancelScope) -> None:
        scope.cancel()
        if self._side == "after":
            with anyio.CancelScope(shield=True), anyio.fail_after(20):
                await server.send(data)
                # The answer comes when the work is done; nobody hears it.
                await server.receive()

    async def _answers(self, server: SocketStream, client: SocketStream, scope: anyio.CancelScope) -> None:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async for data in server:
                await client.send(data)
        scope.cancel()


@asynccontextmanager
async def cutting(url: str) -> AsyncIterator[tuple[Cutter, str]]:
    """A cutter before the server of `url`, and the URL that leads through it."""
    parts = urlsplit(url)
    port = parts.port or int(parse_qs(parts.query)["port"][0])
    cutter = Cutter(port)
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    cutter.port = listener.extra(SocketAttribute.local_port)
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, cutter.handle)
        yield cutter, f"postgresql://{parts.username}:{parts.password}@127.0.0.1:{cutter.port}{parts.path}"
        tasks.cancel_scope.cancel()
