"""Queries of Spark SQL as plan nodes, in the shapes that DataFrame calls give."""

from __future__ import annotations

from collections.abc import Callable

from app.errors import PlanError
from app.plan.expressions import Expr, Literal, SortKey, Star
from app.plan.nodes import Aggregate, Filter, Limit, Node, OneRow, Project, Sort, Union
from app.plan.parse.tables import Tables

NO_LIMIT = (1 << 63) - 1
"""The `count` of a Limit that only has an offset."""


class Relations(Tables):
    """Reads queries."""

    def query(self) -> Node:
        """A query with its WITH, set operations, ORDER BY and LIMIT. Raises: ParseError, PlanError."""
        outer = self._queries
        self._queries = dict(outer)
        if self.take("WITH"):
            if self.at("RECURSIVE"):
                self.unsupported("WITH RECURSIVE", "write the steps as separate queries.")
            self.items(self._common_table)
        left, key_scope = self._primary_query()
        while word := self.take_any("UNION", "EXCEPT", "MINUS", "INTERSECT"):
            left, key_scope = self._set_operation(left, word), lambda expr: expr
        found = self._ordered(left, key_scope)
        self._queries = outer
        return found

    def _common_table(self) -> None:
        name = self.name()
        columns = self.wrapped(lambda: self.items(self.name)) if self.at("(") else ()
        self.take("AS")
        node = self.wrapped(self.query)
        self._queries[name.lower()] = self.renamed(node, columns) if columns else node

    def _set_operation(self, left: Node, word: str) -> Node:
        if word != "UNION":
            self.unsupported(word, "use a left semi join (INTERSECT) or a left anti join (EXCEPT).")
        every = self.take_any("ALL", "DISTINCT") == "ALL"
        by_name = self.take("BY", "NAME")
        union = Union(left, self._primary_query()[0], by_name=by_name)
        return union if every else _distinct(union)

    def _primary_query(self) -> tuple[Node, Callable[[Expr], Expr]]:
        """SELECT, VALUES or a query in parentheses; with it, how the names in its ORDER BY are to be read."""
        if self.at("("):
            return self.wrapped(self.query), lambda expr: expr
        if self.at("VALUES"):
            return self.values(), lambda expr: expr
        if self.at("FROM"):
            self.unsupported("FROM before SELECT", "begin with SELECT.")
        return self._select()

    # SELECT

    def _select(self) -> tuple[Node, Callable[[Expr], Expr]]:
        self.need("SELECT")
        distinct = self.take_any("DISTINCT", "ALL") == "DISTINCT"
        outer, self._generated = self._generated, set()
        exprs = self.items(self.named_expression)
        child = self.from_clause() if self.take("FROM") else OneRow()
        if self.take("WHERE"):
            child = Filter(child, self.scoped(self.expression()))
        keys = self._keys()
        having = self.scoped(self.expression()) if self.take("HAVING") else None
        outputs = self.scoped(exprs)
        generated, self._generated = self._generated, outer
        node: Node
        if keys is None and having is None:
            node = Project(child, outputs)
        else:
            node = Aggregate(child, self.without(generated, keys or ()), outputs, having)
        return (_distinct(node) if distinct else node), lambda expr: self.without(generated, expr)

    def _keys(self) -> tuple[Expr, ...] | None:
        if not self.take("GROUP", "BY"):
            return None
        if self.at("ALL") and self.ahead(1).word not in (".", "("):
            self.unsupported("GROUP BY ALL", "name the columns to group by.")
        if self.at("GROUPING", "SETS") or (self.at_any("CUBE", "ROLLUP") and self.ahead(1).word == "("):
            self.unsupported(f"GROUP BY {self.next.word}", "group once for each set and combine with UNION ALL.")
        keys = self.items(self.expression)
        if self.at("WITH") or self.at("GROUPING", "SETS"):
            self.unsupported("GROUP BY … WITH CUBE, ROLLUP or GROUPING SETS", "combine queries with UNION ALL.")
        return keys

    def _ordered(self, node: Node, read: Callable[[Expr], Expr]) -> Node:
        if self.take("ORDER", "BY"):
            if self.at("ALL") and self.ahead(1).word not in (".", "("):
                self.unsupported("ORDER BY ALL", "name the columns.")
            keys = self.items(self.sort_key)
            node = Sort(node, tuple(SortKey(read(key.child), key.ascending, key.nulls_first) for key in keys))
        self.refuse()
        limit = None if not self.take("LIMIT") or self.take("ALL") else self._count("LIMIT")
        offset = self._count("OFFSET") if self.take("OFFSET") else 0
        self.refuse()
        if limit is None and not offset:
            return node
        return Limit(node, NO_LIMIT if limit is None else limit, offset)

    def _count(self, word: str) -> int:
        token = self.next
        found = self.expression()
        if not isinstance(found, Literal) or type(found.value) is not int:
            self.unsupported(
                f"{word} of something else than a whole number", "write the number, or pass it as :n.", token
            )
        if found.value < 0:
            raise PlanError(
                f"The {word} is {found.value}; it has to be 0 or more.",
                code="INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE",
            )
        return int(found.value)


def _distinct(node: Node) -> Node:
    """DISTINCT is an aggregation by all columns."""
    return Aggregate(node, (Star(),), (Star(),))
