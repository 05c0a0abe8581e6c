"""LATERAL joins: a query that is asked anew for each row of another relation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from app.errors import PlanError
from app.plan.bound import AggCall, Apply, Keep, Lateral, Ref, Relation, Typed
from app.plan.functions import lookup
from app.plan.nodes import LateralJoin
from app.plan.relation_rewrite import expressions_of
from app.plan.resolve.enclosing import Enclosing
from app.plan.resolve.joins import condition
from app.plan.resolve.names import base_column
from app.plan.resolve.scope import Context, Scope, schema_of
from app.plan.resolve.subqueries import check_plain, settled
from app.plan.rewrite import rebuilt, walk


def lateral_joined(context: Context, node: LateralJoin, left: Scope) -> Scope:
    """The relation of a lateral join. Raises: PlanError."""
    if node.how not in ("inner", "left"):
        raise PlanError(
            f"The {node.how} JOIN with a LATERAL subquery is not allowed: an outer reference can only be to rows that "
            "are there. Use INNER JOIN or LEFT JOIN.",
            code="INVALID_LATERAL_JOIN_TYPE",
        )

    around = Enclosing(lambda name: base_column(context, left, name))
    right = context.query(node.right, around)
    relation = right.relation
    if node.on is not None:
        both = context.scope(left.relation, (*left.columns, *right.columns))
        typed = condition(context, node.on, left, right, both)
        check_plain((typed,), "the condition of a LATERAL join")
        if not _settled((typed,)):
            raise _random("The condition of a LATERAL join", "LATERAL_JOIN_CONDITION_NON_DETERMINISTIC")
        relation = Keep(relation.schema, relation, _inwards(typed, len(left.columns), around))
    relation, args = settled(relation, around)
    if not all(_settled(expressions_of(below)) for below in relation.walk()):
        raise _random("A LATERAL subquery", "NON_DETERMINISTIC_LATERAL_SUBQUERIES")
    theirs = tuple(replace(c, nullable=c.nullable or node.how == "left") for c in right.columns)
    columns = (*left.columns, *theirs)
    joined: Relation = Lateral(schema_of(columns), left.relation, relation, args, node.how)
    return context.scope(joined, columns)


def _inwards(typed: Typed, width: int, around: Enclosing) -> Typed:
    """A condition over both sides as one over the right side, to which the left one is the query around."""
    if isinstance(typed, Ref):
        return replace(typed, index=typed.index - width) if typed.index >= width else around.taken(typed)
    return rebuilt(typed, lambda part: _inwards(part, width, around))


def _settled(exprs: Iterable[Typed]) -> bool:
    """Whether expressions give the same for the same rows."""
    calls = (found for typed in exprs for found in walk(typed) if isinstance(found, (Apply, AggCall)))
    return all(lookup(call.function).deterministic for call in calls)


def _random(what: str, kind: str) -> PlanError:
    return PlanError(
        f"{what} calls a function that gives another value each time (rand, uuid). Select such values before the join.",
        code=f"UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.{kind}",
    )
