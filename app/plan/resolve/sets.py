"""UNION, INTERSECT, EXCEPT and the removal of duplicates."""

from __future__ import annotations

from dataclasses import replace

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import Combined, Concat, Const, FirstOf, Ref, Relation, Typed
from app.plan.coerce import cast, contains, least_common_type
from app.plan.coerce_legacy import wider
from app.plan.functions.calendar_intervals import refuse_as_key
from app.plan.functions.legacy_types import kindly
from app.plan.functions.zones import in_zone
from app.plan.nodes import Deduplicate, SetOperation, Union
from app.plan.resolve.names import unresolved
from app.plan.resolve.scope import Column, Context, Scope, schema_of

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def union(context: Context, node: Union, left: Scope, right: Scope) -> Scope:
    """UNION ALL of two relations; names are those of the left one. Raises: PlanError."""
    left, right = left.trimmed(), right.trimmed()
    if node.by_name:
        left, right = _by_name(context, left, right, node.allow_missing)
    if len(left.columns) != len(right.columns):
        raise PlanError(
            "UNION can only be performed on inputs with the same number of columns, but the first input has "
            f"{len(left.columns)} columns and the second input has {len(right.columns)} columns.",
            code="NUM_COLUMNS_MISMATCH",
        )
    pairs = zip(left.columns, right.columns, strict=True)
    columns = tuple(_common(context, at, a, b) for at, (a, b) in enumerate(pairs))
    zone = context.binding.time_zone
    ansi = context.binding.ansi
    inputs = (*_inputs(left, columns, zone, ansi), *_inputs(right, columns, zone, ansi))
    return context.scope(Concat(schema_of(columns), inputs), columns)


def combined(context: Context, node: SetOperation, left: Scope, right: Scope) -> Scope:
    """INTERSECT or EXCEPT of two relations; names are those of the left one. Raises: PlanError."""
    left, right = left.trimmed(), right.trimmed()
    word = node.kind.upper()
    if len(left.columns) != len(right.columns):
        raise PlanError(
            f"{word} can only be performed on inputs with the same number of columns, but the first input has "
            f"{len(left.columns)} columns and the second input has {len(right.columns)} columns.",
            code="NUM_COLUMNS_MISMATCH",
        )
    for scope in (left, right):
        check_comparable(scope, scope.visible())
    pairs = zip(left.columns, right.columns, strict=True)
    columns = tuple(_common(context, at, a, b, word) for at, (a, b) in enumerate(pairs))
    sides = [
        scope.picked(
            tuple(in_zone(cast(scope.ref(at), c.type), context.binding.time_zone) for at, c in enumerate(columns)),
            columns,
        )
        for scope in (left, right)
    ]
    return context.scope(Combined(schema_of(columns), sides[0], sides[1], node.kind, node.every), columns)


def deduplicated(context: Context, node: Deduplicate, scope: Scope) -> Scope:
    """The first row of each value of some columns. Raises: PlanError."""
    scope = scope.trimmed()
    positions = list(range(len(scope.columns))) if node.columns is None else []
    for name in node.columns or ():
        found = scope.by_name.get(scope.key(name), [])
        if not found:
            raise _missing(scope, name)
        positions += found
    check_comparable(scope, positions)
    relation = FirstOf(scope.relation.schema, scope.relation, tuple(dict.fromkeys(positions)))
    return replace(scope, relation=relation, host=None)


def check_comparable(scope: Scope, positions: list[int]) -> None:
    """Returns where rows can be told apart by these columns. Raises: PlanError for maps, variants and calendar
    intervals."""
    refuse_as_key("DISTINCT", (scope.columns[at].type for at in positions))
    for kind, name in ((t.MapType, "MAP"), (t.VariantType, "VARIANT")):
        for at in positions:
            if contains(scope.columns[at].type, kind):
                raise PlanError(
                    f"The feature is not supported: duplicates cannot be told apart by the {name.lower()} column "
                    f'{scope.columns[at].sql()} of type "{scope.columns[at].type.sql()}".',
                    code=f"UNSUPPORTED_FEATURE.SET_OPERATION_ON_{name}_TYPE",
                )


