"""Rows of Python values: `Row`, and the way to Arrow and back."""

from __future__ import annotations

import copy
import datetime as d
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import ArgumentError, RowError
from app.plan.ddl import parse_schema
from app.plan.types import StructType
from app.sql import Row, SparkSession
from app.sql.convert import rows_of, table_of

SCHEMA = parse_schema(
    "b boolean, i int, l bigint, x double, s string, y binary, d date, t timestamp, n timestamp_ntz, c decimal(12,3), "
    "v interval day to second, a array<string>, m map<string,bigint>, r struct<p:int,q:array<struct<z:timestamp>>>"
)
YEARS = {"min_value": d.datetime(1970, 1, 2), "max_value": d.datetime(2100, 1, 1)}
# A local time that comes twice, in autumn, is the earlier one to Python; the hour is left out.
LOCAL = st.datetimes(**YEARS).filter(lambda t: t.replace(fold=1).astimezone() == t.replace(fold=0).astimezone())


def exists(time: d.datetime) -> bool:
    return time.astimezone(d.UTC).astimezone().replace(tzinfo=None) == time


VALUES: tuple[st.SearchStrategy[Any], ...] = (
    st.booleans(),
    st.integers(-(1 << 31), (1 << 31) - 1),
    st.integers(-(1 << 63), (1 << 63) - 1),
    st.floats(allow_nan=False),
    st.text(),
    st.binary(),
    st.dates(),
    LOCAL.filter(exists),
    st.datetimes(),
    st.decimals(-999_999_999, 999_999_999, places=3),
    st.timedeltas(d.timedelta(days=-9999), d.timedelta(days=9999)),
    st.lists(st.none() | st.text()),
    st.dictionaries(st.text(), st.none() | st.integers(-9, 9)),
    st.tuples(st.none() | st.integers(-9, 9), st.lists(st.none() | st.tuples(LOCAL.filter(exists)))),
)


@given(st.lists(st.tuples(*(st.none() | value for value in VALUES)), max_size=5))
def test_rows_come_back_as_they_went(rows: list[tuple[Any, ...]]) -> None:
    assert rows_of(table_of(rows, SCHEMA), SCHEMA) == rows


@given(st.lists(st.tuples(*(st.none() | value for value in VALUES)), min_size=3, max_size=5))
def test_a_slice_of_a_table_gives_its_own_rows(rows: list[tuple[Any, ...]]) -> None:
    assert rows_of(table_of(rows, SCHEMA).slice(1, 2), SCHEMA) == rows[1:3]


def test_values_have_the_types_pyspark_gives() -> None:
    schema = parse_schema("b boolean, i int, x double, s string, y binary, r struct<p:int,q:string>")
    (row,) = rows_of(table_of([(True, 1, 1.0, "x", b"y", (1, None))], schema), schema)
    assert list(map(type, row)) == [bool, int, float, str, bytes, Row]
    assert repr(row.r) == "Row(p=1, q=None)"


def test_a_naive_time_is_in_the_machines_zone_and_an_aware_one_in_its_own() -> None:
    schema = parse_schema("t timestamp")
    naive, aware = d.datetime(2020, 7, 1, 14), d.datetime(2020, 7, 1, 8, tzinfo=d.timezone(d.timedelta(hours=-4)))
    table = table_of([(naive,), (aware,)], schema)
    assert table.column(0).cast(pa.int64()).to_pylist() == [1593604800_000000] * 2
    assert [row.t for row in rows_of(table, schema)] == [naive, naive]


def test_a_time_beyond_python_says_so() -> None:
    schema = parse_schema("t timestamp")
    table = pa.table({"t": pa.array([1 << 62], pa.int64()).cast(pa.timestamp("us", "UTC"))})
    with pytest.raises(RowError, match="1 to 9999"):
        rows_of(table, schema)


def test_struct_fields_may_have_one_name() -> None:
    schema = parse_schema("r struct<a:int,b:int>")
    inner = schema.fields[0].dataType
    assert isinstance(inner, StructType)
    twice = StructType([inner.fields[0], inner.fields[0]])
    table = table_of([((1, 2),)], StructType().add("r", twice))
    assert rows_of(table, StructType().add("r", twice)) == [((1, 2),)]


def test_row() -> None:
    row = Row(a=1, b=[Row(c=2)], asDict=3)
    assert (row.a, row["a"], row[0], row[-1], row[0:1], "a" in row, 1 in row) == (1, 1, 1, 3, (1,), True, False)
    assert row.asDict == row.asDict and Row(a=1).asDict() == {"a": 1}
    assert Row(a=1, b=[Row(c=2)], m={"k": Row(x=1)}).asDict(True) == {"a": 1, "b": [{"c": 2}], "m": {"k": {"x": 1}}}
    assert Row(a=1) == Row(b=1) == (1,) and hash(Row(a=1)) == hash((1,))
    assert Row("a", "b")(1, 2) == Row(a=1, b=2) and repr(Row("a", "b")(1, 2)) == "Row(a=1, b=2)"
    assert repr(Row(1, "x")) == "<Row(1, 'x')>" and Row() == ()
    assert copy.deepcopy(row) == row and copy.deepcopy(row).a == 1


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (lambda: Row(1, a=2), ArgumentError),
        (lambda: Row("a")(1, 2), ArgumentError),
        (lambda: Row(1).asDict(), ArgumentError),
        (lambda: Row(a=1).b, AttributeError),
        (lambda: Row(a=1)["b"], KeyError),
        (lambda: setattr(Row(a=1), "a", 2), AttributeError),
    ],
)
def test_row_refuses(wrong: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        wrong()


def test_a_decimal_is_rounded_to_its_column_and_refused_beyond_it(spark: SparkSession) -> None:
    assert spark.createDataFrame([(Decimal("1.005"),)], "a decimal(4,2)").collect() == [(Decimal("1.01"),)]
    with pytest.raises(RowError, match=r"decimal\(4,2\)"):
        spark.createDataFrame([(Decimal("99.995"),)], "a decimal(4,2)")
