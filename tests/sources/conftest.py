"""Ingest logs of both kinds, watched, and a clock that does not make tests wait."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import anyio.lowlevel
import pytest

from app.clock import SystemClock
from app.engine.contracts import DeadLetter, Identity, IngestChunk, IngestLog, Ledger


class HurriedClock(SystemClock):
    """Real instants, but nobody sleeps."""

    async def sleep(self, seconds: float) -> None:
        await anyio.lowlevel.checkpoint()


class WatchedLog:
    """An ingest log that remembers what it was asked."""

    def __init__(self, log: IngestLog) -> None:
        self._log = log
        self.chunks: list[IngestChunk] = []
        self.dead: list[DeadLetter] = []
        self.trims: list[int] = []
        self.appends = 0

    async def end(self) -> int:
        return await self._log.end()

    async def append(self, chunk: IngestChunk, dead: Sequence[DeadLetter] = ()) -> None:
        self.appends += 1
        assert self.appends == 1, "one append at a time"
        await self._log.append(chunk, dead)
        self.appends -= 1
        self.chunks.append(chunk)
        self.dead.extend(dead)

    def read(self, start: int, end: int) -> AsyncIterator[IngestChunk]:
        return self._log.read(start, end)

    async def trim(self, before: int) -> None:
        self.trims.append(before)
        await self._log.trim(before)


@pytest.fixture
async def log(ledger: Ledger) -> AsyncIterator[WatchedLog]:
    """The log of a new query, in memory and in PostgreSQL."""
    held = await ledger.claim(Identity("query", "query", {}, ""))
    yield WatchedLog(held.ingest(0))
    await held.close()
