"""An epoch: what it reads, and everything of it that has to become durable together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from app.state.chunk import StateChunk

Offset = Any
"""A JSON value (null, number, string, list, object); null only where a source has nothing to say."""

OutputMode = Literal["append", "update", "complete"]
Options = Mapping[str, str]
"""Reader and writer options: keys in lower case, values as strings (True is "true")."""


@dataclass(frozen=True, slots=True)
class EpochPlan:
    """What epoch `number` reads: `starts[i]` to `ends[i]` of source i. Written before or with its results."""

    number: int
    starts: tuple[Offset, ...]
    ends: tuple[Offset, ...]
    watermark_us: int
    clock_us: int


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """Input that could not become a row. `offset` is its place in the source where it has one."""

    source: int
    offset: Offset
    reason: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class EpochCommit:
    """Everything of one epoch that has to become durable together."""

    plan: EpochPlan
    input_rows: int
    output_rows: int
    state: tuple[StateChunk, ...] = ()
    dead: tuple[DeadLetter, ...] = ()
    late: tuple[tuple[int, str], ...] = ()
    """Late rows: (operator, the row as JSON)."""
