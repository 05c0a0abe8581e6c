"""What holds for every entry of the catalogue, and how what is not in it is refused."""

from __future__ import annotations

from collections import Counter

import pytest

from app.errors import PlanError
from app.kernel.macros import MACROS
from app.plan import types as t
from app.plan.bound import Ref
from app.plan.ddl import parse_schema
from app.plan.functions import catalogue, lookup
from app.plan.functions.entry import Binding
from app.plan.parse import parse_expression
from app.plan.resolve import resolve_expression

_COLUMNS = parse_schema("i int, s string, m map<string,int>, a array<int>, bin binary, st struct<x: int>, d double")
_ANY_NUMBER = {
    "array", "coalesce", "concat", "count", "map", "map_concat", "arrays_zip", "in", "decode", "concat_ws",
    "greatest", "least", "elt", "hash", "xxhash64", "struct", "named_struct", "json_tuple", "format_string", "stack",
    "rank", "dense_rank", "percent_rank", "grouping_id",
}  # fmt: skip


def test_there_are_more_than_170_functions() -> None:
    assert len({f.name for f in catalogue().values()}) > 170


def test_names_are_lower_case_and_belong_to_one_function() -> None:
    owners = Counter(name for f in set(catalogue().values()) for name in (f.name, *f.aliases))
    assert set(owners) == set(catalogue())
    assert {name for name, count in owners.items() if count > 1 or name != name.lower()} == set()


def test_names_are_found_in_any_case() -> None:
    assert lookup("UPPER") is lookup("upper")


@pytest.mark.parametrize("name", sorted({f.name for f in catalogue().values()} - _ANY_NUMBER))
def test_too_many_arguments_are_refused(name: str) -> None:
    args = tuple(Ref(t.StringType(), True, i, f"c{i}") for i in range(12))
    with pytest.raises(PlanError) as error:
        lookup(name).bind(Binding(), args)
    assert error.value.code == "WRONG_NUM_ARGS.WITHOUT_SUGGESTION"


def test_a_name_that_is_not_there_is_refused_with_the_nearest() -> None:
    with pytest.raises(PlanError, match=r"`uper`.*`upper`") as error:
        lookup("uper")
    assert error.value.code == "UNRESOLVED_ROUTINE"


def test_no_function_of_duckdb_gets_through_by_name() -> None:
    for name in ("read_csv", "list_transform", "getenv", "epoch_ms", "wt_fail", "unnest"):
        with pytest.raises(PlanError, match="UNRESOLVED_ROUTINE"):
            lookup(name)


def test_macros_carry_the_prefix() -> None:
    assert all(macro.startswith("CREATE MACRO wt_") for macro in MACROS)


def test_no_macro_takes_the_place_of_another() -> None:
    names = Counter(macro.split("(", 1)[0] for macro in MACROS)
    assert [name for name, times in names.items() if times > 1] == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("sqrt(a)", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"),
        ("upper(m)", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"),
        ("a + 1", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES"),
        ("true + true", "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE"),
        ("i = true", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES"),
        ("m = m", "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE"),
        ("coalesce(i, a)", "DATATYPE_MISMATCH.DATA_DIFF_TYPES"),
        ("array_contains(a, null)", "DATATYPE_MISMATCH.NULL_TYPE"),
        ("st.nope", "FIELD_NOT_FOUND"),
        ("i.x", "INVALID_EXTRACT_BASE_FIELD_TYPE"),
        ("max(m)", "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE"),
        ("sum(s) + sum(a)", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"),
        ("sort_array(a, i > 0)", "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT"),
        ("regexp_replace(s, '(?<=a+)b', 'c')", "UNSUPPORTED_FEATURE.REGEX"),
        ("s rlike '\\\\1(a)'", "UNSUPPORTED_FEATURE.REGEX"),
        ("split(s, '(?d)a')", "UNSUPPORTED_FEATURE.REGEX"),
        ("regexp_extract(s, '(a)', 2)", "INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX"),
        ("regexp_replace(s, 'a', '$1')", "INVALID_REGEXP_REPLACE"),
        ("rand(21 + 21)", "UNSUPPORTED_FEATURE"),
        ("date_format(now(), 'GGGGG')", "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION"),
        ("to_timestamp(s, 'yyyy-ww')", "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION"),
        ("from_json(s, 'int')", "DATATYPE_MISMATCH.INVALID_JSON_SCHEMA"),
        *((f"from_json(s, {schema})", "INVALID_SCHEMA.NON_STRING_LITERAL") for schema in ("5", "true", "null", "s")),
        *((f"from_csv(s, {schema})", "INVALID_SCHEMA.NON_STRING_LITERAL") for schema in ("5", "s")),
        ("from_json(s, cast(null as string))", "INVALID_SCHEMA.NON_STRING_LITERAL"),
        ("to_json(i)", "DATATYPE_MISMATCH.INVALID_JSON_SCHEMA"),
        ("count()", "WRONG_NUM_ARGS.WITH_SUGGESTION"),
        ("extract(century from now())", "INVALID_EXTRACT_FIELD"),
        ("s like 'a\\\\bc'", "INVALID_FORMAT.ESC_IN_THE_MIDDLE"),
    ],
)
def test_what_cannot_be_right_is_refused_when_the_query_is_built(text: str, code: str) -> None:
    with pytest.raises(PlanError) as error:
        resolve_expression(parse_expression(text), _COLUMNS)
    assert error.value.code == code
