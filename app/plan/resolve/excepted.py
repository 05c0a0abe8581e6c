"""`* EXCEPT (…)`: columns, and fields of structs, left out of a star."""

from __future__ import annotations

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import Const, Ref, Typed
from app.plan.functions import lookup
from app.plan.resolve.names import find_field
from app.plan.resolve.scope import Context

_Path = tuple[str, ...]


def without_dropped(context: Context, columns: list[Ref], dropped: list[tuple[int, _Path]]) -> list[Typed]:
    """The columns without those at the dropped positions; with a path, only that field of the struct goes.

    Raises: PlanError EXCEPT_OVERLAPPING_COLUMNS."""
    found: list[Typed] = []
    for column in columns:
        paths = [path for at, path in dropped if at == column.index]
        if any(a == b[: len(a)] for i, a in enumerate(paths) for j, b in enumerate(paths) if i != j):
            raise PlanError(
                f"Columns in an EXCEPT list must be distinct and non-overlapping, but `{column.name}` is named twice.",
                code="EXCEPT_OVERLAPPING_COLUMNS",
            )
        if () not in paths:
            found.append(_without_fields(context, column, paths) if paths else column)
    return found


def _without_fields(context: Context, struct: Typed, paths: list[_Path]) -> Typed:
    assert isinstance(struct.type, t.StructType)
    gone = {find_field(struct.type, path[0], context.case_sensitive): path for path in paths}
    args: list[Typed] = []
    for i, field in enumerate(struct.type):
        if i in gone and len(gone[i]) == 1:
            continue
        name = Const(t.StringType(), False, field.name)
        value: Typed = lookup("getitem").bind(context.binding, (struct, name))
        deeper = [path[1:] for path in paths if i in gone and len(path) > 1 and path[0] == gone[i][0]]
        args += [name, _without_fields(context, value, deeper) if deeper else value]
    return lookup("named_struct").bind(context.binding, tuple(args))
