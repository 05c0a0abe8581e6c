"""What the next epoch reads: a decision on plain values, without clock, file or network."""

from __future__ import annotations

from dataclasses import dataclass

from app.engine.contracts import EpochPlan, Offset


@dataclass(frozen=True, slots=True)
class Position:
    """Where a query stands: the number of its last committed epoch (-1: none) and the offset each source is at."""

    number: int
    offsets: tuple[Offset, ...]
    watermark_us: int = 0


def plan_epoch(done: Position, latest: tuple[Offset, ...], clock_us: int) -> EpochPlan | None:
    """The epoch after `done` when some source has something to read, else None.

    >>> plan_epoch(Position(4, (10, None)), (12, None), 0)
    EpochPlan(number=5, starts=(10, None), ends=(12, None), watermark_us=0, clock_us=0)
    >>> plan_epoch(Position(4, (10,)), (10,), 0) is None
    True
    """
    if latest == done.offsets:
        return None
    return EpochPlan(done.number + 1, done.offsets, latest, done.watermark_us, clock_us)


def after(plan: EpochPlan) -> Position:
    """Where a query stands when `plan` is committed."""
    return Position(plan.number, plan.ends, plan.watermark_us)