def _common(context: Context, at: int, ours: Column, theirs: Column, word: str = "UNION") -> Column:
    ansi = context.binding.ansi
    kind = (least_common_type if ansi else wider)(ours.type, theirs.type)
    if kind is None:
        nth = _ORDINALS[at] if at < len(_ORDINALS) else f"{at + 1}th"
        raise PlanError(
            f"{word} can only be performed on tables with compatible column types. The "
            f'{nth} column of the second table is "{theirs.type.sql()}" type which is not compatible with '
            f'"{ours.type.sql()}" at the same column of the first table.',
            code="INCOMPATIBLE_COLUMN_TYPE",
        )
    sides = [(cast if ansi else kindly)(Ref(c.type, c.nullable, at, c.name), kind).nullable for c in (ours, theirs)]
    nullable = {"UNION": any(sides), "INTERSECT": all(sides), "EXCEPT": sides[0]}[word]
    return replace(ours, type=kind, nullable=nullable)


def _inputs(scope: Scope, columns: tuple[Column, ...], zone: str, ansi: bool) -> tuple[Relation, ...]:
    """The relation with its columns cast; a union inside a union becomes part of it."""
    convert = cast if ansi else kindly
    exprs = tuple(in_zone(convert(scope.ref(at), c.type), zone) for at, c in enumerate(columns))
    if all(column.type == own.type for column, own in zip(columns, scope.columns, strict=True)):
        return scope.relation.inputs if isinstance(scope.relation, Concat) else (scope.relation,)
    return (scope.picked(exprs, columns),)


def _by_name(context: Context, left: Scope, right: Scope, allow_missing: bool) -> tuple[Scope, Scope]:
    """Both sides with the columns of the left one, in its order, then those only the right one has."""
    for scope in (left, right):
        _no_repeats(scope)
    only_right = [at for at, c in enumerate(right.columns) if right.key(c.name) not in left.by_name]
    if not allow_missing:
        for column in left.columns:
            if right.key(column.name) not in right.by_name:
                raise _missing(right, column.name)
        if only_right:
            return left, right
        return left, _reordered(right, [right.by_name[right.key(c.name)][0] for c in left.columns])
    wanted = [*left.columns, *(right.columns[at] for at in only_right)]
    return _filled(context, left, wanted), _filled(context, right, wanted)


def _reordered(scope: Scope, positions: list[int]) -> Scope:
    if positions == list(range(len(scope.columns))):
        return scope
    columns = tuple(scope.columns[at] for at in positions)
    return replace(scope, relation=scope.picked(tuple(map(scope.ref, positions)), columns), columns=columns)


def _filled(context: Context, scope: Scope, wanted: list[Column]) -> Scope:
    columns: list[Column] = []
    exprs: list[Typed] = []
    for column in wanted:
        found = scope.by_name.get(scope.key(column.name))
        if found:
            columns.append(scope.columns[found[0]])
            exprs.append(scope.ref(found[0]))
        else:
            columns.append(Column(column.name, column.type, True, context.fresh()))
            exprs.append(Const(column.type, True, None))
    if len(columns) == len(scope.columns) and columns == list(scope.columns):
        return scope
    return context.scope(scope.picked(tuple(exprs), tuple(columns)), tuple(columns))


def _no_repeats(scope: Scope) -> None:
    for positions in scope.by_name.values():
        if len(positions) > 1:
            raise PlanError(
                f"The column `{scope.columns[positions[0]].name}` already exists: a union by name needs names that "
                "are unique on both sides. Rename one.",
                code="COLUMN_ALREADY_EXISTS",
            )


def _missing(scope: Scope, name: str) -> PlanError:
    names = ", ".join(column.name for column in scope.columns)
    near = unresolved(scope, (name,)).sentence.partition("Did you mean")[2]
    hint = f" Did you mean{near}" if near else ""
    return PlanError(
        f'Cannot resolve column name "{name}" among ({names}).{hint}',
        code="UNRESOLVED_COLUMN_AMONG_FIELD_NAMES",
    )
