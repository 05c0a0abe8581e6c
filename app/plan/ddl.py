"""Data types from text: DDL strings (`a INT, b ARRAY<STRING> NOT NULL`), type names and Spark's JSON form."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from app.errors import ParseError
from app.plan import types as t

_TOKEN = re.compile(
    r"""\s+ | --[^\n]*
    | (?P<quoted> `(?:[^`]|``)*`)
    | (?P<text> '(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*")
    | (?P<word> [A-Za-z0-9_]+)
    | (?P<sign> [<>(),:])""",
    re.VERBOSE | re.DOTALL,
)

_ATOMS: dict[str, t.DataType] = {
    "void": t.NullType(),
    "null": t.NullType(),
    "boolean": t.BooleanType(),
    "tinyint": t.ByteType(),
    "byte": t.ByteType(),
    "smallint": t.ShortType(),
    "short": t.ShortType(),
    "int": t.IntegerType(),
    "integer": t.IntegerType(),
    "bigint": t.LongType(),
    "long": t.LongType(),
    "float": t.FloatType(),
    "real": t.FloatType(),
    "double": t.DoubleType(),
    "string": t.StringType(),
    "binary": t.BinaryType(),
    "date": t.DateType(),
    "timestamp": t.TimestampType(),
    "timestamp_ltz": t.TimestampType(),
    "timestamp_ntz": t.TimestampNTZType(),
    "variant": t.VariantType(),
}
_DAY_TIME = ("day", "hour", "minute", "second")
_YEAR_MONTH = ("year", "month")
_Item = TypeVar("_Item")


def parse_type(text: str) -> t.DataType:
    """The type a name says: `bigint`, `decimal(10,2)`, `array<struct<x: int>>`. Raises: ParseError.

    >>> parse_type("map<string, array<int>>").simpleString()
    'map<string,array<int>>'
    """
    reader = _Reader(text)
    found = reader.type()
    reader.end()
    return found


_ONE_TYPE = re.compile(r"\s*\w+\s*(?:\(.*\)|<.*>)?\s*", re.DOTALL)


def parse_schema(text: str) -> t.StructType:
    """The columns of a DDL string; a whole `struct<…>` is accepted too. Raises: ParseError.

    >>> parse_schema("a INT, `b c` STRING NOT NULL").names
    ['a', 'b c']
    """
    reader = _Reader(text)
    if reader.peek().kind == "end":
        raise ParseError("A schema names at least one column, for instance: a INT.", code="PARSE_EMPTY_STATEMENT")
    if reader.at("struct", "<"):
        found = reader.type()
        assert isinstance(found, t.StructType)
    else:
        found = t.StructType(reader.items(reader.field))
    reader.end()
    if reader.sized_text is not None:
        raise ParseError(
            f"{reader.sized_text} cannot be the type of a column here; write STRING. In: {text.strip()}",
            code="UNSUPPORTED_CHAR_OR_VARCHAR_AS_STRING",
        )
    return found


def parse_record(text: str) -> t.StructType:
    """The columns of a DDL string where a type may stand too, as in `from_json`. Raises: ParseError, of the class that
    Spark has for the text as a type, which it tries first."""
    try:
        return parse_schema(text)
    except ParseError as error:
        if error.code in ("PARSE_EMPTY_STATEMENT", "UNSUPPORTED_CHAR_OR_VARCHAR_AS_STRING"):
            raise
        if not _ONE_TYPE.fullmatch(text):
            raise ParseError(error.sentence, code="PARSE_SYNTAX_ERROR") from None
        parse_schema(f"x {text}")
        raise


def type_from_json(value: Any) -> t.DataType:
    """The type of a value in the form of `DataType.jsonValue()`, or of its text. Raises: ParseError."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", '"'):
        try:
            return type_from_json(json.loads(value))
        except json.JSONDecodeError as error:
            raise ParseError(f"The JSON form of a data type cannot be read: {error}.") from error
    if isinstance(value, str):
        return parse_type(value)
    try:
        return _json_object(value)
    except (KeyError, TypeError) as error:
        raise ParseError(f"The JSON form of a data type is incomplete: {error} is missing in {value!r}.") from error


def _json_object(value: Any) -> t.DataType:
    kind = value["type"]
    if kind == "array":
        return t.ArrayType(type_from_json(value["elementType"]), bool(value["containsNull"]))
    if kind == "map":
        key, item = type_from_json(value["keyType"]), type_from_json(value["valueType"])
        return t.MapType(key, item, bool(value["valueContainsNull"]))
    if kind == "struct":
        return t.StructType([_json_field(f) for f in value["fields"]])
    raise ParseError(f"Unsupported data type {kind!r} in the JSON form of a schema.", code="UNSUPPORTED_DATATYPE")


def _json_field(value: Any) -> t.StructField:
    metadata, kind = dict(value.get("metadata") or {}), type_from_json(value["type"])
    collation = (metadata.pop(t.COLLATIONS, None) or {}).get(value["name"])
    if collation is not None and kind == t.StringType():
        kind = t.StringType(collation.partition(".")[2])
    return t.StructField(value["name"], kind, bool(value.get("nullable", True)), metadata)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    at: int

    @property
    def lower(self) -> str:
        return self.text.lower() if self.kind in ("word", "sign") else ""


class _Reader:
    """A recursive descent over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(self._split())
        self.next = 0
        self.sized_text: str | None = None
        """The first CHAR(n) or VARCHAR(n) met; Spark lets a cast name one, and means a string."""

    def _split(self) -> Iterator[_Token]:
        at = 0
        while at < len(self.text):
            match = _TOKEN.match(self.text, at)
            if match is None:
                self.fail(_Token("bad", self.text[at], at), "a name with this character needs `back quotes`")
            if match.lastgroup:
                yield _Token(match.lastgroup, match.group(), at)
            at = match.end()
        yield _Token("end", "end of input", len(self.text))

    def fail(self, token: _Token, why: str) -> NoReturn:
        line = self.text.count("\n", 0, token.at) + 1
        column = token.at - (self.text.rfind("\n", 0, token.at) + 1)
        shown = token.text if token.kind == "end" else f"'{token.text}'"
        raise ParseError(
            f"Syntax error at or near {shown} (line {line}, pos {column}): {why}. In: {self.text.strip()}",
            line=line,
            position=column,
        )

    def peek(self) -> _Token:
        return self.tokens[self.next]

    def at(self, *words: str) -> bool:
        ahead = self.tokens[self.next : self.next + len(words)]
        return tuple(token.lower for token in ahead) == words

    def take(self, *words: str) -> bool:
        found = self.at(*words)
        self.next += len(words) if found else 0
        return found

    def need(self, word: str) -> None:
        if not self.take(word):
            self.fail(self.peek(), f"expected '{word}'")

    def end(self) -> None:
        if self.peek().kind != "end":
            self.fail(self.peek(), "nothing was expected behind the type" if self.next else "expected a type")

    def items(self, item: Callable[[], _Item], close: str = "", between: str = ",") -> list[_Item]:
        """Items between commas; none where `close` comes at once (it is left)."""
        if close and self.at(close):
            return []
        found = [item()]
        while self.take(between):
            found.append(item())
        return found

    def name(self) -> str:
        token = self.peek()
        if token.kind == "quoted":
            self.next += 1
            return token.text[1:-1].replace("``", "`")
        if token.kind != "word":
            self.fail(token, "expected a column name")
        self.next += 1
        return token.text

    def field(self) -> t.StructField:
        name = self.name()
        self.take(":")
        found = self.type()
        nullable = not self.take("not", "null")
        metadata = {"comment": self.comment()} if self.take("comment") else {}
        return t.StructField(name, found, nullable, metadata)

    def comment(self) -> str:
        token = self.peek()
        if token.kind != "text":
            self.fail(token, "expected a text in quotes")
        self.next += 1
        return re.sub(r"\\(.)", r"\1", token.text[1:-1], flags=re.DOTALL)

    def type(self) -> t.DataType:
        token = self.peek()
        if token.kind != "word":
            self.fail(token, "expected a type")
        self.next += 1
        word = token.lower
        if word in _ATOMS:
            if word == "string" and self.take("collate"):
                return t.StringType(".".join(self.items(self.name, "", ".")).upper().removeprefix("SYSTEM.BUILTIN."))
            return _ATOMS[word]
        if word in ("decimal", "dec", "numeric"):
            return self.decimal(token)
        if word == "interval":
            return self.interval(token)
        if word == "time":
            return self.time()
        if word in ("array", "map", "struct"):
            return self.nested(token)
        if word in ("char", "character", "varchar"):
            return self.sized(token)
        raise ParseError(
            f'Unsupported data type "{token.text.upper()}" at position {token.at}. In: {self.text.strip()}',
            code="UNSUPPORTED_DATATYPE",
            position=token.at,
        )

    def number(self) -> int:
        token = self.peek()
        if token.kind != "word" or not token.text.isdecimal():
            self.fail(token, "expected a whole number")
        self.next += 1
        return int(token.text)

    def decimal(self, token: _Token) -> t.DataType:
        if not self.take("("):
            return t.DecimalType(10, 0)
        precision = self.number()
        scale = self.number() if self.take(",") else 0
        self.need(")")
        if precision > 38:
            raise ParseError(
                f"Decimal precision {precision} exceeds max precision 38. In: {self.text.strip()}",
                code="DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
            )
        if scale > precision:
            raise ParseError(
                f"Decimal scale ({scale}) cannot be greater than precision ({precision}). In: {self.text.strip()}",
                code="_LEGACY_ERROR_TEMP_1228",
            )
        if not precision:
            raise ParseError(
                f"A decimal without digits is not supported: give it one at least. In: {self.text.strip()}",
                code="UNSUPPORTED_FEATURE",
            )
        return t.DecimalType(precision, scale)

    def sized(self, token: _Token) -> t.DataType:
        if not self.take("("):
            kind = token.text.upper()
            raise ParseError(
                f'DataType "{kind}" requires a length parameter, for example "{kind}"(10). Give it one.',
                code="DATATYPE_MISSING_SIZE",
            )
        size = self.number()
        self.need(")")
        self.sized_text = self.sized_text or f"{token.text.upper()}({size})"
        return t.StringType()

    def time(self) -> t.DataType:
        if not self.take("("):
            return t.TimeType()
        precision = self.number()
        self.need(")")
        if precision > 6:
            raise ParseError(
                f"The seconds precision {precision} of the TIME data type is out of the supported range [0, 6]. In: "
                f"{self.text.strip()}",
                code="UNSUPPORTED_TIME_PRECISION",
            )
        return t.TimeType(precision)

    def interval(self, token: _Token) -> t.DataType:
        if self.peek().lower not in (*_DAY_TIME, *_YEAR_MONTH):
            return t.CalendarIntervalType()
        start = end = self.unit()
        if self.take("to"):
            end = self.unit()
        if start in _DAY_TIME and end in _DAY_TIME and _DAY_TIME.index(start) <= _DAY_TIME.index(end):
            return t.DayTimeIntervalType(_DAY_TIME.index(start), _DAY_TIME.index(end))
        if start in _YEAR_MONTH and end in _YEAR_MONTH and (start, end) != ("month", "year"):
            return t.YearMonthIntervalType(_YEAR_MONTH.index(start), _YEAR_MONTH.index(end))
        return self.fail(token, "an interval type is DAY TO SECOND, YEAR TO MONTH or a part of one of them")

    def unit(self) -> str:
        token = self.peek()
        if token.kind != "word":
            self.fail(token, "expected a unit of time: an interval type is DAY TO SECOND or YEAR TO MONTH")
        self.next += 1
        return token.lower

    def nested(self, token: _Token) -> t.DataType:
        if self.peek().kind == "end" or self.peek().text in (",", ")", ">"):
            kind = token.text.upper()
            raise ParseError(
                f'Incomplete complex type: The definition of "{kind}" type is incomplete. Say of what, for instance '
                "ARRAY<INT>, MAP<STRING, INT>, STRUCT<a: INT>.",
                code=f"INCOMPLETE_TYPE_DEFINITION.{kind}",
            )
        if token.lower == "struct":
            self.need("<")
            found: t.DataType = t.StructType(self.items(self.field, ">"))
        elif token.lower == "array":
            self.need("<")
            found = t.ArrayType(self.type())
        else:
            self.need("<")
            key = self.type()
            self.need(",")
            found = t.MapType(key, self.type())
        self.need(">")
        return found
