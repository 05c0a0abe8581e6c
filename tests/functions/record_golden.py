"""Records what Apache Spark answers to the expressions of this folder, into golden.json.

The tests replay the file without Spark. To record anew, in an environment of its own with Java 17 or later:

    pip install pyspark==4.2.0 pyarrow
    python tests/functions/record_golden.py

Expressions are one a line: those of `literals.txt` are evaluated once, of `columns.txt` and `aggregates.txt` over the
rows of `rows.py`. Those of `literals_<family>.txt` and the like go into golden_<family>.json. What is recorded already
and still asked for is kept, unless `--all` is given. Families that are named are recorded alone. A line that begins
with `@Europe/Berlin ` is evaluated in that session time zone, others in UTC; one that
begins with `@legacy ` without ANSI rules. The type TIME is turned on, which Spark has off.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from encoding import encode, in_mode, in_zone  # noqa: E402
from record_examples import condition  # noqa: E402
from rows import ROWS, SCHEMA  # noqa: E402

_CONF = {
    "spark.ui.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    "spark.sql.timeType.enabled": "true",
}


_SOURCES = {"literals": "", "columns": " FROM t ORDER BY id", "aggregates": " FROM t"}


def families() -> list[str]:
    """The names behind `literals`, `columns` or `aggregates`, with their underscore; empty for the common files."""
    return sorted({file.stem.removeprefix(kind) for kind in _SOURCES for file in HERE.glob(f"{kind}*.txt")})


def expressions(name: str) -> list[str]:
    """The expressions of one file, without blank lines and comments."""
    file = HERE / f"{name}.txt"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [line for line in lines if line.strip() and not line.startswith("#")]


def answer(spark: Any, text: str, source: str) -> dict[str, Any]:
    """The type and values of a query's only column, or the class of its error."""
    ansi, rest = in_mode(text)
    zone, expression = in_zone(rest)
    spark.conf.set("spark.sql.ansi.enabled", str(ansi).lower())
    spark.conf.set("spark.sql.session.timeZone", zone)
    sql = f"SELECT {expression}{source}"
    try:
        frame = spark.sql(sql)
        field = frame.schema[0]
        values = [encode(row) for row in frame.toArrow().column(0).to_pylist()]
    except Exception as error:
        return {"error": condition(error) or type(error).__name__}
    return {"type": field.dataType.simpleString(), "nullable": field.nullable, "values": values}


def main() -> None:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]")
    for key, value in _CONF.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    spark.createDataFrame(ROWS, SCHEMA).coalesce(1).cache().createOrReplaceTempView("t")
    named = {f"_{arg}" for arg in sys.argv[1:] if not arg.startswith("--")}
    for family in families():
        if not named or family in named:
            record(spark, family)


def record(spark: Any, family: str) -> None:
    """Writes the golden file of one family."""
    file = HERE / f"golden{family}.json"
    old = {} if "--all" in sys.argv or not file.exists() else json.loads(file.read_text(encoding="utf-8"))
    golden: dict[str, dict[str, Any]] = {}
    for kind, source in _SOURCES.items():
        known = old.get(kind, {})
        texts = expressions(f"{kind}{family}")
        golden[kind] = {text: known.get(text) or answer(spark, text, source) for text in texts}
    file.write_text(json.dumps(golden, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
    print(file.name, {kind: len(found) for kind, found in golden.items()})


if __name__ == "__main__":
    main()
