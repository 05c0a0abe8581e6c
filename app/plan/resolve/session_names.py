"""What a session has given names to: SQL variables and SQL functions."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import Subquery as BoundSubquery
from app.plan.bound import Typed
from app.plan.expressions import Attribute, Call, Cast, Expr, Lambda, Literal, Subquery
from app.plan.functions.entry import Binding, Routine, TableRoutine
from app.plan.resolve.clauses import by_name
from app.plan.resolve.scope import Unresolved
from app.plan.rewrite import walk

_BARE = {name: name for name in ("current_date", "current_timestamp", "current_user", "current_time")}
_BARE |= {"user": "current_user", "session_user": "current_user"}
_OPENED = (("session",), ("system", "session"))


@dataclasses.dataclass(frozen=True, slots=True)
class Given(Expr):
    """An expression that is bound already: the argument of a SQL function inside its body."""

    typed: Typed
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class GivenQuery(Expr):
    """A subquery in the body of the SQL function `routine`, to which the arguments are columns of the query around."""

    query: Subquery
    routine: str
    arguments: tuple[tuple[str, Given], ...]

    @property
    def text(self) -> str:
        """What messages call it."""
        return "scalarsubquery()"

    def find(self, name: Attribute) -> tuple[Typed, tuple[str, ...]]:
        """The argument that a name means, and the parts behind it. Raises: Unresolved."""
        qualified = len(name.parts) > 1 and name.parts[0].lower() == self.routine.lower()
        first, *rest = name.parts[qualified:]
        found = dict(self.arguments).get(first.lower())
        if found is None:
            raise Unresolved(f"`{self.routine}` has no parameter `{first}`.")
        if any(isinstance(part, BoundSubquery) for part in walk(found.typed)):
            raise PlanError(
                f"An argument of `{self.routine}`, which uses it in a subquery, is the value of a subquery itself. "
                "Select it first.",
                code="UNSUPPORTED_FEATURE",
            )
        return found.typed, tuple(rest)


def variable(binding: Binding, parts: tuple[str, ...]) -> tuple[str, Expr, tuple[str, ...]] | None:
    """The SQL variable a name means: its own name, its value, and the parts behind it, which name fields."""
    lowered = tuple(part.lower() for part in parts)
    for opened in ((), *_OPENED):
        at = len(opened)
        if lowered[:at] == opened and len(parts) > at and (value := binding.variables.get(lowered[at])) is not None:
            return lowered[at], value, parts[at + 1 :]
    return None


def bare_call(parts: tuple[str, ...]) -> Call | None:
    """The function that a name without parentheses means where there is no column of that name."""
    return Call(_BARE[parts[0].lower()]) if len(parts) == 1 and parts[0].lower() in _BARE else None


def variable_text(name: str, value: Expr) -> str:
    """A variable as it stands in generated names."""
    return f"variablereference(system.session.{name}={_sql(value)})"


def _sql(value: Expr) -> str:
    """A constant as Spark's SQL."""
    match value:
        case Cast(child=child):
            return _sql(child)
        case Call(name=name, args=args):
            return f"{name.upper()}({', '.join(map(_sql, args))})"
        case Literal(value=constant, type=kind):
            return _constant(constant, kind)
    raise AssertionError(f"no constant: {value!r}")


def _constant(value: Any, kind: t.DataType) -> str:
    match value:
        case None:
            return f"CAST(NULL AS {kind.sql()})"
        case bool():
            return str(value).lower()
        case str():
            return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
        case bytes():
            return f"X'{value.hex().upper()}'"
        case Decimal():
            return f"{value:f}BD"
        case datetime() | date():
            return f"{kind.sql()} '{value}'"
        case float() if isinstance(kind, t.DoubleType):
            return f"{value}D"
        case int() if isinstance(kind, t.LongType):
            return f"{value}L"
    return str(value)


def expanded(routine: Routine | TableRoutine, arguments: Mapping[str, Given]) -> Expr:
    """What a call of a SQL function stands for, given its arguments by the names of the parameters in lower case.

    Raises: PlanError NOT_A_SCALAR_FUNCTION."""
    if isinstance(routine, TableRoutine):
        raise PlanError(
            f"`{routine.name}` is a table function: it does not stand in an expression. Call it in FROM.",
            code="NOT_A_SCALAR_FUNCTION",
        )

    def put(tree: Any, hidden: frozenset[str]) -> Any:
        if isinstance(tree, tuple):
            return tuple(put(item, hidden) for item in tree)
        if isinstance(tree, Attribute):
            parts = (
                tree.parts[1:] if tree.parts[0].lower() == routine.name.lower() and len(tree.parts) > 1 else tree.parts
            )
            name = parts[0].lower()
            return tree if name in hidden or name not in arguments else _fields(arguments[name], parts[1:])
        if not isinstance(tree, Expr) or isinstance(tree, (Literal, Given)):
            return tree
        if isinstance(tree, Subquery):
            query = dataclasses.replace(tree, values=put(tree.values, hidden))
            return GivenQuery(query, routine.name, tuple(arguments.items()))
        if isinstance(tree, Lambda):
            hidden = hidden | {name.lower() for name in tree.params}
        parts_of = {f.name: put(getattr(tree, f.name), hidden) for f in dataclasses.fields(tree)}
        return dataclasses.replace(tree, **parts_of)

    found: Expr = put(routine.body, frozenset())
    return Cast(found, routine.returns)


def _fields(base: Expr, names: tuple[str, ...]) -> Expr:
    for name in names:
        base = Call("getitem", (base, Literal(name, t.StringType())))
    return base


def given_in_order(routine: Routine | TableRoutine, call: Call) -> tuple[Expr, ...]:
    """The arguments a call gives, in the order of the parameters. Raises: PlanError."""
    given = by_name(tuple(param.name.lower() for param in routine.params), call)
    return tuple(given[param.name.lower()] for param in routine.params if param.name.lower() in given)


def routine_arguments(routine: Routine | TableRoutine, call: Call) -> dict[str, Expr]:
    """The argument for each parameter, defaults filled in, cast to its type. Raises: PlanError."""
    names = tuple(param.name.lower() for param in routine.params)
    given = by_name(names, call)
    missing = [param for param in routine.params if param.name.lower() not in given and param.default is None]
    if len(call.args) > len(names) or missing:
        wanted = len(names) if not missing else sum(param.default is None for param in routine.params)
        raise PlanError(
            f"The `{call.name}` requires {wanted} parameters but the actual number is {len(call.args)}. Give it as "
            "many as that.",
            code="WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
        )
    return {
        param.name.lower(): Cast(
            given.get(param.name.lower()) or param.default or Literal(None, t.NullType()), param.type
        )
        for param in routine.params
    }
