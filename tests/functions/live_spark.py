"""Apache Spark's half of the live comparison; run by `live_compare.py`, in a Python that has PySpark 4.2.

Expressions are optimised by Spark as any query is, then computed row by row by its optimizer's own rule for local rows,
which takes a twentieth of the time that a job for each would take. Instants, dates and intervals stay whole numbers, so
that those beyond Python's years can be compared.
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from live_rows import SCHEMA, rows
from live_values import Answer, answers, encode, failure, in_order, query

_LOCAL = "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation"
_CONF = {
    "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "1", "spark.default.parallelism": "1",
    "spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # Rows of a group stay in the order they came, as a radix sort does not leave them.
    "spark.sql.sort.enableRadixSort": "false",
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


def _computed(spark: Any, plan: Any) -> Any:
    """A projection of local rows as local rows."""
    return spark._jvm.org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation.apply(plan)


def _values(spark: Any, local: Any) -> list[Any]:
    """The only column of local rows."""
    from pyspark.sql import DataFrame

    frame = spark._jvm.org.apache.spark.sql.classic.Dataset.ofRows(spark._jsparkSession, local)
    return [encode(row[0]) for row in DataFrame(frame, spark).collect()]


def _each_row(spark: Any, plan: Any) -> list[Answer]:
    """The value or the error of each row by itself."""
    seq = spark._jvm.org.apache.spark.api.python.PythonUtils.toSeq
    given = plan.child()
    found: list[Answer] = []
    good: list[Any] = []
    local = None
    for at in range(given.data().size()):
        one = given.copy(given.output(), given.data().slice(at, at + 1), given.isStreaming(), given.stream())
        try:
            local = _computed(spark, plan.withNewChildren(seq([one])))
            good.append(local.data().apply(0))
            found.append({})
        except Exception as error:
            found.append(failure(error))
    if local is not None:
        kept = local.copy(local.output(), seq(good), local.isStreaming(), local.stream())
        values = iter(_values(spark, kept))
        found = [answer or {"values": [next(values)]} for answer in found]
    return found


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
            frame = spark.sql(query(text))
            kind = frame.schema[0].dataType.simpleString()
            found = (
                _values(spark, _computed(spark, _optimized(frame)))
                if local
                else [encode(row[0]) for row in frame.collect()]
            )
            return {"type": kind, "values": in_order(text, found)}

        def by_row(text: str) -> list[Answer]:
            return _each_row(spark, _optimized(spark.sql(f"SELECT {text} AS e FROM t")))

        def whole(text: str) -> dict[str, Any]:
            frame = spark.sql(text)
            columns = [[f.name, f.dataType.simpleString(), f.nullable] for f in frame.schema]
            return {"columns": columns, "values": [encode(row) for row in frame.collect()]}

        found = {
            "expressions": list(answers(seed["expressions"], lambda text: run(text, True), by_row)),
            "aggregations": list(answers(seed["aggregations"], lambda text: run(text, False))),
            "queries": list(answers(seed["queries"], whole)),
        }
        Path(seed["file"]).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
