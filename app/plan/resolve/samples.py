"""A part of a relation's rows by chance, as Spark takes it from a table that is one partition."""

from __future__ import annotations

from app.plan.bound import Order, Ref, Relation, Sampled, Sorted, Typed
from app.plan.functions.signature import orderable
from app.plan.nodes import Sample
from app.plan.resolve.hosts import over
from app.plan.resolve.scope import Context, Scope


def sampled(context: Context, node: Sample, scope: Scope) -> Scope:
    """The rows whose chance lies between two bounds. Raises: PlanError."""

    def build(relation: Relation, _: tuple[Typed, ...]) -> Relation:
        below = _ordered(relation) if node.ordered else relation
        return Sampled(relation.schema, below, node.low, node.high, node.seed, node.replaced)

    return over(context, scope, (), build)


def _ordered(relation: Relation) -> Relation:
    columns = [Ref(f.dataType, f.nullable, at, f.name) for at, f in enumerate(relation.schema)]
    orders = tuple(Order(column, True, True) for column in columns if orderable(column.type))
    return Sorted(relation.schema, relation, orders) if orders else relation
