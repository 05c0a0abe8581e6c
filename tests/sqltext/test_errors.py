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
    ("SELECT a b c FROM v", "near 'c'", "-----------^"),
    ("SELECT 'abc", "the string that starts here is not closed", "-------^"),
    ("SELECT `abc", "the name in back quotes", "-------^"),
    ("SELECT a BETWEEN 1 2", "expected AND", "-------------------^"),
    ("SELECT a FROM v *", "near '*'", "----------------^"),
    ("SELECT a FROM v WHERE a = 1 GROUP a", "near 'GROUP'", "----------------------------^^^^^"),
    ("SELECT a FROM v LIMIT 1 WHERE a", "near 'WHERE'", "------------------------^^^^^"),
    ("SELECT a FROM v LIMIT 1 UNION SELECT 1", "near 'UNION'", "------------------------^^^^^"),
    ("SELECT a FROM v,", "expected a name", "----------------^"),
    ("SELECT CASE a WHEN 1 THEN 2", "expected END", "---------------------------^"),
    ("SELECT f(a", "expected ')'", "----------^"),
    ("SELECT f(a,)", "expected an expression", "-----------^"),
    ("SELECT a NOT b", "after NOT", "-------------^"),
    ("SELECT a IS b", "after IS", "------------^"),
    ("SELECT a IS NULL IS NULL", "near 'IS'", "-----------------^^"),
    ("SELECT CAST(a AS)", "data type", "----------------^"),
    ("SELECT a[0", "expected ']'", "----------^"),
    ("SELECT a; SELECT b", "near 'SELECT'", "----------^^^^^^"),
    ("-- nothing", "expected SELECT", "----------^"),
    ("SELCT a", "expected SELECT", "^^^^^"),
]

REJECTED: list[tuple[str, str, str]] = [
    ("", "PARSE_EMPTY_STATEMENT", "^"),
    ("  ", "PARSE_EMPTY_STATEMENT", "^"),
    ("SELECT a, FROM v", "TRAILING_COMMA_IN_SELECT", "          ^^^^^^"),
    ("SELECT 1 /* abc", "UNCLOSED_BRACKETED_COMMENT", "         ^^"),
    ("SELECT 1 /* /* a */ b", "UNCLOSED_BRACKETED_COMMENT", "         ^^"),
    ("SELECT DATE'2020-13-01'", "INVALID_TYPED_LITERAL", "       ^^^^^^^^^^^^^^^^"),
    ("SELECT TIMESTAMP 'noon'", "INVALID_TYPED_LITERAL", "       ^^^^^^^^^^^^^^^^"),
    ("SELECT X'1G'", "INVALID_TYPED_LITERAL", "       ^^^^^"),
    ("SELECT INTERVAL '1 moon'", "INVALID_TYPED_LITERAL", "       ^^^^^^^^^^^^^^^^^"),
    ("SELECT foo'abc'", "UNSUPPORTED_TYPED_LITERAL", "       ^^^^^^^^"),
    ("SELECT N'abc'", "UNSUPPORTED_TYPED_LITERAL", "       ^^^^^^"),
    ("SELECT 300Y", "INVALID_NUMERIC_LITERAL_RANGE", "       ^^^^"),
    ("SELECT 1e400D", "INVALID_NUMERIC_LITERAL_RANGE", "       ^^^^^^"),
    ("SELECT 1E50BD", "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", "       ^^^^^^"),
    ("SELECT INTERVAL '25:99' HOUR TO MINUTE", "_LEGACY_ERROR_TEMP_0063", "       " + "^" * 31),
    ("SELECT a\n, b LIKE c ESCAPE 'xy'", "INVALID_ESC", "                  ^^^^"),
    ("SELECT * AS a FROM v", "INVALID_USAGE_OF_STAR_OR_REGEX", "       ^"),
    ("SELECT a IN ()", "INVALID_SQL_SYNTAX.EMPTY_IN_PREDICATE", "         ^^^^^"),
    ("SELECT a LIKE ANY ()", "_LEGACY_ERROR_TEMP_0064", "         ^^^^^^^^^^^"),
    ("VALUES (1, 2), (3)", "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH", "^^^^^^^^^^^^^^^^^^"),
    ("WITH q AS (SELECT 1), q AS (SELECT 2) TABLE q", "DUPLICATED_CTE_NAMES", "^" * 37),
    ("SELECT a FROM v WINDOW w AS (), w AS ()", "INVALID_SQL_SYNTAX.REPETITIVE_WINDOW_DEFINITION", " " * 32 + "^"),
    ("SELECT cast(a AS varchar)", "DATATYPE_MISSING_SIZE", "                 ^^^^^^^"),
    ("SELECT cast(a AS array)", "INCOMPLETE_TYPE_DEFINITION.ARRAY", "                 ^^^^^"),
    ("SELECT a::strng", "UNSUPPORTED_DATATYPE", "          ^^^^^"),
    ("SELECT :x", "UNBOUND_SQL_PARAMETER", "       ^"),
    ("SELECT ?", "UNBOUND_SQL_PARAMETER", "       ^"),
    ("SELECT :x, ?", "INVALID_QUERY_MIXED_QUERY_PARAMETERS", "       ^"),
    ("DECLARE x", "INVALID_SQL_SYNTAX.VARIABLE_TYPE_OR_DEFAULT_REQUIRED", "^^^^^^^^^"),
    ("SET a b", "INVALID_SET_SYNTAX", "^^^^^^^"),
    ("RESET a b", "INVALID_RESET_COMMAND_FORMAT", "^^^^^^^^^"),
    ("SET TIME ZONE foo", "_LEGACY_ERROR_TEMP_0045", "^^^^^^^^^^^^^^^^^"),
    ("SET TIME ZONE INTERVAL 19 HOURS", "INVALID_INTERVAL_FORMAT.TIMEZONE_INTERVAL_OUT_OF_RANGE", "^" * 31),
    ("CREATE TEMP VIEW a.b AS SELECT 1", "INVALID_TEMP_OBJ_QUALIFIER", "^^^^^^^^^^^^^^^^^^^^"),
    ("CREATE TEMP VIEW IF NOT EXISTS a AS SELECT 1", "_LEGACY_ERROR_TEMP_0053", "^^^^^^"),
    ("FROM v |> ORDER BY id LIMIT 1", "MULTIPLE_QUERY_RESULT_CLAUSES_WITH_PIPE_OPERATORS", "          ^^^^^"),
]
"""Text that is well-formed and means nothing, the class of the error, and what of its line is marked."""

