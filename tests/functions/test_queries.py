"""Whole queries over the rows of `rows.py` give here what Apache Spark gave: rows, names, types, or error class."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from app.kernel.kernel import Kernel
from app.plan.carriers import arrow_schema, arrow_type
from app.plan.ddl import parse_schema
from app.plan.nodes import Rows
from tests.functions.examples import answer, difference
from tests.functions.rows import ROWS, SCHEMA

_FILES = sorted(Path(__file__).parent.glob("golden_queries*.json"))
_SPARK = {sql: given for file in _FILES for sql, given in json.loads(file.read_text(encoding="utf-8")).items()}


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    with Kernel(1 << 28, 1) as kernel:
        yield kernel


def _rows() -> Rows:
    schema = parse_schema(SCHEMA)
    columns = [
        pa.array([_arrow_value(row[i]) for row in ROWS], type=arrow_type(f.dataType)) for i, f in enumerate(schema)
    ]
    return Rows(pa.table(columns, schema=arrow_schema(schema)), schema)


def _arrow_value(value: object) -> object:
    return list(value.items()) if isinstance(value, dict) and set(value) != {"x", "y"} else value


_T = _rows()


@pytest.mark.parametrize("sql", list(_SPARK))
def test_query_is_answered_as_spark_does(kernel: Kernel, sql: str) -> None:
    theirs = _SPARK[sql]
    ours = answer(kernel, sql, "text" in theirs, lambda name: _T if name == ("t",) else None)
    assert not (found := difference(sql, ours, theirs)), f"{sql}\n{found}"
    assert ours.get("columns") == theirs.get("columns")
