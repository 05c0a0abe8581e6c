"""Times of day read from text and printed as text, by Java's patterns or plainly."""

from __future__ import annotations

import re

from app.plan.functions.java_time import read_pattern, show_pattern
from app.plan.functions.signature import unsupported

_OF_A_DAY = "HhmsSa"


def read_time_of_day(function: str, text: str, pattern: str | None) -> str:
    """SQL of the time of day that a text holds, null where it holds none. Raises: PlanError."""
    if pattern is None:
        return f"wt_clock({text})"
    reading = read_pattern(function, pattern)
    padded = f"('1970 ' || {text})" if reading.regex.startswith("1970 ") else text
    matched = f"CASE WHEN regexp_full_match({padded}, {_quoted(reading.regex)}) THEN {padded} END"
    return f"CAST(try_strptime({matched}, {_quoted(reading.format)}) AS TIME)"


def show_time_of_day(function: str, value: str, pattern: str | None) -> str:
    """SQL of the text of a time of day. Raises: PlanError."""
    if pattern is None:
        return f"CAST({value} AS VARCHAR)"
    for letter in re.sub("'[^']*'", "", pattern):
        if letter.isalpha() and letter not in _OF_A_DAY:
            raise unsupported(function, f"{letter!r} in the pattern of a time of day")
    return show_pattern(function, pattern, f"(DATE '1970-01-01' + {value})", "UTC")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
