"""Queries as SQL text: the plan nodes they mean."""

from __future__ import annotations

from typing import Any

import pytest

from app.plan import types as t
from app.plan.expressions import Alias, Attribute, Call, Expr, Literal, SortKey, Star
from app.plan.nodes import (
    Aggregate,
    Filter,
    InlineTable,
    Join,
    LateralView,
    Limit,
    Named,
    Node,
    OneRow,
    Project,
    Range,
    Relabel,
    Sort,
    Union,
)
from app.plan.parse import parse_query

V, W = Range(0, 5), Range(0, 3)
VIEWS: dict[tuple[str, ...], Node] = {("v",): V, ("w",): W, ("db", "v"): W}


def query(sql: str, args: Any = None) -> Node:
    return parse_query(sql, VIEWS.get, args)


def name(*parts: str) -> Attribute:
    return Attribute(parts)


def call(function: str, *args: Expr) -> Call:
    return Call(function, args)


def number(value: int) -> Literal:
    return Literal(value, t.IntegerType())


A, B, C, K, ID = (name(word) for word in ("a", "b", "c", "k", "id"))
ALL = Star()
COUNT = call("count", number(1))


def distinct(node: Node) -> Node:
    return Aggregate(node, (ALL,), (ALL,))


def inline(names: str, *rows: tuple[int, ...]) -> Node:
    return InlineTable(tuple(tuple(map(number, row)) for row in rows), tuple(names.split()))


ON_ID = call("==", name("v", "id"), name("w", "id"))

