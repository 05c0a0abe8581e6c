"""Files are read as Apache Spark has read them: schema, rows, or that there is an error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.errors import EngineError
from app.plan.nodes import Scan
from app.plan.types import StructType
from app.sources.files import FileFormat
from tests.functions.encoding import encode, same

_CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "spark_files.json").read_text(encoding="utf-8"))


def _name(case: dict[str, Any]) -> str:
    return f"{case['format']} {case['data'][:40]!r} {case['schema']} {case['options']}"


def _read(folder: Path, case: dict[str, Any]) -> dict[str, Any]:
    (folder / "file").write_bytes(case["data"].encode())
    given = {"path": str(folder), **{name.lower(): value for name, value in case["options"].items()}}
    source = FileFormat(case["format"])
    try:
        schema = source.schema(given, StructType.fromDDL(case["schema"]) if case["schema"] else None, False)
        rows = source.load(Scan(case["format"], tuple(sorted(given.items())), schema, False))
    except EngineError as error:
        return {"error": error.code}
    columns = [[encode(value) for value in column.to_pylist()] for column in rows.columns]
    return {"schema": schema.simpleString(), "columns": columns}


@pytest.mark.parametrize("case", _CASES, ids=_name)
def test_a_file_is_read_as_by_spark(tmp_path: Path, case: dict[str, Any]) -> None:
    ours, theirs = _read(tmp_path, case), case["answer"]
    if "error" in theirs:
        assert "error" in ours
        return
    assert ours.get("schema") == theirs["schema"], ours
    assert same(ours["columns"], theirs["columns"]), ours
