"""The query around a subquery: what its names may mean where the subquery itself has no such column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.plan.bound import AggCall, OuterRef, Ref, Typed
from app.plan.expressions import Attribute
from app.plan.rewrite import rebuilt, walk

Find = Callable[[Attribute], tuple[Typed, tuple[str, ...]]]
"""The column of the outer query that a name means, and the parts behind it, which name fields. Raises: PlanError."""


class Enclosing:
    """Gathers what a subquery takes of the rows around it, each column once."""

    def __init__(self, find: Find, lifts: bool = False) -> None:
        self._find = find
        self._lifts = lifts
        self.args: list[Typed] = []

    def column(self, name: Attribute) -> tuple[OuterRef, tuple[str, ...]]:
        """A column of the outer query, and the parts of the name behind it. Raises: PlanError."""
        typed, rest = self._find(name)
        return self.taken(typed), rest

    def aggregate(self, call: Typed) -> Typed:
        """An aggregate over nothing but outer columns belongs to the outer query, if the subquery stands in HAVING."""
        refs = [found for found in walk(call) if isinstance(found, OuterRef)]
        if not (self._lifts and isinstance(call, AggCall) and refs) or any(isinstance(x, Ref) for x in walk(call)):
            return call
        return self.taken(self._outwards(call))

    def taken(self, typed: Typed) -> OuterRef:
        """What stands in the subquery for a value of the outer query."""
        if typed not in self.args:
            self.args.append(typed)
        name: Any = getattr(typed, "name", getattr(typed, "function", ""))
        return OuterRef(typed.type, typed.nullable, self.args.index(typed), name)

    def _outwards(self, typed: Typed) -> Typed:
        if isinstance(typed, OuterRef):
            return self.args[typed.index]
        return rebuilt(typed, self._outwards)
