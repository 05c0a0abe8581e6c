"""What stands in FROM: views, table functions, VALUES, queries in parentheses, joins and lateral views."""

from __future__ import annotations

import dataclasses
import re
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from app.errors import ArgumentError, PlanError
from app.plan.expressions import Alias, Call, Cast, Expr, Frame, Literal, NamedArg, Subquery
from app.plan.functions import catalogue
from app.plan.nodes import (
    InlineTable,
    Join,
    LateralJoin,
    LateralView,
    Named,
    Node,
    OneRow,
    Project,
    Range,
    Relabel,
    RoutineCall,
)
from app.plan.parse.arguments import Args
from app.plan.parse.folding import folded
from app.plan.parse.keywords import collation_rows, keyword_rows
from app.plan.parse.primary import NOT_ALIASES, TABLE_FUNCTIONS
from app.plan.parse.samples import Samples
from app.plan.types import LongType

Views = Callable[[tuple[str, ...]], Node | None]
"""Gives the plan of the view or table with these name parts; None if there is none."""

_GENERATORS = ("explode", "posexplode", "inline")
_TABLE_GENERATORS = frozenset(
    {*_GENERATORS, *(f"{name}_outer" for name in _GENERATORS), "stack", "json_tuple", *TABLE_FUNCTIONS}
)
_REFUSED = {"WATERMARK": "call DataFrame.withWatermark() before making the view."}
HALF_JOINS = ("LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL")
NO_TABLES = frozenset(
    {*HALF_JOINS, "ANTI", "EXCEPT", "INTERSECT", "JOIN", "LATERAL", "MINUS", "ON", "SEMI", "UNION", "USING"}
)
"""Words that are no aliases of tables."""


