"""`spark.streams`: the queries of this pipeline."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import anyio

from app.engine.host import CALLER, current_host, started_host
from app.engine.query import Query
from app.errors import QueryFailed
from app.sql.absent import Surface
from app.sql.streaming.query import StreamingQuery, positive_seconds

if TYPE_CHECKING:
    from app.engine.engine import Engine


class StreamingQueryManager(Surface):
    """Finds queries and waits for them."""

    def __init__(self) -> None:
        self._forgotten: set[str] = set()

    @property
    def active(self) -> list[StreamingQuery]:
        """The queries that run."""
        host = started_host()
        return [] if host is None else [StreamingQuery(q, host) for q in _queries(host.engine) if q.is_active]

    def get(self, id: str) -> StreamingQuery | None:
        """The active query with this id, or None."""
        return next((query for query in self.active if query.id == id), None)

    def awaitAnyTermination(self, timeout: float | None = None) -> bool | None:
        """Waits until one query has ended since the last `resetTerminated`; with `timeout` in seconds, at most so long,
        and says whether one has. Without any query it waits for one. Raises: QueryFailed, ArgumentError."""
        limit = None if timeout is None else positive_seconds(timeout, zero=True)
        host = current_host()
        ended = host.call(_wait_for_any, host.engine, frozenset(self._forgotten), limit)
        return None if timeout is None else ended

    def resetTerminated(self) -> None:
        """Forgets the queries that have ended, for `awaitAnyTermination`."""
        host = started_host()
        if host is not None:
            self._forgotten = {query.run_id for query in _queries(host.engine) if not query.is_active}


_LOOK_AGAIN_S = 0.1
"""How soon a query is noticed that was started while another thread waits here."""


async def _wait_for_any(engine: Engine, forgotten: frozenset[str], timeout_s: float | None) -> bool:
    with anyio.move_on_after(timeout_s):
        while True:
            queries = [query for query in _queries(engine) if query.run_id not in forgotten]
            ended = [query for query in queries if not query.is_active]
            failed = [query.exception for query in ended if query.exception is not None]
            if failed:
                raise failed[-1]
            if ended:
                return True
            with anyio.move_on_after(_LOOK_AGAIN_S) as waiting:
                async with anyio.create_task_group() as tasks:
                    for query in queries:
                        tasks.start_soon(_wake, query, waiting)
                    await anyio.sleep_forever()
    return False


def _queries(engine: Engine) -> list[Query]:
    pipeline = CALLER.get().pipeline
    return [query for query in engine.queries if query.spec.pipeline == pipeline]


async def _wake(query: Query, waiting: anyio.CancelScope) -> None:
    with contextlib.suppress(QueryFailed):
        await query.wait()
    waiting.cancel()
