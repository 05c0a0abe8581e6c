"""Queries and what Spark 4.2 said to them: the schema with names, types and nullability, or the error class.

`spark_schemas.jsonl` was recorded from Spark with ANSI rules on, over empty tables `t` and `u`.
"""

import json
from pathlib import Path

import pytest

from app.errors import PlanError
from app.plan.parse import parse_query
from app.plan.resolve import resolve
from tests.plan.build import table

TABLES = {
    ("t",): table(
        "k STRING, v INT, d DOUBLE, n BIGINT NOT NULL, s STRUCT<x:INT,y:STRING>, a ARRAY<INT>, m MAP<STRING,INT>, "
        "ts TIMESTAMP, b BOOLEAN, e DECIMAL(10,2), dt DATE, st ARRAY<STRUCT<p:INT,q:STRING>>"
    ),
    ("u",): table("k STRING, w INT, v STRING, n BIGINT NOT NULL"),
}
CASES = [json.loads(line) for line in Path(__file__).with_name("spark_schemas.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("case", [case for case in CASES if "fields" in case], ids=lambda case: case["sql"])
def test_the_schema_is_that_of_spark(case):
    fields = resolve(parse_query(case["sql"], TABLES.get)).schema.jsonValue()["fields"]
    for field in fields:
        del field["metadata"]
    assert fields == case["fields"]


@pytest.mark.parametrize("case", [case for case in CASES if "error" in case], ids=lambda case: case["sql"])
def test_what_spark_refuses_is_refused_with_its_error_class(case):
    with pytest.raises(PlanError) as caught:
        resolve(parse_query(case["sql"], TABLES.get))
    assert caught.value.code == case["error"]
