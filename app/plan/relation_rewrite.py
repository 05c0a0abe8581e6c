"""Walking and rebuilding resolved relations, together with the expressions and the subqueries in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from app.plan.bound import (
    Combined,
    Concat,
    Explode,
    Grouped,
    Joined,
    Keep,
    Lateral,
    Order,
    OuterRef,
    Relation,
    Select,
    Sorted,
    Subquery,
    Typed,
    Unary,
    Windowed,
)
from app.plan.rewrite import walk


def expressions_of(relation: Relation) -> tuple[Typed, ...]:
    """The expressions of one node, those of the nodes below it left out."""
    match relation:
        case Select():
            return relation.exprs
        case Keep():
            return (relation.condition,)
        case Explode():
            return (relation.generator,)
        case Grouped():
            return (*relation.keys, *relation.aggregates)
        case Windowed():
            return relation.calls
        case Sorted():
            return tuple(order.child for order in relation.orders)
        case Joined(condition=condition) if condition is not None:
            return (condition,)
        case Lateral():
            return relation.args
    return ()


def subqueries_in(typed: Typed) -> list[Subquery]:
    """The subqueries of an expression; those inside their relations are left out."""
    return [found for found in walk(typed) if isinstance(found, Subquery)]


def everything_in(relation: Relation) -> Iterator[Relation]:
    """All nodes of a plan, those of the subqueries in its expressions too."""
    for node in relation.walk():
        yield node
        if isinstance(node, Lateral):
            yield from everything_in(node.inner)
        for typed in expressions_of(node):
            for found in subqueries_in(typed):
                yield from everything_in(found.relation)


def with_expressions(relation: Relation, change: Callable[[Typed], Typed]) -> Relation:
    """One node with `change` applied to each of its expressions."""

    def each(items: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(map(change, items))

    match relation:
        case Select():
            return replace(relation, exprs=each(relation.exprs))
        case Keep():
            return replace(relation, condition=change(relation.condition))
        case Explode():
            return replace(relation, generator=each((relation.generator,))[0])
        case Grouped():
            return replace(relation, keys=each(relation.keys), aggregates=each(relation.aggregates))
        case Windowed():
            return replace(relation, calls=each(relation.calls))
        case Sorted():
            return replace(relation, orders=tuple(_order(order, change) for order in relation.orders))
        case Joined(condition=condition) if condition is not None:
            return replace(relation, condition=change(condition))
        case Lateral():
            return replace(relation, args=each(relation.args))
    return relation


def with_children(relation: Relation, change: Callable[[Relation], Relation]) -> Relation:
    """One node over changed children; itself where none changes."""
    match relation:
        case Unary(child=child):
            changed = change(child)
            return relation if changed is child else replace(relation, child=changed)
        case Concat(inputs=inputs):
            every = tuple(map(change, inputs))
            return (
                relation if all(a is b for a, b in zip(every, inputs, strict=True)) else replace(relation, inputs=every)
            )
        case Joined(left=left, right=right) | Combined(left=left, right=right):
            ours, theirs = change(left), change(right)
            return relation if ours is left and theirs is right else replace(relation, left=ours, right=theirs)
    return relation


def _order(order: Order, change: Callable[[Typed], Typed]) -> Order:
    return replace(order, child=change(order.child))


def mapped(relation: Relation, change: Callable[[Typed], Typed]) -> Relation:
    """The plan with `change` applied to every expression; what stands inside subqueries is left as it is."""
    return with_expressions(with_children(relation, lambda child: mapped(child, change)), change)


def outer_refs(relation: Relation) -> Iterator[OuterRef]:
    """What a query uses of the rows around it; what stands inside subqueries of its own does not count."""
    for node in relation.walk():
        for typed in expressions_of(node):
            yield from (found for found in walk(typed) if isinstance(found, OuterRef))
