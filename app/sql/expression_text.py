"""Expressions as text: what `repr(column)` and `explain()` show."""

from __future__ import annotations

from typing import Any

from app.plan import bound
from app.plan import expressions as e
from app.plan.resolve.window_names import over_text

_NAMES = {"==": "=", "not": "!", "isnull": "isNull", "isnotnull": "isNotNull", "isnan": "isNaN", "substring": "substr"}


def expression_text(expr: e.Expr) -> str:
    """The expression as Spark's `Column` shows it: operators in front of their arguments.

    >>> expression_text(e.Call("+", (e.Attribute(("a",)), e.Attribute(("b.c",)))))
    '+(a, `b.c`)'
    """
    match expr:
        case e.Attribute(parts=parts):
            return ".".join(map(_name, parts))
        case e.Star(qualifier=parts):
            return ".".join([*map(_name, parts), "*"])
        case e.Literal(value=value):
            return _value(value)
        case e.Call(name="getitem", args=(base, key)):
            return f"{expression_text(base)}[{expression_text(key)}]"
        case e.Call(name="update field" | "drop field" as name, args=(struct, e.Literal(value=field), *more)):
            shown = ", ".join([expression_text(struct), field, *map(expression_text, more)])
            return f"{name.replace(' ', '_')}({shown})"
        case e.Call():
            return _call(expr)
        case e.Cast(child=child, to=to, safe=safe):
            return f"{'TRY_CAST' if safe else 'CAST'}({expression_text(child)} AS {to.sql()})"
        case e.Case(branches=branches, otherwise=otherwise):
            whens = [f"WHEN {expression_text(c)} THEN {expression_text(v)}" for c, v in branches]
            tail = [] if otherwise is None else [f"ELSE {expression_text(otherwise)}"]
            return " ".join(["CASE", *whens, *tail, "END"])
        case e.Over():
            return over_text(expr, expression_text(expr.call), expression_text)
        case e.NamedArg(name=name, value=value):
            return f"{name} => {expression_text(value)}"
        case e.Lambda(params=params, body=body):
            return f"({', '.join(params)}) -> {expression_text(body)}"
        case e.Alias(child=child, names=names):
            return f"{expression_text(child)} AS {names[0] if len(names) == 1 else '(' + ', '.join(names) + ')'}"
        case e.SortKey(child=child, ascending=ascending, nulls_first=nulls_first):
            first = ascending if nulls_first is None else nulls_first
            order = "ASC" if ascending else "DESC"
            return f"{expression_text(child)} {order} NULLS {'FIRST' if first else 'LAST'}"
    return _of_queries(expr)


def _of_queries(expr: e.Expr) -> str:
    match expr:
        case e.Outer(child=child):
            return f"lazy({expression_text(child)})"
        case e.Subquery(kind=kind, values=values):
            return f"{', '.join(map(expression_text, values))} in (query)" if values else f"{kind}(query)"
    return repr(expr)


def _call(call: e.Call) -> str:
    if call.name in ("count", "count_star") and call.args in ((), (e.Star(),)):
        return "count(*)"
    distinct = "DISTINCT " if call.distinct else ""
    text = f"{_NAMES.get(call.name, call.name)}({distinct}{', '.join(map(expression_text, call.args))})"
    return text if call.filter is None else f"{text} FILTER (WHERE {expression_text(call.filter)})"


def _name(part: str) -> str:
    return "`" + part.replace("`", "``") + "`" if "." in part or "`" in part else part


def _value(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{value}'" if isinstance(value, str) else str(value)


def relation_text(relation: bound.Relation, depth: int = 0) -> str:
    """The resolved plan as a tree, one line a step, what runs first at the bottom."""
    lead = "   " * (depth - 1) + "+- " if depth else ""
    line = f"{lead}{type(relation).__name__}{_detail(relation)} -> [{', '.join(relation.schema.names)}]\n"
    return line + "".join(relation_text(child, depth + 1) for child in relation.children())


def _detail(relation: bound.Relation) -> str:
    match relation:
        case bound.Leaf(node=bound.Recursed() as node):
            return _recursed(node)
        case bound.Leaf(node=node):
            return f" {node.format}" if hasattr(node, "format") else f" {type(node).__name__}"
        case bound.Select(exprs=exprs):
            return f" {', '.join(map(_typed, exprs))}"
        case bound.Keep(condition=condition):
            return f" {_typed(condition)}"
        case bound.Explode(generator=generator):
            return f" {_typed(generator)}"
        case bound.Grouped(keys=keys, aggregates=aggregates):
            return f" by ({', '.join(map(_typed, keys))}): {', '.join(map(_typed, aggregates))}"
        case bound.Joined(how=how, condition=condition):
            return f" {how}" + ("" if condition is None else f" on {_typed(condition)}")
        case bound.Lateral(inner=inner, how=how, args=args):
            return f" {how} by ({', '.join(map(_typed, args))}) {_query(inner)}"
        case bound.Sorted(orders=orders):
            return f" {', '.join(_typed(o.child) + (' asc' if o.ascending else ' desc') for o in orders)}"
        case bound.Sampled(low=low, high=high, seed=seed, replaced=replaced):
            return f" [{low}, {high}) by {'poisson' if replaced else 'rand'}({seed})"
        case bound.Limited(count=count, offset=offset):
            return f" {count}" + (f" after {offset}" if offset else "")
    return ""


def _recursed(node: bound.Recursed) -> str:
    return f" {_query(node.anchor)} and again {_query(node.step)}"


def _query(relation: bound.Relation) -> str:
    """A subquery in one line."""
    return f"[{' '.join(line.strip() for line in relation_text(relation).splitlines())}]"


def _typed(value: bound.Typed) -> str:
    match value:
        case bound.OuterRef(name=name, index=index):
            return f"outer {name}#{index}"
        case bound.Subquery(kind=kind, relation=relation, args=args, values=values):
            sought = f"({', '.join(map(_typed, values))}) " if values else ""
            return f"{sought}{kind} ({', '.join(map(_typed, args))}) {_query(relation)}"
        case bound.Ref(name=name, index=index):
            return f"{name}#{index}"
        case bound.Const(value=constant):
            return _value(constant)
        case bound.Apply(function=function, args=args) | bound.AggCall(function=function, args=args):
            return f"{function}({', '.join(map(_typed, args))})"
        case bound.Convert(child=child):
            return f"cast({_typed(child)} as {value.type.simpleString()})"
        case bound.Choose(branches=branches, otherwise=otherwise):
            whens = " ".join(f"when {_typed(c)} then {_typed(v)}" for c, v in branches)
            return f"case {whens}{'' if otherwise is None else ' else ' + _typed(otherwise)} end"
        case bound.LambdaRef(name=name):
            return name
        case bound.LambdaFn(params=params, body=body):
            return f"({', '.join(params)}) -> {_typed(body)}"
    return repr(value)
