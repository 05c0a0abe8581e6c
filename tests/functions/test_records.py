"""What Spark reports through Java only, so that no golden file holds it: malformed records, and Java's own letters."""

from __future__ import annotations

import pytest

from app.errors import RowError
from app.kernel.expressions import print_expression
from app.kernel.kernel import Kernel
from app.plan.functions.entry import Binding
from app.plan.parse import parse_expression
from app.plan.resolve import resolve_expression
from app.plan.types import StructType

_OFFSET = "X" * 3


def _value(text: str, zone: str = "UTC") -> object:
    typed = resolve_expression(parse_expression(text), StructType([]), Binding(time_zone=zone))
    with Kernel(1 << 27, 1) as kernel:
        return kernel.arrow(f"SELECT {print_expression(typed)} AS v")["v"][0].as_py()


@pytest.mark.parametrize(
    "text",
    [
        "from_json('bad', 'a int', map('mode', 'FAILFAST'))",
        "from_json('{\"a\":\"x\"}', 'a int', map('mode', 'FAILFAST'))",
        "from_json('[{\"a\":1},{\"a\":\"x\"}]', 'array<struct<a:int>>', map('mode', 'FAILFAST'))",
        "from_csv('x', 'a int', map('mode', 'FAILFAST'))",
        "from_csv('1,2', 'a int', map('mode', 'FAILFAST'))",
    ],
)
def test_a_malformed_record_ends_a_query_that_asked_for_it(text: str) -> None:
    with pytest.raises(RowError) as error:
        _value(text)
    assert error.value.code == "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION"


def test_offsets_are_shown_as_java_shows_them() -> None:
    text = f"date_format(timestamp'2024-07-01 00:00:00', '{_OFFSET}')"
    assert _value(text) == "Z"
    assert _value(text, "Europe/Berlin") == "+02:00"
    assert _value(text, "Asia/Kolkata") == "+05:30"


def test_a_comparator_that_gives_null_is_an_error() -> None:
    with pytest.raises(RowError) as error:
        _value("array_sort(array(3, 1, 2), (a, b) -> cast(null as int))")
    assert error.value.code == "COMPARATOR_RETURNS_NULL"
