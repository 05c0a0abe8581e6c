"""WITH RECURSIVE: what it begins with, what is repeated, and where it may name itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from app.errors import PlanError
from app.plan import nodes
from app.plan.bound import (
    Grouped,
    Joined,
    Leaf,
    Recursed,
    Relation,
    Select,
    Sorted,
    Subquery,
    Typed,
    Windowed,
)
from app.plan.coerce import cast, least_common_type
from app.plan.functions.zones import in_zone
from app.plan.relation_rewrite import everything_in, expressions_of, outer_refs, subqueries_in
from app.plan.resolve.chances import check_chance
from app.plan.resolve.hoist import hoisted
from app.plan.resolve.scope import Column, Context, Scope, schema_of

_LEVELS, _ROWS = "spark.sql.cteRecursionLevelLimit", "spark.sql.cteRecursionRowLimit"


def recursed(context: Context, node: nodes.Recursion, resolve: Callable[[nodes.Node], Scope]) -> Scope:
    """The rows of the anchor and of all steps. Raises: PlanError."""
    anchor = resolve(node.anchor).trimmed()
    names = node.columns or tuple(column.name for column in anchor.columns)
    _check_width(len(names), anchor)
    given = tuple(
        replace(column, name=name, nullable=True, qualifier=None)
        for column, name in zip(anchor.columns, names, strict=True)
    )
    outer, context.recursions = context.recursions, {**context.recursions, node.ref: given}
    try:
        step = resolve(node.step).trimmed()
    finally:
        context.recursions = outer
    _check_width(len(names), step)
    merged = [_merged(node, a, b) for a, b in zip(anchor.columns, step.columns, strict=True)]
    columns = tuple(
        replace(column, name=name, qualifier=None, id=context.fresh())
        for column, name in zip(merged, names, strict=True)
    )
    first, again = (_settled(context, _cast(context, scope, columns)) for scope in (anchor, step))
    _check_places(again, node.ref)
    found = Recursed(first, again, node.ref, *_bounds(context, node), node.most is not None)
    return context.scope(Leaf(schema_of(columns), found), columns)


def recursion_ref(context: Context, node: nodes.RecursionRef) -> Scope:
    """The rows of the step before. Raises: PlanError."""
    columns = tuple(replace(column, id=context.fresh()) for column in context.recursions[node])
    return context.scope(Leaf(schema_of(columns), node), columns)


def bounded(relation: Relation, enough: int) -> Relation:
    """The relation of which `enough` rows are wanted: no step follows once they are there."""
    if isinstance(relation, Select) and not any(map(subqueries_in, relation.exprs)):
        return replace(relation, child=bounded(relation.child, enough))
    if isinstance(relation, Leaf) and isinstance(relation.node, Recursed):
        return replace(relation, node=replace(relation.node, enough=enough))
    return relation


def _check_width(wanted: int, scope: Scope) -> None:
    if wanted != len(scope.columns):
        raise PlanError(
            f"The number of columns or variables assigned or aliased: {wanted} does not match the number of source "
            f"expressions: {len(scope.columns)}.",
            code="ASSIGNMENT_ARITY_MISMATCH",
        )


def _merged(node: nodes.Recursion, ours: Column, theirs: Column) -> Column:
    """A column of the anchor, that of the step cast to its type."""
    kind = least_common_type(ours.type, theirs.type)
    if kind is None or kind.simpleString() != ours.type.simpleString():
        raise PlanError(
            f'Failed to merge incompatible data types "{ours.type.sql()}" and "{theirs.type.sql()}" in the recursion '
            f"of `{node.ref.name}`. Please check the data types of the columns being merged and ensure that they are "
            "compatible: types are those of its first part.",
            code="CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE",
        )
    return replace(ours, type=kind, nullable=ours.nullable or theirs.nullable)


def _cast(context: Context, scope: Scope, columns: tuple[Column, ...]) -> Relation:
    zone = context.binding.time_zone
    return scope.picked(tuple(in_zone(cast(scope.ref(at), c.type), zone) for at, c in enumerate(columns)), columns)


def _settled(context: Context, relation: Relation) -> Relation:
    """A query that stands alone. Raises: PlanError."""
    if relation.streaming:
        raise PlanError(
            "WITH RECURSIVE over a stream is not supported: it has no end. Collect the rows first.",
            code="UNSUPPORTED_STREAMING_OPERATION",
        )
    if any(outer_refs(relation)):
        raise PlanError(
            "Unsupported subquery expression: Accessing outer query column is not allowed in this location: a WITH "
            "RECURSIVE stands on its own. Join its rows instead.",
            code="UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.ACCESSING_OUTER_QUERY_COLUMN_IS_NOT_ALLOWED",
        )
    if context.by_chance:
        check_chance(relation)
    return hoisted(relation) if context.subqueries else relation


def _bounds(context: Context, node: nodes.Recursion) -> tuple[int | None, int | None]:
    conf = context.binding.conf
    levels, rows = int(conf.get(_LEVELS, "100")), int(conf.get(_ROWS, "1000000"))
    return node.most if node.most is not None else None if levels < 0 else levels, None if rows < 0 else rows


def _check_places(step: Relation, ref: nodes.RecursionRef) -> None:
    """Returns where the step names itself nowhere but where each of its rows may be seen alone. Raises: PlanError."""
    for node in everything_in(step):
        closed: tuple[Relation, ...] = ()
        match node:
            case Grouped() if node.aggregates:
                closed = (node,)
            case Windowed() | Sorted():
                closed = (node,)
            case Joined(how="left" | "semi" | "anti"):
                closed = (node.right,)
            case Joined(how="right"):
                closed = (node.left,)
            case Joined(how="full"):
                closed = (node,)
        scalars = [sub.relation for typed in expressions_of(node) for sub in _scalars(typed)]
        if any(_names(inside, ref) for inside in (*closed, *scalars)):
            raise PlanError(
                "Invalid recursive reference found inside WITH RECURSIVE clause. Recursive references cannot be used "
                "on the right side of left outer/semi/anti joins, on the left side of right outer joins, in full outer "
                f"joins, in aggregates, and in subquery expressions: `{ref.name}`.",
                code="INVALID_RECURSIVE_REFERENCE.PLACE",
            )


def _scalars(typed: Typed) -> list[Subquery]:
    return [sub for sub in subqueries_in(typed) if sub.kind == "scalar"]


def _names(relation: Relation, ref: nodes.RecursionRef) -> bool:
    return any(isinstance(node, Leaf) and node.node is ref for node in everything_in(relation))
