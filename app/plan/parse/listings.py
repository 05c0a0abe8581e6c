"""SHOW and DESCRIBE."""

from __future__ import annotations

from app.plan.parse.scripts import Scripts
from app.plan.statements import (
    DescribeFunction,
    DescribeView,
    ShowColumns,
    ShowFunctions,
    ShowNames,
    ShowTables,
    Statement,
)

_NAMESPACES = ("DATABASES", "SCHEMAS", "NAMESPACES")


class Listings(Scripts):
    """Reads statements that say what there is."""

    def show(self) -> Statement:
        """SHOW, behind that word."""
        if self.at("FUNCTIONS") or self.ahead(1).word == "FUNCTIONS":
            return self._show_functions()
        if word := self.take_any("TABLES", "VIEWS"):
            namespace = ".".join(self.named()) if self.take_any("FROM", "IN") else None
            return ShowTables(word == "VIEWS", self._pattern(), namespace)
        if self.take("COLUMNS"):
            return self._show_columns()
        if self.take_any(*_NAMESPACES):
            if self.take_any("FROM", "IN"):
                self.named()
            return ShowNames("namespaces", self._pattern())
        if self.take("CATALOGS"):
            return ShowNames("catalogs", self._pattern())
        if self.take("CURRENT"):
            if not self.take_any("NAMESPACE", "DATABASE", "SCHEMA"):
                self.fail("expected NAMESPACE")
            return ShowNames("current")
        if self.next.kind == "end":
            self.fail("expected TABLES, VIEWS, COLUMNS, FUNCTIONS, DATABASES, CATALOGS")
        return self.unsupported(
            f"SHOW {self.next.text}", "SHOW TABLES, VIEWS, COLUMNS, FUNCTIONS, DATABASES, CATALOGS are there."
        )

    def _show_functions(self) -> Statement:
        kind = self.take_any("USER", "SYSTEM", "ALL").lower() or "all"
        self.need("FUNCTIONS")
        if self.take_any("FROM", "IN"):
            self.named()
        if self.next.kind in ("word", "quoted") and not self.at("LIKE"):
            return ShowFunctions(kind, self.named()[-1])
        return ShowFunctions(kind, self._pattern())

    def _show_columns(self) -> Statement:
        if not self.take_any("FROM", "IN"):
            self.fail("expected FROM or IN")
        node, _ = self.table_by_name()
        if self.take_any("FROM", "IN"):
            self.named()
        return ShowColumns(node)

    def _pattern(self) -> str | None:
        like = self.take("LIKE")
        if self.next.kind == "string":
            return self.string()
        if like:
            self.fail("expected a pattern in quotes")
        return None

    def describe(self) -> Statement:
        """DESCRIBE, behind that word."""
        if self.at("FUNCTION") and self.ahead(1).kind != "end":
            self.advance()
            extended = self.take("EXTENDED")
            token = self.next
            name = self.string() if token.kind == "string" else self.advance().text if token.kind == "sign" else ""
            return DescribeFunction(name or ".".join(self.named()), extended)
        if self.at_any("DATABASE", "SCHEMA", "NAMESPACE", "CATALOG") and self.ahead(1).kind in ("word", "quoted"):
            self.unsupported(f"DESCRIBE {self.next.word}", "there is one namespace, `default`, without properties.")
        query = self.take("QUERY")
        if query or self.at_any("SELECT", "WITH", "VALUES", "FROM", "("):
            return DescribeView(self.query())
        self.take("TABLE")
        if self.at_any("EXTENDED", "FORMATTED") and self.ahead(1).kind in ("word", "quoted"):
            self.advance()
        node, _ = self.table_by_name()
        column = self.dotted() if self.next.kind in ("word", "quoted") else None
        return DescribeView(node, column)
