"""JSON text as a carried variant, by the rules and limits of Spark's parser.

A number without an exponent is a whole number where 64 bits hold it, else a decimal where 38 digits hold it; all others
are doubles. What follows a complete value is not looked at, but for the sign next to it.

A text that only has unusual numbers is read by Python's scanner, the rest by a parser that has Spark's limits.
"""

from __future__ import annotations

import json.decoder
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NoReturn

import orjson

from app.errors import RowError
from app.kernel.variant.build import checked
from app.kernel.variant.carried import array_text, is_long, leaf_of, object_text

_NUMBER = r"-?(?:0|[1-9][0-9]*)(?P<more>\.[0-9]+)?(?P<e>[eE][+-]?[0-9]+)?"
_VALUE = re.compile(rf'[ \t\n\r]*(?:(?P<string>")|(?P<open>[{{\[])|(?P<number>{_NUMBER})|(?P<word>true|false|null))')
_KEY, _COLON, _NEXT = (re.compile(rf"[ \t\n\r]*{sign}") for sign in ('"', ":", "([,}\\]])"))
_DEPTH, _DIGITS, _KEY_LETTERS, _LETTERS = 1000, 1000, 50_000, 20_000_000
QUICK_LETTERS, QUICK_DEPTH = 20_000, 200
_SHOWN = 200
_read_string: Callable[[str, int], tuple[str, int]] = json.decoder.scanstring  # type: ignore[attr-defined]


def carried_of_json(text: str, allow_duplicates: bool = False) -> str:
    """The carried text. Of fields with one name the last one counts, if there may be several.

    Raises: RowError MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION, VARIANT_SIZE_LIMIT.
    """
    try:
        return _scanned(text) or checked(_Parser(text, allow_duplicates).whole())
    except ValueError as error:
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
        raise RowError(
            f"Malformed records are detected in record parsing: {shown} ({error}). Correct the text, or use "
            "`try_parse_json` to have null instead.",
            code="MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
        ) from error


def first_value(text: str) -> str | None:
    """The value that a text begins with; None where there is none, or what is behind it may not stand there."""
    start = len(text) - len(text.lstrip(" \t\n\r"))
    parser = _Parser(text, True)
    try:
        if text[start : start + 1] in ("{", "[") and _is_quick(text) and "\\u" not in text:
            return text[: _ENDS.raw_decode(text, start)[1]]
        parser.whole()
    except ValueError:
        return None
    return text[: parser.at]


def _scanned(text: str) -> str | None:
    """The same of a text by the scanner that Python has for JSON; None where anything but a number is unusual: long or
    deep, no JSON, a name that comes twice, a text that begins with the mark, something behind the value."""
    if not _is_quick(text) or "\\u0001" in text:
        return None
    try:
        tree, end = _SCANNER.raw_decode(text, len(text) - len(text.lstrip(" \t\n\r")))
        return None if text[end:].strip(" \t\n\r") else orjson.dumps(tree).decode()
    except (ValueError, orjson.JSONEncodeError):
        return None


def _is_quick(text: str) -> bool:
    """Whether no limit of Spark's parser can be met."""
    return len(text) <= QUICK_LETTERS and text.count("[") + text.count("{") <= QUICK_DEPTH


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name comes twice")
    return found


def _whole(text: str) -> Any:
    """A whole number as a leaf of a tree."""
    if len(text.lstrip("-")) > _DIGITS:
        raise ValueError(f"expected at most {_DIGITS} digits")
    value = int(text)
    if is_long(value):
        return value
    return leaf_of("decimal", Decimal(value)) if len(text.lstrip("-")) <= _MOST_DIGITS else _double(text)


def _real(text: str) -> Any:
    """A number with a point or an exponent as a leaf of a tree."""
    if "e" in text or "E" in text:
        return _double(text)
    size = text.lstrip("-")
    whole, part = size.split(".")
    if len(size) <= _DOUBLE_LETTERS and part[-1] != "0" and not size.startswith("0.000"):
        return float(text)
    if len(part) <= _MOST_DIGITS and len((whole + part).lstrip("0")) <= _MOST_DIGITS:
        return leaf_of("decimal", Decimal(text))
    return _double(text)


def _double(text: str) -> str:
    return str(leaf_of("double", float(text)))


