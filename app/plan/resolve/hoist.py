"""Subqueries moved to where rows are selected and filtered.

They may stand in any expression. A node that groups, sorts, numbers, explodes or joins then gets a `Select` below it
that computes them as columns, so that only `Select` and `Keep` hold subqueries.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from app.errors import PlanError
from app.plan.bound import Grouped, Joined, Keep, Lateral, Ref, Relation, Select, Subquery, Typed, Unary
from app.plan.relation_rewrite import expressions_of, with_children, with_expressions
from app.plan.rewrite import columns_in, parts_of, rebuilt, shifted
from app.plan.types import StructField, StructType


def hoisted(relation: Relation) -> Relation:
    """The same plan with subqueries in `Select` and `Keep` only, inside subqueries too. Raises: PlanError."""
    node = with_children(relation, hoisted)
    if isinstance(node, Lateral):
        node = replace(node, inner=hoisted(node.inner))
    outermost = _outermost(expressions_of(node))
    if not outermost:
        return node
    node = with_expressions(node, _inside)
    if isinstance(node, (Select, Keep)):
        return node
    return _joined(node) if isinstance(node, Joined) else _computed_below(node)


def _inside(typed: Typed) -> Typed:
    typed = rebuilt(typed, _inside)
    return replace(typed, relation=hoisted(typed.relation)) if isinstance(typed, Subquery) else typed


def _outermost(exprs: Iterable[Typed]) -> list[Subquery]:
    """The subqueries of some expressions, each once, those among the values of another left out."""
    found: dict[Typed, Subquery] = {}
    for typed in exprs:
        if isinstance(typed, Subquery):
            found[typed] = typed
        else:
            found |= {sub: sub for sub in _outermost(parts_of(typed))}
    return list(found.values())


def _computed_below(node: Relation) -> Relation:
    assert isinstance(node, Unary)
    subqueries = _outermost(expressions_of(node))
    width = len(node.child.schema)
    wider = _with(node.child, subqueries)
    places: dict[Typed, Typed] = {sub: _ref(sub, width + i) for i, sub in enumerate(subqueries)}
    changed = replace(with_expressions(node, lambda typed: _placed(typed, places)), child=wider)  # type: ignore[call-arg]
    if isinstance(node, Grouped):
        return changed
    more = node.schema.fields[width:]
    changed = replace(changed, schema=StructType((*wider.schema.fields, *more)))
    kept = [*range(width), *range(width + len(subqueries), len(changed.schema))]
    return _picked(changed, kept, node.schema)


def _joined(node: Joined) -> Relation:
    assert node.condition is not None
    width, subqueries = len(node.left.schema), _outermost((node.condition,))
    ours = [sub for sub in subqueries if all(at < width for at in columns_in((sub,)))]
    theirs = [sub for sub in subqueries if sub not in ours and all(at >= width for at in columns_in((sub,)))]
    if len(ours) + len(theirs) < len(subqueries):
        raise PlanError(
            "The condition of a join holds a subquery that uses columns of both sides, which is not supported. Use it "
            "in WHERE, or with the columns of one side.",
            code="UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.UNSUPPORTED_CORRELATED_EXPRESSION_IN_JOIN_CONDITION",
        )
    left = _with(node.left, ours)
    right = _with(node.right, [shifted(sub, -width) for sub in theirs])
    first, second = len(left.schema), len(node.right.schema)
    places: dict[Typed, Typed] = {sub: _ref(sub, width + i) for i, sub in enumerate(ours)}
    places |= {sub: _ref(sub, first + second + i) for i, sub in enumerate(theirs)}

    def moved(typed: Typed) -> Typed:
        if typed in places:
            return places[typed]
        if isinstance(typed, Ref) and typed.index >= width:
            return replace(typed, index=typed.index + len(ours))
        return rebuilt(typed, moved)

    fields = left.schema.fields if node.how in ("semi", "anti") else (*left.schema.fields, *right.schema.fields)
    join = Joined(StructType(fields), left, right, node.how, moved(node.condition))
    kept = list(range(width))
    if node.how not in ("semi", "anti"):
        kept += range(first, first + second)
    return _picked(join, kept, node.schema)


def _with(relation: Relation, more: Iterable[Typed]) -> Relation:
    """The relation with computed columns behind its own."""
    more = tuple(more)
    if not more:
        return relation
    own = tuple(_ref_of(field, at) for at, field in enumerate(relation.schema))
    fields = [StructField(f"subquery{i}", typed.type, typed.nullable) for i, typed in enumerate(more)]
    return Select(StructType((*relation.schema.fields, *fields)), relation, (*own, *more))


def _picked(relation: Relation, kept: list[int], schema: StructType) -> Relation:
    fields = relation.schema.fields
    return Select(schema, relation, tuple(_ref_of(fields[at], at) for at in kept))


def _placed(typed: Typed, places: dict[Typed, Typed]) -> Typed:
    return places[typed] if typed in places else rebuilt(typed, lambda part: _placed(part, places))


def _ref(typed: Typed, at: int) -> Ref:
    return Ref(typed.type, typed.nullable, at, "subquery")


def _ref_of(field: StructField, at: int) -> Ref:
    return Ref(field.dataType, field.nullable, at, field.name)
