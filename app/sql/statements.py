"""What `spark.sql` does with a statement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.errors import PlanError
from app.plan import nodes
from app.plan.expressions import Expr
from app.plan.parse import parse_statement
from app.plan.parse.arguments import Arguments
from app.plan.statements import (
    CreateFunction,
    CreateView,
    DeclareVariables,
    DescribeFunction,
    DescribeView,
    DropFunction,
    DropVariable,
    DropView,
    ExecuteImmediate,
    Explain,
    Nothing,
    QueryStatement,
    RenameView,
    ResetConf,
    SetConf,
    SetVariables,
    ShowColumns,
    ShowFunctions,
    ShowNames,
    ShowTables,
    Statement,
    Use,
)
from app.sql import listings
from app.sql.arguments import wrong_type
from app.sql.catalog_lists import no_schema
from app.sql.conf import machine_zone
from app.sql.dataframe import DataFrame
from app.sql.sql_arguments import filled, sql_arguments
from app.sql.variables import computed, constant

if TYPE_CHECKING:
    from app.sql.session import SparkSession

_ZONE = "spark.sql.session.timeZone"


def run_statement(session: SparkSession, text: Any, args: Any, frames: dict[str, Any]) -> DataFrame:
    """The rows a statement gives; those that give none are carried out now. Raises: ParseError, PlanError."""
    if not isinstance(text, str):
        raise wrong_type("sqlQuery", "str", text)
    tables: dict[str, nodes.Node] = {}
    if frames:
        text = filled(text, frames, tables)
    return _run(session, *_parsed(session, text, sql_arguments(args), tables))


def _parsed(
    session: SparkSession, text: str, args: Arguments, tables: dict[str, nodes.Node]
) -> tuple[Statement, frozenset[str]]:
    """The statement, and the names of the views it looked up."""
    used: set[str] = set()

    def view(parts: tuple[str, ...]) -> nodes.Node | None:
        used.add(".".join(parts).lower())
        return tables[parts[0]] if len(parts) == 1 and parts[0] in tables else session.catalog._find(parts)

    def flag(key: str) -> bool:
        return (session.conf.get(key, "false") or "").lower() == "true"

    raw_strings = flag("spark.sql.parser.escapedStringLiterals")
    quoted_names = flag("spark.sql.ansi.doubleQuotedIdentifiers")
    found = parse_statement(text, view, args, raw_strings, quoted_names, lambda expr: computed(session, expr))
    return found, frozenset(used)


def _text(session: SparkSession, expr: Expr) -> str:
    """What EXECUTE IMMEDIATE runs. Raises: PlanError."""
    value = computed(session, expr)
    if not isinstance(value, str):
        kind = session._resolve(nodes.Project(nodes.OneRow(), (expr,))).relation.schema[0].dataType
        if kind.simpleString() != "string":
            raise PlanError(
                f'Expression type must be string type but got "{kind.sql()}".',
                code="INVALID_EXPR_TYPE_FOR_QUERY_EXECUTE_IMMEDIATE",
            )
        raise PlanError(
            "The text of EXECUTE IMMEDIATE is null. Give it a value.",
            code="NULL_QUERY_STRING_EXECUTE_IMMEDIATE",
        )
    return value


def _run(session: SparkSession, statement: Statement, used: frozenset[str]) -> DataFrame:
    match statement:
        case QueryStatement(node=node):
            return DataFrame(node, session)
        case SetConf(described=True):
            return listings.settings(session)
        case SetConf(key=key, value=value):
            return _set(session, key, value)
        case ShowTables():
            return listings.tables(session, statement)
        case ShowColumns(node=node):
            return listings.columns(session, DataFrame(node, session))
        case ShowFunctions():
            return listings.functions(session, statement)
        case ShowNames():
            return listings.names(session, statement)
        case DescribeView():
            return listings.view(session, statement)
        case DescribeFunction():
            return listings.function(session, statement)
        case Explain():
            return listings.explained(session, statement)
        case ExecuteImmediate():
            return _execute(session, statement)
    _carry_out(session, statement, used)
    return session.createDataFrame([], "result string").select()


def _carry_out(session: SparkSession, statement: Statement, used: frozenset[str]) -> None:
    """A statement that gives no rows."""
    match statement:
        case CreateView():
            _create_view(session, statement, used)
        case DropView(name=name, if_exists=if_exists):
            if not session.catalog._drop(name) and not if_exists:
                raise _no_view(name)
        case RenameView(name=name, new=new):
            session.catalog._rename(name, new)
        case ResetConf(key=key):
            session.conf._reset(key)
        case Use(name=name):
            if ".".join(name).lower() not in ("default", "spark_catalog", "spark_catalog.default"):
                raise no_schema(".".join(name))
        case DeclareVariables():
            session._variables.declare(session, statement)
        case SetVariables():
            session._variables.assign(session, statement)
        case DropVariable():
            session._variables.drop(statement)
        case CreateFunction():
            session._variables.create(session, statement)
        case DropFunction():
            session._variables.drop_function(statement)
        case _:
            assert isinstance(statement, Nothing), statement


def _create_view(session: SparkSession, statement: CreateView, used: frozenset[str]) -> None:
    frame, name = DataFrame(statement.node, session), statement.name
    # Names that hang on settings stay what they are now.
    frame = _with_columns(frame, statement) if statement.columns else frame.toDF(*frame.columns)
    lowered = [column.lower() for column in frame.columns]
    if twice := next((column for column in lowered if lowered.count(column) > 1), None):
        raise PlanError(
            f"The column `{twice}` already exists. Choose another name or rename the existing column.",
            code="COLUMN_ALREADY_EXISTS",
        )
    if statement.alters and not session.catalog._has(name, statement.everywhere):
        raise _no_view((name,))
    full = f"global_temp.{name}".lower() if statement.everywhere else name.lower()
    behind = session.catalog._behind(used)
    if statement.replace and full in behind:
        raise PlanError(
            f"Recursive view `{name}` detected (cycle: `{name}` -> `{name}`). Give the new view another name.",
            code="RECURSIVE_VIEW",
        )
    session.catalog._add(f"`{name}`", frame._node, statement.replace, statement.everywhere, behind)


def _with_columns(frame: DataFrame, statement: CreateView) -> DataFrame:
    there, wanted = len(frame.columns), len(statement.columns)
    if there != wanted:
        kind = "TOO_MANY_DATA_COLUMNS" if there > wanted else "NOT_ENOUGH_DATA_COLUMNS"
        raise PlanError(
            f"Cannot create view `{statement.name}`: it names {wanted} columns, and the query has {there}.",
            code=f"CREATE_VIEW_COLUMN_ARITY_MISMATCH.{kind}",
        )
    return frame.toDF(*statement.columns)


def _no_view(name: tuple[str, ...]) -> PlanError:
    shown = ".".join(f"`{part}`" for part in name)
    return PlanError(
        f"The view {shown} cannot be found; write DROP VIEW IF EXISTS to pass over it.", code="TABLE_OR_VIEW_NOT_FOUND"
    )


def _execute(session: SparkSession, statement: ExecuteImmediate) -> DataFrame:
    """EXECUTE IMMEDIATE. Raises: PlanError, ParseError."""
    text = _text(session, statement.text)
    names = [name for name, _ in statement.using if name is not None]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise PlanError(
            "The USING clause of this EXECUTE IMMEDIATE command contained multiple arguments with same alias "
            f"(`{twice}`), which is invalid; please update the command to specify unique aliases and try again.",
            code="EXEC_IMMEDIATE_DUPLICATE_ARGUMENT_ALIASES",
        )
    values = [constant(session, expr)[0] for _, expr in statement.using]
    named = {name: value for (name, _), value in zip(statement.using, values, strict=True) if name is not None}
    args = Arguments(named, tuple(values), len(named) < len(values))
    inner, used = _parsed(session, text, args, {})
    if not statement.into:
        return _run(session, inner, used)
    if not isinstance(inner, QueryStatement):
        raise PlanError(
            "The INTO clause of EXECUTE IMMEDIATE is only valid for queries but the given statement is not a query: "
            f"{text.upper()}.",
            code="INVALID_STATEMENT_FOR_EXECUTE_INTO",
        )
    session._variables.assign_row(session, session._variables.targets(statement.into), inner.node)
    return session.createDataFrame([], "result string").select()


def _set(session: SparkSession, key: str | None, value: str | None) -> DataFrame:
    if key == _ZONE and value == "LOCAL":
        value = machine_zone()
    if key is not None and value is not None:
        session.conf.set(key, value)
        shown = {key: value}
    elif key is not None:
        shown = {key: session.conf.get(key, session.conf._default(key) or "<undefined>") or ""}
    else:
        shown = session.conf.getAll
    return session.createDataFrame(sorted(shown.items()), "key string not null, value string not null")
