"""Going through nested values from the leaves up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

_Found = TypeVar("_Found")
Parts = tuple[list[str] | None, list[Any]]
"""The names of an object's fields, None of an array; and what it holds."""


def fold(
    root: Any,
    opened: Callable[[Any], Parts | None],
    leaf: Callable[[Any], _Found],
    array: Callable[[list[_Found]], _Found],
    obj: Callable[[list[tuple[str, _Found]]], _Found],
    enter: Callable[[str], object] = lambda name: None,
) -> _Found:
    """What is made of a value, however deep it is. `opened` gives the parts of an array or object, None of a leaf;
    `enter` sees each name before its value."""
    frames: list[_Frame] = []
    at = root
    while True:
        parts = opened(at)
        if parts is not None:
            frames.append(_Frame(*parts, []))
        else:
            made = leaf(at)
            if not frames:
                return made
            frames[-1].found.append(made)
        while len(frames[-1].found) == len(frames[-1].parts):
            top = frames.pop()
            made = array(top.found) if top.names is None else obj(list(zip(top.names, top.found, strict=True)))
            if not frames:
                return made
            frames[-1].found.append(made)
        top = frames[-1]
        at = top.parts[len(top.found)]
        if top.names is not None:
            enter(top.names[len(top.found)])


class _Frame(NamedTuple):
    """An array or object that is being gone through, and what was made of the first of its parts."""

    names: list[str] | None
    parts: list[Any]
    found: list[Any]
