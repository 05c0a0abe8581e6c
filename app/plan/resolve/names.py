"""Which column a name means."""

from __future__ import annotations

from collections.abc import Iterable

from app.errors import PlanError
from app.plan.bound import Ref
from app.plan.expressions import Attribute, Star
from app.plan.resolve.scope import Column, Context, Scope, Unresolved, quoted
from app.plan.types import StructType

_MOST_SUGGESTIONS = 5


def find_column(context: Context, scope: Scope, name: Attribute) -> tuple[int, tuple[str, ...]]:
    """The position of the column a name means, and the parts behind it, which name fields.

    Raises: Unresolved (there is no such column), PlanError AMBIGUOUS_REFERENCE."""
    if name.of is not None:
        return _find_of(context, scope, name)
    found, rest = _candidates(scope, name.parts)
    if not found:
        raise unresolved(scope, name.parts)
    return _single(scope, name.parts, found), rest


def base_column(context: Context, scope: Scope, name: Attribute) -> tuple[Ref, tuple[str, ...]]:
    """The same with a reference to the column."""
    at, rest = find_column(context, scope, name)
    return scope.ref(at), rest


def expand_star(context: Context, scope: Scope, star: Star) -> list[int] | tuple[int, tuple[str, ...]]:
    """The positions `*` or `t.*` means; for `column.*`, the column and the parts behind it.

    Raises: PlanError CANNOT_RESOLVE_STAR_EXPAND."""
    if star.of is not None:
        return _columns_of(context, scope, star)
    if not star.qualifier:
        return scope.visible()
    if len(star.qualifier) == 1:
        wanted = scope.key(star.qualifier[0])
        found = [at for at, c in enumerate(scope.columns) if c.qualifier and scope.key(c.qualifier) == wanted]
        if found:  # the keys that USING hides come first
            return sorted(found, key=lambda at: not scope.columns[at].hidden)
    try:
        return find_column(context, scope, Attribute(star.qualifier))
    except Unresolved as error:
        names = ", ".join(c.sql() for c in _visible(scope))
        raise PlanError(
            f"Cannot resolve {quoted(star.qualifier)}.* given input columns {names}. "
            "Please check that the specified table or struct exists and is accessible in the input columns.",
            code="CANNOT_RESOLVE_STAR_EXPAND",
        ) from error


def find_field(struct: StructType, name: str, case_sensitive: bool) -> int:
    """The position of a struct's field. Raises: PlanError FIELD_NOT_FOUND, AMBIGUOUS_REFERENCE_TO_FIELDS."""
    wanted = name if case_sensitive else name.lower()
    found = [i for i, f in enumerate(struct) if (f.name if case_sensitive else f.name.lower()) == wanted]
    if len(found) == 1:
        return found[0]
    if found:
        raise PlanError(
            f"Ambiguous reference to the field {quoted((name,))}. It appears {len(found)} times in the schema.",
            code="AMBIGUOUS_REFERENCE_TO_FIELDS",
        )
    fields = ", ".join(quoted((n,)) for n in struct.names)
    raise PlanError(f"No such struct field {quoted((name,))} in {fields}.", code="FIELD_NOT_FOUND")


def unresolved(scope: Scope, parts: tuple[str, ...]) -> Unresolved:
    """The error for a name that is not in scope, with the nearest names that are."""
    what = f"A column, variable, or function parameter with name {quoted(parts)} cannot be resolved."
    columns = _visible(scope)
    if not columns:
        return Unresolved(f"{what} The input has no columns.", name=quoted(parts))
    near = ", ".join(suggestions(parts, columns))
    return Unresolved(
        f"{what} Did you mean one of the following? [{near}].",
        code="UNRESOLVED_COLUMN.WITH_SUGGESTION",
        name=quoted(parts),
    )


