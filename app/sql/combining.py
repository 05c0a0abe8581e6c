"""What a DataFrame does with another one as a set of rows, and its groups of groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from app.errors import ArgumentTypeError, PlanError
from app.plan import nodes
from app.plan.expressions import Attribute, Subquery
from app.sql.arguments import flattened, wrong_type
from app.sql.column import Column
from app.sql.group import GroupedData

if TYPE_CHECKING:
    from app.sql.dataframe import DataFrame


_LATERAL = {"inner": "inner", "cross": "inner", "left": "left", "leftouter": "left"}


class Combining:
    """The part of a DataFrame that intersects, subtracts, groups by several sets of columns at once, stands in another
    one's expressions, and makes rows of columns."""

    def intersect(self, other: Any) -> DataFrame:
        """The rows that are in both, each once."""
        return self._combined(other, "intersect", every=False)

    def intersectAll(self, other: Any) -> DataFrame:
        """The rows that are in both, as often as in the one that has them less often."""
        return self._combined(other, "intersect", every=True)

    def subtract(self, other: Any) -> DataFrame:
        """The rows that are here and not in the other, each once."""
        return self._combined(other, "except", every=False)

    def exceptAll(self, other: Any) -> DataFrame:
        """The rows that are here, less as many as the other has of each."""
        return self._combined(other, "except", every=True)

    def crossJoin(self: Any, other: Any) -> DataFrame:
        """Each row of one with each row of the other."""
        found: DataFrame = self._derive(nodes.Join(self._node, _other(other)._node, "cross"))
        return found

    def rollup(self: Any, *cols: Any) -> GroupedData:
        """Groups by all the columns, by all but the last, and so on, down to one group of all rows."""
        return GroupedData(self, tuple(self._by_position(col) for col in flattened(cols)), "rollup")

    def cube(self: Any, *cols: Any) -> GroupedData:
        """Groups by every choice of the columns."""
        return GroupedData(self, tuple(self._by_position(col) for col in flattened(cols)), "cube")

    # Part of another DataFrame's expressions and rows

    def scalar(self: Any) -> Column:
        """The value of the one row and column of this DataFrame, in an expression of another one; null without rows."""
        return Column(Subquery("scalar", self._node))

    def exists(self: Any) -> Column:
        """Whether this DataFrame has rows, in an expression of another one."""
        return Column(Subquery("exists", self._node))

    def lateralJoin(self: Any, other: Any, on: Any = None, how: str | None = None) -> DataFrame:
        """Each row with the rows that `other` gives for it, which names its columns by `outer()`. `on` is a condition;
        `how` inner, cross or left. Raises: PlanError UNSUPPORTED_JOIN_TYPE."""
        kind = _LATERAL.get((how or "inner").lower().replace("_", ""))
        if kind is None:
            raise PlanError(
                f"Unsupported lateral join type '{how}'. Supported are {', '.join(_LATERAL)}.",
                code="UNSUPPORTED_JOIN_TYPE",
            )
        right = _other(other)
        if on is not None and not isinstance(on, Column):
            raise wrong_type("on", "Column", on)
        found: DataFrame = self._derive(
            nodes.LateralJoin(self._node, right._node, kind, None if on is None else on._expr)
        )
        return found

    # Columns as rows

    def unpivot(self: Any, ids: Any, values: Any, variableColumnName: str, valueColumnName: str) -> DataFrame:
        """A row for each of the columns `values` (None: all but `ids`): the `ids`, the column's name, and its value."""
        kept = tuple(self._expr(col, "ids") for col in _listed(ids))
        below, turned = self, None
        if values is not None:
            named = []
            for expr in (self._expr(col, "values") for col in _listed(values)):
                if not isinstance(expr, Attribute):  # what is computed becomes a column first
                    below = below.select("*", Column(expr))
                    expr = Attribute((below.columns[-1],))
                named.append(((expr,), None))
            turned = tuple(named)
        found: DataFrame = below._derive(
            nodes.Unpivot(below._node, kept, turned, variableColumnName, (valueColumnName,), nulls=True)
        )
        return found

    melt = unpivot

    def transpose(self: Any, indexColumn: Any = None) -> DataFrame:
        """A row for each column, a column for each row; computed now. See `transposed`."""
        from app.sql.transpose import transposed

        return transposed(self, indexColumn)

    def _combined(self: Self, other: Any, kind: str, every: bool) -> DataFrame:
        left: Any = self
        right = _other(other)
        found: DataFrame = left._derive(nodes.SetOperation(left._node, right._node, kind, every))
        return found


def _other(value: Any) -> Any:
    if isinstance(value, Combining):
        return value
    raise ArgumentTypeError(
        f"Argument `other` should be DataFrame, got {type(value).__name__}.", code="NOT_EXPECTED_TYPE"
    )


def _listed(cols: Any) -> list[Any]:
    return list(cols) if isinstance(cols, (list, tuple)) else [] if cols is None else [cols]
