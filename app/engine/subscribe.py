"""Streams of what a query announces, for readers on the loop."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

T = TypeVar("T")
ROOM = 64
"""How many items a reader may lag behind before it slows the query."""


@asynccontextmanager
async def subscription(
    readers: set[MemoryObjectSendStream[T]], active: bool
) -> AsyncIterator[MemoryObjectReceiveStream[T]]:
    """A stream of what `send` gives to `readers` from now on; empty when the query is not `active` any more."""
    send_stream, receive_stream = anyio.create_memory_object_stream[T](ROOM)
    if active:
        readers.add(send_stream)
    else:
        send_stream.close()
    try:
        async with receive_stream:
            yield receive_stream
    finally:
        readers.discard(send_stream)
        send_stream.close()


async def send(readers: set[MemoryObjectSendStream[T]], item: T) -> None:
    """Gives `item` to every reader, waiting for room; readers that went away are forgotten."""
    for reader in list(readers):
        try:
            await reader.send(item)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            readers.discard(reader)


def close(readers: set[MemoryObjectSendStream[T]]) -> None:
    """Tells every reader that nothing more comes."""
    for reader in readers:
        reader.close()
