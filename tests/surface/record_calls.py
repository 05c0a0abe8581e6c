"""Records what Apache Spark does with the calls of data/calls_more.txt, into calls_more.json.

    pip install pyspark==4.2.0 pandas pyarrow
    TZ=UTC python tests/surface/record_calls.py

What is recorded already and still asked for is kept, unless `--all` is given.
"""

from __future__ import annotations

import contextlib
import datetime as d
import io
import json
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "data" / "calls_more.json"


def asked() -> list[str]:
    """The calls of the text file, in order."""
    lines = FILE.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def frames(spark: Any) -> dict[str, Any]:
    """The DataFrames that calls refer to, each one partition."""
    df = spark.createDataFrame([(1, "a", 2.5), (2, "b", None), (None, None, None)], "i int, s string, d double")
    df = df.coalesce(1)
    df.createOrReplaceTempView("v1")
    wide = spark.createDataFrame(
        [
            (1, 1.5, Decimal("12.34"), "10", True, d.date(2020, 2, 29), [1, 2]),
            (5, float("nan"), Decimal("-0.50"), "9", False, d.date(1999, 1, 1), []),
            (-3, 2.25, None, None, None, None, None),
            (5, -7.5, Decimal("100.00"), "x", True, d.date(2020, 2, 29), [3]),
        ],
        "i int, d double, n decimal(10,2), s string, p boolean, dt date, a array<int>",
    ).coalesce(1)
    nested = spark.createDataFrame(
        [(1, (1, (2, 3))), (2, None), (3, (None, None))],
        "id int, st struct<a: int, b: struct<x: int, y: int>>",
    ).coalesce(1)
    stream = spark.readStream.format("rate").load()
    return {"df": df, "wide": wide, "nested": nested, "r": spark.range(0, 200, 1, 1), "stream": stream}


def outcome(call: str, names: dict[str, Any], frame: type, error: type[Exception]) -> dict[str, Any]:
    """What a call gives: text of the value, what it prints, and of a DataFrame its schema and rows; or the class of
    its error. `frame` and `error` are the classes of DataFrames and of errors with a class."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            value = eval(call, names)
            if not isinstance(value, frame):
                return {"repr": repr(value), "prints": printed.getvalue()}
            found = {"schema": value.schema.simpleString(), "nullable": [f.nullable for f in value.schema]}
            return {**found, "rows": [] if value.isStreaming else list(map(repr, value.collect()))}
    except error as raised:
        return {"raises": raised.getCondition()}
    except Exception as raised:
        return {"raises": None, "error": type(raised).__name__}


def main() -> None:
    from pyspark import StorageLevel
    from pyspark.errors import PySparkException
    from pyspark.sql import DataFrame, Row, SparkSession, Window
    from pyspark.sql import functions as F
    from pyspark.sql import types as T

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "1").config("spark.sql.session.timeZone", "UTC")
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    spark.sparkContext.setCheckpointDir("/tmp/spark-checkpoints")
    names = {**frames(spark), "spark": spark, "F": F, "T": T, "Row": Row, "d": d, "Decimal": Decimal}
    names |= {"Window": Window, "StorageLevel": StorageLevel}
    known = {} if "--all" in sys.argv or not FILE.exists() else dict(json.loads(FILE.read_text(encoding="utf-8")))
    answers = [(call, known.get(call) or outcome(call, names, DataFrame, PySparkException)) for call in asked()]
    lines = [
        f"  [{json.dumps(call, ensure_ascii=False)}, {json.dumps(a, ensure_ascii=False, sort_keys=True)}]"
        for call, a in answers
    ]
    FILE.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
