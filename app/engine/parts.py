"""What every run of a query is given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from app.clock import Clock
from app.engine.contracts import Connectors, Ledger
from app.settings import Settings


@dataclass(frozen=True, slots=True)
class Parts:
    """`ledger()` opens the ledger on first use. Raises there: SettingsError, DatabaseUnavailable."""

    settings: Settings
    connectors: Connectors
    ledger: Callable[[], Awaitable[Ledger]]
    clock: Clock
