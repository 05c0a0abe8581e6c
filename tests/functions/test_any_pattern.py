"""Whatever text is given as a pattern, it is answered, or told in an error of ours: never Python's, never DuckDB's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.kernel.kernel import Kernel
from tests.functions.examples import answer

_OURS = {
    "INVALID_PARAMETER_VALUE.PATTERN",
    "INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX",
    "INVALID_REGEXP_REPLACE",
    "UNSUPPORTED_FEATURE.REGEX",
}
_PIECES = (
    *"ab01z-^$.|?*+()[]{},<>=!:&#\\é²\n\r ", "(?", "(?i)", "(?i-s:", "(?z)", "(?<n>", "(?P<", "(?<=", "(?<!", "(?=",
    "(?!", "(?>", "[^", "&&", "[a-", "]-", "\\d", "\\W", "\\b", "\\Q", "\\E", "\\x{110000}", "\\x{d800}", "\\x4",
    "\\x41", "\\u0041", "\\ud83d", "\\p{L}", "\\p{Cn}", "\\P{Lu}", "\\p{Foo}", "\\pL", "\\p{IsGreek}", "\\k<n>", "\\1",
    "\\N", "\\R", "\\G", "\\X", "\\Z", "\\z", "\\07", "\\cA", "{2}", "{0}", "{500}", "{1001}", "{3,1}", "{99999999999}",
    "+?", "*+", "(?m)", "(?x)", "(?u)", "(?s)", "(?d)", "(?)", "(?-)",
)  # fmt: skip
_CALLS = (
    "rlike({0}, {1})",
    "regexp_replace({0}, {1}, '<$0>')",
    "regexp_extract({0}, {1}, 0)",
    "regexp_extract_all({0}, {1}, 1)",
    "regexp_count({0}, {1})",
    "regexp_instr({0}, {1})",
    "regexp_substr({0}, {1})",
    "split({0}, {1})",
    "split({0}, {1}, 2)",
)


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    with Kernel(1 << 28, 1) as kernel:
        yield kernel


def _literal(text: str) -> str:
    return "'" + "".join(f"\\u{ord(char):04x}" for char in text) + "'"


@example("(a{500}){500}", "rlike({0}, {1})")
@example("(" * 1500 + ")" * 1500, "rlike({0}, {1})")
@example("(?<=a{1,3})b", "rlike({0}, {1})")
@example("(\\p{L}{9}){9}|\\p{L}{90}", "split({0}, {1})")
@settings(max_examples=400, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(_PIECES), max_size=7).map("".join), st.sampled_from(_CALLS))
def test_any_pattern_is_answered_or_refused_by_name(kernel: Kernel, pattern: str, call: str) -> None:
    text = _literal("ab\r\na1\n")
    for source in ("{0}", "(SELECT {0})"):
        given = answer(kernel, f"SELECT {call.format(text, source.format(_literal(pattern)))}")
        assert "rows" in given or given["error"] in _OURS, (pattern, given)
        assert "Python" not in given.get("message", "") and "DuckDB" not in given.get("message", "")
