"""`pyspark.sql.window`: which rows a function sees `over` a window."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from app.errors import ArgumentTypeError
from app.plan.expressions import Call, Expr, Frame, Over, SortKey
from app.sql.arguments import flattened
from app.sql.column import Column, to_column_expr
from app.sql.literals import literal

_FAR = (1 << 31) - 1
"""Offsets beyond this mean no bound."""


@dataclass(frozen=True)
class WindowSpec:
    """A window: its partitions, the order in them, and the frame around each row. Methods give changed copies."""

    _partition: tuple[Expr, ...] = ()
    _order: tuple[SortKey, ...] = ()
    _frame: Frame | None = None

    def partitionBy(self, *cols: Any) -> WindowSpec:
        """The window in partitions of equal values of the columns."""
        return replace(self, _partition=tuple(map(to_column_expr, flattened(cols))))

    def orderBy(self, *cols: Any) -> WindowSpec:
        """The window with its rows in this order."""
        keys = [to_column_expr(col) for col in flattened(cols)]
        return replace(self, _order=tuple(key if isinstance(key, SortKey) else SortKey(key) for key in keys))

    def rowsBetween(self, start: int, end: int) -> WindowSpec:
        """The window of the rows from `start` to `end`, counted from the current one."""
        return replace(self, _frame=Frame("rows", _bound(start), _bound(end)))

    def rangeBetween(self, start: int, end: int) -> WindowSpec:
        """The window of the rows whose order key lies between the current one's plus `start` and plus `end`."""
        return replace(self, _frame=Frame("range", _bound(start), _bound(end)))


class Window:
    """Where a window begins: `Window.partitionBy("k").orderBy("t")`."""

    unboundedPreceding: ClassVar[int] = -(1 << 63)
    unboundedFollowing: ClassVar[int] = (1 << 63) - 1
    currentRow: ClassVar[int] = 0

    @staticmethod
    def partitionBy(*cols: Any) -> WindowSpec:
        """As `WindowSpec.partitionBy`."""
        return WindowSpec().partitionBy(*cols)

    @staticmethod
    def orderBy(*cols: Any) -> WindowSpec:
        """As `WindowSpec.orderBy`."""
        return WindowSpec().orderBy(*cols)

    @staticmethod
    def rowsBetween(start: int, end: int) -> WindowSpec:
        """As `WindowSpec.rowsBetween`."""
        return WindowSpec().rowsBetween(start, end)

    @staticmethod
    def rangeBetween(start: int, end: int) -> WindowSpec:
        """As `WindowSpec.rangeBetween`."""
        return WindowSpec().rangeBetween(start, end)


def over(call: Expr, window: Any) -> Column:
    """The call over the window. Raises: ArgumentTypeError, for what is no window or no call."""
    if not isinstance(window, WindowSpec):
        raise ArgumentTypeError(
            f"Argument `window` should be WindowSpec, got {type(window).__name__}.", code="NOT_EXPECTED_TYPE"
        )
    if not isinstance(call, Call):
        raise ArgumentTypeError(
            "Only the call of a function can be over a window; give it a name with alias() behind over().",
            code="NOT_EXPECTED_TYPE",
        )
    return Column(Over(call, window._partition, window._order, window._frame))


def _bound(offset: Any) -> Expr | None:
    if isinstance(offset, int) and abs(offset) > _FAR:
        return None
    return literal(offset)
