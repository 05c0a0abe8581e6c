"""Columns by pattern, by a schema, by number; rows handed to functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from app.errors import ArgumentTypeError, PlanError
from app.plan import nodes
from app.plan import types as t
from app.plan.coerce import least_common_type
from app.plan.expressions import Alias, Attribute, Call, Cast, Expr, Literal, Star
from app.sql.arguments import flattened, wrong_type
from app.sql.column import Column
from app.sql.group import GroupedData
from app.sql.row import Row

if TYPE_CHECKING:
    from app.sql.dataframe import DataFrame


class Reshaping:
    """The part of a DataFrame that picks columns in other ways, numbers rows, and gives rows to functions."""

    def drop(self: Any, *cols: Any) -> DataFrame:
        """All columns but these; names that are not there are passed over. A name stands for all columns of that name,
        a Column for one. Raises: PlanError AMBIGUOUS_REFERENCE."""
        given = flattened(cols)
        for col in given:
            if isinstance(col, Column):
                self._refuse_ambiguous(col)
        exprs = tuple(Attribute((col,)) if isinstance(col, str) else self._expr(col) for col in given)
        rest: DataFrame = self._derive(nodes.Drop(self._node, exprs))
        return rest

    def _refuse_ambiguous(self: Any, col: Column) -> None:
        try:
            self.select(col)
        except PlanError as error:
            if error.code == "AMBIGUOUS_REFERENCE":
                raise

    def withMetadata(self: Any, columnName: str, metadata: dict[str, Any]) -> DataFrame:
        """The column with this metadata instead of its own. Raises: ArgumentTypeError, PlanError."""
        if not isinstance(metadata, dict):
            raise wrong_type("metadata", "dict", metadata)
        named: DataFrame = self.withColumn(columnName, self._column(columnName).alias(columnName, metadata=metadata))
        return named

    def colRegex(self: Any, colName: str) -> Column:
        """The columns whose names are a pattern of Java's in back quotes, in any case; a plain name is a column.

        Raises: ArgumentTypeError, PlanError."""
        if not isinstance(colName, str):
            raise wrong_type("colName", "str", colName)
        match = re.fullmatch(r"`(.+)`", colName)
        if match is None:
            found: Column = self._column(colName)
            return found
        try:
            pattern = re.compile(match[1], re.IGNORECASE)
        except re.error as error:
            raise PlanError(
                f"The pattern {colName} of colRegex is no regular expression: {error}.",
                code="INVALID_PARAMETER_VALUE.PATTERN",
            ) from error
        others = tuple(Attribute((name,)) for name in self.columns if not pattern.fullmatch(name))
        return Column(Star((), self._node, others))

    def to(self: Any, schema: t.StructType) -> DataFrame:
        """The columns of `schema`, in its order, with its types; those that are missing are null.

        Raises: ArgumentTypeError, PlanError where a type does not fit or nulls may be where none are wanted."""
        if not isinstance(schema, t.StructType):
            raise wrong_type("schema", "StructType", schema)
        found: DataFrame = self._derive(nodes.Project(self._node, tuple(self._fitted(f) for f in schema)))
        return found

    def _fitted(self: Any, wanted: t.StructField) -> Expr:
        own = [f for f in self.schema if f.name.lower() == wanted.name.lower()]
        if not own:
            if not wanted.nullable:
                self._column(wanted.name)
            return Alias(Literal(None, wanted.dataType), (wanted.name,))
        if own[0].nullable and not wanted.nullable:
            raise PlanError(
                f"Column or field `{wanted.name}` is nullable while it's required to be non-nullable.",
                code="NULLABLE_COLUMN_OR_FIELD",
            )
        if not _goes_into(own[0].dataType, wanted.dataType):
            raise PlanError(
                f'Column or field `{wanted.name}` is of type "{own[0].dataType.sql()}" while it\'s required to be '
                f'"{wanted.dataType.sql()}".',
                code="INVALID_COLUMN_OR_FIELD_DATA_TYPE",
            )
        return Alias(Cast(Attribute((own[0].name,)), wanted.dataType), (wanted.name,))

    def zipWithIndex(self: Any, indexColName: str = "index") -> DataFrame:
        """The rows with their numbers, from 0."""
        number = Alias(Call("monotonically_increasing_id"), (indexColName,))
        found: DataFrame = self._derive(nodes.Project(self._node, (Star(), number)))
        return found

    def groupingSets(self: Any, groupingSets: Any, *cols: Any) -> GroupedData:
        """Groups by each of several choices of the columns. Raises: ArgumentTypeError."""
        if not isinstance(groupingSets, (list, tuple)):
            raise wrong_type("groupingSets", "list", groupingSets)
        sets = tuple(Call("struct", tuple(self._expr(col) for col in choice)) for choice in groupingSets)
        return GroupedData(self, tuple(self._expr(col) for col in cols), "grouping_sets", choices=sets)

    def foreach(self: Any, f: Callable[[Row], Any]) -> None:
        """Calls `f` with each row, here."""
        for row in self.toLocalIterator():
            f(row)

    def foreachPartition(self: Any, f: Callable[[Iterator[Row]], Any]) -> None:
        """Calls `f` with all rows: there is one partition."""
        if not callable(f):
            raise ArgumentTypeError("Argument `f` should be a function.", code="NOT_CALLABLE")
        f(self.toLocalIterator())


def _goes_into(own: t.DataType, wanted: t.DataType) -> bool:
    """Whether every value of one type is one of the other."""
    if isinstance(wanted, t.StringType):
        return isinstance(own, t.AtomicType) and not isinstance(own, (t.BinaryType, t.VariantType))
    common = least_common_type(own, wanted)
    return common is not None and common.simpleString() == wanted.simpleString()
