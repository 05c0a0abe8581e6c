"""What the engine asks of an operator with state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from app.kernel.kernel import Kernel


@dataclass(frozen=True, slots=True)
class Effect:
    """What one epoch did: `result` rows to hand on (columns c0, c1, …), the `changed` rows of the state table, and how
    many of those were `added`."""

    result: pa.Table
    changed: pa.Table
    added: int


class Operator(Protocol):
    """One state table in the kernel and the statements that keep it. Blocks; never awaits.

    The tables it reads (sources, results of earlier steps) must be there, empty or not, before `create`.
    """

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        """What its stored state looks like; a query is continued only by an operator that says the same."""

    @property
    def sql(self) -> str:
        """The statement an epoch runs, for people."""

    @property
    def key_columns(self) -> tuple[str, ...]:
        """The columns of the state table that identify a row."""

    @property
    def all_rows(self) -> str:
        """SQL of the whole result (columns c0, c1, …), where the operator keeps one; else empty."""

    def create(self, kernel: Kernel) -> None: ...

    def update(self, kernel: Kernel) -> Effect:
        """Takes the epoch's rows in. Raises: RowError."""

    def restore(self, kernel: Kernel, rows: pa.Table) -> None:
        """Puts stored rows of the state table back into the empty table."""
