"""Results printed to the standard output, in Spark's layout."""

from __future__ import annotations

import sys

from anyio import to_thread

from app.engine.contracts import Output, OutputMode, ResultTable, RowWriter, Sink, SinkContext, SinkSpec
from app.errors import SinkClosed
from app.kernel.showtable import show_table
from app.sinks.options import sink_options

_RULE = "-" * 43
_MAX_ROWS = 1_000_000


class ConsoleSink:
    """Prints each epoch; an epoch that is repeated after a crash is printed again."""

    def __init__(self, num_rows: int, truncate: int) -> None:
        self._num_rows = num_rows
        self._truncate = truncate
        self._context: SinkContext | None = None

    @property
    def description(self) -> str:
        return f"ConsoleTable[numRows={self._num_rows}, truncate={str(self._truncate > 0).lower()}]"

    @property
    def transactional(self) -> bool:
        return False

    @property
    def takes_changes(self) -> bool:
        return False

    async def open(self, context: SinkContext) -> None:
        self._context = context

    async def write(self, epoch: int, output: Output, writer: RowWriter | None) -> None:
        """Returns when the text is out; a standard output that blocks holds up this query only."""
        if self._context is None:
            raise SinkClosed(f"{self.description} is not open.")
        table = show_table(
            output.rows, self._context.schema, self._num_rows, self._truncate, False, self._context.time_zone
        )
        await to_thread.run_sync(_print, f"{_RULE}\nBatch: {epoch}\n{_RULE}\n{table.rstrip()}\n\n")

    async def close(self, error: BaseException | None) -> None: ...

    def result(self) -> ResultTable | None:
        return None


def _print(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


class ConsoleFormat:
    """`console`; options `numRows` (20) and `truncate` (true: 20 characters, false: none, or a number)."""

    names = ("console",)

    def create(self, spec: SinkSpec, mode: OutputMode, name: str | None) -> Sink:
        options = sink_options(spec, ("numRows", "truncate"))
        text = options.text("truncate", "true").strip().lower()
        if text.isdecimal():
            truncate = options.whole("truncate", 20, 0, 1_000_000)
        else:
            truncate = 20 if options.flag("truncate", True) else 0
        return ConsoleSink(options.whole("numRows", 20, 0, _MAX_ROWS), truncate)
