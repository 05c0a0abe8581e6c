"""What the files of each format become, by Spark's rules for records that do not fit."""

from __future__ import annotations

import gzip
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.errors import ArgumentError, EngineError, PlanError, RowError, SourceBroken
from app.kernel.variant.show import json_text
from app.plan.nodes import Scan
from app.plan.types import StructType
from app.sources.files import FileFormat

BOM = b"\xef\xbb\xbf"
PEOPLE = BOM + b'id,name,x\n1,Ann,1.5\n2,"B, \\"q\\"",\n\nx,C:\\temp,3\n4\n5,e,6,7\n'
RECORDS = BOM + b'{"a":1,"b":"x"}\n{"a":"bad","b":2}\nnot json\n\n[{"a":4},{"b":{"q":1}}]\n'


def load(
    folder: Path, kind: str, data: bytes, ddl: str | None = None, **options: str
) -> tuple[str, list[tuple[Any, ...]]]:
    """The schema and the rows of one file."""
    (folder / f"file.{kind}").write_bytes(data)
    return load_path(folder, kind, ddl, **options)


def load_path(path: Path, kind: str, ddl: str | None = None, **options: str) -> tuple[str, list[tuple[Any, ...]]]:
    given = {**{key.lower(): value for key, value in options.items()}, "path": str(path)}
    source = FileFormat(kind)
    schema = source.schema(given, StructType.fromDDL(ddl) if ddl else None, False)
    rows = source.load(Scan(kind, tuple(sorted(given.items())), schema, False))
    inner = schema.simpleString().removeprefix("struct<").removesuffix(">")
    return inner, [tuple(row.values()) for row in rows.to_pylist()]


def test_csv_without_a_schema_is_text(tmp_path: Path) -> None:
    assert load(tmp_path, "csv", b"1,Ann\n2,\n") == ("_c0:string,_c1:string", [("1", "Ann"), ("2", None)])


def test_csv_with_a_header_and_a_byte_order_mark(tmp_path: Path) -> None:
    schema, rows = load(tmp_path, "csv", PEOPLE, header="true", inferSchema="true")
    assert schema == "id:string,name:string,x:double"
    assert rows == [
        ("1", "Ann", 1.5),
        ("2", 'B, "q"', None),
        ("x", "C:\\temp", 3.0),
        ("4", None, None),
        ("5", "e", 6.0),
    ]


def test_csv_permissive_keeps_the_fields_that_fit_and_the_text(tmp_path: Path) -> None:
    _, rows = load(tmp_path, "csv", PEOPLE, "id int, name string, x double, _corrupt_record string", header="true")
    assert rows == [
        (1, "Ann", 1.5, None),
        (2, 'B, "q"', None, None),
        (None, "C:\\temp", 3.0, "x,C:\\temp,3"),
        (4, None, None, "4"),
        (5, "e", 6.0, "5,e,6,7"),
    ]


def test_csv_dropmalformed_and_failfast(tmp_path: Path) -> None:
    ddl = "id int, name string, x double"
    _, rows = load(tmp_path, "csv", PEOPLE, ddl, header="true", mode="dropMalformed")
    assert [row[0] for row in rows] == [1, 2]
    with pytest.raises(RowError, match="x,C:") as caught:
        load(tmp_path, "csv", PEOPLE, ddl, header="true", mode="FAILFAST")
    assert caught.value.code == "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION"


def test_csv_infers_sparks_types(tmp_path: Path) -> None:
    first = b"1,9999999999,99999999999999999999,1,2024-01-01,2024-01-01 10:00:00,true,7,\n"
    schema, rows = load(tmp_path, "csv", first + b"2,3,4,1.5,2024-01-02,2024-01-02,FALSE,x,\n", inferSchema="true")
    assert schema == (
        "_c0:int,_c1:bigint,_c2:decimal(20,0),_c3:double,_c4:date,_c5:timestamp,_c6:boolean,_c7:string,_c8:string"
    )
    assert rows[0][2] == Decimal("99999999999999999999")
    assert rows[1][6] is False


