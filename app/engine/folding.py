"""Folding of state changes in the background, at most one at a time for a query."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import partial

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from app.engine.contracts import QueryLedger
from app.engine.pipeline import Pipeline
from app.errors import DatabaseUnavailable
from app.kernel.kernel import Kernel
from app.settings import Settings
from app.state.chunk import StateChunk
from app.state.fold import due

_log = logging.getLogger(__name__)


class Folding:
    """Keeps account of what is stored for each operator, and folds when that is due."""

    def __init__(
        self,
        held: QueryLedger,
        pipeline: Pipeline,
        settings: Settings,
        tasks: TaskGroup,
        stored: Iterable[StateChunk],
    ) -> None:
        self._held, self._pipeline, self._settings, self._tasks = held, pipeline, settings, tasks
        self._base: dict[int, int] = {}
        self._changes: dict[int, list[int]] = {}
        self._busy = False
        self._account(stored)

    @property
    def stored_bytes(self) -> int:
        return sum(self._base.values()) + sum(sum(sizes) for sizes in self._changes.values())

    def add(self, chunks: Iterable[StateChunk]) -> None:
        """An epoch committed these; starts a fold when one is due."""
        self._account(chunks)
        if self._busy:
            return
        for operator, sizes in self._changes.items():
            if due(self._base.get(operator, 0), sum(sizes), len(sizes)):
                self._busy = True
                self._tasks.start_soon(self._fold, operator)
                return

    def _account(self, chunks: Iterable[StateChunk]) -> None:
        for chunk in chunks:
            if chunk.kind == "base":
                self._base[chunk.operator] = self._base.get(chunk.operator, 0) + len(chunk.payload)
            else:
                self._changes.setdefault(chunk.operator, []).append(len(chunk.payload))

    async def _fold(self, operator: int) -> None:
        try:
            stored = [chunk async for chunk in self._held.state() if chunk.operator == operator]
            base = await anyio.to_thread.run_sync(partial(self._folded, stored))
            await self._held.fold(base)
        except DatabaseUnavailable as error:
            _log.warning("folding of operator %d waits for the database: %s", operator, error)
            return
        finally:
            self._busy = False
        folded = sum(chunk.kind == "change" for chunk in stored)
        self._base[operator] = sum(len(chunk.payload) for chunk in base)
        self._changes[operator] = self._changes[operator][folded:]

    def _folded(self, stored: list[StateChunk]) -> list[StateChunk]:
        with Kernel(self._settings.kernel_memory_bytes, 1) as scratch:
            return self._pipeline.fold(stored, scratch)
