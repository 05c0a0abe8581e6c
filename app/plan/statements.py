"""SQL statements as values; the session carries them out."""

from __future__ import annotations

from dataclasses import dataclass

from app.plan.expressions import Expr
from app.plan.functions.entry import Parameter
from app.plan.nodes import Node
from app.plan.types import DataType

Name = tuple[str, ...]
"""The parts of a dotted name."""


@dataclass(frozen=True)
class Statement:
    """The base of all statements."""


@dataclass(frozen=True)
class QueryStatement(Statement):
    node: Node


@dataclass(frozen=True)
class Nothing(Statement):
    """A statement that is taken and has nothing to do here: advice to a cluster, a refresh of what is always fresh."""


# Views


@dataclass(frozen=True)
class CreateView(Statement):
    """`replace` False: an existing view of the name is an error. `alters`: there has to be one. `columns`: other names
    for those of the query."""

    name: str
    node: Node
    replace: bool = False
    columns: tuple[str, ...] = ()
    everywhere: bool = False
    """GLOBAL: for all sessions, in the namespace `global_temp`."""
    alters: bool = False


@dataclass(frozen=True)
class DropView(Statement):
    name: Name
    if_exists: bool = False


@dataclass(frozen=True)
class RenameView(Statement):
    name: Name
    new: Name


# Settings


@dataclass(frozen=True)
class SetConf(Statement):
    """`SET key = value`; `value` None asks for the value, `key` None too for all that are set; `described` (SET -v) for
    all that mean something, and what."""

    key: str | None = None
    value: str | None = None
    described: bool = False


@dataclass(frozen=True)
class ResetConf(Statement):
    """RESET of a setting, of all where `key` is None."""

    key: str | None = None


@dataclass(frozen=True)
class Use(Statement):
    """USE of a namespace, or of a catalog."""

    name: Name
    namespace: bool = False


# What there is


@dataclass(frozen=True)
class ShowTables(Statement):
    """SHOW TABLES or SHOW VIEWS; `pattern` as in Spark: `*` any text, `|` alternatives."""

    views_only: bool = False
    pattern: str | None = None
    namespace: str | None = None


@dataclass(frozen=True)
class ShowColumns(Statement):
    node: Node


@dataclass(frozen=True)
class ShowFunctions(Statement):
    """`kind` user, system or all."""

    kind: str = "all"
    pattern: str | None = None


@dataclass(frozen=True)
class ShowNames(Statement):
    """SHOW DATABASES (`namespaces`), CATALOGS (`catalogs`) or CURRENT NAMESPACE (`current`)."""

    what: str
    pattern: str | None = None


@dataclass(frozen=True)
class DescribeView(Statement):
    """The columns of a view or of a query; with `column`, about that one. `table`: a view by its name."""

    node: Node
    column: Name | None = None


@dataclass(frozen=True)
class DescribeFunction(Statement):
    name: str
    extended: bool = False


@dataclass(frozen=True)
class Explain(Statement):
    node: Node
    extended: bool = False


# Variables and functions


@dataclass(frozen=True)
class DeclareVariables(Statement):
    names: tuple[Name, ...]
    type: DataType | None
    default: Expr | None
    replace: bool = False


@dataclass(frozen=True)
class SetVariables(Statement):
    """`values` one a name, None for DEFAULT; or a query of one row with a column a name."""

    names: tuple[Name, ...]
    values: tuple[Expr | None, ...] | Node


@dataclass(frozen=True)
class DropVariable(Statement):
    name: Name
    if_exists: bool = False


@dataclass(frozen=True)
class ExecuteImmediate(Statement):
    """`text` gives a statement; `using` are its parameters, with a name or without; `into` the variables that get the
    row it has."""

    text: Expr
    into: tuple[Name, ...] = ()
    using: tuple[tuple[str | None, Expr], ...] = ()


@dataclass(frozen=True)
class CreateFunction(Statement):
    """`body` is an expression or, of a function that gives a table, a plan node; `returns` None: its type."""

    name: str
    params: tuple[Parameter, ...]
    returns: DataType | None
    body: Expr | Node
    text: str
    replace: bool = False
    comment: str | None = None


@dataclass(frozen=True)
class DropFunction(Statement):
    name: Name
    if_exists: bool = False
