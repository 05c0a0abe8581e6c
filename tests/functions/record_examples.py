"""Records what Apache Spark answers to the examples it ships for its own functions, into spark_examples.json.

The tests replay the file without Spark. To record anew, in an environment of its own with Java 17 or later:

    pip install pyspark==4.2.0 pyarrow
    python tests/functions/record_examples.py

The examples are those of `DESCRIBE FUNCTION EXTENDED`, run as they are, in the session time zone UTC. A function that
has several names is recorded once for each, as Spark describes it.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from encoding import encode  # noqa: E402

_CONF = {
    "spark.ui.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    "spark.driver.extraJavaOptions": "-Duser.timezone=UTC",
}
_EXAMPLE = re.compile(r"(?P<sql>.+?);\n", re.DOTALL)


def functions(spark: Any) -> dict[str, dict[str, Any]]:
    """Every function: its group, class, and the SQL texts of its examples."""
    catalog = spark._jsparkSession.sessionState().catalog()
    identifier = spark._jvm.org.apache.spark.sql.catalyst.FunctionIdentifier
    found = {}
    for row in spark.sql("SHOW FUNCTIONS").collect():
        try:
            info = catalog.lookupFunctionInfo(identifier(row[0]))
        except Exception:  # operators that only the parser knows (`<>`, `between`, `case`)
            found[row[0]] = {"group": "operators", "class": "", "examples": _described(spark, row[0])}
            continue
        texts = info.getExamples().split("  > ")[1:]
        examples = [match["sql"].strip() for text in texts if (match := _EXAMPLE.match(text))]
        found[row[0]] = {"group": info.getGroup(), "class": info.getClassName(), "examples": examples}
    return found


def _described(spark: Any, name: str) -> list[str]:
    text = "\n".join(row[0] for row in spark.sql(f"DESCRIBE FUNCTION EXTENDED `{name}`").collect())
    texts = re.split(r"^\s*> ", text, flags=re.MULTILINE)[1:]
    return [match["sql"].strip() for part in texts if (match := _EXAMPLE.match(part))]


def answer(spark: Any, sql: str) -> dict[str, Any]:
    """Names, types and rows of a query, or the class of its error. Where a type has no Arrow form, rows are texts."""
    try:
        frame = spark.sql(sql)
        columns = [[f.name, f.dataType.simpleString(), f.nullable] for f in frame.schema]
        try:
            table = frame.toArrow()
            return {"columns": columns, "rows": [[encode(v) for v in row] for row in _rows(table)]}
        except Exception as error:
            if condition(error) not in ("UNSUPPORTED_DATA_TYPE_FOR_ARROW_CONVERSION", "UNSUPPORTED_DATATYPE", None):
                raise
        texts = [frame[f"`{f.name}`"].cast("string") for f in frame.schema]
        rows = [list(row) for row in frame.select(*texts).collect()]
        return {"columns": columns, "text": rows}
    except Exception as error:
        return {"error": condition(error) or type(error).__name__}


def _rows(table: Any) -> list[tuple[Any, ...]]:
    if not table.num_columns:
        return [()] * table.num_rows
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def condition(error: Exception) -> str | None:
    """The error class."""
    found: str | None = getattr(error, "getCondition", lambda: None)()
    if found is None and (named := re.search(r"Exception: \[([A-Z_][A-Z0-9_.]+)\]", str(error))):
        return named[1]  # raised where Spark does not translate errors for Python
    return found


def session() -> Any:
    """A SparkSession of its own, quiet, in UTC."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]")
    for key, value in _CONF.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def main() -> None:
    spark = session()
    found = functions(spark)
    answers = {sql: answer(spark, sql) for f in found.values() for sql in f["examples"]}
    lines = [f"  {json.dumps(name)}: {json.dumps(f, ensure_ascii=False)}" for name, f in found.items()]
    texts = [
        f"  {json.dumps(sql, ensure_ascii=False)}: {json.dumps(a, ensure_ascii=False)}" for sql, a in answers.items()
    ]
    text = '{"functions": {\n' + ",\n".join(lines) + '\n},\n"answers": {\n' + ",\n".join(texts) + "\n}}\n"
    (HERE / "spark_examples.json").write_text(text, encoding="utf-8")
    print(len(found), "functions,", sum(len(f["examples"]) for f in found.values()), "examples,", len(answers), "texts")
    print(sum("error" in a for a in answers.values()), "errors,", sum("text" in a for a in answers.values()), "as text")


if __name__ == "__main__":
    main()
