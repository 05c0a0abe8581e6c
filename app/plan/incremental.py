"""A streaming plan cut into steps: what keeps state, and what is only computed from one epoch's rows.

Each node that keeps state (grouping, first-of, limit) becomes a `Step`; in its place the plan reads the step's
result. What a step hands on is a static property of its node (`changes_of`): only new rows, or new values for keys.
The output mode is then a statement about the last node, and `plan/check` words the refusals.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from app.plan.bound import (
    Concat,
    FirstOf,
    Grouped,
    Joined,
    Keep,
    Leaf,
    Limited,
    Ref,
    Relation,
    Select,
    Sorted,
    Typed,
    Unary,
    Watermarked,
)
from app.plan.functions.chances import without_seed
from app.plan.functions.collations import spelling
from app.plan.relation_rewrite import everything_in
from app.plan.rewrite import rebuilt


class Changes(Enum):
    """What a node hands on, epoch by epoch."""

    NEW_ROWS = "only new rows"
    NEW_VALUES = "new values for keys"


@dataclass(frozen=True, slots=True)
class StepResult:
    """Stands in a `Leaf` for the rows that step `index` gives in the epoch."""

    index: int
    streaming: bool = True


@dataclass(frozen=True, slots=True)
class Step:
    """One operator with state. `node.child` reads sources and the results of earlier steps."""

    index: int
    node: Grouped | FirstOf | Limited


@dataclass(frozen=True, slots=True)
class StreamPlan:
    """`output` reads sources and step results. `keys` are the output columns that identify a row, empty where
    nothing does, `key_columns` the same columns in the last step's result. With `retractable`, a key that is among the
    changed groups and not in the output has left the result. `plain` are the columns of the last step's result that
    make up the output where nothing is computed above it, else None."""

    output: Relation
    steps: tuple[Step, ...]
    sources: tuple[Leaf, ...]
    statics: tuple[Leaf, ...]
    keys: tuple[int, ...]
    key_columns: tuple[int, ...]
    retractable: bool
    plain: tuple[int, ...] | None


def changes_of(relation: Relation) -> Changes:
    """Which kind of changes this node hands on when its streaming leaves get new rows."""
    if isinstance(relation, Grouped):
        return Changes.NEW_VALUES
    streaming = [child for child in relation.children() if child.streaming]
    if any(changes_of(child) is Changes.NEW_VALUES for child in streaming):
        return Changes.NEW_VALUES
    return Changes.NEW_ROWS


def aggregation(relation: Relation) -> Grouped | None:
    """The topmost grouping over a stream, if there is one."""
    for node in relation.walk():
        if isinstance(node, Grouped) and node.streaming:
            return node
    return None


def split(relation: Relation) -> StreamPlan:
    """The steps of a streaming plan that passed `check`, and what is left to compute above them."""
    steps: list[Step] = []
    output = _cut(relation, steps)
    leaves = [
        leaf
        for part in (*(step.node for step in steps), output)
        for leaf in everything_in(part)
        if isinstance(leaf, Leaf)
    ]
    return StreamPlan(
        output=output,
        steps=tuple(steps),
        sources=_distinct([x for x in leaves if x.streaming and not isinstance(x.node, StepResult)]),
        statics=_distinct([x for x in leaves if not x.streaming]),
        keys=_keys(output, steps),
        key_columns=_key_columns(steps),
        retractable=_rowwise(output),
        plain=_plain(output, len(steps) - 1),
    )


def without_order(relation: Relation) -> Relation:
    """The same rows where their order does not matter: sorts at the top are left out."""
    while isinstance(relation, Sorted):
        relation = relation.child
    if isinstance(relation, Select) and isinstance(relation.child, Sorted):
        return replace(relation, child=without_order(relation.child))
    return relation


def _cut(relation: Relation, steps: list[Step]) -> Relation:
    if not relation.streaming:
        return relation
    if isinstance(relation, Watermarked):
        return _cut(relation.child, steps)
    if isinstance(relation, Concat):
        return replace(relation, inputs=tuple(_cut(child, steps) for child in relation.inputs))
    if isinstance(relation, Joined):
        return replace(relation, left=_cut(relation.left, steps), right=_cut(relation.right, steps))
    if not isinstance(relation, Unary):
        return relation
    keeps_state = isinstance(relation, (Grouped, FirstOf)) or (
        isinstance(relation, Limited) and changes_of(relation.child) is Changes.NEW_ROWS
    )
    cut = _with_fresh_chance(replace(relation, child=_cut(relation.child, steps)))
    if not keeps_state:
        return cut
    assert isinstance(cut, (Grouped, FirstOf, Limited))
    steps.append(Step(len(steps), cut))
    return Leaf(cut.schema, StepResult(len(steps) - 1))


def _with_fresh_chance(node: Unary) -> Unary:
    """The node with its seeds left out: Spark draws new ones for every epoch."""
    match node:
        case Select(exprs=exprs):
            return replace(node, exprs=tuple(map(_fresh, exprs)))
        case Keep(condition=condition):
            return replace(node, condition=_fresh(condition))
        case Sorted(orders=orders):
            return replace(node, orders=tuple(replace(order, child=_fresh(order.child)) for order in orders))
    return node


def _fresh(typed: Typed) -> Typed:
    return without_seed(rebuilt(typed, _fresh))


def _distinct(leaves: list[Leaf]) -> tuple[Leaf, ...]:
    """One of each source: a stream that is used twice is read once."""
    return tuple({id(leaf.node): leaf for leaf in leaves}.values())


def _key_columns(steps: list[Step]) -> tuple[int, ...]:
    """The columns of the last step's result that tell its groups apart; of a text that is grouped whatever its case
    the first spelling, which does not change."""
    if not steps or not isinstance(steps[-1].node, Grouped):
        return ()
    node = steps[-1].node
    return tuple(
        i if (first := spelling(key)) is None else len(node.keys) + node.aggregates.index(first)
        for i, key in enumerate(node.keys)
    )


def _keys(output: Relation, steps: list[Step]) -> tuple[int, ...]:
    """Where the group keys of the topmost grouping stand in the output; empty when one of them is missing."""
    if not steps or not isinstance(steps[-1].node, Grouped):
        return ()
    positions = _positions(output, steps[-1].index)
    if positions is None:
        return ()
    found = [positions.index(at) if at in positions else None for at in _key_columns(steps)]
    return tuple(at for at in found if at is not None) if None not in found else ()


def _positions(relation: Relation, step: int) -> list[int | None] | None:
    """For each output column the column of the step's result it is, or None; None where rows are not one a key."""
    if isinstance(relation, Leaf):
        if isinstance(relation.node, StepResult) and relation.node.index == step:
            return list(range(len(relation.schema)))
        return None
    if isinstance(relation, Select):
        below = _positions(relation.child, step)
        if below is None:
            return None
        return [below[e.index] if isinstance(e, Ref) else None for e in relation.exprs]
    if isinstance(relation, (Keep, Sorted, Limited)):
        return _positions(relation.child, step)
    return None


def _rowwise(relation: Relation) -> bool:
    while isinstance(relation, (Select, Keep)):
        relation = relation.child
    return isinstance(relation, Leaf) and isinstance(relation.node, StepResult)


def _plain(relation: Relation, step: int) -> tuple[int, ...] | None:
    """Which columns of the step's result the output is, where it is just that."""
    if isinstance(relation, Select):
        below = _plain(relation.child, step)
        columns = [e.index for e in relation.exprs if isinstance(e, Ref)]
        if below is None or len(columns) != len(relation.exprs):
            return None
        return tuple(below[index] for index in columns)
    if isinstance(relation, Leaf) and isinstance(relation.node, StepResult) and relation.node.index == step:
        return tuple(range(len(relation.schema)))
    return None
