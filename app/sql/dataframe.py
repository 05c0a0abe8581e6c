"""`DataFrame`: a relation and the session it belongs to. Its methods make new plan nodes and compute nothing; a wrong
column, type or function fails in the call that brings it in."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any

from app.errors import ArgumentError, ArgumentTypeError, PlanError
from app.plan import nodes
from app.plan.bound import Relation
from app.plan.expressions import Attribute, Call, Expr, SortKey
from app.plan.parse import parse_expression
from app.plan.resolve import OuterAlone, Resolution
from app.plan.types import StructType
from app.sql.absent import advice
from app.sql.actions import Actions
from app.sql.advice import Advice
from app.sql.arguments import flattened, wrong_type
from app.sql.column import Column, to_column_expr
from app.sql.combining import Combining
from app.sql.errors import AttributeMissing
from app.sql.group import GroupedData
from app.sql.interval import watermark_delay_us
from app.sql.literals import column_by_name
from app.sql.na import DataFrameNaFunctions
from app.sql.replacing import NOT_GIVEN
from app.sql.reshaping import Reshaping
from app.sql.sampling import Sampling
from app.sql.statistics import Statistics
from app.sql.streaming.readwriter import DataStreamWriter
from app.sql.views import Views

if TYPE_CHECKING:
    from app.sql.session import SparkSession

_ALL_ROWS = (1 << 63) - 1
_JOINS = {
    "inner": ("inner",),
    "cross": ("cross",),
    "full": ("outer", "full", "fullouter"),
    "left": ("left", "leftouter"),
    "right": ("right", "rightouter"),
    "semi": ("semi", "leftsemi"),
    "anti": ("anti", "leftanti"),
}
_JOIN_BY_NAME = {name: how for how, names in _JOINS.items() for name in names}


class DataFrame(Actions, Advice, Combining, Reshaping, Sampling, Statistics, Views):
    """Rows with named, typed columns, static or streaming."""

    def __init__(self, node: nodes.Node, session: SparkSession, below: Resolution | None = None) -> None:
        self._node = node
        self._session = session
        self._resolution: Resolution | None = None
        try:
            self._resolution = session._resolve(node, below)
        except OuterAlone as error:  # what it is becomes known as part of another DataFrame
            self._missing = error

    @property
    def _relation(self) -> Relation:
        if self._resolution is None:
            raise self._missing
        return self._resolution.relation

    def _derive(self, node: nodes.Node) -> DataFrame:
        return DataFrame(node, self._session, self._resolution)

    # What it is

    @property
    def sparkSession(self) -> SparkSession:
        return self._session

    @property
    def schema(self) -> StructType:
        return StructType(self._relation.schema.fields)

    @property
    def columns(self) -> list[str]:
        return self.schema.names

    @property
    def dtypes(self) -> list[tuple[str, str]]:
        """Name and type of each column."""
        return [(f.name, f.dataType.simpleString()) for f in self.schema]

    @property
    def isStreaming(self) -> bool:
        """Whether a source below it is a stream."""
        return self._relation.streaming

    def printSchema(self, level: int | None = None) -> None:
        """Prints the columns as a tree; `level` bounds how deep."""
        text = self.schema.treeString()
        if level is not None and level > 0:
            text = "".join(f"{line}\n" for line in text.splitlines() if line.count(" |") <= level)
        print(text)

    def __repr__(self) -> str:
        return f"DataFrame[{', '.join(f'{name}: {kind}' for name, kind in self.dtypes)}]"

    # Columns

    def __getattr__(self, name: str) -> Column:
        if not name.startswith("_") and name in self.columns:
            return self._column(name)
        if name.startswith("_"):
            raise AttributeMissing(name)
        raise AttributeMissing(
            f"Attribute `{name}` is not supported: it is neither a column ({', '.join(self.columns)}) nor a method "
            f"that Watertable's DataFrame has. {advice(name)}".rstrip()
        )

    def __getitem__(self, item: Any) -> Any:
        if isinstance(item, str):
            return self._column(item)
        if isinstance(item, Column):
            return self.filter(item)
        if isinstance(item, (list, tuple)):
            return self.select(*item)
        if isinstance(item, int) and not isinstance(item, bool):
            return self._column(f"`{self.columns[item].replace('`', '``')}`")
        raise wrong_type("item", "Column, int, list, str or tuple", item)

    def _column(self, name: str) -> Column:
        found = column_by_name(name, of=self._node)
        lowered = [c.lower() for c in self.columns]
        if isinstance(found, Attribute) and (len(found.parts) > 1 or lowered.count(found.parts[0].lower()) != 1):
            self._derive(nodes.Project(self._node, (Attribute(found.parts),)))
        return Column(found)

    def _exprs(self, cols: tuple[Any, ...]) -> tuple[Expr, ...]:
        return tuple(self._expr(col) for col in flattened(cols))

    def _expr(self, col: Any, name: str = "col") -> Expr:
        if not isinstance(col, (Column, str)):
            raise wrong_type(name, "Column or str", col)
        return to_column_expr(col)

    def _by_position(self, col: Any, name: str = "col") -> Expr:
        """A column, its name, or its number (1 is the first)."""
        if isinstance(col, int) and not isinstance(col, bool):
            if not 1 <= col <= len(self.columns):
                raise ArgumentError(
                    f"There is no column number {col}; there are {len(self.columns)}.", code="GROUP_BY_POS_OUT_OF_RANGE"
                )
            return self[col - 1]._expr  # type: ignore[no-any-return]
        return self._expr(col, name)

    def select(self, *cols: Any) -> DataFrame:
        """One column for each given: Columns, names, or `*`."""
        return self._derive(nodes.Project(self._node, self._exprs(cols)))

    def selectExpr(self, *expr: Any) -> DataFrame:
        """`select` with SQL expressions: `df.selectExpr("a + 1 AS b")`. Raises: ParseError, PlanError."""
        return self._derive(nodes.Project(self._node, tuple(self._parsed(text) for text in flattened(expr))))

    def _parsed(self, text: str) -> Expr:
        return parse_expression(text, self._session.catalog._find)

    def withColumn(self, colName: str, col: Column) -> DataFrame:
        """All columns and one more, which replaces that of the same name."""
        if not isinstance(col, Column):
            raise wrong_type("col", "Column", col)
        return self._derive(nodes.WithColumns(self._node, ((colName, col._expr),)))

    def withColumns(self, *colsMap: dict[str, Column]) -> DataFrame:
        """`withColumn` for several at once; each sees the columns as they were."""
        if len(colsMap) != 1 or not isinstance(colsMap[0], dict):
            raise wrong_type("colsMap", "dict", colsMap[0] if colsMap else None)
        for col in colsMap[0].values():
            if not isinstance(col, Column):
                raise wrong_type("col", "Column", col)
        return self._derive(nodes.WithColumns(self._node, tuple((name, col._expr) for name, col in colsMap[0].items())))

    def withColumnRenamed(self, existing: str, new: str) -> DataFrame:
        """The same columns, one of them under another name; nothing happens if there is none of that name."""
        return self._derive(nodes.Rename(self._node, ((existing, new),)))

    def withColumnsRenamed(self, colsMap: dict[str, str]) -> DataFrame:
        if not isinstance(colsMap, dict):
            raise wrong_type("colsMap", "dict", colsMap)
        return self._derive(nodes.Rename(self._node, tuple(colsMap.items())))

    def toDF(self, *cols: str) -> DataFrame:
        """The same columns under new names."""
        for name in cols:
            if not isinstance(name, str):
                raise wrong_type("cols", "list[str]", name)
        return self._derive(nodes.Relabel(self._node, cols))

    # Rows

    def filter(self, condition: Any) -> DataFrame:
        """The rows for which a Column or SQL text is true."""
        if not isinstance(condition, (Column, str)):
            raise wrong_type("condition", "Column or str", condition)
        expr = condition._expr if isinstance(condition, Column) else self._parsed(condition)
        return self._derive(nodes.Filter(self._node, expr))

    where = filter

    def distinct(self) -> DataFrame:
        return self._derive(nodes.Deduplicate(self._node))

    def dropDuplicates(self, subset: Any = None) -> DataFrame:
        """The first row of each value of the columns in `subset` (a list), or of all columns."""
        if subset is not None and not isinstance(subset, (list, tuple)):
            raise wrong_type("subset", "list or tuple", subset)
        for name in subset or ():
            self._field(name)
        return self._derive(nodes.Deduplicate(self._node, None if subset is None else tuple(subset)))

    drop_duplicates = dropDuplicates

    def _field(self, name: str) -> None:
        if name.lower() not in [column.lower() for column in self.columns]:
            raise PlanError(
                f'Cannot resolve column name "{name}" among ({", ".join(self.columns)}).',
                code="UNRESOLVED_COLUMN_AMONG_FIELD_NAMES",
            )

    def orderBy(self, *cols: Any, ascending: Any = True) -> DataFrame:
        """The rows in the order of Columns, names or column numbers; `ascending` is a bool, or a list with one for
        each. Raises: ArgumentError without columns."""
        wanted = flattened(cols)
        if not wanted:
            raise ArgumentError("At least one cols must be specified.", code="CANNOT_BE_EMPTY")
        if not isinstance(ascending, (bool, int, list)):
            raise wrong_type("ascending", "bool, int or list", ascending)
        flags = list(ascending) if isinstance(ascending, list) else [True if ascending else None] * len(wanted)
        if not isinstance(ascending, list) and not ascending:
            flags = [False] * len(wanted)
        if len(flags) != len(wanted):
            raise ArgumentError(
                f"{len(wanted)} columns and {len(flags)} values of ascending were given.",
                code="LENGTH_SHOULD_BE_THE_SAME",
            )
        keys = tuple(self._sort_key(col, bool(flag)) for col, flag in zip(wanted, flags, strict=True))
        return self._derive(nodes.Sort(self._node, keys))

    sort = orderBy

    def _sort_key(self, col: Any, ascending: bool) -> SortKey:
        if isinstance(col, int) and not isinstance(col, bool) and col < 0:
            return SortKey(self._by_position(-col), not ascending)
        expr = self._by_position(col, "col")
        key = expr if isinstance(expr, SortKey) else SortKey(expr)
        return key if ascending else SortKey(key.child, False, None)

    def limit(self, num: int) -> DataFrame:
        """At most `num` rows."""
        return self._derive(nodes.Limit(self._node, _count("limit", num)))

    def offset(self, num: int) -> DataFrame:
        """The rows after the first `num`."""
        return self._derive(nodes.Limit(self._node, _ALL_ROWS, _count("offset", num)))

    # Groups and other DataFrames

    def groupBy(self, *cols: Any) -> GroupedData:
        """Groups of equal values of the columns; see `GroupedData`."""
        return GroupedData(self, tuple(self._by_position(col) for col in flattened(cols)))

    groupby = groupBy

    def agg(self, *exprs: Any) -> DataFrame:
        """One row: aggregates over all rows."""
        return self.groupBy().agg(*exprs)

    def union(self, other: DataFrame) -> DataFrame:
        """The rows of both, columns matched by position; duplicates stay."""
        return self._derive(nodes.Union(self._node, _frame("other", other)._node))

    unionAll = union

    def unionByName(self, other: DataFrame, allowMissingColumns: bool = False) -> DataFrame:
        """The rows of both, columns matched by name; with `allowMissingColumns`, null where one is missing."""
        right = _frame("other", other)._node
        return self._derive(nodes.Union(self._node, right, by_name=True, allow_missing=bool(allowMissingColumns)))

    def join(self, other: DataFrame, on: Any = None, how: str | None = None) -> DataFrame:
        """Rows of both that belong together: `on` is a condition, a list of conditions, or names both sides have (which
        then appear once). Raises: PlanError UNSUPPORTED_JOIN_TYPE."""
        right = _frame("other", other)._node
        kind = _JOIN_BY_NAME.get((how or "inner").lower().replace("_", ""))
        if kind is None:
            raise PlanError(
                f"Unsupported join type '{how}'. Supported join types include: {', '.join(_JOIN_BY_NAME)}.",
                code="UNSUPPORTED_JOIN_TYPE",
            )
        conditions: list[Any] = [] if on is None else [on] if isinstance(on, (str, Column)) else list(on)
        if conditions and all(isinstance(item, str) for item in conditions):
            return self._derive(nodes.Join(self._node, right, kind, using=tuple(conditions)))
        for item in conditions:
            if not isinstance(item, Column):
                raise wrong_type("on", "Column, str, or a list of one of them", item)
        if not conditions:
            return self._derive(nodes.Join(self._node, right, "cross" if kind == "inner" else kind))
        condition = reduce(lambda a, b: Call("and", (a, b)), (item._expr for item in conditions))
        return self._derive(nodes.Join(self._node, right, kind, on=condition))

    def alias(self, alias: str) -> DataFrame:
        """The same rows under a name: its columns may then be written `alias.column`."""
        if not isinstance(alias, str):
            raise wrong_type("alias", "str", alias)
        return self._derive(nodes.Named(self._node, alias))

    def transform(self, func: Callable[..., DataFrame], *args: Any, **kwargs: Any) -> DataFrame:
        """`func(self, *args, **kwargs)`, for chains."""
        result = func(self, *args, **kwargs)
        return _frame("the result of func", result)

    def withWatermark(self, eventTime: str, delayThreshold: str) -> DataFrame:
        """The same rows; those whose `eventTime` is older than the newest minus `delayThreshold` ("10 seconds") count
        as late. On a static DataFrame it changes nothing, as in Spark. Raises: PlanError, ArgumentError."""
        if not isinstance(eventTime, str) or not eventTime:
            raise wrong_type("eventTime", "str", eventTime)
        if not isinstance(delayThreshold, str) or not delayThreshold:
            raise wrong_type("delayThreshold", "str", delayThreshold)
        delay_us = watermark_delay_us(delayThreshold)
        return self._derive(nodes.Watermark(self._node, eventTime, delay_us)) if self.isStreaming else self

    # Missing values

    @property
    def na(self) -> DataFrameNaFunctions:
        return DataFrameNaFunctions(self)

    def fillna(self, value: Any, subset: Any = None) -> DataFrame:
        """`na.fill`."""
        return self.na.fill(value, subset)

    def replace(self, to_replace: Any, value: Any = NOT_GIVEN, subset: Any = None) -> DataFrame:
        """`na.replace`."""
        return self.na.replace(to_replace, value, subset)

    def dropna(self, how: str = "any", thresh: int | None = None, subset: Any = None) -> DataFrame:
        """`na.drop`."""
        return self.na.drop(how, thresh, subset)

    # Where rows go

    @property
    def writeStream(self) -> DataStreamWriter:
        """Where a streaming DataFrame's results go. Raises: PlanError on a static one."""
        if not self.isStreaming:
            raise PlanError(
                "`writeStream` can be called only on streaming Dataset/DataFrame: no source below this one is a "
                "stream. Read it with spark.readStream.",
                code="WRITE_STREAM_NOT_ALLOWED",
            )
        return DataStreamWriter(self)

    @property
    def write(self) -> Any:
        if self.isStreaming:
            raise PlanError(
                "The method `write` can not be called on streaming Dataset/DataFrame; use writeStream.",
                code="CALL_ON_STREAMING_DATASET_UNSUPPORTED",
            )
        raise PlanError(
            "Watertable does not write static DataFrames: collect() the rows, or take them with toArrow() and write "
            "those.",
            code="UNSUPPORTED_FEATURE.STATIC_WRITE",
        )


def _frame(name: str, value: Any) -> DataFrame:
    if not isinstance(value, DataFrame):
        raise ArgumentTypeError(
            f"Argument `{name}` should be DataFrame, got {type(value).__name__}.", code="NOT_EXPECTED_TYPE"
        )
    return value


def _count(what: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise wrong_type("num", "int", value)
    if value < 0:
        raise PlanError(
            f'The {what} like expression "{value}" is invalid. The {what} expression must be equal to or greater '
            f"than 0, but got {value}.",
            code="INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE",
        )
    return value
