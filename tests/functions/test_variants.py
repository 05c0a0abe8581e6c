"""Variants below the surface: what Spark calls valid, places in them, work that is done once."""

from __future__ import annotations

from typing import Any

import pytest

from app.errors import PlanError, RowError
from app.kernel.expressions import print_expression
from app.kernel.kernel import Kernel
from app.kernel.variant.build import LIMIT_BYTES, checked
from app.kernel.variant.parse import variant_of_json
from app.kernel.variant.read import Variant
from app.kernel.variant.show import json_text
from app.kernel.variant.valid import is_valid
from app.plan.parse import parse_expression
from app.plan.resolve import resolve_expression
from app.plan.types import StructType

# As is_valid_variant of Spark 4.2 answers, by value and metadata.
VALID = [
    ("", "010000", False), ("00", "", False), ("00", "020000", False), ("0c", "010000", False),
    ("0c01", "010000", True), ("0c0102", "010000", True),
    ("0578", "010000", True), ("0978", "010000", False), ("05ff", "010000", True),
    ("50", "010000", False), ("0301000100", "010000", True), ("0301000200", "010000", True),
    ("020100000100", "010000", False), ("020100000100", "0101000161", True),
    ("0202000100020404040404", "01020001026261", True), ("00", "0101000261", True), ("200500000000", "010000", True),
    ("202800000000", "010000", False), ("2002ffffff7f", "010000", False), ("00", "110000", True),
    ("0000", "010000", True),
    ("0202000100020408", "01020001026162", False),
]  # fmt: skip


@pytest.mark.parametrize(("value", "metadata", "expected"), VALID)
def test_a_variant_is_valid_where_spark_says_so(value: str, metadata: str, expected: bool) -> None:
    assert is_valid(bytes.fromhex(value), bytes.fromhex(metadata)) is expected


@pytest.mark.parametrize("value", ["", "0c", "0978", "020100000100", "2002ffffff7f"])
def test_broken_bytes_are_an_error_where_they_are_read(value: str) -> None:
    with pytest.raises(RowError) as error:
        json_text(Variant(bytes.fromhex(value), b"\x01\0\0"))
    assert error.value.code == "MALFORMED_VARIANT"


def test_a_kind_that_spark_42_has_no_type_for_is_named() -> None:
    with pytest.raises(RowError) as error:
        json_text(Variant(bytes((20 << 2,)) + bytes(16), b"\x01\0\0"))
    assert error.value.code == "UNKNOWN_PRIMITIVE_TYPE_IN_VARIANT"


def test_what_is_too_large_is_refused() -> None:
    assert checked(b"x") == b"x"

    class Large(bytes):
        def __len__(self) -> int:
            return LIMIT_BYTES + 1

    with pytest.raises(RowError) as error:
        checked(Large())
    assert error.value.code == "VARIANT_SIZE_LIMIT"


@pytest.mark.parametrize(
    "text",
    ["1", '"x"', "[]", "{}", '[1,"a",[null,{"b":2}]]', '{"a":{"b":[{"c":1.5}]},"d":"é"}', "[" * 1000 + "]" * 1000],
)
def test_a_variant_is_its_own_part(text: str) -> None:
    value, metadata = variant_of_json(text)
    whole = Variant(value, metadata)
    assert whole.size == len(value)
    assert json_text(whole) == text
    assert json_text(Variant(*whole.alone())) == text
    assert Variant(*whole.sliced()) == whole


def test_a_part_alone_has_only_the_names_it_needs() -> None:
    whole = Variant(*variant_of_json('{"a":1,"b":{"c":{"a":2}}}'))
    part = whole.step("b")
    assert part is not None
    assert part.alone() == variant_of_json('{"c":{"a":2}}')


@pytest.fixture
def kernel() -> Any:
    with Kernel(1 << 28, 1) as kernel:
        yield kernel


def test_null_is_no_null_of_json(kernel: Kernel) -> None:
    found = kernel.arrow(
        "SELECT wa_variant_json(wa_parse_json(t, true, false), 'UTC') AS c "
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
