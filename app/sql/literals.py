"""Names given as strings: what column a name means."""

from __future__ import annotations

from typing import Any

from app.errors import ParseError
from app.plan.expressions import Attribute, Star
from app.plan.literals import decimal_type, literal
from app.sql.arguments import wrong_type

__all__ = ["column_by_name", "decimal_type", "literal", "split_name"]


def column_by_name(name: str, of: Any = None) -> Attribute | Star:
    """The column `name` refers to: `a`, `t.a`, `` `a.b` ``, `*` or `t.*`.

    >>> column_by_name("t.`a.b`")
    Attribute(parts=('t', 'a.b'))

    Raises: ParseError for a name that is not closed or empty between dots, ArgumentTypeError for what is no name.
    """
    if not isinstance(name, str):
        raise wrong_type("col", "str", name)
    if name == "*":
        return Star(of=of)
    if name.endswith(".*"):
        return Star(split_name(name[:-2]), of)
    return Attribute(split_name(name), of)


def split_name(name: str) -> tuple[str, ...]:
    """The parts of a dotted name; a part in backticks may hold dots, a doubled backtick is one.
    Raises: ParseError."""
    if "`" not in name and "." not in name:
        return (name,)
    parts: list[str] = []
    rest = name
    while True:
        part, rest = _quoted(name, rest[1:]) if rest.startswith("`") else _plain(rest)
        if part is None or (rest and not rest.startswith(".")):
            raise _bad_name(name)
        parts.append(part)
        if not rest:
            return tuple(parts)
        rest = rest[1:]


def _plain(text: str) -> tuple[str | None, str]:
    dot = text.find(".")
    part, rest = (text, "") if dot < 0 else (text[:dot], text[dot:])
    return (part or None) if "`" not in part else None, rest


def _quoted(name: str, text: str) -> tuple[str, str]:
    part, at = "", 0
    while True:
        end = text.find("`", at)
        if end < 0:
            raise _bad_name(name)
        part += text[at:end]
        if not text.startswith("``", end):
            return part, text[end + 1 :]
        part, at = part + "`", end + 2


def _bad_name(name: str) -> ParseError:
    return ParseError(
        f"{name!r} is not the name of a column: write a.b for field b of a, and put a name that holds dots "
        "or backticks between backticks (a backtick inside is doubled).",
        code="INVALID_ATTRIBUTE_NAME_SYNTAX",
        name=name,
    )
