"""The user's code of `foreachBatch` and `foreach` as what a sink calls: a function of an Arrow table and a number."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from app.plan import nodes
from app.plan.resolve.chances import reads_files
from app.sql.convert import rows_of
from app.sql.errors import AttributeMissing

if TYPE_CHECKING:
    from app.sql.dataframe import DataFrame

Handler = Callable[[pa.Table, int], None]


def batch_handler(df: DataFrame, func: Callable[[DataFrame, int], Any]) -> Handler:
    """Calls `func` with the epoch's rows as a static DataFrame, and the epoch."""
    from_files = reads_files(df._relation)

    def handle(rows: pa.Table, epoch: int) -> None:
        func(df._derive(nodes.Rows(rows, df.schema, from_files)), epoch)

    return handle


def row_handler(df: DataFrame, f: Any) -> Handler:
    """Calls `f` with each row; or, for an object, `open(0, epoch)`, `process(row)` for each row unless `open` said no,
    and `close(error)` in any case. Raises: AttributeMissing where the object has no `process`, or one of the three
    cannot be called."""
    for name in ("process", "open", "close"):
        needed = name == "process" and not callable(f)
        if (needed or hasattr(f, name)) and not callable(getattr(f, name, None)):
            raise AttributeMissing(
                f"Attribute `{name}` in provided object `f` is not callable; give a function of a row, or an object "
                "with process(row) and, if wanted, open(partition_id, epoch_id) and close(error).",
                code="ATTRIBUTE_NOT_CALLABLE",
            )
    if not hasattr(f, "process"):
        return lambda rows, epoch: _each(f, rows_of(rows, df.schema))

    def handle(rows: pa.Table, epoch: int) -> None:
        error: BaseException | None = None
        try:
            if not hasattr(f, "open") or f.open(0, epoch):
                _each(f.process, rows_of(rows, df.schema))
        except BaseException as caught:
            error = caught
            raise
        finally:
            if hasattr(f, "close"):
                f.close(error)

    return handle


def _each(process: Callable[[Any], Any], rows: list[Any]) -> None:
    for row in rows:
        process(row)
