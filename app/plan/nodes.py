"""Relations as the user wrote them: frozen values, equal when they say the same.

DataFrame calls (`app/sql`) and SQL text (`plan/parse`) build these; `plan/resolve` gives them types.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from app.plan.expressions import Call, Expr, SortKey
from app.plan.types import StructType


@dataclass(frozen=True)
class Node:
    """The base of all relations."""


@dataclass(frozen=True)
class Scan(Node):
    """A source: its format, options (keys lower case, sorted) and the columns it gives.

    `time_zone` is the session's when the source was named: that of times in text that name none.
    `handle` carries what only this process has (the rows of a `MemoryStream`); it is compared by identity.
    """

    format: str
    options: tuple[tuple[str, str], ...]
    schema: StructType
    streaming: bool
    handle: Any = None
    time_zone: str = "UTC"


@dataclass(frozen=True, eq=False)
class Rows(Node):
    """Rows the user gave, as an Arrow table whose columns follow `schema` (compared by identity). `from_files`: they
    are the rows of an epoch, which were read from files."""

    table: Any = field(repr=False)
    schema: StructType
    from_files: bool = False


@dataclass(frozen=True)
class Range(Node):
    """`spark.range`: `start`, `start + step`, … before `end`; one column `id bigint`, not null."""

    start: int
    end: int
    step: int = 1


@dataclass(frozen=True)
class OneRow(Node):
    """One row without columns: what `SELECT 1` selects from."""


@dataclass(frozen=True)
class InlineTable(Node):
    """VALUES: rows of expressions under names."""

    rows: tuple[tuple[Expr, ...], ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Project(Node):
    """SELECT. May hold stars and one generator (`explode`); aggregate calls make it a global aggregation."""

    child: Node
    exprs: tuple[Expr, ...]


@dataclass(frozen=True)
class LateralView(Node):
    """The rows of `child`, each with those that the generator `call` gives for it, whose columns are qualified by
    `alias`; without `names` they are called as the generator has them. With `outer`, nulls where it gives none."""

    child: Node
    call: Call
    alias: str
    names: tuple[str, ...] = ()
    outer: bool = False


@dataclass(frozen=True)
class Distribute(Node):
    """DISTRIBUTE BY: rows have no partitions here, so only the keys are looked at."""

    child: Node
    keys: tuple[Expr, ...]


@dataclass(frozen=True)
class WithColumns(Node):
    """All columns of `child`, those named here replaced in place, new ones behind; with `known`, there are none."""

    child: Node
    columns: tuple[tuple[str, Expr], ...]
    known: bool = False


@dataclass(frozen=True)
class Rename(Node):
    """All columns of `child`; names not found are ignored, as in Spark."""

    child: Node
    names: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Relabel(Node):
    """All columns of `child`, by position, under these names; old names may repeat."""

    child: Node
    names: tuple[str, ...]


@dataclass(frozen=True)
class Drop(Node):
    """All columns of `child` but these; names not found are ignored, as in Spark."""

    child: Node
    columns: tuple[Expr, ...]


@dataclass(frozen=True)
class Filter(Node):
    child: Node
    condition: Expr


@dataclass(frozen=True)
class Qualify(Node):
    """QUALIFY: a filter by window functions, over `child`, a `Project` or `Aggregate`."""

    child: Node
    condition: Expr


@dataclass(frozen=True)
class Aggregate(Node):
    """GROUP BY. `outputs` are all result columns in order (for DataFrame calls: the keys, then the aggregates)."""

    child: Node
    keys: tuple[Expr, ...]
    outputs: tuple[Expr, ...]
    having: Expr | None = None
    positions_of_input: bool = False
    """Whether numbers among the keys are columns of `child`, and not of the results."""


@dataclass(frozen=True)
class Pivot(Node):
    """PIVOT: for each of `values` (constants, with a name or None) the `aggregates` over the rows whose `columns` have
    it, in groups of `keys`; None groups by all columns that are used for nothing else."""

    child: Node
    keys: tuple[Expr, ...] | None
    columns: tuple[Expr, ...]
    values: tuple[tuple[Expr, str | None], ...]
    aggregates: tuple[Expr, ...]


@dataclass(frozen=True)
class Unpivot(Node):
    """UNPIVOT: the `ids` (None: the other columns) with each of the `values`, columns that come together under a name
    (None: their own), as a row of that name and their values. Without `nulls`, rows of nulls only are left out."""

    child: Node
    ids: tuple[Expr, ...] | None
    values: tuple[tuple[tuple[Expr, ...], str | None], ...] | None
    name: str
    value_names: tuple[str, ...]
    nulls: bool = False


@dataclass(frozen=True)
class Deduplicate(Node):
    """The first row of each value of `columns` (None: of all columns)."""

    child: Node
    columns: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Union(Node):
    """UNION ALL, by position or by name."""

    left: Node
    right: Node
    by_name: bool = False
    allow_missing: bool = False


@dataclass(frozen=True)
class SetOperation(Node):
    """`kind` intersect or except, by position; with `every` (ALL) rows count as often as they come."""

    left: Node
    right: Node
    kind: str
    every: bool = False


@dataclass(frozen=True)
class Join(Node):
    """`how`: inner, cross, left, right, full, semi, anti. Either `on` or `using` or neither; `natural` is USING with
    the names that both sides have."""

    left: Node
    right: Node
    how: str = "inner"
    on: Expr | None = None
    using: tuple[str, ...] | None = None
    natural: bool = False


@dataclass(frozen=True)
class LateralJoin(Node):
    """Each row of `left` with the rows that `right` gives for it: `right` may name the columns of `left`. `how` inner,
    left, or another one that is refused."""

    left: Node
    right: Node
    how: str = "inner"
    on: Expr | None = None


@dataclass(frozen=True)
class Sort(Node):
    child: Node
    keys: tuple[SortKey, ...]


@dataclass(frozen=True)
class Limit(Node):
    child: Node
    count: int
    offset: int = 0


@dataclass(frozen=True)
class RoutineCall(Node):
    """A call in FROM, of a SQL function of the session."""

    call: Call


@dataclass(frozen=True)
class Named(Node):
    """`child AS alias`: its columns may be qualified by `alias`."""

    child: Node
    alias: str


@dataclass(frozen=True)
class Step(Node):
    """`child`, of which nothing behind its own columns can be reached: what a pipe operator gives to the next one."""

    child: Node


@dataclass(frozen=True)
class Watermark(Node):
    """`withWatermark`: rows whose `column` is older than the newest one minus `delay_us` are late."""

    child: Node
    column: str
    delay_us: int


@dataclass(frozen=True)
class Sample(Node):
    """The rows whose `rand(seed)` is at least `low` and below `high`; with `ordered`, sorted first by all columns that
    have an order, so that equal rows are taken alike. With `replaced`, each row as often as a draw from Poisson's
    distribution says, whose mean is what lies between the bounds."""

    child: Node
    low: float
    high: float
    seed: int
    ordered: bool = False
    replaced: bool = False


@dataclass(frozen=True, eq=False)
class RecursionRef(Node):
    """Inside the step of a `Recursion`: the rows that the step before has given."""

    name: str


@dataclass(frozen=True)
class Recursion(Node):
    """WITH RECURSIVE: the rows of `anchor`, and those that `step` gives for them, for what it gives, and so on.
    `columns` are other names for those of the anchor; `most` is how often `step` may be computed, None for what the
    session says."""

    anchor: Node
    step: Node
    ref: RecursionRef
    columns: tuple[str, ...] = ()
    most: int | None = None
