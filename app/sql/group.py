"""`GroupedData`: what `groupBy` gives; `agg` and its short forms make a DataFrame again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.errors import ArgumentError, PlanError
from app.plan import nodes
from app.plan import types as t
from app.plan.expressions import Alias, Attribute, Call, Expr, Literal
from app.sql.absent import Surface
from app.sql.arguments import flattened, wrong_type
from app.sql.column import Column, to_expr
from app.sql.java_order import in_order_of_java

if TYPE_CHECKING:
    from app.sql.dataframe import DataFrame


_Values = tuple[tuple[Expr, str | None], ...]


class GroupedData(Surface):
    """Rows of `df` in groups of equal `keys`; without keys, one group. With `sets` (rollup, cube) each row is in one
    group for each of several choices of the keys: `choices` (grouping_sets), or those that the keys have."""

    def __init__(
        self,
        df: DataFrame,
        keys: tuple[Expr, ...],
        sets: str = "",
        pivot: tuple[Expr, _Values] | None = None,
        choices: tuple[Expr, ...] = (),
    ) -> None:
        self._df = df
        self._keys = keys
        self._sets = sets
        self._pivot = pivot
        self._choices = choices

    def agg(self, *exprs: Any) -> DataFrame:
        """One row a group: the keys, then `exprs`: Columns, or one dict of column name to function name, in the order
        in which Spark's maps have it.

        Raises: ArgumentError without expressions, ArgumentTypeError for what is not a Column, PlanError."""
        if not exprs or (isinstance(exprs[0], dict) and not exprs[0]):
            raise ArgumentError("agg() needs at least one expression.", code="CANNOT_BE_EMPTY")
        if len(exprs) == 1 and isinstance(exprs[0], dict):
            return self._aggregate(tuple(_by_name(exprs[0][name], name) for name in in_order_of_java(exprs[0])))
        for expr in exprs:
            if not isinstance(expr, Column):
                raise wrong_type("exprs", "Column", expr)
        return self._aggregate(tuple(expr._expr for expr in exprs))

    def count(self) -> DataFrame:
        """The number of rows of each group, in a column `count`."""
        return self._aggregate((Alias(_by_name("count", "*"), ("count",)),))

    def sum(self, *cols: str) -> DataFrame:
        """The sum of each column named; without names, of all numeric columns."""
        return self._numeric("sum", cols)

    def avg(self, *cols: str) -> DataFrame:
        """The mean of each column named; without names, of all numeric columns."""
        return self._numeric("avg", cols)

    mean = avg

    def min(self, *cols: str) -> DataFrame:
        """The least value of each numeric column named; without names, of all of them."""
        return self._numeric("min", cols)

    def max(self, *cols: str) -> DataFrame:
        """The greatest value of each numeric column named; without names, of all of them."""
        return self._numeric("max", cols)

    def pivot(self, pivot_col: Any, values: Any = None) -> GroupedData:
        """The same groups, with a column for each of the `values` of `pivot_col` that holds the aggregate over the rows
        with that value. Without `values` they are looked up, in their order, at most
        `spark.sql.pivotMaxValues`. Raises: PlanError, ArgumentTypeError."""
        column = self._df._expr(pivot_col, "pivot_col")
        if self._sets:
            raise PlanError(
                "pivot is not supported after a rollup or a cube; group by the columns.",
                code="UNSUPPORTED_FEATURE.PIVOT_AFTER_GROUP_BY",
            )
        if self._pivot is not None:
            raise PlanError("pivot cannot be repeated; pivot by one column.", code="REPEATED_CLAUSE")
        if values is None:
            found = self._values_of(column)
        elif isinstance(values, (list, tuple)):
            found = [to_expr(value) for value in values]
        else:
            raise wrong_type("values", "list", values)
        return GroupedData(self._df, self._keys, pivot=(column, tuple((value, None) for value in found)))

    def _values_of(self, column: Expr) -> list[Expr]:
        """The values a column has, in their order."""
        df = self._df
        if df.isStreaming:
            raise PlanError(
                "pivot of a stream needs its values: they cannot be looked up before the stream ends.",
                code="_LEGACY_ERROR_TEMP_3063",
            )
        most = int(df._session.conf.get("spark.sql.pivotMaxValues", "10000") or 10000)
        named = df.select(Column(Alias(column, ("value",)))).distinct().orderBy("value")
        rows = named.limit(most + 1).collect()
        if len(rows) > most:
            raise PlanError(
                f"The pivot column has more than {most} distinct values; name those that are wanted, or raise "
                "spark.sql.pivotMaxValues.",
                code="_LEGACY_ERROR_TEMP_1324",
            )
        kind = named.schema.fields[0].dataType
        return [Literal(None, kind) if row[0] is None else to_expr(row[0]) for row in rows]

    def _numeric(self, function: str, cols: tuple[Any, ...]) -> DataFrame:
        schema = self._df.schema
        names = flattened(cols) or [f.name for f in schema if isinstance(f.dataType, t.NumericType)]
        for name in names:
            column = self._df[name]._expr if isinstance(name, str) else None
            if column is None:
                raise wrong_type("cols", "str", name)
            found = [f for f in schema if f.name.lower() == name.lower()]
            if found and not isinstance(found[0].dataType, t.NumericType):
                raise PlanError(
                    f'"{name}" is not a numeric column. Aggregation function can only be applied on a numeric '
                    f"column; use agg({function}(...)) for other types.",
                    code="_LEGACY_ERROR_TEMP_1323",
                )
        return self._aggregate(tuple(_by_name(function, name) for name in names))

    def _aggregate(self, aggregates: tuple[Expr, ...]) -> DataFrame:
        if self._pivot is not None:
            column, values = self._pivot
            return self._df._derive(nodes.Pivot(self._df._node, self._keys, (column,), values, aggregates))
        keys = tuple(key.child if isinstance(key, Alias) else key for key in self._keys)
        by = (Call(self._sets, self._choices or keys),) if self._sets else keys
        return self._df._derive(nodes.Aggregate(self._df._node, by, (*self._keys, *aggregates)))

    def __repr__(self) -> str:
        columns = ", ".join(f"{name}: {kind}" for name, kind in self._df.dtypes)
        keys = ", ".join(repr(Column(key))[8:-2] for key in self._keys)
        kind = self._sets.title().replace("_S", "S") or "GroupBy"
        return f"GroupedData[grouping expressions: [{keys}], value: [{columns}], type: {kind}]"


def _by_name(function: str, column: str) -> Expr:
    if column == "*":
        return Call(function, (Literal(1, t.IntegerType()),))
    return Call(function, (Attribute((column,)),))
