"""The same calls as on Spark 4.2.0, and what they gave there (`data/spark_calls.json`, recorded in Berlin with the
session in New York): schemas, nullability, rows, printed text, representations, error classes."""

from __future__ import annotations

import contextlib
import datetime as d
import io
import json
import re
from collections import namedtuple
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from app.errors import EngineError
from app.sql import Column, DataFrame, Row, SparkSession
from app.sql import functions as F
from app.sql import types as T

CALLS = json.loads((Path(__file__).parent / "data" / "spark_calls.json").read_text())
P = namedtuple("P", "x y")

DIFFERENT = {
    "createDataFrame([(1<<70,)])": "INVALID_ARGUMENT",  # Spark makes a null of it
    'F.col("a").alias()': "WRONG_NUM_ARGS",  # a name is what alias is for
    'stream.writeStream.trigger(processingTime="x")': "INVALID_INTERVAL_FORMAT",  # Spark has a subclass for each
    'stream.writeStream.trigger(processingTime="5seconds")': "INVALID_INTERVAL_FORMAT",
    'stream.writeStream.trigger(processingTime="5")': "INVALID_INTERVAL_FORMAT",
}
"""Where Watertable means to differ, and the error class it has instead."""


class Obj:
    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)


def recorded(section: str) -> list[Any]:
    return [pytest.param(call, id=call["call"]) for call in CALLS[section]]


@pytest.fixture
def names(spark: SparkSession) -> dict[str, Any]:
    """What the recorded calls refer to."""
    df = spark.createDataFrame([(1, "a", 2.5), (2, "b", None), (None, None, None)], "i int, s string, d double")
    df.createOrReplaceTempView("v1")
    stream = spark.readStream.format("rate").load()
    here = {"spark": spark, "df": df, "stream": stream, "F": F, "T": T, "Row": Row, "P": P, "Obj": Obj, "d": d}
    return {**here, "Decimal": Decimal, "pd": pd, "SparkSession": SparkSession, "Column": Column}


def outcome(call: str, names: dict[str, Any]) -> dict[str, Any]:
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            value = eval(call, names)
            found = {"repr": repr(value), "prints": printed.getvalue()}
            if isinstance(value, DataFrame):
                found["schema"] = value.schema.simpleString()
                found["nullable"] = [f.nullable for f in value.schema]
                found["rows"] = "" if value.isStreaming else repr(value.collect())
    except EngineError as error:
        return {"raises": error.code}
    except (TypeError, AssertionError, IndexError) as error:
        return {"raises": None, "error": error}
    return found


def check(call: dict[str, Any], names: dict[str, Any], prefix: str = "") -> None:
    found = outcome(prefix + call["call"], names)
    if call["call"] in DIFFERENT:
        assert found == {"raises": DIFFERENT[call["call"]]}
        return
    if "raises" in call:
        assert "raises" in found, found
        assert call["raises"] in (None, found["raises"])
        return
    for part, wanted in call.items():
        if part == "rows":
            assert in_order(found[part], call["call"]) == in_order(wanted, call["call"])
        elif part != "call":
            assert found.get(part, found) == wanted


def in_order(rows: str, call: str) -> str | list[str]:
    """Rows as text; in any order where the call does not say one."""
    ordered = "orderBy" in call or "sort" in call
    return rows if ordered else sorted(re.split(r"(?<=\)), (?=Row\()", rows.removeprefix("[").removesuffix("]")))


@pytest.mark.parametrize("call", recorded("create"))
def test_create_data_frame(call: dict[str, Any], names: dict[str, Any]) -> None:
    check(call, names, prefix="spark.")


@pytest.mark.parametrize("call", recorded("column"))
def test_column(call: dict[str, Any], names: dict[str, Any]) -> None:
    check(call, names)


@pytest.mark.parametrize("call", recorded("frame"))
def test_data_frame(call: dict[str, Any], names: dict[str, Any]) -> None:
    check(call, names)


@pytest.mark.parametrize("call", recorded("session"))
def test_session_readers_and_writers(call: dict[str, Any], names: dict[str, Any]) -> None:
    check(call, names)
