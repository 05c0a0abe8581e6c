import duckdb
import pyarrow as pa
import pytest

from app.errors import PlanError
from app.plan.carriers import (
    arrow_schema,
    arrow_type,
    duckdb_type,
    from_arrow,
    from_arrow_schema,
    postgres_type,
)
from app.plan.ddl import parse_schema, parse_type

ALL = [
    ("boolean", "BOOLEAN", "boolean"),
    ("tinyint", "TINYINT", "smallint"),
    ("smallint", "SMALLINT", "smallint"),
    ("int", "INTEGER", "integer"),
    ("bigint", "BIGINT", "bigint"),
    ("float", "FLOAT", "real"),
    ("double", "DOUBLE", "double precision"),
    ("decimal(12,3)", "DECIMAL(12,3)", "numeric(12,3)"),
    ("string", "VARCHAR", "text"),
    ("binary", "BLOB", "bytea"),
    ("date", "DATE", "date"),
    ("timestamp", "TIMESTAMPTZ", "timestamptz"),
    ("timestamp_ntz", "TIMESTAMP", "timestamp"),
    ("interval day to second", "INTERVAL", "interval"),
    ("interval", "INTERVAL", "interval"),
    ("time(6)", "TIME", "time"),
    ("array<struct<x:int>>", 'STRUCT("x" INTEGER)[]', "jsonb"),
    ("map<string,array<int>>", "MAP(VARCHAR, INTEGER[])", "jsonb"),
    ('struct<`a "b`:int>', 'STRUCT("a ""b" INTEGER)', "jsonb"),
]


@pytest.mark.parametrize(("name", "duck", "postgres"), ALL)
def test_one_table_names_all_carriers(name, duck, postgres):
    data_type = parse_type(name)
    assert (duckdb_type(data_type), postgres_type(data_type)) == (duck, postgres)
    assert from_arrow(arrow_type(data_type)) == data_type


@pytest.mark.parametrize(("name", "duck", "postgres"), ALL)
def test_duckdb_takes_the_arrow_carrier_as_the_type_in_the_table(name, duck, postgres):
    with duckdb.connect() as connection:
        rows = pa.table({"c0": pa.nulls(1, arrow_type(parse_type(name)))})
        connection.register("rows", rows)
        got, wanted = connection.execute(f"SELECT typeof(c0), typeof(CAST(NULL AS {duck})) FROM rows").fetchone()
        assert got == wanted


def test_a_schema_keeps_names_and_nullability():
    schema = parse_schema("a INT NOT NULL, b map<string,int>, c array<timestamp>")
    assert from_arrow_schema(arrow_schema(schema)) == schema


@pytest.mark.parametrize(
    ("arrow", "name"),
    [
        (pa.uint8(), "smallint"),
        (pa.uint64(), "decimal(20,0)"),
        (pa.float16(), "float"),
        (pa.large_string(), "string"),
        (pa.string_view(), "string"),
        (pa.dictionary(pa.int32(), pa.string()), "string"),
        (pa.timestamp("ns", "Europe/Berlin"), "timestamp"),
        (pa.timestamp("s"), "timestamp_ntz"),
        (pa.date64(), "date"),
        (pa.binary(4), "binary"),
        (pa.large_list(pa.int8()), "array<tinyint>"),
        (pa.list_(pa.int8(), 3), "array<tinyint>"),
        (pa.decimal256(38, 2), "decimal(38,2)"),
        (pa.null(), "void"),
    ],
)
def test_arrow_types_that_spark_does_not_tell_apart_become_one(arrow, name):
    assert from_arrow(arrow).simpleString() == name


@pytest.mark.parametrize("arrow", [pa.time64("ns"), pa.decimal256(60, 2)])
def test_arrow_types_without_a_spark_type_are_refused(arrow):
    with pytest.raises(PlanError, match="has no Spark type"):
        from_arrow(arrow)


def test_void_is_no_column_of_a_postgres_table():
    with pytest.raises(PlanError, match="cast it"):
        postgres_type(parse_type("void"))
