"""A clock that moves when the test says so."""

from __future__ import annotations

import anyio


class ManualClock:
    """Starts at `now_us` microseconds since the epoch. Whoever sleeps wakes when `advance` passes its time."""

    def __init__(self, now_us: int = 0) -> None:
        self._now_us = now_us
        self._sleepers: list[tuple[int, anyio.Event]] = []
        self._asleep = anyio.Event()

    def now_us(self) -> int:
        return self._now_us

    def monotonic_s(self) -> float:
        return self._now_us / 1_000_000

    async def sleep(self, seconds: float) -> None:
        sleeper = (self._now_us + round(seconds * 1_000_000), anyio.Event())
        self._sleepers.append(sleeper)
        self._asleep.set()
        self._wake()
        try:
            await sleeper[1].wait()
        finally:
            if sleeper in self._sleepers:
                self._sleepers.remove(sleeper)

    @property
    def sleepers(self) -> int:
        """How many sleep now."""
        return len(self._sleepers)

    async def until_asleep(self) -> None:
        """Returns when somebody sleeps: nothing more happens then before the clock moves."""
        while not self._sleepers:
            self._asleep = anyio.Event()
            await self._asleep.wait()

    def advance(self, seconds: float) -> None:
        """Moves the clock forward and wakes whoever slept until then. Call it on the loop."""
        self._now_us += round(seconds * 1_000_000)
        self._wake()

    def _wake(self) -> None:
        due = [event for until_us, event in self._sleepers if until_us <= self._now_us]
        self._sleepers = [(until_us, event) for until_us, event in self._sleepers if until_us > self._now_us]
        for event in due:
            event.set()
