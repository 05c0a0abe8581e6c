"""Java's regular expressions that stand in columns, as RE2's."""

from __future__ import annotations

import pyarrow as pa

from app.errors import PlanError
from app.kernel.arrow.entry import ArrowFunction, fail
from app.plan.functions.java_regex import literal_text, matches_empty, searched, to_re2

_SEARCH = ("rlike", "regexp_instr")


def _java_pattern(patterns: pa.Array, names: pa.Array) -> pa.Array:
    """Each pattern for the function of the name beside it."""
    known = {pair: _translated(*pair) for pair in {*zip(patterns.to_pylist(), names.to_pylist(), strict=True)}}
    return pa.array([known[pair] for pair in zip(patterns.to_pylist(), names.to_pylist(), strict=True)], pa.string())


def _translated(pattern: str | None, name: str) -> str | None:
    if pattern is None:
        return None
    try:
        found = to_re2(name, searched(pattern) if name in _SEARCH else pattern)
    except PlanError as error:
        fail(error.code, error.sentence)
    if name == "split" and literal_text(pattern) is None and matches_empty(pattern):
        fail("UNSUPPORTED_FEATURE.REGEX", f"`split` is not supported with {pattern!r}, which matches nothing at all")
    return found


FUNCTIONS = {"wa_java_pattern": ArrowFunction(_java_pattern, ("VARCHAR", "VARCHAR"), "VARCHAR")}
