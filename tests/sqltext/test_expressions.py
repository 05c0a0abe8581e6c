"""Expressions as SQL text: what each piece of text means as a plan value."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from app.plan import types as t
from app.plan.expressions import Alias, Attribute, Call, Case, Cast, Expr, Lambda, Literal, Star, Tuple
from app.plan.parse import parse_expression


def name(*parts: str) -> Attribute:
    return Attribute(parts)


def call(function: str, *args: Expr) -> Call:
    return Call(function, args)


def number(value: int) -> Literal:
    return Literal(value, t.IntegerType())


def text(value: str) -> Literal:
    return Literal(value, t.StringType())


A, B, C, D, X, Y = (name(letter) for letter in "abcdxy")
ONE, TWO = number(1), number(2)

LITERALS: list[tuple[str, Any, t.DataType]] = [
    ("1", 1, t.IntegerType()),
    ("-2147483648", -(1 << 31), t.IntegerType()),
    ("2147483648", 1 << 31, t.LongType()),
    ("9223372036854775808", Decimal(1 << 63), t.DecimalType(19, 0)),
    ("1L", 1, t.LongType()),
    ("2S", 2, t.ShortType()),
    ("3y", 3, t.ByteType()),
    ("-128Y", -128, t.ByteType()),
    ("1.5", Decimal("1.5"), t.DecimalType(2, 1)),
    ("0.01", Decimal("0.01"), t.DecimalType(2, 2)),
    (".5", Decimal("0.5"), t.DecimalType(1, 1)),
    ("12.", Decimal("12"), t.DecimalType(2, 0)),
    ("1e3", 1000.0, t.DoubleType()),
    ("1.0D", 1.0, t.DoubleType()),
    ("2.5F", 2.5, t.FloatType()),
    ("1e-3f", 0.001, t.FloatType()),
    ("1BD", Decimal(1), t.DecimalType(1, 0)),
    ("1E3BD", Decimal(1000), t.DecimalType(4, 0)),
    ("TRUE", True, t.BooleanType()),
    ("false", False, t.BooleanType()),
    ("NULL", None, t.NullType()),
    ("'it''s'", "it's", t.StringType()),
    ("'a' 'b'", "ab", t.StringType()),
    ('"say \\"x\\""', 'say "x"', t.StringType()),
    (r"'tab\tnew\nback\\'", "tab\tnew\nback\\", t.StringType()),
    (r"'\u0041\101'", "AA", t.StringType()),
    (r"'50\%'", r"50\%", t.StringType()),
    (r"r'\d+'", r"\d+", t.StringType()),
    ("X'1Fa'", b"\x01\xfa", t.BinaryType()),
    ("x 'F'", b"\x0f", t.BinaryType()),
    ("DATE '2024-02-29'", date(2024, 2, 29), t.DateType()),
    ("DATE'2024'", date(2024, 1, 1), t.DateType()),
    ("TIMESTAMP '2024-01-01 12:30:00.5'", datetime(2024, 1, 1, 12, 30, 0, 500_000), t.TimestampType()),
    ("TIMESTAMP '2024-01-01T12:00:00+02:00'", datetime(2024, 1, 1, 10, tzinfo=UTC), t.TimestampType()),
    ("TIMESTAMP '2024-07-01 12:00:00 Europe/Berlin'", datetime(2024, 7, 1, 10, tzinfo=UTC), t.TimestampType()),
    ("TIMESTAMP_NTZ '2024-01-01 12:00:00'", datetime(2024, 1, 1, 12), t.TimestampNTZType()),
    ("INTERVAL '1' DAY", timedelta(days=1), t.DayTimeIntervalType(0, 0)),
    ("INTERVAL 1 DAY 2 HOURS", timedelta(hours=26), t.DayTimeIntervalType(0, 1)),
    ("INTERVAL -5 MINUTES", timedelta(minutes=-5), t.DayTimeIntervalType(2, 2)),
    ("INTERVAL 1.5 SECONDS", timedelta(seconds=1.5), t.DayTimeIntervalType(3, 3)),
    ("INTERVAL 2 WEEKS", timedelta(weeks=2), t.DayTimeIntervalType(0, 0)),
    ("INTERVAL '1 day 2 hours'", timedelta(hours=26), t.DayTimeIntervalType(0, 1)),
    ("INTERVAL '1 02:03:04.5' DAY TO SECOND", timedelta(1, 7384, 500_000), t.DayTimeIntervalType(0, 3)),
    ("INTERVAL '-02:30' HOUR TO MINUTE", timedelta(hours=-2, minutes=-30), t.DayTimeIntervalType(1, 2)),
    ("INTERVAL '1-2' YEAR TO MONTH", 14, t.YearMonthIntervalType(0, 1)),
    ("INTERVAL 3 MONTHS", 3, t.YearMonthIntervalType(1, 1)),
]

OPERATORS: list[tuple[str, Expr]] = [
    ("a + b * c", call("+", A, call("*", B, C))),
    ("a - b - c", call("-", call("-", A, B), C)),
    ("(a - (b - c))", call("-", A, call("-", B, C))),
    ("a / b % c div d", call("div", call("%", call("/", A, B), C), D)),
    ("-a", call("-", A)),
    ("- -a", call("-", call("-", A))),
    ("+a", call("positive", A)),
    ("a -1", call("-", A, ONE)),
    ("a * -1", call("*", A, number(-1))),
    ("a || b || c", call("concat", call("concat", A, B), C)),
    ("a | b ^ c & d", call("|", A, call("^", B, call("&", C, D)))),
    ("a & b + c", call("&", A, call("+", B, C))),
    ("a << 1 + 2", call("<<", A, call("+", ONE, TWO))),
    ("a >> 1", call(">>", A, ONE)),
    ("a >>> 1", call(">>>", A, ONE)),
    ("~a", call("~", A)),
    ("a = b", call("==", A, B)),
    ("a == b", call("==", A, B)),
    ("a <=> b", call("<=>", A, B)),
    ("a != b", call("not", call("==", A, B))),
    ("a <> b", call("not", call("==", A, B))),
    ("a < b", call("<", A, B)),
    ("a >= b + 1", call(">=", A, call("+", B, ONE))),
    ("a | b = c", call("==", call("|", A, B), C)),
    ("a or b and c", call("or", A, call("and", B, C))),
    ("not a and b", call("and", call("not", A), B)),
    ("not a = b", call("not", call("==", A, B))),
    ("! a", call("not", A)),
    ("not not a", call("not", call("not", A))),
    ("a is null", call("isnull", A)),
    ("a is not null", call("isnotnull", A)),
    ("a = b is null", call("isnull", call("==", A, B))),
    ("a is true", call("<=>", A, Literal(True, t.BooleanType()))),
    ("a is not false", call("not", call("<=>", A, Literal(False, t.BooleanType())))),
    ("a is unknown", call("isnull", A)),
    ("a is distinct from b", call("not", call("<=>", A, B))),
    ("a is not distinct from b", call("<=>", A, B)),
    ("a in (1, 2)", call("in", A, ONE, TWO)),
    ("a not in (1)", call("not", call("in", A, ONE))),
    ("a between 1 and 2 and b", call("and", call("between", A, ONE, TWO), B)),
    ("a not between 1 and 2", call("not", call("between", A, ONE, TWO))),
    ("a like 'x%'", call("like", A, text("x%"))),
    ("a not like 'x'", call("not", call("like", A, text("x")))),
    ("a like 'x!%' escape '!'", call("like", A, text("x!%"), text("!"))),
    ("a like any ('x', 'y')", call("likeany", A, text("x"), text("y"))),
    ("a like all ('x', 'y')", call("likeall", A, text("x"), text("y"))),
    ("a ilike 'x'", call("ilike", A, text("x"))),
    ("a rlike 'x'", call("rlike", A, text("x"))),
    ("a regexp 'x'", call("rlike", A, text("x"))),
    ("a || b like c", call("like", call("concat", A, B), C)),
    ("a[0]", call("getitem", A, number(0))),
    ("a['k'].b", call("getitem", call("getitem", A, text("k")), text("b"))),
    ("f(a).b", call("getitem", call("f", A), text("b"))),
    ("a::string", Cast(A, t.StringType())),
    ("-a::int", call("-", Cast(A, t.IntegerType()))),
    ("cast(a as decimal(10, 2))", Cast(A, t.DecimalType(10, 2))),
    ("try_cast(a as int)", Cast(A, t.IntegerType(), safe=True)),
    ("cast(a as array<array<int>>)", Cast(A, t.ArrayType(t.ArrayType(t.IntegerType())))),
    ("cast(a as interval day to second)", Cast(A, t.DayTimeIntervalType())),
    ("case when a then b else c end", Case(((A, B),), C)),
    ("case a when 1 then b when 2 then c end", Case(((call("==", A, ONE), B), (call("==", A, TWO), C)))),
    ("case when a then 1 end + 2", call("+", Case(((A, ONE),)), TWO)),
]

NAMES: list[tuple[str, Expr]] = [
    ("a", A),
    ("A", name("A")),
    ("a.b.c", name("a", "b", "c")),
    ("`a.b`.`c``d`", name("a.b", "c`d")),
    ("*", Star()),
    ("t.*", Star(("t",))),
    ("a as b", Alias(A, ("b",))),
    ("a b", Alias(A, ("b",))),
    ("a as `b c`", Alias(A, ("b c",))),
    ("stack(1, a, b) as (x, y)", Alias(call("stack", ONE, A, B), ("x", "y"))),
    ("date", name("date")),
    ("timestamp", name("timestamp")),
    ("interval", name("interval")),
    ("value", name("value")),
    ("offset + end", call("+", name("offset"), name("end"))),
    ("window.start", name("window", "start")),
    ("a.order", name("a", "order")),
    ("t.null", name("t", "null")),
]

CALLS: list[tuple[str, Expr]] = [
    ("upper(a)", call("upper", A)),
    ("Date_Add(a, 1)", call("date_add", A, ONE)),
    ("size(a)", call("size", A)),
    ("instr(a, 'x')", call("instr", A, text("x"))),
    ("approx_count_distinct(a)", call("approx_count_distinct", A)),
    ("nvl(a, b)", call("nvl", A, B)),
    ("ifnull(a, b)", call("ifnull", A, B)),
    ("mod(a, b)", call("mod", A, B)),
    ("date_trunc('hour', a)", call("date_trunc", text("hour"), A)),
    ("to_timestamp(a)", call("to_timestamp", A)),
    ("if(a, b, c)", call("if", A, B, C)),
    ("left(a, 1)", call("left", A, ONE)),
    ("like(a, b)", call("like", A, B)),
    ("date(a)", call("date", A)),
    ("int(a)", call("int", A)),
    ("array()", call("array")),
    ("map('k', a)", call("map", text("k"), A)),
    ("struct(a as x, b)", call("struct", Alias(A, ("x",)), B)),
    ("named_struct('x', a)", call("named_struct", text("x"), A)),
    ("(a, b)", Tuple("struct", (A, B))),
    ("exists(a, x -> x > 1)", call("exists", A, Lambda(("x",), call(">", X, ONE)))),
    ("reduce(a, 0, (x, y) -> x + y)", call("reduce", A, number(0), Lambda(("x", "y"), call("+", X, Y)))),
    ("count(*)", call("count", ONE)),
    ("count(1)", call("count", ONE)),
    ("count(distinct a, b)", Call("count", (A, B), distinct=True)),
    ("count(distinct *)", Call("count", (Star(),), distinct=True)),
    ("sum(all a)", call("sum", A)),
    ("sum(a) filter (where b)", Call("sum", (A,), filter=B)),
    ("first(a) ignore nulls", Call("first", (A,), ignore_nulls=True)),
    ("first(a ignore nulls)", Call("first", (A,), ignore_nulls=True)),
    ("last(a) respect nulls", call("last", A)),
    ("extract(year from a)", call("extract", text("year"), A)),
    ("substring(a from 1 for 2)", call("substring", A, ONE, TWO)),
    ("substring(a from 2)", call("substring", A, TWO)),
    ("substring(a, 1, 2)", call("substring", A, ONE, TWO)),
    ("substr(a, 2)", call("substr", A, TWO)),
    ("overlay(a placing b from 1 for 2)", call("overlay", A, B, ONE, TWO)),
    ("overlay(a placing b from 1)", call("overlay", A, B, ONE)),
    ("position('x' in a)", call("locate", text("x"), A)),
    ("position('x', a)", call("position", text("x"), A)),
    ("trim(a)", call("trim", A)),
    ("trim(both from a)", call("trim", A)),
    ("trim(both 'x' from a)", call("trim", text("x"), A)),
    ("trim(leading 'x' from a)", call("ltrim", text("x"), A)),
    ("trim(trailing from a)", call("rtrim", A)),
    ("trim('x' from a)", call("trim", text("x"), A)),
    ("dateadd(day, 1, a)", call("timestampadd", text("DAY"), ONE, A)),
    ("datediff(month, a, b)", call("timestampdiff", text("MONTH"), A, B)),
    ("datediff(a, b)", call("datediff", A, B)),
    ("current_date", name("current_date")),
    ("current_timestamp()", call("current_timestamp")),
    ("window(a, '5 minutes')", call("window", A, text("5 minutes"))),
    ("window(a, '5 minutes').start", call("getitem", call("window", A, text("5 minutes")), text("start"))),
]


@pytest.mark.parametrize(("sql", "value", "data_type"), LITERALS, ids=[case[0] for case in LITERALS])
def test_literals_have_sparks_types(sql: str, value: Any, data_type: t.DataType) -> None:
    found = parse_expression(sql)
    assert found == Literal(value, data_type)
    assert isinstance(found, Literal)
    assert type(found.value) is type(value)


@pytest.mark.parametrize(("sql", "expr"), OPERATORS, ids=[case[0] for case in OPERATORS])
def test_operators_bind_as_in_spark(sql: str, expr: Expr) -> None:
    assert parse_expression(sql) == expr


@pytest.mark.parametrize(("sql", "expr"), NAMES, ids=[case[0] for case in NAMES])
def test_names_stay_as_written(sql: str, expr: Expr) -> None:
    assert parse_expression(sql) == expr


@pytest.mark.parametrize(("sql", "expr"), CALLS, ids=[case[0] for case in CALLS])
def test_functions_keep_their_name_and_the_order_of_their_arguments(sql: str, expr: Expr) -> None:
    assert parse_expression(sql) == expr


@pytest.mark.parametrize(("sql", "expr"), OPERATORS + CALLS, ids=[case[0] for case in OPERATORS + CALLS])
def test_comments_and_line_breaks_change_nothing(sql: str, expr: Expr) -> None:
    assert parse_expression(f"/* before */ {sql} -- behind") == expr


def test_a_long_chain_is_read_without_nesting() -> None:
    found = parse_expression(" and ".join(["a"] * 5000))
    assert isinstance(found, Call)
