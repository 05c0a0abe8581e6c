"""What SHOW, DESCRIBE and EXPLAIN answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.errors import PlanError
from app.plan.functions import INTERNAL, catalogue, lookup, unresolved
from app.plan.functions.entry import TableRoutine
from app.plan.resolve.names import find_field
from app.plan.statements import (
    CreateFunction,
    DescribeFunction,
    DescribeView,
    Explain,
    ShowFunctions,
    ShowNames,
    ShowTables,
)
from app.plan.types import StructType
from app.sql.catalog_lists import matching, no_schema
from app.sql.conf import MEANINGS
from app.sql.dataframe import DataFrame
from app.sql.expression_text import relation_text

if TYPE_CHECKING:
    from app.sql.session import SparkSession

_SYNTAX = ("!=", "<>", "between", "case", "||")
"""Names SHOW FUNCTIONS lists in Spark that are syntax and no functions."""


def tables(session: SparkSession, statement: ShowTables) -> DataFrame:
    """SHOW TABLES and VIEWS: temporary views, those of all sessions first where they are asked for."""
    catalog = session.catalog
    namespace = (statement.namespace or "default").lower()
    if namespace not in ("default", "global_temp", "spark_catalog.default"):
        raise no_schema(namespace)
    shared = matching(catalog._shared_names(), statement.pattern) if namespace == "global_temp" else []
    found: list[tuple[Any, ...]] = [("global_temp", name, True) for name in shared]
    found += [("", table.name, True) for table in catalog.listTables(pattern=statement.pattern)]
    name = "viewName" if statement.views_only else "tableName"
    schema = f"namespace string not null, {name} string not null, isTemporary boolean not null"
    return session.createDataFrame(found, schema)


def columns(session: SparkSession, frame: DataFrame) -> DataFrame:
    """SHOW COLUMNS."""
    return session.createDataFrame([(name,) for name in frame.columns], "col_name string not null")


def functions(session: SparkSession, statement: ShowFunctions) -> DataFrame:
    """SHOW FUNCTIONS: those of the catalogue, and the session's own."""
    known = [] if statement.kind == "user" else [name for name in catalogue() if name not in INTERNAL]
    own = [] if statement.kind == "system" else list(session._variables.routines)
    found = matching(list({*known, *own}), statement.pattern)
    return session.createDataFrame([(name,) for name in found], "function string not null")


def names(session: SparkSession, statement: ShowNames) -> DataFrame:
    """SHOW DATABASES, CATALOGS, CURRENT NAMESPACE."""
    if statement.what == "current":
        schema = "catalog string not null, namespace string not null"
        return session.createDataFrame([("spark_catalog", "default")], schema)
    there, column = (["spark_catalog"], "catalog") if statement.what == "catalogs" else (["default"], "namespace")
    found = [(name,) for name in matching(there, statement.pattern)]
    return session.createDataFrame(found, f"{column} string not null")


def view(session: SparkSession, statement: DescribeView) -> DataFrame:
    """DESCRIBE of a view or query, or of one column of it."""
    schema = DataFrame(statement.node, session).schema
    if statement.column is None:
        rows = [(f.name, f.dataType.simpleString(), f.metadata.get("comment")) for f in schema]
        return session.createDataFrame(rows, "col_name string not null, data_type string not null, comment string")
    f = schema.fields[find_field(schema, statement.column[-1], False)]
    about = {"col_name": f.name, "data_type": f.dataType.simpleString(), "comment": f.metadata.get("comment", "NULL")}
    return session.createDataFrame(list(about.items()), "info_name string not null, info_value string not null")


def function(session: SparkSession, statement: DescribeFunction) -> DataFrame:
    """DESCRIBE FUNCTION: what the catalogue knows, or how a SQL function was made. Raises: PlanError."""
    name = statement.name
    own = session._variables.sources.get(name.lower())
    if own is not None and name.lower() not in catalogue():
        lines = _own(session, own, statement.extended)
    elif name.lower() in INTERNAL:
        raise unresolved(name)
    else:
        found = lookup(name)
        aliases = [other for other, f in catalogue().items() if f is found and other != name.lower()]
        lines = [f"Function: {name.lower()}", f"Type:     {found.kind.upper()}"]
        if found.params:
            lines.append(f"Input:    {', '.join(found.params)}")
        if statement.extended:
            lines.append(f"Deterministic: {str(found.deterministic).lower()}")
            lines += [f"Also called:   {', '.join(sorted(aliases))}"] if aliases else []
    return session.createDataFrame([(line,) for line in lines], "function_desc string not null")


def _own(session: SparkSession, made: CreateFunction, extended: bool) -> list[str]:
    width = 15 if extended else 10

    def line(label: str, text: str) -> str:
        return f"{label:<{width}}{text}"

    params = [
        f"{p.name} {p.type.sql()}" + (f" DEFAULT {getattr(p.default, 'value', '…')}" if p.default is not None else "")
        for p in made.params
    ]
    routine = session._variables.routines[made.name.lower()]
    table = isinstance(routine, TableRoutine)
    lines = [line("Function:", made.name), line("Type:", "TABLE" if table else "SCALAR")]
    lines += [line("Input:" if i == 0 else "", text) for i, text in enumerate(params or ["()"])]
    returned = _columns(routine.returns) if isinstance(routine, TableRoutine) else [routine.returns.sql()]
    lines += [line("Returns:" if i == 0 else "", text) for i, text in enumerate(returned)]
    if extended:
        lines += [line("Comment:", made.comment)] if made.comment else []
        lines.append(line("Body:", made.text))
    return lines


def _columns(returns: StructType) -> list[str]:
    """A line for each column, the first parts equally wide."""
    shown = [f"{field.name} {field.dataType.sql()}" for field in returns]
    return [text.ljust(max(map(len, shown))) for text in shown]


def explained(session: SparkSession, statement: Explain) -> DataFrame:
    """EXPLAIN: the steps of the resolved plan, or why there is none."""
    try:
        plan = f"== Physical Plan ==\n{relation_text(DataFrame(statement.node, session)._relation)}"
        lines = [f"== Parsed Logical Plan ==\n{statement.node!r}\n\n{plan}" if statement.extended else plan]
    except PlanError as error:
        lines = ["Error occurred during query planning: ", *str(error).splitlines()]
    return session.createDataFrame([(line,) for line in lines], "plan string")


def settings(session: SparkSession) -> DataFrame:
    """SET -v: the settings that mean something here, and since which version Spark has them."""
    rows = [(key, session.conf.get(key), meaning, since) for key, (meaning, since) in sorted(MEANINGS.items())]
    schema = "key string not null, value string not null, meaning string not null, `Since version` string not null"
    return session.createDataFrame(rows, schema)
