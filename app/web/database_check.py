"""Whether the database answers and takes writes, asked once at a time and waited for with a bound."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from app.errors import EngineError

if TYPE_CHECKING:
    from app.engine.engine import Engine

_WAIT_S = 2.0
_PING_S = 10.0


class DatabaseCheck:
    """One question to the database at a time: whoever asks meanwhile waits for the same answer.

    Opening the ledger may start the embedded server, which must not be cut short because a client went away or
    its time was up; so the question runs in a task of its own, and only the waiting has a short bound.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._asking: asyncio.Task[None] | None = None

    async def ask(self) -> str | None:
        """None when the database is fine, else a sentence."""
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ping())
        try:
            async with asyncio.timeout(_WAIT_S):
                await asyncio.shield(self._asking)
        except TimeoutError:
            return f"The database did not answer within {_WAIT_S:g} s."
        except EngineError as error:
            return error.sentence
        return None

    async def close(self) -> None:
        """Ends a question that is still open."""
        if self._asking is not None:
            self._asking.cancel()
            with contextlib.suppress(asyncio.CancelledError, EngineError, TimeoutError):
                await self._asking

    async def _ping(self) -> None:
        ledger = await self._engine.ledger()
        async with asyncio.timeout(_PING_S):
            await ledger.ping()
