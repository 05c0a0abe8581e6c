"""SQL variables, functions and statements that are put together: DECLARE, SET VARIABLE, EXECUTE IMMEDIATE, …"""

from __future__ import annotations

from typing import Any

from app.errors import PlanError
from app.plan.expressions import Alias, Expr, Subquery
from app.plan.functions.entry import Parameter
from app.plan.nodes import Node
from app.plan.parse.pipes import Pipes
from app.plan.parse.tables import changed
from app.plan.statements import (
    CreateFunction,
    DeclareVariables,
    DropFunction,
    DropVariable,
    ExecuteImmediate,
    Name,
    SetVariables,
    Statement,
)
from app.plan.types import StructField, StructType


def holds_subquery(expr: Expr) -> bool:
    """Whether a query stands in an expression."""
    found: list[Expr] = []

    def look(part: Any) -> Any:
        found.extend([part] if isinstance(part, Subquery) else [])
        return part

    changed(expr, look)
    return bool(found)


class Scripts(Pipes):
    """Reads what concerns variables and functions of the session."""

    def declare(self) -> Statement:
        """DECLARE, behind its first word."""
        start = self.ahead(-1)
        replace = self.take("OR", "REPLACE")
        if self.at_any("VARIABLE", "VAR") and self.ahead(1).kind in ("word", "quoted"):
            self.advance()
        names = self.items(self.named)
        kind = None if self.at_any("DEFAULT", "=") or self.next.kind in ("end", "sign") else self.type()
        default = self.expression() if self.take_any("DEFAULT", "=") else None
        if default is not None and holds_subquery(default):
            raise PlanError(
                "Failed to execute DECLARE VARIABLE because the DEFAULT value contains a subquery,"
                " which is not allowed. Declare the variable first, then write SET VARIABLE.",
                code="INVALID_DEFAULT_VALUE.SUBQUERY_EXPRESSION",
            )
        if kind is None and default is None:
            self.reject(
                "INVALID_SQL_SYNTAX.VARIABLE_TYPE_OR_DEFAULT_REQUIRED",
                "Invalid SQL syntax: The definition of a SQL variable requires either a datatype or a DEFAULT clause. "
                "Use `DECLARE name STRING` or `DECLARE name = 'value'`.",
                start,
                self.ahead(-1),
            )
        return DeclareVariables(names, kind, default, replace)

    def assign(self) -> Statement:
        """SET VARIABLE, behind that word: assignments, or names in parentheses and a query."""
        if self.at("("):
            names = self.wrapped(lambda: self.items(self.named))
            self._equals()
            query: Node = self.wrapped(self.query)
            return SetVariables(names, query)
        pairs = self.items(self._assigned)
        return SetVariables(tuple(name for name, _ in pairs), tuple(value for _, value in pairs))

    def _assigned(self) -> tuple[Name, Expr | None]:
        name = self.named()
        self._equals()
        if self.at("DEFAULT") and self.ahead(1).kind in ("end", "sign") and self.ahead(1).word not in (".", "("):
            self.advance()
            return name, None
        return name, self.expression()

    def _equals(self) -> None:
        if not self.take_any("=", "=="):
            self.fail("expected '='")

    def drop_variable(self) -> Statement:
        """DROP [TEMPORARY] VARIABLE, behind that word."""
        if_exists = self.take("IF", "EXISTS")
        return DropVariable(self.named(), if_exists)

    def execute(self) -> Statement:
        """EXECUTE IMMEDIATE, behind these words."""
        text = self.expression()
        into: tuple[Name, ...] = self.items(self.named) if self.take("INTO") else ()
        using: tuple[tuple[str | None, Expr], ...] = ()
        if self.take("USING"):
            found = self.wrapped(lambda: self.items(self._given)) if self.at("(") else self.items(self._given)
            using = tuple(found)
        return ExecuteImmediate(text, into, using)

    def _given(self) -> tuple[str | None, Expr]:
        found = self.named_expression()
        return (found.names[0], found.child) if isinstance(found, Alias) else (None, found)

    # Functions

    def create_function(self, replace: bool) -> Statement:
        """CREATE TEMPORARY FUNCTION, behind these words."""
        first = self.next
        if self.take("IF", "NOT", "EXISTS"):
            kind = "CREATE_ROUTINE_WITH_IF_NOT_EXISTS_AND_REPLACE" if replace else "CREATE_TEMP_FUNC_WITH_IF_NOT_EXISTS"
            why = "Invalid SQL syntax: CREATE TEMPORARY FUNCTION with IF NOT EXISTS is not allowed. Write OR REPLACE."
            self.reject(f"INVALID_SQL_SYNTAX.{kind}", why, first, self.ahead(-1))
        name = self.named()
        if len(name) > 1:
            self.reject(
                "INVALID_TEMP_OBJ_QUALIFIER",
                f"Temporary FUNCTION `{name[-1]}` cannot be qualified with `{'.'.join(name[:-1])}`. Leave that out.",
                self.ahead(-1),
            )
        if not self.at("("):
            self.unsupported(
                "CREATE FUNCTION … AS a class",
                "write the function in SQL: CREATE TEMPORARY FUNCTION f(x INT) RETURN x + 1.",
            )
        params = () if self.take("(", ")") else self.wrapped(lambda: self.items(self._declared))
        returns, comment, table = None, None, False
        while not self.take("RETURN"):
            if self.take("RETURNS"):
                table = self.take("TABLE")
                returns = self._columns() if table else self.type()
            elif self.take("COMMENT"):
                comment = self.string()
            elif not self._trait():
                self.fail("expected RETURN")
        start = self.next.start
        body = self._table_body(name[0]) if table else self.expression()
        text = self.sql[start : self.ahead(-1).end]
        return CreateFunction(name[0], params, returns, body, text, replace, comment)

    def _columns(self) -> StructType | None:
        """The columns behind RETURNS TABLE, if they are given."""
        if not self.at("("):
            return None
        columns = self.wrapped(lambda: self.items(self._declared))
        return StructType([StructField(column.name, column.type) for column in columns])

    def _table_body(self, name: str) -> Node:
        if not self.at_any("SELECT", "WITH", "FROM", "TABLE", "VALUES", "("):
            raise PlanError(
                f"User defined function is invalid: SQL table function {name} body must be a query. Write "
                "RETURN SELECT.",
                code="USER_DEFINED_FUNCTIONS.SQL_TABLE_UDF_BODY_MUST_BE_A_QUERY",
            )
        return self.query()

    def _trait(self) -> bool:
        """What may be said about a function without changing what it gives."""
        words = (
            ("DETERMINISTIC",), ("NOT", "DETERMINISTIC"), ("CONTAINS", "SQL"),
            ("READS", "SQL", "DATA"), ("LANGUAGE", "SQL"),
        )  # fmt: skip
        return any(self.take(*trait) for trait in words)

    def _declared(self) -> Parameter:
        name, kind = self.name(), self.type()
        default = self.expression() if self.take("DEFAULT") else None
        if self.take("COMMENT"):
            self.string()
        return Parameter(name, kind, default)

    def drop_function(self) -> Statement:
        """DROP TEMPORARY FUNCTION, behind these words."""
        if_exists = self.take("IF", "EXISTS")
        return DropFunction(self.named(), if_exists)
