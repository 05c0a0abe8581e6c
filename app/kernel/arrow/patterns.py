"""Java's regular expressions in Python's engine: those that stand in columns, and those that RE2 cannot say."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pyarrow as pa

from app.errors import PlanError
from app.kernel.arrow.entry import ArrowFunction, by_row, fail
from app.plan.functions.backtracking import to_python
from app.plan.functions.java_regex import replacement_parts


def _python_pattern(patterns: pa.Array, names: pa.Array) -> pa.Array:
    """Each pattern for the function of the name beside it."""
    known = {pair: _translated(*pair) for pair in {*zip(patterns.to_pylist(), names.to_pylist(), strict=True)}}
    return pa.array([known[pair] for pair in zip(patterns.to_pylist(), names.to_pylist(), strict=True)], pa.string())


def _translated(pattern: str | None, name: str) -> str | None:
    if pattern is None:
        return None
    try:
        return to_python(name, pattern)
    except PlanError as error:
        fail(error.code, error.sentence)


def _found(text: str, pattern: str) -> Iterator[re.Match[str]]:
    """All matches, as Java's `find` goes on: behind an empty one, from the next character."""
    compiled = re.compile(pattern, re.ASCII)
    at = 0
    while at <= len(text) and (match := compiled.search(text, at)) is not None:
        yield match
        at = match.end() + (match.start() == match.end())


def _place(text: str, pattern: str) -> int:
    """Where the first match begins, from 1; 0 where there is none."""
    match = re.compile(pattern, re.ASCII).search(text)
    return 0 if match is None else match.start() + 1


def _groups(text: str, pattern: str, group: int, most: int) -> list[str]:
    """What a group matched, empty where it took no part, in at most so many matches."""
    groups = re.compile(pattern, re.ASCII).groups
    if group > groups:
        fail(
            "INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX",
            f"The value of parameter(s) `idx` is invalid: Expects group index between 0 and {groups}, but got {group}.",
        )
    found = zip(range(most), _found(text, pattern), strict=False)
    return [match[group] or "" for _, match in found]


def _replaced(text: str, pattern: str, replacement: str) -> str:
    compiled = re.compile(pattern, re.ASCII)
    try:
        parts = replacement_parts("regexp_replace", replacement, compiled.groups, compiled.groupindex)
    except PlanError as error:
        fail(error.code, error.sentence)
    out, at = list[str](), 0
    for match in _found(text, pattern):
        out.append(text[at : match.start()])
        out += ((match[part] or "") if isinstance(part, int) else part for part in parts)
        at = match.end()
    return "".join(out) + text[at:]


def _split(text: str, pattern: str, most: int) -> list[str]:
    """As Java's String.split with a negative limit or, if `most` is positive, that one; by nothing, into letters."""
    if text and not pattern:
        last = min(most if most > 0 else len(text), len(text)) - 1
        return [*text[:last], text[last:]]
    parts, at = list[str](), 0
    for match in _found(text, pattern):
        if most > 0 and len(parts) == most - 1:
            break
        if match.end() == 0:
            continue
        parts.append(text[at : match.start()])
        at = match.end()
    return [*parts, text[at:]]


_TEXT = "VARCHAR"
FUNCTIONS = {
    "wa_python_pattern": ArrowFunction(_python_pattern, (_TEXT, _TEXT), _TEXT),
    "wa_pattern_place": ArrowFunction(by_row(_place, pa.int32()), (_TEXT, _TEXT), "INTEGER"),
    "wa_pattern_groups": ArrowFunction(
        by_row(_groups, pa.list_(pa.string())), (_TEXT, _TEXT, "INTEGER", "INTEGER"), "VARCHAR[]"
    ),
    "wa_pattern_replace": ArrowFunction(by_row(_replaced, pa.string()), (_TEXT, _TEXT, _TEXT), _TEXT),
    "wa_pattern_split": ArrowFunction(by_row(_split, pa.list_(pa.string())), (_TEXT, _TEXT, "INTEGER"), "VARCHAR[]"),
}
