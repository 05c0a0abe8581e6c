"""Which plans give another answer when the rows of one epoch are taken in another order."""

from __future__ import annotations

from app.plan.bound import Grouped, Leaf, Recursed, Relation
from app.plan.relation_rewrite import everything_in

_BY_ARRIVAL = frozenset(
    {
        "first",
        "last",
        "collect_list",
        "collect_set",
        "collect_list respecting nulls",
        "collect_set respecting nulls",
        "listagg",
        "max_by",
        "min_by",
        "histogram_numeric",
        "vector_sum",
        "vector_avg",
    }
)


def depends_on_arrival(relation: Relation) -> bool:
    """True where an aggregate keeps the order of arrival, or settles ties by it. Spark leaves that order open; here a
    stream gives what the table of the same rows gives, so the kernel takes such rows one after the other."""
    return any(map(_by_arrival, everything_in(relation)))


def _by_arrival(node: Relation) -> bool:
    if isinstance(node, Leaf) and isinstance(node.node, Recursed):
        return depends_on_arrival(node.node.anchor) or depends_on_arrival(node.node.step)
    return isinstance(node, Grouped) and any(call.function in _BY_ARRIVAL for call in node.aggregates)
