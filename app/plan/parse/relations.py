"""Queries of Spark SQL as plan nodes, in the shapes that DataFrame calls give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from app.errors import PlanError
from app.plan.expressions import Alias, Attribute, Call, Expr, Over, SortKey, Star
from app.plan.nodes import (
    Aggregate,
    Distribute,
    Filter,
    Limit,
    Node,
    OneRow,
    Project,
    Qualify,
    RecursionRef,
    SetOperation,
    Sort,
    Union,
)
from app.plan.parse.folding import limit
from app.plan.parse.recursion import mentions, recursion
from app.plan.parse.tables import Tables, changed
from app.plan.parse.text import Token

_Tree = TypeVar("_Tree")

NO_LIMIT = (1 << 63) - 1
"""The `count` of a Limit that only has an offset."""


class Relations(Tables):
    """Reads queries."""

    def query(self, first: Node | None = None) -> Node:
        """A query with its WITH, set operations, ORDER BY and LIMIT; `first` is its first part where that is read
        already. Raises: ParseError, PlanError."""
        outer = self._queries
        self._queries = dict(outer)
        if self.take("WITH"):
            start = self.ahead(-1)
            recursive = self.take("RECURSIVE")
            names = self.items(lambda: self._common_table(start, recursive))
            if twice := next((name for name in names if names.count(name) > 1), None):
                why = f"CTE definition can't have duplicate names: `{twice}`."
                self.reject("DUPLICATED_CTE_NAMES", why, start, self.ahead(-1))
        found = self._ordered(self._term(first))
        self._queries = outer
        return found

    def _term(self, first: Node | None = None) -> Node:
        """Queries with set operations between."""
        return self._set_operations(self._intersection(first))

    def _set_operations(self, left: Node) -> Node:
        while word := self.take_any("UNION", "EXCEPT", "MINUS"):
            left = self._set_operation(left, word, self._intersection)
        return left

    def _common_table(self, start: Token, recursive: bool) -> str:
        name = self.name()
        columns = self.wrapped(lambda: self.items(self.name)) if self.at("(") else ()
        most = self._most_steps() if self.take("MAX", "RECURSION", "LEVEL") else None
        if most is not None and not recursive:
            why = "Operation not allowed: Cannot specify MAX RECURSION LEVEL when the CTE is not marked as RECURSIVE."
            self.reject("_LEGACY_ERROR_TEMP_0035", why, start, self.ahead(-1))
        self.take("AS")
        ref = RecursionRef(name)
        if recursive:
            self._queries[name.lower()] = ref
        node = self.wrapped(self.query)
        if mentions(node, ref):
            self._queries[name.lower()] = recursion(node, ref, columns, most)
        else:
            self._queries[name.lower()] = self.renamed(node, columns) if columns else node
        return name.lower()

    def _most_steps(self) -> int:
        token = self.next
        if token.kind != "number" or token.suffix or not token.text.isdigit():
            self.fail("expected a whole number")
        self.advance()
        return int(token.text)

    def _intersection(self, first: Node | None = None) -> Node:
        """A query, or several with INTERSECT between, which binds tighter than UNION and EXCEPT."""
        left = first or self._primary_query()
        while self.take("INTERSECT"):
            every = self.take_any("ALL", "DISTINCT") == "ALL"
            left = SetOperation(left, self._primary_query(), "intersect", every)
        return left

    def _set_operation(self, left: Node, word: str, other: Callable[[], Node]) -> Node:
        every = self.take_any("ALL", "DISTINCT") == "ALL"
        right = other()
        if word != "UNION":
            return SetOperation(left, right, "intersect" if word == "INTERSECT" else "except", every)
        union = Union(left, right)
        return union if every else distinct(union)

    def _primary_query(self) -> Node:
        """SELECT, VALUES, TABLE, FROM, or a query in parentheses."""
        if self.at("("):
            return self.wrapped(self.query)
        if self.at("VALUES"):
            return self.values()
        if self.take("TABLE"):
            return self.view_by_name()
        if not self.take("FROM"):
            return self._select(None)
        return self._from()

    def _from(self) -> Node:
        """FROM and what is selected from it, all rows if nothing is; several SELECTs are a UNION ALL."""
        child = self.from_clause()
        if not self.at("SELECT"):
            return child
        found = self._select(child)
        while self.at("SELECT"):
            found = Union(found, self._select(child))
        return found

    # SELECT

    def _select(self, child: Node | None) -> Node:
        """SELECT; `child` is what it selects from where FROM came first."""
        self.need("SELECT")
        once = self.take_any("DISTINCT", "ALL") == "DISTINCT"
        exprs = self.items(self.named_expression)
        self._check_commas(exprs)
        if child is None and self.take("FROM"):
            child = self.from_clause()
        child = OneRow() if child is None else self.lateral_views(child)
        if self.take("WHERE"):
            child = Filter(child, self.expression())
        keys = self._keys()
        having = self.expression() if self.take("HAVING") else None
        qualify = self.expression() if self.take("QUALIFY") else None
        windows = self._windows() if self.take("WINDOW") else {}
        if qualify is None and self.take("QUALIFY"):
            qualify = self.expression()
        outputs = tuple(self._in_windows(expr, windows) for expr in exprs)
        node: Node
        if keys is None and having is None:
            node = Project(child, outputs)
        else:
            node = Aggregate(child, keys or (), outputs, having)
        if qualify is not None:
            node = Qualify(node, self._in_windows(qualify, windows))
        return distinct(node) if once else node

    def _check_commas(self, exprs: tuple[Expr, ...]) -> None:
        """Raises: ParseError where the last item is FROM itself, behind a comma too many."""
        last = exprs[-1].child if isinstance(exprs[-1], Alias) else exprs[-1]
        if len(exprs) > 1 and isinstance(last, Attribute) and last.parts == ("FROM",) and not self.at("FROM"):
            why = "Trailing comma detected in SELECT clause. Remove the trailing comma before the FROM clause."
            self.reject("TRAILING_COMMA_IN_SELECT", why, self.ahead(-2), self.ahead(-1))

    def _windows(self) -> dict[str, Over]:
        """The definitions of a WINDOW clause by name, those that only name another one resolved."""
        found: dict[str, Over] = {}

        def definition() -> None:
            token, name = self.next, self.name().lower()
            self.need("AS")
            if name in found:
                why = f"Invalid SQL syntax: The definition of window `{name}` is repetitive."
                self.reject("INVALID_SQL_SYNTAX.REPETITIVE_WINDOW_DEFINITION", why, token)
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

    def _keys(self, plain: Callable[[], Expr] | None = None) -> tuple[Expr, ...] | None:
        """What GROUP BY names, None where there is none; `plain` reads a key that is no grouping set."""
        if not self.take("GROUP", "BY"):
            return None
        if self.at("ALL") and self.ahead(1).word not in (".", "("):
            self.advance()
            return (Call("all"),)
        keys = self.items(lambda: self._key(plain))
        if self.take("WITH"):
            word = self.take_any("CUBE", "ROLLUP")
            if not word:
                self.fail("expected CUBE or ROLLUP")
            return (Call(word.lower(), keys),)
        return (self._grouping_sets(),) if self.at("GROUPING", "SETS") else keys

    def _key(self, plain: Callable[[], Expr] | None = None) -> Expr:
        return self._grouping_sets() if self.at("GROUPING", "SETS") else (plain or self.expression)()

    def _grouping_sets(self) -> Expr:
        self.need("GROUPING", "SETS")
        return Call("grouping_sets", self.wrapped(lambda: self.items(self._grouping_set)))

    def _grouping_set(self) -> Expr:
        if self.take("(", ")"):
            return Call("struct")
        return self._key()

    def _ordered(self, node: Node) -> Node:
        if self.take("CLUSTER", "BY"):
            node = Sort(node, tuple(SortKey(key) for key in self.items(self.expression)))
        elif self.take("DISTRIBUTE", "BY"):
            node = Distribute(node, self.items(self.expression))
        if self.take("ORDER", "BY") or self.take("SORT", "BY"):
            if self.at("ALL") and self.ahead(1).word not in (".", "("):
                self.advance()
                node = Sort(node, (self.direction(Star()),))
            else:
                node = Sort(node, self.items(self.sort_key))
        self.refuse()
        count = None if not self.take("LIMIT") or self.take("ALL") else self._count("LIMIT")
        offset = self._count("OFFSET") if self.take("OFFSET") else 0
        self.refuse()
        if count is None and not offset:
            return node
        return Limit(node, NO_LIMIT if count is None else count, offset)

    def _count(self, word: str) -> int:
        return limit(self.expression(), word, self.constant)


def distinct(node: Node) -> Node:
    """DISTINCT is an aggregation by all columns."""
    return Aggregate(node, (Star(),), (Star(),))
