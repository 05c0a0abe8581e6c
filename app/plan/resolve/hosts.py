"""Sorting and filtering by what a projection below has left out.

Spark lets `ORDER BY` and `WHERE` above a projection name its input columns. The projection is then widened by
hidden columns, which are cut off again above.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from app.errors import PlanError
from app.plan.bound import Relation, Typed
from app.plan.expressions import Expr
from app.plan.resolve.expressions import Binder
from app.plan.resolve.scope import Column, Context, Host, Scope, Unresolved
from app.plan.rewrite import aggregates_in

Build = Callable[[Relation, tuple[Typed, ...]], Relation]
"""A relation over a relation, with the bound expressions it uses; more columns may stand behind those of its input."""


def bind_over(
    context: Context, scope: Scope, exprs: tuple[Expr, ...], behind: bool = False
) -> tuple[Scope, tuple[Typed, ...]]:
    """The expressions bound to the scope, or to a wider one that begins with the same columns. With `behind`, names
    are looked for behind the projection first.

    Aggregate calls stay in the result only where no aggregation below can compute them. Raises: PlanError."""
    if behind and scope.host is not None:
        return scope.host.reach(exprs)
    missing: Unresolved | None = None
    bound: tuple[Typed, ...] = ()
    try:
        # What lies behind the projection goes before the columns of a query around this one.
        binder = Binder(context, scope, outside=scope.host is None)
        binder.variables = scope.host is None  # columns behind the projection go before variables too
        bound = tuple(binder.bind(expr) for expr in exprs)
        if not any(aggregates_in(typed) for typed in bound):
            return scope, bound
    except Unresolved as error:
        missing = error
    if scope.host is not None:
        try:
            return scope.host.reach(exprs)
        except PlanError as error:
            if missing is None or not (isinstance(error, Unresolved) or error.code == "MISSING_AGGREGATION"):
                raise
    if missing is not None and scope.host is not None and context.binding.variables:
        binder = Binder(context, scope, outside=False)
        return scope, tuple(binder.bind(expr) for expr in exprs)
    if missing is not None:
        raise missing
    return scope, bound


def over(context: Context, scope: Scope, exprs: tuple[Expr, ...], build: Build, behind: bool = False) -> Scope:
    """A node that hands on all columns of its input and computes with `exprs`. Raises: PlanError."""
    wide, bound = bind_over(context, scope, exprs, behind)
    relation = build(wide.relation, bound)
    if wide is not scope:
        refs = tuple(scope.ref(at) for at in range(len(scope.columns)))
        relation = replace(scope, relation=relation).picked(refs, scope.columns)
    host = None if scope.host is None else _Wrapped(scope.host, exprs, build)
    return replace(scope, relation=relation, host=host)


@dataclass(frozen=True)
class _Wrapped:
    """The host below a node that hands on all columns."""

    inner: Host
    exprs: tuple[Expr, ...]
    build: Build

    def reach(self, exprs: tuple[Expr, ...]) -> tuple[Scope, tuple[Typed, ...]]:
        wide, bound = self.inner.reach((*self.exprs, *exprs))
        count = len(self.exprs)
        relation = self.build(wide.relation, bound[:count])
        return replace(wide, relation=relation), bound[count:]


@dataclass(frozen=True)
class Projection:
    """The host of a projection: `exprs` over `relation`, which gives what `below` gives and maybe more."""

    context: Context
    below: Scope
    relation: Relation
    exprs: tuple[Typed, ...]
    columns: tuple[Column, ...]

    def reach(self, exprs: tuple[Expr, ...]) -> tuple[Scope, tuple[Typed, ...]]:
        """All input columns added, at first those of the next node below, then what lies behind it."""
        kept = {column.id for column in self.columns}
        more = [at for at, column in enumerate(self.below.columns) if column.id not in kept]
        columns = (*self.columns, *(_hidden(self.below.columns[at]) for at in more))
        everything = (*self.exprs, *(self.below.ref(at) for at in more))
        relation = replace(self.below, relation=self.relation).picked(everything, columns)
        wide = self.context.scope(relation, columns, self._deeper())
        return bind_over(self.context, wide, exprs)

    def _deeper(self) -> Host | None:
        if self.below.host is None or self.relation is not self.below.relation:
            return None
        return _Deeper(self, self.below.host)


@dataclass(frozen=True)
class _Deeper:
    """The host of a projection whose input is itself widened."""

    top: Projection
    host: Host

    def reach(self, exprs: tuple[Expr, ...]) -> tuple[Scope, tuple[Typed, ...]]:
        below, _ = self.host.reach(())
        return replace(self.top, below=below, relation=below.relation).reach(exprs)


def _hidden(column: Column) -> Column:
    return replace(column, hidden=column.hidden + 1)
