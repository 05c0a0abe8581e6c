"""`spark.tvf`: the functions that give tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.plan import nodes
from app.plan.expressions import Call
from app.plan.parse.keywords import collation_rows, keyword_rows
from app.sql.absent import Surface
from app.sql.column import to_column_expr

if TYPE_CHECKING:
    from app.sql.dataframe import DataFrame
    from app.sql.session import SparkSession


class TableValuedFunction(Surface):
    """What `spark.tvf` offers: each call gives a DataFrame."""

    def __init__(self, session: SparkSession) -> None:
        self._session = session

    def _called(self, name: str, *args: Any) -> DataFrame:
        from app.sql.dataframe import DataFrame

        call = Call(name, tuple(map(to_column_expr, args)))
        return DataFrame(nodes.Project(nodes.OneRow(), (call,)), self._session)

    def range(self, start: int, end: int | None = None, step: int = 1, numPartitions: int | None = None) -> DataFrame:
        """`spark.range`."""
        return self._session.range(start, end, step, numPartitions)

    def explode(self, collection: Any) -> DataFrame:
        """A row for each item of an array or entry of a map."""
        return self._called("explode", collection)

    def explode_outer(self, collection: Any) -> DataFrame:
        """`explode`, with a row of nulls where there is nothing."""
        return self._called("explode_outer", collection)

    def posexplode(self, collection: Any) -> DataFrame:
        """`explode`, with positions."""
        return self._called("posexplode", collection)

    def posexplode_outer(self, collection: Any) -> DataFrame:
        """`posexplode`, with a row of nulls where there is nothing."""
        return self._called("posexplode_outer", collection)

    def inline(self, input: Any) -> DataFrame:
        """A row for each struct of an array."""
        return self._called("inline", input)

    def inline_outer(self, input: Any) -> DataFrame:
        """`inline`, with a row of nulls where there is nothing."""
        return self._called("inline_outer", input)

    def json_tuple(self, input: Any, *fields: Any) -> DataFrame:
        """The fields of a JSON object as columns."""
        return self._called("json_tuple", input, *fields)

    def stack(self, n: Any, *fields: Any) -> DataFrame:
        """Values as `n` rows."""
        return self._called("stack", n, *fields)

    def variant_explode(self, input: Any) -> DataFrame:
        """A row for each item of a variant's array or field of its object."""
        return self._called("variant_explode", input)

    def variant_explode_outer(self, input: Any) -> DataFrame:
        """`variant_explode`, with a row of nulls where there is nothing."""
        return self._called("variant_explode_outer", input)

    def collations(self) -> DataFrame:
        """The collations there are."""
        from app.sql.dataframe import DataFrame

        return DataFrame(collation_rows(), self._session)

    def sql_keywords(self) -> DataFrame:
        """The words of Spark's grammar, and whether they are reserved."""
        from app.sql.dataframe import DataFrame

        return DataFrame(keyword_rows(), self._session)
