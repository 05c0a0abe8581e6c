"""PIVOT as an aggregation with filters, UNPIVOT as an explosion of structs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Choose, Const, Explode, Keep, Ref, Select, Typed
from app.plan.coerce import cast, implicitly_castable, least_common_type
from app.plan.expressions import Alias, Attribute, Call, Expr, Literal
from app.plan.functions import lookup
from app.plan.functions.zones import in_zone
from app.plan.java_text import value_text
from app.plan.nodes import Pivot, Unpivot
from app.plan.regions import zone_of
from app.plan.resolve.aggregates import grouped
from app.plan.resolve.expressions import Binder
from app.plan.resolve.names import find_column
from app.plan.resolve.outputs import Output, SelectList, select_list
from app.plan.resolve.pretty import literal_text, pretty
from app.plan.resolve.scope import Column, Context, Scope, schema_of
from app.plan.rewrite import columns_in, parts_of, rebuilt
from app.plan.types import StructField, StructType

_FIRST_OF = (t.IntegralType, t.FloatType, t.DoubleType, t.BooleanType, t.DecimalType)
"""The types for which Spark pivots in two steps, so that a value without rows gives null, for count() too."""


@dataclass(frozen=True, slots=True)
class _Aggregate:
    name: str
    typed: Typed


def pivoted(context: Context, node: Pivot, scope: Scope) -> Scope:
    """The relation of a PIVOT. Raises: PlanError."""
    scope = scope.trimmed()
    binder = Binder(context, scope)
    columns = tuple(binder.bind(column) for column in node.columns)
    for column in columns:
        _check_comparable(column)
    aggregates = [_aggregate(binder, expr) for expr in node.aggregates]
    keys = _keys(context, scope, node, columns, aggregates)
    two_steps = all(isinstance(a.typed.type, _FIRST_OF) for a in aggregates)
    outputs = list(keys.outputs)
    for value, given in node.values:
        condition = _condition(context, binder, columns, value)
        shown = given or _shown(value, context.binding.time_zone)
        for aggregate in aggregates:
            typed = _over(context, aggregate.typed, condition, two_steps)
            name = shown if len(aggregates) == 1 else f"{shown}_{aggregate.name}"
            outputs.append(Output(Column(name, typed.type, typed.nullable, context.fresh()), typed))
    selected = SelectList(outputs, keys.generators, keys.named)
    bound = tuple(dict.fromkeys(keys.exprs))
    names = tuple(next(o.column.name for o in keys.outputs if o.typed == key) for key in bound)
    return grouped(context, scope, bound, names, selected)


def _keys(
    context: Context, scope: Scope, node: Pivot, columns: tuple[Typed, ...], aggregates: list[_Aggregate]
) -> SelectList:
    if node.keys is not None:
        return select_list(context, scope, node.keys)
    used = columns_in((*columns, *(aggregate.typed for aggregate in aggregates)))
    return select_list(context, scope, [at for at in scope.visible() if at not in used])


def _aggregate(binder: Binder, expr: Expr) -> _Aggregate:
    child = expr.child if isinstance(expr, Alias) else expr
    typed = binder.bind(child)
    shown = pretty(child, binder.name_of)
    if _bare(typed):
        raise PlanError(
            f"Aggregate expression required for pivot, but '{shown}' did not appear in any aggregate function.",
            code="_LEGACY_ERROR_TEMP_1006",
        )
    return _Aggregate(expr.names[0] if isinstance(expr, Alias) else shown, typed)


def _bare(typed: Typed) -> bool:
    """Whether a column stands outside all aggregate calls."""
    if isinstance(typed, AggCall):
        return False
    return isinstance(typed, Ref) or any(map(_bare, parts_of(typed)))


def _condition(context: Context, binder: Binder, columns: tuple[Typed, ...], value: Expr) -> Typed:
    parts: tuple[Expr, ...] = (value,)
    if len(columns) > 1:
        is_struct = isinstance(value, Call) and value.name == "struct" and len(value.args) == len(columns)
        parts = value.args if is_struct and isinstance(value, Call) else ()
    bound = [binder.bind(part) for part in parts]
    if columns_in(bound):
        raise PlanError(
            f'Literal expressions required for pivot values, found "{pretty(value)}". Write the value itself.',
            code="NON_LITERAL_PIVOT_VALUES",
        )
    if not parts or not all(map(_fits, bound, columns)):
        kinds = ", ".join(column.type.simpleString() for column in columns)
        raise PlanError(
            f"Invalid pivot value '{pretty(value)}': it does not match the pivot column data type {kinds}.",
            code="PIVOT_VALUE_DATA_TYPE_MISMATCH",
        )
    found: Typed | None = None
    for column, part in zip(columns, bound, strict=True):
        wanted = in_zone(cast(part, column.type), context.binding.time_zone)
        equal: Typed = lookup("<=>").bind(context.binding, (column, wanted))
        found = equal if found is None else lookup("and").bind(context.binding, (found, equal))
    assert found is not None
    return found


def _fits(value: Typed, column: Typed) -> bool:
    number_as_flag = isinstance(value.type, t.NumericType) and isinstance(column.type, t.BooleanType)
    return number_as_flag or implicitly_castable(value.type, column.type)


def _over(context: Context, typed: Typed, condition: Typed, two_steps: bool) -> Typed:
    """An aggregate expression over the rows of one value only."""

    def filtered(part: Typed) -> Typed:
        if not isinstance(part, AggCall):
            return rebuilt(part, filtered)
        both: Typed = condition
        if part.filter is not None:
            both = lookup("and").bind(context.binding, (part.filter, condition))
        return replace(part, filter=both, ignore_nulls=part.ignore_nulls or part.function in ("first", "last"))

    found = filtered(typed)
    if not two_steps or (isinstance(found, AggCall) and found.nullable):
        return found
    rows = lookup("count").bind(context.binding, (Const(t.IntegerType(), False, 1),))
    some = lookup(">").bind(context.binding, (filtered(rows), Const(t.LongType(), False, 0)))
    return Choose(found.type, True, ((some, found),), None)


def _check_comparable(column: Typed) -> None:
    if isinstance(column.type, t.MapType):
        raise PlanError(
            f'Invalid pivot column of type "{column.type.sql()}": pivot columns must be comparable.',
            code="INCOMPARABLE_PIVOT_COLUMN",
        )


def _shown(value: Expr, zone: str) -> str:
    """A constant as a column is called by it: as a cast to a string gives it."""
    match value:
        case Literal(None, _):
            return "null"
        case Literal(datetime() as moment, _):
            moment = moment if moment.tzinfo is None else moment.astimezone(zone_of(zone))
            text = moment.replace(tzinfo=None).isoformat(sep=" ", timespec="microseconds")
            return text.rstrip("0").rstrip(".")
        case Literal(date() | Decimal() as plain, _):
            return str(plain)
        case Literal(int() as far, t.DateType() | t.TimestampNTZType() as kind):
            return value_text(far, isinstance(kind, t.DateType))
        case Literal(constant, kind):
            return literal_text(constant, kind)
        case Call("struct", args):
            return f"{{{', '.join(_shown(arg, zone) for arg in args)}}}"
        case Call("array", args):
            return f"[{', '.join(_shown(arg, zone) for arg in args)}]"
    raise PlanError(
        f"The pivot value {pretty(value)} has no name. Write the value itself, or give it one with AS.",
        code="NON_LITERAL_PIVOT_VALUES",
    )


def unpivoted(context: Context, node: Unpivot, scope: Scope) -> Scope:
    """The relation of an UNPIVOT. Raises: PlanError."""
    scope = scope.trimmed()
    groups = _groups(context, scope, node)
    used = {at for places, _ in groups for at in places}
    if node.ids is None:
        ids = [at for at in scope.visible() if at not in used]
    else:
        ids = [_column(context, scope, expr) for expr in node.ids]
    if not node.nulls and any(scope.key(scope.columns[at].name) in map(scope.key, node.value_names) for at in ids):
        raise PlanError(
            f"Reference `{node.value_names[0]}` is ambiguous: a column that stays has the name of a value column.",
            code="AMBIGUOUS_REFERENCE",
        )
    kinds = [_common(scope, [places[i] for places, _ in groups], node) for i in range(len(node.value_names))]
    items, fields = [], [StructField(node.name, t.StringType(), False)]
    for i, name in enumerate(node.value_names):
        nullable = any(scope.columns[places[i]].nullable for places, _ in groups)
        fields.append(StructField(name, kinds[i], nullable))
    names = [f"col{i}" for i in range(len(fields))]
    struct = StructType([replace(f, name=name) for f, name in zip(fields, names, strict=True)])
    for places, label in groups:
        cells: list[Typed] = [Const(t.StringType(), False, label)]
        cells += [
            in_zone(cast(scope.ref(at), k), context.binding.time_zone) for at, k in zip(places, kinds, strict=True)
        ]
        pairs = [x for name, cell in zip(names, cells, strict=True) for x in (Const(t.StringType(), False, name), cell)]
        items.append(Apply(struct, False, "named_struct", tuple(pairs)))
    array = Apply(t.ArrayType(struct, False), False, "array", tuple(items))
    generator = Apply(array.type, False, "inline", (array,))
    width = len(scope.columns)
    exploded = Explode(StructType((*scope.relation.schema.fields, *fields)), scope.relation, generator)
    refs = tuple(Ref(f.dataType, f.nullable, width + i, f.name) for i, f in enumerate(fields))
    added = tuple(Column(f.name, f.dataType, f.nullable, context.fresh()) for f in fields)
    columns = (*(scope.columns[at] for at in ids), *added)
    kept = exploded if node.nulls else Keep(exploded.schema, exploded, _some(context, refs[1:]))
    relation = Select(schema_of(columns), kept, (*(scope.ref(at) for at in ids), *refs))
    return context.scope(relation, columns)


def _groups(context: Context, scope: Scope, node: Unpivot) -> list[tuple[list[int], str]]:
    """The positions of the columns that come together, and their name."""
    if node.values is None:
        ids = {_column(context, scope, expr) for expr in node.ids or ()}
        found = [([at], scope.columns[at].name) for at in scope.visible() if at not in ids]
    else:
        found = []
        for exprs, label in node.values:
            places = [_column(context, scope, expr) for expr in exprs]
            found.append((places, label or "_".join(scope.columns[at].name for at in places)))
    if not found:
        raise PlanError(
            "At least one value column needs to be specified for UNPIVOT, all columns are specified as ids.",
            code="UNPIVOT_REQUIRES_VALUE_COLUMNS",
        )
    return found


def _column(context: Context, scope: Scope, expr: Expr) -> int:
    if isinstance(expr, Attribute):
        at, rest = find_column(context, scope, expr)
        if not rest:
            return at
    raise PlanError(
        f"UNPIVOT requires all given columns to be columns of the table, but {pretty(expr)} is none. Select it first.",
        code="UNPIVOT_REQUIRES_ATTRIBUTES",
    )


def _common(scope: Scope, places: list[int], node: Unpivot) -> t.DataType:
    kinds = [scope.columns[at].type for at in places]
    found: t.DataType | None = kinds[0]
    for kind in kinds[1:]:
        mixed = found is not None and _is_text(found) != _is_text(kind) and t.NullType() not in (found, kind)
        found = None if found is None or mixed else least_common_type(found, kind)
    if found is None:
        shown = ", ".join(f'{scope.columns[at].sql()} "{scope.columns[at].type.sql()}"' for at in places)
        raise PlanError(
            f"Unpivot value columns must share a least common type, some types do not: [{shown}]. Cast them first.",
            code="UNPIVOT_VALUE_DATA_TYPE_MISMATCH",
        )
    return found


def _is_text(kind: t.DataType) -> bool:
    return isinstance(kind, t.StringType)


def _some(context: Context, refs: Iterable[Typed]) -> Typed:
    found: Typed | None = None
    for ref in refs:
        there: Typed = lookup("isnotnull").bind(context.binding, (ref,))
        found = there if found is None else lookup("or").bind(context.binding, (found, there))
    assert found is not None
    return found
