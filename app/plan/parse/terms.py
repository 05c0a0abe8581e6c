"""Expressions of Spark SQL, by Spark's grammar and precedence.

From loose to tight: OR, AND, NOT, predicates (IN, LIKE, BETWEEN, IS), comparison, |, ^, &, shifts, + - ||, * / % DIV,
unary signs, and what follows a value (`[i]`, `.field`, `::type`). Operators get the names that `Column` gives them,
functions stay as written, in lower case.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from app.plan import types as t
from app.plan.expressions import Alias, Attribute, Call, Cast, Expr, Literal, SortKey, Star
from app.plan.parse.primary import NOT_ALIASES, QUERY_WORDS, Primary
from app.plan.parse.text import syntax_error
from app.plan.variant_path import variant_path

_COMPARISONS = {"=": "==", "==": "==", "<=>": "<=>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_PREDICATES = ("BETWEEN", "IN", "LIKE", "ILIKE", "RLIKE", "REGEXP")
_WITH_BY = ("GROUP", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE")
_EACH = ("likeany", "likeall", "ilikeany", "ilikeall")
_UNARY = {"-": "-", "+": "positive", "~": "~"}


class Terms(Primary):
    """Reads expressions."""

    # Boolean level

    def expression(self) -> Expr:
        """Any expression without an alias. Raises: ParseError, PlanError."""
        left = self._conjunction()
        while self._joins("OR"):
            left = Call("or", (left, self._conjunction()))
        return left

    def named_expression(self) -> Expr:
        """An expression, `*` or `t.*`, with an alias if one follows."""
        start = self.next
        found = self.star() or self.expression()
        if not (self.at("AS") and self.closes(1)) and self.take("AS"):
            names = self.wrapped(lambda: self.items(self.name)) if self.at("(") else (self.named()[-1],)
        elif self.names_here():
            names = (self.name(),)
        else:
            return found
        self.check_name()
        if isinstance(found, Star):
            why = "Invalid usage of '*' in expression `alias`: a star stands for several columns."
            self.reject("INVALID_USAGE_OF_STAR_OR_REGEX", why, start)
        return Alias(found, names)

    def names_here(self, never: frozenset[str] = frozenset()) -> bool:
        """Whether the next token is an alias. In Spark every word may be one, but `never`; a keyword is one here where
        nothing follows that could belong to it."""
        token, behind = self.next, self.ahead(1)
        if token.kind == "quoted" and self.sql[token.start] == "`":
            return True
        if token.kind != "word" or token.word in never:
            return False
        if token.word not in NOT_ALIASES or self.closes(1):
            return True
        alone = token.word in _WITH_BY and (behind.word != "BY" or self.ahead(2).kind == "end")
        return alone and behind.kind in ("word", "quoted")

    def check_name(self) -> None:
        """Raises: ParseError INVALID_IDENTIFIER where a hyphen follows a name at once, which needs back quotes then."""
        last, behind = self.ahead(-1), self.ahead(1)
        if self.at("-") and last.end == self.next.start and behind.kind == "word" and behind.start == self.next.end:
            whole = f"{last.text}-{behind.text}"
            why = (
                f"The unquoted identifier {whole} is invalid and must be back quoted as: `{whole}`. Unquoted "
                "identifiers can only contain ASCII letters, digits, and underbar ('_')"
            )
            raise syntax_error(self.sql, self.next.start, self.next.end, why, code="INVALID_IDENTIFIER")

    def sort_key(self) -> SortKey:
        """An item of ORDER BY."""
        return self.direction(self.expression())

    def direction(self, child: Expr) -> SortKey:
        """`child` with the ASC or DESC and the NULLS FIRST or LAST that follow."""
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
        if self.at_any("REPLACE", "RENAME") and self.ahead(1).word == "(":
            self.unsupported(f"* {self.next.word}", "name the columns.")
        if self.at_any("EXCEPT", "EXCLUDE") and self.ahead(1).word == "(" and self.ahead(2).word != "SELECT":
            self.advance()
            return Star(parts, dropped=self.wrapped(lambda: self.items(lambda: Attribute(self.dotted()))))
        return Star(parts)

    def _conjunction(self) -> Expr:
        left = self._negation()
        while self._joins("AND"):
            left = Call("and", (left, self._negation()))
        return left

    def _negation(self) -> Expr:
        named = self.at("NOT") and (self.closes(1) or self.ahead(1).word == "FROM")
        if not named and (self.take("NOT") or self.take("!")):
            return Call("not", (self._negation(),))
        return self._predicate()

    def _joins(self, word: str) -> bool:
        """Steps over an operator that is a word; with nothing behind it, it is none."""
        return not (self.at(word) and self.closes(1)) and self.take(word)

    # Predicates

    def _predicate(self) -> Expr:
        if self.at("EXISTS", "(") and self.ahead(2).word in QUERY_WORDS:
            self.advance()
            return self.subquery("exists")
        start = self.next
        left = self._value()
        negated = (self.at("NOT") and not self.closes(1)) or (self.at("!") and self.ahead(1).word in _PREDICATES)
        if negated:
            self.advance()
        elif self.closes(1) or (self.at("IN") and self.ahead(1).word != "("):
            return left
        word = self.take_any(*_PREDICATES)
        if not word:
            if negated:
                self.fail("expected BETWEEN, IN, LIKE, ILIKE or RLIKE after NOT")
            return self._is(left) if self.take("IS") else left
        if word == "IN" and self.at("(") and self.ahead(1).word in ("SELECT", "WITH", "FROM"):
            several = start.word == "(" and isinstance(left, Call) and left.name == "struct"
            found = self.subquery("in", left.args if several and isinstance(left, Call) else (left,))
        else:
            found = self._ranged(left, word)
        if negated and isinstance(found, Call) and found.name in _EACH:
            return Call(f"not{found.name}", found.args)
        return Call("not", (found,)) if negated else found

    def _ranged(self, left: Expr, word: str) -> Expr:
        if word == "BETWEEN":
            low = self._value()
            self.need("AND")
            return Call("between", (left, low, self._value()))
        if word == "IN":
            if self.at("(", ")"):
                why = "Invalid SQL syntax: IN predicate requires at least one value."
                self.reject("INVALID_SQL_SYNTAX.EMPTY_IN_PREDICATE", why, self.ahead(-1), self.ahead(1))
            return Call("in", (left, *self.wrapped(lambda: self.items(self.expression))))
        name = "rlike" if word in ("RLIKE", "REGEXP") else word.lower()
        quantor = self.take_any("ANY", "SOME", "ALL") if name != "rlike" else ""
        if quantor:
            if self.at("(", ")"):
                why = "Expected something between '(' and ')'."
                self.reject("_LEGACY_ERROR_TEMP_0064", why, self.ahead(-2), self.ahead(1))
            patterns = self.wrapped(lambda: self.items(self.expression))
            return Call(f"{name}{'all' if quantor == 'ALL' else 'any'}", (left, *patterns))
        pattern = self._value()
        if name != "rlike" and self.take("ESCAPE"):
            return Call(name, (left, pattern, self._escape()))
        return Call(name, (left, pattern))

    def _escape(self) -> Expr:
        token = self.advance()
        if token.kind != "string" or len(token.text) != 1:
            why = f"Found an invalid escape string: '{token.text}'. The escape string must contain only one character."
            self.reject("INVALID_ESC", why, token)
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

    # Values: the loop over the levels of binary operators

    def _value(self) -> Expr:
        left = self._level(0)
        while True:
            if name := _COMPARISONS.get(self.next.word):
                self.advance()
                left = Call(name, (left, self._level(0)))
            elif self.at("!") and self.ahead(1).word in ("<", ">") and self.ahead(1).start == self.next.end:
                self.advance()
                left = Call("<=" if self.advance().word == ">" else ">=", (left, self._level(0)))
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
            return self._postfix(self.primary())
        sign = self.advance().word
        if sign == "-" and self.next.kind == "number":
            return self._postfix(self.number("-"))
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
            elif self.take(":"):
                value = self._in_variant(value)
            elif self.at("COLLATE") and self.ahead(1).kind in ("word", "quoted"):
                self.advance()
                value = Call("collate", (value, Literal(".".join(self.dotted()), t.StringType())))
            else:
                return value

    def _in_variant(self, value: Expr) -> Expr:
        """`v:a.b[0]['c']`: what stands at a path in a variant, called by the last name in the path."""
        path = "$" + (self._bracket() or f".{self._step()}")
        while part := self._bracket() or (f".{self._step()}" if self.take(".") else ""):
            path += part
        found = Call("variant_get", (value, Literal(path, t.StringType())))
        names = [step for step in variant_path(path, "variant_get") if isinstance(step, str)]
        return Alias(found, (names[-1],)) if names else found

    def _step(self) -> str:
        token = self.advance()
        if token.kind not in ("word", "quoted") or not token.text:
            self.fail("expected the name of a field in a variant", token)
        return token.text

    def _bracket(self) -> str:
        """`[0]` or `['name']`; nothing where another expression stands in brackets."""
        token = self.ahead(1)
        if not self.at("[") or self.ahead(2).word != "]" or token.kind not in ("string", "number"):
            return ""
        written = self.sql[token.start : token.end]
        if not written.isdecimal() and not re.fullmatch("'[^']+'", written):
            self.fail("a part of a path in brackets is a number, or a name in single quotes", token)
        for _ in range(3):
            self.advance()
        return f"[{written}]"


def _shift(terms: Terms) -> str:
    for signs in ((">",) * 3, (">",) * 2, ("<",) * 2):
        tokens = [terms.ahead(i) for i in range(len(signs))]
        if terms.at(*signs) and tokens[-1].end - tokens[0].start == len(signs):
            terms.take(*signs)
            return "".join(signs)
    return ""


def _sign(*signs: str) -> Callable[[Terms], str]:
    return lambda terms: "" if terms.at("DIV") and terms.closes(1) else terms.take_any(*signs).lower()


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
