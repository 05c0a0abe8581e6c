"""Short ways to write plan nodes, and relations as text."""

from __future__ import annotations

from app.plan import expressions as e
from app.plan import nodes as n
from app.plan import types as t
from app.plan.bound import Relation
from app.plan.ddl import parse_schema
from app.plan.resolve import resolve

_TYPES = {
    int: t.IntegerType(),
    str: t.StringType(),
    float: t.DoubleType(),
    bool: t.BooleanType(),
    type(None): t.NullType(),
}


def table(ddl: str, streaming: bool = False) -> n.Scan:
    return n.Scan("memory", (), parse_schema(ddl), streaming)


def col(name: str, of: n.Node | None = None) -> e.Attribute:
    return e.Attribute(tuple(name.split(".")), of)


def expr(value: object) -> e.Expr:
    """An expression as it is, a text as a column, `*` as a star, anything else as a constant."""
    if isinstance(value, e.Expr):
        return value
    if value == "*":
        return e.Star()
    return col(value) if isinstance(value, str) else lit(value)


def lit(value: object) -> e.Literal:
    return e.Literal(value, _TYPES[type(value)])


def call(name: str, *args: object, **more: object) -> e.Call:
    return e.Call(name, tuple(expr(arg) for arg in args), **more)


def named(value: object, *names: str) -> e.Alias:
    return e.Alias(expr(value), names)


def select(child: n.Node, *items: object) -> n.Project:
    return n.Project(child, tuple(expr(item) for item in items))


def group(child: n.Node, keys: list[object], *outputs: object, having: e.Expr | None = None) -> n.Aggregate:
    """As DataFrame calls write it: the results are the keys, then `outputs`."""
    by = tuple(expr(key) for key in keys)
    return n.Aggregate(child, by, (*by, *(expr(output) for output in outputs)), having)


def sort(child: n.Node, *keys: object) -> n.Sort:
    return n.Sort(child, tuple(key if isinstance(key, e.SortKey) else e.SortKey(expr(key)) for key in keys))


def columns(node: n.Node) -> str:
    """The schema of a resolved node: `k string, n bigint not null`."""
    return describe(resolve(node))


def describe(relation: Relation) -> str:
    return ", ".join(
        f"{f.name} {f.dataType.simpleString()}{'' if f.nullable else ' not null'}" for f in relation.schema
    )
