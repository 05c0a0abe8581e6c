"""Joins: the columns of both sides, and USING's merged ones before them."""

from __future__ import annotations

from dataclasses import replace

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import Joined, Typed
from app.plan.expressions import Attribute, Call, Expr
from app.plan.functions import lookup
from app.plan.nodes import Join
from app.plan.resolve.expressions import Binder
from app.plan.resolve.pretty import pretty
from app.plan.resolve.scope import Column, Context, Scope, schema_of
from app.plan.resolve.subqueries import check_scalars
from app.plan.resolve.windows import refuse_windows
from app.plan.rewrite import aggregates_in, shifted

_LEFT_ONLY = ("semi", "anti")
_EQUALITIES = ("==", "<=>")


def joined(context: Context, node: Join, left: Scope, right: Scope) -> Scope:
    """The relation of a join. Raises: PlanError."""
    both = context.scope(left.relation, (*left.columns, *right.columns))
    using = _common_names(left, right) if node.natural else node.using
    pairs = _using(context, using or (), left, right)
    if using is not None:
        on = _all_equal(context, both, pairs)
    else:
        on = None if node.on is None else condition(context, node.on, left, right, both)
    columns = _nullable(node.how, left, right)
    relation = Joined(schema_of(columns), left.relation, right.relation, node.how, on)
    scope = context.scope(relation, columns)
    return scope if using is None else _merged(context, node.how, scope, pairs, len(left.columns))


def _common_names(left: Scope, right: Scope) -> tuple[str, ...]:
    """What NATURAL stands for: the names that both sides have, in the order of the left one."""
    names = {left.key(left.columns[at].name): left.columns[at].name for at in left.visible()}
    return tuple(name for key, name in names.items() if key in right.by_name)


def _nullable(how: str, left: Scope, right: Scope) -> tuple[Column, ...]:
    """The output columns; those of a side that may be missing can be null."""
    ours = [replace(c, nullable=c.nullable or how in ("right", "full")) for c in left.columns]
    if how in _LEFT_ONLY:
        return tuple(ours)
    return (*ours, *(replace(c, nullable=c.nullable or how in ("left", "full")) for c in right.columns))


def condition(context: Context, on: Expr, left: Scope, right: Scope, both: Scope) -> Typed:
    """The bound condition of a join. Raises: PlanError."""
    binder = _JoinBinder(context, left, right, both)
    shown = pretty(on, binder.name_of)
    typed = binder.boolean(binder.bind(on), shown, "JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE", "The join condition")
    if aggregates_in(typed):
        raise PlanError(
            f'The join condition "{shown}" contains an aggregate function; aggregate in a select of its own first.',
            code="UNSUPPORTED_EXPR_FOR_OPERATOR",
        )
    refuse_windows((typed,), "a join condition", "UNSUPPORTED_EXPR_FOR_OPERATOR")
    check_scalars((typed,), "a join condition")
    return typed


class _JoinBinder(Binder):
    """In `df.join(df, df.a == df.b)` the first column is the left side's, the second the right side's."""

    def __init__(self, context: Context, left: Scope, right: Scope, both: Scope) -> None:
        super().__init__(context, both)
        self._left = left
        self._right = right

    def bind(self, expr: Expr) -> Typed:
        match expr:
            case Call(name, (Attribute(), Attribute()) as pair) if name in _EQUALITIES:
                try:
                    return super().bind(expr)
                except PlanError as error:
                    if error.code != "AMBIGUOUS_COLUMN_REFERENCE":
                        raise
                    return lookup(name).bind(self.context.binding, self._one_each(pair, error))
        return super().bind(expr)

    def _one_each(self, pair: tuple[Expr, ...], error: PlanError) -> tuple[Typed, ...]:
        """The first of two columns on the left side and the second on the right, or the other way round."""
        ours, theirs = Binder(self.context, self._left), Binder(self.context, self._right)
        width = len(self._left.columns)
        for sides in ((ours, theirs), (theirs, ours)):
            try:
                bound = [side.bind(expr) for side, expr in zip(sides, pair, strict=True)]
            except PlanError:
                continue
            return tuple(shifted(b, width if side is theirs else 0) for b, side in zip(bound, sides, strict=True))
        raise error


def _using(context: Context, names: tuple[str, ...], left: Scope, right: Scope) -> list[tuple[int, int]]:
    """The positions of each USING column on both sides, the right one counted from the join's first column."""
    width = len(left.columns)
    return [(_side(left, name, "left"), width + _side(right, name, "right")) for name in names]


def _side(scope: Scope, name: str, side: str) -> int:
    found = scope.by_name.get(scope.key(name), [])
    if not found:
        names = ", ".join(f"`{scope.columns[at].name}`" for at in scope.visible())
        raise PlanError(
            f"USING column `{name}` cannot be resolved on the {side} side of the join. The {side}-side columns: "
            f"[{names}].",
            code="UNRESOLVED_USING_COLUMN_FOR_JOIN",
        )
    return found[0]


def _all_equal(context: Context, both: Scope, pairs: list[tuple[int, int]]) -> Typed | None:
    condition: Typed | None = None
    for ours, theirs in pairs:
        equal: Typed = lookup("==").bind(context.binding, (both.ref(ours), both.ref(theirs)))
        condition = equal if condition is None else lookup("and").bind(context.binding, (condition, equal))
    return condition


def _merged(context: Context, how: str, scope: Scope, pairs: list[tuple[int, int]], width: int) -> Scope:
    """The USING columns once, before the others; the keys of the other side stay nameable but hidden."""
    keys: list[tuple[Column, Typed]] = []
    hidden: list[int] = []
    for ours, theirs in pairs:
        if how == "full":
            args = (scope.ref(ours), scope.ref(theirs))
            merged = lookup("coalesce").bind(context.binding, args)
            keys.append((_new(context, scope.columns[ours].name, merged), merged))
            hidden += [ours, theirs]
        else:
            shown, other = (theirs, ours) if how == "right" else (ours, theirs)
            keys.append((scope.columns[shown], scope.ref(shown)))
            hidden += [other] if how not in _LEFT_ONLY else []
    used = {at for pair in pairs for at in pair}
    rest = [at for at in range(len(scope.columns)) if at not in used]
    columns = (
        *(column for column, _ in keys),
        *(scope.columns[at] for at in rest),
        *(replace(scope.columns[at], hidden=1) for at in hidden),
    )
    exprs = (*(typed for _, typed in keys), *(scope.ref(at) for at in (*rest, *hidden)))
    return context.scope(scope.picked(exprs, columns), columns)


def _new(context: Context, name: str, typed: Typed) -> Column:
    nullable = typed.nullable if not isinstance(typed.type, t.NullType) else True
    return Column(name, typed.type, nullable, context.fresh())
