"""Values and errors as JSON, the same on both halves of the live comparison."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import Any


def encode(value: Any) -> Any:
    """A Python value of a result; instants, dates and intervals are whole numbers. Maps have no order."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return {"float": "nan" if math.isnan(value) else repr(value)}
        case Decimal():
            return {"decimal": format(value, "f")}
        case bytes() | bytearray():
            return {"hex": value.hex()}
        case dict():
            return mapped(value.items())
        case tuple() | list():
            return [encode(v) for v in value]
    raise AssertionError(f"no JSON for {value!r}")


def mapped(pairs: Iterable[tuple[Any, Any]]) -> Any:
    """The entries of a map."""
    return {"map": sorted(([encode(k), encode(v)] for k, v in pairs), key=repr)}


def query(text: str) -> str:
    """The query for an expression, or for an aggregate call and what it is grouped by: one column, in which the keys of
    a group stand before its value."""
    call, _, by = text.partition(_BY)
    if not by:
        return f"SELECT {text} AS e FROM t"
    keys = by.partition(" HAVING ")[0]
    if sets := re.fullmatch(r"(?:rollup|cube|grouping sets)\((.*)\)", keys):
        keys = f"{sets[1]}, grouping_id()"
    return f"SELECT struct({keys}, {call}) AS e FROM t GROUP BY {by}"


def in_order(text: str, values: list[Any]) -> list[Any]:
    """The values of a query as they came, groups by their keys."""
    return sorted(values, key=lambda value: json.dumps(value[:-1])) if _BY in text else values


def in_any_order(rows: list[Any]) -> list[Any]:
    """Rows sorted by what they show: numbers to twelve digits, zeros without their sign."""
    return sorted(rows, key=lambda row: json.dumps(_roughly(row)))


def _roughly(value: Any) -> Any:
    match value:
        case list():
            return [_roughly(v) for v in value]
        case {"float": text}:
            return repr(float(f"{float(text):.12g}") + 0.0)
        case dict():
            return {key: _roughly(v) for key, v in value.items()}
    return value


_BY = " GROUP BY "
Answer = dict[str, Any]


def answers(
    texts: list[str], run: Callable[[str], Answer], by_row: Callable[[str], list[Answer]] | None = None
) -> Iterator[Answer]:
    """The answer to each text: what `run` gives, or the class of the error it raises. Then `by_row`, if given, is asked
    for the value or the error of each row; there are none where the text fails before there are rows."""
    for text in texts:
        try:
            yield run(text)
        except Exception as error:
            found = failure(error)
            if by_row is not None:
                try:
                    found["rows"] = by_row(text)
                except Exception:
                    found["rows"] = []
            yield found


def failure(error: Exception) -> Answer:
    """An error as an answer."""
    condition = getattr(error, "getCondition", lambda: None)() or getattr(error, "code", None)
    return {"error": condition or type(error).__name__, "text": str(error)[:300]}