@pytest.mark.parametrize(
    ("data", "options", "rows"),
    [
        (b"a;b\n", {"sep": ";"}, [("a", "b")]),
        (b"a\tb\n", {"delimiter": "\\t"}, [("a", "b")]),
        (b"'a,b',c\n", {"quote": "'"}, [("a,b", "c")]),
        (b'"a,b",c\n', {"quote": ""}, [('"a', 'b"')]),
        (b'"a""b",c\n', {"escape": '"'}, [('a"b', "c")]),
        (b'"a ""b"" c",d\n', {}, [('"a ""b"" c"', "d")]),
        (b'"a ""b, x"" c",d\n', {}, [('"a ""b', ' x"" c"')]),
        (b'"a\\\\",d\n', {}, [("a\\", "d")]),
        (b'"a\\n\\\\x",d\n', {}, [("a\\n\\x", "d")]),
        (b"a\\,b\n", {}, [("a\\", "b")]),
        (b'"a"x,b\n', {}, [('"a"x', "b")]),
        (b'"a" ,b\n', {}, [("a", "b")]),
        (b'"a\\",b,c\n', {}, [('a",b,c', None)]),
        (b'"ab,c\nd,e\n', {}, [("ab,c", None), ("d", "e")]),
        (b' "a,b",c\n', {}, [(' "a', 'b"')]),
        (b' "a,b",c\n', {"ignoreLeadingWhiteSpace": "true"}, [("a,b", "c")]),
        (b"a\rb,c\r\n", {}, [("a", None), ("b", "c")]),
        (b'"NA",NA\n', {"nullValue": "NA"}, [(None, None)]),
        (b'a"b,c"\n', {}, [('a"b', 'c"')]),
        (b"#no\na,b\n", {"comment": "#"}, [("a", "b")]),
        (b"-,b\n,NA\n", {"nullValue": "-"}, [(None, "b"), (None, "NA")]),
        (b'"",b\n', {"nullValue": "NA"}, [("", "b")]),
        (b'"",b\n', {}, [(None, "b")]),
        (b" a , b\n", {"ignoreLeadingWhiteSpace": "true"}, [("a ", "b")]),
        (b" a , b \n", {"ignoreTrailingWhiteSpace": "true"}, [(" a", " b")]),
        (b"a,b\r\nc,d", {}, [("a", "b"), ("c", "d")]),
        (b"a,\xff\n", {}, [("a", "�")]),
    ],
)
def test_csv_dialects(tmp_path: Path, data: bytes, options: dict[str, str], rows: list[tuple[Any, ...]]) -> None:
    assert load(tmp_path, "csv", data, "a string, b string", **options)[1] == rows


@pytest.mark.parametrize(
    ("ddl", "text", "value"),
    [
        ("a tinyint", "128", None),
        ("a int", " 1", None),
        ("a int", "+1", 1),
        ("a int", "1.0", None),
        ("a double", "NaN", float("nan")),
        ("a double", "-Inf", float("-inf")),
        ("a double", "infinity", None),
        ("a double", " 1.5", 1.5),
        ("a double", "1d", 1.0),
        ("a double", "5.", 5.0),
        ("a boolean", "True", True),
        ("a boolean", "t", None),
        ("a decimal(4,2)", "1.239", Decimal("1.24")),
        ("a decimal(4,2)", "1234", None),
        ("a decimal(4,2)", " 1.2", None),
        ("a date", "2024-1-1", date(2024, 1, 1)),
        ("a date", "2024", date(2024, 1, 1)),
        ("a date", "2024-02-30", None),
    ],
)
def test_csv_values(tmp_path: Path, ddl: str, text: str, value: Any) -> None:
    found = load(tmp_path, "csv", f"{text}\n".encode(), ddl)[1][0][0]
    assert found == value or (found != found and value != value)


@pytest.mark.parametrize(
    ("data", "schema"),
    [
        (b"1\n2024-01-01\n", "_c0:string"),
        (b"2024-01-01\n2024-01-01 00:00:00\n", "_c0:timestamp"),
        (b"1\n1.5\n99999999999999999999\n", "_c0:double"),
        (b"1\ntrue\n", "_c0:string"),
        (b"2024\n2024-05\n", "_c0:string"),
        (b"2024-5-1\n", "_c0:timestamp"),
        (b"2024-05-01T10:00\n", "_c0:timestamp"),
        (b"\n\n", ""),
    ],
)
def test_csv_infers_one_type_for_all_values(tmp_path: Path, data: bytes, schema: str) -> None:
    assert load(tmp_path, "csv", data, inferSchema="true")[0] == schema


def test_csv_header_names_that_are_missing_or_repeated(tmp_path: Path) -> None:
    assert load(tmp_path, "csv", b"a,,A\n1,2,3\n", header="true")[0] == "a0:string,_c1:string,A2:string"


def test_json_permissive_keeps_the_fields_that_fit_and_the_text(tmp_path: Path) -> None:
    _, rows = load(tmp_path, "json", RECORDS, "a int, b string, _corrupt_record string")
    array = '[{"a":4},{"b":{"q":1}}]'
    assert rows == [
        (1, "x", None),
        (None, "2", '{"a":"bad","b":2}'),
        (None, None, "not json"),
        (4, None, None),
        (None, '{"q":1}', None),
    ], array


