"""JSON text as Spark's readers take it: more than the standard allows, by options.

What is read is a tree: objects are `Fields` (pairs, a name may come twice), arrays lists, numbers `Number`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NoReturn

DEPTH, _DIGITS = 1000, 1000
_HALVES = re.compile(r"[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]")
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "/": "/"}
_LITERALS = {"true": True, "false": False, "null": None}


class Number(str):
    """A number as it is written, without zeros in front; or NaN, Infinity, -Infinity."""

    __slots__ = ()


class Fields(list[tuple[str, Any]]):
    """The fields of an object in their order."""


@dataclass(frozen=True, slots=True)
class Leniency:
    """What is read beside the standard."""

    single_quotes: bool = True
    control_chars: bool = False
    any_escape: bool = False
    leading_zeros: bool = False
    unquoted_names: bool = False
    comments: bool = False
    no_numbers: bool = True
    halves: bool = True


OPTIONS = {
    "allowsinglequotes": "single_quotes",
    "allowunquotedcontrolchars": "control_chars",
    "allowbackslashescapinganycharacter": "any_escape",
    "allownumericleadingzeros": "leading_zeros",
    "allowunquotedfieldnames": "unquoted_names",
    "allowcomments": "comments",
    "allownonnumericnumbers": "no_numbers",
}
"""The options of Spark, in lower case, and what they allow."""
RECORDS = Leniency()
"""Of records (`from_json`), if no option says otherwise."""
PATHS = Leniency(control_chars=True, no_numbers=False, halves=False)
"""Of `get_json_object` and its like."""


def leniency(options: Mapping[str, str]) -> Leniency:
    """By options, their names in lower case. Raises: ValueError for one that is neither true nor false."""
    given = {name: options[option] for option, name in OPTIONS.items() if option in options}
    for value in given.values():
        if value.lower() not in ("true", "false"):
            raise ValueError(f'For input string: "{value}"')
    return Leniency(**{name: value.lower() == "true" for name, value in given.items()})


def read_json(text: str, allowed: Leniency) -> Any:
    """The first value of a text; what is behind it is not looked at, but for the sign next to a number. Raises:
    ValueError."""
    return _Reader(text, allowed).value()


def quoted(text: str) -> str:
    """A text as JSON, letters beyond ASCII as they are."""
    return json.dumps(text, ensure_ascii=False)


def written(tree: Any, number: Callable[[Number], str] = str, text: Callable[[str], str] = quoted) -> str:
    """A tree as JSON text, without blanks; NaN and the infinities as words, if `number` has no other form for them."""
    parts: list[str] = []
    rest: list[Any] = [tree]
    while rest:
        match rest.pop():
            case _Sign() as sign:
                parts.append(sign)
            case Number() as leaf:
                parts.append(number(leaf))
            case str() as leaf:
                parts.append(text(leaf))
            case Fields() as fields:
                rest.append(_Sign("}"))
                for at in range(len(fields) - 1, -1, -1):
                    rest += [fields[at][1], _Sign(f"{',' if at else ''}{text(fields[at][0])}:")]
                rest.append(_Sign("{"))
            case list() as items:
                rest.append(_Sign("]"))
                for at in range(len(items) - 1, -1, -1):
                    rest += [items[at], _Sign("," if at else "")]
                rest.append(_Sign("["))
            case leaf:
                parts.append(json.dumps(leaf))
    return "".join(parts)


class _Sign(str):
    __slots__ = ()


_NUMBER = r"(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_WORD = re.compile(r"(NaN)|([-+]?)(?:Infinity|(?<=[-+])INF)|(true|false|null)(?![0-9A-Za-z_$\x80-\U0010ffff])")
_NAME = re.compile(r"[\w$¢£¤¥@#*+-]+")
_CODE = re.compile("[0-9a-fA-F]{4}")


@dataclass(frozen=True, slots=True)
class _Patterns:
    blank: re.Pattern[str]
    number: re.Pattern[str]
    letters: Mapping[str, re.Pattern[str]]


@lru_cache(64)
def _patterns(allowed: Leniency) -> _Patterns:
    blank = r"[ \t\n\r]" + (r"|/\*(?s:.*?)\*/|//[^\n\r]*" if allowed.comments else "")
    digits = "0*([0-9]+" if allowed.leading_zeros else "((?:0|[1-9][0-9]*)"
    controls = "" if allowed.control_chars else r"\x00-\x1f"
    return _Patterns(
        re.compile(f"(?:{blank})*"),
        re.compile(f"(-?){digits}{_NUMBER})"),
        {quote: re.compile(rf"[^\\{quote}{controls}]*") for quote in "\"'"},
    )


class _Reader:
    """Reads one text from the left."""

    def __init__(self, text: str, allowed: Leniency) -> None:
        self._text, self._at, self._allowed = text, 0, allowed
        self._patterns = _patterns(allowed)
        self._open: list[Any] = []

    def value(self) -> Any:
        while True:
            sign = self._sign()
            if sign in ("{", "["):
                self._begin(sign)
                if self._sign() != ("}" if sign == "{" else "]"):
                    self._key()
                    continue
                self._at += 1
                done = self._open.pop()
            else:
                done = self._leaf(sign)
            while self._open:
                done = self._put(done)
                if done is None:
                    break
            else:
                return done

    def _begin(self, sign: str) -> None:
        if len(self._open) == DEPTH:
            self._fail(f"at most {DEPTH} levels")
        self._at += 1
        self._open.append(Fields() if sign == "{" else [])

    def _put(self, item: Any) -> Any:
        """Adds a value to what is open, and gives that where it closes."""
        top = self._open[-1]
        if isinstance(top, Fields):
            top[-1] = (top[-1][0], item)
        else:
            top.append(item)
        sign = self._sign()
        self._at += 1
        if sign == ",":
            self._key()
            return None
        if sign != ("}" if isinstance(top, Fields) else "]"):
            self._fail("a comma or the end")
        return self._open.pop()

    def _sign(self) -> str:
        """The next sign that is not blank; it is not passed."""
        found = self._patterns.blank.match(self._text, self._at)
        assert found is not None, "nothing is blank, too"
        self._at = found.end()
        return self._text[self._at : self._at + 1]

    def _key(self) -> None:
        top = self._open[-1]
        if not isinstance(top, Fields):
            return
        if self._is_quote(sign := self._sign()):
            name = self._string(sign)
        else:
            found = _NAME.match(self._text, self._at) if self._allowed.unquoted_names else None
            if found is None:
                self._fail("a name")
            name, self._at = found[0], found.end()
        if self._sign() != ":":
            self._fail("a colon")
        self._at += 1
        top.append((name, None))

    def _is_quote(self, sign: str) -> bool:
        return sign == '"' or (sign == "'" and self._allowed.single_quotes)

    def _leaf(self, sign: str) -> Any:
        if self._is_quote(sign):
            return self._string(sign)
        if found := self._patterns.number.match(self._text, self._at):
            self._at = found.end()
            behind = self._text[self._at : self._at + 1]
            if len(found[2]) > _DIGITS or (not self._open and behind.strip(" \t\n\r")):
                self._fail("the end of a number")
            return Number(found[1] + found[2])
        found = _WORD.match(self._text, self._at)
        if found is None or (found[3] is None and not self._allowed.no_numbers):
            self._fail("a value")
        self._at = found.end()
        if found[3]:
            return _LITERALS[found[3]]
        return Number(found[1] or ("-Infinity" if found[2] == "-" else "Infinity"))

    def _string(self, quote: str) -> str:
        """Halves of letters that are alone become question marks, where they are allowed."""
        parts, pattern = [], self._patterns.letters[quote]
        self._at += 1
        while True:
            found = pattern.match(self._text, self._at)
            assert found is not None, "there may be no letters"
            parts.append(found[0])
            self._at = found.end() + 1
            match self._text[found.end() : found.end() + 1]:
                case "\\":
                    parts.append(self._escape())
                case end if end == quote:
                    return _HALVES.sub(self._joined, "".join(parts))
                case _:
                    self._fail("the end of a text")

    def _escape(self) -> str:
        sign = self._text[self._at : self._at + 1]
        self._at += 1
        if sign == "u":
            code = _CODE.match(self._text, self._at)
            if code is None:
                self._fail("four hexadecimal digits")
            self._at = code.end()
            return chr(int(code[0], 16))
        if sign in _ESCAPES:
            return _ESCAPES[sign]
        if not sign or not (self._allowed.any_escape or (sign == "'" and self._allowed.single_quotes)):
            self._fail("a letter that may be escaped")
        return sign

    def _joined(self, halves: re.Match[str]) -> str:
        if len(halves[0]) == 2:
            return halves[0].encode("utf-16-be", "surrogatepass").decode("utf-16-be")
        if not self._allowed.halves:
            self._fail("whole letters")
        return "?"

    def _fail(self, wanted: str) -> NoReturn:
        raise ValueError(f"expected {wanted} at place {self._at}")
