"""Queries of Spark SQL as plan nodes, in the shapes that DataFrame calls give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from app.errors import PlanError
from app.plan.expressions import Call, Expr, Literal, Over, SortKey, Star
from app.plan.nodes import Aggregate, Filter, Limit, Node, OneRow, Project, Qualify, SetOperation, Sort, Union
from app.plan.parse.tables import Tables, changed

_Tree = TypeVar("_Tree")

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
        left, key_scope = self._intersection()
        while word := self.take_any("UNION", "EXCEPT", "MINUS"):
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

    def _intersection(self) -> tuple[Node, Callable[[Expr], Expr]]:
        """A query, or several with INTERSECT between, which binds tighter than UNION and EXCEPT."""
        left, key_scope = self._primary_query()
        while self.take("INTERSECT"):
            every = self.take_any("ALL", "DISTINCT") == "ALL"
            left, key_scope = SetOperation(left, self._primary_query()[0], "intersect", every), lambda expr: expr
        return left, key_scope

    def _set_operation(self, left: Node, word: str) -> Node:
        every = self.take_any("ALL", "DISTINCT") == "ALL"
        by_name = self.take("BY", "NAME")
        right = self._intersection()[0]
        if word != "UNION":
            return SetOperation(left, right, "except", every)
        union = Union(left, right, by_name=by_name)
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
        qualify = self.scoped(self.expression()) if self.take("QUALIFY") else None
        windows = self._windows() if self.take("WINDOW") else {}
        outputs = tuple(self._in_windows(expr, windows) for expr in self.scoped(exprs))
        generated, self._generated = self._generated, outer
        node: Node
        if keys is None and having is None:
            node = Project(child, outputs)
        else:
            node = Aggregate(child, self.without(generated, keys or ()), outputs, having)
        if qualify is not None:
            node = Qualify(node, self._in_windows(qualify, windows))
        return (_distinct(node) if distinct else node), lambda expr: self.without(generated, expr)

    def _windows(self) -> dict[str, Over]:
        """The definitions of a WINDOW clause by name, those that only name another one resolved."""
        found: dict[str, Over] = {}

        def definition() -> None:
            name = self.name().lower()
            self.need("AS")
            defined = self.window(Call("")) if self.at("(") else Over(Call(""), name=self.name())
            found[name] = self._in_windows(defined, found)

        self.items(definition)
        return found

    def _in_windows(self, tree: _Tree, windows: dict[str, Over]) -> _Tree:
        """`tree` with the definitions put where calls are over a window by its name."""

        def defined(expr: Any) -> Any:
            if not isinstance(expr, Over) or expr.name is None:
                return expr
            if expr.name.lower() not in windows:
                raise PlanError(
                    f"Window specification is not defined in the WINDOW clause for {expr.name}.",
                    code="MISSING_WINDOW_SPECIFICATION",
                )
            return replace(windows[expr.name.lower()], call=expr.call)

        found: _Tree = changed(tree, defined)
        return found

    def _keys(self) -> tuple[Expr, ...] | None:
        if not self.take("GROUP", "BY"):
            return None
        if self.at("ALL") and self.ahead(1).word not in (".", "("):
            self.advance()
            return (Call("all"),)
        keys = self.items(self._key)
        if self.take("WITH"):
            word = self.take_any("CUBE", "ROLLUP")
            if not word:
                self.fail("expected CUBE or ROLLUP")
            return (Call(word.lower(), keys),)
        return (self._grouping_sets(),) if self.at("GROUPING", "SETS") else keys

    def _key(self) -> Expr:
        return self._grouping_sets() if self.at("GROUPING", "SETS") else self.expression()

    def _grouping_sets(self) -> Expr:
        self.need("GROUPING", "SETS")
        return Call("grouping_sets", self.wrapped(lambda: self.items(self._grouping_set)))

    def _grouping_set(self) -> Expr:
        if self.take("(", ")"):
            return Call("struct")
        return self._key()

    def _ordered(self, node: Node, read: Callable[[Expr], Expr]) -> Node:
        if self.take("ORDER", "BY"):
            if self.at("ALL") and self.ahead(1).word not in (".", "("):
                self.advance()
                keys: tuple[SortKey, ...] = (self.direction(Star()),)
            else:
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
