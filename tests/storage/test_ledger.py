"""Every law of the ledger, on the in-memory twin and on PostgreSQL."""

from __future__ import annotations

from dataclasses import dataclass

import asyncpg
import pytest

from app.engine.contracts import Ledger
from app.testing.contracts.ledger import LAWS
from app.testing.memory_ledger import MemoryLedger

pytestmark = pytest.mark.anyio


@dataclass
class World:
    ledger: Ledger
    url: str | None

    async def lose_epoch(self, query_id: str) -> None:
        if isinstance(self.ledger, MemoryLedger):
            self.ledger.stored[query_id].epochs.pop()
            return
        connection = await asyncpg.connect(self.url)
        await connection.execute("UPDATE watertable.query SET epoch = epoch - 1 WHERE id = $1", query_id)
        await connection.execute(
            "DELETE FROM watertable.epoch USING watertable.query WHERE id = query_id AND number > query.epoch"
        )
        await connection.close()


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
async def test_law(law, ledger: Ledger, request: pytest.FixtureRequest) -> None:
    memory = isinstance(ledger, MemoryLedger)
    await law(World(ledger, None if memory else request.getfixturevalue("postgres_url")))
