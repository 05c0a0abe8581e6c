"""Records what Apache Spark answers to the queries of queries*.txt over the rows of rows.py, into golden_queries*.json.

    pip install pyspark==4.2.0 pyarrow
    python tests/functions/record_queries.py [--all]

What is recorded already and still asked for is kept, unless `--all` is given.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from record_examples import answer, session  # noqa: E402
from rows import ROWS, SCHEMA  # noqa: E402


def main() -> None:
    spark = session()
    spark.createDataFrame(ROWS, SCHEMA).coalesce(1).cache().createOrReplaceTempView("t")
    for asked in sorted(HERE.glob("queries*.txt")):
        record(spark, asked, HERE / f"golden_{asked.stem}.json")


def record(spark: Any, asked: Path, file: Path) -> None:
    """Answers the queries of one file into another."""
    lines = asked.read_text(encoding="utf-8").splitlines()
    wanted = [line for line in lines if line.strip() and not line.startswith("#")]
    known = {} if "--all" in sys.argv or not file.exists() else json.loads(file.read_text(encoding="utf-8"))
    answers = {sql: known.get(sql) or answer(spark, sql) for sql in wanted}
    texts = [
        f"  {json.dumps(sql, ensure_ascii=False)}: {json.dumps(a, ensure_ascii=False)}" for sql, a in answers.items()
    ]
    file.write_text("{\n" + ",\n".join(texts) + "\n}\n", encoding="utf-8")
    print(asked.name, len(answers), "queries,", sum("error" in a for a in answers.values()), "errors")


if __name__ == "__main__":
    main()
