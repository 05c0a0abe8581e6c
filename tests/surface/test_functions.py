"""`pyspark.sql.functions`: PySpark's signatures, and the calls that each function makes."""

from __future__ import annotations

import doctest
import importlib
import inspect
import json
import pkgutil
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import app.sql.functions as F
from app.errors import ArgumentError, ArgumentTypeError, ParseError, PlanError
from app.plan import types as t
from app.plan.expressions import Attribute, Call, Expr, Literal, SortKey
from app.plan.functions import INTERNAL, catalogue
from app.plan.parse import parse_expression
from app.plan.resolve import resolve_expression
from app.sql.column import Column
from app.sql.functions.unknown import SPARK_NAMES
from app.sql.session import SparkSession

RECORDED: dict[str, list[str]] = json.loads(
    (Path(__file__).parent / "pyspark_functions.json").read_text(encoding="utf-8")
)
"""The signatures of PySpark 4.2: a star marks what takes the rest, an equals sign what is given by name only."""

NO_CALL = {
    *("col", "column", "lit", "expr", "when", "broadcast", "call_function", "udf", "pandas_udf"),
    # A struct is bound by the resolver, a time window by the grouping; a timestamp needs all of its parts.
    *("struct", "window", "make_timestamp", "make_timestamp_ntz", "try_make_timestamp", "try_make_timestamp_ntz"),
    *("asc", "asc_nulls_first", "asc_nulls_last", "desc", "desc_nulls_first", "desc_nulls_last"),
}
MARKS = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.KEYWORD_ONLY: "="}


def signature(function: Callable[..., Any]) -> list[str]:
    found = []
    for p in inspect.signature(function).parameters.values():
        default = "" if p.default is p.empty else f" = {p.default!r}"
        found.append(f"{MARKS.get(p.kind, '')}{p.name}{default}")
    return found


def sample_call(name: str) -> Expr:
    """The expression of a function given the least that its signature asks for."""
    args: list[Any] = []
    for p in inspect.signature(getattr(F, name)).parameters.values():
        if "Callable" in str(p.annotation) and p.default is p.empty:
            args.append(
                [lambda x: x, lambda x, y: x, lambda x, y, z: x][str(p.annotation).split("|")[0].count("Column") - 2]
            )
        elif p.kind is p.VAR_POSITIONAL:
            args += ["a", "b"]
        elif p.default is p.empty:
            args.append(256 if p.name == "numBits" else F.lit(1) if str(p.annotation) == "Column" else "a")
    return getattr(F, name)(*args)._expr


@pytest.mark.parametrize("name", sorted(F.__all__))
def test_a_signature_is_pysparks(name: str) -> None:
    assert signature(getattr(F, name)) == RECORDED[name]


@pytest.mark.filterwarnings("ignore:Deprecated:FutureWarning")
@pytest.mark.parametrize("name", sorted(set(F.__all__) - NO_CALL))
def test_a_function_calls_what_the_catalogue_has(name: str) -> None:
    expr = sample_call(name)
    assert isinstance(expr, Call)
    assert expr.name in catalogue()


def test_every_function_of_the_catalogue_that_pyspark_has_is_here() -> None:
    assert set(catalogue()) & set(RECORDED) <= set(F.__all__)


def test_the_names_shipped_are_those_recorded() -> None:
    assert set(RECORDED) == SPARK_NAMES


def test_at_least_120_functions_are_there() -> None:
    assert len(F.__all__) >= 120


@pytest.mark.parametrize("name", sorted(F.__all__))
def test_a_function_says_what_it_gives(name: str) -> None:
    assert inspect.getdoc(getattr(F, name))


@pytest.mark.parametrize("module", [m.name for m in pkgutil.iter_modules(F.__path__)])
def test_the_examples_in_docstrings_hold(module: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(f"{F.__name__}.{module}"))
    assert not failed


