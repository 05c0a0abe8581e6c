"""The smallest expressions of Spark SQL: literals, names, parameters, CASE, what stands in parentheses; and types."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, NoReturn

from app.errors import ParseError, PlanError
from app.plan import types as t
from app.plan.ddl import parse_type
from app.plan.expressions import Alias, Attribute, Call, Case, Expr, Literal, Star, Subquery, Tuple
from app.plan.literals import literal
from app.plan.parse import constants, intervals
from app.plan.parse.arguments import Args, arguments
from app.plan.parse.calls import SPECIAL, Calls
from app.plan.parse.folding import constant_name, literal_value
from app.plan.parse.text import Text, Token, syntax_error, unsupported_literal

_NOT_NAMES_TEXT = (
    "SELECT FROM WHERE HAVING UNION ON USING AND OR WHEN THEN ELSE AS JOIN IN IS LIKE ILIKE RLIKE REGEXP "
    "BETWEEN DISTINCT EXCEPT INTERSECT DIV NOT"
)
_NOT_NAMES = frozenset(_NOT_NAMES_TEXT.split())
_NOT_ALIASES_TEXT = (
    "GROUP ORDER LIMIT OFFSET MINUS INNER CROSS LEFT RIGHT FULL SEMI ANTI NATURAL LATERAL WINDOW CLUSTER "
    "DISTRIBUTE SORT QUALIFY TABLESAMPLE PIVOT UNPIVOT WITH ESCAPE FILTER OVER ASC DESC NULLS END "
    "WATERMARK"
)
_MIXED, _RANGE = "_LEGACY_ERROR_TEMP_0029", "_LEGACY_ERROR_TEMP_0063"
"""Spark's classes for intervals of months and days at once, and for a clock that is none."""
_PATHS = tuple(
    (*above, ".", place, ".") if above else (place, ".")
    for above in ((), ("SYSTEM",))
    for place in ("BUILTIN", "SESSION")
)
_OPENING = ("(", ",", "=", "<", ">", "+", "-", "*", "/", "[")
NOT_ALIASES = _NOT_NAMES | frozenset(_NOT_ALIASES_TEXT.split())
QUERY_WORDS = ("SELECT", "WITH", "VALUES", "FROM", "TABLE")
TABLE_FUNCTIONS = ("variant_explode", "variant_explode_outer")
"""Functions that stand in FROM only."""


