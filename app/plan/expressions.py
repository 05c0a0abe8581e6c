"""Expressions as the user wrote them: frozen values without types; names are not looked up yet.

Every operator is a `Call` with the catalogue's name for it (`+`, `==`, `and`, `like`, `getitem`, …), so there is
one kind of node for all that computes. `plan/resolve` turns these into the typed values of `plan/bound`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.plan.types import DataType


@dataclass(frozen=True, slots=True)
class Expr:
    """The base of all unresolved expressions."""


@dataclass(frozen=True, slots=True)
class Attribute(Expr):
    """A column by name: `("a",)`, `("t", "a")`, or with struct fields behind it `("t", "a", "b")`.

    `of` is the plan node of the DataFrame the column was taken from (`df["a"]`), or None for `col("a")`. It is
    not part of equality, so that DataFrame calls and SQL text give equal plans.
    """

    parts: tuple[str, ...]
    of: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Star(Expr):
    """`*` or `t.*`, without the columns `dropped` (EXCEPT); `of` as in `Attribute`."""

    qualifier: tuple[str, ...] = ()
    of: Any = field(default=None, compare=False, repr=False)
    dropped: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class Literal(Expr):
    """A constant. The Python value per type: int, float, Decimal, str, bytes, bool, None; date and timestamp_ntz as
    `datetime` values, timestamp as an aware UTC `datetime`, day-time intervals as `timedelta`, year-month
    intervals as months (int)."""

    value: Any
    type: DataType


@dataclass(frozen=True, slots=True)
class Call(Expr):
    """A function, operator or aggregate of the catalogue."""

    name: str
    args: tuple[Expr, ...] = ()
    distinct: bool = False
    filter: Expr | None = None
    ignore_nulls: bool = False
    order: tuple[SortKey, ...] = ()
    """WITHIN GROUP (ORDER BY …) of an aggregate."""


@dataclass(frozen=True, slots=True)
class Tuple(Call):
    """`(a, b)`: a struct for which no function is called, and which is shown as another one."""


RESPECTING = " respecting nulls"
"""Ends the names of aggregates that keep the nulls which those without it pass over."""


@dataclass(frozen=True, slots=True)
class NamedArg(Expr):
    """`name => value` among the arguments of a call."""

    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Subquery(Expr):
    """A query inside an expression. `kind` scalar: the value of its one row; exists: whether it has rows; in: whether
    `values` together are one of its rows. `query` is a plan node."""

    kind: str
    query: Any
    values: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Outer(Expr):
    """`col("a").outer()`: a column of the query around the subquery that the expression is part of."""

    child: Attribute


@dataclass(frozen=True, slots=True)
class Cast(Expr):
    """`CAST(child AS to)`; with `safe`, `TRY_CAST`."""

    child: Expr
    to: DataType
    safe: bool = False


class MomentLiteral(Cast):
    """`TIMESTAMP '…'` of a wall clock beyond Python's years: the instant is known when the time zone is."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Case(Expr):
    """`CASE WHEN c THEN v … ELSE otherwise END`; without `otherwise`, null."""

    branches: tuple[tuple[Expr, Expr], ...]
    otherwise: Expr | None = None


@dataclass(frozen=True, slots=True)
class Lambda(Expr):
    """The function argument of a higher-order function; `params` are visible as attributes in `body`."""

    params: tuple[str, ...]
    body: Expr


@dataclass(frozen=True, slots=True)
class Alias(Expr):
    """A named result; several names where a generator gives several columns."""

    child: Expr
    names: tuple[str, ...]
    metadata: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
    """None for that of the column it names."""


@dataclass(frozen=True, slots=True)
class SortKey(Expr):
    """One item of ORDER BY. Spark's default: ascending has nulls first, descending has nulls last."""

    child: Expr
    ascending: bool = True
    nulls_first: bool | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """Which rows around the current one a window function sees: `unit` rows or range; offsets from the current row,
    0 for the row itself, negative for those before it; None for no bound."""

    unit: str
    start: Expr | None
    end: Expr | None


@dataclass(frozen=True, slots=True)
class Over(Expr):
    """`call OVER (PARTITION BY … ORDER BY … frame)`. Only while SQL text is read, `name` stands for the definition that
    its WINDOW clause gives, to which nothing may be added."""

    call: Call
    partition: tuple[Expr, ...] = ()
    order: tuple[SortKey, ...] = ()
    frame: Frame | None = None
    name: str | None = None