SQL: list[tuple[str, Callable[[], Column]]] = [
    ("a", lambda: F.col("a")),
    ("t.a.b", lambda: F.col("t.a.b")),
    ("`a.b`", lambda: F.column("`a.b`")),
    ("1", lambda: F.lit(1)),
    ("'x'", lambda: F.lit("x")),
    ("NULL", lambda: F.lit(None)),
    ("array(1, 2)", lambda: F.lit([1, 2])),
    ("a + 1", lambda: F.expr("a + 1")),
    ("upper(a)", lambda: F.upper("a")),
    ("upper(a)", lambda: F.upper(F.col("a"))),
    ("round(a)", lambda: F.round("a")),
    ("round(a, 2)", lambda: F.round("a", 2)),
    ("round(a, b)", lambda: F.round("a", F.col("b"))),
    ("power(a, 2.0D)", lambda: F.pow("a", 2.0)),
    ("ln(a)", lambda: F.log("a")),
    ("log(2.0D, a)", lambda: F.log(2.0, "a")),
    ("greatest(a, b)", lambda: F.greatest("a", "b")),
    ("split(a, ' ')", lambda: F.split("a", " ")),
    ("split(a, ' ', 2)", lambda: F.split("a", " ", 2)),
    ("explode(split(a, ' '))", lambda: F.explode(F.split(F.col("a"), " "))),
    ("substring(a, 1, 2)", lambda: F.substring("a", 1, 2)),
    ("lpad(a, 5, '0')", lambda: F.lpad("a", 5, "0")),
    ("regexp_extract(a, 'x', 1)", lambda: F.regexp_extract("a", "x", 1)),
    ("regexp_replace(a, 'x', 'y')", lambda: F.regexp_replace("a", "x", "y")),
    ("concat_ws('-', a, b)", lambda: F.concat_ws("-", "a", "b")),
    ("trim(a)", lambda: F.trim("a")),
    ("trim('x', a)", lambda: F.trim("a", F.lit("x"))),
    ("btrim(a, 'x')", lambda: F.btrim("a", F.lit("x"))),
    ("locate('x', a)", lambda: F.locate("x", "a")),
    ("locate('x', a, 2)", lambda: F.locate("x", "a", 2)),
    ("instr(a, 'x')", lambda: F.instr("a", "x")),
    ("sha2(a, 256)", lambda: F.sha2("a", 256)),
    ("coalesce(a, b, 0)", lambda: F.coalesce("a", "b", F.lit(0))),
    ("isnull(a)", lambda: F.isnull("a")),
    ("count(*)", lambda: F.count("*")),
    ("count(1)", lambda: F.count(F.lit(1))),
    ("count(a)", lambda: F.count("a")),
    ("count(DISTINCT a, b)", lambda: F.countDistinct("a", "b")),
    ("sum(DISTINCT a)", lambda: F.sum_distinct("a")),
    ("first(a)", lambda: F.first("a")),
    ("first(a) IGNORE NULLS", lambda: F.first("a", ignorenulls=True)),
    ("any_value(a) IGNORE NULLS", lambda: F.any_value("a", True)),
    ("max_by(a, b)", lambda: F.max_by("a", "b")),
    ("percentile(a, array(0.25D, 0.75D))", lambda: F.percentile("a", [0.25, 0.75])),
    ("approx_count_distinct(a)", lambda: F.approx_count_distinct("a")),
    ("struct(a, b AS c)", lambda: F.struct("a", F.col("b").alias("c"))),
    ("struct(a, b)", lambda: F.struct(["a", "b"])),
    ("map('k', a)", lambda: F.create_map(F.lit("k"), "a")),
    ("CASE WHEN a > 1 THEN 'x' WHEN b THEN 'y' ELSE a END",
        lambda: F.when(F.col("a") > 1, "x").when(F.col("b"), "y").otherwise(F.col("a"))),
    ("window(a, '5 minutes')", lambda: F.window("a", "5 minutes")),
    ("window(a, '5 minutes', '1 minute')", lambda: F.window("a", "5 minutes", "1 minute")),
    ("window(a, '5 minutes', '5 minutes', '30 seconds')", lambda: F.window("a", "5 minutes", startTime="30 seconds")),
    ("window(a, '5 minutes').start", lambda: F.window("a", "5 minutes").start),
    ("left(a, 2)", lambda: F.call_function("LEFT", "a", F.lit(2))),
    ("transform(a, x -> x + 1)", lambda: F.transform("a", lambda x: x + 1)),
    ("transform(a, (x, i) -> x + i)", lambda: F.transform("a", lambda x, i: x + i)),
    ("filter(a, x -> exists(b, y -> y = x))",
        lambda: F.filter("a", lambda x: F.exists("b", lambda y: y == x))),
    ("aggregate(a, 0, (acc, x) -> acc + x, acc -> acc * 2)",
        lambda: F.aggregate("a", F.lit(0), lambda acc, x: acc + x, lambda acc: acc * 2)),
    ("array_sort(a)", lambda: F.array_sort("a")),
    ("array_contains(a, 1)", lambda: F.array_contains("a", 1)),
    ("array_join(a, ',')", lambda: F.array_join("a", ",")),
    ("element_at(a, 'k')", lambda: F.element_at("a", "k")),
    ("sort_array(a)", lambda: F.sort_array("a")),
    ("sort_array(a, false)", lambda: F.sort_array("a", asc=False)),
    ("sequence(a, b)", lambda: F.sequence("a", "b")),
    ("map_concat(a, b)", lambda: F.map_concat(["a", "b"])),
    ("str_to_map(a)", lambda: F.str_to_map("a")),
    ("str_to_map(a, ',', '=')", lambda: F.str_to_map("a", keyValueDelim=F.lit("="))),
    ("from_json(a, 'x INT')", lambda: F.from_json("a", "x INT")),
    ("to_json(a)", lambda: F.to_json("a")),
    ("to_json(a, map('pretty', 'true'))", lambda: F.to_json("a", {"pretty": "true"})),
    ("json_tuple(a, 'x', 'y')", lambda: F.json_tuple("a", "x", "y")),
    ("get_json_object(a, '$.x')", lambda: F.get_json_object("a", "$.x")),
    ("current_timestamp()", lambda: F.current_timestamp()),
    ("date_add(a, 1)", lambda: F.date_add("a", 1)),
    ("date_add(a, b)", lambda: F.date_add("a", "b")),
    ("date_trunc('hour', a)", lambda: F.date_trunc("hour", "a")),
    ("date_format(a, 'yyyy')", lambda: F.date_format("a", "yyyy")),
    ("to_timestamp(a)", lambda: F.to_timestamp("a")),
    ("to_timestamp(a, 'yyyy')", lambda: F.to_timestamp("a", "yyyy")),
    ("months_between(a, b)", lambda: F.months_between("a", "b")),
    ("from_unixtime(a)", lambda: F.from_unixtime("a")),
    ("unix_timestamp()", lambda: F.unix_timestamp()),
    ("unix_timestamp(a, 'yyyy')", lambda: F.unix_timestamp("a", "yyyy")),
    ("make_timestamp(a, b, c, a, b, c)", lambda: F.make_timestamp("a", "b", "c", "a", "b", "c")),
    ("extract(YEAR FROM a)", lambda: F.extract(F.lit("YEAR"), "a")),
    ("a IS NOT NULL AND NOT a = b", lambda: F.col("a").isNotNull() & (F.col("a") != F.col("b"))),
    ("a >= 1 AND a <= 2", lambda: F.col("a").between(1, 2)),
    ("a IN (1, 2)", lambda: F.col("a").isin(1, 2)),
    ("CAST(a AS bigint)", lambda: F.col("a").cast("long")),
    ("a AS b", lambda: F.col("a").alias("b")),
    ("negative(a)", lambda: -F.col("a")),
    ("a LIKE 'x%'", lambda: F.col("a").like("x%")),
    ("xs[0].f", lambda: F.col("xs")[0].f),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "column"), SQL, ids=[sql for sql, _ in SQL])
