"""What a request asks for, read strictly: parameters, column lists and the media type."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Sequence
from urllib.parse import unquote_to_bytes

from aiohttp import web

from app.web.problem import Problem

_WHOLE = re.compile(r"0|[1-9][0-9]{0,17}")
_ONE = r"-?(?:`(?:[^`]|``)*`|[^`,-][^`,]*)"
_ITEM, _LIST = re.compile(_ONE), re.compile(f"{_ONE}(?:,{_ONE})*")
_QUALITY = re.compile(r"0(\.[0-9]{0,3})?|1(\.0{0,3})?")


def read_parameters(request: web.Request, known: Sequence[str], prefix: str | None = None) -> dict[str, str]:
    """The query parameters, each given once. With `prefix`, names that begin with it are known too.

    Raises: Problem 400 for text that is not UTF-8, an unknown name, a name that comes twice."""
    _check_utf8(request.rel_url.raw_query_string)
    given: dict[str, str] = {}
    for name, value in request.query.items():
        if name not in known and not (prefix and name.startswith(prefix) and name != prefix):
            raise _unknown(name, [*known, *([f"{prefix}<column>"] if prefix else [])])
        if name in given:
            raise Problem(400, "DUPLICATE_PARAMETER", f"The parameter {name!r} comes twice; give it once.", name=name)
        if "\0" in value:
            raise _invalid(name, "holds a NUL character, which no stored text can hold; leave it out")
        given[name] = value
    return given


def whole_number(given: dict[str, str], name: str, default: int, high: int) -> int:
    """A number from 0 to `high`. Raises: Problem 400."""
    text = given.get(name)
    if text is None:
        return default
    if not _WHOLE.fullmatch(text) or int(text) > high:
        raise _invalid(name, f"is {text!r}; give a whole number from 0 to {high}")
    return int(text)


def read_names(given: dict[str, str], name: str, columns: Sequence[str], signed: bool) -> list[tuple[str, bool]]:
    """(column, descending) of a comma-separated list; a name with a comma or a leading minus stands in backticks.

    A column that comes again in an order changes nothing. Raises: Problem 400 for a list that cannot be read, a
    column that is not there, and without signs one that comes twice."""
    text = given[name]
    if not _LIST.fullmatch(text):
        raise _invalid(name, f"is {text!r}; give column names with commas between them, such as {_example(columns)}")
    names: list[tuple[str, bool]] = []
    for item in _ITEM.findall(text):
        descending, bare = item.startswith("-"), item.removeprefix("-")
        column = bare[1:-1].replace("``", "`") if bare.startswith("`") else bare
        if descending and not signed:
            raise _invalid(name, f"has {item!r}; put a name that begins with a minus in backticks")
        check_column(name, column, columns)
        if all(column != other for other, _ in names):
            names.append((column, descending))
        elif not signed:
            raise _invalid(name, f"names the column {column!r} twice; name it once")
    return names


def check_column(parameter: str, column: str, columns: Sequence[str]) -> None:
    """Raises: Problem 400 with the nearest names where the column is not there."""
    if column not in columns:
        near = nearest(column, columns)
        hint = f"Did you mean {', '.join(map(repr, near))}?" if near else f"There are: {', '.join(columns)}."
        sentence = f"The parameter {parameter!r} names the column {column!r}, which the result table has not. {hint}"
        raise Problem(400, "UNRESOLVED_COLUMN", sentence, parameter=parameter, columns=list(columns))


def quoted(column: str) -> str:
    """The name as `columns=` and `order=` read it."""
    plain = not set(column) & {"`", ","} and not column.startswith("-") and column
    return column if plain else "`" + column.replace("`", "``") + "`"


def nearest(name: str, names: Iterable[str]) -> list[str]:
    """Up to three of `names` that look like `name`."""
    return difflib.get_close_matches(name, list(names), n=3, cutoff=0.5)


def negotiate(request: web.Request, offered: Sequence[str]) -> str:
    """The offered media type the client likes best, the first of equals. Raises: Problem 406."""
    header = ",".join(request.headers.getall("Accept", ["*/*"])) or "*/*"
    ranges = [r for r in map(_media_range, header.split(",")) if r is not None]
    best = max(offered, key=lambda media: _quality(media, ranges))
    if _quality(best, ranges) > 0:
        return best
    raise Problem(
        406,
        "NOT_ACCEPTABLE",
        f"The Accept header allows none of what this address gives: {', '.join(offered)}.",
        offered=list(offered),
    )


def _media_range(text: str) -> tuple[str, float] | None:
    media, *parameters = (part.strip().lower() for part in text.split(";"))
    quality = next((p[2:].strip() for p in parameters if p.startswith("q=")), "1")
    return (media, float(quality)) if media and _QUALITY.fullmatch(quality) else None


def _quality(media: str, ranges: Collection[tuple[str, float]]) -> float:
    """The quality of the most specific range that covers `media` (RFC 9110, 12.5.1)."""
    for pattern in (media, media.split("/")[0] + "/*", "*/*"):
        found = [quality for name, quality in ranges if name == pattern]
        if found:
            return max(found)
    return 0.0


def _check_utf8(raw: str) -> None:
    try:
        unquote_to_bytes(raw).decode()
    except UnicodeDecodeError:
        sentence = "The query string is not UTF-8; encode each value as UTF-8 and then as %XX."
        raise Problem(400, "INVALID_PARAMETER", sentence) from None


def _example(columns: Sequence[str]) -> str:
    return ",".join(quoted(column) for column in columns[:2])


def _unknown(name: str, known: Sequence[str]) -> Problem:
    may = f"This address takes: {', '.join(known)}." if known else "This address takes no parameters."
    return Problem(400, "UNKNOWN_PARAMETER", f"There is no parameter {name!r}. {may}", name=name, known=list(known))


def _invalid(name: str, what: str) -> Problem:
    return Problem(400, "INVALID_PARAMETER", f"The parameter {name!r} {what}.", name=name)
