"""The only reader of time and the only sleeper; tests put a manual clock in its place."""

from __future__ import annotations

import time
from typing import Protocol

import anyio


class Clock(Protocol):
    """Instants are microseconds since 1970-01-01 UTC; `monotonic_s` only ever measures durations."""

    def now_us(self) -> int: ...

    def monotonic_s(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The machine's clock."""

    def now_us(self) -> int:
        return time.time_ns() // 1000

    def monotonic_s(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds)
