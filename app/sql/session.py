"""`SparkSession`: where DataFrames come from. A pipeline has one session unless it asks for another."""

from __future__ import annotations

from dataclasses import replace
from types import TracebackType
from typing import Any, ClassVar

from app.engine.host import CALLER
from app.errors import ArgumentError, EngineError
from app.plan import nodes
from app.plan.functions.entry import Binding
from app.plan.resolve import Resolution, resolution
from app.plan.types import StructType
from app.sql.absent import Surface
from app.sql.arguments import option_text, wrong_type
from app.sql.catalog import Catalog
from app.sql.conf import STATIC, RuntimeConfig
from app.sql.dataframe import DataFrame
from app.sql.local import local_rows
from app.sql.readwriter import DataFrameReader
from app.sql.statements import run_statement
from app.sql.streaming.manager import StreamingQueryManager
from app.sql.streaming.readwriter import DataStreamReader
from app.sql.tvf import TableValuedFunction
from app.sql.variables import Variables

VERSION = "4.2.0+watertable.0.1.0"
"""The Spark whose API and results are followed, then the version of this program."""


class SparkContext(Surface):
    """The little of a SparkContext that pipelines use."""

    def __init__(self, session: SparkSession) -> None:
        self._session = session

    @property
    def appName(self) -> str:
        return self._session.conf.get("spark.app.name") or ""

    @property
    def version(self) -> str:
        return VERSION

    def setLogLevel(self, logLevel: str) -> None:
        """Checked and passed over: the level is set by WATERTABLE_LOG_LEVEL."""
        levels = ("ALL", "DEBUG", "ERROR", "FATAL", "INFO", "OFF", "TRACE", "WARN")
        if str(logLevel).upper() not in levels:
            raise ArgumentError(
                f"The log level {logLevel!r} did not match one of: {', '.join(levels)}.", code="INVALID_LOG_LEVEL"
            )

    def stop(self) -> None:
        self._session.stop()


class Builder(Surface):
    """`SparkSession.builder`: settings, then `getOrCreate()`."""

    def __init__(self) -> None:
        self._options: dict[str, Any] = {}

    def appName(self, name: str) -> Builder:
        return self.config("spark.app.name", name)

    def master(self, master: str) -> Builder:
        """Kept and passed over: everything runs in this process."""
        return self.config("spark.master", master)

    def config(self, key: str | None = None, value: Any = None, *, map: dict[str, Any] | None = None) -> Builder:
        if map is not None:
            self._options.update({name: option_text(item) for name, item in map.items()})
        elif key is not None:
            self._options[key] = option_text(value)
        return self

    def enableHiveSupport(self) -> Builder:
        """Passed over: there is no Hive here."""
        return self

    def getOrCreate(self) -> SparkSession:
        """The session there is, with these settings on top, or a new one. Raises: ArgumentError for a wrong value."""
        pipeline = CALLER.get().pipeline
        session = SparkSession._current.get(pipeline)
        if session is None:
            session = SparkSession._current[pipeline] = SparkSession(RuntimeConfig(self._options))
            return session
        for key, value in self._options.items():
            if key not in STATIC:
                session.conf.set(key, value)
        return session

    create = getOrCreate


class _NewBuilder:
    def __get__(self, instance: object, owner: type) -> Builder:
        return Builder()


