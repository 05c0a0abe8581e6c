"""Function calls of Spark SQL: plain ones, and those with words between their arguments."""

from __future__ import annotations

from abc import abstractmethod

from app.plan import types as t
from app.plan.expressions import RESPECTING, Call, Cast, Expr, Frame, Lambda, Literal, NamedArg, Over, SortKey, Star
from app.plan.functions import INTERNAL, unresolved
from app.plan.parse.folding import folded, is_written
from app.plan.parse.text import Text

_UNITS_TEXT = "YEAR QUARTER MONTH WEEK DAY DAYOFYEAR HOUR MINUTE SECOND MILLISECOND MICROSECOND"
_UNITS = frozenset(_UNITS_TEXT.split())
_UNIT_FIRST = {
    "DATEADD": "timestampadd",
    "DATE_ADD": "timestampadd",
    "TIMESTAMPADD": "timestampadd",
    "DATEDIFF": "timestampdiff",
    "DATE_DIFF": "timestampdiff",
    "TIMESTAMPDIFF": "timestampdiff",
}
_TRIMS = {"BOTH": "trim", "LEADING": "ltrim", "TRAILING": "rtrim"}
_WITHOUT_NULLS = ("collect_list", "collect_set", "array_agg")
SPECIAL = frozenset({"LEFT", "RIGHT", "LIKE", "ILIKE", "RLIKE", "REGEXP", "WINDOW", "FILTER"})
"""Keywords that are functions where a parenthesis follows at the start of an expression."""


