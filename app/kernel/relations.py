"""Resolved relations as DuckDB SELECT text whose columns are c0, c1, ….

One relation is one SELECT; filters, joins and the columns picked from an explosion share it with the relation above
them. Text is kept as lines, and only the start of a line is indented, so that a line break inside a string constant
stays what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set

from app.kernel.expressions import print_expression
from app.kernel.generators import print_generator, uses
from app.kernel.keyed_sets import is_keyed, print_keyed
from app.kernel.subqueries import given, print_subquery
from app.kernel.windows import print_direction, print_order, print_ordered, print_window
from app.plan.bound import (
    AggCall,
    Apply,
    Combined,
    Concat,
    Const,
    Explode,
    FirstOf,
    Grouped,
    Joined,
    Keep,
    Lateral,
    Leaf,
    Limited,
    Order,
    Printed,
    Ref,
    Relation,
    Sampled,
    Select,
    Single,
    Sorted,
    Subquery,
    Typed,
    Watermarked,
    Windowed,
)
from app.plan.functions import lookup
from app.plan.functions.chances import counts_rows
from app.plan.functions.collation_keys import has_folded, key_sql
from app.plan.functions.entry import AND_FILTER_HERE, FILTER_HERE, ORDER_HERE, SORT_KEY_HERE, filtered
from app.plan.functions.ordering import order_key
from app.plan.keys import key_of
from app.plan.relation_rewrite import subqueries_in
from app.plan.rewrite import columns_in, conjuncts, rebuilt, walk
from app.plan.types import DayTimeIntervalType

Lines = list[str]
_JOINS = {
    "inner": "JOIN",
    "cross": "JOIN",
    "left": "LEFT JOIN",
    "right": "RIGHT JOIN",
    "full": "FULL JOIN",
    "semi": "SEMI JOIN",
    "anti": "ANTI JOIN",
}
_PLAIN = (Leaf, Single)
_LINE_WIDTH = 100


def print_relation(relation: Relation, leaf: Callable[[Leaf], str]) -> str:
    """A SELECT that gives the relation's rows as c0, c1, …; `leaf` names the table that holds a leaf's rows.

    The order of rows is that of the input where the relation has one (sorts, limits, first rows)."""
    return "\n".join(_Printer(leaf).query(relation))


def print_keys(grouped: Grouped) -> list[str]:
    """The grouping expressions, as keys."""
    return [key_of(print_expression(key), key.type) for key in grouped.keys]


def print_aggregate(call: AggCall) -> str:
    """One aggregate over all rows of a group, with its FILTER clause."""
    return with_filter(lookup(call.function).sql(call, print_arguments(call)), call)


def print_arguments(call: AggCall) -> tuple[str, ...]:
    """The arguments of an aggregate; what its filter leaves out is not computed, as it might fail."""
    args = tuple(map(print_expression, call.args))
    if call.filter is None:
        return args
    condition = print_expression(call.filter)
    return tuple(
        sql if isinstance(arg, (Const, Ref)) else f"CASE WHEN {condition} THEN {sql} END"
        for arg, sql in zip(call.args, args, strict=True)
    )


def with_filter(aggregate: str, call: AggCall) -> str:
    """A printed aggregate (whole or partial) with the FILTER and ORDER BY clauses of its call."""
    order = f" ORDER BY {', '.join(map(print_order, call.orders))}" if call.orders else ""
    aggregate = aggregate.replace(ORDER_HERE, order).replace(SORT_KEY_HERE, _sort_key(call.orders))
    if call.filter is None:
        return aggregate.replace(AND_FILTER_HERE, "").replace(FILTER_HERE, "")
    return filtered(aggregate, print_expression(call.filter))


def _sort_key(orders: tuple[Order, ...]) -> str:
    keys = ", ".join(f"{order_key(print_ordered(o.child), o.child.type)}, '{print_direction(o)}'" for o in orders)
    return f"create_sort_key({keys})"


class _Printer:
    def __init__(self, leaf: Callable[[Leaf], str]) -> None:
        self._leaf = leaf
        self._aliases = 0

    def query(self, relation: Relation) -> Lines:
        """The SELECT of a relation."""
        match relation:
            case Select(child=Explode() as below) if _picks(relation, below):
                return self._explode(below, [e.index for e in relation.exprs if isinstance(e, Ref)])
            case Select(child=below) if not isinstance(below, _PLAIN) and _changes_nothing(relation):
                return self.query(below)
            case Select():
                alias = self._alias(relation.exprs)
                source = self._from(relation.child, columns_in(relation.exprs), alias)
                return [*_select(self._text(typed, alias) for typed in relation.exprs), *source]
            case Explode():
                return self._explode(relation, list(range(len(relation.schema))))
            case Grouped():
                return self._grouped(relation)
            case Windowed():
                return self._windowed(relation)
            case FirstOf():
                return self._first_of(relation)
            case Concat():
                return self._concat(relation)
            case Combined():
                return self._combined(relation)
            case Lateral():
                return [*_select(_columns(relation)), *self._lateral(relation)]
            case Sorted() | Limited():
                return self._arranged(relation)
            case Sampled():
                return self._sampled(relation)
            case Watermarked():
                return self.query(relation.child)
        return self._all(relation)

    def _all(self, relation: Relation) -> Lines:
        """All columns of a relation, in a SELECT that takes an ORDER BY or LIMIT."""
        columns = _columns(relation)
        return [*_select(columns), *self._from(relation, set(range(len(columns))))]

    def _from(self, relation: Relation, needed: Set[int], alias: str = "") -> Lines:
        """FROM and WHERE of a SELECT that uses the `needed` columns of a relation, called c0, c1, …; subqueries call
        them by the `alias`."""
        conditions: list[Typed] = []
        while isinstance(relation, (Keep, Watermarked)):
            if isinstance(relation, Keep):
                relation = _one_by_one(relation)
                if any(map(counts_rows, walk(relation.condition))):
                    break
                conditions.append(relation.condition)
            relation = relation.child
        needed = needed | columns_in(conditions)
        alias = alias or self._alias(conditions)
        kept = [self._text(condition, alias) for condition in reversed(conditions)]
        where = ["WHERE " + "\n  AND ".join(kept)] if kept else []
        named = f" AS {alias}" if alias else ""
        match relation:
            case Single():
                return where
            case Leaf():
                return [f"FROM {self._leaf(relation)}{named}", *where]
            case Joined() if not alias:
                return [*self._join(relation), *where]
            case Keep():
                return [*_nested("FROM (", self._numbered(relation, needed), f"){named}"), *where]
            case Explode():
                columns = sorted(needed) or [len(relation.child.schema)]
                return [*_nested("FROM (", self._explode(relation, columns, columns), f"){named}"), *where]
        return [*_nested("FROM (", self.query(relation), f"){named}"), *where]

    # Subqueries

    def _alias(self, exprs: Iterable[Typed]) -> str:
        """A name for the rows around subqueries; none where they use no column of theirs."""
        if not any(sub.args or len(sub.values) > 1 for typed in exprs for sub in subqueries_in(typed)):
            return ""
        self._aliases += 1
        return f"o{self._aliases}"

    def _text(self, typed: Typed, alias: str) -> str:
        """An expression that may hold subqueries, over rows called `alias`."""
        return print_expression(self._with_texts(typed, alias) if subqueries_in(typed) else typed)

    def _with_texts(self, typed: Typed, alias: str) -> Typed:
        if not isinstance(typed, Subquery):
            return rebuilt(typed, lambda part: self._with_texts(part, alias))
        inner = given(typed.relation, [print_expression(_qualified(arg, alias)) for arg in typed.args])
        values = [self._text(_qualified(value, alias) if alias else value, alias) for value in typed.values]
        return Printed(typed.type, typed.nullable, print_subquery(typed, inner, values, self._one_line))

    def _one_line(self, relation: Relation) -> str:
        return " ".join(line.strip() if i else line for i, line in enumerate(self.query(relation)))

    def _lateral(self, relation: Lateral) -> Lines:
        self._aliases += 1
        alias, width = f"o{self._aliases}", len(relation.child.schema)
        inner = given(relation.inner, [print_expression(_qualified(arg, alias)) for arg in relation.args])
        right = ", ".join(f"c{width + i}" for i in range(len(relation.inner.schema)))
        clause = "JOIN LATERAL (" if relation.how == "inner" else "LEFT JOIN LATERAL ("
        named = f") AS r({right}) ON true" if right else ") AS r ON true"
        return [*self._side("FROM", relation.child, f"AS {alias}"), *_nested(clause, self.query(inner), named)]

    def _numbered(self, relation: Keep, needed: Set[int]) -> Lines:
        """The rows for which a condition is true that counts rows: it is a column first."""
        kept = [f"c{at}" for at in sorted(needed)]
        alias = self._alias([relation.condition])
        tested = [*kept, self._text(relation.condition, alias)]
        below = self._from(relation.child, needed | columns_in([relation.condition]), alias)
        return [*_select(kept), *_nested("FROM (", [*_select(tested, [*kept, "kept"]), *below], ")"), "WHERE kept"]

    def _sampled(self, relation: Sampled) -> Lines:
        columns, (low, high, seed) = _columns(relation), (relation.low, relation.high, relation.seed)
        row = "row_number() OVER ()"
        drawn = f"wa_poisson({row}, {seed}, {high - low!r})" if relation.replaced else f"wa_rand({row}, {seed})"
        numbered = [*columns, drawn]
        below = [*_select(numbered, [*columns, "chance"]), *self._from(relation.child, set(range(len(columns))))]
        if relation.replaced:
            again = _select([*columns, "unnest(range(chance))"], [*columns, "again"])
            return [*_select(columns), *_nested("FROM (", [*again, *_nested("FROM (", below, ")")], ")")]
        return [*_select(columns), *_nested("FROM (", below, ")"), f"WHERE chance >= {low!r} AND chance < {high!r}"]

    def _grouped(self, relation: Grouped) -> Lines:
        keys = print_keys(relation)
        calls = [print_aggregate(call) for call in relation.aggregates]
        needed = columns_in((*relation.keys, *relation.aggregates))
        lines = [*_select([*keys, *calls]), *self._from(relation.child, needed)]
        if keys:
            return [*lines, f"GROUP BY {', '.join(str(i + 1) for i in range(len(keys)))}"]
        # Without an aggregate the one row of a global aggregation has to be asked for.
        return lines if calls else [*lines, "HAVING count(*) >= 0"]

    def _windowed(self, relation: Windowed) -> Lines:
        columns = _columns(relation.child)
        source = self._from(relation.child, set(range(len(columns))))
        return [*_select([*columns, *map(print_window, relation.calls)]), *source]

    def _first_of(self, relation: FirstOf) -> Lines:
        columns = _columns(relation.child)
        fields = relation.child.schema.fields
        shown = [
            key_of(column, fields[at].dataType) if at in relation.positions else column
            for at, column in enumerate(columns)
        ]
        below = self._from(relation.child, set(range(len(columns))))
        folded = any(has_folded(fields[at].dataType) for at in relation.positions)
        if len(relation.positions) == len(columns) and not folded:
            return [*_select(shown, distinct=True), *below]
        keys = ", ".join(key_sql(columns[at], fields[at].dataType) for at in relation.positions)
        numbered = [*_select([*shown, "row_number() OVER ()"], [*columns, "n"]), *below]
        first = f"QUALIFY row_number() OVER (PARTITION BY {keys} ORDER BY n) = 1"
        return [*_select(columns), *_nested("FROM (", numbered, ")"), first, "ORDER BY n"]

    def _concat(self, relation: Concat) -> Lines:
        lines: Lines = []
        for i, child in enumerate(relation.inputs):
            ordered = isinstance(child, (Sorted, Limited, FirstOf))
            query = _nested("(", self.query(child), ")") if ordered else self.query(child)
            lines += ["UNION ALL", *query] if i else query
        return lines

    def _combined(self, relation: Combined) -> Lines:
        if is_keyed(relation):
            every = set(range(len(relation.left.schema)))
            return print_keyed(relation, *(self._from(child, every) for child in relation.children()))
        sides = []
        for child in relation.children():
            shown = [key_of(column, f.dataType) for column, f in zip(_columns(child), child.schema, strict=True)]
            sides.append([*_select(shown), *self._from(child, set(range(len(shown))))])
        return [*sides[0], relation.kind.upper() + (" ALL" if relation.every else ""), *sides[1]]

    def _join(self, relation: Joined) -> Lines:
        width = len(relation.left.schema)
        right = ", ".join(f"c{width + i}" for i in range(len(relation.right.schema)))
        return [
            *self._side("FROM", relation.left, "AS l"),
            *self._side(_JOINS[relation.how], relation.right, f"AS r({right})" if right else "AS r"),
            f"ON {_join_condition(relation)}",
        ]

    def _side(self, clause: str, relation: Relation, alias: str) -> Lines:
        if isinstance(relation, Leaf):
            return [f"{clause} {self._leaf(relation)} {alias}"]
        return _nested(f"{clause} (", self.query(relation), f") {alias}")

    def _arranged(self, relation: Sorted | Limited) -> Lines:
        if isinstance(relation, Sorted):
            return [*self._all(relation.child), _order_by(relation.orders)]
        child = relation.child
        while isinstance(child, Watermarked):
            child = child.child
        lines = self._all(child) if isinstance(child, (Limited, Concat)) else self.query(child)
        return [*lines, f"LIMIT {relation.count}" + (f" OFFSET {relation.offset}" if relation.offset else "")]

    def _explode(self, relation: Explode, columns: list[int], names: list[int] | None = None) -> Lines:
        """Some columns of an explosion, called c0, c1, … or by the numbers in `names`."""
        width = len(relation.child.schema)
        if not any(at >= width for at in columns):  # the rows have to be multiplied all the same
            columns, names = [*columns, width], [*(names or range(len(columns))), width]
        generator, items = relation.generator, relation.generator.args[0]
        needed = {at for at in columns if at < width}
        text, below = print_expression(items), self._from(relation.child, needed | columns_in([items]))
        if not isinstance(items, Ref) and uses(generator, relation.outer) > 1:
            kept = [f"c{at}" for at in sorted(needed)]
            inner = [*_select([*kept, text], [*kept, "items"]), *below]
            text, below = "items", _nested("FROM (", inner, ")")
        given = print_generator(generator, text, relation.outer)
        exprs = [given[at - width] if at >= width else f"c{at}" for at in columns]
        return [*_select(exprs, [f"c{at}" for at in names or range(len(columns))]), *below]


def _join_condition(relation: Joined) -> str:
    if relation.condition is None:
        return "true"
    if relation.how not in ("semi", "anti"):
        return print_expression(relation.condition)
    # DuckDB's semi joins do not compare intervals, except for equality.
    parts = (
        f"({print_expression(part)} IS TRUE)" if _orders_intervals(part) else print_expression(part)
        for part in conjuncts(relation.condition)
    )
    return " AND ".join(parts)


def _orders_intervals(part: Typed) -> bool:
    if isinstance(part, Apply) and part.function in ("==", "<=>"):
        return False
    return any(isinstance(found.type, DayTimeIntervalType) for found in walk(part))


def _one_by_one(keep: Keep) -> Keep:
    """A condition that counts rows apart from those that have to be true before and behind it."""
    parts = conjuncts(keep.condition)
    if not any(counts_rows(found) for found in walk(keep.condition)):
        return keep
    for part in parts:
        keep = Keep(keep.schema, keep if part is not parts[0] else keep.child, part)
    return keep


def _qualified(typed: Typed, alias: str) -> Typed:
    """An expression as it is written inside a subquery, where columns of its own have the same names."""
    if isinstance(typed, Ref):
        return Printed(typed.type, typed.nullable, f"{alias}.c{typed.index}")
    return rebuilt(typed, lambda part: _qualified(part, alias))


def _changes_nothing(select: Select) -> bool:
    places = [e.index for e in select.exprs if isinstance(e, Ref)]
    return places == list(range(len(select.child.schema))) and len(places) == len(select.exprs)


def _picks(select: Select, below: Explode) -> bool:
    """Whether a SELECT only picks columns of an explosion, a column of the generator among them."""
    refs = [e.index for e in select.exprs if isinstance(e, Ref)]
    return len(refs) == len(select.exprs) and any(at >= len(below.child.schema) for at in refs)


def _columns(relation: Relation) -> list[str]:
    return [f"c{i}" for i in range(len(relation.schema))]


def _select(exprs: Iterable[str], names: Sequence[str] | None = None, distinct: bool = False) -> Lines:
    """The SELECT clause; expressions are called c0, c1, … unless `names` says otherwise."""
    exprs = list(exprs)
    named = [
        text if text == name else f"{text} AS {name}"
        for text, name in zip(exprs, names or [f"c{i}" for i in range(len(exprs))], strict=True)
    ]
    clause = "SELECT DISTINCT" if distinct else "SELECT"
    line = f"{clause} {', '.join(named) or '1 AS none'}"
    if len(line) <= _LINE_WIDTH:
        return [line]
    return [clause, *(f"  {item}," for item in named[:-1]), f"  {named[-1]}"]


def _nested(before: str, lines: Lines, behind: str) -> Lines:
    return [before, *(f"  {line}" for line in lines), behind]


def _order_by(orders: tuple[Order, ...]) -> str:
    return f"ORDER BY {', '.join(map(print_order, orders))}"
