"""When an epoch may start."""

from __future__ import annotations


def next_trigger_ms(now_ms: int, interval_ms: int) -> int:
    """The first multiple of `interval_ms` strictly after `now_ms`, as Spark aligns triggers.

    >>> next_trigger_ms(2_000, 2_000), next_trigger_ms(2_001, 2_000)
    (4000, 4000)
    """
    return now_ms - now_ms % interval_ms + interval_ms


def wait_ms(now_ms: int, started_ms: int, interval_ms: int) -> int:
    """How long to wait after an epoch that started at `started_ms`. An epoch that ran over its boundary is followed at
    once; missed boundaries are not made up for.

    >>> wait_ms(2_500, 2_000, 1_000), wait_ms(3_200, 2_000, 1_000)
    (500, 0)
    """
    return max(0, next_trigger_ms(started_ms, interval_ms) - now_ms)
