"""VALUES: tables written out in the text."""

from __future__ import annotations

from dataclasses import replace

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import Concat, Relation, Select, Single, Typed
from app.plan.coerce import cast, least_common_type
from app.plan.coerce_legacy import without_texts
from app.plan.expressions import Expr
from app.plan.functions.zones import in_zone
from app.plan.nodes import InlineTable
from app.plan.resolve.expressions import Binder
from app.plan.resolve.pretty import pretty
from app.plan.resolve.scope import Column, Context, Scope, schema_of
from app.plan.rewrite import aggregates_in, windows_in
from app.plan.types import StructType


def inline_table(context: Context, node: InlineTable) -> Scope:
    """The relation of an inline table. Raises: PlanError."""
    single = Single(StructType())
    binder = Binder(context, context.scope(single, ()))
    rows = [[_bound(binder, expr) for expr in row] for row in node.rows]
    columns = []
    for at, name in enumerate(node.names):
        values = [row[at] for row in rows]
        kind = _common(values, context.binding.ansi)
        if kind is None:
            kinds = ", ".join(dict.fromkeys(f'"{value.type.sql()}"' for value in values))
            raise PlanError(
                f"Invalid inline table: found incompatible types [{kinds}] in the column `{name}`. Cast the values.",
                code="INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE",
            )
        columns.append(Column(name, kind, any(value.nullable for value in values), context.fresh()))
    schema, zone = schema_of(tuple(columns)), context.binding.time_zone
    inputs: list[Relation] = []
    for row in rows:
        cells = tuple(in_zone(cast(value, c.type), zone) for value, c in zip(row, columns, strict=True))
        inputs.append(Select(schema, single, cells))
    columns = [replace(c, nullable=c.nullable or any(_nullable(r, i) for r in inputs)) for i, c in enumerate(columns)]
    relation = inputs[0] if len(inputs) == 1 else Concat(schema_of(tuple(columns)), tuple(inputs))
    return context.scope(relation, tuple(columns))


def _nullable(relation: Relation, at: int) -> bool:
    assert isinstance(relation, Select)
    return relation.exprs[at].nullable


def _bound(binder: Binder, expr: Expr) -> Typed:
    typed = binder.bind(expr)
    if aggregates_in(typed) or windows_in(typed):
        raise PlanError(
            f"Invalid inline table: cannot evaluate the expression {pretty(expr)}. Write a value for each row.",
            code="INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE",
        )
    return typed


def _common(values: list[Typed], ansi: bool) -> t.DataType | None:
    """The type all values of a column become; texts go with texts only."""
    found: t.DataType | None = values[0].type
    for value in values[1:]:
        if found is None:
            return None
        texts = {isinstance(kind, t.StringType) for kind in (found, value.type) if not isinstance(kind, t.NullType)}
        found = None if len(texts) > 1 else (least_common_type if ansi else without_texts)(found, value.type)
    return found
