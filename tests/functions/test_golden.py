"""Every expression that was put to Apache Spark gives here what it gave there: type, values, or error class."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from app.errors import EngineError
from app.kernel.expressions import print_expression
from app.kernel.kernel import Kernel
from app.kernel.relations import print_aggregate
from app.kernel.values import carried, for_spark
from app.plan.bound import AggCall
from app.plan.carriers import arrow_schema, arrow_type
from app.plan.coerce import contains
from app.plan.ddl import parse_schema
from app.plan.functions.entry import Binding
from app.plan.parse import parse_expression
from app.plan.resolve import resolve_expression
from app.plan.types import StructType, VariantType
from tests.functions.encoding import encode, in_mode, in_zone, same
from tests.functions.rows import ROWS, SCHEMA

_KINDS = ("literals", "columns", "aggregates")
_RECORDED = [
    json.loads(file.read_text(encoding="utf-8")) for file in sorted(Path(__file__).parent.glob("golden*.json"))
]
_SPARK = {
    kind: {text: found for recorded in _RECORDED for text, found in recorded.get(kind, {}).items()} for kind in _KINDS
}
_CONF = {"spark.sql.timeType.enabled": "true"}
_COLUMNS = parse_schema(SCHEMA)


@pytest.fixture(scope="module")
def kernel() -> Any:
    with Kernel(1 << 28, 1) as kernel:
        kernel.set_epoch(0)
        columns = [
            pa.array([_arrow_value(row[i]) for row in ROWS], type=arrow_type(f.dataType))
            for i, f in enumerate(_COLUMNS)
        ]
        kernel.put("t", pa.table(columns, schema=arrow_schema(_COLUMNS)))
        yield kernel


def _arrow_value(value: Any) -> Any:
    return list(value.items()) if isinstance(value, dict) and set(value) != {"x", "y"} else value


def _answer(kernel: Kernel, text: str, table: str) -> dict[str, Any]:
    ansi, rest = in_mode(text)
    zone, expression = in_zone(rest)
    try:
        schema = _COLUMNS if table else StructType([])
        typed = resolve_expression(parse_expression(expression), schema, Binding(ansi, zone, _CONF))
        sql = print_aggregate(typed) if isinstance(typed, AggCall) else print_expression(typed)
        column = kernel.arrow(f"SELECT {sql} AS c{table}").column(0)
    except EngineError as error:
        return {"error": error.code, "text": str(error)}
    if contains(typed.type, VariantType):
        kind = arrow_type(typed.type)
        column = for_spark(pa.table([carried(column, kind)], schema=pa.schema([("c", kind)]))).column(0)
    values = [encode(value) for value in column.to_pylist()]
    return {"type": typed.type.simpleString(), "nullable": typed.nullable, "values": values}


_BARE = re.compile(r"[A-Z][a-z]\w*Exception")
"""What stands for the class of an error of Spark's that has none."""


_FOLDED = (
    "cast(timestamp'12:34' as string) = current_date() || ' 12:34:00'",
    "cast(timestamp'T12:34:56' as string) = current_date() || ' 12:34:56'",
    "timestamp_ltz'12:34' = timestamp'12:34'",
    "cast(make_interval(0,0,0,0,0,0,1.1234567) as string)",
)
"""Spark computes constants in these first, and sees that they are not null."""


def _agrees(text: str, ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    if _BARE.fullmatch(theirs.get("error", "")):
        return ours.get("error", "KERNEL_ERROR") != "KERNEL_ERROR"
    if "error" in theirs or "error" in ours:
        return ours.get("error") == theirs.get("error")
    loose = text in _FOLDED or not in_mode(text)[0]  # without ANSI rules, what may be null there may be null here
    nullable = ours["nullable"] == theirs["nullable"] or (loose and ours["nullable"])
    return nullable and ours["type"] == theirs["type"] and same(ours["values"], theirs["values"])


_CASES = [(name, text) for name in _KINDS for text in _SPARK[name]]
_TABLES = {"literals": "", "columns": " FROM t ORDER BY c0", "aggregates": " FROM t"}


@pytest.mark.parametrize(("name", "text"), _CASES)
def test_expression_is_sparks(kernel: Kernel, name: str, text: str) -> None:
    ours, theirs = _answer(kernel, text, _TABLES[name]), _SPARK[name][text]
    assert _agrees(text, ours, theirs), f"{text}\nours:   {ours}\nSpark:  {theirs}"
