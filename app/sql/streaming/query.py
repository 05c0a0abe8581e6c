"""`StreamingQuery`: a running query, for code that blocks. All it does crosses to the engine's event loop."""

from __future__ import annotations

import json
from typing import Any

from app.engine.host import Host
from app.engine.query import Query
from app.errors import ArgumentError, QueryFailed
from app.sql.absent import Surface


class StreamingQueryProgress(dict[str, Any]):
    """The record of one epoch, with Spark's field names, as items and as attributes.

    >>> progress = StreamingQueryProgress({"batchId": 3, "sources": [{"description": "rate"}]})
    >>> progress.batchId, progress["batchId"], progress.sources[0].description
    (3, 3, 'rate')
    """

    def __getattr__(self, name: str) -> Any:
        if name not in self:
            raise AttributeError(f"The progress of a query has no field {name!r}; it has {', '.join(self)}.")
        return _record(self[name])

    @property
    def json(self) -> str:
        return json.dumps(self, separators=(",", ":"), default=str)

    @property
    def prettyJson(self) -> str:
        return json.dumps(self, indent=2, default=str)


def _record(value: Any) -> Any:
    if isinstance(value, list):
        return [_record(item) for item in value]
    return StreamingQueryProgress(value) if isinstance(value, dict) else value


class StreamingQuery(Surface):
    """A query that was started."""

    def __init__(self, query: Query, host: Host) -> None:
        self._query = query
        self._host = host

    @property
    def id(self) -> str:
        """Stays with the query's identity across restarts."""
        return self._query.id

    @property
    def runId(self) -> str:
        """New for each start."""
        return self._query.run_id

    @property
    def name(self) -> str | None:
        return self._query.name

    @property
    def isActive(self) -> bool:
        return self._query.is_active

    @property
    def status(self) -> dict[str, Any]:
        """`message`, `isDataAvailable`, `isTriggerActive`."""
        return dict(self._query.status)

    @property
    def recentProgress(self) -> list[StreamingQueryProgress]:
        """The newest records, oldest first."""
        return [StreamingQueryProgress(record) for record in self._query.recent_progress]

    @property
    def lastProgress(self) -> StreamingQueryProgress | None:
        last = self._query.last_progress
        return None if last is None else StreamingQueryProgress(last)

    def exception(self) -> QueryFailed | None:
        """What ended the query, or None."""
        return self._query.exception

    def explain(self, extended: bool = False) -> None:
        """Prints the steps of the query; with `extended`, the SQL of each."""
        print(self._query.explain(extended))

    def stop(self) -> None:
        """Ends the query after its running epoch; does nothing where it has ended."""
        self._host.call(self._query.stop)

    def awaitTermination(self, timeout: float | None = None) -> bool | None:
        """Waits until the query has ended; with `timeout` in seconds, at most so long, and says whether it has.
        Raises: QueryFailed (each time), ArgumentError unless `timeout` is positive."""
        if timeout is None:
            self._host.call(self._query.wait)
            return None
        return self._host.call(self._query.wait, positive_seconds(timeout))

    def processAllAvailable(self) -> None:
        """Waits until all that the sources hold now is committed. Raises: QueryFailed."""
        self._host.call(self._query.process_all_available)

    def __repr__(self) -> str:
        return f"StreamingQuery[id={self.id}, name={self.name}, active={self.isActive}]"


def positive_seconds(timeout: Any, zero: bool = False) -> float:
    """The number of seconds; `zero` lets 0 pass. Raises: ArgumentError VALUE_NOT_POSITIVE."""
    fits = isinstance(timeout, (int, float)) and not isinstance(timeout, bool)
    if not fits or timeout < 0 or (timeout == 0 and not zero):
        raise ArgumentError(f"Value for `timeout` must be positive, got {timeout!r}.", code="VALUE_NOT_POSITIVE")
    return float(timeout)
