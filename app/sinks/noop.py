"""Results that nobody wants: for measuring and for trying a query out."""

from __future__ import annotations

from app.engine.contracts import Output, OutputMode, ResultTable, RowWriter, Sink, SinkContext, SinkSpec
from app.sinks.options import sink_options


class NoopSink:
    """Takes everything and keeps nothing."""

    description = "NoopTable"
    transactional = False
    takes_changes = True

    async def open(self, context: SinkContext) -> None: ...

    async def write(self, epoch: int, output: Output, writer: RowWriter | None) -> None: ...

    async def close(self, error: BaseException | None) -> None: ...

    def result(self) -> ResultTable | None:
        return None


class NoopFormat:
    """`noop`."""

    names = ("noop",)

    def create(self, spec: SinkSpec, mode: OutputMode, name: str | None) -> Sink:
        sink_options(spec)
        return NoopSink()
