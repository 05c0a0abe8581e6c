"""Relations with names (`plan/nodes`) made into relations with types and positions (`plan/bound`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.errors import PlanError
from app.plan import nodes
from app.plan import types as t
from app.plan.bound import (
    Const,
    Keep,
    Leaf,
    Limited,
    Order,
    Ref,
    Relation,
    Select,
    Single,
    Sorted,
    Typed,
    Watermarked,
    Windowed,
)
from app.plan.expressions import Alias, Attribute, Expr, Literal, SortKey, Star
from app.plan.functions.collations import check_carried
from app.plan.functions.entry import Binding
from app.plan.functions.signature import orderable
from app.plan.resolve.aggregates import aggregated, grouped, hides_a_key
from app.plan.resolve.chances import check_chance
from app.plan.resolve.expressions import Binder
from app.plan.resolve.hoist import hoisted
from app.plan.resolve.hosts import over
from app.plan.resolve.inline import inline_table
from app.plan.resolve.joins import joined
from app.plan.resolve.lateral import lateral_joined
from app.plan.resolve.lateral_views import lateral_view
from app.plan.resolve.names import find_column, unresolved
from app.plan.resolve.outputs import projected, select_list
from app.plan.resolve.pivots import pivoted, unpivoted
from app.plan.resolve.pretty import pretty
from app.plan.resolve.recursion import bounded, recursed, recursion_ref
from app.plan.resolve.routines import table_call
from app.plan.resolve.samples import sampled
from app.plan.resolve.scope import Context, Scope, Unresolved
from app.plan.resolve.sets import check_comparable, combined, deduplicated, union
from app.plan.resolve.subqueries import check_plain
from app.plan.resolve.time_windows import with_time_windows
from app.plan.resolve.windows import refuse_windows, with_windows
from app.plan.rewrite import aggregates_in, windows_in
from app.plan.types import StructField, StructType


def resolve(node: nodes.Node, binding: Binding = Binding()) -> Relation:  # noqa: B008 - frozen
    """The relation with types and positions; its schema is the one Spark gives. Raises: PlanError."""
    return resolution(node, binding).relation


@dataclass(frozen=True, slots=True)
class Resolution:
    """A resolved node, and what nodes built on it can go on from."""

    node: nodes.Node
    relation: Relation
    scope: Scope
    context: Context


def resolution(node: nodes.Node, binding: Binding, below: Resolution | None = None) -> Resolution:
    """The same as `resolve`, going on from `below` where the plan stands on that very node: a chain of n steps costs n
    steps, not n². Raises: PlanError."""
    context, known = Context(binding), {}
    if below is not None and below.context.binding == binding:
        context, known = below.context.copied(), {id(below.node): below.scope}
        context.binding = binding  # whose variables may have other values by now
    try:
        scope = _Resolver(context, known).scope(node)
        relation = scope.trimmed().relation
        if context.by_chance:
            check_chance(relation)
        return Resolution(node, hoisted(relation) if context.subqueries else relation, scope, context)
    except RecursionError as error:
        raise PlanError(
            "The query is nested too deeply; cut it in two with a temporary table, or build it with fewer steps.",
            code="FAILED_TO_PARSE_TOO_COMPLEX",
        ) from error


def resolve_expression(expr: Expr, schema: StructType, binding: Binding = Binding()) -> Typed:  # noqa: B008
    """One expression over the columns of `schema`; it may hold aggregate calls. Raises: PlanError."""
    context = Context(binding)
    return Binder(context, context.scope(Single(schema), context.columns(schema))).bind(expr)


class _Resolver:
    def __init__(self, context: Context, known: dict[int, Scope]) -> None:
        self.context = context
        context.resolve_with(self.scope)
        self._known = known
        self._ways: dict[type[nodes.Node], Callable[[Any], Scope]] = {
            nodes.Scan: self._scan,
            nodes.Rows: self._scan,
            nodes.Range: self._range,
            nodes.OneRow: lambda _: context.scope(Single(StructType()), ()),
            nodes.Named: lambda node: self.scope(node.child).trimmed().named(node.alias),
            nodes.Step: lambda node: replace(self.scope(node.child).trimmed(), host=None),
            nodes.Project: self._project,
            nodes.WithColumns: self._with_columns,
            nodes.Rename: self._rename,
            nodes.Relabel: self._relabel,
            nodes.Drop: self._drop,
            nodes.Filter: lambda node: self._keep(self.scope(node.child), node.condition),
            nodes.Qualify: self._qualify,
            nodes.Aggregate: self._aggregate,
            nodes.Pivot: lambda node: pivoted(context, node, self.scope(node.child)),
            nodes.Unpivot: lambda node: unpivoted(context, node, self.scope(node.child)),
            nodes.LateralView: lambda node: lateral_view(context, node, self.scope(node.child)),
            nodes.InlineTable: lambda node: inline_table(context, node),
            nodes.Distribute: lambda node: over(context, self.scope(node.child), node.keys, lambda below, _: below),
            nodes.Deduplicate: lambda node: deduplicated(context, node, self.scope(node.child)),
            nodes.Union: lambda node: union(context, node, self.scope(node.left), self.scope(node.right)),
            nodes.SetOperation: lambda node: combined(context, node, self.scope(node.left), self.scope(node.right)),
            nodes.Join: lambda node: joined(context, node, self.scope(node.left), self.scope(node.right)),
            nodes.RoutineCall: lambda node: table_call(context, node, self.scope),
            nodes.LateralJoin: lambda node: lateral_joined(context, node, self.scope(node.left)),
            nodes.Sort: self._sort,
            nodes.Limit: self._limit,
            nodes.Watermark: self._watermark,
            nodes.Recursion: lambda node: recursed(context, node, self.scope),
            nodes.RecursionRef: lambda node: recursion_ref(context, node),
            nodes.Sample: lambda node: sampled(context, node, self.scope(node.child)),
        }

    def scope(self, node: nodes.Node) -> Scope:
        # A known scope serves once: a node that stands in the plan twice (a self-join) gives columns of its own.
        known = self._known.pop(id(node), None)
        if known is not None:
            return known
        found = self._ways[type(node)](node)
        self.context.remember(node, found)
        return found

    def _scan(self, node: nodes.Scan | nodes.Rows) -> Scope:
        for f in node.schema:
            check_carried(f.dataType, f"The column `{f.name}`")
        return self.context.scope(Leaf(node.schema, node), self.context.columns(node.schema))

    def _range(self, node: nodes.Range) -> Scope:
        schema = StructType([StructField("id", t.LongType(), False)])
        return self.context.scope(Leaf(schema, node), self.context.columns(schema))

    def _select(self, scope: Scope, items: Iterable[Expr | int]) -> Scope:
        scope, items = with_time_windows(self.context, scope, tuple(items))
        selected = select_list(self.context, scope, items)
        if any(aggregates_in(typed) for typed in selected.computed):
            return grouped(self.context, scope, (), (), selected)
        return projected(self.context, scope, selected)

    def _project(self, node: nodes.Project) -> Scope:
        return self._select(self.scope(node.child), node.exprs)

    def _with_columns(self, node: nodes.WithColumns) -> Scope:
        scope = self.scope(node.child)
        new = {scope.key(name): Alias(expr, (name,)) for name, expr in node.columns}
        items: list[Expr | int] = []
        replaced = set()
        for at in scope.visible():
            key = scope.key(scope.columns[at].name)
            replaced.add(key)
            items.append(new.get(key, at))
        added = [alias for key, alias in new.items() if key not in replaced]
        if node.known and added:
            raise unresolved(scope, added[0].names)
        return self._select(scope, [*items, *added])

    def _rename(self, node: nodes.Rename) -> Scope:
        scope = self.scope(node.child)
        new = {scope.key(old): name for old, name in node.names}
        return self._labelled(scope, [new.get(scope.key(scope.columns[at].name)) for at in scope.visible()])

    def _relabel(self, node: nodes.Relabel) -> Scope:
        scope = self.scope(node.child)
        if len(node.names) != len(scope.visible()):
            raise PlanError(
                f"The number of columns or variables assigned or aliased: {len(scope.visible())} does not match the "
                f"number of source expressions: {len(node.names)}.",
                code="ASSIGNMENT_ARITY_MISMATCH",
            )
        return self._labelled(scope, node.names)

    def _labelled(self, scope: Scope, names: Sequence[str | None]) -> Scope:
        """The columns by position under these names; None keeps the old one."""
        selected = select_list(self.context, scope, scope.visible())
        selected.outputs = [
            output
            if name is None
            else replace(output, column=replace(output.column, name=name, qualifier=None, id=self.context.fresh()))
            for output, name in zip(selected.outputs, names, strict=True)
        ]
        return projected(self.context, scope, selected)

    def _drop(self, node: nodes.Drop) -> Scope:
        scope = self.scope(node.child)
        dropped = {at for expr in node.columns for at in self._dropped(scope, expr)}
        return self._select(scope, [at for at in scope.visible() if at not in dropped])

    def _dropped(self, scope: Scope, expr: Expr) -> list[int]:
        if not isinstance(expr, Attribute):
            return []
        if expr.of is None and len(expr.parts) == 1:
            return scope.by_name.get(scope.key(expr.parts[0]), [])
        try:
            at, rest = find_column(self.context, scope, expr)
        except Unresolved:
            return []
        return [] if rest else [at]

    def _aggregate(self, node: nodes.Aggregate) -> Scope:
        child = self.scope(node.child)
        if node.keys == node.outputs == (Star(),):  # SELECT DISTINCT
            check_comparable(child, child.visible())
        given = self._by_input(child, node) if node.positions_of_input else (node.keys, node.outputs)
        child, (keys, outputs) = with_time_windows(self.context, child, given)
        scope = aggregated(self.context, child, keys, outputs)
        if node.having is None:
            return scope
        return self._keep(scope, node.having, behind=hides_a_key(scope.host))

    def _by_input(self, child: Scope, node: nodes.Aggregate) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
        """The keys and results with the columns of the input that numbers stand for."""
        keys = tuple(self._position(child, key, "GROUP BY") for key in node.keys)
        results = tuple(self._position(child, output, "GROUP BY") for output in node.outputs[: len(keys)])
        return keys, (*results, *node.outputs[len(keys) :])

    def _keep(self, scope: Scope, condition: Expr, behind: bool = False) -> Scope:
        binder = Binder(self.context, scope)

        def build(relation: Relation, bound: tuple[Typed, ...]) -> Relation:
            shown = pretty(condition, binder.name_of)
            typed = binder.boolean(bound[0], shown, "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "Filter expression")
            calls = aggregates_in(typed)
            if calls:
                names = ", ".join(f"{call.function}()" for call in calls)
                raise PlanError(
                    f'The WHERE condition "{shown}" contains invalid expressions: {names}. Filter the rows after '
                    "the aggregation (HAVING, or where() on its result), or compute the aggregate first.",
                    code="INVALID_WHERE_CONDITION",
                )
            refuse_windows((typed,), "WHERE and HAVING", "WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE")
            return Keep(relation.schema, relation, typed)

        return over(self.context, scope, (condition,), build, behind)

    def _qualify(self, node: nodes.Qualify) -> Scope:
        scope = self.scope(node.child)
        shown = pretty(node.condition, Binder(self.context, scope).name_of)

        def build(relation: Relation, bound: tuple[Typed, ...]) -> Relation:
            if not windows_in(bound[0]) and not any(isinstance(below, Windowed) for below in relation.walk()):
                raise PlanError(
                    f'QUALIFY "{shown}" needs a window function in it or in the select list. Use WHERE or HAVING.',
                    code="QUALIFY_REQUIRES_WINDOW_FUNCTION",
                )
            below, (typed,) = with_windows(relation, bound)
            condition = Binder(self.context, scope).boolean(
                typed, shown, "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "Filter expression"
            )
            kept = Keep(below.schema, below, condition)
            if below is relation:
                return kept
            refs = tuple(Ref(f.dataType, f.nullable, at, f.name) for at, f in enumerate(relation.schema))
            return Select(relation.schema, kept, refs)

        return over(self.context, scope, (node.condition,), build)

    def _sort(self, node: nodes.Sort) -> Scope:
        scope = self.scope(node.child)
        keys = [key if isinstance(key, SortKey) else SortKey(key) for key in node.keys]
        if len(keys) == 1 and keys[0].child == Star():  # ORDER BY ALL
            keys = [replace(keys[0], child=self._exactly(scope, at)) for at in scope.visible()]
        children = tuple(self._position(scope, key.child) for key in keys)

        def build(relation: Relation, bound: tuple[Typed, ...]) -> Relation:
            for typed in bound:
                _check_sortable(typed)
            orders = tuple(
                Order(typed, k.ascending, k.ascending if k.nulls_first is None else k.nulls_first)
                for typed, k in zip(bound, keys, strict=True)
                if not isinstance(typed, Const)  # which orders nothing, and would be read as a position
            )
            return Sorted(relation.schema, relation, orders) if orders else relation

        return over(self.context, scope, children, build)

    def _position(self, scope: Scope, key: Expr, clause: str = "ORDER BY") -> Expr:
        """What `ORDER BY 2` means; any other key is itself."""
        if not isinstance(key, Literal) or not isinstance(key.type, (t.IntegerType, t.LongType)):
            return key
        visible = scope.visible()
        if key.value is None or not 1 <= key.value <= len(visible):
            raise PlanError(
                f"{clause} position {key.value} is not in select list (valid range is [1, {len(visible)}]).",
                code=f"{clause.replace(' ', '_')}_POS_OUT_OF_RANGE",
            )
        return self._exactly(scope, visible[key.value - 1])

    def _exactly(self, scope: Scope, at: int) -> Attribute:
        """A name for the column at a position, even where its name is not unique."""
        marker = object()
        column = scope.columns[at]
        self.context.remember(marker, replace(scope, columns=(column,)))
        return Attribute((column.name,), marker)

    def _limit(self, node: nodes.Limit) -> Scope:
        for what, count in (("LIMIT", node.count), ("OFFSET", node.offset)):
            if count < 0:
                raise PlanError(
                    f"The {what.lower()} expression must be 0 or more, but is {count}.",
                    code="INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE",
                )

        def build(relation: Relation, _: tuple[Typed, ...]) -> Relation:
            return Limited(relation.schema, bounded(relation, node.count + node.offset), node.count, node.offset)

        return over(self.context, self.scope(node.child), (), build)

    def _watermark(self, node: nodes.Watermark) -> Scope:
        scope = self.scope(node.child)
        at, rest = find_column(self.context, scope, Attribute(tuple(node.column.split("."))))
        column = scope.columns[at]
        if rest or not isinstance(column.type, (t.TimestampType, t.TimestampNTZType)):
            raise PlanError(
                f'The event time `{node.column}` has the invalid type "{column.type.sql()}", but expected '
                '"TIMESTAMP": cast it with to_timestamp() or timestamp_seconds() first.',
                code="EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE",
            )

        def build(relation: Relation, _: tuple[Typed, ...]) -> Relation:
            return Watermarked(relation.schema, relation, at, node.delay_us)

        return over(self.context, scope, (), build)


def _check_sortable(typed: Typed) -> None:
    check_plain((typed,), "ORDER BY")
    refuse_windows((typed,), "ORDER BY", "UNSUPPORTED_EXPR_FOR_OPERATOR")
    if aggregates_in(typed):
        raise PlanError(
            "ORDER BY uses an aggregate function over rows that are not aggregated; group them first, or order by "
            "a column.",
            code="UNSUPPORTED_EXPR_FOR_OPERATOR",
        )
    if not orderable(typed.type):
        raise PlanError(
            f'Cannot sort by a column of type "{typed.type.sql()}": maps have no order, nor have '
            "variants and calendar intervals.",
            code="DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
        )
