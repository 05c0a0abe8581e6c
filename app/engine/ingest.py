"""The ingest log as a query's sources see it: what is dead-lettered there is counted for the query."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from app.engine.contracts import DeadLetter, IngestChunk, IngestLog

_log = logging.getLogger(__name__)


class _Counts(Protocol):
    def count(self, **changes: int) -> None: ...


class CountedIngest:
    """An `IngestLog` that adds dead letters to a query's totals."""

    def __init__(self, log: IngestLog, query: _Counts) -> None:
        self._log = log
        self._query = query

    async def end(self) -> int:
        return await self._log.end()

    async def append(self, chunk: IngestChunk, dead: Sequence[DeadLetter] = ()) -> None:
        await self._log.append(chunk, dead)
        if dead:
            self._query.count(dead_letters=len(dead))
            _log.warning("%d dead letter(s); the first: %s", len(dead), dead[0].reason)

    def read(self, start: int, end: int) -> AsyncIterator[IngestChunk]:
        return self._log.read(start, end)

    async def trim(self, before: int) -> None:
        await self._log.trim(before)
