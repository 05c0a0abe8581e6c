import json

import pytest

from app.errors import ParseError
from app.plan import types as t
from app.plan.ddl import parse_schema, parse_type, type_from_json

TYPES = {
    "boolean": t.BooleanType(),
    "BYTE": t.ByteType(),
    "tinyint": t.ByteType(),
    "short": t.ShortType(),
    "INT": t.IntegerType(),
    "integer": t.IntegerType(),
    "long": t.LongType(),
    "real": t.FloatType(),
    "double": t.DoubleType(),
    "string": t.StringType(),
    "varchar(3)": t.StringType(),
    "binary": t.BinaryType(),
    "date": t.DateType(),
    "timestamp": t.TimestampType(),
    "timestamp_ntz": t.TimestampNTZType(),
    "void": t.NullType(),
    "decimal": t.DecimalType(10, 0),
    "dec(3)": t.DecimalType(3, 0),
    "numeric(38, 18)": t.DecimalType(38, 18),
    "interval day to second": t.DayTimeIntervalType(),
    "interval hour": t.DayTimeIntervalType(1, 1),
    "INTERVAL YEAR TO MONTH": t.YearMonthIntervalType(),
    "interval": t.CalendarIntervalType(),
    "time": t.TimeType(6),
    "TIME(3)": t.TimeType(3),
    "array<array<int>>": t.ArrayType(t.ArrayType(t.IntegerType())),
    "map<string,decimal(10,2)>": t.MapType(t.StringType(), t.DecimalType(10, 2)),
    "struct<>": t.StructType(),
    "struct<x int, y: struct<`a b`: date not null>>": t.StructType(
        [
            t.StructField("x", t.IntegerType()),
            t.StructField("y", t.StructType([t.StructField("a b", t.DateType(), False)])),
        ]
    ),
}


@pytest.mark.parametrize("text", TYPES)
def test_a_type_name_gives_the_type(text):
    assert parse_type(text) == TYPES[text]


@pytest.mark.parametrize("data_type", TYPES.values(), ids=str)
def test_json_and_simple_string_give_the_type_back(data_type):
    assert type_from_json(data_type.json()) == data_type
    assert type_from_json(data_type.jsonValue()) == data_type


def test_a_schema_may_use_quotes_colons_comments_and_keywords_as_names():
    schema = parse_schema(
        "a INT, `b c`: STRING NOT NULL COMMENT 'it\\'s', -- why\n date date,`q``z` array<int>, 1a map<int,int>"
    )
    assert schema.names == ["a", "b c", "date", "q`z", "1a"]
    assert [f.nullable for f in schema] == [True, False, True, True, True]
    assert schema["b c"].metadata == {"comment": "it's"}
    assert type_from_json(schema.json()) == schema


def test_a_schema_may_be_a_whole_struct():
    assert parse_schema("struct<a: int>") == parse_schema("a int")


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("a", "PARSE_SYNTAX_ERROR", "near end of input (line 1, pos 1): expected a type"),
        ("a int,", "PARSE_SYNTAX_ERROR", "near end of input (line 1, pos 6): expected a column name"),
        ("a int b", "PARSE_SYNTAX_ERROR", "near 'b' (line 1, pos 6)"),
        ("a int\n, b array<int", "PARSE_SYNTAX_ERROR", "(line 2, pos 13): expected '>'"),
        ("a array int", "PARSE_SYNTAX_ERROR", "near 'int' (line 1, pos 8): expected '<'"),
        ("é int", "PARSE_SYNTAX_ERROR", "near 'é' (line 1, pos 0)"),
        ("a foo", "UNSUPPORTED_DATATYPE", '"FOO" at position 2'),
        ("a interval second to day", "PARSE_SYNTAX_ERROR", "DAY TO SECOND"),
        ("a decimal(39,2)", "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", "39 exceeds max precision 38"),
        ("a decimal(2,3)", "_LEGACY_ERROR_TEMP_1228", "scale (3) cannot be greater than precision (2)"),
        ("a decimal(0)", "UNSUPPORTED_FEATURE", "without digits"),
        ("a varchar(3)", "UNSUPPORTED_CHAR_OR_VARCHAR_AS_STRING", "VARCHAR(3)"),
        ("", "PARSE_EMPTY_STATEMENT", "at least one column"),
    ],
)
def test_what_cannot_be_read_says_where(text, code, says):
    with pytest.raises(ParseError) as caught:
        parse_schema(text)
    assert caught.value.code == code
    assert says in str(caught.value)


@pytest.mark.parametrize("value", [{}, {"type": "array"}, {"type": "udt"}, "{", {"type": "struct", "fields": [{}]}])
def test_a_broken_json_form_is_refused(value):
    with pytest.raises(ParseError):
        type_from_json(value)


def test_tree_string_is_what_spark_prints():
    schema = parse_schema(
        "a INT, b STRING NOT NULL, c ARRAY<STRUCT<x:INT>>, d MAP<STRING,DECIMAL(10,2)>,"
        "e array<array<long>>, f interval day to second, g void, h struct<x:struct<y:int not null>>"
    )
    assert schema.treeString() == (
        "root\n"
        " |-- a: integer (nullable = true)\n"
        " |-- b: string (nullable = false)\n"
        " |-- c: array (nullable = true)\n"
        " |    |-- element: struct (containsNull = true)\n"
        " |    |    |-- x: integer (nullable = true)\n"
        " |-- d: map (nullable = true)\n"
        " |    |-- key: string\n"
        " |    |-- value: decimal(10,2) (valueContainsNull = true)\n"
        " |-- e: array (nullable = true)\n"
        " |    |-- element: array (containsNull = true)\n"
        " |    |    |-- element: long (containsNull = true)\n"
        " |-- f: interval day to second (nullable = true)\n"
        " |-- g: void (nullable = true)\n"
        " |-- h: struct (nullable = true)\n"
        " |    |-- x: struct (nullable = true)\n"
        " |    |    |-- y: integer (nullable = false)\n"
    )


def test_sql_names_quote_what_needs_quotes():
    schema = parse_schema("a map<int,int>, `1 b` decimal not null")
    assert schema.sql() == "STRUCT<a: MAP<INT, INT>, `1 b`: DECIMAL(10,0) NOT NULL>"
    assert json.loads(schema.json())["fields"][1]["nullable"] is False
