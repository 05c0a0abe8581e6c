"""JSON text as a variant, by the rules and limits of Spark's parser.

A number without an exponent is a whole number where 64 bits hold it, else a decimal where 38 digits hold it; all others
are doubles. What follows a complete value is not looked at, but for the sign next to it.
"""

from __future__ import annotations

import json.decoder
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NoReturn

from app.errors import RowError
from app.kernel.variant import build as b

_NUMBER = r"-?(?:0|[1-9][0-9]*)(?P<more>\.[0-9]+)?(?P<e>[eE][+-]?[0-9]+)?"
_VALUE = re.compile(rf'[ \t\n\r]*(?:(?P<string>")|(?P<open>[{{\[])|(?P<number>{_NUMBER})|(?P<word>true|false|null))')
_KEY, _COLON, _NEXT = (re.compile(rf"[ \t\n\r]*{sign}") for sign in ('"', ":", "([,}\\]])"))
_WORDS = {"true": b.boolean(True), "false": b.boolean(False), "null": b.VARIANT_NULL}
_DEPTH, _DIGITS, _KEY_LETTERS, _LETTERS = 1000, 1000, 50_000, 20_000_000
_QUICK_LETTERS, _QUICK_DEPTH, _QUICK_DIGITS = 20_000, 200, 18
_SHOWN = 200
_read_string: Callable[[str, int], tuple[str, int]] = json.decoder.scanstring  # type: ignore[attr-defined]


def variant_of_json(text: str, allow_duplicates: bool = False) -> tuple[bytes, bytes]:
    """Value and metadata. Of fields with one name the last one counts, if there may be several.

    Raises: RowError MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION, VARIANT_SIZE_LIMIT.
    """
    try:
        return _quick(text) or _Parser(text, allow_duplicates).whole()
    except ValueError as error:
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
        raise RowError(
            f"Malformed records are detected in record parsing: {shown} ({error}). Correct the text, or use "
            "`try_parse_json` to have null instead.",
            code="MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
        ) from error


def _quick(text: str) -> tuple[bytes, bytes] | None:
    """The same of a plain text by the scanner that Python has for JSON; None where anything is unusual: long or deep,
    no JSON, a name that comes twice, something behind the value."""
    if len(text) > _QUICK_LETTERS or text.count("[") + text.count("{") > _QUICK_DEPTH:
        return None
    try:
        value, end = _SCANNER.raw_decode(text, len(text) - len(text.lstrip(" \t\n\r")))
        if text[end:].strip(" \t\n\r"):
            return None
        keys = b.Keys()
        return _bytes_of(value, keys), keys.metadata()
    except ValueError:
        return None


def _bytes_of(value: Any, keys: b.Keys) -> bytes:
    """What the scanner found as bytes; names are numbered from the outside in. Raises: ValueError."""
    kind = type(value)
    if kind is bytes:
        return bytes(value)
    if kind is str:
        return b.string(value)
    if kind is list:
        return b.array([_bytes_of(item, keys) for item in value])
    if kind is tuple:
        if len(dict(value)) < len(value):
            raise ValueError("a name comes twice")
        return b.obj([(name, keys.add(name), _bytes_of(item, keys)) for name, item in value])
    return b.VARIANT_NULL if value is None else b.boolean(value)


def _whole_bytes(text: str) -> bytes:
    if len(text) > _QUICK_DIGITS:
        raise ValueError("many digits")
    return b.long(int(text))


def _real_bytes(text: str) -> bytes:
    found = None if "e" in text or "E" in text else b.decimal(Decimal(text))
    return b.double(float(text)) if found is None else found


def _no_json(word: str) -> NoReturn:
    raise ValueError(word)


_SCANNER = json.decoder.JSONDecoder(
    object_pairs_hook=tuple, parse_int=_whole_bytes, parse_float=_real_bytes, parse_constant=_no_json
)


class _Parser:
    """Reads one text from the left. Raises: ValueError where it is no JSON."""

    def __init__(self, text: str, allow_duplicates: bool) -> None:
        self._text, self._at = text, 0
        self._duplicates = allow_duplicates
        self._keys = b.Keys()
        self._open: list[list[bytes] | _Fields] = []

    def whole(self) -> tuple[bytes, bytes]:
        while True:
            done = self._begin()
            while done is not None:
                if not self._open:
                    return b.checked(done), self._keys.metadata()
                done = self._put(done)

    def _begin(self) -> bytes | None:
        """The next value, None where an array or object opens that is not empty."""
        found = _VALUE.match(self._text, self._at)
        if found is None:
            self._fail("a value")
        self._at = found.end()
        match found.lastgroup:
            case "string":
                return b.string(self._string(_LETTERS))
            case "open":
                return self._opened(found["open"])
            case "word":
                return self._word(found["word"])
        return self._number(found["number"], found["more"], found["e"])

    def _opened(self, sign: str) -> bytes | None:
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

    def _put(self, item: bytes) -> bytes | None:
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

    def _closed(self) -> bytes:
        top = self._open.pop()
        if isinstance(top, list):
            return b.array(top)
        return b.obj([(name, number, item) for name, (number, item) in top.found.items()])

    def _key(self) -> None:
        top = self._open[-1]
        assert isinstance(top, _Fields)
        self._need(_KEY, "a name in quotes")
        top.name = self._string(_KEY_LETTERS)
        top.number = self._keys.add(top.name)
        self._need(_COLON, "a colon")

    def _string(self, most: int) -> str:
        found, self._at = _read_string(self._text, self._at)
        if len(found) > most:
            self._fail(f"at most {most} letters")
        found.encode()  # half of a pair of surrogates is no letter
        return found

    def _word(self, word: str) -> bytes:
        tail = self._text[self._at : self._at + 1]
        if tail >= "0" and (tail == "_" or tail.isalnum()):
            self._fail("true, false or null")
        return _WORDS[word]

    def _number(self, text: str, more: str | None, exponent: str | None) -> bytes:
        if not self._open and self._text[self._at : self._at + 1] not in ("", " ", "\t", "\n", "\r"):
            self._fail("the end of a number")
        if more is None and exponent is None:
            if len(text.lstrip("-")) > _DIGITS:
                self._fail(f"at most {_DIGITS} digits")
            whole = int(text)
            if -(1 << 63) <= whole < 1 << 63:
                return b.long(whole)
        found = None if exponent else b.decimal(Decimal(text))
        return b.double(float(text)) if found is None else found

    def _need(self, pattern: re.Pattern[str], what: str) -> None:
        found = pattern.match(self._text, self._at)
        if found is None:
            self._fail(what)
        self._at = found.end()

    def _fail(self, wanted: str) -> NoReturn:
        raise ValueError(f"expected {wanted} at place {self._at}")


class _Fields:
    """An object that is being read: its fields so far, and the name that the next value gets."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[int, bytes]] = {}
        self.name, self.number = "", 0

    def put(self, item: bytes, allow_duplicates: bool) -> None:
        if self.found.pop(self.name, None) is not None and not allow_duplicates:
            raise ValueError(f"the name {self.name!r} comes twice in one object")
        self.found[self.name] = (self.number, item)
