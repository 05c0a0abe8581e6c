"""SQL statements from text; what they are is in `plan/statements`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.plan.expressions import Expr
from app.plan.parse.arguments import Args
from app.plan.parse.listings import Listings
from app.plan.parse.settings import setting
from app.plan.parse.tables import Views
from app.plan.statements import (
    CreateView,
    DropView,
    Explain,
    Nothing,
    QueryStatement,
    RenameView,
    Statement,
    Use,
)


def parse_statement(
    text: str,
    view: Views,
    args: Args = None,
    raw_strings: bool = False,
    quoted_names: bool = False,
    constant: Callable[[Expr], Any] | None = None,
) -> Statement:
    """The statement of `spark.sql`. `view` and `args` as in `parse_query`.

    With `raw_strings` (spark.sql.parser.escapedStringLiterals), a backslash in a string is just a backslash; with
    `quoted_names` (spark.sql.ansi.doubleQuotedIdentifiers), double quotes hold names. `constant` computes what has to
    be known while the text is read: the argument of IDENTIFIER, of range, of LIMIT; without it, literals are taken.

    Raises: ParseError, PlanError."""
    found = setting(text)
    if found is not None:
        return found
    statements = _Statements(text, view, args, raw_strings, quoted_names)
    if constant is not None:
        statements.constant = constant
    return statements.whole(statements.statement)


class _Statements(Listings):
    def statement(self) -> Statement:
        word = self.next.word
        read: Callable[[], Statement] | None = getattr(self, f"_read_{word.lower()}", None) if word else None
        if read is not None:
            self.advance()
            return read()
        if word in _OTHERS:
            self.unsupported(
                f"The statement {word}",
                "spark.sql runs queries, temporary views, variables and functions, SET, SHOW, DESCRIBE, EXPLAIN; a "
                "lasting table is made and filled by writeStream.toTable().",
            )
        return QueryStatement(self.query())

    def _read_set(self) -> Statement:
        """SET VARIABLE; the other ones are no tokens."""
        self.advance()
        return self.assign()

    def _read_describe(self) -> Statement:
        return self.describe()

    _read_desc = _read_describe

    def _read_show(self) -> Statement:
        return self.show()

    def _read_declare(self) -> Statement:
        return self.declare()

    def _read_execute(self) -> Statement:
        self.need("IMMEDIATE")
        return self.execute()

    def _read_explain(self) -> Statement:
        mode = self.take_any("EXTENDED", "FORMATTED", "CODEGEN", "COST", "LOGICAL")
        return Explain(self.query(), mode in ("EXTENDED", "FORMATTED"))

    def _read_use(self) -> Statement:
        namespace = bool(self.take_any("NAMESPACE", "DATABASE", "SCHEMA"))
        return Use(self.named(), namespace)

    def _read_cache(self) -> Statement:
        """Everything is computed each time it is asked for, so that there is nothing to keep."""
        self.take("LAZY")
        self.need("TABLE")
        if self.ahead(1).word in ("AS", "OPTIONS", "SELECT", "WITH"):
            name = self.name()
            self._options()
            self.take("AS")
            return CreateView(name, self.query())
        self.table_by_name()
        self._options()
        return Nothing()

    def _options(self) -> None:
        if self.take("OPTIONS"):
            self.wrapped(lambda: self.items(self._option))

    def _option(self) -> None:
        self.advance()
        self.take("=")
        self.advance()

    def _read_uncache(self) -> Statement:
        self.need("TABLE")
        if self.take("IF", "EXISTS"):
            self.named()
        else:
            self.table_by_name()
        return Nothing()

    def _read_clear(self) -> Statement:
        self.need("CACHE")
        return Nothing()

    def _read_refresh(self) -> Statement:
        self.take("TABLE")
        self.table_by_name()
        return Nothing()

    # Views

    def _read_create(self) -> Statement:
        start = self.ahead(-1)
        replace = self.take("OR", "REPLACE")
        everywhere = self.take("GLOBAL")
        if not self.take_any("TEMPORARY", "TEMP"):
            if self.next.kind == "end":
                self.fail("expected TEMPORARY VIEW or TEMPORARY FUNCTION")
            self.unsupported(
                f"CREATE {self.next.word}",
                "only CREATE [OR REPLACE] TEMPORARY VIEW name AS query is, and TEMPORARY FUNCTION; a lasting table is "
                "made by writeStream.toTable().",
            )
        if self.take("FUNCTION"):
            return self.create_function(replace)
        self.need("VIEW")
        if_not_exists = self.take("IF", "NOT", "EXISTS")
        name = self._view_name(start)
        if if_not_exists:
            self.reject(
                "CREATE_VIEW_WITH_IF_NOT_EXISTS_AND_REPLACE" if replace else "_LEGACY_ERROR_TEMP_0053",
                f"It is not allowed to define a TEMPORARY view with IF NOT EXISTS: {name}. Write CREATE OR REPLACE.",
                start,
            )
        columns = self.wrapped(lambda: self.items(self._view_column)) if self.at("(") else ()
        self._about_view()
        self.need("AS")
        return CreateView(name, self.query(), replace, columns, everywhere)

    def _view_name(self, start: Any) -> str:
        parts = self.named()
        if len(parts) > 1:
            self.reject(
                "INVALID_TEMP_OBJ_QUALIFIER",
                f"Temporary VIEW `{parts[-1]}` cannot be qualified with `{'.'.join(parts[:-1])}`. Leave that out.",
                start,
                self.ahead(-1),
            )
        return parts[0]

    def _view_column(self) -> str:
        name = self.name()
        if self.take("COMMENT"):
            self.string()
        return name

    def _about_view(self) -> None:
        while self.at("COMMENT") or self.at("TBLPROPERTIES"):
            if self.take("COMMENT"):
                self.string()
            else:
                self.advance()
                self.wrapped(lambda: self.items(self._option))
        if self.at("USING"):
            self.unsupported("CREATE VIEW … USING a format", "read it with spark.read and createOrReplaceTempView().")

    def _read_alter(self) -> Statement:
        if not self.take("VIEW"):
            self.unsupported(f"ALTER {self.next.word}", "only ALTER VIEW name AS query and RENAME TO are.")
        name = self.named()
        if self.take("RENAME", "TO"):
            return RenameView(name, self.named())
        if not self.at_any("AS", "SELECT", "WITH", "FROM", "VALUES", "("):
            self.unsupported(f"ALTER VIEW … {self.next.word}", "only AS query and RENAME TO are.")
        self.take("AS")
        return CreateView(name[-1], self.query(), replace=True, everywhere=len(name) > 1, alters=True)

    def _read_drop(self) -> Statement:
        temporary = bool(self.take_any("TEMPORARY", "TEMP"))
        if temporary and self.take_any("VARIABLE", "VAR"):
            return self.drop_variable()
        if temporary and self.take("FUNCTION"):
            return self.drop_function()
        if self.next.kind == "end" or self.at("VARIABLE"):
            self.fail("expected VIEW, TEMPORARY VARIABLE or TEMPORARY FUNCTION")
        if not self.take("VIEW"):
            self.unsupported(f"DROP {self.next.word}", "only DROP VIEW, TEMPORARY VARIABLE and TEMPORARY FUNCTION are.")
        if_exists = self.take("IF", "EXISTS")
        return DropView(self.named(), if_exists)


_OTHERS_TEXT = (
    "INSERT UPDATE DELETE MERGE ALTER TRUNCATE ANALYZE LOAD GRANT REVOKE ADD LIST MSCK COMMENT CALL BEGIN COPY "
    "EXPORT IMPORT LOCK UNLOCK REPAIR"
)
_OTHERS = frozenset(_OTHERS_TEXT.split())
