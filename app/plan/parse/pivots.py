"""PIVOT and UNPIVOT."""

from __future__ import annotations

from app.plan.expressions import Alias, Attribute, Expr
from app.plan.nodes import Node, Pivot, Unpivot
from app.plan.parse.primary import NOT_ALIASES
from app.plan.parse.terms import Terms

_Group = tuple[tuple[Expr, ...], str | None]


class Pivots(Terms):
    """Reads what turns rows into columns and columns into rows."""

    def pivoted(self, child: Node) -> Node:
        """`child` with the PIVOT or UNPIVOT that comes next. Raises: ParseError, PlanError."""
        return self.wrapped(lambda: self._pivot(child)) if self.take("PIVOT") else self._unpivot(child)

    def _pivot(self, child: Node) -> Node:
        aggregates = self.items(self._aggregate)
        self.need("FOR")
        names = self._names()
        self.need("IN")
        values = self.wrapped(lambda: self.items(self._value_with_name))
        return Pivot(child, None, tuple(Attribute((name,)) for name in names), values, aggregates)

    def _aggregate(self) -> Expr:
        found, name = self.expression(), self._given_name()
        return found if name is None else Alias(found, (name,))

    def _value_with_name(self) -> tuple[Expr, str | None]:
        return self.expression(), self._given_name()

    def _given_name(self) -> str | None:
        plain = self.next.kind == "word" and self.next.word not in NOT_ALIASES and self.next.word != "FOR"
        return self.name() if self.take("AS") or self.next.kind == "quoted" or plain else None

    def _names(self) -> tuple[str, ...]:
        return self.wrapped(lambda: self.items(self.name)) if self.at("(") else (self.name(),)

    def _unpivot(self, child: Node) -> Node:
        self.need("UNPIVOT")
        nulls = self.take_any("INCLUDE", "EXCLUDE")
        if nulls:
            self.need("NULLS")
        return self.wrapped(lambda: self._turned(child, nulls == "INCLUDE"))

    def _turned(self, child: Node, nulls: bool) -> Node:
        several = self.at("(")
        value_names = self._names()
        self.need("FOR")
        name = self.name()
        self.need("IN")
        values = self.wrapped(lambda: self.items(self._group if several else self._column))
        if any(len(columns) != len(value_names) for columns, _ in values):
            self.fail(f"each group of columns has to have {len(value_names)}, as many as there are value columns")
        return Unpivot(child, None, values, name, value_names, nulls)

    def _column(self) -> _Group:
        column = Attribute(self.dotted())
        return (column,), self._given_name()

    def _group(self) -> _Group:
        columns = self.wrapped(lambda: self.items(lambda: Attribute(self.dotted())))
        return columns, self._given_name()
