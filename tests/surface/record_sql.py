"""Records what Apache Spark answers to the sessions of SQL text in data/sql/*.txt, into the JSON files beside them.

    pip install pyspark==4.2.0
    TZ=UTC python tests/surface/record_sql.py NAME

A line is a statement, `\\n` in it a line break; `---` begins another session. Every session has the views `t` and `u`.
An answer has names, types and nullability of the columns and the rows as Python shows them, or the class of the error
and, for text that cannot be read, its line and position. The tests replay the files without Spark.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "data" / "sql"
T = [(1, "a", 10), (2, "b", 20), (3, None, 30)]
U = [(1, "x"), (2, "y"), (4, "z")]
_PLACE = re.compile(r"\(line (\d+), pos (\d+)\)")
_CLASS = re.compile(r"SparkException: \[([A-Z_0-9.]+)\]")
_MARK = re.compile(r"== SQL \(line (\d+), position (\d+)\) ==")


def statements(name: str) -> list[list[str]]:
    """The statements of a file, by session."""
    text = (HERE / f"{name}.txt").read_text(encoding="utf-8")
    lines = [line for line in text.split("\n") if line.strip() and not line.startswith("#")]
    sessions: list[list[str]] = [[]]
    for line in lines:
        if line == "---":
            sessions.append([])
        else:
            sessions[-1].append(line.replace("\\n", "\n"))
    return sessions


def give_views(session: Any) -> None:
    """Makes the views `t` and `u`."""
    session.createDataFrame(T, "id int, k string, v bigint").createOrReplaceTempView("t")
    session.createDataFrame(U, "id int, w string").createOrReplaceTempView("u")


def answer(session: Any, sql: str) -> dict[str, Any]:
    """Columns and rows of a statement, or its error."""
    try:
        frame = session.sql(sql)
        columns = [[f.name, f.dataType.simpleString(), f.nullable] for f in frame.schema.fields]
        return {"columns": columns, "rows": [repr(list(row)) for row in frame.collect()]}
    except Exception as error:
        found: dict[str, Any] = {"error": getattr(error, "getCondition", lambda: None)() or _class_of(error)}
        for pattern, first in ((_PLACE, 0), (_MARK, 1)):
            if match := pattern.search(str(error)):
                found["at"] = [int(match[1]), int(match[2]) - first]
        return found


def _class_of(error: Exception) -> str:
    """The class that the text of an error of Java's begins with, for those that PySpark knows nothing of."""
    match = _CLASS.search(str(error))
    return match[1] if match else type(error).__name__


def main(name: str) -> None:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.shuffle.partitions", "1").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    recorded = []
    for texts in statements(name):
        session = spark.newSession()
        session.conf.set("spark.sql.session.timeZone", "UTC")
        give_views(session)
        recorded.append([[sql, answer(session, sql)] for sql in texts])
    write(name, recorded)


def write(name: str, recorded: list[list[Any]]) -> None:
    """One line an answer, so that changes are seen in review."""
    sessions = [",\n".join(json.dumps(item, ensure_ascii=False) for item in session) for session in recorded]
    (HERE / f"{name}.json").write_text("[[\n" + "\n],[\n".join(sessions) + "\n]]\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