def test_json_other_modes_and_a_column_of_another_name(tmp_path: Path) -> None:
    assert load(tmp_path, "json", RECORDS, "a int", mode="DROPMALFORMED")[1] == [(1,), (4,), (None,)]
    _, rows = load(tmp_path, "json", RECORDS, "bad string, a int", columnNameOfCorruptRecord="bad")
    assert rows[2] == ("not json", None)
    with pytest.raises(RowError, match="bad"):
        load(tmp_path, "json", RECORDS, "a int", mode="FAILFAST")


def test_json_infers_types_in_the_order_of_names(tmp_path: Path) -> None:
    data = b'{"s":{"y":"b","x":1},"n":1,"z":[1,2.5],"t":"2024-01-01","u":null}\n{"n":1.5,"b":true}\n'
    schema, _ = load(tmp_path, "json", data)
    assert schema == "b:boolean,n:double,s:struct<x:bigint,y:string>,t:string,u:string,z:array<double>"
    assert load(tmp_path, "json", b'{"a":1}\noops\n')[0] == "_corrupt_record:string,a:bigint"


def test_json_nested_values(tmp_path: Path) -> None:
    data = b'{"s":{"x":1,"y":2},"m":{"k":1,"l/~":2},"z":[{"q":1},{"q":null}],"n":"1.5","t":60,"d":"2024-01-05"}'
    ddl = "s struct<x:int,y:string>, m map<string,int>, z array<struct<q:int>>, n decimal(4,2), t timestamp, d date"
    _, rows = load(tmp_path, "json", data, f"{ddl}, _corrupt_record string")
    s, m, z, n, t, d, corrupt = rows[0]
    assert (s, dict(m), z, n) == ({"x": 1, "y": "2"}, {"k": 1, "l/~": 2}, [{"q": 1}, {"q": None}], Decimal("1.50"))
    assert (t.timestamp(), d.isoformat(), corrupt) == (60, "2024-01-05", None)


@pytest.mark.parametrize(
    ("ddl", "text", "value"),
    [
        ("a int", "1.0", None),
        ("a int", '"1"', None),
        ("a int", "99999999999", None),
        ("a double", '"1.5"', None),
        ("a double", '"-INF"', float("-inf")),
        ("a double", '"inf"', None),
        ("a string", "true", "true"),
        ("a string", '{"q": 1}', '{"q":1}'),
        ("a decimal(4,2)", "1.239", Decimal("1.24")),
        ("a decimal(4,2)", "12345", None),
        ("a date", '"2024-01-01 10:00:00"', date(2024, 1, 1)),
        ("a date", "1", None),
        ("a binary", '"AQI="', b"\x01\x02"),
        ("a binary", '"!!"', None),
        ("a array<int>", '[1, "x", 3]', None),
        ("a array<int>", "1", None),
        ("a array<struct<q: int>>", '[{"q": 1}, 3]', None),
        ("a map<string, int>", '{"k": 1, "l": "q"}', None),
    ],
)
def test_json_values(tmp_path: Path, ddl: str, text: str, value: Any) -> None:
    data = f'{{"a":{text}}}\n'
    _, rows = load(tmp_path, "json", data.encode(), f"{ddl}, _corrupt_record string")
    assert rows == [(value, None if value is not None else data.strip())]


def test_json_widens_whole_numbers_that_no_bigint_holds(tmp_path: Path) -> None:
    data = b'{"a":12345678901234567890,"b":1}\n'
    expected = [(Decimal("12345678901234567890"), 1)]
    assert load(tmp_path, "json", data) == ("a:decimal(20,0),b:bigint", expected)


def test_json_over_several_lines(tmp_path: Path) -> None:
    assert load(tmp_path, "json", b'[\n{"a":\n1},\n{"a":2}]\n', "a int", multiLine="true")[1] == [(1,), (2,)]


def test_text_by_line_and_whole(tmp_path: Path) -> None:
    assert load(tmp_path, "text", b"c\rd\n")[1] == [("c",), ("d",)]
    assert load(tmp_path, "text", b"a\r\n\nb", None) == ("value:string", [("a",), ("",), ("b",)])
    assert load(tmp_path, "text", b"a\nb\n", "line string", wholetext="true") == ("line:string", [("a\nb\n",)])


def test_packed_text_is_unpacked(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"a\nb\n"))
    assert load_path(tmp_path, "text")[1] == [("a",), ("b",)]


def test_parquet_columns_go_by_name(tmp_path: Path) -> None:
    pq.write_table(pa.table({"b": ["x"], "A": pa.array([1], pa.int32())}), tmp_path / "data[1].parquet")
    assert load_path(tmp_path, "parquet") == ("b:string,A:int", [("x", 1)])
    assert load_path(tmp_path, "parquet", "a bigint, c date") == ("a:bigint,c:date", [(1, None)])
    with pytest.raises(SourceBroken, match=r"column b of .*data\[1\]"):
        load_path(tmp_path, "parquet", "b int")


