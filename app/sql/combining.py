"""What a DataFrame does with another one as a set of rows, and its groups of groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from app.errors import ArgumentTypeError
from app.plan import nodes
from app.sql.arguments import flattened
from app.sql.group import GroupedData

if TYPE_CHECKING:
    from app.sql.dataframe import DataFrame


class Combining:
    """The part of a DataFrame that intersects, subtracts, and groups by several sets of columns at once."""

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

    def rollup(self: Any, *cols: Any) -> GroupedData:
        """Groups by all the columns, by all but the last, and so on, down to one group of all rows."""
        return GroupedData(self, tuple(self._by_position(col) for col in flattened(cols)), "rollup")

    def cube(self: Any, *cols: Any) -> GroupedData:
        """Groups by every choice of the columns."""
        return GroupedData(self, tuple(self._by_position(col) for col in flattened(cols)), "cube")

    def _combined(self: Self, other: Any, kind: str, every: bool) -> DataFrame:
        if not isinstance(other, Combining):
            raise ArgumentTypeError(
                f"Argument `other` should be DataFrame, got {type(other).__name__}.", code="NOT_EXPECTED_TYPE"
            )
        left: Any = self
        right: Any = other
        found: DataFrame = left._derive(nodes.SetOperation(left._node, right._node, kind, every))
        return found
