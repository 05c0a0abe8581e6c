"""SQL variables and SQL functions of a session, and EXECUTE IMMEDIATE."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from app.engine.host import current_host
from app.errors import PlanError, RowError
from app.kernel.values import plain_values
from app.plan import nodes
from app.plan import types as t
from app.plan.bound import Explode, Grouped, Ref, Windowed
from app.plan.expressions import Alias, Attribute, Call, Cast, Expr, Literal
from app.plan.functions import catalogue
from app.plan.functions.entry import Routine, TableRoutine
from app.plan.resolve import resolve
from app.plan.resolve.casts import cast_to
from app.plan.statements import CreateFunction, DeclareVariables, DropFunction, DropVariable, Name, SetVariables

if TYPE_CHECKING:
    from app.sql.session import SparkSession

_EPOCH = datetime(1970, 1, 1)
_PATH = "[`system`.`builtin`, `system`.`session`, `spark_catalog`.`default`]"


@dataclass(frozen=True)
class Variable:
    """`value` is a constant of the type; `default` is computed anew whenever DEFAULT is assigned."""

    type: t.DataType
    default: Expr
    value: Expr


class Variables:
    """The variables and functions of one session, by name in lower case."""

    def __init__(self) -> None:
        self._variables: dict[str, Variable] = {}
        self.routines: dict[str, Routine | TableRoutine] = {}
        self.sources: dict[str, CreateFunction] = {}
        """The functions as they were written."""

    def values(self) -> dict[str, Expr]:
        """The values, as constants."""
        return {name: found.value for name, found in self._variables.items()}

    def declare(self, session: SparkSession, statement: DeclareVariables) -> None:
        """Makes the variables. Raises: PlanError VARIABLE_ALREADY_EXISTS."""
        names = [_local(parts) for parts in statement.names]
        for parts, name in zip(statement.names, names, strict=True):
            if name is None:
                raise PlanError(
                    f"Cannot resolve variable {_quoted(parts)} on search path [`system`.`session`]. Leave the "
                    "qualifier out, or write session.",
                    code="UNRESOLVED_VARIABLE",
                )
            if not statement.replace and name in self._variables:
                raise PlanError(
                    f"Cannot create the variable `system`.`session`.`{name}` because it already exists. Choose a "
                    "different name, or write DECLARE OR REPLACE.",
                    code="VARIABLE_ALREADY_EXISTS",
                )
        default = statement.default or Literal(None, t.NullType())
        value, kind = constant(session, default, statement.type)
        for name in names:
            assert name is not None
            self._variables[name] = Variable(kind, default, value)

    def assign(self, session: SparkSession, statement: SetVariables) -> None:
        """Gives the variables new values, all at once. Raises: PlanError."""
        names = [self._known(parts) for parts in statement.names]
        _check_once(names)
        if isinstance(statement.values, nodes.Node):
            self.assign_row(session, names, statement.values)
            return
        exprs = [
            self._variables[name].default if expr is None else expr
            for name, expr in zip(names, statement.values, strict=True)
        ]
        kinds = [self._variables[name].type for name in names]
        self._put(names, [constant(session, expr, kind)[0] for expr, kind in zip(exprs, kinds, strict=True)])

    def targets(self, names: Sequence[Name]) -> list[str]:
        """The variables an INTO names. Raises: PlanError."""
        found = [self._known(parts, "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION") for parts in names]
        _check_once(found)
        return found

    def assign_row(self, session: SparkSession, names: Sequence[str], query: nodes.Node) -> None:
        """Gives the variables what the one row of a query holds, null where it has none.

        Raises: PlanError, RowError."""
        relation = session._resolve(query).relation
        if len(relation.schema) != len(names):
            raise PlanError(
                f"The number of columns or variables assigned or aliased: {len(names)} does not match the number of "
                f"source expressions: {len(relation.schema)}.",
                code="ASSIGNMENT_ARITY_MISMATCH",
            )
        kinds = [self._variables[name].type for name in names]
        columns = tuple(f"c{i}" for i in range(len(names)))
        casts = (Cast(Attribute((c,)), kind) for c, kind in zip(columns, kinds, strict=True))
        named = tuple(Alias(cast, (c,)) for cast, c in zip(casts, columns, strict=True))
        rows = _rows(session, nodes.Limit(nodes.Project(nodes.Relabel(query, columns), named), 2))
        if len(rows) > 1:
            raise RowError(
                "More than one row returned by a subquery used as a row. Add LIMIT 1, or aggregate.",
                code="ROW_SUBQUERY_TOO_MANY_ROWS",
            )
        row = rows[0] if rows else [None] * len(names)
        self._put(names, [expression(value, kind) for value, kind in zip(row, kinds, strict=True)])

    def drop(self, statement: DropVariable) -> None:
        """Raises: PlanError VARIABLE_NOT_FOUND."""
        name = _local(statement.name)
        if name in self._variables:
            del self._variables[name]
        elif not statement.if_exists:
            raise PlanError(
                f"The variable `system`.`session`.`{statement.name[-1]}` cannot be found. Verify the spelling, or "
                "write DROP TEMPORARY VARIABLE IF EXISTS.",
                code="VARIABLE_NOT_FOUND",
            )

    def _put(self, names: Sequence[str], values: Sequence[Expr]) -> None:
        for name, value in zip(names, values, strict=True):
            old = self._variables[name]
            self._variables[name] = Variable(old.type, old.default, value)

    def _known(self, parts: Name, code: str = "UNRESOLVED_VARIABLE") -> str:
        name = _local(parts)
        if name is None or name not in self._variables:
            raise PlanError(
                f"Cannot resolve variable {_quoted(parts)} on search path {_PATH}. Declare it first: DECLARE "
                f"{parts[-1]} INT.",
                code=code,
            )
        return name

    # Functions

    def create(self, session: SparkSession, statement: CreateFunction) -> None:
        """Makes a SQL function, whose body is checked now. Raises: PlanError."""
        key = statement.name.lower()
        if key in self.routines and not statement.replace:
            raise PlanError(
                f"Cannot create the routine `{statement.name}` because a routine of that name already exists. Choose "
                "a different name, or write CREATE OR REPLACE.",
                code="ROUTINE_ALREADY_EXISTS",
            )
        names = [param.name.lower() for param in statement.params]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise PlanError(
                "Found duplicate name(s) in the parameter list of the user-defined routine "
                f"{statement.name}: `{twice}`.",
                code="DUPLICATE_ROUTINE_PARAMETER_NAMES",
            )
        nothing = Literal(None, t.NullType())
        params = tuple(Alias(Cast(nothing, param.type), (param.name,)) for param in statement.params)
        given = nodes.Named(nodes.Project(nodes.OneRow(), params), statement.name)
        if isinstance(statement.body, nodes.Node):
            made: Routine | TableRoutine = self._table(session, statement, statement.body, given)
        else:
            made = self._scalar(session, statement, statement.body, given)
        _check_parameters(statement)
        self.routines[key] = made
        self.sources[key] = statement

    def _scalar(self, session: SparkSession, statement: CreateFunction, body: Expr, given: nodes.Node) -> Routine:
        typed = session._resolve(nodes.Project(given, (Alias(body, ("value",)),))).relation
        if any(isinstance(node, Grouped | Windowed | Explode) for node in typed.walk()):
            raise PlanError(
                "User defined function is invalid: SQL scalar function cannot contain aggregate/window/generate "
                f"functions: {statement.text}. Use them in the query instead.",
                code="USER_DEFINED_FUNCTIONS.CANNOT_CONTAIN_COMPLEX_FUNCTIONS",
            )
        value = typed.schema[0]
        returns = statement.returns or value.dataType
        cast_to(Ref(value.dataType, value.nullable, 0, value.name), returns, False, True, statement.text)
        return Routine(statement.name, statement.params, body, returns)

    def _table(
        self, session: SparkSession, statement: CreateFunction, query: nodes.Node, given: nodes.Node
    ) -> TableRoutine:
        found = session._resolve(nodes.LateralJoin(given, query)).relation.schema.fields[len(statement.params) :]
        returns = statement.returns or t.StructType(found)
        assert isinstance(returns, t.StructType)
        if twice := next((name for name in returns.names if returns.names.count(name) > 1), None):
            raise PlanError(
                f"Found duplicate column(s) in the RETURNS clause column list of the routine {statement.name}: "
                f"`{twice}`.",
                code="DUPLICATE_ROUTINE_RETURNS_COLUMNS",
            )
        if len(returns) != len(found):
            raise PlanError(
                f"User defined function is invalid: The number of columns produced by the RETURN clause ({len(found)}) "
                f"does not match the number of column names in the RETURNS clause ({len(returns)}) of "
                f"{statement.name}.",
                code="USER_DEFINED_FUNCTIONS.RETURN_COLUMN_COUNT_MISMATCH",
            )
        for at, (value, field) in enumerate(zip(found, returns, strict=True)):
            cast_to(Ref(value.dataType, value.nullable, at, value.name), field.dataType, False, True, statement.text)
        return TableRoutine(statement.name, statement.params, query, returns)

    def drop_function(self, statement: DropFunction) -> None:
        """Raises: PlanError ROUTINE_NOT_FOUND."""
        key = statement.name[-1].lower()
        if key in catalogue() and key not in self.routines:
            raise PlanError(
                f"The operation DROP is not allowed on the FUNCTION: `{key}`, which is built in.",
                code="FORBIDDEN_OPERATION",
            )
        if self.routines.pop(key, None) is None and not statement.if_exists:
            raise PlanError(
                f"The routine `{statement.name[-1]}` cannot be found. Verify the spelling, or "
                "write DROP TEMPORARY FUNCTION IF EXISTS.",
                code="ROUTINE_NOT_FOUND",
            )
        self.sources.pop(key, None)


def _check_once(names: Sequence[str]) -> None:
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise PlanError(
            f"The columns or variables `{twice}` appear more than once as assignment targets. Assign it once.",
            code="DUPLICATE_ASSIGNMENTS",
        )


def _check_parameters(statement: CreateFunction) -> None:
    for param, behind in pairwise(statement.params):
        if param.default is not None and behind.default is None:
            raise PlanError(
                f"User defined function is invalid: In routine `{statement.name}` parameter `{param.name}` with "
                f"DEFAULT must not be followed by parameter `{behind.name}` without DEFAULT.",
                code="USER_DEFINED_FUNCTIONS.NOT_A_VALID_DEFAULT_PARAMETER_POSITION",
            )


def constant(session: SparkSession, expr: Expr, kind: t.DataType | None = None) -> tuple[Expr, t.DataType]:
    """The value of an expression without columns as a constant, cast to `kind` if given, and its type.

    Raises: PlanError, RowError."""
    if kind is None:
        kind = session._resolve(_one_row(expr)).relation.schema[0].dataType
    value = _rows(session, _one_row(Cast(expr, kind)))[0][0]
    return expression(value, kind), kind


def computed(session: SparkSession, expr: Expr) -> Any:
    """The plain value of an expression without columns. Raises: PlanError, RowError."""
    if isinstance(expr, Literal):
        return expr.value
    return _rows(session, _one_row(expr))[0][0]


def _one_row(expr: Expr) -> nodes.Node:
    return nodes.Project(nodes.OneRow(), (Alias(expr, ("value",)),))


def _rows(session: SparkSession, node: nodes.Node) -> list[list[Any]]:
    table = current_host().engine.collect(resolve(node, session._binding()))
    return [list(row) for row in zip(*map(plain_values, table.columns), strict=True)]


def _local(parts: Name) -> str | None:
    """The name of a variable without the session's qualifiers; None under another qualifier."""
    lowered = tuple(part.lower() for part in parts)
    if lowered[:-1] in ((), ("session",), ("system", "session")):
        return lowered[-1]
    return None


