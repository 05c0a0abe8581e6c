"""The smallest expressions of Spark SQL: literals, names, parameters, CASE, what stands in parentheses; and types."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.errors import PlanError
from app.plan import types as t
from app.plan.ddl import parse_type
from app.plan.expressions import Alias, Attribute, Call, Case, Expr, Literal, Star, Subquery
from app.plan.literals import literal
from app.plan.parse import constants, intervals
from app.plan.parse.calls import SPECIAL, Calls
from app.plan.parse.text import Token

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
NOT_ALIASES = _NOT_NAMES | frozenset(_NOT_ALIASES_TEXT.split())
QUERY_WORDS = ("SELECT", "WITH", "VALUES", "FROM", "TABLE")
TABLE_FUNCTIONS = ("variant_explode", "variant_explode_outer")
"""Functions that stand in FROM only."""
_NO_PARENTHESES = frozenset({"CURRENT_DATE", "CURRENT_TIMESTAMP", "LOCALTIMESTAMP"})
_Args = Mapping[str, Any] | Sequence[Any] | None


class Primary(Calls):
    """Reads primary expressions. `args` are the values of `:name` or `?` in the text."""

    def __init__(self, sql: str, args: _Args = None, raw_strings: bool = False) -> None:
        super().__init__(sql, raw_strings)
        self._args = args
        self._marks = 0

    def primary(self) -> Expr:
        token = self.next
        if token.kind == "number":
            return self.number("")
        if token.kind == "string":
            return Literal(self.string(), t.StringType())
        if token.kind == "hex":
            return self.checked(constants.binary, self.advance(), token.text)
        if token.word in ("NULL", "TRUE", "FALSE") and self.ahead(1).word not in (".", "("):
            return literal({"NULL": None, "TRUE": True, "FALSE": False}[self.advance().word])
        if token.word == "(":
            return self._parenthesis()
        if token.word in (":", "?"):
            return self._parameter()
        return self._by_word(token)

    def _by_word(self, token: Token) -> Expr:
        if token.word == "CASE" and self.ahead(1).word != ".":
            return self._case()
        if (read := constants.typed(token.word)) and self.ahead(1).kind == "string":
            self.advance()
            return self.checked(read, self.next, self.string())
        if token.word in ("X", "TIME") and self.ahead(1).kind == "string":
            if token.word == "TIME":
                return Call(self.advance().text.lower(), (Literal(self.string(), t.StringType()),))
            self.advance()
            return self.checked(constants.binary, self.next, self.string())
        if token.word == "INTERVAL" and (found := self._interval()):
            return found
        if token.kind not in ("word", "quoted"):
            self.fail("expected an expression")
        if self.ahead(1).word == "(" and token.word not in NOT_ALIASES - SPECIAL:
            return self._scalar_call(token)
        if token.word in _NOT_NAMES or (token.word in ("GROUP", "ORDER") and self.ahead(1).word == "BY"):
            self.fail("expected an expression")
        if token.word in _NO_PARENTHESES and self.ahead(1).word != ".":
            return Call(self.advance().text.lower())
        return Attribute(self.dotted())

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
            return Call("struct", found)
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
        if not united and (number == 2 or self.ahead(1).kind == "number"):
            return None
        start = self.advance()
        if not united:
            return self.checked(intervals.from_text, start, self.string())
        if self.ahead(number + 1).word == "TO":
            text, first = self._signed(), intervals.unit(self.advance().word)
            self.need("TO")
            last = intervals.unit(self.advance().word)
            return self.checked(lambda value: intervals.from_range(value, first, last), start, text)
        parts: list[tuple[str, str]] = []
        while intervals.unit(self.ahead(2 if self.next.word in ("-", "+") else 1).word):
            parts.append((self._signed(), intervals.unit(self.advance().word)))
            if self.next.kind not in ("number", "string") and not self.at_any("-", "+"):
                break
        return self.checked(lambda _text: intervals.from_parts(parts), start, "")

    def _signed(self) -> str:
        sign = "-" if self.take_any("-", "+") == "-" else ""
        text = self.advance().text.strip()
        return text[1:].lstrip() if sign and text.startswith("-") else sign + text

    def _parameter(self) -> Expr:
        token = self.advance()
        given = self._args
        if token.word == "?":
            if isinstance(given, Mapping) or given is None or self._marks >= len(given):
                self.fail("there is no value for this ?; give sql() a list args=[…] with one for each", token)
            self._marks += 1
            return _argument(given[self._marks - 1])
        name = self.name()
        if not isinstance(given, Mapping) or name not in given:
            self.fail(f"there is no value for :{name}; give sql() args={{{name!r}: …}}", token)
        return _argument(given[name])

    def checked(self, read: Callable[[str], Expr], token: Token, text: str) -> Expr:
        """`read(text)`; what it refuses is a ParseError at `token`."""
        try:
            return read(text)
        except (ValueError, ArithmeticError) as error:
            self.fail(f"the literal cannot be read: {error}", token)

    def type(self) -> t.DataType:
        """A data type. Raises: ParseError."""
        first = self.advance()
        if first.kind != "word":
            self.fail("expected a data type", first)
        if first.word == "INTERVAL":
            while self.at("TO") or intervals.unit(self.next.word):
                self.advance()
        self._skip_brackets()
        return parse_type(self.sql[first.start : self._tokens[self._at - 1].end])

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


def _argument(value: Any) -> Expr:
    # A Column of the surface holds its expression there.
    value = getattr(value, "_expr", value)
    return value if isinstance(value, Expr) else literal(value)
