"""What a column means: its expression as text, down to the columns of the sources.

Two texts are equal where the expressions are, whatever the names given on the way. What only chooses rows (filters,
sorts, limits) is left out, and how the rows of a static table come about. Long texts end in a digest, so that columns
made of columns do not grow without bound.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from app.plan.bound import (
    AggCall,
    Apply,
    Choose,
    Concat,
    Const,
    Convert,
    Explode,
    Grouped,
    Joined,
    LambdaFn,
    LambdaRef,
    Lateral,
    Leaf,
    Order,
    Ref,
    Relation,
    Select,
    Subquery,
    Typed,
    Unary,
)
from app.plan.relation_rewrite import expressions_of

_LONGEST = 240

LeafName = Callable[[Leaf], str]


def columns_of(relation: Relation, leaf: LeafName) -> list[str]:
    """The meaning of each column of a relation; `leaf` names where rows come from."""
    if not relation.streaming:
        return [f"static.{field.name} {field.dataType.simpleString()}" for field in relation.schema]
    match relation:
        case Leaf():
            return [f"{leaf(relation)}.{field.name} {field.dataType.simpleString()}" for field in relation.schema]
        case Select():
            return meanings(relation.exprs, relation.child, leaf)
        case Grouped():
            return meanings((*relation.keys, *relation.aggregates), relation.child, leaf)
        case Explode() | Lateral():
            below = columns_of(relation.child, leaf)
            made_by = ", ".join(meanings(expressions_of(relation), relation.child, leaf))
            kind = type(relation).__name__.lower()
            return below + [f"{kind}({made_by})[{at}]" for at in range(len(relation.schema) - len(below))]
        case Joined():
            both = columns_of(relation.left, leaf) + columns_of(relation.right, leaf)
            return both[: len(relation.schema)]
        case Concat():
            inputs = (columns_of(child, leaf) for child in relation.inputs)
            return [_short(" | ".join(column)) for column in zip(*inputs, strict=True)]
        case Unary():
            return columns_of(relation.child, leaf)
    raise AssertionError(f"no {type(relation).__name__} reads a stream")


def meanings(exprs: Sequence[Typed], child: Relation, leaf: LeafName) -> list[str]:
    """The meaning of expressions over the columns of `child`."""
    meaning = _Meaning(columns_of(child, leaf))
    return [_short(meaning.text(typed)) for typed in exprs]


def _short(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST // 2]}… {hashlib.sha256(text.encode()).hexdigest()[:16]}"


class _Meaning:
    """Expressions over columns whose meaning is known."""

    def __init__(self, columns: Sequence[str]) -> None:
        self._columns = columns

    def text(self, typed: Typed) -> str:
        match typed:
            case Ref(index=index):
                return self._columns[index]
            case Const(value=value):
                return f"{typed.type.simpleString()} {value!r}"
            case Convert(child=child):
                how = "try_cast" if typed.safe else "cast" if typed.ansi else "legacy cast"
                return f"{how}({self.text(child)} as {typed.type.simpleString()})"
            case Apply(function=name):
                return f"{name}({self._list(typed.args)})"
            case AggCall():
                return self._call(typed)
            case Choose(branches=branches, otherwise=otherwise):
                whens = [f"when {self.text(when)} then {self.text(then)}" for when, then in branches]
                return " ".join(["case", *whens, *([f"else {self.text(otherwise)}"] if otherwise else [])])
            case LambdaFn(params=params, body=body):
                return f"({', '.join(params)}) -> {self.text(body)}"
            case LambdaRef(name=name):
                return name
            case Subquery(kind=kind, relation=relation):
                columns = ", ".join(relation.schema.names)
                return f"{kind} subquery({columns}; {self._list((*typed.args, *typed.values))})"
        raise AssertionError(f"{type(typed).__name__} has no meaning outside its relation")

    def _call(self, call: AggCall) -> str:
        text = f"{call.function}({'distinct ' if call.distinct else ''}{self._list(call.args)})"
        if call.orders:
            text += f" within group (order by {', '.join(map(self._order, call.orders))})"
        if call.filter is not None:
            text += f" filter (where {self.text(call.filter)})"
        return f"{text} ignore nulls" if call.ignore_nulls else text

    def _order(self, order: Order) -> str:
        direction, nulls = "asc" if order.ascending else "desc", "first" if order.nulls_first else "last"
        return f"{self.text(order.child)} {direction} nulls {nulls}"

    def _list(self, exprs: Sequence[Typed]) -> str:
        return ", ".join(map(self.text, exprs))
