"""LATERAL VIEW: a generator's rows beside each row, under a name of their own."""

from __future__ import annotations

from dataclasses import replace

from app.errors import PlanError
from app.plan.bound import Explode
from app.plan.functions import catalogue
from app.plan.functions.refused import refusal
from app.plan.nodes import LateralView
from app.plan.resolve.expressions import Binder
from app.plan.resolve.outputs import given
from app.plan.resolve.scope import Column, Context, Scope
from app.plan.resolve.subqueries import check_plain
from app.plan.types import StructType


def lateral_view(context: Context, node: LateralView, scope: Scope) -> Scope:
    """The columns of the relation, then those of the generator. Raises: PlanError."""
    known = catalogue().get(node.call.name.lower())
    if known is None and refusal(node.call.name) is None:
        raise PlanError(f"There is no generator `{node.call.name}`. Check the spelling.", code="ROUTINE_NOT_FOUND")
    if known is not None and known.kind != "generator":
        raise PlanError(
            f"The function {node.call.name} is no generator: LATERAL VIEW takes explode, posexplode, inline, stack.",
            code="UNSUPPORTED_GENERATOR.NOT_GENERATOR",
        )
    generator = Binder(context, scope).generator(node.call)
    check_plain((generator,), "a generator")
    outer = node.outer or node.call.name.lower().endswith("_outer")
    fields = given(generator, outer)
    if node.names and len(node.names) != len(fields):
        raise PlanError(
            "The number of aliases supplied in the AS clause does not match the number of columns output by "
            f"{node.call.name}: expected {len(fields)} aliases but got {', '.join(node.names)}.",
            code="UDTF_ALIAS_NUMBER_MISMATCH",
        )
    names = node.names or tuple(field.name for field in fields)
    fields = tuple(replace(field, name=name) for field, name in zip(fields, names, strict=True))
    schema = StructType((*scope.relation.schema.fields, *fields))
    more = (Column(f.name, f.dataType, f.nullable, context.fresh(), qualifier=node.alias) for f in fields)
    return context.scope(Explode(schema, scope.relation, generator, outer), (*scope.columns, *more))
