"""From the steps of a plan to operators."""

from __future__ import annotations

from collections.abc import Callable

from app.operators.aggregate import Aggregate
from app.operators.contract import Operator
from app.operators.first_of import First
from app.operators.limit import Limit
from app.plan.bound import FirstOf, Grouped, Leaf
from app.plan.incremental import Step


def build(step: Step, leaf: Callable[[Leaf], str]) -> Operator:
    """The operator of one step; `leaf` names the table that holds a leaf's rows."""
    if isinstance(step.node, Grouped):
        return Aggregate(step.index, step.node, leaf)
    if isinstance(step.node, FirstOf):
        return First(step.index, step.node, leaf)
    return Limit(step.index, step.node, leaf)
