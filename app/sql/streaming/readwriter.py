"""`spark.readStream` and `df.writeStream`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from app.engine.contracts import OutputMode, SinkSpec
from app.engine.host import CALLER, current_host
from app.engine.spec import QuerySpec, Trigger
from app.errors import ArgumentError, PlanError
from app.sql.absent import Surface
from app.sql.arguments import flattened, no_format, non_empty, option_text, wrong_type
from app.sql.interval import trigger_interval_ms
from app.sql.scan import ReaderOptions
from app.sql.streaming.handlers import batch_handler, row_handler
from app.sql.streaming.query import StreamingQuery

if TYPE_CHECKING:
    from app.sql.dataframe import DataFrame

_MODES: dict[str, OutputMode] = {"append": "append", "update": "update", "complete": "complete"}


class DataStreamReader(ReaderOptions):
    """Format, options and schema of a stream, then `load` or a format's own method."""

    _streaming = True

    def name(self, source_name: str) -> DataStreamReader:
        """A name for the source: letters, digits, underscores. Raises: ArgumentError, ArgumentTypeError."""
        if not isinstance(source_name, str):
            raise wrong_type("source_name", "str", source_name)
        if not re.fullmatch(r"[A-Za-z0-9_]+", source_name):
            raise ArgumentError(
                f"Invalid streaming source name '{source_name}'. Source names must contain only ASCII letters, digits, "
                "and underscores.",
                code="INVALID_STREAMING_SOURCE_NAME",
            )
        return self

    def load(self, path: str | None = None, format: str | None = None, schema: Any = None, **options: Any) -> DataFrame:
        """The streaming DataFrame. Raises: PlanError (format, option, columns), ArgumentError."""
        return self._load(None if path is None else non_empty("path", path), format, schema, options)

    def csv(self, path: str, schema: Any = None, **options: Any) -> DataFrame:
        return self._files("csv", path, schema, options)

    def json(self, path: str, schema: Any = None, **options: Any) -> DataFrame:
        return self._files("json", path, schema, options)

    def parquet(self, path: str, **options: Any) -> DataFrame:
        return self._files("parquet", path, None, options)

    def text(self, path: str, wholetext: bool = False, **options: Any) -> DataFrame:
        """As in PySpark, the argument `wholetext` wins over an option that was set before."""
        return self._files("text", path, None, {"wholetext": wholetext, **options})

    def table(self, tableName: str) -> DataFrame:
        """A temporary view of a streaming DataFrame. Raises: PlanError."""
        found = self._session.table(tableName)
        if not found.isStreaming:
            raise PlanError(
                f"The view `{tableName}` is not a stream; read it with spark.table.",
                code="UNSUPPORTED_STREAMING_SOURCE",
            )
        return found

    def _files(self, format: str, path: Any, schema: Any, options: dict[str, Any]) -> DataFrame:
        if not isinstance(path, str):
            raise wrong_type("path", "str", path)
        return self._load(path, format, schema, options)


