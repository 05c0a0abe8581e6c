"""The one place where something is tried again: exponential back-off with a bound, and a line in the log each time."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from app.clock import Clock

T = TypeVar("T")
_log = logging.getLogger(__name__)

FIRST_S = 0.05
LONGEST_S = 5.0


async def retry(what: str, attempt: Callable[[], Awaitable[T]], on: type[Exception], clock: Clock, bound_s: float) -> T:
    """The result of the first attempt that does not raise `on`. Raises: the last `on` once `bound_s` have passed."""
    deadline_s = clock.monotonic_s() + bound_s
    pause_s = FIRST_S
    while True:
        try:
            return await attempt()
        except on as error:
            pause_s = min(pause_s, deadline_s - clock.monotonic_s())
            if pause_s <= 0:
                raise
            _log.warning("%s: %s; trying again in %.2f s", what, error, pause_s)
        await clock.sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_S)