QUERIES: list[tuple[str, Node]] = [
    ("SELECT 1", Project(OneRow(), (number(1),))),
    ("SELECT * FROM v", Project(V, (ALL,))),
    ("SELECT a, b AS c FROM v", Project(V, (A, Alias(B, ("c",))))),
    ("SELECT ALL a FROM v;", Project(V, (A,))),
    ("SELECT a, b FROM v WHERE c", Project(Filter(V, C), (A, B))),
    ("SELECT /*+ BROADCAST(v) */ a FROM v", Project(V, (A,))),
    ("SELECT v.a FROM v", Project(Named(V, "v"), (name("v", "a"),))),
    ("SELECT V.* FROM v", Project(Named(V, "v"), (Star(("V",)),))),
    ("SELECT a FROM v AS x", Project(Named(V, "x"), (A,))),
    ("SELECT x.a FROM v x", Project(Named(V, "x"), (name("x", "a"),))),
    ("SELECT a FROM db.v", Project(W, (A,))),
    ("SELECT v.a FROM db.v", Project(Named(W, "v"), (name("v", "a"),))),
    ("SELECT k, count(1) AS count FROM v GROUP BY k", Aggregate(V, (K,), (K, Alias(COUNT, ("count",))))),
    ("SELECT k, count(*) FROM v GROUP BY 1", Aggregate(V, (number(1),), (K, COUNT))),
    ("SELECT count(*) FROM v", Project(V, (COUNT,))),
    (
        "SELECT k FROM v GROUP BY k HAVING count(*) > 1",
        Aggregate(V, (K,), (K,), call(">", COUNT, number(1))),
    ),
    ("SELECT sum(a) FROM v HAVING b", Aggregate(V, (), (call("sum", A),), B)),
    ("SELECT DISTINCT a FROM v", distinct(Project(V, (A,)))),
    ("SELECT a FROM v ORDER BY a", Sort(Project(V, (A,)), (SortKey(A),))),
    (
        "SELECT a FROM v ORDER BY a DESC NULLS LAST, 2 ASC NULLS FIRST",
        Sort(Project(V, (A,)), (SortKey(A, False, False), SortKey(number(2), True, True))),
    ),
    ("SELECT a FROM v LIMIT 3", Limit(Project(V, (A,)), 3)),
    ("SELECT a FROM v LIMIT ALL", Project(V, (A,))),
    ("SELECT a FROM v LIMIT 3 OFFSET 2", Limit(Project(V, (A,)), 3, 2)),
    ("SELECT a FROM v OFFSET 2", Limit(Project(V, (A,)), (1 << 63) - 1, 2)),
    ("SELECT a FROM v UNION ALL SELECT a FROM w", Union(Project(V, (A,)), Project(W, (A,)))),
    ("SELECT a FROM v UNION SELECT a FROM w", distinct(Union(Project(V, (A,)), Project(W, (A,))))),
    (
        "SELECT a FROM v UNION ALL SELECT a FROM w UNION ALL SELECT 1 ORDER BY a LIMIT 1",
        Limit(
            Sort(
                Union(Union(Project(V, (A,)), Project(W, (A,))), Project(OneRow(), (number(1),))), (SortKey(A),)
            ),
            1,
        ),
    ),
    (
        "(SELECT a FROM v LIMIT 1) UNION ALL (SELECT a FROM w)",
        Union(Limit(Project(V, (A,)), 1), Project(W, (A,))),
    ),
    ("SELECT a FROM (SELECT * FROM v)", Project(Project(V, (ALL,)), (A,))),
    ("SELECT a FROM (SELECT * FROM v) AS x", Project(Named(Project(V, (ALL,)), "x"), (A,))),
    (
        "SELECT a FROM (SELECT id FROM v) x(a)",
        Project(Named(Relabel(Project(V, (ID,)), ("a",)), "x"), (A,)),
    ),
    ("SELECT * FROM v JOIN w ON a = b", Project(Join(V, W, "inner", call("==", A, B)), (ALL,))),
    (
        "SELECT * FROM v JOIN w ON v.id = w.id",
        Project(Join(Named(V, "v"), Named(W, "w"), "inner", ON_ID), (ALL,)),
    ),
    ("SELECT * FROM v LEFT OUTER JOIN w USING (id, a)", Project(Join(V, W, "left", None, ("id", "a")), (ALL,))),
    ("SELECT * FROM v RIGHT JOIN w USING (id)", Project(Join(V, W, "right", None, ("id",)), (ALL,))),
    ("SELECT * FROM v FULL JOIN w USING (id)", Project(Join(V, W, "full", None, ("id",)), (ALL,))),
    ("SELECT * FROM v LEFT SEMI JOIN w USING (id)", Project(Join(V, W, "semi", None, ("id",)), (ALL,))),
    ("SELECT * FROM v ANTI JOIN w USING (id)", Project(Join(V, W, "anti", None, ("id",)), (ALL,))),
    ("SELECT * FROM v CROSS JOIN w", Project(Join(V, W, "cross"), (ALL,))),
    ("SELECT * FROM v, w WHERE a", Project(Filter(Join(V, W, "cross"), A), (ALL,))),
    ("SELECT * FROM v JOIN (w JOIN v USING (a)) USING (b)",
        Project(Join(V, Join(W, V, "inner", None, ("a",)), "inner", None, ("b",)), (ALL,))),
    ("WITH q AS (SELECT a FROM v) SELECT * FROM q", Project(Project(V, (A,)), (ALL,))),
    ("WITH v AS (SELECT a FROM v) SELECT * FROM v", Project(Project(V, (A,)), (ALL,))),
    (
        "WITH q AS (SELECT 1), r AS (SELECT * FROM q) SELECT r.* FROM r",
        Project(Named(Project(Project(OneRow(), (number(1),)), (ALL,)), "r"), (Star(("r",)),)),
    ),
    ("VALUES (1, 2)", inline("col1 col2", (1, 2))),
    ("SELECT * FROM VALUES 1, 2", Project(inline("col1", (1,), (2,)), (ALL,))),
    (
        "SELECT * FROM VALUES (1, 2), (3, 4) AS t(x, y)",
        Project(Named(inline("x y", (1, 2), (3, 4)), "t"), (ALL,)),
    ),
    ("SELECT * FROM range(3)", Project(Range(0, 3), (ALL,))),
    ("SELECT * FROM range(1, 10, 2) r", Project(Named(Range(1, 10, 2), "r"), (ALL,))),
    (
        "SELECT * FROM explode(array(1)) AS t(x)",
        Project(Named(Project(OneRow(), (Alias(call("explode", call("array", number(1))), ("x",)),)), "t"), (ALL,)),
    ),
    ("SELECT explode(a) FROM v", Project(V, (call("explode", A),))),
    ("SELECT a, x FROM v LATERAL VIEW explode(b) t AS x",
        Project(LateralView(V, call("explode", B), "t", ("x",)), (A, name("x")))),
    ("SELECT t.x FROM v LATERAL VIEW OUTER posexplode(v.b) t AS i, x WHERE t.i > 1 ORDER BY t.x",
        Sort(
            Project(
                Filter(
                    LateralView(Named(V, "v"), call("posexplode", name("v", "b")), "t", ("i", "x"), outer=True),
                    call(">", name("t", "i"), number(1)),
                ),
                (name("t", "x"),),
            ),
            (SortKey(name("t", "x")),),
        )),
    ("SELECT x FROM v LATERAL VIEW explode(a) t AS b LATERAL VIEW explode(t.b) u AS x",
        Project(
            LateralView(
                LateralView(V, call("explode", A), "t", ("b",)), call("explode", name("t", "b")), "u", ("x",)
            ),
            (name("x"),),
        )),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "node"), QUERIES, ids=[case[0] for case in QUERIES])
def test_a_query_means_these_nodes(sql: str, node: Node) -> None:
    assert query(sql) == node


def test_parameters_by_name_are_constants() -> None:
    found = query("SELECT a FROM v WHERE b = :low LIMIT :n", {"low": 5, "n": 2})
    assert found == query("SELECT a FROM v WHERE b = 5 LIMIT 2")


def test_parameters_by_place_are_constants() -> None:
    assert query("SELECT ?, ?", ["x", 1.5]) == Project(
        OneRow(), (Literal("x", t.StringType()), Literal(1.5, t.DoubleType()))
    )


def test_a_name_in_a_string_is_no_qualifier() -> None:
    assert query("SELECT 'v.a' FROM v") == Project(V, (Literal("v.a", t.StringType()),))