class SparkSession(Surface):
    """Makes DataFrames; holds settings and temporary views.

    >>> spark = SparkSession.builder.appName("doc").getOrCreate()
    >>> spark.createDataFrame([(1, "a")], ["id", "name"])
    DataFrame[id: bigint, name: string]
    """

    builder: ClassVar[Builder] = _NewBuilder()  # type: ignore[assignment]
    Builder = Builder
    _current: ClassVar[dict[str, SparkSession]] = {}

    def __init__(self, conf: RuntimeConfig) -> None:
        self.conf = conf
        self.catalog = Catalog(self)
        self._variables = Variables()
        self.streams = StreamingQueryManager()
        self.sparkContext = SparkContext(self)

    @classmethod
    def getActiveSession(cls) -> SparkSession | None:
        return cls._current.get(CALLER.get().pipeline)

    @classmethod
    def active(cls) -> SparkSession:
        """The session of this pipeline. Raises: EngineError where there is none."""
        session = cls.getActiveSession()
        if session is None:
            raise EngineError(
                "There is no active session; make one with SparkSession.builder.getOrCreate().",
                code="NO_ACTIVE_OR_DEFAULT_SESSION",
            )
        return session

    @property
    def version(self) -> str:
        """Begins with the version of Spark whose API and results are followed."""
        return VERSION

    def newSession(self) -> SparkSession:
        """Another session with the same settings and no views."""
        return SparkSession(RuntimeConfig(self.conf.getAll))

    def createDataFrame(
        self, data: Any, schema: Any = None, samplingRatio: float | None = None, verifySchema: bool = True
    ) -> DataFrame:
        """A static DataFrame of Python rows, a pandas DataFrame, a NumPy array or an Arrow table.

        `schema` is column names, a DDL string, a StructType, or one type for rows that are single values. Without it,
        types are inferred from all rows.

        Raises: ArgumentTypeError, ArgumentError, ParseError."""
        return DataFrame(local_rows(data, schema, verifySchema, self.conf.time_zone()), self)

    def range(self, start: int, end: int | None = None, step: int = 1, numPartitions: int | None = None) -> DataFrame:
        """One column `id`: `start`, `start + step`, … before `end`; with one argument, from 0 to it.

        >>> SparkSession.builder.getOrCreate().range(3).columns
        ['id']
        """
        first, last = (0, start) if end is None else (start, end)
        for name, value in (("start", first), ("end", last), ("step", step)):
            if not isinstance(value, int) or isinstance(value, bool):
                raise wrong_type(name, "int", value)
        if step == 0:
            raise ArgumentError("The step of range() cannot be 0.", code="INVALID_RANGE_STEP")
        return DataFrame(nodes.Range(first, last, step), self)

    def table(self, tableName: str) -> DataFrame:
        """A temporary view, or the table of a memory sink. Raises: PlanError TABLE_OR_VIEW_NOT_FOUND."""
        return DataFrame(self.catalog._table(tableName), self)

    def sql(self, sqlQuery: str, args: Any = None, **kwargs: Any) -> DataFrame:
        """The result of SQL text. `args` gives the values of `:name` (a dict) or `?` (a list); keyword arguments fill
        `{name}`: DataFrames as tables, other values as literals. Raises: ParseError, PlanError.

        >>> SparkSession.builder.getOrCreate().sql("SELECT 1 AS one, 'x' AS two").columns
        ['one', 'two']
        """
        return run_statement(self, sqlQuery, args, kwargs)

    @property
    def tvf(self) -> TableValuedFunction:
        """The functions that give tables."""
        return TableValuedFunction(self)

    def emptyDataFrame(self) -> DataFrame:
        """No rows, no columns."""
        return self.createDataFrame([], StructType())

    @property
    def read(self) -> DataFrameReader:
        return DataFrameReader(self)

    @property
    def readStream(self) -> DataStreamReader:
        return DataStreamReader(self)

    def stop(self) -> None:
        """Stops the queries and forgets the session; the next `getOrCreate` makes a new one."""
        for query in self.streams.active:
            query.stop()
        for pipeline in [name for name, session in SparkSession._current.items() if session is self]:
            del SparkSession._current[pipeline]

    def _resolve(self, node: nodes.Node, below: Resolution | None = None) -> Resolution:
        return resolution(node, self._binding(), below)

    def _binding(self) -> Binding:
        """What expressions depend on when they are resolved now."""
        return replace(self.conf.binding(), variables=self._variables.values(), routines=dict(self._variables.routines))

    def __enter__(self) -> SparkSession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
