"""The plan after resolution: every expression has a Spark type and nullability, every column a position.

Relations know their `schema`. Columns are referred to by position in the child's output (for a join: left, then
right), so names may repeat. The kernel prints these as DuckDB SQL with columns named c0, c1, ….
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from app.plan.types import DataType, StructType


@dataclass(frozen=True, slots=True)
class Typed:
    """The base of all resolved expressions."""

    type: DataType
    nullable: bool


@dataclass(frozen=True, slots=True)
class Ref(Typed):
    """Column number `index` of the child."""

    index: int
    name: str


@dataclass(frozen=True, slots=True)
class Const(Typed):
    """A constant; Python values as in `expressions.Literal`."""

    value: Any


@dataclass(frozen=True, slots=True)
class Apply(Typed):
    """A scalar function of the catalogue (by its canonical name) on arguments that have its exact types."""

    function: str
    args: tuple[Typed, ...]


@dataclass(frozen=True, slots=True)
class Convert(Typed):
    """A cast to `type`; `safe` gives null where `CAST` would fail; `ansi` False gives Spark's legacy cast."""

    child: Typed
    safe: bool = False
    ansi: bool = True


@dataclass(frozen=True, slots=True)
class Choose(Typed):
    """CASE WHEN; branches and otherwise have the type of the whole."""

    branches: tuple[tuple[Typed, Typed], ...]
    otherwise: Typed | None


@dataclass(frozen=True, slots=True)
class LambdaRef(Typed):
    """A parameter of the enclosing lambda."""

    name: str


@dataclass(frozen=True, slots=True)
class LambdaFn(Typed):
    """A lambda; `type` and `nullable` are those of its body."""

    params: tuple[str, ...]
    body: Typed


@dataclass(frozen=True, slots=True)
class AggCall(Typed):
    """An aggregate function of the catalogue; only inside `Grouped.aggregates`."""

    function: str
    args: tuple[Typed, ...]
    distinct: bool = False
    filter: Typed | None = None
    ignore_nulls: bool = False
    orders: tuple[Order, ...] = ()


@dataclass(frozen=True, slots=True)
class Subquery(Typed):
    """A static query inside an expression, `kind` as in `expressions.Subquery`, or "not in". What it uses of the rows
    around it are the `args`; in `relation` an `OuterRef` stands for each."""

    kind: str
    relation: Relation
    args: tuple[Typed, ...] = ()
    values: tuple[Typed, ...] = ()


@dataclass(frozen=True, slots=True)
class OuterRef(Typed):
    """Argument number `index` of the `Subquery` or `Lateral` that the expression is part of."""

    index: int
    name: str


@dataclass(frozen=True, slots=True)
class Printed(Typed):
    """A subquery or an outer column that the kernel has printed already."""

    sql: str


@dataclass(frozen=True, slots=True)
class Order:
    """One item of a sort, nulls settled."""

    child: Typed
    ascending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """As in `expressions.Frame`; offsets are constants. Months are counted on the wall clock of `zone`."""

    unit: str
    start: Const | None
    end: Const | None
    zone: str = "UTC"


@dataclass(frozen=True, slots=True)
class WindowCall(Typed):
    """An aggregate or window function of the catalogue over a window; only inside `Windowed.calls`. What stands in
    `call` itself is no part of the expression, its arguments are."""

    call: AggCall | Apply
    partition: tuple[Typed, ...]
    orders: tuple[Order, ...]
    frame: Frame | None
    ignore_nulls: bool = False


@dataclass(frozen=True)
class Relation:
    """The base of all resolved relations."""

    schema: StructType

    def children(self) -> tuple[Relation, ...]:
        return ()

    def walk(self) -> Iterator[Relation]:
        """This node, then all below it, left to right."""
        yield self
        for child in self.children():
            yield from child.walk()

    @property
    def streaming(self) -> bool:
        return any(child.streaming for child in self.children())


