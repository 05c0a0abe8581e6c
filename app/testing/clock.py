"""A clock that moves when the test says so."""

from __future__ import annotations

import anyio


class ManualClock:
    """Starts at `now_us` microseconds since the epoch. Whoever sleeps wakes when `advance` passes its time."""

    def __init__(self, now_us: int = 0) -> None:
        self._now_us = now_us
        self._sleepers: list[tuple[int, anyio.Event]] = []

    def now_us(self) -> int:
        return self._now_us

    def monotonic_s(self) -> float:
        return self._now_us / 1_000_000

    async def sleep(self, seconds: float) -> None:
        woken = anyio.Event()
        self._sleepers.append((self._now_us + round(seconds * 1_000_000), woken))
        self._wake()
        await woken.wait()

    def advance(self, seconds: float) -> None:
        """Moves the clock forward and wakes whoever slept until then. Call it on the loop."""
        self._now_us += round(seconds * 1_000_000)
        self._wake()

    @property
    def sleepers(self) -> int:
        """How many sleep now: a test waits for this before it advances."""
        return len(self._sleepers)

    def _wake(self) -> None:
        due = [event for until_us, event in self._sleepers if until_us <= self._now_us]
        self._sleepers = [(until_us, event) for until_us, event in self._sleepers if until_us > self._now_us]
        for event in due:
            event.set()
