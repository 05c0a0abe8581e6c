"""Variants below the surface: what Spark calls valid, places in them, work that is done once."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import EngineError, PlanError, RowError
from app.kernel.expressions import print_expression
from app.kernel.kernel import Kernel
from app.kernel.variant.build import LIMIT_BYTES, checked
from app.kernel.variant.carried import read
from app.kernel.variant.parse import _Parser, carried_of_json
from app.kernel.variant.schema import packed, schema_of, shape_of
from app.kernel.variant.show import json_text
from app.kernel.variant.spark import from_bytes, to_bytes
from app.plan.carriers import arrow_type
from app.plan.ddl import parse_type
from app.plan.functions.variants import print_get, print_json
from app.plan.parse import parse_expression
from app.plan.resolve import resolve_expression
from app.plan.types import DataType, StructType, VariantType

# Which bytes Spark 4.2 calls valid (`is_valid_variant`), by value and metadata. A text that is no UTF-8 is valid
# there and fails where it is read; here it does not come in.
VALID = [
    ("", "010000", False), ("00", "", False), ("00", "020000", False), ("0c", "010000", False),
    ("0c01", "010000", True), ("0c0102", "010000", True),
    ("0578", "010000", True), ("0978", "010000", False), ("05ff", "010000", False),
    ("50", "010000", False), ("0301000100", "010000", True), ("0301000200", "010000", True),
    ("020100000100", "010000", False), ("020100000100", "0101000161", True),
    ("0202000100020404040404", "01020001026261", True), ("00", "0101000261", True), ("200500000000", "010000", True),
    ("202800000000", "010000", False), ("2002ffffff7f", "010000", False), ("00", "110000", True),
    ("0000", "010000", True),
    ("0202000100020408", "01020001026162", False),
]  # fmt: skip


@pytest.mark.parametrize(("value", "metadata", "expected"), VALID)
def test_bytes_come_in_where_spark_calls_them_valid(value: str, metadata: str, expected: bool) -> None:
    try:
        from_bytes(bytes.fromhex(value), bytes.fromhex(metadata))
    except RowError as error:
        assert error.code in ("MALFORMED_VARIANT", "UNKNOWN_PRIMITIVE_TYPE_IN_VARIANT")
        assert not expected
    else:
        assert expected


def test_a_kind_that_spark_42_has_no_type_for_is_named() -> None:
    with pytest.raises(RowError) as error:
        from_bytes(bytes((20 << 2,)) + bytes(16), b"\x01\0\0")
    assert error.value.code == "UNKNOWN_PRIMITIVE_TYPE_IN_VARIANT"


def test_what_is_too_large_is_refused() -> None:
    assert checked(b"x") == b"x"

    class Large(bytes):
        def __len__(self) -> int:
            return LIMIT_BYTES + 1

    with pytest.raises(RowError) as error:
        checked(Large())
    assert error.value.code == "VARIANT_SIZE_LIMIT"


TEXTS = [
    "1", '"x"', "[]", "{}", '[1,"a",[null,{"b":2}]]', '{"a":{"b":[{"c":1.5}]},"d":"é"}', "[" * 1000 + "]" * 1000,
    "[" * 300 + "1.50" + "]" * 300, '"\\u0001d1"', '{"\\u0001d1":"\\u0001"}', "1e5", "-0", "-0.00", "1.0", "-0.10",
    "9" * 18, "9" * 19, "-9223372036854775808",
    "9" * 38, "9" * 39, "0.0001", "0.00012", "123456789.123456", "1234567890.123456", "123.123456789012",
    "123.1234567890123", "1.7976931348623157", "1e400", "2.50", "1E+2", '"\\ud83d\\ude00"', '"\\n\\/"',
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_a_variant_is_the_same_in_the_bytes_of_spark_and_as_it_is_carried(text: str) -> None:
    carried = carried_of_json(text)
    again = from_bytes(*to_bytes(carried))
    assert (json_text(again), to_bytes(again)) == (json_text(carried), to_bytes(carried))


def carried_of_jsons(kernel: Kernel, texts: list[str], lenient: bool = False) -> list[str | None]:
    kernel.put_named("texts", pa.table({"t": pa.array(texts, pa.string())}))
    found = kernel.arrow(f"SELECT wa_parse_json(t, json_valid(t), {lenient}, false) AS v FROM texts").column("v")
    return [row and row["variant"] for row in found.to_pylist()]


@pytest.mark.parametrize("text", TEXTS)
def test_one_is_read_as_many_are_and_as_the_parser_reads_it(kernel: Kernel, text: str) -> None:
    slow = to_bytes(_Parser(text, False).whole())
    assert to_bytes(carried_of_json(text)) == slow
    several = carried_of_jsons(kernel, ["1", text, '{"a": 2}', text])
    assert [to_bytes(carried or "") for carried in several] == [
        to_bytes(carried_of_json(t)) for t in ("1", text, '{"a":2}', text)
    ]


@pytest.mark.parametrize(
    "texts",
    [
        ["[1", "2]"], ["1,2", "3"], ["1]", "[2"], ['{"a":1', "2}"], ["1", "", "2"], ["1", '{"a":1,"a":2}'], ["1", "01"],
        ["1", "nul"], ["1", '"\\ud800"'], ["1", '{"a":NaN}'], ["1", "[1,]"], ["1", '"\x01"'],
        ["1", "[" * 1001 + "]" * 1001],
    ],
)  # fmt: skip
def test_what_is_malformed_stays_so_among_others(kernel: Kernel, texts: list[str]) -> None:
    def alone(text: str) -> str | None:
        try:
            return carried_of_json(text)
        except RowError:
            return None

    found = [alone(text) for text in texts]
    assert None in found
    assert carried_of_jsons(kernel, texts, lenient=True) == found
    with pytest.raises(EngineError, match="MALFORMED_RECORD_IN_PARSING"):
        carried_of_jsons(kernel, texts)


numbers = (
    st.integers(-(10**40), 10**40)
    | st.decimals(-(10**20), 10**20, allow_nan=False, places=6)
    | st.floats(allow_nan=False, allow_infinity=False)
)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def _json(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(k, ensure_ascii=False)} : {_json(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_json, value)) + "]"
    return str(value) if isinstance(value, Decimal) else json.dumps(value)


@given(st.lists(json_values.map(_json), max_size=6))
@settings(max_examples=150)
def test_batches_give_what_the_parser_gives(kernel: Kernel, texts: list[str]) -> None:
    slow = [_Parser(text, False).whole() for text in texts]
    found = [text or "" for text in carried_of_jsons(kernel, texts)]
    assert [to_bytes(text) for text in found] == [to_bytes(text) for text in slow]
    shown = print_json("v", "UTC")
    table = pa.table({"v": pa.array([{"variant": text} for text in found], arrow_type(VariantType()))})
    kernel.put_named("given", table)
    assert kernel.arrow(f"SELECT {shown} AS c FROM given").column("c").to_pylist() == [json_text(text) for text in slow]
    trees = [read(text) for text in found]
    shapes = {shape_of(tree): packed(schema_of(tree)) for tree in trees}
    assert [shapes[shape_of(tree)] for tree in trees] == [packed(schema_of(tree)) for tree in trees]


@pytest.fixture(scope="module")
def kernel() -> Any:
    with Kernel(1 << 28, 1) as kernel:
        yield kernel


def test_null_is_no_null_of_json(kernel: Kernel) -> None:
    found = kernel.arrow(
        "SELECT wa_variant_json(struct_extract(wa_parse_json(t, json_valid(t), true, false), 'variant'), 'UTC') AS c "
        "FROM (VALUES ('null'), (NULL), ('{'), ('[1]'), ('[1]')) AS v(t)"
    )
    assert found.column("c").to_pylist() == ["null", None, None, "[1]", "[1]"]


def test_no_rows_give_no_rows(kernel: Kernel) -> None:
    typed = resolve_expression(parse_expression("variant_get(parse_json('[1]'), '$[0]', 'int')"), StructType([]))
    assert kernel.arrow(f"SELECT {print_expression(typed)} AS c FROM range(0)").num_rows == 0


@pytest.mark.parametrize(
    "text",
    ["cast(time'12:00:00' as variant)", "cast(parse_json('1') as time)", "to_variant_object(array(make_interval(1)))"],
)
def test_types_that_variants_have_not_are_refused(text: str) -> None:
    with pytest.raises(PlanError) as error:
        resolve_expression(parse_expression(text), StructType([]))
    assert error.value.code == "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION"


LEAVES = ["tinyint", "smallint", "int", "bigint", "float", "double", "boolean", "string", "variant", "decimal(10,2)"]


leaves = json_values.map(_json) | st.sampled_from(['"5"', '"1.5"', '"true"', "127", "128", "-32769"])


@given(st.lists(leaves, max_size=4), st.sampled_from(LEAVES).map(parse_type))
@settings(max_examples=120)
def test_what_duckdb_takes_out_is_what_the_caster_makes(kernel: Kernel, texts: list[str], kind: DataType) -> None:
    found = carried_of_jsons(kernel, [f'{{"b":0,"a b":[{text}]}}' for text in texts])
    rows = pa.array([{"variant": text} for text in found], arrow_type(VariantType()))
    kernel.put_named("given", pa.table({"v": rows}))
    quick = print_get("v", "''", kind, True, "UTC", steps=("a b", 0))
    exact = print_get("v", "'$[\"a b\"][0]'", kind, True, "UTC")
    table = kernel.arrow(f"SELECT {quick} AS q, {exact} AS e FROM given")
    taken, made = ([read(v["variant"]) if isinstance(v, dict) else v for v in c.to_pylist()] for c in table.columns)
    assert repr(taken) == repr(made)
