"""The obligations of a streaming source, on the source itself."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

import anyio
import pyarrow as pa

from app.clock import Clock
from app.engine.contracts import IngestLog, Offset, Source, SourceContext

_BOUND_S = 20.0


class SourceWorld(Protocol):
    """What is around a source under test. The ingest log and whatever the source reads outlive the source."""

    ingest: IngestLog
    clock: Clock

    def new_source(self) -> Source:
        """A source that knows nothing, as a new process has it."""

    async def grow(self) -> None:
        """Sees to it that there will be more rows to read."""


class Opened:
    """An open source and the news it gives."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._news = anyio.Event()

    def wake(self) -> None:
        self._news.set()

    async def more(self, start: Offset) -> Offset:
        """Waits, with a bound, until something lies behind `start`, and returns where that ends."""
        with anyio.fail_after(_BOUND_S):
            while (end := await self.source.latest(start)) == start:
                await self._news.wait()
                self._news = anyio.Event()
        return end


@asynccontextmanager
async def opened(world: SourceWorld, start: Offset = None) -> AsyncIterator[Opened]:
    """A source of this world that is open for the length of a block."""
    it = Opened(world.new_source())
    async with anyio.create_task_group() as tasks:
        context = SourceContext("query", 0, start, world.ingest, world.clock, it.wake, tasks)
        await it.source.open(context)
        yield it
        await it.source.close()


async def check_source(world: SourceWorld) -> None:
    """Runs a source through its contract; an AssertionError names the obligation that is broken."""
    async with opened(world) as it:
        source = it.source
        assert source.description, "a source describes itself"
        begin = _json(await source.initial())
        await world.grow()
        middle = _json(await it.more(begin))
        first = await source.read(begin, middle)
        _same(first, await source.read(begin, middle), "the same range gives the same rows")
        again = await source.read(begin, await source.latest(begin))
        _same(first, again.slice(0, first.num_rows), "latest never moves back")
        await world.grow()
        end = _json(await it.more(middle))
        second = await source.read(middle, end)
        both = pa.concat_tables([first, second])
        _same(both, await source.read(begin, end), "a row is in exactly one range")
        _same(first.slice(0, 0), await source.read(end, end), "an empty range has no rows")
    async with opened(world, middle) as it:
        _same(second, await it.source.read(middle, end), "another process reads the same rows")
        await it.source.forget(middle)
        _same(second, await it.source.read(middle, end), "what lies behind the forgotten rows stays")
        await it.source.freeze(whole=False)
        last = await it.source.latest(end)
        await world.grow()
        assert await it.source.latest(last) == last, "a frozen source shows nothing new"
        await it.source.close()


def _json(offset: Offset) -> Offset:
    """The offset as the ledger gives it back."""
    return json.loads(json.dumps(offset))


def _same(expected: pa.Table, found: pa.Table, law: str) -> None:
    assert found.schema == expected.schema, f"{law}: {found.schema} is not {expected.schema}"
    assert found.to_pylist() == expected.to_pylist(), law
