"""The demo's source of lines: a TCP server that gives real text to whoever connects, and takes typed words."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import anyio
from anyio.abc import ByteStream, SocketAttribute, SocketStream, TaskStatus
from anyio.streams.stapled import MultiListener

from app.clock import Clock

BLOCK_BYTES = 1 << 16
PACE_S = 0.05


class Feeder:
    """Serves the lines of `files` on `port`, once, to the engine; what is typed on `typing_port` joins them.

    `lines_per_s` None sends as fast as the peer reads. `finished` says that all lines of the files are sent.
    """

    def __init__(self, files: Sequence[Path], clock: Clock, lines_per_s: int | None) -> None:
        self._files = files
        self._clock = clock
        self._lines_per_s = lines_per_s
        self._send, self._receive = anyio.create_memory_object_stream[bytes](4)
        self._unsent = b""
        self.sent_lines = 0
        self.finished = False
        self.port = 0
        self.typing_port = 0

    async def run(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Serves until cancelled; started when both ports listen."""
        async with await _listen() as feed, await _listen() as typing:
            self.port, self.typing_port = _port(feed), _port(typing)
            with self._send, self._receive:
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(feed.serve, self._feed)
                    tasks.start_soon(typing.serve, self._type)
                    tasks.start_soon(self._read_files)
                    task_status.started()

    async def _read_files(self) -> None:
        for file in self._files:
            async for block in _blocks(file):
                await self._send_paced(block)
        # An empty block after the last one: when it is taken, all before it are with the peer.
        await self._send.send(b"")

    async def _send_paced(self, block: bytes) -> None:
        if self._lines_per_s is None:
            await self._send.send(block)
            return
        lines = block.split(b"\n")[:-1]
        step = max(1, round(self._lines_per_s * PACE_S))
        for first in range(0, len(lines), step):
            await self._send.send(b"".join(line + b"\n" for line in lines[first : first + step]))
            await self._clock.sleep(PACE_S)

    async def _feed(self, stream: ByteStream) -> None:
        async with stream:
            while True:
                block = self._unsent or await self._receive.receive()
                self._unsent = block
                await stream.send(block)
                self._unsent = b""
                self.sent_lines += block.count(b"\n")
                self.finished = self.finished or not block

    async def _type(self, stream: ByteStream) -> None:
        rest = b""
        async with stream:
            async for data in stream:
                *lines, rest = (rest + data).split(b"\n")
                if lines:
                    await self._send.send(b"".join(line + b"\n" for line in lines))
            if rest:
                await self._send.send(rest + b"\n")


async def _blocks(file: Path) -> AsyncIterator[bytes]:
    """The file as blocks of whole lines; a last line without its line feed gets one."""
    rest = b""
    async with await anyio.open_file(file, "rb") as opened:
        while data := await opened.read(BLOCK_BYTES):
            lines, feed, rest = (rest + data).rpartition(b"\n")
            if feed:
                yield lines + feed
    if rest:
        yield rest + b"\n"


async def _listen() -> MultiListener[SocketStream]:
    return await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)


def _port(listener: MultiListener[SocketStream]) -> int:
    return listener.extra(SocketAttribute.local_port)
