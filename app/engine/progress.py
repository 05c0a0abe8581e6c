"""What a query says about an epoch, in the field names of Spark's StreamingQueryProgress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from app.engine.contracts import Offset


@dataclass(slots=True)
class Stopwatch:
    """Milliseconds per part of one trigger, under Spark's names."""

    started_s: float
    parts_ms: dict[str, int] = field(default_factory=dict)

    def add(self, part: str, seconds: float) -> None:
        self.parts_ms[part] = self.parts_ms.get(part, 0) + round(seconds * 1000)


@dataclass(frozen=True, slots=True)
class EpochFacts:
    """Everything the progress of one trigger is made of. Rows and offsets are per source."""

    number: int
    started_us: int
    since_last_s: float
    durations_ms: Mapping[str, int]
    sources: Sequence[str]
    starts: Sequence[Offset]
    ends: Sequence[Offset]
    input_rows: Sequence[int]
    operators: Sequence[Mapping[str, Any]]
    sink: str
    output_rows: int


def progress(query_id: str, run_id: str, name: str | None, facts: EpochFacts) -> dict[str, Any]:
    """The progress of one trigger, ready for JSON."""
    took_ms = facts.durations_ms.get("triggerExecution", 0)
    total = sum(facts.input_rows)
    return {
        "id": query_id,
        "runId": run_id,
        "name": name,
        "timestamp": iso_ms(facts.started_us),
        "batchId": facts.number,
        "batchDuration": took_ms,
        "numInputRows": total,
        "inputRowsPerSecond": _rate(total, facts.since_last_s),
        "processedRowsPerSecond": _rate(total, took_ms / 1000),
        "durationMs": dict(facts.durations_ms),
        "eventTime": {},
        "stateOperators": [dict(operator) for operator in facts.operators],
        "sources": [_source(facts, number, took_ms) for number in range(len(facts.sources))],
        "sink": {"description": facts.sink, "numOutputRows": facts.output_rows, "metrics": {}},
        "observedMetrics": {},
    }


def operator_progress(name: str, total: int, updated: int) -> dict[str, Any]:
    """One entry of `stateOperators`."""
    return {
        "operatorName": name,
        "numRowsTotal": total,
        "numRowsUpdated": updated,
        "allUpdatesTimeMs": 0,
        "numRowsRemoved": 0,
        "allRemovalsTimeMs": 0,
        "commitTimeMs": 0,
        "memoryUsedBytes": 0,
        "numRowsDroppedByWatermark": 0,
        "numShufflePartitions": 1,
        "numStateStoreInstances": 1,
        "customMetrics": {},
    }


def iso_ms(instant_us: int) -> str:
    """An instant as Spark prints it: `2026-11-29T12:00:00.000Z`.

    >>> iso_ms(1_500)
    '1970-01-01T00:00:00.001Z'
    """
    at = datetime.fromtimestamp(instant_us // 1_000_000, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{instant_us // 1000 % 1000:03d}Z"


def _source(facts: EpochFacts, number: int, took_ms: int) -> dict[str, Any]:
    rows = facts.input_rows[number]
    return {
        "description": facts.sources[number],
        "startOffset": facts.starts[number],
        "endOffset": facts.ends[number],
        "latestOffset": facts.ends[number],
        "numInputRows": rows,
        "inputRowsPerSecond": _rate(rows, facts.since_last_s),
        "processedRowsPerSecond": _rate(rows, took_ms / 1000),
        "metrics": {},
    }


def _rate(rows: int, seconds: float) -> float:
    return rows / seconds if seconds > 0 else 0.0
