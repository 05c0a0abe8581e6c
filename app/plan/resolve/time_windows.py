"""`window(ts, …)` or `session_window(ts, …)` in a select list or a grouping: a column of windows put under the node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import Apply, Explode, Keep, Ref, Relation, Select, Typed
from app.plan.expressions import Attribute, Call, Expr
from app.plan.functions import lookup
from app.plan.functions.time_windows import session_of, window_of
from app.plan.resolve.expressions import Binder
from app.plan.resolve.scope import Column, Context, Scope
from app.plan.resolve.sessions import MARKER
from app.plan.types import StructField, StructType


def with_time_windows(context: Context, scope: Scope, exprs: tuple[Any, ...]) -> tuple[Scope, tuple[Any, ...]]:
    """The scope with a column for the windows that the expressions name, and the expressions naming that column.

    Raises: PlanError."""
    found = dict.fromkeys(call for call in _windows(exprs) if next(_windows(call.args), None) is None)
    if not found:
        return scope, exprs
    if len(found) > 1:
        raise PlanError(
            "Multiple time/session window expressions would result in a cartesian product of rows, therefore they are "
            "currently not supported. Select one first, then the other.",
            code="_LEGACY_ERROR_TEMP_1039",
        )
    (call,) = found
    binder = Binder(context, scope)
    if call.name.lower() == "session_window":
        return _with_sessions(context, scope, exprs, call)
    time, windows = window_of(context.binding, tuple(binder.bind(arg) for arg in call.args))
    kind = windows.type.elementType if isinstance(windows.type, t.ArrayType) else windows.type
    column = Column("window", kind, isinstance(windows.type, t.ArrayType), context.fresh(), hidden=True)
    relation = _widened(_kept(context, scope.relation, time), windows, column)
    wide = context.scope(relation, (*scope.columns, column))
    marker = object()
    context.remember(marker, replace(wide, columns=(column,)))
    return with_time_windows(context, wide, _replaced(exprs, call, Attribute(("window",), marker)))


def _with_sessions(context: Context, scope: Scope, exprs: tuple[Any, ...], call: Call) -> tuple[Scope, tuple[Any, ...]]:
    """The same for session_window(): rows whose window ends behind its start, and the column marked as one."""
    binder = Binder(context, scope)
    window = session_of(context.binding, tuple(binder.bind(arg) for arg in call.args))
    metadata = {MARKER: True}
    column = Column("session_window", window.type, False, context.fresh(), hidden=True, metadata=metadata)
    longer = lookup(">").bind(context.binding, (window.args[3], window.args[1]))
    relation = _widened(Keep(scope.relation.schema, scope.relation, longer), window, column)
    wide = context.scope(relation, (*scope.columns, column))
    marker = object()
    context.remember(marker, replace(wide, columns=(column,)))
    return with_time_windows(context, wide, _replaced(exprs, call, Attribute(("session_window",), marker)))


def _kept(context: Context, relation: Relation, time: Typed) -> Relation:
    """The rows that have a time."""
    if not time.nullable:
        return relation
    return Keep(relation.schema, relation, lookup("isnotnull").bind(context.binding, (time,)))


def _widened(relation: Relation, windows: Typed, column: Column) -> Relation:
    schema = StructType(
        (*relation.schema.fields, StructField(column.name, column.type, column.nullable, dict(column.metadata)))
    )
    if isinstance(windows.type, t.ArrayType):
        return Explode(schema, relation, Apply(windows.type, False, "explode", (windows,)))
    refs = tuple(Ref(f.dataType, f.nullable, at, f.name) for at, f in enumerate(relation.schema))
    return Select(schema, relation, (*refs, windows))


def _windows(part: Any) -> Iterator[Call]:
    """The calls of `window` and `session_window` in expressions, outer ones first."""
    if isinstance(part, Call) and part.name.lower() in ("window", "session_window"):
        yield part
    for inner in _parts(part):
        yield from _windows(inner)


def _parts(part: Any) -> tuple[Any, ...]:
    if isinstance(part, tuple):
        return part
    return tuple(getattr(part, f.name) for f in fields(part) if f.compare) if isinstance(part, Expr) else ()


def _replaced(part: Any, old: Call, new: Expr) -> Any:
    if part == old:
        return new
    if next(_windows(part), None) is None:
        return part
    if isinstance(part, tuple):
        return tuple(_replaced(inner, old, new) for inner in part)
    return replace(part, **{f.name: _replaced(getattr(part, f.name), old, new) for f in fields(part) if f.compare})