class Tables(Samples):
    """Reads relations. `view` finds the tables that FROM names."""

    def __init__(
        self,
        sql: str,
        view: Views,
        args: Args = None,
        raw_strings: bool = False,
        quoted_names: bool = False,
    ) -> None:
        super().__init__(sql, args, raw_strings, quoted_names)
        self._view = view
        self._queries: dict[str, Node] = {}
        self._qualifiers = self._words_before_dots()
        self._named_later = {token.text.lower() for token in self._tokens if token.word == "IDENTIFIER"}

    def _words_before_dots(self) -> set[str]:
        tokens = self._tokens
        starts = (i for i in range(len(tokens) - 1) if tokens[i + 1].word == "." and tokens[i - 1].word != ".")
        return {tokens[i].text.lower() for i in starts if tokens[i].kind in ("word", "quoted")}

    @abstractmethod
    def query(self, first: Node | None = None) -> Node: ...

    def from_clause(self) -> Node:
        self.take_lateral()
        left = self._relation()
        if self.at_any(*HALF_JOINS):
            self.advance()
            self.need("JOIN")
        while self.take(","):
            left = LateralJoin(left, self._table()) if self.take_lateral() else Join(left, self._relation(), "cross")
            left = self._joined(left)
        left = self.lateral_views(left)
        self.refuse()
        return left

    def take_lateral(self) -> bool:
        """Whether a LATERAL subquery or function comes, not a LATERAL VIEW."""
        return self.ahead(1).word != "VIEW" and self.take("LATERAL")

    def _relation(self) -> Node:
        return self._joined(self._table())

    def _joined(self, left: Node) -> Node:
        """A relation with the joins that follow it."""
        while True:
            if self.at_any("PIVOT", "UNPIVOT"):
                left = self._aliased(self.pivoted(left))
            elif self.take("NATURAL"):
                left = self._natural(left, self._join_word())
            elif how := self._join_word():
                left = self._join(left, how)
            else:
                return left

    def _natural(self, left: Node, how: str) -> Node:
        if not how:
            self.fail("expected JOIN after NATURAL")
        if how == "cross":
            raise PlanError(
                "The join types NATURAL and CROSS do not go together. Leave one out.", code="INCOMPATIBLE_JOIN_TYPES"
            )
        return Join(left, self._table(), how, natural=True)

    def _join_word(self) -> str:
        for words, how in _JOINS:
            if self.take(*words):
                return how
        return ""

    def _join(self, left: Node, how: str) -> Node:
        if self.take_lateral():
            return self._lateral_join(left, how)
        right = self._table()
        if self.take("ON"):
            return Join(left, right, how, on=self.expression())
        if self.take("USING"):
            return Join(left, right, how, using=self.wrapped(lambda: self.items(self.name)))
        return Join(left, right, "cross" if how == "inner" else how)

    def _lateral_join(self, left: Node, how: str) -> Node:
        right = self._table()
        if self.at("USING"):
            raise PlanError(
                "JOIN USING with a LATERAL subquery is not supported. Write the condition with ON.",
                code="UNSUPPORTED_FEATURE.LATERAL_JOIN_USING",
            )
        on = self.expression() if self.take("ON") else None
        return LateralJoin(left, right, "inner" if how == "cross" else how, on)

    def _table(self) -> Node:
        if self.at("VALUES"):
            return self.values()
        if self.take("("):
            if self.at_any("SELECT", "WITH", "FROM", "TABLE") or self.at("(", "SELECT"):
                node = self.query()
            elif self.at("VALUES"):
                first = self.values()
                node = self._joined(first)
                node = self.query(first) if node is first else node
            else:
                node = self._relation()
            self.need(")")
            return self._aliased(self.sampled(node))
        if (
            self.ahead(1).word == "("
            and self.next.kind == "word"
            and self.next.word not in (*NOT_ALIASES, "IDENTIFIER")
        ):
            return self._aliased(self._table_function())
        return self.view_by_name()

    def view_by_name(self) -> Node:
        """A view by its name, and the alias that follows."""
        node, name = self.table_by_name()
        node = self.sampled(node)
        found = self._aliased(node)
        if found is node and (name.lower() in self._qualifiers or "identifier" in self._named_later):
            return Named(node, name)
        return found

    def table_by_name(self) -> tuple[Node, str]:
        """A view or table by its name, whose last part is given too. Raises: PlanError."""
        token = self.next
        parts = self.named()
        self.check_name()
        node = self._queries.get(parts[0].lower()) if len(parts) == 1 else None
        node = node or self._view(parts)
        if node is None:
            shown = ".".join(f"`{part}`" for part in parts)
            raise PlanError(
                f"The table or view {shown} cannot be found (line {self.line(token)}). Check the spelling; a "
                "DataFrame gets a name for SQL by createOrReplaceTempView().",
                code="TABLE_OR_VIEW_NOT_FOUND",
                name=".".join(parts),
            )
        return node, parts[-1]

    def _aliased(self, node: Node) -> Node:
        """`node` under the alias that follows, if one does."""
        self.refuse()
        alias = self._alias()
        if alias is None:
            return node
        columns = self.wrapped(lambda: self.items(self.name)) if self.at("(") else ()
        self.refuse()
        return Named(self.renamed(node, columns) if columns else node, alias)

    def _alias(self) -> str | None:
        explicit = not (self.at("AS") and self.closes(1)) and self.take("AS")
        if explicit and self.next.word in NO_TABLES:
            self.advance()
            self.need("JOIN")
        found = self.named()[-1] if explicit or self.names_here(NO_TABLES) else None
        self.check_name()
        return found

    def renamed(self, node: Node, columns: tuple[str, ...]) -> Node:
        """`node` with other names for its columns."""
        match node:
            case InlineTable(rows=rows):
                if len(columns) != len(rows[0]):
                    raise _uneven(f"{len(columns)} names were given for {len(rows[0])} columns")
                return InlineTable(rows, columns)
            case Project(child=child, exprs=(Call() as call,)) if call.name in _TABLE_GENERATORS:
                return Project(child, (Alias(call, columns),))
        return Relabel(node, columns)

    def _table_function(self) -> Node:
        token = self.next
        name = token.text.lower()
        found = self.call()
        assert isinstance(found, Call)
        if name == "range":
            return self._range(found)
        if name == "sql_keywords" and not found.args:
            return keyword_rows()
        if name == "collations" and not found.args:
            return collation_rows()
        if name in _TABLE_GENERATORS:
            return Project(OneRow(), (found,))
        if name in catalogue():
            raise PlanError(
                f"The function `{name}` is a scalar function: it does not stand in FROM. Call it in SELECT.",
                code="NOT_A_TABLE_FUNCTION",
            )
        return RoutineCall(found)

    def _range(self, call: Call) -> Node:
        if any(isinstance(arg, NamedArg) for arg in call.args):
            raise PlanError("range() takes its arguments in order, not by name.", code="NON_FOLDABLE_ARGUMENT")
        if not 1 <= len(call.args) <= 4:
            raise PlanError(
                f"The `range` requires 1 to 4 parameters but the actual number is {len(call.args)}: range(end) or "
                "range(start, end, step).",
                code="WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
            )
        numbers = [self._whole(arg) for arg in call.args]
        start, end, step = (0, numbers[0], 1) if len(numbers) == 1 else [*numbers, 1][:3]
        if step == 0:
            raise ArgumentError("The step of range cannot be 0.", code="FAILED_FUNCTION_CALL")
        return Range(start, end, step)

    def _whole(self, arg: Expr) -> int:
        """An argument of range, cast to bigint. Raises: PlanError."""
        found = folded(arg)
        if found is not None:
            return found
        if isinstance(arg, Literal) and isinstance(arg.value, str):
            if not re.fullmatch(r"\s*[+-]?\d{1,18}\s*", arg.value):
                raise PlanError(f"range() takes whole numbers, not '{arg.value}'.", code="CAST_INVALID_INPUT")
            return int(arg.value)
        value = None if isinstance(arg, Literal) and arg.value is None else self.constant(Cast(arg, LongType()))
        if value is None:
            raise PlanError(
                'The arguments of `range` are of the "BIGINT" type, however one is NULL. Give a number.',
                code="UNEXPECTED_INPUT_TYPE",
            )
        return int(value)

    def lateral_views(self, child: Node) -> Node:
        """A relation with the lateral views that follow it."""
        while self.take("LATERAL", "VIEW"):
            outer = self.take("OUTER")
            token = self.next
            call = self.call()
            if not isinstance(call, Call):
                self.fail("expected a generator function such as explode", token)
            if call.name in TABLE_FUNCTIONS:
                raise PlanError(
                    f"The routine `{call.name}` cannot be found among the generators of LATERAL VIEW (line "
                    f"{self.line(token)}). It is a table function: write FROM t, LATERAL {call.name}(…).",
                    code="ROUTINE_NOT_FOUND",
                    name=call.name,
                )
            alias = self.name()
            named = self.take("AS") or self.next.kind == "quoted" or self._at_plain_name()
            child = LateralView(child, call, alias, self.items(self.name) if named else (), outer)
        return child

    def _at_plain_name(self) -> bool:
        return self.next.kind == "word" and self.next.word not in NOT_ALIASES

    def values(self) -> Node:
        start = self.next
        self.need("VALUES")
        rows = self.items(self._row)
        if any(isinstance(value, Subquery) and value.kind == "scalar" for row in rows for value in row):
            raise PlanError(
                "Scalar subqueries in the VALUES clause are not supported. Use SELECT … UNION ALL.",
                code="UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.SCALAR_SUBQUERY_IN_VALUES",
            )
        odd = next((i for i, row in enumerate(rows) if len(row) != len(rows[0])), None)
        if odd is not None:
            why = (
                f"Invalid inline table. Inline table expected {len(rows[0])} columns but found {len(rows[odd])} "
                f"columns in row {odd}. Give every row as many values as the first."
            )
            self.reject("INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH", why, start, self.ahead(-1))
        return self._aliased(InlineTable(rows, tuple(f"col{i + 1}" for i in range(len(rows[0])))))

    def _row(self) -> tuple[Expr, ...]:
        found = self.expression()
        return found.args if isinstance(found, Call) and found.name == "struct" else (found,)

    def refuse(self) -> None:
        word = self.next.word
        if word in _REFUSED and not self.names_here(NO_TABLES):
            self.unsupported(word, _REFUSED[word])


