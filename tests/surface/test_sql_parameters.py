"""Parameters of `spark.sql`, and what fills `{name}`: answers and error classes as Spark gave them."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from app.errors import EngineError
from app.sql import SparkSession
from app.sql import functions as F

ANSWERS: list[tuple[str, Any, list[str], list[Any]]] = [
    ("SELECT :x", {"x": 1}, ["1"], [1]),
    ("SELECT :x AS a, :y AS b", {"x": 1, "y": "s"}, ["a", "b"], [1, "s"]),
    ("SELECT ?, ?", [1, "a"], ["1", "a"], [1, "a"]),
    ("SELECT :x", {"x": 1 << 40}, ["1099511627776"], [1 << 40]),
    ("SELECT :x", {"x": 1.5}, ["1.5"], [1.5]),
    ("SELECT :x", {"x": True}, ["true"], [True]),
    ("SELECT :x", {"x": None}, ["NULL"], [None]),
    ("SELECT :x", {"x": Decimal("1.50")}, ["1.50"], [Decimal("1.50")]),
    ("SELECT :x", {"x": date(2020, 1, 2)}, ["DATE '2020-01-02'"], [date(2020, 1, 2)]),
    ("SELECT :x", {"x": timedelta(1, 5)}, ["INTERVAL '1 00:00:05' DAY TO SECOND"], [timedelta(1, 5)]),
    ("SELECT :x", {"x": bytearray(b"ab")}, ["X'6162'"], [b"ab"]),
    ("SELECT :x", {"x": F.lit(5)}, ["5"], [5]),
    ("SELECT :x", {"x": F.array(F.lit(1), F.lit(2))}, ["array(1, 2)"], [[1, 2]]),
    ("SELECT :x", {"x": F.create_map(F.lit("a"), F.lit(1))}, ["map(a, 1)"], [{"a": 1}]),
    ("SELECT :x", {"x": [[1], [2]]}, ["array(array(1), array(2))"], [[[1], [2]]]),
    ("SELECT :x", {"x": 1, "y": 2}, ["1"], [1]),
    ("SELECT ?", [1, 2], ["1"], [1]),
    ("SELECT : x", {"x": 3}, ["3"], [3]),
    ("SELECT :`x y`, :select", {"x y": 3, "select": 4}, ["3", "4"], [3, 4]),
    ("SELECT :x[0]", {"x": F.array(F.lit(7))}, ["array(7)[0]"], [7]),
    ("SELECT IDENTIFIER(:t || '.id') AS i FROM t LIMIT :n", {"t": "t", "n": 1}, ["i"], [1]),
    ("SELECT max(id) AS m FROM range(:x)", {"x": 3}, ["m"], [2]),
    ("SELECT max(id) AS m FROM t WHERE id IN (:a, :b)", {"a": 1, "b": 5}, ["m"], [1]),
    ("FROM t |> WHERE id = :x |> SELECT k |> LIMIT :n", {"x": 2, "n": 1}, ["k"], ["b"]),
    ("SELECT '?', ':x'", [], ["?", ":x"], ["?", ":x"]),
]

ERRORS: list[tuple[str, Any, str]] = [
    ("SELECT ?", (1,), "INVALID_TYPE"),
    ("SELECT 1", 5, "INVALID_TYPE"),
    ("SELECT :x", {"x": {"a": 1}}, "UNSUPPORTED_FEATURE.LITERAL_TYPE"),
    ("SELECT :x", {"x": [1, None]}, "INVALID_SQL_ARG"),
    ("SELECT :x FROM t", {"x": F.col("id")}, "INVALID_SQL_ARG"),
    ("SELECT :x", {"x": F.upper(F.lit("a"))}, "INVALID_SQL_ARG"),
    ("SELECT :x, ?", {"x": 1}, "INVALID_QUERY_MIXED_QUERY_PARAMETERS"),
    ("SELECT :x, ?", [1], "INVALID_QUERY_MIXED_QUERY_PARAMETERS"),
    ("SELECT :x", [1], "UNBOUND_SQL_PARAMETER"),
    ("SELECT ?", {"x": 1}, "UNBOUND_SQL_PARAMETER"),
    ("SELECT :x", {"y": 1}, "UNBOUND_SQL_PARAMETER"),
    ("SELECT :X", {"x": 1}, "UNBOUND_SQL_PARAMETER"),
    ("SELECT ?, ?", [1], "UNBOUND_SQL_PARAMETER"),
    ("SELECT :x", None, "UNBOUND_SQL_PARAMETER"),
    ("SELECT cast(1 AS :x)", {"x": "int"}, "PARSE_SYNTAX_ERROR"),
    ("SELECT :1", {"1": 3}, "PARSE_SYNTAX_ERROR"),
]


@pytest.fixture
def session(spark: SparkSession) -> SparkSession:
    spark.createDataFrame([(1, "a"), (2, "b")], "id int, k string").createOrReplaceTempView("t")
    return spark


@pytest.mark.parametrize(("sql", "args", "columns", "row"), ANSWERS)
def test_parameters_are_constants(
    session: SparkSession, sql: str, args: Any, columns: list[str], row: list[Any]
) -> None:
    found = session.sql(sql, args)
    assert (found.columns, [list(one) for one in found.collect()]) == (columns, [row])


@pytest.mark.parametrize(("sql", "args", "code"), ERRORS)
def test_wrong_parameters_are_refused(session: SparkSession, sql: str, args: Any, code: str) -> None:
    with pytest.raises(EngineError) as raised:
        session.sql(sql, args)
    assert raised.value.getCondition() == code


def test_frames_columns_and_values_fill_the_text(session: SparkSession) -> None:
    df = session.table("t")
    assert session.sql("SELECT {df[id]} FROM {df} WHERE id > {n}", df=df, n=1).collect() == [(2,)]
    assert session.sql("SELECT {c}, {s} AS s FROM {df} ORDER BY {c}", df=df, c=df.k, s="it's").first() == ("a", "it's")
    assert session.sql("SELECT * FROM {df} WHERE id = ?", [2], df=df).collect() == [(2, "b")]
    assert session.sql("SELECT {n}", n=1.5).dtypes == [("1.5", "decimal(2,1)")]
    with pytest.raises(EngineError, match="VALUE_NOT_PLAIN_COLUMN_REFERENCE"):
        session.sql("SELECT {c} FROM {df}", df=df, c=df.id + 1)
    with pytest.raises(EngineError, match="UNBOUND_SQL_PARAMETER"):
        session.sql("SELECT {nope}", n=1)


def test_a_frame_keeps_the_values_that_variables_had(session: SparkSession) -> None:
    session.sql("DECLARE OR REPLACE x INT = 5")
    old = session.sql("SELECT x AS y")
    session.sql("SET VAR x = 6")
    assert old.collect() == [(5,)]
    assert old.select("y", F.expr("x")).collect() == [(5, 6)]
    assert session.table("t").filter("id < x").count() == 2


def test_sql_functions_are_there_for_columns(session: SparkSession) -> None:
    session.sql("CREATE OR REPLACE TEMPORARY FUNCTION plus(a INT) RETURNS INT RETURN a + 1")
    assert session.table("t").select(F.expr("plus(id)")).collect() == [(2,), (3,)]


def test_pipes_over_a_stream_are_a_stream(session: SparkSession) -> None:
    session.readStream.format("rate").load().createOrReplaceTempView("ticks")
    piped = session.sql("FROM ticks |> WHERE value > 1 |> AGGREGATE count(*) AS n GROUP BY value % 2 AS odd")
    plain = session.sql("SELECT value % 2 AS odd, count(*) AS n FROM ticks WHERE value > 1 GROUP BY value % 2")
    assert piped.isStreaming
    assert piped.schema == plain.schema


def test_global_views_are_seen_by_other_sessions(session: SparkSession) -> None:
    session.sql("CREATE OR REPLACE GLOBAL TEMP VIEW shared AS SELECT 5 AS five")
    other = session.newSession()
    assert other.sql("SELECT shared.five FROM global_temp.shared").collect() == [(5,)]
    with pytest.raises(EngineError, match="TABLE_OR_VIEW_NOT_FOUND"):
        other.sql("SELECT * FROM shared")
    assert other.catalog.dropGlobalTempView("shared")