def _quoted(parts: Name) -> str:
    return ".".join(f"`{part}`" for part in parts)


def expression(value: Any, kind: t.DataType) -> Expr:
    """A plain value (see `plain_values`) of a type as an expression that computes nothing."""
    if value is None:
        return Literal(None, kind)
    match kind:
        case t.ArrayType(elementType=item):
            return Cast(Call("array", tuple(expression(v, item) for v in value)), kind)
        case t.MapType(keyType=key, valueType=item):
            pairs = tuple(expression(v, of) for pair in value for v, of in zip(pair, (key, item), strict=True))
            return Cast(Call("map", pairs), kind)
        case t.StructType():
            fields = zip(kind.fields, value, strict=True)
            parts = (part for f, v in fields for part in (Literal(f.name, t.StringType()), expression(v, f.dataType)))
            return Cast(Call("named_struct", tuple(parts)), kind)
    read = _FROM_PLAIN.get(type(kind))
    return Literal(value if read is None else read(value), kind)


_FROM_PLAIN: dict[type[t.DataType], Callable[[int], Any]] = {
    t.DateType: lambda days: date(1970, 1, 1) + timedelta(days=days),
    t.TimestampType: lambda micros: _EPOCH.replace(tzinfo=UTC) + timedelta(microseconds=micros),
    t.TimestampNTZType: lambda micros: _EPOCH + timedelta(microseconds=micros),
    t.DayTimeIntervalType: lambda micros: timedelta(microseconds=micros),
}
