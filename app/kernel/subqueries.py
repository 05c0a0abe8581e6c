"""Subqueries inside expressions as DuckDB SQL, with Spark's rules for nulls."""

from __future__ import annotations

from collections.abc import Callable

from app.plan import types as t
from app.plan.bound import OuterRef, Printed, Relation, Select, Subquery, Typed
from app.plan.carriers import duckdb_type
from app.plan.relation_rewrite import mapped
from app.plan.rewrite import rebuilt


def given(relation: Relation, args: list[str]) -> Relation:
    """The relation of a subquery with the texts of its arguments in place of what refers to them."""

    def change(typed: Typed) -> Typed:
        if isinstance(typed, OuterRef):
            return Printed(typed.type, typed.nullable, args[typed.index])
        return rebuilt(typed, change)

    return mapped(relation, change) if args else relation


def print_subquery(subquery: Subquery, relation: Relation, values: list[str], query: Callable[[Relation], str]) -> str:
    """The text of a subquery; `relation` is its relation with arguments in it, `values` what is looked for."""
    if subquery.kind == "scalar":
        return f"({query(relation)})"
    if subquery.kind == "exists":
        while isinstance(relation, Select):  # what is selected is not computed, as it might fail
            relation = relation.child
        return f"EXISTS ({query(relation)})"
    fields = relation.schema.fields
    columns = [_compared(f"c{at}", field.dataType) for at, field in enumerate(fields)]
    sought = [_compared(value, field.dataType) for value, field in zip(values, fields, strict=True)]
    rows = query(relation)
    if len(columns) == 1:
        word = "NOT IN" if subquery.kind == "not in" else "IN"
        return _known(f"({sought[0]} {word} (SELECT {columns[0]} FROM ({rows})))", subquery)
    if subquery.kind == "not in" and subquery.nullable:
        equal = " AND ".join(f"{value} = {column}" for value, column in zip(sought, columns, strict=True))
        return f"(NOT EXISTS (SELECT 1 FROM ({rows}) WHERE ({equal}) IS DISTINCT FROM false))"
    there = " AND ".join(f"{column} IS NOT NULL" for column in columns)
    found = f"(row({', '.join(sought)}) IN (SELECT row({', '.join(columns)}) FROM ({rows}) WHERE {there}))"
    missing = " OR ".join(f"{value} IS NULL" for value in sought)
    return f"(NOT {found})" if subquery.kind == "not in" else f"(NOT ({missing}) AND {found})"


def _known(text: str, subquery: Subquery) -> str:
    return f"coalesce({text}, false)" if subquery.nullable else text


def _compared(text: str, kind: t.DataType) -> str:
    """A value as it is compared: -0.0 is 0.0, as in Spark."""
    if isinstance(kind, (t.DoubleType, t.FloatType)):
        return f"({text} + CAST(0 AS {duckdb_type(kind)}))"
    return text