class Calls(Text):
    """Reads a function call; expressions inside it are read by the class built on this one."""

    @abstractmethod
    def expression(self) -> Expr: ...

    @abstractmethod
    def named_expression(self) -> Expr: ...

    @abstractmethod
    def star(self) -> Expr | None: ...

    @abstractmethod
    def type(self) -> t.DataType: ...

    def name(self) -> str:
        """A name, in back quotes or not."""
        token = self.next
        if token.kind not in ("word", "quoted"):
            self.fail("expected a name; one with other signs than letters, digits and _ needs `back quotes`")
        return self.advance().text

    def field(self) -> str:
        """A name behind a dot, where every word is one."""
        return self.name()

    def dotted(self) -> tuple[str, ...]:
        """Names with dots between."""
        parts = [self.name()]
        while self.at(".") and self.ahead(1).kind in ("word", "quoted"):
            self.advance()
            parts.append(self.name())
        return tuple(parts)

    def string(self) -> str:
        """String literals that follow one another, as one; a doubled quote inside is one quote."""
        token = self.advance()
        text = token.text
        while self.next.kind == "string":
            quote = self.sql[token.end - 1]
            raw = self.sql[token.start] in "rR"
            doubled = self.next.start == token.end and self.sql[self.next.start] == quote and not raw
            token = self.advance()
            text += quote + token.text if doubled else token.text
        return text

    def call(self) -> Expr:
        """The call whose name comes next."""
        token = self.advance()
        special = getattr(self, f"_call_{token.word.lower()}", None) if token.kind == "word" else None
        if special is not None:
            found: Expr = special()
        elif token.word in _UNIT_FIRST and self.ahead(1).word in _UNITS and self.ahead(2).word == ",":
            found = self._unit_first(_UNIT_FIRST[token.word])
        else:
            return self.call_of(token.text.lower())
        return self._over(self._tail(found)) if isinstance(found, Call) else found

    def call_of(self, name: str) -> Expr:
        """The call of a function by its name, from the parenthesis on."""
        return self._over(self._tail(self._plain(name)))

    def _plain(self, name: str) -> Call:
        if name in INTERNAL:
            raise unresolved(name)
        self.need("(")
        if self.take(")"):
            return Call(name)
        distinct = bool(self.take_any("DISTINCT", "ALL") == "DISTINCT")
        args = self.items(self._argument)
        ignore = self.take("IGNORE", "NULLS")
        self.need(")")
        if name == "count" and not distinct and _is_star(args):
            args = (Literal(1, t.IntegerType()),)
        return Call(name, args, distinct=distinct, ignore_nulls=ignore)

    def _argument(self) -> Expr:
        if self.ahead(1).word == "=>":
            name = self.name()
            self.need("=>")
            return NamedArg(name, self.expression())
        return self._lambda() or self.star() or self.expression()

    def _lambda(self) -> Expr | None:
        if self.next.kind in ("word", "quoted") and self.ahead(1).word == "->":
            params: tuple[str, ...] = (self.name(),)
        elif (count := self._lambda_params()) and self.ahead(2 * count + 1).word == "->":
            params = self.wrapped(lambda: self.items(self.name))
        else:
            return None
        self.need("->")
        return Lambda(params, self.expression())

    def _lambda_params(self) -> int:
        """How many names stand in the parentheses that come next; 0 if it is something else."""
        count = 0
        while self.at("(") and self.ahead(2 * count + 1).kind in ("word", "quoted"):
            count += 1
            if self.ahead(2 * count).word == ")":
                return count
            if self.ahead(2 * count).word != ",":
                return 0
        return 0

    def _nulls(self, name: str) -> tuple[str, bool]:
        """The function that keeps the nulls, if they are to be kept, and whether to ignore them."""
        if self.take("IGNORE", "NULLS"):
            return name, True
        respected = self.take("RESPECT", "NULLS") and name.lower() in _WITHOUT_NULLS
        return (f"{name}{RESPECTING}" if respected else name), False

    def _tail(self, call: Call) -> Call:
        """What may follow the closing parenthesis."""
        order: tuple[SortKey, ...] = ()
        if self.take("WITHIN", "GROUP"):
            order = self.wrapped(self._order_by)
        condition = None
        if self.at("FILTER", "("):
            self.take("FILTER", "(")
            self.need("WHERE")
            condition = self.expression()
            self.need(")")
        name, ignore = self._nulls(call.name)
        return Call(name, call.args, call.distinct, condition, ignore or call.ignore_nulls, order)

    # Windows

    def _over(self, call: Call) -> Expr:
        if not self.take("OVER"):
            return call
        if self.at("("):
            return self.window(call)
        return Over(call, name=self.name())

    def window(self, call: Call) -> Over:
        """`call` over the window that is defined between the parentheses that come next."""
        self.need("(")
        if self.next.kind in ("word", "quoted") and self.ahead(1).word == ")":
            name = self.name()
            self.need(")")
            return Over(call, name=name)
        partition: tuple[Expr, ...] = ()
        if self.take("PARTITION", "BY") or self.take("DISTRIBUTE", "BY"):
            partition = self.items(self.expression)
        order = self._order_by() if self.at("ORDER") or self.at("SORT") else ()
        frame = self._frame() if self.at_any("ROWS", "RANGE") else None
        self.need(")")
        return Over(call, partition, order, frame)

    def _order_by(self) -> tuple[SortKey, ...]:
        if not self.take("SORT"):
            self.need("ORDER")
        self.need("BY")
        return self.items(self.sort_key)

    def _frame(self) -> Frame:
        unit = self.advance().word.lower()
        if not self.take("BETWEEN"):
            return Frame(unit, self._bound(first=True), Literal(0, t.IntegerType()))
        start = self._bound(first=True)
        self.need("AND")
        return Frame(unit, start, self._bound(first=False))

    def _bound(self, first: bool) -> Expr | None:
        """An offset from the current row, under a minus for PRECEDING; None for UNBOUNDED."""
        if self.take("CURRENT", "ROW"):
            return Literal(0, t.IntegerType())
        if self.take("UNBOUNDED"):
            self.need("PRECEDING" if first else "FOLLOWING")
            return None
        first_token, offset = self.next, self.expression()
        if not is_written(offset):
            why = "Frame bound value must be a literal."
            self.reject("_LEGACY_ERROR_TEMP_0064", why, first_token, self.ahead(-1))
        if (count := folded(offset)) is not None and not isinstance(offset, Literal):
            offset = Literal(count, t.IntegerType())
        word = self.take_any("PRECEDING", "FOLLOWING")
        if not word:
            self.fail("expected PRECEDING or FOLLOWING")
        return Call("-", (offset,)) if word == "PRECEDING" else offset

    @abstractmethod
    def sort_key(self) -> SortKey: ...

    # Calls with words between the arguments

    def _unit_first(self, name: str) -> Call:
        self.need("(")
        unit = Literal(self.advance().word, t.StringType())
        self.need(",")
        args = self.items(self.expression)
        self.need(")")
        return Call(name, (unit, *args))

    def _call_struct(self) -> Expr:
        if self.at("(", ")"):
            return self._plain("struct")
        return Call("struct", self.wrapped(lambda: self.items(self.named_expression)))

    def _call_cast(self) -> Expr:
        return self._cast(safe=False)

    def _call_try_cast(self) -> Expr:
        return self._cast(safe=True)

    def _cast(self, safe: bool) -> Expr:
        self.need("(")
        child = self.expression()
        self.need("AS")
        to = self.type()
        self.need(")")
        return Cast(child, to, safe)

    def _call_extract(self) -> Expr:
        if self.ahead(2).word != "FROM":
            return self._plain("extract")
        self.need("(")
        field = Literal(self.advance().text, t.StringType())
        self.need("FROM")
        source = self.expression()
        self.need(")")
        return Call("extract", (field, source))

    def _call_substring(self) -> Expr:
        return self._with_words("substring", "FROM", "FOR")

    def _call_substr(self) -> Expr:
        return self._with_words("substr", "FROM", "FOR")

    def _call_overlay(self) -> Expr:
        return self._with_words("overlay", "PLACING", "FROM", "FOR")

    def _with_words(self, name: str, *words: str) -> Expr:
        """A call whose arguments are parted either by commas or by `words`, the last of which may be missing."""
        self.need("(")
        args = [self.expression()]
        if not self.at(words[0]):
            while self.take(","):
                args.append(self.expression())
        else:
            for word in words:
                if word == words[-1] and not self.at(word):
                    break
                self.need(word)
                args.append(self.expression())
            name = "substring" if name == "substr" else name
        self.need(")")
        return Call(name, tuple(args))

    def _call_position(self) -> Expr:
        self.need("(")
        args, name = [self._below_in()], "position"
        if self.take("IN"):
            args.append(self.expression())
            name = "locate"
        else:
            while self.take(","):
                args.append(self.expression())
        self.need(")")
        return Call(name, tuple(args))

    @abstractmethod
    def _below_in(self) -> Expr: ...

    def _call_trim(self) -> Expr:
        self.need("(")
        side = self.take_any(*_TRIMS) if self.ahead(1).word not in (")", ",", ".") else ""
        args: tuple[Expr, ...] = ()
        if side and self.take("FROM"):
            args = (self.expression(),)
        else:
            args = self.items(self.expression)
            if len(args) == 1 and self.take("FROM"):
                args = (*args, self.expression())
            elif side:
                self.fail("expected FROM")
        self.need(")")
        return Call(_TRIMS[side or "BOTH"], args)


def _is_star(args: tuple[Expr, ...]) -> bool:
    return len(args) == 1 and args[0] == Star()
