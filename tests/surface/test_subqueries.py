"""DataFrames inside other DataFrames' expressions, lateral joins, pivots; expected is what Spark 4.2.0 gave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.errors import EngineError
from app.sql import DataFrame, SparkSession
from app.sql import functions as F

col = F.col


@pytest.fixture
def k(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([(1, "a", True), (2, "b", False), (3, None, True)], "k int, v string, p boolean")


@pytest.fixture
def t(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([(1, 10), (1, 20), (3, 30)], "a int, b int")


@pytest.fixture
def g(spark: SparkSession) -> DataFrame:
    rows = [("x", "a", 1), ("x", "b", 2), ("y", "a", 3), ("y", None, 4)]
    return spark.createDataFrame(rows, "g string, c string, n int")


def given(df: DataFrame) -> tuple[list[tuple[str, str, bool]], list[tuple[Any, ...]]]:
    rows = sorted((tuple(row) for row in df.collect()), key=repr)
    return [(f.name, f.dataType.simpleString(), f.nullable) for f in df.schema], rows


def shape(text: str) -> list[tuple[str, str, bool]]:
    """`name type` with a ! where the column is never null; names may hold anything but two spaces."""
    found = [column.rsplit(" ", 1) for column in text.split("  ")]
    return [(name, kind.rstrip("!"), not kind.endswith("!")) for name, kind in found]


def largest(t: DataFrame) -> DataFrame:
    return t.where(col("a") == col("k").outer()).select(F.max("b"))


K = "k int  v string  p boolean"
QUERIES: list[tuple[str, Callable[[DataFrame, DataFrame], DataFrame], str, list[tuple[Any, ...]]]] = [
    ("scalar", lambda k, t: k.select("k", t.select(F.max("b")).scalar()),
     "k int  scalarsubquery() int", [(1, 30), (2, 30), (3, 30)]),
    ("scalar, named", lambda k, t: k.select("k", t.select(F.max("b")).scalar().alias("m")),
     "k int  m int", [(1, 30), (2, 30), (3, 30)]),
    ("scalar, outer", lambda k, t: k.select("k", largest(t).scalar()),
     "k int  scalarsubquery(k) int", [(1, 20), (2, None), (3, 30)]),
    ("scalar in where", lambda k, t: k.where(col("k") == t.select(F.max("a")).scalar()), K, [(3, None, True)]),
    ("exists", lambda k, t: k.where(t.where(col("a") == col("k").outer()).exists()),
     K, [(1, "a", True), (3, None, True)]),
    ("not exists", lambda k, t: k.where(~t.where(col("a") == col("k").outer()).exists()), K, [(2, "b", False)]),
    ("exists, selected", lambda k, t: k.select("k", t.where(col("a") == col("k").outer()).exists()),
     "k int  exists(k) boolean!", [(1, True), (2, False), (3, True)]),
    ("isin", lambda k, t: k.where(col("k").isin(t.select("a"))), K, [(1, "a", True), (3, None, True)]),
    ("not isin", lambda k, t: k.where(~col("k").isin(t.select("a"))), K, [(2, "b", False)]),
    ("isin of a struct", lambda k, t: k.where(F.struct("k", "k").isin(t.select("a", "a"))),
     K, [(1, "a", True), (3, None, True)]),
    ("isin, selected", lambda k, t: k.select(col("k").isin(t.select("a"))),
     "(k IN (listquery())) boolean", [(False,), (True,), (True,)]),
    ("lateral", lambda k, t: k.lateralJoin(t.where(col("a") == col("k").outer())),
     f"{K}  a int  b int", [(1, "a", True, 1, 10), (1, "a", True, 1, 20), (3, None, True, 3, 30)]),
    ("lateral left", lambda k, t: k.lateralJoin(t.where(col("a") == col("k").outer()), how="left"),
     f"{K}  a int  b int",
     [(1, "a", True, 1, 10), (1, "a", True, 1, 20), (2, "b", False, None, None), (3, None, True, 3, 30)]),
    ("lateral on", lambda k, t: k.lateralJoin(t.where(col("a") == col("k").outer()), col("b") > 10, "left"),
     f"{K}  a int  b int", [(1, "a", True, 1, 20), (2, "b", False, None, None), (3, None, True, 3, 30)]),
]  # fmt: skip


@pytest.mark.parametrize(("build", "columns", "rows"), [q[1:] for q in QUERIES], ids=[q[0] for q in QUERIES])
def test_a_dataframe_inside_another_one(
    k: DataFrame,
    t: DataFrame,
    build: Callable[[DataFrame, DataFrame], DataFrame],
    columns: str,
    rows: list[tuple[Any, ...]],
) -> None:
    assert given(build(k, t)) == (shape(columns), rows)


def _few(df: DataFrame) -> DataFrame:
    session = df.sparkSession.newSession()
    session.conf.set("spark.sql.pivotMaxValues", "1")
    return DataFrame(df._node, session)


REFUSED: list[tuple[str, Callable[[DataFrame, DataFrame], Any], str]] = [
    ("isin of other types", lambda k, t: k.where(F.struct("k", "v").isin(t.select("a", "b"))).collect(),
     "CAST_INVALID_INPUT"),
    ("lateral right", lambda k, t: k.lateralJoin(t, how="right"), "UNSUPPORTED_JOIN_TYPE"),
    ("lateral of no kind", lambda k, t: k.lateralJoin(t, how="nope"), "UNSUPPORTED_JOIN_TYPE"),
    ("schema alone", lambda k, t: largest(t).schema, "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    ("rows alone", lambda k, t: largest(t).collect(), "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    ("columns alone", lambda k, t: largest(t).columns, "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    ("without outer()", lambda k, t: k.select(t.where(col("a") == col("k")).select(F.max("b")).scalar()),
     "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    ("pivot after rollup", lambda k, t: t.rollup("a").pivot("b", [1]), "UNSUPPORTED_FEATURE.PIVOT_AFTER_GROUP_BY"),
    ("pivot by too many", lambda k, t: _few(t).groupBy("a").pivot("b").count(), "_LEGACY_ERROR_TEMP_1324"),
    ("unpivot of nothing", lambda k, t: t.unpivot(["a", "b"], None, "n", "v"), "UNPIVOT_REQUIRES_VALUE_COLUMNS"),
    ("unpivot of an empty list", lambda k, t: t.unpivot(["a"], [], "n", "v"), "UNPIVOT_REQUIRES_VALUE_COLUMNS"),
    ("unpivot of two types", lambda k, t: k.unpivot([], ["k", "v"], "n", "x"), "UNPIVOT_VALUE_DATA_TYPE_MISMATCH"),
    ("transpose of two types", lambda k, t: k.transpose("v"), "TRANSPOSE_NO_LEAST_COMMON_TYPE"),
    ("pivot twice", lambda k, t: t.groupBy("a").pivot("b", [1]).pivot("b", [1]), "REPEATED_CLAUSE"),
]  # fmt: skip


@pytest.mark.parametrize(("build", "code"), [r[1:] for r in REFUSED], ids=[r[0] for r in REFUSED])
def test_what_spark_refuses(
    k: DataFrame, t: DataFrame, build: Callable[[DataFrame, DataFrame], Any], code: str
) -> None:
    with pytest.raises(EngineError) as raised:
        build(k, t)
    assert raised.value.code == code


def test_a_dataframe_with_outer_columns_goes_on_before_it_is_used(t: DataFrame) -> None:
    assert isinstance(t.where(col("a") == col("k").outer()).select("a").limit(1), DataFrame)
    assert repr(col("a").outer()) == "Column<'lazy(a)'>"


PIVOTS: list[tuple[str, Callable[[DataFrame], DataFrame], str, list[tuple[Any, ...]]]] = [
    ("its own values", lambda g: g.groupBy("g").pivot("c").sum("n"), "g string  null bigint  a bigint  b bigint",
     [("x", None, 1, 2), ("y", 4, 3, None)]),
    ("named values", lambda g: g.groupBy("g").pivot("c", ["b", "a"]).sum("n"), "g string  b bigint  a bigint",
     [("x", 2, 1), ("y", None, 3)]),
    ("count", lambda g: g.groupBy("g").pivot("c", ["b", "zz"]).count(), "g string  b bigint  zz bigint",
     [("x", 1, None), ("y", None, None)]),
    ("numbers", lambda g: g.groupBy("g").pivot("n").count(), "g string  1 bigint  2 bigint  3 bigint  4 bigint",
     [("x", 1, 1, None, None), ("y", None, None, 1, 1)]),
    ("without groups", lambda g: g.groupBy().pivot("c").max("n"), "null int  a int  b int", [(4, 3, 2)]),
]  # fmt: skip


@pytest.mark.parametrize(("build", "columns", "rows"), [p[1:] for p in PIVOTS], ids=[p[0] for p in PIVOTS])
def test_a_pivot(
    g: DataFrame, build: Callable[[DataFrame], DataFrame], columns: str, rows: list[tuple[Any, ...]]
) -> None:
    assert given(build(g)) == (shape(columns), rows)


TURNED: list[tuple[str, Callable[[DataFrame, DataFrame], DataFrame], str, list[tuple[Any, ...]]]] = [
    ("unpivot", lambda k, t: t.unpivot("a", ["b"], "n", "v"), "a int  n string!  v int",
     [(1, "b", 10), (1, "b", 20), (3, "b", 30)]),
    ("unpivot all", lambda k, t: t.unpivot("a", None, "n", "v"), "a int  n string!  v int",
     [(1, "b", 10), (1, "b", 20), (3, "b", 30)]),
    ("melt", lambda k, t: t.limit(1).melt(["a"], ["a", "b"], "n", "v"), "a int  n string!  v int",
     [(1, "a", 1), (1, "b", 10)]),
    ("without ids", lambda k, t: t.limit(1).unpivot([], ["a", "b"], "n", "v"), "n string!  v int",
     [("a", 1), ("b", 10)]),
    ("nulls stay", lambda k, t: k.unpivot("k", ["v"], "n", "x"), "k int  n string!  x string",
     [(1, "v", "a"), (2, "v", "b"), (3, "v", None)]),
    ("computed", lambda k, t: t.unpivot("a", [col("b") + 1], "n", "v"), "a int  n string!  v int",
     [(1, "(b + 1)", 11), (1, "(b + 1)", 21), (3, "(b + 1)", 31)]),
    ("named", lambda k, t: t.unpivot("a", [col("b").alias("q")], "n", "v"), "a int  n string!  v int",
     [(1, "q", 10), (1, "q", 20), (3, "q", 30)]),
    ("transpose", lambda k, t: t.transpose(), "key string!  1 int  1 int  3 int", [("b", 10, 20, 30)]),
    ("transpose by name", lambda k, t: k.select("v", "k").transpose("v"), "key string!  a int  b int", [("k", 1, 2)]),
    ("transpose to one type",
     lambda k, t: k.where("k < 3").select("v", "k", (col("k") * 0.5).cast("double")).transpose(),
     "key string!  a double  b double", [("CAST((k * 0.5) AS DOUBLE)", 0.5, 1.0), ("k", 1.0, 2.0)]),
    ("transpose of no rows", lambda k, t: t.limit(0).transpose(), "key string!", [("b",)]),
    ("transpose of one column", lambda k, t: t.select("b").transpose(), "key string!  10 string  20 string  30 string",
     []),
]  # fmt: skip


@pytest.mark.parametrize(("build", "columns", "rows"), [q[1:] for q in TURNED], ids=[q[0] for q in TURNED])
def test_columns_become_rows(
    k: DataFrame,
    t: DataFrame,
    build: Callable[[DataFrame, DataFrame], DataFrame],
    columns: str,
    rows: list[tuple[Any, ...]],
) -> None:
    assert given(build(k, t)) == (shape(columns), rows)


def test_text_filters_and_expressions_may_ask_views(k: DataFrame) -> None:
    k.createOrReplaceTempView("k")
    assert [row.k for row in k.filter("k IN (SELECT k FROM k WHERE p)").collect()] == [1, 3]
    assert k.limit(1).select(F.expr("(SELECT max(k) FROM k)")).collect()[0][0] == 3
    assert k.limit(1).selectExpr("EXISTS (SELECT 1 FROM k WHERE NOT p) AS e").collect()[0].e is True
