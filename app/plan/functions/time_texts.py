"""Times of day read from text and printed as text, by Java's patterns or plainly."""

from __future__ import annotations

import re

from app.plan.functions.java_time import read_wall, show_pattern
from app.plan.functions.signature import unsupported

_OF_A_DAY = "HhKkmsSa"


def read_time_of_day(text: str, pattern: str | None) -> str:
    """SQL of the time of day that a text holds, null where it holds none. Raises: PlanError."""
    if pattern is None:
        return f"wt_clock({text})"
    return f"CAST({read_wall(pattern, text)} AS TIME)"


def show_time_of_day(function: str, value: str, pattern: str | None) -> str:
    """SQL of the text of a time of day. Raises: PlanError."""
    if pattern is None:
        return f"CAST({value} AS VARCHAR)"
    for letter in re.sub("'[^']*'", "", pattern):
        if letter.isalpha() and letter not in _OF_A_DAY:
            raise unsupported(function, f"{letter!r} in the pattern of a time of day")
    return show_pattern(pattern, f"(DATE '1970-01-01' + {value})", "UTC")