@dataclass(frozen=True)
class Leaf(Relation):
    """Rows from outside: `node` is the `nodes.Scan`, `nodes.Rows` or `nodes.Range` they come from."""

    node: Any

    @property
    def streaming(self) -> bool:
        return bool(getattr(self.node, "streaming", False))


@dataclass(frozen=True, eq=False)
class Recursed:
    """Stands in a `Leaf` for what a WITH RECURSIVE comes to. In `step`, a leaf of `ref` has the rows of the step
    before. `most_steps` and `most_rows` are bounds, None for none; once there are `enough` rows, no step follows."""

    anchor: Relation
    step: Relation
    ref: Any
    most_steps: int | None
    most_rows: int | None
    most_written: bool = False
    """Whether `most_steps` is what the query says itself."""
    enough: int | None = None


@dataclass(frozen=True)
class Single(Relation):
    """One row without columns."""


@dataclass(frozen=True)
class Unary(Relation):
    child: Relation

    def children(self) -> tuple[Relation, ...]:
        return (self.child,)


@dataclass(frozen=True)
class Select(Unary):
    """One output column an expression."""

    exprs: tuple[Typed, ...]


@dataclass(frozen=True)
class Keep(Unary):
    """WHERE: rows for which `condition` is true."""

    condition: Typed


@dataclass(frozen=True)
class Explode(Unary):
    """Output: the child's columns, then those of `generator` (an `Apply` of a generator function) for each of its
    rows; with `outer`, one row of nulls where it gives none."""

    generator: Apply
    outer: bool = False


@dataclass(frozen=True)
class Grouped(Unary):
    """Output: the keys, then the aggregates. Without keys: one row, always. A `Select` above gives names."""

    keys: tuple[Typed, ...]
    aggregates: tuple[AggCall, ...]


@dataclass(frozen=True)
class Windowed(Unary):
    """Output: the child's columns, then one for each call."""

    calls: tuple[WindowCall, ...]


@dataclass(frozen=True)
class FirstOf(Unary):
    """The first row for each value of the columns at `positions` (Spark: dropDuplicates)."""

    positions: tuple[int, ...]


@dataclass(frozen=True)
class Concat(Relation):
    """UNION ALL of relations with the same column types (casts are in the children)."""

    inputs: tuple[Relation, ...]

    def children(self) -> tuple[Relation, ...]:
        return self.inputs


@dataclass(frozen=True)
class Combined(Relation):
    """INTERSECT or EXCEPT (`kind`) of relations with the same column types; `every` as in `nodes.SetOperation`."""

    left: Relation
    right: Relation
    kind: str
    every: bool

    def children(self) -> tuple[Relation, ...]:
        return (self.left, self.right)


@dataclass(frozen=True)
class Joined(Relation):
    """`how` as in `nodes.Join`; `condition` refers to left columns, then right columns. Output: left, then right
    columns (semi, anti: left only)."""

    left: Relation
    right: Relation
    how: str
    condition: Typed | None

    def children(self) -> tuple[Relation, ...]:
        return (self.left, self.right)


@dataclass(frozen=True)
class Lateral(Unary):
    """The child's rows, each with the rows that the static `inner` gives for its `args`; `how` inner or left. Output:
    the child's columns, then those of `inner`."""

    inner: Relation
    args: tuple[Typed, ...]
    how: str


@dataclass(frozen=True)
class Sorted(Unary):
    orders: tuple[Order, ...]


@dataclass(frozen=True)
class Limited(Unary):
    count: int
    offset: int = 0


@dataclass(frozen=True)
class Sampled(Unary):
    """As `nodes.Sample`, of rows in the order they have."""

    low: float
    high: float
    seed: int
    replaced: bool


@dataclass(frozen=True)
class Watermarked(Unary):
    """Column `position` carries event time; `delay_us` as in `nodes.Watermark`."""

    position: int
    delay_us: int
