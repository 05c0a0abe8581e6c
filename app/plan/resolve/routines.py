"""Calls of SQL functions that give tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from app.errors import PlanError
from app.plan.expressions import Alias
from app.plan.functions.entry import TableRoutine
from app.plan.functions.zones import in_zone
from app.plan.nodes import LateralJoin, Named, Node, OneRow, Project, RoutineCall
from app.plan.resolve.casts import cast_to
from app.plan.resolve.scope import Context, Scope
from app.plan.resolve.session_names import routine_arguments


def table_call(context: Context, node: RoutineCall, scope_of: Callable[[Node], Scope]) -> Scope:
    """The rows of the function's query, to which its arguments are a row around it. Raises: PlanError."""
    name = node.call.name
    routine = context.binding.routines.get(name.lower())
    if routine is None:
        raise PlanError(
            f"There is no table function `{name}`. Make it: CREATE TEMPORARY FUNCTION {name}(…) RETURNS TABLE.",
            code="UNRESOLVABLE_TABLE_VALUED_FUNCTION",
            name=name,
        )
    if not isinstance(routine, TableRoutine):
        raise PlanError(
            f"The function `{name}` is a scalar function: it does not stand in FROM. Call it in SELECT.",
            code="NOT_A_TABLE_FUNCTION",
        )
    arguments = routine_arguments(routine, node.call)
    given = Project(OneRow(), tuple(Alias(arg, (param,)) for param, arg in arguments.items()))
    both = scope_of(LateralJoin(Named(given, routine.name), routine.query))
    binding, width = context.binding, len(arguments)
    found = [(both.ref(at), column) for at, column in enumerate(both.columns)][width:]
    values, columns = [], []
    for (value, column), field in zip(found, routine.returns, strict=True):
        typed = in_zone(cast_to(value, field.dataType, False, binding.ansi, field.name), binding.time_zone, (value,))
        values.append(typed)
        columns.append(replace(column, name=field.name, type=typed.type, nullable=typed.nullable))
    return context.scope(both.picked(tuple(values), tuple(columns)), tuple(columns)).named(name)