def test_a_schema_loses_its_not_nulls(tmp_path: Path) -> None:
    given = StructType.fromDDL("a int not null, b struct<c: int not null>")
    options = {"path": str(tmp_path)}
    assert "nullable = false" not in FileFormat("json").schema(options, given, True).treeString()


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_no_files_have_no_schema(tmp_path: Path, kind: str) -> None:
    with pytest.raises(PlanError) as caught:
        load_path(tmp_path, kind)
    assert caught.value.code == "UNABLE_TO_INFER_SCHEMA"
    with pytest.raises(ArgumentError, match="Schema must be specified"):
        FileFormat(kind).schema({"path": str(tmp_path)}, None, True)


@pytest.mark.parametrize("kind", ["csv", "json", "parquet", "text"])
def test_no_files_are_no_rows(tmp_path: Path, kind: str) -> None:
    assert load_path(tmp_path, kind, "a string")[1] == []


@pytest.mark.parametrize(
    ("kind", "ddl"),
    [("csv", "a array<int>"), ("json", "a interval day"), ("text", "a int"), ("text", "a string, b string")],
)
def test_a_type_the_format_cannot_hold_is_refused(tmp_path: Path, kind: str, ddl: str) -> None:
    with pytest.raises(EngineError) as caught:
        load(tmp_path, kind, b"", ddl)
    assert caught.value.code == "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE"


def test_json_behind_a_record_is_passed_over_and_the_last_value_of_a_key_counts(tmp_path: Path) -> None:
    data = b"""{"a":1} x
{"a":2}{"a":3}
{"a":4}}
{"a":5,"a":6}
{"a":7,"s":{"b":1,"b":2}}
[{"a":8},{"a":9}] z
{"a":10
x{"a":1}
{"a":11,"a":null}
{"m":{"k":1,"k":2},"s":{"b":1.50}}
{'a':12, 's':{"b":'3'}}
{"a":13,}
{"a":14,"s":{"b":3},"x":"\\u0022\\u0022","s":{"b":4}}
"""
    _, rows = load(tmp_path, "json", data, "a int, s struct<b decimal(4,2)>, m map<string,int>, _corrupt_record string")
    assert [(row[0], row[1] and str(row[1]["b"]), row[2], row[3]) for row in rows] == [
        (1, None, None, None),
        (2, None, None, None),
        (4, None, None, None),
        (6, None, None, None),
        (7, "2.00", None, None),
        (8, None, None, None),
        (9, None, None, None),
        (None, None, None, '{"a":10'),
        (None, None, None, 'x{"a":1}'),
        (None, None, None, None),
        (None, "1.50", [("k", 2)], None),
        (12, "3.00", None, None),
        (None, None, None, '{"a":13,}'),
        (14, "4.00", None, None),
    ]


def test_json_records_are_variants_in_a_single_column(tmp_path: Path) -> None:
    data = b'{"a":1.50}\n\n[1,2]\n{bad\n1 x\n"s"\n{"a":1,"a":2}\n'

    def shown(rows: list[tuple[Any, ...]]) -> list[Any]:
        return [row[0] and json_text(row[0]["variant"]) for row in rows]

    schema, rows = load(tmp_path, "json", data, singleVariantColumn="v")
    assert (schema, shown(rows)) == ("v:variant", ['{"a":1.5}', "[1,2]", None, "1", '"s"', None])
    schema, rows = load(tmp_path, "json", data, "v variant, _corrupt_record string", singleVariantColumn="v")
    assert [row[1] for row in rows] == [None, None, "{bad", None, None, '{"a":1,"a":2}']
    _, rows = load(tmp_path, "json", data, singleVariantColumn="v", mode="DROPMALFORMED")
    assert shown(rows) == ['{"a":1.5}', "[1,2]", "1", '"s"']
    _, rows = load(tmp_path, "json", b"{'a':'b'}\n", singleVariantColumn="v")
    assert shown(rows) == ['{"a":"b"}']
    with pytest.raises(PlanError, match="INVALID_SINGLE_VARIANT_COLUMN"):
        load(tmp_path, "json", data, "w variant", singleVariantColumn="v")


@pytest.mark.parametrize("kind", ["json", "csv"])
def test_variants_beside_other_columns_are_refused(tmp_path: Path, kind: str) -> None:
    with pytest.raises(PlanError, match="UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE"):
        load(tmp_path, kind, b"1\n", "a int, v variant")
