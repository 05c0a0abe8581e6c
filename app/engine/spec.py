"""What `writeStream…start()` asks the engine to run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from app.engine.contracts import OutputMode, SinkSpec
from app.plan.bound import Relation


@dataclass(frozen=True, slots=True)
class Trigger:
    """When an epoch may start. `processing_time` with interval 0: as soon as the last one ended and there is
    something to read."""

    kind: Literal["processing_time", "once", "available_now"] = "processing_time"
    interval_ms: int = 0


@dataclass(frozen=True, slots=True)
class QuerySpec:
    """One streaming query. `checkpoint` is its identity, else `name`, else it is temporary. `pipeline` is who started
    it, where one process runs several pipelines."""

    relation: Relation
    sink: SinkSpec
    mode: OutputMode = "append"
    trigger: Trigger = Trigger()
    name: str | None = None
    checkpoint: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)
    pipeline: str = ""