class Primary(Calls):
    """Reads primary expressions. `args` are the values of `:name` or `?` in the text."""

    def __init__(self, sql: str, args: Args = None, raw_strings: bool = False, quoted_names: bool = False) -> None:
        super().__init__(sql, raw_strings, quoted_names)
        self._args = arguments(args)
        self._marks = 0
        self.constant: Callable[[Expr], Any] = literal_value
        """Gives the value of an expression without columns. Raises: PlanError."""

    def named(self) -> tuple[str, ...]:
        """A dotted name, or the one that `IDENTIFIER(expression)` gives."""
        if not self.at("IDENTIFIER", "("):
            return self.dotted()
        start = self.advance()
        value = constant_name(self.constant, self.wrapped(self.expression))
        try:
            names = Text(value)
            return names.whole(lambda: _dotted(names))
        except ParseError as error:
            message = error.sentence.partition(" (line")[0]
            self.reject(error.code, message, start, self.ahead(-1))

    def primary(self) -> Expr:
        token = self.next
        if token.kind == "number":
            return self.number("")
        if token.kind == "string":
            return Literal(self.string(), t.StringType())
        if token.kind == "hex":
            return self.checked(constants.binary, self.advance(), token.text, "INVALID_TYPED_LITERAL")
        if token.word in ("NULL", "TRUE", "FALSE") and self.ahead(1).word not in (".", "("):
            return literal({"NULL": None, "TRUE": True, "FALSE": False}[self.advance().word])
        if token.word == "(":
            return self._parenthesis()
        if token.word in (":", "?"):
            return self._parameter()
        return self._by_word(token)

    def _by_word(self, token: Token) -> Expr:
        if token.word == "CASE" and not (self.closes(1) or self.ahead(1).word in (".", "FROM", "END", "ELSE")):
            return self._case()
        if (read := constants.typed(token.word)) and self.ahead(1).kind == "string":
            self.advance()
            return self._typed(read, token)
        if token.word == "X" and self.ahead(1).kind == "string":
            self.advance()
            return self.checked(constants.binary, token, self.string(), "INVALID_TYPED_LITERAL")
        if token.word == "INTERVAL" and (found := self._interval()):
            return found
        if token.kind not in ("word", "quoted"):
            self.fail("expected an expression")
        if self.at("IDENTIFIER", "("):
            return self._identifier()
        for path in _PATHS:  # the places functions are looked for
            if self.at(*path) and self.ahead(len(path) + 1).word == "(":
                self.take(*path)
                token = self.next
        if self.ahead(1).word == "(" and token.word not in NOT_ALIASES - SPECIAL:
            return self._scalar_call(token)
        if token.kind == "word" and self.ahead(1).kind == "string":
            self.reject("UNSUPPORTED_TYPED_LITERAL", unsupported_literal(token.text), token, self.ahead(1))
        return Attribute(self.dotted())

    def _typed(self, read: Callable[[str], Expr], token: Token) -> Expr:
        """The literal of a date or time; some words are moments too."""
        text = self.string()
        special = constants.moment(token.word, text)
        return special or self.checked(read, token, text, "INVALID_TYPED_LITERAL")

    def _identifier(self) -> Expr:
        """The column or function that `IDENTIFIER(expression)` names."""
        parts = self.named()
        if self.at("("):
            return self.call_of(parts[-1])
        return Attribute((*parts, *self.dotted()) if self.take(".") else parts)

    @abstractmethod
    def query(self, first: Any = None) -> Any:
        """The plan of a query; `first` is its first part where that is read already."""

    def at_query(self) -> bool:
        """Whether a query in parentheses comes next."""
        word, after = self.ahead(1).word, self.ahead(2)
        if word in ("VALUES", "TABLE"):  # which are names too
            return self.at("(") and (after.kind in ("word", "quoted") or (word == "VALUES" and after.word == "("))
        return self.at("(") and word in QUERY_WORDS

    def subquery(self, kind: str, values: tuple[Expr, ...] = ()) -> Expr:
        """A query in parentheses as part of an expression."""
        return Subquery(kind, self.wrapped(self.query), values)

    def _scalar_call(self, token: Token) -> Expr:
        name = token.text.lower()
        if name in TABLE_FUNCTIONS:
            raise PlanError(
                f"`{name}` appears as a scalar expression here (line {self.line(token)}), but is a table function. "
                f"Move the call into FROM: FROM t, LATERAL {name}(…).",
                code="NOT_A_SCALAR_FUNCTION",
                name=name,
            )
        return self.call()

    def number(self, sign: str) -> Expr:
        token = self.advance()
        return self.checked(lambda text: constants.number(text, token.suffix), token, sign + token.text)

    def _parenthesis(self) -> Expr:
        if self.at_query():
            return self.subquery("scalar")
        found = self.wrapped(lambda: self.items(self.named_expression))
        if len(found) > 1:
            return Tuple("struct", found)
        if isinstance(found[0], (Alias, Star)):
            self.fail("a name or a star cannot stand in parentheses here")
        return found[0]

    def _case(self) -> Expr:
        self.need("CASE")
        operand = None if self.at("WHEN") else self.expression()
        branches: list[tuple[Expr, Expr]] = []
        while self.take("WHEN"):
            condition = self.expression()
            self.need("THEN")
            branches.append((condition if operand is None else Call("==", (operand, condition)), self.expression()))
        if not branches:
            self.fail("expected WHEN")
        otherwise = self.expression() if self.take("ELSE") else None
        self.need("END")
        return Case(tuple(branches), otherwise)

    def _interval(self) -> Expr | None:
        """The literal, or None where `interval` is just a name."""
        number = 2 if self.ahead(1).word in ("-", "+") else 1
        if self.ahead(number).kind not in ("number", "string"):
            return None
        united = intervals.unit(self.ahead(number + 1).word)
        if not united and self.ahead(number).kind == "number":
            self.fail("expected a unit of time such as DAY", self.ahead(number + 1))
        if not united and number == 2:
            return None
        start = self.advance()
        if not united:
            return self.checked(intervals.from_text, start, self.string(), "INVALID_TYPED_LITERAL")
        if self.ahead(number + 1).word == "TO":
            text, first = self._signed(), intervals.unit(self.advance().word)
            self.need("TO")
            last = intervals.unit(self.advance().word)
            return self.checked(lambda value: intervals.from_range(value, first, last), start, text, _RANGE)
        parts: list[tuple[str, str]] = []
        while intervals.unit(self.ahead(2 if self.next.word in ("-", "+") else 1).word):
            parts.append((self._signed(), intervals.unit(self.advance().word)))
            if self.next.kind not in ("number", "string") and not self.at_any("-", "+"):
                break
        return self.checked(lambda _text: intervals.from_parts(parts), start, "", _MIXED)

    def _signed(self) -> str:
        sign = "-" if self.take_any("-", "+") == "-" else ""
        text = self.advance().text.strip()
        return text[1:].lstrip() if sign and text.startswith("-") else sign + text

    def _parameter(self) -> Expr:
        token, given = self.advance(), self._args
        self._refuse_mixture(token)
        if token.word == "?":
            if self._marks >= len(given.placed):
                self._unbound("?", "give sql() a list args=[…] with a value for each", token)
            self._marks += 1
            return _argument(given.placed[self._marks - 1])
        name = self.name()
        if name not in given.named:
            if given.unnamed:
                raise PlanError(
                    "Using name parameterized queries requires all parameters to be named. Write USING value AS name.",
                    code="ALL_PARAMETERS_MUST_BE_NAMED",
                )
            self._unbound(f":{name}", f"give sql() args={{{name!r}: …}}", token)
        return _argument(given.named[name])

    def _unbound(self, what: str, way_out: str, token: Token) -> NoReturn:
        self.reject("UNBOUND_SQL_PARAMETER", f"Found the unbound parameter {what}; {way_out}.", token)

    def _refuse_mixture(self, token: Token) -> None:
        tokens = self._tokens
        starts = [
            i for i in range(len(tokens) - 1) if tokens[i].word == ":" and tokens[i + 1].kind in ("word", "quoted")
        ]
        names = any(i == 0 or tokens[i - 1].end != tokens[i].start or tokens[i - 1].word in _OPENING for i in starts)
        if names and any(other.word == "?" for other in self._tokens):
            self.reject(
                "INVALID_QUERY_MIXED_QUERY_PARAMETERS",
                "Parameterized query must either use positional, or named parameters, but not both.",
                token,
            )

    def checked(self, read: Callable[[str], Expr], token: Token, text: str, code: str = "") -> Expr:
        """`read(text)`; what it refuses is a ParseError about the text from `token` on, of class `code`."""
        try:
            return read(text)
        except intervals.MixedInterval as error:
            raise ParseError(
                f"Cannot mix year-month and day-time fields: {error}. Write make_interval(…), or "
                "CAST('1 year 2 days' AS INTERVAL).",
                code="_LEGACY_ERROR_TEMP_0029",
            ) from error
        except (ValueError, ArithmeticError) as error:
            code = getattr(error, "code", code)
            if not code:
                self.fail(f"the literal cannot be read: {error}", token)
            named = f'The value of the typed literal "{token.text.upper()}" is invalid: {text!r}, for '
            self.reject(code, f"{named if code == 'INVALID_TYPED_LITERAL' else ''}{error}.", token, self.ahead(-1))

    def type(self) -> t.DataType:
        """A data type. Raises: ParseError."""
        first = self.advance()
        if first.kind != "word":
            self.fail("expected a data type", first)
        if first.word == "INTERVAL":
            while self.at("TO") or intervals.unit(self.next.word):
                self.advance()
        if first.word == "STRING" and self.take("COLLATE"):
            self.dotted()
        self._skip_brackets()
        try:
            return parse_type(self.sql[first.start : self.ahead(-1).end])
        except ParseError as error:
            if error.code != "PARSE_SYNTAX_ERROR":
                self.reject(error.code, error.sentence, first, self.ahead(-1))
            at = first.start + int(str(error.facts.get("position", 0)))
            raise syntax_error(
                self.sql, at, at + 1, error.sentence.partition("): ")[2].partition(". In: ")[0]
            ) from error

    def _skip_brackets(self) -> None:
        if self.at("<>"):
            self.advance()
            return
        if not self.at_any("(", "<"):
            return
        depth = 0
        while self.next.kind != "end":
            sign = self.advance().word
            depth += (sign in ("(", "<")) - (sign in (")", ">"))
            if depth == 0:
                return


def _dotted(names: Text) -> tuple[str, ...]:
    parts = []
    while True:
        if names.next.kind not in ("word", "quoted"):
            names.fail("expected a name")
        parts.append(names.advance().text)
        if not names.take("."):
            return tuple(parts)


def _argument(value: Any) -> Expr:
    # A Column of the surface holds its expression there.
    value = getattr(value, "_expr", value)
    return value if isinstance(value, Expr) else literal(value)
