"""Each epoch handed to the user as a whole."""

from __future__ import annotations

from app.engine.contracts import OutputMode, Sink, SinkSpec
from app.sinks.handler import handler_sink


class ForeachBatchFormat:
    """What `writeStream.foreachBatch(function)` writes to."""

    names = ("foreachbatch",)

    def create(self, spec: SinkSpec, mode: OutputMode, name: str | None) -> Sink:
        return handler_sink(spec, "foreachBatch", "ForeachBatchSink", "foreach batch")
