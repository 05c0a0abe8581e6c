"""Records what Apache Spark reads from the files of spark_files.json, into that file.

    pip install pyspark==4.2.0 pyarrow
    python tests/sources/record_files.py

A case is a format, the text of a file, options and maybe a schema; the answer is the schema that was read and the
columns, or the class of the error. What has an answer keeps it, unless `--all` is given.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "functions"))

from encoding import encode  # noqa: E402
from record_examples import condition, session  # noqa: E402


def answer(spark: Any, case: dict[str, Any]) -> dict[str, Any]:
    """What is read from one file."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "file").write_bytes(case["data"].encode())
        reader = spark.read.format(case["format"]).options(**case["options"])
        try:
            frame = (reader.schema(case["schema"]) if case["schema"] else reader).load(folder)
            columns = [[encode(value) for value in column.to_pylist()] for column in frame.toArrow().columns]
        except Exception as error:
            return {"error": condition(error) or type(error).__name__}
    return {"schema": frame.schema.simpleString(), "columns": columns}


def main() -> None:
    spark, file = session(), HERE / "spark_files.json"
    cases = json.loads(file.read_text(encoding="utf-8"))
    for case in cases:
        if "answer" not in case or "--all" in sys.argv:
            case["answer"] = answer(spark, case)
    texts = [f" {json.dumps(case, ensure_ascii=False)}" for case in cases]
    file.write_text("[\n" + ",\n".join(texts) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
