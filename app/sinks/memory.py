"""Results in a table of this process, for tests and for looking at: `spark.table(queryName)`."""

from __future__ import annotations

import pyarrow as pa

from app.engine.contracts import Output, OutputMode, ResultTable, RowWriter, Sink, SinkContext, SinkSpec
from app.errors import PlanError, SinkClosed
from app.plan.carriers import arrow_schema
from app.plan.types import StructType
from app.sinks.arrow_result import ArrowResult
from app.sinks.options import sink_options


class MemoryTable:
    """The rows one query has put out. The newest epoch is kept apart: writing it again replaces it."""

    def __init__(self, query_id: str, schema: StructType) -> None:
        self.query_id = query_id
        self.schema = schema
        self._arrow = arrow_schema(schema)
        self._settled = [self._arrow.empty_table()]
        self._newest = self._arrow.empty_table()
        self._epoch = -1

    def write(self, epoch: int, rows: pa.Table, replace: bool) -> None:
        if epoch < self._epoch:
            return
        if replace:
            self._settled = [self._arrow.empty_table()]
        elif epoch > self._epoch:
            self._settled.append(self._newest)
        self._newest, self._epoch = rows.rename_columns(self._arrow.names), epoch

    def rows(self) -> pa.Table:
        return pa.concat_tables([*self._settled, self._newest])


class MemorySink:
    """In complete mode each epoch replaces the table; in append and update mode rows are added (update: the
    change log, as in Spark)."""

    def __init__(self, tables: dict[str, MemoryTable], name: str, mode: OutputMode, recovers: bool) -> None:
        self._tables = tables
        self._name = name
        self._mode = mode
        self._recovers = recovers
        self._table: MemoryTable | None = None

    @property
    def description(self) -> str:
        return f"MemorySink[{self._name}]"

    @property
    def transactional(self) -> bool:
        return False

    @property
    def takes_changes(self) -> bool:
        return False

    async def open(self, context: SinkContext) -> None:
        """Takes up the table this process already holds for the query. Raises: PlanError where a query with a
        checkpointLocation comes back and its earlier rows are gone with the process that had them."""
        if not context.fresh and not self._recovers:
            raise PlanError(
                "This query does not support recovering from checkpoint location: a memory table in "
                f"{self._mode} mode begins empty. Choose another checkpointLocation to start over.",
                code="UNSUPPORTED_FEATURE.CHECKPOINT_RECOVERY",
                query=self._name,
            )
        table = self._tables.get(self._name)
        if context.fresh or table is None or (table.query_id, table.schema) != (context.query_id, context.schema):
            table = self._tables[self._name] = MemoryTable(context.query_id, context.schema)
        self._table = table

    async def write(self, epoch: int, output: Output, writer: RowWriter | None) -> None:
        if self._table is None:
            raise SinkClosed(f"{self.description} is not open.")
        self._table.write(epoch, output.rows, output.kind == "replace")

    async def close(self, error: BaseException | None) -> None:
        """The table stays: it can be asked after the query has ended."""

    def result(self) -> ResultTable | None:
        return ArrowResult(self._table.schema, self._table.rows) if self._table else None


class MemorySinkFormat:
    """`memory`; the tables are named by `queryName` and outlive their queries."""

    names = ("memory",)

    def __init__(self) -> None:
        self.tables: dict[str, MemoryTable] = {}

    def create(self, spec: SinkSpec, mode: OutputMode, name: str | None) -> Sink:
        options = sink_options(spec)
        if not name:
            raise PlanError(
                "queryName must be specified for memory sink: it names the table that holds the rows.",
                code="MISSING_QUERY_NAME",
            )
        recovers = mode == "complete" or not options.given("checkpointLocation")
        return MemorySink(self.tables, name, mode, recovers)

    def find(self, name: str) -> tuple[StructType, pa.Table] | None:
        """Columns and rows of the table of this name, or None."""
        for known, table in tuple(self.tables.items()):
            if known.lower() == name.lower():
                return table.schema, table.rows()
        return None