def suggestions(parts: tuple[str, ...], columns: Iterable[Column]) -> list[str]:
    """The nearest column names, nearest first; with their qualifiers where the wanted name has one, or where they
    have different ones."""
    columns = list(columns)
    qualified = len(parts) > 1 or len({column.qualifier for column in columns}) > 1
    wanted = ".".join(parts).lower()
    names: dict[str, tuple[int, str]] = {}
    for column in columns:
        long = qualified and column.qualifier is not None
        text = f"{column.qualifier}.{column.name}" if long else column.name
        names[column.sql() if long else quoted((column.name,))] = (edit_distance(wanted, text.lower()), text)
    return sorted(names, key=names.__getitem__)[:_MOST_SUGGESTIONS]


def edit_distance(a: str, b: str) -> int:
    """How many characters have to be put in, taken out or changed to make one text the other (Levenshtein)."""
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        corner, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (left != right))
    return row[-1]


def _visible(scope: Scope) -> list[Column]:
    return [column for column in scope.columns if not column.hidden]


def _candidates(scope: Scope, parts: tuple[str, ...]) -> tuple[list[int], tuple[str, ...]]:
    """Columns a dotted name may mean: `qualifier.column` goes before `column.field`."""
    for index in (scope.by_name, *scope.hidden_by_name):
        if len(parts) > 1:
            wanted = scope.key(parts[0])
            found = [
                at
                for at in index.get(scope.key(parts[1]), ())
                if (qualifier := scope.columns[at].qualifier) is not None and scope.key(qualifier) == wanted
            ]
            if found:
                return found, parts[2:]
        found = index.get(scope.key(parts[0]), [])
        if found:
            return found, parts[1:]
    return [], ()


def _single(scope: Scope, parts: tuple[str, ...], found: list[int]) -> int:
    if len({scope.columns[at].id for at in found}) > 1:
        options = ", ".join(scope.columns[at].sql() for at in found)
        raise PlanError(
            f"Reference {quoted(parts)} is ambiguous, could be: [{options}]. Qualify it with an alias, or rename "
            "one of the columns.",
            code="AMBIGUOUS_REFERENCE",
        )
    return found[0]


def _find_of(context: Context, scope: Scope, name: Attribute) -> tuple[int, tuple[str, ...]]:
    """The column of this scope that came unchanged from the DataFrame `name` was taken from."""
    found: list[int] = []
    rest: tuple[str, ...] = ()
    for given in context.given_by(name.of):
        there, rest_there = _candidates(given, name.parts)
        if there:
            column, rest = given.columns[_single(given, name.parts, there)], rest_there
            found += scope.by_id.get(column.id, [])[:1]
    if len(found) > 1:
        raise PlanError(
            f"Column {quoted(name.parts)} is ambiguous: the DataFrame it was taken from is on both sides of a join. "
            "Give each side an alias and write col('alias.name').",
            code="AMBIGUOUS_COLUMN_REFERENCE",
        )
    if not found:
        names = ", ".join(c.sql() for c in _visible(scope))
        kind, advice = "MISSING_FROM_INPUT", "Take it from this DataFrame, or join the other one first."
        if scope.key(name.parts[0]) in scope.by_name:
            kind, advice = "APPEAR_IN_OPERATION", "The one of that name is another column: write col('name') for it."
        raise Unresolved(
            f"Column {quoted(name.parts)} was taken from a DataFrame whose columns are not among those here: "
            f"[{names}]. {advice}",
            code=f"MISSING_ATTRIBUTES.RESOLVED_ATTRIBUTE_{kind}",
            name=quoted(name.parts),
        )
    return found[0], rest


def _columns_of(context: Context, scope: Scope, star: Star) -> list[int]:
    found: list[int] = []
    for given in context.given_by(star.of):
        ids = [given.columns[at].id for at in given.visible()]
        found += [scope.by_id[i][0] for i in ids if i in scope.by_id]
    if not found:
        raise PlanError(
            "A DataFrame's columns (df['*']) are not among those here; take them from this DataFrame.",
            code="CANNOT_RESOLVE_STAR_EXPAND",
        )
    return found
