"""Statements that are not queries."""

from __future__ import annotations

import pytest

from app.errors import PlanError
from app.plan.expressions import Attribute, Literal
from app.plan.functions.entry import Parameter
from app.plan.nodes import Node, Project, Range
from app.plan.parse import parse_statement
from app.plan.statements import (
    CreateFunction,
    CreateView,
    DeclareVariables,
    DescribeFunction,
    DescribeView,
    DropFunction,
    DropVariable,
    DropView,
    ExecuteImmediate,
    Explain,
    Nothing,
    QueryStatement,
    RenameView,
    ResetConf,
    SetConf,
    SetVariables,
    ShowColumns,
    ShowFunctions,
    ShowNames,
    ShowTables,
    Statement,
    Use,
)
from app.plan.types import IntegerType, StringType

V = Range(0, 5)
FIVE = Literal(5, IntegerType())
TEXT = Literal("a", StringType())
ID = Attribute(("id",))
PLAN = Project(V, (ID,))


def view(parts: tuple[str, ...]) -> Node | None:
    return V if parts == ("v",) else None


STATEMENTS: list[tuple[str, Statement]] = [
    ("SELECT id FROM v", QueryStatement(PLAN)),
    ("(SELECT id FROM v)", QueryStatement(PLAN)),
    ("CREATE TEMPORARY VIEW x AS SELECT id FROM v", CreateView("x", PLAN)),
    ("create or replace temp view x as select id from v;", CreateView("x", PLAN, replace=True)),
    ("CREATE GLOBAL TEMP VIEW `a b` AS SELECT id FROM v", CreateView("a b", PLAN, everywhere=True)),
    ("CREATE TEMP VIEW x (n COMMENT 'c') COMMENT 'v' AS SELECT id FROM v", CreateView("x", PLAN, columns=("n",))),
    ("ALTER VIEW x AS SELECT id FROM v", CreateView("x", PLAN, replace=True, alters=True)),
    ("ALTER VIEW x RENAME TO y", RenameView(("x",), ("y",))),
    ("DROP VIEW global_temp.x", DropView(("global_temp", "x"))),
    ("CACHE LAZY TABLE v", Nothing()),
    ("CACHE TABLE x AS SELECT id FROM v", CreateView("x", PLAN)),
    ("UNCACHE TABLE IF EXISTS nope", Nothing()),
    ("CLEAR CACHE", Nothing()),
    ("REFRESH TABLE v", Nothing()),
    ("RESET a.b", ResetConf("a.b")),
    ("RESET", ResetConf()),
    ("SET `a b` = `c;d`", SetConf("a b", "c;d")),
    ("SET TIME ZONE 'Europe/Berlin'", SetConf("spark.sql.session.timeZone", "Europe/Berlin")),
    ("SET TIME ZONE INTERVAL '-08:30' HOUR TO MINUTE", SetConf("spark.sql.session.timeZone", "-08:30")),
    ("SET TIME ZONE INTERVAL 10 HOURS", SetConf("spark.sql.session.timeZone", "+10:00")),
    ("USE SCHEMA default", Use(("default",), namespace=True)),
    ("DECLARE x INT DEFAULT 5", DeclareVariables((("x",),), IntegerType(), FIVE)),
    ("DECLARE OR REPLACE VARIABLE session.x, y = 5", DeclareVariables((("session", "x"), ("y",)), None, FIVE, True)),
    ("SET VAR x = 5, y = DEFAULT", SetVariables((("x",), ("y",)), (FIVE, None))),
    ("SET VARIABLE (x) = (SELECT id FROM v)", SetVariables((("x",),), PLAN)),
    ("DROP TEMPORARY VARIABLE IF EXISTS x", DropVariable(("x",), if_exists=True)),
    ("EXECUTE IMMEDIATE 'a' INTO x USING 5, 5 AS y", ExecuteImmediate(TEXT, (("x",),), ((None, FIVE), ("y", FIVE)))),
    (
        "CREATE OR REPLACE TEMPORARY FUNCTION f(x INT DEFAULT 5) RETURNS INT RETURN x",
        CreateFunction("f", (Parameter("x", IntegerType(), FIVE),), IntegerType(), Attribute(("x",)), "x", True),
    ),
    ("DROP TEMPORARY FUNCTION f", DropFunction(("f",))),
    ("SHOW TABLES IN global_temp", ShowTables(namespace="global_temp")),
    ("SHOW COLUMNS FROM v", ShowColumns(V)),
    ("SHOW USER FUNCTIONS LIKE 'a*'", ShowFunctions("user", "a*")),
    ("SHOW SCHEMAS LIKE 'd'", ShowNames("namespaces", "d")),
    ("SHOW CURRENT DATABASE", ShowNames("current")),
    ("DESCRIBE v id", DescribeView(V, ("id",))),
    ("DESC FUNCTION EXTENDED upper", DescribeFunction("upper", extended=True)),
    ("DROP VIEW x", DropView(("x",))),
    ("DROP VIEW IF EXISTS x", DropView(("x",), if_exists=True)),
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
