"""Statements that are not queries."""

from __future__ import annotations

import pytest

from app.errors import PlanError
from app.plan.expressions import Attribute
from app.plan.nodes import Node, Project, Range, Relabel
from app.plan.parse import parse_statement
from app.plan.parse.statement import (
    CreateView,
    DescribeView,
    DropView,
    Explain,
    QueryStatement,
    SetConf,
    ShowTables,
    Statement,
)

V = Range(0, 5)
ID = Attribute(("id",))
PLAN = Project(V, (ID,))


def view(parts: tuple[str, ...]) -> Node | None:
    return V if parts == ("v",) else None


STATEMENTS: list[tuple[str, Statement]] = [
    ("SELECT id FROM v", QueryStatement(PLAN)),
    ("(SELECT id FROM v)", QueryStatement(PLAN)),
    ("CREATE TEMPORARY VIEW x AS SELECT id FROM v", CreateView("x", PLAN)),
    ("create or replace temp view x as select id from v;", CreateView("x", PLAN, replace=True)),
    ("CREATE TEMP VIEW IF NOT EXISTS `a b` AS SELECT id FROM v", CreateView("a b", PLAN, if_not_exists=True)),
    ("CREATE TEMP VIEW x (n) AS SELECT id FROM v", CreateView("x", Relabel(PLAN, ("n",)))),
    ("DROP VIEW x", DropView("x")),
    ("DROP VIEW IF EXISTS x", DropView("x", if_exists=True)),
    ("SET", SetConf()),
    ("SET spark.sql.shuffle.partitions", SetConf("spark.sql.shuffle.partitions")),
    ("SET spark.sql.shuffle.partitions = 5;", SetConf("spark.sql.shuffle.partitions", "5")),
    ("SET a.b = two words = x", SetConf("a.b", "two words = x")),
    ("SHOW TABLES", ShowTables()),
    ("SHOW VIEWS LIKE 'a*'", ShowTables(views_only=True, pattern="a*")),
    ("SHOW TABLES 'a|b'", ShowTables(pattern="a|b")),
    ("DESCRIBE v", DescribeView(V)),
    ("DESC TABLE v", DescribeView(V)),
    ("DESCRIBE QUERY SELECT id FROM v", DescribeView(PLAN)),
    ("EXPLAIN SELECT id FROM v", Explain(PLAN)),
    ("EXPLAIN EXTENDED SELECT id FROM v", Explain(PLAN, extended=True)),
]


@pytest.mark.parametrize(("sql", "statement"), STATEMENTS, ids=[case[0] for case in STATEMENTS])
def test_a_statement_says_what_to_do(sql: str, statement: Statement) -> None:
    assert parse_statement(sql, view) == statement


def test_describe_of_an_unknown_view_names_it() -> None:
    with pytest.raises(PlanError, match="TABLE_OR_VIEW_NOT_FOUND"):
        parse_statement("DESCRIBE nope", view)
