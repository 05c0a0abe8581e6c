"""SQL statements as values; the session carries them out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.plan.nodes import Node
from app.plan.parse.relations import Relations
from app.plan.parse.tables import Views


@dataclass(frozen=True)
class Statement:
    """The base of all statements."""


@dataclass(frozen=True)
class QueryStatement(Statement):
    node: Node


@dataclass(frozen=True)
class CreateView(Statement):
    """`replace` False: an existing view of the name is an error, unless `if_not_exists`."""

    name: str
    node: Node
    replace: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True)
class DropView(Statement):
    name: str
    if_exists: bool = False


@dataclass(frozen=True)
class SetConf(Statement):
    """`SET key = value`; `value` None asks for the value, `key` None too for all."""

    key: str | None = None
    value: str | None = None


@dataclass(frozen=True)
class ShowTables(Statement):
    """SHOW TABLES or SHOW VIEWS; `pattern` as in Spark: `*` any text, `|` alternatives."""

    views_only: bool = False
    pattern: str | None = None


@dataclass(frozen=True)
class DescribeView(Statement):
    """The columns of a view or of a query."""

    node: Node


@dataclass(frozen=True)
class Explain(Statement):
    node: Node
    extended: bool = False


_SET = re.compile(r"\s*SET\b\s*(?:(?P<key>[\w.`-]+)\s*(?:=\s*(?P<value>.*?))?)?\s*;?\s*", re.IGNORECASE | re.DOTALL)


def parse_statement(
    text: str, view: Views, args: Mapping[str, Any] | Sequence[Any] | None = None, raw_strings: bool = False
) -> Statement:
    """The statement of `spark.sql`: a query, CREATE TEMP VIEW, DROP VIEW, SET, SHOW TABLES or VIEWS, DESCRIBE, EXPLAIN.
    `view` and `args` as in `parse_query`; with `raw_strings` (spark.sql.parser.escapedStringLiterals), a backslash in a
    string is just a backslash. Raises: ParseError, PlanError."""
    if match := _SET.fullmatch(text):
        key, value = match["key"], match["value"]
        return SetConf(key.replace("`", "") if key else None, value.strip() if value is not None else None)
    statements = _Statements(text, view, args, raw_strings)
    return statements.whole(statements.statement)


class _Statements(Relations):
    def statement(self) -> Statement:
        if self.take("CREATE"):
            return self._create()
        if self.at("DROP"):
            return self._drop()
        if self.at("SHOW"):
            return self._show()
        if self.take_any("DESCRIBE", "DESC"):
            return self._describe()
        if self.take("EXPLAIN"):
            extended = self.take_any("EXTENDED", "FORMATTED") != ""
            return Explain(self.query(), extended)
        if self.next.word in _OTHERS:
            self.unsupported(
                f"The statement {self.next.word}",
                "spark.sql runs queries, temporary views, SET, SHOW, DESCRIBE, EXPLAIN.",
            )
        return QueryStatement(self.query())

    def _create(self) -> Statement:
        replace = self.take("OR", "REPLACE")
        if not self.take_any("TEMPORARY", "TEMP"):
            self.unsupported(
                f"CREATE {self.next.word}",
                "only CREATE [OR REPLACE] TEMPORARY VIEW name AS query is; a lasting table "
                "is made by writeStream.toTable().",
            )
        self.need("VIEW")
        if_not_exists = self.take("IF", "NOT", "EXISTS")
        name = self.name()
        columns = self.wrapped(lambda: self.items(self.name)) if self.at("(") else ()
        self.need("AS")
        node = self.query()
        return CreateView(name, self.renamed(node, columns) if columns else node, replace, if_not_exists)

    def _drop(self) -> Statement:
        self.need("DROP")
        if not self.at("VIEW"):
            self.unsupported(f"DROP {self.next.word}", "only DROP VIEW [IF EXISTS] name is.")
        self.need("VIEW")
        if_exists = self.take("IF", "EXISTS")
        return DropView(self.name(), if_exists)

    def _show(self) -> Statement:
        self.need("SHOW")
        word = self.take_any("TABLES", "VIEWS")
        if not word:
            self.unsupported(f"SHOW {self.next.word}", "only SHOW TABLES and SHOW VIEWS are.")
        self.take("LIKE")
        pattern = self.string() if self.next.kind == "string" else None
        return ShowTables(word == "VIEWS", pattern)

    def _describe(self) -> Statement:
        self.take("EXTENDED")
        if self.take("QUERY") or self.at_any("SELECT", "WITH", "VALUES", "("):
            return DescribeView(self.query())
        self.take("TABLE")
        return DescribeView(self.view_by_name())


_OTHERS_TEXT = (
    "INSERT UPDATE DELETE MERGE ALTER TRUNCATE USE CACHE UNCACHE REFRESH ANALYZE LOAD GRANT REVOKE ADD "
    "LIST CLEAR MSCK RESET DECLARE EXECUTE COMMENT CALL BEGIN COPY"
)
_OTHERS = frozenset(_OTHERS_TEXT.split())
