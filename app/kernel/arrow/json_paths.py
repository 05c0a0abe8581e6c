"""JSON as Java writes it, and what stands at a path that DuckDB has no word for: each text by itself."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, by_row
from app.plan.java_text import float_text
from app.plan.json_reader import PATHS, RECORDS, Fields, Number, quoted, read_json, written

_Steps = Sequence[str | int | None]
_BEYOND = re.compile(r"[\U00010000-\U0010ffff]")
_RAW, _QUOTED, _FLAT = range(3)


def _number(text: Number) -> str:
    """As a double is written, if it has a point or an exponent; what is no number in quotes."""
    if text.lstrip("-").isdigit():
        return text if text != "-0" else "0"
    value = float(text)
    shown = float_text(np.float64(value))
    return shown if math.isfinite(value) else f'"{shown}"'


def _text(text: str) -> str:
    """In quotes, letters beyond U+FFFF as two numbers."""
    return _BEYOND.sub(lambda found: json.dumps(found[0])[1:-1].upper().replace("\\U", "\\u"), quoted(text))


def _java(text: str) -> str:
    """A part of a record as a text: a string is its letters. As it is given where it is too deep or long for Spark."""
    try:
        return _shown(read_json(text, RECORDS))
    except ValueError:
        return text


def _shown(tree: Any) -> str:
    """A string is its letters."""
    return tree if isinstance(tree, str) and not isinstance(tree, Number) else written(tree, _number, _text)


def _last(text: str, key: str) -> str | None:
    """The last value of a key that is not null; null where the text is too deep or long for Spark."""
    try:
        tree = read_json(text, PATHS)
    except ValueError:
        return None
    values = [value for name, value in tree if name == key and value is not None] if isinstance(tree, Fields) else []
    return _shown(values[-1]) if values else None


_steps = lru_cache(256)(json.loads)


def _at(text: str, path: str) -> str | None:
    try:
        tree = read_json(text, PATHS)
    except ValueError:
        return None
    parts: list[str] = []
    return "".join(parts) if _found(tree, _steps(path), _RAW, parts) else None


def _found(tree: Any, path: _Steps, style: int, parts: list[str]) -> bool:
    """Adds what stands at the path to the parts; of steps, a text is a name, a number an index, None all of a list."""
    if not path:
        return _whole(tree, style, parts)
    step, rest = path[0], path[1:]
    match tree:
        case Fields():
            return any(value is not None and _found(value, rest, style, parts) for name, value in tree if name == step)
        case list() if step is None:
            return _each(tree, rest, style, parts)
        case list() if isinstance(step, int) and step < len(tree):
            return _found(tree[step], rest, _QUOTED if rest and rest[0] is None else style, parts)
    return False


def _whole(tree: Any, style: int, parts: list[str]) -> bool:
    if style == _FLAT and isinstance(tree, list) and not isinstance(tree, Fields):
        return sum(_whole(item, style, parts) for item in tree) > 0
    parts.append(_shown(tree) if style == _RAW else written(tree, _number, _text))
    return True


def _each(items: list[Any], path: _Steps, style: int, parts: list[str]) -> bool:
    """What stands at the path in each item: as a list, but a single one as it is if nothing is a list around it."""
    inner, within = path, style
    twice = bool(path) and path[0] is None
    if twice:
        inner, within = path[1:], _FLAT
    elif style != _FLAT:
        within = _QUOTED
    found: list[str] = []
    count = sum(_found(item, inner, within, found) for item in items)
    single = count == 1 and not twice and style != _QUOTED
    if count or twice or style == _QUOTED:
        parts.append(",".join(found) if single else f"[{','.join(found)}]")
    return count > 0


_LEAF = re.compile(r'"(?:[^"\\]|\\.)*"(?P<key>\s*:)?|-?[0-9][-+.0-9eE]*')
_MARK = "\\u0001"


def _marked(text: str) -> str:
    """Numbers that are no plain whole ones as texts with a mark; texts that begin as it does have another one."""
    return _LEAF.sub(_mark, text)


def _mark(leaf: re.Match[str]) -> str:
    text = leaf[0]
    if text[0] == '"':
        odd = text.startswith(f'"{_MARK}') and not leaf["key"]
        return f'"{_MARK}##{text[1 + len(_MARK) :]}' if odd else text
    return text if text.lstrip("-").isdigit() and text != "-0" else f'"{_MARK}#{text}"'


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[][{},:]|[^][{},:"]+')
_CLOSING = {"{": "}", "[": "]"}


def _pretty(text: str) -> str:
    """JSON without blanks as Jackson prints it: a field a line, items side by side."""
    tokens = _TOKEN.findall(text)
    parts: list[str] = []
    depth, objects = 0, list[bool]()
    for at, token in enumerate(tokens):
        match token:
            case "{" | "[" if tokens[at + 1] == _CLOSING[token]:
                parts.append(f"{token} ")
                objects.append(False)
            case "{" | "[":
                objects.append(token == "{")
                depth += objects[-1]
                parts.append(f"{{\n{'  ' * depth}" if objects[-1] else "[ ")
            case "}" | "]":
                depth -= objects[-1]
                parts.append(f"\n{'  ' * depth}" if objects.pop() else "" if parts[-1] in ("{ ", "[ ") else " ")
                parts.append(token)
            case ",":
                parts.append(f",\n{'  ' * depth}" if objects[-1] else ", ")
            case ":":
                parts.append(" : ")
            case _:
                parts.append(token)
    return "".join(parts)


FUNCTIONS = {
    "wa_json_marked": ArrowFunction(by_row(_marked, pa.string()), ("VARCHAR",), "VARCHAR"),
    "wa_json_pretty": ArrowFunction(by_row(_pretty, pa.string()), ("VARCHAR",), "VARCHAR"),
    "wa_json_last": ArrowFunction(by_row(_last, pa.string()), ("VARCHAR", "VARCHAR"), "VARCHAR"),
    "wa_json_java": ArrowFunction(by_row(_java, pa.string()), ("VARCHAR",), "VARCHAR"),
    "wa_json_path": ArrowFunction(by_row(_at, pa.string()), ("VARCHAR", "VARCHAR"), "VARCHAR"),
}
"""JSON with marks at numbers; over several lines; the last value of a key; the text of a part of a record, given as
JSON; and what stands in a text at a path, which is a JSON array of its steps."""
