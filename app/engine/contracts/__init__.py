"""What the engine asks of sources, sinks and the ledger. The connectors implement these; nothing here does.

An epoch is one micro-batch: number n, a half-open offset range for each source, the watermark it works with and
the clock reading it uses. Offsets are JSON values that only their source understands. Rows are Arrow tables whose
columns follow a `StructType` in order, names and carried types (`plan/carriers.py`).

All coroutines here run on the engine's event loop. They may be cancelled at any await; after a cancellation the
object is only good for `close()`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.engine.contracts.epochs import DeadLetter, EpochCommit, EpochPlan, Offset, Options, OutputMode
from app.engine.contracts.ledger import (
    Database,
    Identity,
    IngestChunk,
    IngestLog,
    Ledger,
    QueryLedger,
    ResultTable,
    RowWriter,
    StoredQuery,
    WriteRows,
)
from app.engine.contracts.sinks import Output, Sink, SinkContext, SinkFormat, SinkSpec
from app.engine.contracts.sources import Source, SourceContext, SourceFormat
from app.state.chunk import StateChunk


@dataclass(frozen=True, slots=True)
class Connectors:
    """All formats this process knows, by name."""

    sources: Mapping[str, SourceFormat]
    sinks: Mapping[str, SinkFormat]


__all__ = [
    "Connectors",
    "Database",
    "DeadLetter",
    "EpochCommit",
    "EpochPlan",
    "Identity",
    "IngestChunk",
    "IngestLog",
    "Ledger",
    "Offset",
    "Options",
    "Output",
    "OutputMode",
    "QueryLedger",
    "ResultTable",
    "RowWriter",
    "Sink",
    "SinkContext",
    "SinkFormat",
    "SinkSpec",
    "Source",
    "SourceContext",
    "SourceFormat",
    "StateChunk",
    "StoredQuery",
    "WriteRows",
]