_JOINS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("JOIN",), "inner"),
    (("INNER", "JOIN"), "inner"),
    (("CROSS", "JOIN"), "cross"),
    (("LEFT", "JOIN"), "left"),
    (("LEFT", "OUTER", "JOIN"), "left"),
    (("RIGHT", "JOIN"), "right"),
    (("RIGHT", "OUTER", "JOIN"), "right"),
    (("FULL", "JOIN"), "full"),
    (("FULL", "OUTER", "JOIN"), "full"),
    (("LEFT", "SEMI", "JOIN"), "semi"),
    (("SEMI", "JOIN"), "semi"),
    (("LEFT", "ANTI", "JOIN"), "anti"),
    (("ANTI", "JOIN"), "anti"),
)


def _uneven(why: str) -> PlanError:
    return PlanError(
        f"Invalid inline table: {why}. Give each row and the list of names the same number.",
        code="INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH",
    )


def changed(tree: Any, change: Callable[[Any], Any]) -> Any:
    """The same expressions with `change` applied to each from the leaves up; tuples of expressions are gone through."""
    if isinstance(tree, tuple):
        return tuple(changed(item, change) for item in tree)
    if not isinstance(tree, (Expr, Frame)):
        return tree
    parts = {
        f.name: changed(getattr(tree, f.name), change)
        for f in dataclasses.fields(tree)
        if f.name not in ("of", "type", "to") and not isinstance(tree, Literal)
    }
    return change(dataclasses.replace(tree, **parts))