def test_a_call_means_what_the_sql_text_means(sql: str, column: Callable[[], Column]) -> None:
    assert column()._expr == parse_expression(sql)


def test_a_column_passes_through_lit() -> None:
    column = F.col("a")
    assert F.lit(column) is column


def test_a_decimal_literal_keeps_its_scale() -> None:
    assert F.lit(Decimal("1.50"))._expr == Literal(Decimal("1.50"), t.DecimalType(3, 2))


@pytest.mark.parametrize(
    ("function", "key"),
    [
        (F.asc, SortKey(Attribute(("a",)))),
        (F.asc_nulls_last, SortKey(Attribute(("a",)), True, False)),
        (F.desc, SortKey(Attribute(("a",)), False)),
        (F.desc_nulls_first, SortKey(Attribute(("a",)), False, True)),
    ],
)
def test_sort_functions_make_sort_keys(function: Callable[[str], Column], key: SortKey) -> None:
    assert function("a")._expr == key


def test_parameters_of_nested_functions_stay_apart() -> None:
    """Both functions call their parameter x, and the inner one uses the outer one's."""

    def plus(outer: Column) -> Callable[[Column], Column]:
        return lambda x: x + outer

    nested = F.transform("a", lambda x: F.transform("b", plus(x)))
    assert nested._expr == parse_expression("transform(a, x -> transform(b, x_1 -> x_1 + x))")


