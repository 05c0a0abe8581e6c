"""The Prometheus metrics of the running queries, read from them when they are scraped."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from app import __version__
from app.web.lookup import Pipelines

if TYPE_CHECKING:
    from app.engine.query import Query

_COUNTERS: tuple[tuple[str, str, Callable[[Query], float]], ...] = (
    ("epochs", "Epochs committed.", lambda q: q.totals.epochs),
    ("input_rows", "Rows read from the sources.", lambda q: q.totals.input_rows),
    ("output_rows", "Rows handed to the sink.", lambda q: q.totals.output_rows),
    ("dead_letters", "Input that could not become a row.", lambda q: q.totals.dead_letters),
    ("restarts", "Times the query was started again after a fault.", lambda q: q.totals.restarts),
)
_GAUGES: tuple[tuple[str, str, Callable[[Query], float]], ...] = (
    ("active", "1 while the query runs.", lambda q: float(q.is_active)),
    ("failed", "1 when the query ended by an error.", lambda q: float(q.exception is not None)),
    ("state_rows", "Rows in the state tables.", lambda q: q.totals.state_rows),
    ("state_bytes", "Bytes of the state tables.", lambda q: q.totals.state_bytes),
)
_PROGRESS: tuple[tuple[str, str, Callable[[Mapping[str, Any]], float]], ...] = (
    ("last_epoch", "Number of the last epoch.", lambda p: float(p["batchId"])),
    ("last_epoch_duration_seconds", "How long the last epoch took.", lambda p: float(p["batchDuration"]) / 1000),
    ("last_epoch_timestamp_seconds", "When the last epoch began.", lambda p: _seconds(p["timestamp"])),
    ("input_rows_per_second", "Rate of arrival in the last epoch.", lambda p: float(p["inputRowsPerSecond"])),
    ("processed_rows_per_second", "Rate of work in the last epoch.", lambda p: float(p["processedRowsPerSecond"])),
)


class QueryCollector(Collector):
    """Metrics of the queries and the pipelines that `queries` and `pipelines` give at the time of the scrape. The
    label `query` is the name, for a query without one its id."""

    def __init__(self, queries: Callable[[], Iterable[Query]], pipelines: Pipelines = dict) -> None:
        self._queries = queries
        self._pipelines = pipelines

    def collect(self) -> Iterator[Metric]:
        labelled = _by_label(self._queries())
        yield InfoMetricFamily(
            "watertable_build", "This program.", {"version": __version__, "python": platform.python_version()}
        )
        yield _count_states(labelled.values())
        yield _failed_pipelines(self._pipelines())
        yield _describe(labelled)
        for name, text, read in _COUNTERS:
            counter = CounterMetricFamily(f"watertable_query_{name}", text, labels=["query"])
            for label, query in labelled.items():
                counter.add_metric([label], read(query))
            yield counter
        for name, text, read in _GAUGES:
            yield _gauge(name, text, {label: read(query) for label, query in labelled.items()})
        progress = {label: query.last_progress for label, query in labelled.items()}
        for name, text, read_progress in _PROGRESS:
            yield _gauge(name, text, {label: read_progress(p) for label, p in progress.items() if p is not None})


def _by_label(queries: Iterable[Query]) -> dict[str, Query]:
    """One query a label, since a series may come once in a scrape: the one that runs, else the last."""
    labelled: dict[str, Query] = {}
    for query in queries:
        label = query.name or str(query.id)
        if label not in labelled or not labelled[label].is_active:
            labelled[label] = query
    return labelled


def _count_states(queries: Iterable[Query]) -> Metric:
    family = GaugeMetricFamily("watertable_queries", "Queries this process knows, by state.", labels=["state"])
    counts = Counter("active" if q.is_active else "failed" if q.exception else "stopped" for q in queries)
    for state in ("active", "failed", "stopped"):
        family.add_metric([state], counts[state])
    return family


def _failed_pipelines(problems: Mapping[str, str | None]) -> Metric:
    family = GaugeMetricFamily(
        "watertable_pipeline_failed", "1 while a served pipeline does not run.", labels=["pipeline"]
    )
    for file, problem in problems.items():
        family.add_metric([file], float(problem is not None))
    return family


def _describe(labelled: Mapping[str, Query]) -> Metric:
    family = InfoMetricFamily("watertable_query", "What the query is.", labels=["query"])
    for label, query in labelled.items():
        family.add_metric([label], {"id": str(query.id), "run_id": str(query.run_id), "mode": query.mode})
    return family


def _gauge(name: str, text: str, values: Mapping[str, float]) -> Metric:
    family = GaugeMetricFamily(f"watertable_query_{name}", text, labels=["query"])
    for label, value in values.items():
        family.add_metric([label], value)
    return family


def _seconds(timestamp: str) -> float:
    return datetime.fromisoformat(timestamp).timestamp()
