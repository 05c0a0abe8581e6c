"""The engine: all queries of a process, on one event loop.

async with Engine(settings, connectors, open_ledger, SystemClock()) as engine:
    query = await engine.start(spec)
    async for progress in query.progress():
        ...
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from types import TracebackType

import anyio
import pyarrow as pa

from app.clock import Clock
from app.engine import static
from app.engine.contracts import Connectors, Ledger
from app.engine.parts import Parts
from app.engine.query import Query
from app.engine.run import identity_of
from app.engine.spec import QuerySpec
from app.engine.static_kernels import StaticKernels
from app.errors import ArgumentError, PlanError
from app.plan.arrival import depends_on_arrival
from app.plan.bound import Relation
from app.plan.check import check
from app.settings import Settings

_log = logging.getLogger(__name__)

TEMPORARY_SINKS = ("console", "memory", "foreach", "foreachbatch", "noop")
"""Sinks a query may write to without an identity."""


class Engine:
    """Owns the queries and the ledger. Enter it on the loop it is to run on; leaving stops every query."""

    def __init__(
        self,
        settings: Settings,
        connectors: Connectors,
        open_ledger: Callable[[Settings, Clock], Awaitable[Ledger]],
        clock: Clock,
    ) -> None:
        self.settings = settings
        self.connectors = connectors
        self.clock = clock
        self._open_ledger = open_ledger
        self._ledger: Ledger | None = None
        self._ledger_lock = anyio.Lock()
        self._queries: list[Query] = []
        self._restarts: dict[str, int] = {}
        """By identity: restarts of queries that ended and are forgotten, the one still to come included."""
        self._statics = StaticKernels(settings)
        self._parts = Parts(settings, connectors, self.ledger, clock)

    @property
    def queries(self) -> tuple[Query, ...]:
        """The active queries, and of those that ended the newest of each name, in order of their start."""
        return tuple(self._queries)

    def find(self, name_or_id: str) -> Query | None:
        """The newest query with this name, id or run id."""
        for query in reversed(self._queries):
            if name_or_id in (query.name, query.id, query.run_id):
                return query
        return None

    async def ledger(self) -> Ledger:
        """The engine's database, opened on first use. Raises: SettingsError, DatabaseUnavailable."""
        async with self._ledger_lock:
            if self._ledger is None:
                self._ledger = await self._open_ledger(self.settings, self.clock)
            return self._ledger

    async def start(self, spec: QuerySpec) -> Query:
        """The query, claimed, open and running. Raises: PlanError (plan, mode, options, identity), StateIncompatible,
        SinkError (the target does not fit), DatabaseUnavailable, SettingsError."""
        check(spec.relation, spec.mode)
        if spec.sink.format not in self.connectors.sinks:
            raise PlanError(f"There is no sink {spec.sink.format!r}.", code="DATA_SOURCE_NOT_FOUND")
        identity = identity_of(spec)
        if identity is None and spec.sink.format not in TEMPORARY_SINKS:
            raise PlanError(
                f"A query that writes to {spec.sink.format} needs an identity that its state belongs to: give it a "
                "queryName, or the option checkpointLocation.",
                code="CHECKPOINT_LOCATION_MISSING",
            )
        await self._make_way(spec, identity)
        query = Query(spec, self._parts)
        self._warn_of_another(query)
        await self._tasks.start(query.main)
        self._queries = [q for q in self._queries if not self._forgets(q, query)] + [query]
        query.count(restarts=self._restarts.pop(identity or "", 0))
        return query

    def _warn_of_another(self, query: Query) -> None:
        """Says so where a running query of this process writes to the same table."""
        for other in self._queries:
            if other.is_active and query.writes_table and other.sink == query.sink:
                _log.warning(
                    "the queries %s and %s both write to %s: each takes all rows there for its own. Give each a table",
                    other.name or other.id,
                    query.name or "without name",
                    query.sink,
                )

    def _forgets(self, old: Query, new: Query) -> bool:
        if old.is_active or old.name not in (None, new.name):
            return False
        identity, restarts = identity_of(old.spec), old.totals.restarts + old.faulted
        if identity is not None and restarts:
            self._restarts[identity] = restarts
        return True

    def collect(self, relation: Relation) -> pa.Table:
        """All rows of a static plan. Blocks; call it from any thread but the loop's. Raises: KeyboardInterrupt where
        the engine ends meanwhile."""
        with self._statics.one(depends_on_arrival(relation)) as kernel:
            return static.collect(relation, self.connectors, kernel, self.clock.now_us())

    async def stop(self) -> None:
        """Stops every query, side by side."""
        async with anyio.create_task_group() as stopping:
            for query in self._queries:
                stopping.start_soon(query.stop)

    async def __aenter__(self) -> Engine:
        self._tasks = anyio.create_task_group()
        await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with anyio.CancelScope(shield=True):
            await self.stop()
        self._tasks.cancel_scope.cancel()
        await self._tasks.__aexit__(None, None, None)
        with anyio.CancelScope(shield=True):
            await self._statics.close()
        if self._ledger is not None:
            with anyio.CancelScope(shield=True):
                await self._ledger.close()

    async def _make_way(self, spec: QuerySpec, identity: str | None) -> None:
        """A name is active once; the same checkpoint again takes over from its earlier run, as in Spark."""
        for query in self._queries:
            if not query.is_active:
                continue
            if spec.name is not None and query.name == spec.name:
                raise ArgumentError(
                    f"Cannot start query with name {spec.name}: a query with that name is already active.",
                    code="QUERY_NAME_IN_USE",
                )
            if identity is not None and identity_of(query.spec) == identity:
                _log.warning(
                    "query %s is started again under %s: its earlier run stops", query.name or query.id, identity
                )
                await query.stop()