class DataStreamWriter(Surface):
    """Where the results of a streaming DataFrame go, when, and in which form; `start` begins."""

    def __init__(self, df: DataFrame) -> None:
        self._df = df
        self._format: str | None = None
        self._options: dict[str, str] = {}
        self._mode: OutputMode = "append"
        self._trigger = Trigger()
        self._name: str | None = None
        self._partition_by: tuple[str, ...] = ()
        self._handler: Callable[..., None] | None = None

    def format(self, source: str) -> DataStreamWriter:
        """The name of the connector: `console`, `memory`, `postgres`, …; checked by `start`."""
        if not isinstance(source, str):
            raise wrong_type("source", "str", source)
        self._format = source
        return self

    def outputMode(self, outputMode: str) -> DataStreamWriter:
        """append, update or complete. Raises: ArgumentError."""
        mode = _MODES.get(non_empty("outputMode", outputMode).strip().lower())
        if mode is None:
            raise ArgumentError(
                f"Invalid streaming output mode: {outputMode}. Accepted output modes are 'Append', 'Complete', "
                "'Update'.",
                code="STREAMING_OUTPUT_MODE.INVALID",
            )
        self._mode = mode
        return self

    def queryName(self, queryName: str) -> DataStreamWriter:
        """The name of the query, which is also its identity where it has no checkpointLocation."""
        self._name = non_empty("queryName", queryName)
        return self

    def option(self, key: str, value: Any) -> DataStreamWriter:
        """One option; None is passed over. `checkpointLocation` is the query's identity: a name, not a folder."""
        if value is not None:
            self._options[key.lower()] = option_text(value)
        return self

    def options(self, **options: Any) -> DataStreamWriter:
        for key, value in options.items():
            self.option(key, value)
        return self

    def partitionBy(self, *cols: Any) -> DataStreamWriter:
        """Refused by `start` where the sink has no partitions."""
        self._partition_by = tuple(flattened(cols))
        return self

    def trigger(
        self,
        *,
        processingTime: str | None = None,
        once: bool | None = None,
        continuous: str | None = None,
        availableNow: bool | None = None,
        realTime: str | None = None,
    ) -> DataStreamWriter:
        """When an epoch may start: `processingTime="5 seconds"`, `once=True` or `availableNow=True`; exactly one.
        Raises: ArgumentError, PlanError for what is not supported."""
        given = (processingTime, once, continuous, availableNow, realTime)
        if sum(value is not None for value in given) != 1:
            raise ArgumentError(
                "Only a single trigger is allowed: give one of processingTime, once, availableNow.",
                code="ONLY_ALLOW_SINGLE_TRIGGER",
            )
        if processingTime is not None:
            interval_ms = trigger_interval_ms(non_empty("processingTime", processingTime).strip())
            self._trigger = Trigger("processing_time", interval_ms)
        elif once is not None:
            _only_true("once", once)
            self._trigger = Trigger("once")
        elif availableNow is not None:
            _only_true("availableNow", availableNow)
            self._trigger = Trigger("available_now")
        else:
            raise PlanError(
                "Continuous and real-time triggers are not supported; every epoch here is a micro-batch that starts "
                "as soon as there is something to read: leave the trigger out.",
                code="UNSUPPORTED_FEATURE.TRIGGER",
            )
        return self

    def foreachBatch(self, func: Callable[[DataFrame, int], Any]) -> DataStreamWriter:
        """Calls `func(rows, number)` for each epoch, with a static DataFrame; after a crash again with the same rows
        and number. Raises: ArgumentTypeError for what cannot be called."""
        if not callable(func):
            raise wrong_type("func", "a function of a DataFrame and a number", func)
        self._format, self._handler = "foreachbatch", batch_handler(self._df, func)
        return self

    def foreach(self, f: Any) -> DataStreamWriter:
        """Calls `f(row)` for each result row; or an object's `process(row)`, between `open(0, number)` and
        `close(error)` where it has them. Raises: AttributeMissing (Spark: PySparkAttributeError)."""
        self._format, self._handler = "foreach", row_handler(self._df, f)
        return self

    def start(
        self,
        path: str | None = None,
        format: str | None = None,
        outputMode: str | None = None,
        partitionBy: Any = None,
        queryName: str | None = None,
        **options: Any,
    ) -> StreamingQuery:
        """Starts the query and gives it back, running. Raises: PlanError (plan, mode, option, identity), SinkError,
        DatabaseUnavailable."""
        self.options(**options)
        if outputMode is not None:
            self.outputMode(outputMode)
        if partitionBy is not None:
            self.partitionBy(partitionBy)
        if format is not None:
            self.format(format)
        if queryName is not None:
            self.queryName(queryName)
        return self._start(path)

    def toTable(
        self,
        tableName: str,
        format: str | None = None,
        outputMode: str | None = None,
        partitionBy: Any = None,
        queryName: str | None = None,
        **options: Any,
    ) -> StreamingQuery:
        """`start`, with the results in the PostgreSQL table of this name."""
        if not isinstance(tableName, str) or not tableName:
            raise wrong_type("tableName", "str", tableName)
        options["dbtable"] = tableName
        return self.start(None, format or "postgres", outputMode, partitionBy, queryName, **options)

    def spec(self, path: str | None = None) -> QuerySpec:
        """What `start` would start, for an asyncio program that holds an engine itself: `await engine.start(spec)`."""
        if self._format is None:
            raise PlanError(
                "The query has no sink: give one with format('console'), format('postgres'), foreachBatch(...) or "
                "toTable(...).",
                code="DATA_SOURCE_NOT_FOUND",
            )
        options = self._options if path is None else {**self._options, "path": non_empty("path", path)}
        caller, checkpoint = CALLER.get(), options.get("checkpointlocation")
        name = self._name or options.get("queryname") or (None if checkpoint else caller.identity)
        session = self._df.sparkSession
        return QuerySpec(
            relation=self._df._relation,
            sink=SinkSpec(self._format.lower(), options, self._partition_by, self._handler),
            mode=self._mode,
            trigger=self._trigger,
            name=name,
            checkpoint=checkpoint,
            conf={**session.conf.getAll, "spark.sql.session.timeZone": session.conf.time_zone()},
            pipeline=caller.pipeline,
        )

    def _start(self, path: str | None) -> StreamingQuery:
        spec, host = self.spec(path), current_host()
        if spec.sink.format not in host.engine.connectors.sinks:
            raise no_format("sink", spec.sink.format, host.engine.connectors.sinks)
        return StreamingQuery(host.call(host.engine.start, spec), host)


def _only_true(name: str, value: Any) -> None:
    if value is not True:
        raise ArgumentError(f"Value for `{name}` must be True, got {str(value)!r}.", code="VALUE_NOT_TRUE")
