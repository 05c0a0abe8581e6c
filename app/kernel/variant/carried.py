"""How a variant is carried: as JSON in which every value tells its kind.

Plain JSON stands for itself: null, booleans, texts, arrays, objects with names that differ, whole numbers of up to 64
bits (Spark's long), and numbers with a point, which are decimals, where a double holds all of their digits. What JSON
has no form for, or DuckDB's JSON would write otherwise, is a text behind a mark that plain texts do not begin with.
Fields stand in the order in which they were given; it decides the bytes Spark has for the variant.

A tree is what such a text is read to: None, bool, int, str, float (a decimal), list, dict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any, Literal

import numpy as np
import orjson

from app.kernel.variant.fold import Parts, fold

Kind = Literal[
    "null", "boolean", "long", "double", "float", "decimal", "string", "binary", "date", "timestamp", "timestamp_ntz",
    "array", "object",
]  # fmt: skip

MARK = "\x01"
_BETWEEN = f"{MARK}|"
"""A mark of no kind: no tree has it."""
_SPLIT = orjson.dumps(["", _BETWEEN, ""])[3:-3].decode()
_LONG = 1 << 63

_READ: dict[str, tuple[Kind, Callable[[str], Any]]] = {
    "d": ("double", float),
    "f": ("float", lambda text: float(np.float32(text))),
    "n": ("decimal", Decimal),
    "s": ("string", str),
    "B": ("binary", bytes.fromhex),
    "D": ("date", int),
    "T": ("timestamp", int),
    "N": ("timestamp_ntz", int),
}
_MARKS = {kind: MARK + sign for sign, (kind, _) in _READ.items()}
DECIMAL_MARK = _MARKS["decimal"]


def scalar(leaf: Any) -> tuple[Kind, Any]:
    """The kind and value of what is no array or object: days and microseconds as whole numbers, decimals with their
    scale."""
    if isinstance(leaf, float):
        return "decimal", Decimal(repr(leaf))
    if isinstance(leaf, str) and leaf.startswith(MARK):
        kind, read = _READ[leaf[1]]
        return kind, read(leaf[2:])
    return kind_of(leaf), leaf


def kind_of(node: Any) -> Kind:
    """The kind of any place in a tree; of a marked text the mark is enough."""
    match node:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "long"
        case float():
            return "decimal"
        case dict():
            return "object"
        case list():
            return "array"
    return _READ[node[1]][0] if node.startswith(MARK) else "string"


def leaf_of(kind: Kind, value: Any) -> Any:
    """The other way round."""
    match kind:
        case "null" | "boolean" | "long":
            return value
        case "string":
            return _MARKS[kind] + value if value.startswith(MARK) else value
        case "decimal":
            return _MARKS[kind] + format(value or abs(value), "f")  # a decimal has no zero below zero
        case "binary":
            return _MARKS[kind] + value.hex()
        case "double" | "float":
            return _MARKS[kind] + repr(float(value))
    return f"{_MARKS[kind]}{value}"


def java_order(names: Iterable[str]) -> list[str]:
    """Names as Java sorts them, by UTF-16."""
    found = list(names)
    return sorted(found, key=None if "".join(found).isascii() else lambda name: name.encode("utf-16-be"))


def parts(node: Any) -> Parts | None:
    """What `fold` opens in a tree."""
    if isinstance(node, dict):
        return list(node), list(node.values())
    return (None, node) if isinstance(node, list) else None


def sorted_parts(node: Any) -> Parts | None:
    """The same, fields in the order of their names."""
    if not isinstance(node, dict):
        return parts(node)
    names = java_order(node)
    return names, [node[name] for name in names]


def read(text: str) -> Any:
    """The tree of a carried text."""
    return orjson.loads(text)


def read_all(texts: Sequence[str]) -> list[Any]:
    """The trees of many, which takes less time than one by one."""
    found: list[Any] = orjson.loads(f"[{','.join(texts)}]")
    return found


def written(tree: Any) -> str:
    """The carried text of a tree."""
    try:
        return orjson.dumps(tree).decode()
    except orjson.JSONEncodeError:  # too deep for it
        return fold(tree, parts, lambda leaf: orjson.dumps(leaf).decode(), array_text, object_text)


def written_all(trees: Sequence[Any]) -> list[str]:
    """The carried texts of many."""
    if not trees:
        return []
    mixed = [_BETWEEN] * (2 * len(trees) - 1)
    mixed[::2] = trees
    try:
        return orjson.dumps(mixed)[1:-1].decode().split(_SPLIT)
    except orjson.JSONEncodeError:
        return [written(tree) for tree in trees]


def array_text(items: Sequence[str]) -> str:
    """JSON of an array from the JSON of its items."""
    return f"[{','.join(items)}]"


def object_text(fields: Sequence[tuple[str, str]]) -> str:
    """JSON of an object from its names and the JSON of their values."""
    return f"{{{','.join(f'{orjson.dumps(name).decode()}:{text}' for name, text in fields)}}}"


def sorted_tree(tree: Any) -> Any:
    """The same with fields in the order of their names, as Spark lays out a variant taken from another."""
    return fold(tree, sorted_parts, lambda leaf: leaf, list, dict)


def is_long(value: int) -> bool:
    """Whether 64 bits hold a whole number."""
    return -_LONG <= value < _LONG
