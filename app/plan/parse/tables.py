"""What stands in FROM: views, table functions, VALUES, queries in parentheses, joins and lateral views."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from app.errors import ArgumentError, PlanError
from app.plan.expressions import Alias, Attribute, Call, Expr, Frame, Literal, Star
from app.plan.nodes import Aggregate, Join, Named, Node, OneRow, Project, Range, Union
from app.plan.parse.primary import NOT_ALIASES
from app.plan.parse.terms import Terms

Views = Callable[[tuple[str, ...]], Node | None]
"""Gives the plan of the view or table with these name parts; None if there is none."""

_GENERATORS = ("explode", "posexplode", "inline")
_TABLE_GENERATORS = frozenset({*_GENERATORS, *(f"{name}_outer" for name in _GENERATORS), "stack", "json_tuple"})
_REFUSED = {
    "SORT": "use ORDER BY.",
    "CLUSTER": "rows have no partitions here; leave it out.",
    "DISTRIBUTE": "rows have no partitions here; leave it out.",
    "TABLESAMPLE": "filter with rand() < fraction.",
    "PIVOT": "aggregate with FILTER (WHERE …) once for each value.",
    "UNPIVOT": "use stack(…) or UNION ALL.",
    "WATERMARK": "call DataFrame.withWatermark() before making the view.",
}
_Tree = TypeVar("_Tree")


class Tables(Terms):
    """Reads relations. `view` finds the tables that FROM names."""

    def __init__(
        self, sql: str, view: Views, args: Mapping[str, Any] | Sequence[Any] | None = None, raw_strings: bool = False
    ) -> None:
        super().__init__(sql, args, raw_strings)
        self._view = view
        self._queries: dict[str, Node] = {}
        self._qualifiers = self._words_before_dots()
        self._generated: set[str] = set()

    def _words_before_dots(self) -> set[str]:
        tokens = self._tokens
        starts = (i for i in range(len(tokens) - 1) if tokens[i + 1].word == "." and tokens[i - 1].word != ".")
        return {tokens[i].text.lower() for i in starts if tokens[i].kind in ("word", "quoted")}

    @abstractmethod
    def query(self) -> Node: ...

    def from_clause(self) -> Node:
        left = self._relation()
        while self.take(","):
            left = Join(left, self._relation(), "cross")
        while self.at("LATERAL", "VIEW"):
            left = self._lateral_view(left)
        self.refuse()
        return left

    def _relation(self) -> Node:
        left = self._table()
        while how := self._join_word():
            left = self._join(left, how)
        return left

    def _join_word(self) -> str:
        if self.at("NATURAL"):
            self.unsupported("NATURAL JOIN", "say USING (columns).")
        for words, how in _JOINS:
            if self.take(*words):
                return how
        return ""

    def _join(self, left: Node, how: str) -> Node:
        right = self._table()
        if self.take("ON"):
            return Join(left, right, how, on=self.scoped(self.expression()))
        if self.take("USING"):
            return Join(left, right, how, using=self.wrapped(lambda: self.items(self.name)))
        return Join(left, right, "cross" if how == "inner" else how)

    def _table(self) -> Node:
        if self.at("LATERAL") and self.ahead(1).word != "VIEW":
            self.unsupported("A LATERAL subquery or function", "use LATERAL VIEW explode(…), or a join.")
        if self.at("VALUES"):
            return self.values()
        if self.take("("):
            if self.at_any("SELECT", "WITH", "VALUES", "FROM") or self.at("(", "SELECT"):
                node = self.query()
            else:
                node = self._relation()
            self.need(")")
            return self._aliased(node)
        if self.ahead(1).word == "(" and self.next.kind == "word" and self.next.word not in NOT_ALIASES:
            return self._aliased(self._table_function())
        return self.view_by_name()

    def view_by_name(self) -> Node:
        token = self.next
        if token.word in NOT_ALIASES:
            self.fail("expected the name of a view or table")
        parts = self.dotted()
        node = self._queries.get(parts[0].lower()) if len(parts) == 1 else None
        node = node or self._view(parts)
        if node is None:
            shown = ".".join(f"`{part}`" for part in parts)
            raise PlanError(
                f"The table or view {shown} cannot be found (line {self.line(token)}). Check the spelling; a "
                "DataFrame gets a name for SQL by createOrReplaceTempView().",
                code="TABLE_OR_VIEW_NOT_FOUND",
                name=".".join(parts),
            )
        found = self._aliased(node)
        if found is node and parts[-1].lower() in self._qualifiers:
            return Named(node, parts[-1])
        return found

    def _aliased(self, node: Node) -> Node:
        """`node` under the alias that follows, if one does."""
        self.refuse()
        alias = self._alias()
        if alias is None:
            return node
        columns = self.wrapped(lambda: self.items(self.name)) if self.at("(") else ()
        self.refuse()
        return Named(self.renamed(node, columns) if columns else node, alias)

    def _alias(self) -> str | None:
        explicit = self.take("AS")
        plain = self.next.kind == "quoted" or (self.next.kind == "word" and self.next.word not in NOT_ALIASES)
        return self.name() if explicit or plain else None

    def renamed(self, node: Node, columns: tuple[str, ...]) -> Node:
        """`node` with other names for its columns, which have to be known from the text."""
        if isinstance(node, Union):
            left, right = self.renamed(node.left, columns), self.renamed(node.right, columns)
            return Union(left, right, node.by_name, node.allow_missing)
        outputs = node.exprs if isinstance(node, Project) else node.outputs if isinstance(node, Aggregate) else ()
        if isinstance(node, Range):
            return Project(node, (Alias(Attribute(("id",)), columns),))
        if len(outputs) == 1 and isinstance(outputs[0], Call) and outputs[0].name in _TABLE_GENERATORS:
            return Project(node.child, (Alias(outputs[0], columns),)) if isinstance(node, Project) else node
        if not outputs or any(isinstance(expr, Star) for expr in outputs):
            self.unsupported("A list of column names behind this table", "give the names with AS in the SELECT.")
        if len(outputs) != len(columns):
            self.fail(f"{len(columns)} names for {len(outputs)} columns")
        named = tuple(
            Alias(expr.child if isinstance(expr, Alias) else expr, (name,))
            for expr, name in zip(outputs, columns, strict=True)
        )
        if isinstance(node, Aggregate):
            return Aggregate(node.child, node.keys, named, node.having)
        assert isinstance(node, Project)
        return Project(node.child, named)

    def _table_function(self) -> Node:
        token = self.next
        name = token.text.lower()
        found = self.call()
        assert isinstance(found, Call)
        if name == "range":
            return self._range(found)
        if name in _TABLE_GENERATORS:
            return Project(OneRow(), (found,))
        raise PlanError(
            f"There is no table function {name}; FROM may call range, {', '.join(sorted(_TABLE_GENERATORS))}.",
            code="UNRESOLVABLE_TABLE_VALUED_FUNCTION",
            name=name,
        )

    def _range(self, call: Call) -> Node:
        numbers = [arg.value for arg in call.args if isinstance(arg, Literal) and type(arg.value) is int]
        if not 1 <= len(call.args) <= 4 or len(numbers) != len(call.args):
            self.fail("range takes whole numbers: range(end) or range(start, end, step)")
        start, end, step = (0, numbers[0], 1) if len(numbers) == 1 else [*numbers, 1][:3]
        if step == 0:
            raise ArgumentError("The step of range cannot be 0.", code="INVALID_ARGUMENT")
        return Range(start, end, step)

    def _lateral_view(self, child: Node) -> Node:
        self.need("LATERAL", "VIEW")
        outer = self.take("OUTER")
        token = self.next
        call = self.scoped(self.call())
        if not isinstance(call, Call):
            self.fail("expected a generator function such as explode", token)
        if outer and call.name in _GENERATORS:
            call = Call(f"{call.name}_outer", call.args)
        elif outer and not call.name.endswith("_outer"):
            self.unsupported(f"LATERAL VIEW OUTER {call.name}", "use explode, posexplode or inline.", token)
        self._generated.add(self.name().lower())
        names = self.items(self.name) if self.take("AS") else ()
        return Project(child, (Star(), Alias(call, names) if names else call))

    def values(self) -> Node:
        self.need("VALUES")
        rows = self.items(self._row)
        width = len(rows[0])
        if any(len(row) != width for row in rows):
            self.fail(f"every row of VALUES needs {width} columns like the first")
        names = tuple(f"col{i + 1}" for i in range(width))
        projects: list[Node] = [
            Project(OneRow(), tuple(Alias(v, (n,)) for v, n in zip(row, names, strict=True))) for row in rows
        ]
        return self._aliased(_union(projects))

    def _row(self) -> tuple[Expr, ...]:
        found = self.expression()
        return found.args if isinstance(found, Call) and found.name == "struct" else (found,)

    def refuse(self) -> None:
        word = self.next.word
        if word in _REFUSED:
            self.unsupported(word, _REFUSED[word])

    # The alias of a LATERAL VIEW qualifies generated columns only, which have no qualifier in the plan

    def scoped(self, tree: _Tree) -> _Tree:
        return self.without(self._generated, tree)

    def without(self, qualifiers: set[str], tree: _Tree) -> _Tree:
        if not qualifiers & self._qualifiers:
            return tree
        found: _Tree = _unqualified(tree, qualifiers)
        return found


_JOINS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("JOIN",), "inner"),
    (("INNER", "JOIN"), "inner"),
    (("CROSS", "JOIN"), "cross"),
    (("LEFT", "JOIN"), "left"),
    (("LEFT", "OUTER", "JOIN"), "left"),
    (("RIGHT", "JOIN"), "right"),
    (("RIGHT", "OUTER", "JOIN"), "right"),
    (("FULL", "JOIN"), "full"),
    (("FULL", "OUTER", "JOIN"), "full"),
    (("LEFT", "SEMI", "JOIN"), "semi"),
    (("SEMI", "JOIN"), "semi"),
    (("LEFT", "ANTI", "JOIN"), "anti"),
    (("ANTI", "JOIN"), "anti"),
)


def _union(nodes: list[Node]) -> Node:
    """UNION ALL of them, balanced, so that many rows of VALUES do not nest deeply."""
    if len(nodes) == 1:
        return nodes[0]
    half = len(nodes) // 2
    return Union(_union(nodes[:half]), _union(nodes[half:]))


def changed(tree: Any, change: Callable[[Any], Any]) -> Any:
    """The same expressions with `change` applied to each from the leaves up; tuples of expressions are gone through."""
    if isinstance(tree, tuple):
        return tuple(changed(item, change) for item in tree)
    if not isinstance(tree, (Expr, Frame)):
        return tree
    parts = {
        f.name: changed(getattr(tree, f.name), change)
        for f in dataclasses.fields(tree)
        if f.name not in ("of", "type", "to") and not isinstance(tree, Literal)
    }
    return change(dataclasses.replace(tree, **parts))


def _unqualified(tree: Any, qualifiers: set[str]) -> Any:
    def without(expr: Any) -> Any:
        if isinstance(expr, Attribute) and len(expr.parts) > 1 and expr.parts[0].lower() in qualifiers:
            return Attribute(expr.parts[1:], expr.of)
        return expr

    return changed(tree, without)
