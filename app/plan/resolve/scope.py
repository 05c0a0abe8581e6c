"""What the expressions of one node may refer to: columns with names, qualifiers and an identity.

A column keeps its identity (`id`) wherever it comes through unchanged, so that `df["a"]` still means the same
column above a filter or a join, under whatever name or position.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from app.errors import PlanError
from app.plan.bound import Ref, Relation, Select, Typed
from app.plan.expressions import Expr
from app.plan.functions.entry import Binding
from app.plan.types import DataType, StructField, StructType

if TYPE_CHECKING:
    from app.plan.resolve.enclosing import Enclosing


class Unresolved(PlanError):
    """A name that is not in scope; it may still be found in the columns behind a projection."""

    code = "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"


class OuterAlone(Unresolved):
    """A column said to be of an outer query, in a query that stands alone; it may still be used inside another one."""


@dataclass(frozen=True, slots=True)
class Column:
    """One output column. A `hidden` one is not selected by `*` but can be named (the other side's join key), where no
    column that is less hidden has the name."""

    name: str
    type: DataType
    nullable: bool
    id: int
    qualifier: str | None = None
    hidden: int = 0
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def sql(self) -> str:
        """The name in messages, quoted and qualified."""
        parts = (self.name,) if self.qualifier is None else (self.qualifier, self.name)
        return quoted(parts)


class Host(Protocol):
    """A projection or aggregation whose input can still be reached by a sort or a filter above it."""

    def reach(self, exprs: tuple[Expr, ...]) -> tuple[Scope, tuple[Typed, ...]]:
        """The same relation with more, hidden columns behind its own, and `exprs` bound to it.

        Raises: PlanError, Unresolved among them."""


@dataclass(frozen=True)
class Scope:
    """A resolved relation and the names of its columns, in its order."""

    relation: Relation
    columns: tuple[Column, ...]
    host: Host | None = None
    case_sensitive: bool = False

    def key(self, name: str) -> str:
        return name if self.case_sensitive else name.lower()

    @cached_property
    def by_name(self) -> dict[str, list[int]]:
        """Positions of the columns with a name, hidden ones left out."""
        return self._index(0)

    @cached_property
    def hidden_by_name(self) -> list[dict[str, list[int]]]:
        """The same for hidden columns, the least hidden first."""
        return [self._index(depth) for depth in sorted({c.hidden for c in self.columns if c.hidden})]

    @cached_property
    def by_id(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for at, column in enumerate(self.columns):
            found.setdefault(column.id, []).append(at)
        return found

    def visible(self) -> list[int]:
        """Positions of the columns that `*` means."""
        return [at for at, column in enumerate(self.columns) if not column.hidden]

    def ref(self, at: int) -> Ref:
        column = self.columns[at]
        return Ref(column.type, column.nullable, at, column.name)

    def named(self, qualifier: str) -> Scope:
        """The same columns, qualified by an alias; what was behind them cannot be reached any more."""
        columns = tuple(replace(c, qualifier=qualifier) for c in self.columns)
        return replace(self, columns=columns, host=None)

    def trimmed(self) -> Scope:
        """The same without hidden columns."""
        kept = self.visible()
        if len(kept) == len(self.columns):
            return self
        columns = tuple(self.columns[at] for at in kept)
        return Scope(self.picked(tuple(self.ref(at) for at in kept), columns), columns, None, self.case_sensitive)

    def picked(self, exprs: tuple[Typed, ...], columns: tuple[Column, ...]) -> Relation:
        """A projection of this relation; what only picks columns of another projection becomes one with it."""
        return projection(self.relation, exprs, schema_of(columns))

    def _index(self, hidden: int) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for at, column in enumerate(self.columns):
            if column.hidden == hidden:
                found.setdefault(self.key(column.name), []).append(at)
        return found


class Context:
    """What one run of resolution shares: the binding, fresh column identities, and what each node gave."""

    def __init__(self, binding: Binding) -> None:
        self.binding = binding
        self.case_sensitive = binding.conf.get("spark.sql.caseSensitive", "false").lower() == "true"
        self.by_chance = False
        """Whether some expression is not deterministic."""
        self.around: Enclosing | None = None
        """The query around the one that is being resolved."""
        self.recursions: dict[Any, tuple[Column, ...]] = {}
        """The columns of each WITH RECURSIVE whose step is being resolved, by its `RecursionRef`."""
        self.subqueries: list[Any] = []
        """Those that were resolved, here and in all copies."""
        self._resolve: Callable[[Any], Scope] | None = None
        self._last_id = 0
        self._given: dict[int, tuple[Any, list[Scope]]] = {}

    def resolve_with(self, resolve: Callable[[Any], Scope]) -> None:
        """Says how the plan of a subquery is resolved."""
        self._resolve = resolve

    def query(self, node: Any, around: Enclosing) -> Scope:
        """A query inside another one, without hidden columns. Raises: PlanError."""
        assert self._resolve is not None
        self.subqueries.append(node)
        outer, self.around = self.around, around
        try:
            return self._resolve(node).trimmed()
        finally:
            self.around = outer

    def copied(self) -> Context:
        """A context that goes on from here and leaves this one as it is."""
        other = Context(self.binding)
        other.by_chance = self.by_chance
        other._last_id = self._last_id
        other.subqueries = self.subqueries
        other._given = {key: (node, list(scopes)) for key, (node, scopes) in self._given.items()}
        return other

    def fresh(self) -> int:
        self._last_id += 1
        return self._last_id

    def remember(self, node: Any, scope: Scope) -> None:
        """`df["a"]` names the node of `df`; a node that is used twice has given two scopes."""
        self._given.setdefault(id(node), (node, []))[1].append(scope)

    def given_by(self, node: Any) -> list[Scope]:
        return self._given.get(id(node), (node, []))[1]

    def columns(self, schema: StructType) -> tuple[Column, ...]:
        return tuple(Column(f.name, f.dataType, f.nullable, self.fresh(), metadata=f.metadata) for f in schema)

    def scope(self, relation: Relation, columns: tuple[Column, ...], host: Host | None = None) -> Scope:
        return Scope(relation, columns, host, self.case_sensitive)


def projection(child: Relation, exprs: tuple[Typed, ...], schema: StructType) -> Relation:
    """`Select`, left out where it changes nothing and merged where it only picks columns of a `Select` below."""
    picks = [e.index for e in exprs if isinstance(e, Ref)]
    if len(picks) < len(exprs):
        return Select(schema, child, exprs)
    if picks == list(range(len(child.schema))) and schema == child.schema:
        return child
    if isinstance(child, Select) and len(set(picks)) == len(picks):
        return Select(schema, child.child, tuple(child.exprs[at] for at in picks))
    return Select(schema, child, exprs)


def schema_of(columns: tuple[Column, ...]) -> StructType:
    return StructType([StructField(c.name, c.type, c.nullable, dict(c.metadata)) for c in columns])


def quoted(parts: tuple[str, ...]) -> str:
    """A name as messages show it: each part in backquotes."""
    return ".".join(f"`{part.replace('`', '``')}`" for part in parts)
