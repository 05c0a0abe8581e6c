"""Expressions of Spark SQL, by Spark's grammar and precedence.

From loose to tight: OR, AND, NOT, predicates (IN, LIKE, BETWEEN, IS), comparison, |, ^, &, shifts, + - ||, * / % DIV,
unary signs, and what follows a value (`[i]`, `.field`, `::type`). Operators get the names that `Column` gives them,
functions stay as written, in lower case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.plan import types as t
from app.plan.ddl import parse_type
from app.plan.expressions import Alias, Attribute, Call, Case, Cast, Expr, Literal, SortKey, Star
from app.plan.literals import literal
from app.plan.parse import constants, intervals
from app.plan.parse.calls import SPECIAL, Calls
from app.plan.parse.text import Token

_COMPARISONS = {"=": "==", "==": "==", "<=>": "<=>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
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
_NO_PARENTHESES = frozenset({"CURRENT_DATE", "CURRENT_TIMESTAMP", "LOCALTIMESTAMP"})
_UNARY = {"-": "negative", "+": "positive", "~": "~"}
_Args = Mapping[str, Any] | Sequence[Any] | None


class Terms(Calls):
    """Reads expressions. `args` are the values of `:name` or `?` in the text."""

    def __init__(self, sql: str, args: _Args = None) -> None:
        super().__init__(sql)
        self._args = args
        self._marks = 0

    # Boolean level

    def expression(self) -> Expr:
        """Any expression without an alias. Raises: ParseError, PlanError."""
        left = self._conjunction()
        while self.take("OR"):
            left = Call("or", (left, self._conjunction()))
        return left

    def named_expression(self) -> Expr:
        """An expression, `*` or `t.*`, with an alias if one follows."""
        start = self.next
        found = self.star() or self.expression()
        if self.take("AS"):
            names = self.wrapped(lambda: self.items(self.name)) if self.at("(") else (self.name(),)
        elif self.next.kind == "quoted" or (self.next.kind == "word" and self.next.word not in NOT_ALIASES):
            names = (self.name(),)
        else:
            return found
        if isinstance(found, Star):
            self.fail("a star stands for several columns and takes no alias", start)
        return Alias(found, names)

    def sort_key(self) -> SortKey:
        """An item of ORDER BY."""
        child = self.expression()
        ascending = self.take_any("ASC", "DESC") != "DESC"
        if not self.take("NULLS"):
            return SortKey(child, ascending)
        where = self.take_any("FIRST", "LAST") or self.fail("expected FIRST or LAST")
        return SortKey(child, ascending, where == "FIRST")

    def star(self) -> Expr | None:
        """`*` or `t.*` if it comes next."""
        count = 0
        while self.ahead(count).kind in ("word", "quoted") and self.ahead(count + 1).word == ".":
            count += 2
        if self.ahead(count).word != "*":
            return None
        parts = tuple(self.ahead(i).text for i in range(0, count, 2))
        for _ in range(count + 1):
            self.advance()
        if self.at_any("EXCEPT", "EXCLUDE", "REPLACE", "RENAME") and self.ahead(1).word == "(":
            self.unsupported(f"* {self.next.word}", "name the columns, or use DataFrame.drop().")
        return Star(parts)

    def _conjunction(self) -> Expr:
        left = self._negation()
        while self.take("AND"):
            left = Call("and", (left, self._negation()))
        return left

    def _negation(self) -> Expr:
        if self.take("NOT") or self.take("!"):
            return Call("not", (self._negation(),))
        return self._predicate()

    # Predicates

    def _predicate(self) -> Expr:
        if self.at("EXISTS", "(") and self.ahead(2).word in ("SELECT", "WITH"):
            self._no_subquery()
        left = self._value()
        negated = self.at("NOT") or self.at("!")
        if negated:
            self.advance()
        word = self.take_any("BETWEEN", "IN", "LIKE", "ILIKE", "RLIKE", "REGEXP")
        if not word:
            if negated:
                self.fail("expected BETWEEN, IN, LIKE, ILIKE or RLIKE after NOT")
            return self._is(left) if self.take("IS") else left
        found = self._ranged(left, word)
        return Call("not", (found,)) if negated else found

    def _ranged(self, left: Expr, word: str) -> Expr:
        if word == "BETWEEN":
            low = self._value()
            self.need("AND")
            return Call("and", (Call(">=", (left, low)), Call("<=", (left, self._value()))))
        if word == "IN":
            if self.at("(") and self.ahead(1).word in ("SELECT", "WITH"):
                self._no_subquery()
            return Call("in", (left, *self.wrapped(lambda: self.items(self.expression))))
        name = "rlike" if word in ("RLIKE", "REGEXP") else word.lower()
        quantor = self.take_any("ANY", "SOME", "ALL") if name != "rlike" else ""
        if quantor:
            each = [Call(name, (left, p)) for p in self.wrapped(lambda: self.items(self.expression))]
            return _fold("and" if quantor == "ALL" else "or", each)
        pattern = self._value()
        if name != "rlike" and self.take("ESCAPE"):
            return Call(name, (left, pattern, self._escape()))
        return Call(name, (left, pattern))

    def _escape(self) -> Expr:
        token = self.advance()
        if token.kind != "string" or len(token.text) != 1:
            self.fail("ESCAPE takes a string of one character", token)
        return Literal(token.text, t.StringType())

    def _is(self, left: Expr) -> Expr:
        negated = self.take("NOT")
        if self.take("DISTINCT", "FROM"):
            found, negated = Call("<=>", (left, self._value())), not negated
        else:
            word = self.take_any("NULL", "TRUE", "FALSE", "UNKNOWN")
            if not word:
                self.fail("expected NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM after IS")
            if word in ("NULL", "UNKNOWN"):
                return Call("isnotnull" if negated else "isnull", (left,))
            found = Call("<=>", (left, Literal(word == "TRUE", t.BooleanType())))
        return Call("not", (found,)) if negated else found

    def _no_subquery(self) -> None:
        self.unsupported("A subquery inside an expression", "join with the query instead.")

    # Values: the loop over the levels of binary operators

    def _value(self) -> Expr:
        left = self._level(0)
        while True:
            if name := _COMPARISONS.get(self.next.word):
                self.advance()
                left = Call(name, (left, self._level(0)))
            elif self.take_any("!=", "<>"):
                left = Call("not", (Call("==", (left, self._level(0))),))
            else:
                return left

    _below_in = _value

    def _level(self, level: int) -> Expr:
        if level == len(_LEVELS):
            return self._unary()
        left = self._level(level + 1)
        while name := _LEVELS[level](self):
            left = Call(name, (left, self._level(level + 1)))
        return left

    def _unary(self) -> Expr:
        if self.next.word not in _UNARY:
            return self._postfix(self._primary())
        sign = self.advance().word
        if sign == "-" and self.next.kind == "number":
            return self._postfix(self._number("-"))
        return Call(_UNARY[sign], (self._unary(),))

    def _postfix(self, value: Expr) -> Expr:
        while True:
            if self.take("["):
                value = Call("getitem", (value, self._value()))
                self.need("]")
            elif self.take("."):
                value = Call("getitem", (value, Literal(self.field(), t.StringType())))
            elif self.take("::"):
                value = Cast(value, self.type())
            else:
                return value

    # Primary expressions

    def _primary(self) -> Expr:
        token = self.next
        if token.kind == "number":
            return self._number("")
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
        if token.word == "INTERVAL" and (found := self._interval()):
            return found
        if token.kind not in ("word", "quoted"):
            self.fail("expected an expression")
        if self.ahead(1).word == "(" and token.word not in NOT_ALIASES - SPECIAL:
            return self.call()
        if token.word in _NOT_NAMES or (token.word in ("GROUP", "ORDER") and self.ahead(1).word == "BY"):
            self.fail("expected an expression")
        if token.word in _NO_PARENTHESES and self.ahead(1).word != ".":
            return Call(self.advance().text.lower())
        return Attribute(self.dotted())

    def _number(self, sign: str) -> Expr:
        token = self.advance()
        return self.checked(lambda text: constants.number(text, token.suffix), token, sign + token.text)

    def _parenthesis(self) -> Expr:
        if self.ahead(1).word in ("SELECT", "WITH"):
            self._no_subquery()
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


def _shift(terms: Terms) -> str:
    for signs, name in (((">",) * 3, "shiftrightunsigned"), ((">",) * 2, "shiftright"), (("<",) * 2, "shiftleft")):
        tokens = [terms.ahead(i) for i in range(len(signs))]
        if terms.at(*signs) and tokens[-1].end - tokens[0].start == len(signs):
            terms.take(*signs)
            return name
    return ""


def _sign(*signs: str) -> Callable[[Terms], str]:
    return lambda terms: terms.take_any(*signs).lower()


def _sum(terms: Terms) -> str:
    sign = terms.take_any("+", "-", "||")
    return "concat" if sign == "||" else sign


_LEVELS: tuple[Callable[[Terms], str], ...] = (
    _sign("|"),
    _sign("^"),
    _sign("&"),
    _shift,
    _sum,
    _sign("*", "/", "%", "DIV"),
)


def _fold(name: str, calls: list[Call]) -> Expr:
    found: Expr = calls[0]
    for call in calls[1:]:
        found = Call(name, (found, call))
    return found


def _argument(value: Any) -> Expr:
    return value if isinstance(value, Expr) else literal(value)
