"""Refusals and limits name what the user wrote, in the user's words."""

from __future__ import annotations

import pytest

from app.errors import EngineError, RowError
from app.sql import SparkSession, errors
from app.sql.errors import AttributeMissing


def test_a_written_recursion_limit_is_named_instead_of_the_setting(spark: SparkSession) -> None:
    with pytest.raises(RowError, match=r"^\[RECURSION_LEVEL_LIMIT_EXCEEDED\].* 3 steps.*MAX RECURSION LEVEL") as raised:
        spark.sql(
            "WITH RECURSIVE r(n) MAX RECURSION LEVEL 3 AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT * FROM r"
        ).collect()
    assert "spark.sql" not in str(raised.value)
    with pytest.raises(RowError, match=r"100 steps.*SET spark\.sql\.cteRecursionLevelLimit"):
        spark.sql("WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT * FROM r").collect()


def test_an_element_of_a_map_by_a_collated_key_is_refused_by_its_sign(spark: SparkSession) -> None:
    with pytest.raises(EngineError, match=r"element by \[…\]") as raised:
        spark.sql("SELECT map('a' COLLATE UTF8_LCASE, 1)['A']")
    assert "getitem" not in str(raised.value)


def test_observe_is_refused_with_what_counts_here(spark: SparkSession) -> None:
    with pytest.raises(AttributeMissing, match="lastProgress"):
        spark.range(1).observe("n")


NAMES = (  # `pyspark.errors.__all__` of Spark 4.2
    "AnalysisException ArithmeticException ArrayIndexOutOfBoundsException DateTimeException IllegalArgumentException "
    "NumberFormatException ParseException PickleException PySparkAssertionError PySparkAttributeError PySparkException "
    "PySparkImportError PySparkIndexError PySparkKeyError PySparkNotImplementedError PySparkPicklingError "
    "PySparkRuntimeError PySparkTypeError PySparkValueError PythonException QueryContext QueryContextType "
    "QueryExecutionException SessionNotSameException SparkNoSuchElementException SparkRuntimeException "
    "SparkUpgradeException StreamingPythonRunnerInitializationException StreamingQueryException "
    "TempTableAlreadyExistsException UnknownException UnsupportedOperationException"
)


def test_every_name_of_sparks_errors_is_there() -> None:
    assert [name for name in NAMES.split() if not isinstance(getattr(errors, name, None), type)] == []


def test_what_handlers_ask_an_error_for_is_there(spark: SparkSession) -> None:
    with pytest.raises(errors.AnalysisException) as raised:
        spark.sql("SELECT nope")
    error = raised.value
    assert error.getCondition() == error.getErrorClass() == "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"
    assert error.getMessage() == str(error)
    assert error.getMessage().startswith("[UNRESOLVED_COLUMN.WITHOUT_SUGGESTION] ")
    assert all(isinstance(fact, str) for fact in error.getMessageParameters().values())
    assert error.getSqlState() is None
    assert error.getQueryContext() == []
