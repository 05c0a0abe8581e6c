"""Pipe syntax: a query, then `|>` and what is done to its rows, step by step. The plan nodes are those of SELECT."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from app.errors import PlanError
from app.plan.expressions import Alias, Attribute, Call, Expr, Literal, Over, Star
from app.plan.functions import catalogue
from app.plan.nodes import Aggregate, Filter, Limit, Named, Node, Project, Sort, Step, WithColumns
from app.plan.parse.relations import Relations, distinct
from app.plan.parse.text import Token

_ORDERING = ("ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET")
_GROUPINGS = ("all", "cube", "rollup", "grouping_sets")


class Pipes(Relations):
    """Reads queries with pipe operators."""

    def _term(self, first: Node | None = None) -> Node:
        left = super()._term(first)
        while self.take("|>"):
            left = self._set_operations(self._piped(left))
        return left

    def _piped(self, child: Node) -> Node:
        word = self.next.word
        read: Callable[[Node], Node] | None = getattr(self, f"_step_{word.lower()}", None) if word else None
        if read is not None:
            self.advance()
            return read(child)
        if word in ("UNION", "EXCEPT", "MINUS", "INTERSECT"):
            return self._set_operation(child, self.advance().word, self._primary_query)
        if word in _ORDERING and self.next.kind == "word":
            return self._arranged(child)
        if self.at_any("PIVOT", "UNPIVOT"):
            return self._aliased(self.pivoted(child))
        if self.at("TABLESAMPLE"):
            return Step(self.sampled(child))
        if self.take("NATURAL"):
            return self._natural(child, self._join_word())
        if how := self._join_word():
            return self._join(child, how)
        self.refuse()
        return self.fail(
            "expected a pipe operator: SELECT, EXTEND, SET, DROP, AS, WHERE, AGGREGATE, JOIN, UNION, ORDER BY"
        )

    def _arranged(self, child: Node) -> Node:
        """ORDER BY, or LIMIT and OFFSET."""
        start = self.next
        node = self._ordered(child)
        if isinstance(node, Limit) and isinstance(node.child, Sort) and node.child is not child:
            self.reject(
                "MULTIPLE_QUERY_RESULT_CLAUSES_WITH_PIPE_OPERATORS",
                "ORDER BY and LIMIT cannot coexist in the same SQL pipe operator using '|>'. Please separate the "
                "multiple result clauses into separate pipe operators.",
                start,
            )
        return node

    def _step_select(self, child: Node) -> Node:
        once = self.take_any("DISTINCT", "ALL") == "DISTINCT"
        exprs, keys = self.items(self.named_expression), self._keys()
        windows = self._windows() if self.take("WINDOW") else {}
        outputs = tuple(self._in_windows(expr, windows) for expr in exprs)
        node = Step(Project(child, outputs) if keys is None else Aggregate(child, keys, outputs))
        return distinct(node) if once else node

    def _step_extend(self, child: Node) -> Node:
        start = self.next
        exprs = self.items(self.named_expression)
        windows = self._windows() if self.take("WINDOW") else {}
        outputs = tuple(self._in_windows(expr, windows) for expr in exprs)
        self._refuse_stars(outputs, start)
        return Step(Project(child, (Star(), *self._without_aggregates("EXTEND", outputs))))

    def _refuse_stars(self, exprs: tuple[Expr, ...], start: Token) -> None:
        if any(isinstance(expr, Star) for expr in exprs):
            self.reject(
                "INVALID_USAGE_OF_STAR_OR_REGEX", "Invalid usage of '*' in a pipe operator. Name columns.", start
            )

    def _without_aggregates(self, clause: str, exprs: tuple[Expr, ...]) -> tuple[Expr, ...]:
        for expr in exprs:
            if found := aggregate_in(expr):
                raise PlanError(
                    f"Aggregate function {found.name}(…) is not allowed when using the pipe operator |> {clause} "
                    "clause; please use the pipe operator |> AGGREGATE clause instead.",
                    code="PIPE_OPERATOR_CONTAINS_AGGREGATE_FUNCTION",
                )
        return exprs

    def _step_set(self, child: Node) -> Node:
        """Each assignment sees what the ones before it have made."""
        for name, expr in self.items(self._replacement):
            self._without_aggregates("SET", (expr,))
            child = Step(WithColumns(child, ((name, expr),), known=True))
        return child

    def _replacement(self) -> tuple[str, Expr]:
        first = self.next
        parts = self.dotted()
        if len(parts) > 1:
            self.reject(
                "_LEGACY_ERROR_TEMP_0035",
                "Operation not allowed: SQL pipe syntax |> SET operator with multi-part assignment key (only "
                "single-part keys are allowed).",
                first,
            )
        if not self.take_any("=", "=="):
            self.fail("expected '='")
        return parts[0], self.expression()

    def _step_drop(self, child: Node) -> Node:
        names = self.items(self.dotted)
        lowered = [name[-1].lower() for name in names]
        if len(set(lowered)) < len(lowered):
            shown = ", ".join(".".join(name) for name in names)
            raise PlanError(
                f"Columns in an EXCEPT list must be distinct and non-overlapping, but got ({shown}).",
                code="EXCEPT_OVERLAPPING_COLUMNS",
            )
        return Step(Project(child, (Star(dropped=tuple(map(Attribute, names))),)))

    def _step_as(self, child: Node) -> Node:
        return Named(child, self.name())

    def _step_where(self, child: Node) -> Node:
        return Filter(child, self.expression())

    def _step_window(self, _child: Node) -> Node:
        return self.reject(
            "UNSUPPORTED_FEATURE.CLAUSE_WITH_PIPE_OPERATORS",
            "The feature is not supported: The SQL pipe operator syntax using |> does not support the WINDOW clause. "
            "Write it behind SELECT or EXTEND.",
            self.ahead(-1),
        )

    # AGGREGATE: the keys come first among the results

    def _step_aggregate(self, child: Node) -> Node:
        start = self.ahead(-1)
        none = self.at_any("GROUP", "|>", ")") or self.next.kind == "end"
        outputs = () if none else self.items(self.named_expression)
        self._refuse_stars(outputs, start)
        keys = self._keys(self.named_expression) or ()
        if not outputs and not keys:
            self.reject(
                "_LEGACY_ERROR_TEMP_0035",
                "Operation not allowed: The AGGREGATE clause requires a list of aggregate expressions or a list of "
                "grouping expressions, or both.",
                start,
            )
        unsupported = any(isinstance(key, Call) and key.name in _GROUPINGS for key in keys)
        if unsupported or any(aggregate_in(output) and _over(output) for output in outputs):
            self.reject(
                "UNSUPPORTED_FEATURE.PIPE_OPERATOR_AGGREGATE_UNSUPPORTED_CASE",
                "The feature is not supported: The SQL pipe operator syntax with aggregation (using |> AGGREGATE) does "
                "not support GROUP BY ALL, grouping sets and window functions. Use SELECT … GROUP BY.",
                start,
            )
        for output in outputs:
            if aggregate_in(output) is None:
                raise PlanError(
                    "Non-grouping expression is provided as an argument to the |> AGGREGATE pipe operator but does not "
                    "contain any aggregate function; please update it to include an aggregate function and try again.",
                    code="PIPE_OPERATOR_AGGREGATE_EXPRESSION_CONTAINS_NO_AGGREGATE_FUNCTION",
                )
        plain = tuple(key.child if isinstance(key, Alias) else key for key in keys)
        return Step(Aggregate(child, plain, (*keys, *outputs), positions_of_input=True))


def _over(expr: Any) -> bool:
    """Whether a window function stands in an expression."""
    if isinstance(expr, Over):
        return True
    if isinstance(expr, tuple):
        return any(map(_over, expr))
    if isinstance(expr, Expr) and not isinstance(expr, (Literal, Attribute)):
        return any(_over(getattr(expr, f.name)) for f in dataclasses.fields(expr))
    return False


def aggregate_in(expr: Any) -> Call | None:
    """The first aggregate call in an expression that does not stand over a window."""
    if isinstance(expr, Call) and (function := catalogue().get(expr.name.lower())) and function.kind == "aggregate":
        return expr
    if isinstance(expr, Over):
        return _first((*expr.call.args, *expr.partition, *expr.order))
    if isinstance(expr, tuple):
        return _first(expr)
    if isinstance(expr, Expr) and not isinstance(expr, (Literal, Attribute)):
        return _first(tuple(getattr(expr, f.name) for f in dataclasses.fields(expr)))
    return None


def _first(parts: tuple[Any, ...]) -> Call | None:
    return next((found for part in parts if (found := aggregate_in(part)) is not None), None)
