"""CASE WHEN."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.errors import PlanError
from app.plan.bound import Choose, Typed
from app.plan.coerce import cast, common_type
from app.plan.coerce_legacy import common, wider
from app.plan.expressions import Case
from app.plan.functions.collations import united
from app.plan.functions.legacy_types import kindly
from app.plan.functions.times_of_day import with_time_type
from app.plan.functions.zones import in_zone
from app.plan.resolve.pretty import pretty

if TYPE_CHECKING:
    from app.plan.resolve.expressions import Binder


def bound_case(binder: Binder, expr: Case) -> Typed:
    """A CASE with types: all values have their common one. Raises: PlanError."""
    shown = pretty(expr, binder.name_of)
    mismatch = f'Cannot resolve "{shown}" due to data type mismatch'
    conditions = [
        binder.boolean(
            binder.bind(condition),
            pretty(condition, binder.name_of),
            "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
            f"{mismatch}: the condition",
        )
        for condition, _ in expr.branches
    ]
    values = [binder.bind(value) for _, value in expr.branches]
    otherwise = None if expr.otherwise is None else binder.bind(expr.otherwise)
    everything = list(united(values if otherwise is None else [*values, otherwise], shown))
    values, otherwise = everything[: len(values)], None if otherwise is None else everything[-1]
    ansi = binder.context.binding.ansi
    kinds_of_all = [value.type for value in everything]
    kind = common_type(kinds_of_all) if ansi else common(kinds_of_all, wider)
    if kind is None:
        kinds = ", ".join(f'"{value.type.sql()}"' for value in everything)
        raise PlanError(
            f"{mismatch}: the values of all branches should have one type, but they are [{kinds}].",
            code="DATATYPE_MISMATCH.DATA_DIFF_TYPES",
        )
    convert = cast if ansi else kindly
    branches = tuple((c, convert(v, kind)) for c, v in zip(conditions, values, strict=True))
    nullable = otherwise is None or any(value.nullable for value in everything)
    chosen = Choose(kind, nullable, branches, None if otherwise is None else convert(otherwise, kind))
    with_time_type(chosen, binder.context.binding, (*conditions, *everything))
    return in_zone(chosen, binder.context.binding.time_zone, (*conditions, *everything))
