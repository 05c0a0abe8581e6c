"""What `spark.sql` does with a statement."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Any

from app.errors import PlanError
from app.plan import nodes
from app.plan.expressions import Attribute
from app.plan.parse import parse_statement
from app.plan.parse.statement import (
    CreateView,
    DescribeView,
    DropView,
    Explain,
    QueryStatement,
    SetConf,
    ShowTables,
    Statement,
)
from app.sql.arguments import wrong_type
from app.sql.dataframe import DataFrame
from app.sql.expression_text import relation_text

if TYPE_CHECKING:
    from app.sql.session import SparkSession


def run_statement(session: SparkSession, text: Any, args: Any, frames: dict[str, Any]) -> DataFrame:
    """The rows a statement gives; those that give none are carried out now. Raises: ParseError, PlanError."""
    if not isinstance(text, str):
        raise wrong_type("sqlQuery", "str", text)
    tables: dict[str, nodes.Node] = {}
    values: dict[str, Any] = dict(args) if isinstance(args, dict) else {}
    if frames:
        text = _filled(text, frames, tables, values)

    def view(parts: tuple[str, ...]) -> nodes.Node | None:
        return tables[parts[0]] if len(parts) == 1 and parts[0] in tables else session.catalog._find(parts)

    given = values if values or not isinstance(args, (list, tuple)) else args
    raw_strings = session.conf.get("spark.sql.parser.escapedStringLiterals", "false") == "true"
    return _run(session, parse_statement(text, view, given or None, raw_strings))


def _filled(text: str, frames: dict[str, Any], tables: dict[str, nodes.Node], values: dict[str, Any]) -> str:
    """`{name}` replaced: a DataFrame by the name of a table, a Column by its name, the rest by a parameter."""
    parts = []
    for before, name, _spec, _conversion in string.Formatter().parse(text):
        parts.append(before)
        if name is None:
            continue
        if name not in frames:
            raise PlanError(f"No value was given for {{{name}}}.", code="UNBOUND_SQL_PARAMETER", name=name)
        value = frames[name]
        if isinstance(value, DataFrame):
            tables[f"_frame_{name}"] = value._node
            parts.append(f"_frame_{name}")
        elif isinstance(getattr(value, "_expr", None), Attribute):
            parts.append(".".join(f"`{part}`" for part in value._expr.parts))
        else:
            values[f"_value_{name}"] = value
            parts.append(f":_value_{name}")
    return "".join(parts)


def _run(session: SparkSession, statement: Statement) -> DataFrame:
    match statement:
        case QueryStatement(node=node):
            return DataFrame(node, session)
        case CreateView(name=name, node=node, replace=replace, if_not_exists=if_not_exists):
            DataFrame(node, session)
            if not (if_not_exists and session.catalog.tableExists(f"`{name}`")):
                session.catalog._add(f"`{name}`", node, replace)
        case DropView(name=name, if_exists=if_exists):
            if not session.catalog.dropTempView(name) and not if_exists:
                raise PlanError(
                    f"The view `{name}` cannot be found; write DROP VIEW IF EXISTS to pass over it.",
                    code="TABLE_OR_VIEW_NOT_FOUND",
                )
        case SetConf(key=key, value=value):
            return _set(session, key, value)
        case ShowTables(pattern=pattern):
            found = [("", table.name, True) for table in session.catalog.listTables(pattern=pattern)]
            return session.createDataFrame(found, "namespace string, tableName string, isTemporary boolean")
        case DescribeView(node=node):
            columns = [(f.name, f.dataType.simpleString(), None) for f in DataFrame(node, session).schema]
            return session.createDataFrame(columns, "col_name string, data_type string, comment string")
        case Explain(node=node):
            plan = f"== Physical Plan ==\n{relation_text(DataFrame(node, session)._relation)}"
            return session.createDataFrame([(plan,)], "plan string")
    return session.createDataFrame([], "result string").select()


def _set(session: SparkSession, key: str | None, value: str | None) -> DataFrame:
    if key is not None and value is not None:
        session.conf.set(key, value)
        shown = {key: value}
    elif key is not None:
        shown = {key: session.conf.get(key, "<undefined>") or ""}
    else:
        shown = session.conf.getAll
    return session.createDataFrame(sorted(shown.items()), "key string, value string")