UNSUPPORTED: list[tuple[str, str]] = [
    ("SELECT a FROM v WATERMARK ts DELAY OF INTERVAL 1 DAY", "WATERMARK"),
    ("INSERT INTO v VALUES (1)", "The statement INSERT"),
    ("CREATE TABLE t (a INT)", "CREATE TABLE"),
    ("DROP TABLE t", "DROP TABLE"),
    ("SHOW PARTITIONS v", "SHOW PARTITIONS"),
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


@pytest.mark.parametrize(("sql", "code", "carets"), REJECTED, ids=[case[0] for case in REJECTED])
def test_text_that_means_nothing_is_marked(sql: str, code: str, carets: str) -> None:
    with pytest.raises(ParseError) as raised:
        parse_statement(sql, view)
    error = raised.value
    assert error.code == code
    line, position = sql.count("\n") + 1, len(carets) - len(carets.lstrip()) + 1
    assert error.sentence.split("\n")[-3:] == [
        f"== SQL (line {line}, position {position}) ==",
        sql.split("\n")[-1],
        carets,
    ]


@pytest.mark.parametrize(
    "sql", ["SELECT 1 order", "SELECT 1 AS from", "SELECT 1 AS", "SELECT a FROM v where", "SELECT a FROM v limit"]
)
def test_every_word_may_be_a_name(sql: str) -> None:
    parse_statement(sql, view)


@pytest.mark.parametrize("sql", ["SELECT a-b FROM a-b", "SELECT a AS a-b FROM v", "SELECT * FROM v AS a-b", "SELECT é"])
def test_a_name_with_other_signs_needs_back_quotes(sql: str) -> None:
    with pytest.raises(ParseError, match="INVALID_IDENTIFIER") as raised:
        parse_statement(sql, lambda _: Range(0, 3))
    assert f"(line 1, pos {max(sql.rfind('-'), sql.find('é'))})" in raised.value.sentence


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
        resolve(parse_query("SELECT * FROM no_such_function('a')", view))


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(PlanError, match=r"INVALID_LIMIT_LIKE_EXPRESSION\.IS_NEGATIVE"):
        parse_query("SELECT 1 LIMIT -1", view)


def test_text_that_nests_too_deeply_is_refused() -> None:
    with pytest.raises(ParseError, match="FAILED_TO_PARSE_TOO_COMPLEX"):
        parse_expression("(" * 5000 + "a" + ")" * 5000)


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(ParseError, match="UNSUPPORTED_DATATYPE"):
        parse_expression("cast(a as strng)")
