"""Rows handed to the user one by one."""

from __future__ import annotations

from app.engine.contracts import OutputMode, Sink, SinkSpec
from app.sinks.handler import handler_sink


class ForeachFormat:
    """What `writeStream.foreach(function or object)` writes to; open, process and close are the wrapper's work."""

    names = ("foreach",)

    def create(self, spec: SinkSpec, mode: OutputMode, name: str | None) -> Sink:
        return handler_sink(spec, "foreach", "ForeachWriterTable", "foreach")
