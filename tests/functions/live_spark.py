"""Apache Spark's half of the live comparison; run by `live_compare.py`, in a Python that has PySpark 4.2.

Expressions are optimised by Spark as any query is, then computed row by row by its optimizer's own rule for local rows,
which takes a twentieth of the time that a job for each would take. Instants, dates and intervals stay whole numbers, so
that those beyond Python's years can be compared.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from live_rows import SCHEMA, rows
from live_values import answers, encode

_LOCAL = "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation"
_CONF = {
    "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "1", "spark.default.parallelism": "1",
    "spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false", "spark.sql.optimizer.excludedRules": _LOCAL,
    "spark.driver.extraJavaOptions": "-Duser.timezone=UTC -XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}  # fmt: skip


def _session() -> Any:
    from pyspark.sql import SparkSession, types

    for kind in (types.DateType, types.TimestampType, types.TimestampNTZType, types.DayTimeIntervalType):
        kind.fromInternal = lambda self, value: value  # type: ignore[assignment]
    builder = SparkSession.builder.master("local[1]")
    for key, value in _CONF.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def _optimized(frame: Any) -> Any:
    return frame._jdf.queryExecution().optimizedPlan()


def _values(spark: Any, plan: Any) -> list[Any]:
    """The only column of a projection, computed by the optimizer's rule for local rows."""
    from pyspark.sql import DataFrame

    rule = spark._jvm.org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation
    local = spark._jvm.org.apache.spark.sql.classic.Dataset.ofRows(spark._jsparkSession, rule.apply(plan))
    return [encode(row[0]) for row in DataFrame(local, spark).collect()]


def _each_row(spark: Any, plan: Any) -> list[Callable[[], Any]]:
    """The same of each row by itself."""
    local = plan.child()
    data = local.data()

    def row(at: int) -> Callable[[], Any]:
        kept = local.copy(local.output(), data.slice(at, at + 1), local.isStreaming(), local.stream())
        children = spark._jvm.org.apache.spark.api.python.PythonUtils.toSeq([kept])
        return lambda: _values(spark, plan.withNewChildren(children))[0]

    return [row(at) for at in range(data.size())]


def main() -> None:
    """Reads the seeds' texts as JSON and writes the answers to each into its file."""
    logging.disable()
    spark = _session()
    asked = json.load(sys.stdin)
    spark.conf.set("spark.sql.ansi.enabled", str(asked["ansi"]).lower())
    for seed in asked["seeds"]:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
        made = spark.createDataFrame(rows(seed["seed"]), SCHEMA)
        spark.createDataFrame(made.toArrow(), made.schema).createOrReplaceTempView("t")
        spark.conf.set("spark.sql.session.timeZone", asked["zone"])

        def run(text: str, local: bool) -> dict[str, Any]:
            frame = spark.sql(f"SELECT {text} AS e FROM t")
            kind = frame.schema[0].dataType.simpleString()
            found = _values(spark, _optimized(frame)) if local else [encode(row[0]) for row in frame.collect()]
            return {"type": kind, "values": found}

        def by_row(text: str) -> list[Callable[[], Any]]:
            return _each_row(spark, _optimized(spark.sql(f"SELECT {text} AS e FROM t")))

        found = {
            "expressions": list(answers(seed["expressions"], lambda text: run(text, True), by_row)),
            "aggregations": list(answers(seed["aggregations"], lambda text: run(text, False))),
        }
        Path(seed["file"]).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