def no_json(word: str) -> NoReturn:
    """For NaN and Infinity, which are no JSON."""
    raise ValueError(word)


_MOST_DIGITS, _DOUBLE_LETTERS = 38, 15
_ENDS = json.decoder.JSONDecoder(parse_constant=no_json)
_SCANNER = json.decoder.JSONDecoder(
    object_pairs_hook=_fields, parse_int=_whole, parse_float=_real, parse_constant=no_json
)


class _Parser:
    """Reads one text from the left. Raises: ValueError where it is no JSON."""

    def __init__(self, text: str, allow_duplicates: bool) -> None:
        self._text, self._at = text, 0
        self._duplicates = allow_duplicates
        self._open: list[list[str] | _Fields] = []

    @property
    def at(self) -> int:
        """How far it has read."""
        return self._at

    def whole(self) -> str:
        while True:
            done = self._begin()
            while done is not None:
                if not self._open:
                    return done
                done = self._put(done)

    def _begin(self) -> str | None:
        """The next value, None where an array or object opens that is not empty."""
        found = _VALUE.match(self._text, self._at)
        if found is None:
            self._fail("a value")
        self._at = found.end()
        match found.lastgroup:
            case "string":
                return _json(leaf_of("string", self._string(_LETTERS)))
            case "open":
                return self._opened(found["open"])
            case "word":
                return self._word(found["word"])
        return self._number(found["number"], found["more"], found["e"])

    def _opened(self, sign: str) -> str | None:
        if len(self._open) == _DEPTH:
            self._fail(f"at most {_DEPTH} levels")
        closing = _NEXT.match(self._text, self._at)
        self._open.append([] if sign == "[" else _Fields())
        if closing and closing[1] == ("]" if sign == "[" else "}"):
            self._at = closing.end()
            return self._closed()
        if sign == "{":
            self._key()
        return None

    def _put(self, item: str) -> str | None:
        """Adds a value to what is open, and gives that where it closes."""
        top = self._open[-1]
        if isinstance(top, list):
            top.append(item)
        else:
            top.put(item, self._duplicates)
        found = _NEXT.match(self._text, self._at)
        if found is None or found[1] == ("}" if isinstance(top, list) else "]"):
            self._fail("a comma or the end")
        self._at = found.end()
        if found[1] != ",":
            return self._closed()
        if not isinstance(top, list):
            self._key()
        return None

    def _closed(self) -> str:
        top = self._open.pop()
        return array_text(top) if isinstance(top, list) else object_text(list(top.found.items()))

    def _key(self) -> None:
        top = self._open[-1]
        assert isinstance(top, _Fields)
        self._need(_KEY, "a name in quotes")
        top.name = self._string(_KEY_LETTERS)
        self._need(_COLON, "a colon")

    def _string(self, most: int) -> str:
        found, self._at = _read_string(self._text, self._at)
        if len(found) > most:
            self._fail(f"at most {most} letters")
        found.encode()  # half of a pair of surrogates is no letter
        return found

    def _word(self, word: str) -> str:
        tail = self._text[self._at : self._at + 1]
        if tail >= "0" and (tail == "_" or tail.isalnum()):
            self._fail("true, false or null")
        return word

    def _number(self, text: str, more: str | None, exponent: str | None) -> str:
        if not self._open and self._text[self._at : self._at + 1] not in ("", " ", "\t", "\n", "\r"):
            self._fail("the end of a number")
        return _json(_whole(text) if more is None and exponent is None else _real(text))

    def _need(self, pattern: re.Pattern[str], what: str) -> None:
        found = pattern.match(self._text, self._at)
        if found is None:
            self._fail(what)
        self._at = found.end()

    def _fail(self, wanted: str) -> NoReturn:
        raise ValueError(f"expected {wanted} at place {self._at}")


def _json(leaf: Any) -> str:
    return orjson.dumps(leaf).decode()


class _Fields:
    """An object that is being read: its fields so far, and the name that the next value gets."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}
        self.name = ""

    def put(self, item: str, allow_duplicates: bool) -> None:
        if self.found.pop(self.name, None) is not None and not allow_duplicates:
            raise ValueError(f"the name {self.name!r} comes twice in one object")
        self.found[self.name] = item