def test_a_schema_is_given_as_a_type_too() -> None:
    schema = t.StructType.fromDDL("x INT, `a b` STRING")
    text = t.StructType.fromDDL("k STRING")
    typed = resolve_expression(F.from_json("k", schema)._expr, text)
    assert typed.type == schema
    assert F.from_json("a", schema)._expr == Call("from_json", (Attribute(("a",)), F.lit(schema.json())._expr))


def test_broadcast_gives_the_frame_itself() -> None:
    frame = object()
    assert F.broadcast(frame) is frame


WRONG: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: F.upper(5), ArgumentTypeError, "NOT_COLUMN_OR_STR"),  # type: ignore[arg-type]
    (lambda: F.greatest("a"), ArgumentError, "WRONG_NUM_COLUMNS"),
    (lambda: F.sha2("a", 5), ArgumentError, "VALUE_NOT_ALLOWED"),
    (lambda: F.when("a", 1), ArgumentTypeError, "NOT_EXPECTED_TYPE"),  # type: ignore[arg-type]
    (lambda: F.expr("a +"), ParseError, "PARSE_SYNTAX_ERROR"),
    (lambda: F.lit(object()), ArgumentTypeError, "UNSUPPORTED_LITERAL"),
    (lambda: F.lit([F.col("a")]), ArgumentError, "COLUMN_IN_LIST"),
    (lambda: F.window("a", ""), ArgumentTypeError, "NOT_EXPECTED_TYPE"),
    (lambda: F.window("a", "5 minutes", 5), ArgumentTypeError, "NOT_EXPECTED_TYPE"),  # type: ignore[arg-type]
    (lambda: F.transform("a", lambda *xs: xs[0]), ArgumentError, "UNSUPPORTED_PARAM_TYPE_FOR_HIGHER_ORDER_FUNCTION"),
    (lambda: F.transform("a", lambda: F.lit(1)), ArgumentError, "WRONG_NUM_ARGS_FOR_HIGHER_ORDER_FUNCTION"),
    (lambda: F.transform("a", lambda x: 1), ArgumentTypeError, "HIGHER_ORDER_FUNCTION_SHOULD_RETURN_COLUMN"),
    (lambda: F.transform("a", "upper"), ArgumentTypeError, "NOT_CALLABLE"),  # type: ignore[arg-type]
    (lambda: F.json_tuple("a"), ArgumentError, "CANNOT_BE_EMPTY"),
    (lambda: F.make_timestamp("a"), ArgumentError, "WRONG_NUM_ARGS"),
    (lambda: F.udf(lambda x: x), PlanError, "UNSUPPORTED_FEATURE"),
    (lambda: F.pandas_udf("int"), PlanError, "UNSUPPORTED_FEATURE"),
    (lambda: F.col("a`b"), ParseError, "INVALID_ATTRIBUTE_NAME_SYNTAX"),
]


