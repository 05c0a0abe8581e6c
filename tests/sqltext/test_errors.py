"""What cannot be read: the code, the sentence, and the place in the text."""

from __future__ import annotations

import pytest

from app.errors import ParseError, PlanError
from app.plan.nodes import Node, Range
from app.plan.parse import parse_expression, parse_query, parse_statement
from app.plan.resolve import resolve


def view(parts: tuple[str, ...]) -> Node | None:
    return Range(0, 3) if parts == ("v",) else None


BROKEN: list[tuple[str, str, str]] = [
    ("SELECT FROM v", "expected an expression", "-------^^^^"),
    ("SELECT a b c FROM v", "near 'c'", "-----------^"),
    ("SELECT 'abc", "the string that starts here is not closed", "-------^"),
    ("SELECT `abc", "the name in back quotes", "-------^"),
    ("SELECT 1 /* abc", "the comment", "---------^^"),
    ("SELECT a\nFROM v WHERE", "near end of input", "------------^"),
    ("SELECT a BETWEEN 1 2", "expected AND", "-------------------^"),
    ("SELECT a FROM v *", "near '*'", "----------------^"),
    ("SELECT a FROM v WHERE a = 1 GROUP a", "near 'GROUP'", "----------------------------^^^^^"),
    ("SELECT a FROM v LIMIT 1 WHERE a", "near 'WHERE'", "------------------------^^^^^"),
    ("SELECT a FROM v LIMIT 1 UNION SELECT 1", "near 'UNION'", "------------------------^^^^^"),
    ("SELECT a FROM v,", "expected a name", "----------------^"),
    ("SELECT CASE a WHEN 1 THEN 2", "expected END", "---------------------------^"),
    ("SELECT CASE END", "expected WHEN", "---------------^"),
    ("SELECT f(a", "expected ')'", "----------^"),
    ("SELECT f(a,)", "expected an expression", "-----------^"),
    ("SELECT a NOT b", "after NOT", "-------------^"),
    ("SELECT a IS b", "after IS", "------------^"),
    ("SELECT a IS NULL IS NULL", "near 'IS'", "-----------------^^"),
    ("SELECT CAST(a AS)", "data type", "----------------^"),
    ("SELECT a[0", "expected ']'", "----------^"),
    ("SELECT DATE'2020-13-01'", "month must be in 1..12", "-----------^^^^^^^^^^^^"),
    ("SELECT TIMESTAMP'noon'", "yyyy-MM-dd", "----------------^^^^^^"),
    ("SELECT 300Y", "does not fit in tinyint", "-------^^^^"),
    ("SELECT X'1G'", "hexadecimal", "-------^^^^^"),
    ("SELECT INTERVAL '1 moon'", "is not a number and a unit", "-------^^^^^^^^"),
    ("SELECT INTERVAL 1 MONTH 2 DAYS", "not both", "-------^^^^^^^^"),
    ("SELECT INTERVAL '25:99' HOUR TO MINUTE", "too many", "-------^^^^^^^^"),
    ("SELECT a LIKE b ESCAPE 'xy'", "one character", "-----------------------^^^^"),
    ("SELECT * AS a FROM v", "takes no alias", "-------^"),
    ("SELECT :x", "args", "-------^"),
    ("SELECT ?", "args", "-------^"),
    ("SELECT a; SELECT b", "near 'SELECT'", "----------^^^^^^"),
    ("", "expected SELECT", "^"),
    ("SELCT a", "expected SELECT", "^^^^^"),
]

UNSUPPORTED: list[tuple[str, str]] = [
    ("SELECT a FROM v TABLESAMPLE (10 PERCENT)", "TABLESAMPLE"),
    ("WITH RECURSIVE q AS (SELECT 1) SELECT * FROM q", "WITH RECURSIVE"),
    ("SELECT a FROM v WATERMARK ts DELAY OF INTERVAL 1 DAY", "WATERMARK"),
    ("INSERT INTO v VALUES (1)", "The statement INSERT"),
    ("CREATE TABLE t (a INT)", "CREATE TABLE"),
    ("DROP TABLE t", "DROP TABLE"),
    ("SHOW DATABASES", "SHOW DATABASES"),
]


@pytest.mark.parametrize(("sql", "why", "carets"), BROKEN, ids=[case[0] for case in BROKEN])
def test_a_syntax_error_points_at_its_place(sql: str, why: str, carets: str) -> None:
    with pytest.raises(ParseError) as raised:
        parse_query(sql, view)
    error = raised.value
    assert error.code == "PARSE_SYNTAX_ERROR"
    assert why in error.sentence
    assert f"(line {sql.count(chr(10)) + 1}, pos {carets.index('^')})" in error.sentence
    assert error.sentence.split("\n")[-1] == carets


@pytest.mark.parametrize(("sql", "what"), UNSUPPORTED, ids=[case[0] for case in UNSUPPORTED])
def test_what_is_not_supported_is_named_with_a_way_out(sql: str, what: str) -> None:
    with pytest.raises(PlanError) as raised:
        parse_statement(sql, view)
    assert raised.value.code == "UNSUPPORTED_FEATURE"
    assert raised.value.sentence.startswith(what)
    assert "is not supported yet: " in raised.value.sentence


def test_the_type_time_is_refused_as_in_spark() -> None:
    with pytest.raises(PlanError, match="UNSUPPORTED_TIME_TYPE"):
        resolve(parse_query("SELECT hour(TIME'10:00:00')", view))


def test_the_caret_stands_below_its_line() -> None:
    with pytest.raises(ParseError) as raised:
        parse_query("SELECT a,\n  b c d,\n  e\nFROM v", view)
    assert raised.value.sentence.split("== SQL ==\n")[1] == "SELECT a,\n  b c d,\n------^\n  e\nFROM v"


def test_an_unknown_table_is_named() -> None:
    with pytest.raises(PlanError, match=r"\[TABLE_OR_VIEW_NOT_FOUND\] The table or view `db`\.`nope`"):
        parse_query("SELECT 1 FROM db.nope", view)


def test_an_unknown_table_function_is_refused() -> None:
    with pytest.raises(PlanError, match="UNRESOLVABLE_TABLE_VALUED_FUNCTION"):
        parse_query("SELECT * FROM no_such_function('a')", view)


def test_a_comma_too_many_is_said() -> None:
    with pytest.raises(PlanError, match="TRAILING_COMMA_IN_SELECT"):
        parse_query("SELECT a, FROM v", view)


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(PlanError, match=r"INVALID_LIMIT_LIKE_EXPRESSION\.IS_NEGATIVE"):
        parse_query("SELECT 1 LIMIT -1", view)


def test_text_that_nests_too_deeply_is_refused() -> None:
    with pytest.raises(ParseError, match="FAILED_TO_PARSE_TOO_COMPLEX"):
        parse_expression("(" * 5000 + "a" + ")" * 5000)


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(ParseError, match="UNSUPPORTED_DATATYPE"):
        parse_expression("cast(a as strng)")
