"""GROUP BY: aggregate calls pulled out of the results, keys found again in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Grouped, Ref, Relation, Select, Typed
from app.plan.coerce import contains
from app.plan.expressions import Alias, Attribute, Call, Expr, Literal, Star
from app.plan.functions.calendar_intervals import refuse_as_key
from app.plan.functions.collation_keys import has_folded
from app.plan.functions.collations import first_spelling, keyed
from app.plan.resolve.expressions import Binder, Outputs
from app.plan.resolve.grouping_sets import Expanded, expanded, grouping_sets
from app.plan.resolve.outputs import Output, SelectList, select_list
from app.plan.resolve.pretty import pretty
from app.plan.resolve.scope import Column, Context, Host, Scope, Unresolved, schema_of
from app.plan.resolve.sessions import with_sessions
from app.plan.resolve.subqueries import check_grouped
from app.plan.resolve.windows import refuse_windows, with_windows
from app.plan.rewrite import aggregates_in, parts_of, rebuilt
from app.plan.types import StructField, StructType

_OF_A_SET = ("grouping", "grouping_id")


def aggregated(context: Context, scope: Scope, keys: tuple[Expr, ...], outputs: tuple[Expr, ...]) -> Scope:
    """The relation of `SELECT outputs … GROUP BY keys`. Raises: PlanError."""
    items = list(_without_stars(context, scope, outputs))
    selected = select_list(context, scope, items)
    if keys == (Call("all"),):
        keys = _all_keys(selected)
    sets = grouping_sets(keys)
    bound: dict[Typed, str] = {}  # a key that comes twice groups no finer
    members: list[list[Typed]] = []
    for one in [keys] if sets is None else sets:
        found = [pair for key in one for pair in _key(context, scope, key, selected)]
        members.append([typed for typed, _ in found])
        for typed, name in found:
            if contains(typed.type, t.VariantType):
                raise PlanError(
                    f'The expression "{name}" cannot be used as a grouping expression because its data type '
                    f'"{typed.type.sql()}" is not an orderable data type. Take a value out of it with variant_get(…).',
                    code="GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE",
                )
            bound.setdefault(typed, name)
    scope = with_sessions(context, scope, tuple(bound), sets is not None)
    wider = None
    if sets is not None:
        order = list(bound)
        numbers = [frozenset(map(order.index, one)) for one in members]
        wider = expanded(scope.relation, tuple(bound), numbers, context.binding)
    result = grouped(context, scope, tuple(bound), tuple(bound.values()), selected, wider)
    refuse_windows(bound, "GROUP BY", "UNSUPPORTED_EXPR_FOR_OPERATOR")
    return result


def grouped(
    context: Context,
    scope: Scope,
    keys: tuple[Typed, ...],
    names: tuple[str, ...],
    selected: SelectList,
    sets: Expanded | None = None,
) -> Scope:
    """The relation of a select list with aggregate calls, over the groups of `keys`, in all of `sets` where there are
    any. Raises: PlanError."""
    check_grouped(selected.exprs, keys)
    refuse_as_key("GROUP BY", (key.type for key in keys))
    host = _Grouping(context, scope, keys, names, selected, sets)
    relation, columns = host.build(())
    return context.scope(relation, columns, host)


def _all_keys(selected: SelectList) -> tuple[Expr, ...]:
    """GROUP BY ALL: the items without aggregate functions, by position."""
    plain = [at for at, output in enumerate(selected.outputs, 1) if not aggregates_in(output.typed)]
    return tuple(Literal(at, t.IntegerType()) for at in plain)


def hides_a_key(host: Host | None) -> bool:
    """Whether an aggregation has a result that is not a key but has the name of one; HAVING then means the key."""
    return isinstance(host, _Grouping) and host.hides_a_key


@dataclass(frozen=True)
class _Grouping:
    """An aggregation, as the host of HAVING and ORDER BY above it."""

    context: Context
    scope: Scope
    keys: tuple[Typed, ...]
    names: tuple[str, ...]
    selected: SelectList
    sets: Expanded | None = None

    @cached_property
    def grouped_names(self) -> set[str]:
        """Names that mean a key of the input in HAVING, whatever result has that name too."""
        plain = {key.index for key in self.keys if isinstance(key, Ref)}
        return {name for name, places in self.scope.by_name.items() if plain.intersection(places)}

    @property
    def hides_a_key(self) -> bool:
        return any(
            self.scope.key(output.column.name) in self.grouped_names and output.typed not in self.keys
            for output in self.selected.outputs
        )

    def reach(self, exprs: tuple[Expr, ...]) -> tuple[Scope, tuple[Typed, ...]]:
        named: dict[str, Typed | None] = {}
        for output in self.selected.outputs:
            key = self.scope.key(output.column.name)
            if key not in self.grouped_names:
                named[key] = None if key in named and named[key] != output.typed else output.typed
        binder = Binder(self.context, self.scope, Outputs(named, first=True))
        extra = tuple(self._bind(binder, expr) for expr in exprs)
        relation, columns = self.build(extra)
        wide = self.context.scope(relation, columns, self)
        first = len(self.selected.outputs)
        return wide, tuple(wide.ref(first + i) for i in range(len(extra)))

    def _bind(self, binder: Binder, expr: Expr) -> Typed:
        """A result that was taken from the aggregated DataFrame itself (`df["n"]`) goes before its input."""
        if isinstance(expr, Attribute) and expr.of is not None:
            given = {
                column.id: output for output, column in zip(self.selected.outputs, self.selected.columns, strict=True)
            }
            for scope in self.context.given_by(expr.of):
                for at in scope.by_name.get(scope.key(expr.parts[-1]), ()):
                    if scope.columns[at].id in given:
                        return given[scope.columns[at].id].typed
        return binder.bind(expr)

    def build(self, extra: tuple[Typed, ...]) -> tuple[Relation, tuple[Column, ...]]:
        """The aggregation with more results behind its own."""
        outputs = (*self.selected.exprs, *extra)
        computed = (*self.selected.computed, *extra)
        every = tuple(dict.fromkeys(call for typed in computed for call in aggregates_in(typed)))
        calls = tuple(call for call in every if call.function not in _OF_A_SET)
        below, keys, names = self.scope.relation, self.keys, self.names
        if self.sets is not None:
            below, keys, names = self.sets.relation, self.sets.grouped_by(), (*names, "spark_grouping_id")
        places: dict[Typed, Typed] = {
            original: Ref(key.type, key.nullable, i, name)
            for i, (original, key, name) in enumerate(zip(self.keys, keys, names, strict=False))
        }
        keys, calls = self._by_collation(keys, calls, places)
        for i, call in enumerate(calls):
            places[call] = Ref(call.type, call.nullable, len(keys) + i, call.function)
        for call in every:
            if call.function in _OF_A_SET:
                places[call] = self._of_a_set(call)
        lift = _Lift(places, len(self.scope.columns), len(keys) + len(calls), self._complain)
        fields = [StructField(n, k.type, k.nullable) for n, k in zip(names, keys, strict=True)]
        fields += [StructField(call.function, call.type, call.nullable) for call in calls]
        relation: Relation = Grouped(StructType(fields), below, keys, calls)
        relation = self.selected.exploded(relation, lift)
        hidden = tuple(
            Column(f"key{i}", typed.type, typed.nullable, self.context.fresh(), hidden=True)
            for i, typed in enumerate(extra)
        )
        columns = (*self.selected.columns, *hidden)
        relation, lifted = with_windows(relation, map(lift, outputs))
        if self.sets is not None:
            columns = tuple(
                replace(column, nullable=column.nullable or typed.nullable or _has_key(given, self.keys))
                for column, typed, given in zip(columns, lifted, outputs, strict=True)
            )
        return Select(schema_of(columns), relation, lifted), columns

    def _by_collation(
        self, keys: tuple[Typed, ...], calls: tuple[AggCall, ...], places: dict[Typed, Typed]
    ) -> tuple[tuple[Typed, ...], tuple[AggCall, ...]]:
        """Strings whose case does not matter are grouped by their key, and the group shows the first of them."""
        for original, key in zip(self.keys, keys, strict=False):
            if not has_folded(key.type):
                continue
            first = first_spelling(key)
            calls = calls if first in calls else (*calls, first)
            name = str(getattr(original, "name", "key"))
            places[original] = Ref(key.type, key.nullable, len(keys) + calls.index(first), name)
        return tuple(map(keyed, keys)), calls

    def _of_a_set(self, call: AggCall) -> Typed:
        if self.sets is None:
            raise PlanError(
                f"{call.function}() can only be used with GROUPING SETS, CUBE or ROLLUP in GROUP BY.",
                code="UNSUPPORTED_GROUPING_EXPRESSION",
            )
        number = Ref(t.LongType(), False, len(self.keys), "spark_grouping_id")
        return self.sets.value(call, number, self.context.binding)

    def _complain(self, ref: Ref) -> PlanError:
        name = ref.name
        if not self.keys:
            return PlanError(
                f'The query does not include a GROUP BY clause, and "{name}" stands beside aggregate functions. Add '
                "GROUP BY (groupBy), or aggregate the column.",
                code="MISSING_GROUP_BY",
            )
        return PlanError(
            f'The non-aggregating expression "{name}" is based on columns which are not participating in the GROUP '
            "BY clause. Add the columns or the expression to the GROUP BY, aggregate the expression, or use "
            f'"any_value({name})" if you do not care which of the values within a group is returned.',
            code="MISSING_AGGREGATION",
        )


@dataclass(frozen=True)
class _Lift:
    """Turns an expression over the rows into one over the groups: keys and calls become what `places` says, columns of
    generators stand behind the `columns` of the grouping."""

    places: dict[Typed, Typed]
    width: int
    columns: int
    complain: Callable[[Ref], PlanError]

    def __call__(self, typed: Typed) -> Typed:
        if typed in self.places:
            return self.places[typed]
        match typed:
            case Ref() if typed.index >= self.width:
                return Ref(typed.type, typed.nullable, typed.index - self.width + self.columns, typed.name)
            case Ref():
                raise self.complain(typed)
        return rebuilt(typed, self)


def _has_key(typed: Typed, keys: tuple[Typed, ...]) -> bool:
    """Whether a result depends on a key, which is null in some sets."""
    if isinstance(typed, AggCall):
        return False
    return typed in keys or any(_has_key(part, keys) for part in parts_of(typed))


def _without_stars(context: Context, scope: Scope, outputs: tuple[Expr, ...]) -> Iterable[Expr | int]:
    """The items with positions for stars, so that GROUP BY 2 counts what is really there."""
    binder = Binder(context, scope)
    for output in outputs:
        if isinstance(output, Star):
            stars = binder.star(output)
            if all(isinstance(typed, Ref) for typed in stars):
                yield from (typed.index for typed in stars if isinstance(typed, Ref))
                continue
        yield output


def _key(context: Context, scope: Scope, key: Expr, selected: SelectList) -> list[tuple[Typed, str]]:
    """What a key means: a position in the results, a column, or the alias of a result."""
    binder = Binder(context, scope)
    if isinstance(key, Star):
        return [(typed, getattr(typed, "name", "key")) for typed in binder.star(key)]
    if isinstance(key, Literal) and isinstance(key.type, (t.IntegerType, t.LongType)) and key.value is not None:
        output = _at_position(key.value, selected)
        return [(output.typed, output.column.name)]
    try:
        typed = binder.bind(key)
    except Unresolved:
        aliased = _aliased(scope, key, selected)
        if aliased is None:
            raise
        typed = aliased
    if aggregates_in(typed):
        raise PlanError(
            f"Aggregate functions are not allowed in GROUP BY, but found {pretty(key, binder.name_of)}.",
            code="GROUP_BY_AGGREGATE",
        )
    return [(typed, key.names[0] if isinstance(key, Alias) else pretty(key, binder.name_of))]


def _at_position(position: int, selected: SelectList) -> Output:
    count = len(selected.outputs)
    if not 1 <= position <= count:
        raise PlanError(
            f"GROUP BY position {position} is not in select list (valid range is [1, {count}]).",
            code="GROUP_BY_POS_OUT_OF_RANGE",
        )
    output = selected.outputs[position - 1]
    if aggregates_in(output.typed):
        raise PlanError(
            f'GROUP BY {position} refers to an expression "{output.column.name}" that contains an aggregate '
            "function. Aggregate functions are not allowed in GROUP BY.",
            code="GROUP_BY_POS_AGGREGATE",
        )
    return output


def _aliased(scope: Scope, key: Expr, selected: SelectList) -> Typed | None:
    """The result whose alias a key is."""
    if not isinstance(key, Attribute) or len(key.parts) != 1 or key.of is not None:
        return None
    return selected.named.get(scope.key(key.parts[0]))