@pytest.mark.parametrize(("make", "kind", "code"), WRONG, ids=[case[2] + str(i) for i, case in enumerate(WRONG)])
def test_a_wrong_argument_fails_when_the_column_is_made(
    make: Callable[[], object], kind: type[PlanError], code: str
) -> None:
    with pytest.raises(kind) as raised:
        make()
    assert isinstance(raised.value, PlanError)
    assert raised.value.code == code


def test_a_name_of_spark_that_is_missing_says_so() -> None:
    with pytest.raises(AttributeError, match="kll_sketch_agg_float is a function of Spark that is not in this"):
        F.kll_sketch_agg_float  # noqa: B018


def test_a_misspelt_name_gets_the_nearest_ones() -> None:
    with pytest.raises(AttributeError, match="has no function cuont; did you mean count"):
        F.cuont  # noqa: B018


def test_a_missing_name_cannot_be_imported() -> None:
    with pytest.raises(ImportError, match="cannot import name 'cuont'"):
        from app.sql.functions import cuont  # noqa: F401


def test_a_deprecated_name_warns_and_works() -> None:
    with pytest.warns(FutureWarning, match="use sum_distinct"):
        assert F.sumDistinct("a")._expr == F.sum_distinct("a")._expr


@pytest.mark.parametrize("name", sorted(INTERNAL))
def test_what_only_the_planner_calls_has_no_name_for_users(name: str, spark: SparkSession) -> None:
    for text in (f"SELECT `{name}`(id) FROM range(1)", f"DESCRIBE FUNCTION `{name}`"):
        with pytest.raises(PlanError, match="UNRESOLVED_ROUTINE"):
            spark.sql(text)
    with pytest.raises(PlanError, match="UNRESOLVED_ROUTINE"):
        F.call_function(name, F.lit(1))
    assert spark.sql(f"SHOW FUNCTIONS LIKE '{name}'").count() == 0


@pytest.mark.parametrize("name", ["input_file_name", "input_file_block_start", "input_file_block_length"])
def test_the_file_of_a_row_is_refused_where_there_is_one(name: str, tmp_path: Path, spark: SparkSession) -> None:
    (tmp_path / "a.csv").write_text("1\n")
    read = (spark.read.schema("a INT").csv(str(tmp_path)), spark.readStream.schema("a INT").csv(str(tmp_path)))
    for df in read:
        for refused in (
            lambda df: df.withColumn("f", F.call_function(name)),
            lambda df: df.select("a").where(f"{name}() IS NOT NULL"),
            lambda df: df.groupBy(F.call_function(name)).count(),
        ):
            with pytest.raises(PlanError, match=rf"UNSUPPORTED_FEATURE\] {name}\(\) over files"):
                refused(df).schema  # noqa: B018
    read[0].createOrReplaceTempView("files")
    with pytest.raises(PlanError, match="over files"):
        spark.sql(f"SELECT (SELECT {name}() FROM files)")
    for nothing in (f"SELECT {name}() FROM range(1) ORDER BY {name}()", f"SELECT {name}(), (SELECT a FROM files)"):
        assert spark.sql(nothing).first()[0] in ("", -1)
