"""What the engine asks of sinks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import pyarrow as pa

from app.engine.contracts.epochs import Options, OutputMode
from app.engine.contracts.ledger import Ledger, ResultTable, RowWriter
from app.plan.types import StructType


@dataclass(frozen=True, slots=True)
class SinkSpec:
    """What `writeStream` says about where rows go. `handler` is the function or object of `foreachBatch` and
    `foreach`, already wrapped: it takes Arrow tables."""

    format: str
    options: Options = field(default_factory=dict)
    partition_by: tuple[str, ...] = ()
    handler: Any = None


@dataclass(frozen=True, slots=True)
class SinkContext:
    """What a sink gets when its query starts. `keys` are the result columns that identify a row (the group keys),
    empty where rows have no key; `grouped` is True where rows are the values of groups, with keys in the result or not.
    `fresh` is True when no epoch was ever committed. `time_zone` is the session's, for
    sinks that print."""

    query_id: str
    name: str | None
    mode: OutputMode
    schema: StructType
    keys: tuple[str, ...]
    fresh: bool
    ledger: Ledger
    time_zone: str = "UTC"
    grouped: bool = False


@dataclass(frozen=True, slots=True)
class Output:
    """The result of one epoch. `kind`: "append" new rows; "upsert" new values for keys (and `deleted` keys); "replace"
    the whole table."""

    kind: Literal["append", "upsert", "replace"]
    rows: pa.Table
    deleted: pa.Table | None = None


class Sink(Protocol):
    """Where one running query puts its results.

    With `transactional`, `write` gets the commit's open transaction and must do all its work there; it may be
    called again for the same epoch with a new transaction. Without, `write` gets None, is called with epoch n as
    often as it takes (same rows, same n), and returns when the rows are safe.
    """

    @property
    def description(self) -> str: ...

    @property
    def transactional(self) -> bool: ...

    @property
    def takes_changes(self) -> bool:
        """In complete mode: True takes "upsert" outputs of what changed (the first epoch is a "replace" all the
        same), False wants the whole table each time."""

    async def open(self, context: SinkContext) -> bool | None:
        """True when its table is new though the query is not: the next output must then be the whole result.
        Raises: SinkBroken, SinkUnavailable."""

    async def write(self, epoch: int, output: Output, writer: RowWriter | None) -> None: ...

    async def close(self, error: BaseException | None) -> None: ...

    def result(self) -> ResultTable | None:
        """The table to ask for results, where the sink has one."""


class SinkFormat(Protocol):
    """One connector for writing, by the name given to `format(...)`."""

    @property
    def names(self) -> tuple[str, ...]: ...

    def create(self, spec: SinkSpec, mode: OutputMode, name: str | None) -> Sink:
        """Raises: PlanError for an unknown option, a wrong value, a mode or a partitioning that does not fit, and
        for a query without a name where the sink needs one."""
