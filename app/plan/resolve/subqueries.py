"""Subqueries inside expressions: their types, and what of the rows around them they may use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import (
    AggCall,
    Apply,
    Joined,
    OuterRef,
    Ref,
    Relation,
    Select,
    Sorted,
    Subquery,
    Typed,
    Windowed,
)
from app.plan.coerce import cast, least_common_type
from app.plan.coerce_legacy import wider
from app.plan.expressions import Attribute, Call, Expr
from app.plan.functions.collations import keyed
from app.plan.functions.entry import Binding
from app.plan.functions.legacy_types import kindly
from app.plan.functions.zones import in_zone
from app.plan.relation_rewrite import everything_in, expressions_of, mapped, outer_refs, subqueries_in
from app.plan.resolve.chances import refuse_counting
from app.plan.resolve.enclosing import Enclosing
from app.plan.resolve.scope import OuterAlone, Scope, quoted
from app.plan.rewrite import parts_of, rebuilt, walk

_CATEGORY = "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY"


def scalar(scope: Scope, around: Enclosing) -> Typed:
    """The value of a query of one row and one column. Raises: PlanError."""
    if len(scope.columns) != 1:
        raise PlanError(
            f"A scalar subquery must return only one column, but found {len(scope.columns)}. Select one of them.",
            code="INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN",
        )
    relation, args = settled(scope.relation, around)
    return Subquery(scope.columns[0].type, True, "scalar", relation, args)


def exists(scope: Scope, around: Enclosing) -> Typed:
    """Whether a query has rows. Raises: PlanError."""
    relation, args = settled(scope.relation, around)
    return Subquery(t.BooleanType(), False, "exists", relation, args)


def among(scope: Scope, around: Enclosing, values: Sequence[Typed], given: Sequence[Expr], binding: Binding) -> Typed:
    """Whether some values together are a row of a query; both sides become their common types. Raises: PlanError."""
    columns = scope.columns
    if len(columns) != len(values) or any(_is_struct_call(expr) for expr in given):
        raise _mismatch(
            f"the number of columns on the left side ({len(values)}) does not match that of the output of the subquery "
            f"({len(columns)})",
            "IN_SUBQUERY_LENGTH_MISMATCH",
        )
    zone, convert = binding.time_zone, cast if binding.ansi else kindly
    common = least_common_type if binding.ansi else wider
    kinds = [common(value.type, column.type) for value, column in zip(values, columns, strict=True)]
    found = [kind for kind in kinds if kind is not None]
    if len(found) < len(kinds):
        left, right = (", ".join(f'"{x.type.sql()}"' for x in side) for side in (values, columns))
        raise _mismatch(
            f"the types on the left side [{left}] do not go with those of the subquery [{right}]",
            "IN_SUBQUERY_DATA_TYPE_MISMATCH",
        )
    if any(isinstance(kind, t.MapType) for kind in found):
        raise _mismatch("maps cannot be compared", "INVALID_ORDERING_TYPE")
    shown = tuple(keyed(in_zone(convert(scope.ref(at), kind), zone)) for at, kind in enumerate(found))
    types = [t.StructField(c.name, s.type, s.nullable) for c, s in zip(columns, shown, strict=True)]
    picked = Select(t.StructType(types), scope.relation, shown)
    relation, args = settled(picked if shown else scope.relation, around)
    sought = tuple(keyed(in_zone(convert(value, kind), zone)) for value, kind in zip(values, found, strict=True))
    nullable = any(x.nullable for x in (*sought, *shown))
    return Subquery(t.BooleanType(), nullable, "in", relation, args, sought)


def in_lambda() -> PlanError:
    """The error for a subquery inside a lambda."""
    return PlanError(
        "A subquery inside a higher-order function is not supported. Join with the query instead.",
        code=f"{_CATEGORY}.HIGHER_ORDER_FUNCTION",
    )


def outer_alone(name: Attribute) -> PlanError:
    """The error for an outer column where there is no query around, or none that has it."""
    shown = quoted(name.parts)
    return OuterAlone(
        f"The outer column {shown} is not that of a query around this one. Use the DataFrame inside another one: with "
        "scalar(), exists(), isin() or lateralJoin().",
        code="UNRESOLVED_COLUMN.WITH_SUGGESTION",
    )


def negation(typed: Typed) -> Typed | None:
    """NOT of an IN over a query, alone or joined by AND and OR; None for anything else. For Spark an IN over a query is
    never null: false where it is not known to be true, and so is NOT IN, where it is not known to be false."""
    match typed:
        case Subquery(kind="in"):
            return replace(typed, kind="not in")
        case Subquery(kind="not in"):
            return replace(typed, kind="in")
        case Apply(function=("and" | "or") as name) if any(map(_has_in, typed.args)):
            args = tuple(negation(arg) or Apply(arg.type, arg.nullable, "not", (arg,)) for arg in typed.args)
            return Apply(typed.type, typed.nullable, "or" if name == "and" else "and", args)
    return None


def _has_in(typed: Typed) -> bool:
    if isinstance(typed, Apply):
        return typed.function in ("and", "or", "not") and any(map(_has_in, typed.args))
    return isinstance(typed, Subquery) and typed.kind in ("in", "not in")


def settled(relation: Relation, around: Enclosing) -> tuple[Relation, tuple[Typed, ...]]:
    """A subquery's relation that keeps Spark's rules, with the outer columns that it really uses. Raises: PlanError."""
    if any(node.streaming for node in everything_in(relation)):
        raise PlanError(
            "A subquery inside an expression reads a stream, whose rows are never all there. Join the streams, or read "
            "the inner one as a table.",
            code="INVALID_SUBQUERY_EXPRESSION.STREAMING_QUERY",
        )
    _check_references(relation)
    if around.args:
        for node in everything_in(relation):
            refuse_counting(expressions_of(node), "in a subquery that uses the rows around it")
    used = sorted({ref.index for ref in outer_refs(relation)})
    if len(used) < len(around.args):
        relation = mapped(relation, lambda typed: _renumbered(typed, used))
    return relation, tuple(around.args[index] for index in used)


def _renumbered(typed: Typed, used: list[int]) -> Typed:
    if isinstance(typed, OuterRef):
        return OuterRef(typed.type, typed.nullable, used.index(typed.index), typed.name)
    return rebuilt(typed, lambda part: _renumbered(part, used))


def check_grouped(exprs: Iterable[Typed], keys: tuple[Typed, ...]) -> None:
    """Returns where the results of an aggregation may use the query around it, and hold the subqueries they do.

    Raises: PlanError."""
    for typed in exprs:
        if (sub := _correlated_scalar(typed, keys)) is not None:
            raise PlanError(
                f"The correlated scalar subquery by {', '.join(ref.name for ref in outer_refs(sub.relation))} is "
                "neither in GROUP BY nor in an aggregate function. Add it there, or wrap it in first() or any_value().",
                code="SCALAR_SUBQUERY_IS_IN_GROUP_BY_OR_AGGREGATE_FUNCTION",
            )
        if refs := _outer(typed):
            mixed = any(isinstance(x, AggCall) and _outer(x) and _own(x) for x in walk(typed))
            kind = "AGGREGATE_FUNCTION_MIXED_OUTER_LOCAL_REFERENCES" if mixed else "CORRELATED_REFERENCE"
            raise _unsupported(kind, "where rows are grouped", refs[0].name)
    for ref in (ref for key in keys for ref in _outer(key)):
        raise _unsupported("CORRELATED_REFERENCE", "in GROUP BY", ref.name)


def check_plain(exprs: Iterable[Typed], where: str) -> None:
    """Returns where expressions only hold subqueries that stand for one value, the same for all rows.

    Raises: PlanError."""
    check_scalars(exprs, where)
    if any(sub.kind != "scalar" for typed in exprs for sub in subqueries_in(typed)):
        raise _misplaced("IN or EXISTS", where, "UNSUPPORTED_IN_EXISTS_SUBQUERY")


def check_scalars(exprs: Iterable[Typed], where: str) -> None:
    """Returns where scalar subqueries give the same for all rows. Raises: PlanError."""
    if any(sub.kind == "scalar" and sub.args for typed in exprs for sub in subqueries_in(typed)):
        raise _misplaced("A correlated scalar subquery", where, "UNSUPPORTED_CORRELATED_SCALAR_SUBQUERY")


def _misplaced(what: str, where: str, kind: str) -> PlanError:
    return PlanError(
        f"{what} over a query is not supported in {where}. Select it first, then use the new column.",
        code=f"{_CATEGORY}.{kind}",
    )


def _check_references(relation: Relation) -> None:
    for node in relation.walk():
        if isinstance(node, Joined):
            sides = {"left": (node.right,), "right": (node.left,), "full": (node,)}.get(node.how, ())
            for ref in (ref for side in sides for ref in outer_refs(side)):
                raise _unsupported("ACCESSING_OUTER_QUERY_COLUMN_IS_NOT_ALLOWED", f"below a {node.how} join", ref.name)
        if isinstance(node, (Sorted, Windowed)):
            for ref in (ref for typed in expressions_of(node) for ref in _outer(typed)):
                raise _unsupported("CORRELATED_REFERENCE", "where rows are sorted or numbered", ref.name)


def _correlated_scalar(typed: Typed, keys: tuple[Typed, ...]) -> Subquery | None:
    if isinstance(typed, AggCall) or typed in keys:
        return None
    if isinstance(typed, Subquery) and typed.kind == "scalar" and typed.args:
        return typed
    found = (_correlated_scalar(part, keys) for part in parts_of(typed))
    return next((sub for sub in found if sub is not None), None)


def _outer(typed: Typed) -> list[OuterRef]:
    return [found for found in walk(typed) if isinstance(found, OuterRef)]


def _own(typed: Typed) -> bool:
    return any(isinstance(found, Ref) for found in walk(typed))


def _unsupported(kind: str, where: str, name: str) -> PlanError:
    return PlanError(
        f"A subquery uses the outer column `{name}` {where}, which is not supported. Use it in the subquery's WHERE.",
        code=f"{_CATEGORY}.{kind}",
    )


def _mismatch(why: str, kind: str) -> PlanError:
    return PlanError(
        f"Cannot resolve IN (query) due to data type mismatch: {why}. Change one of the sides.",
        code=f"DATATYPE_MISMATCH.{kind}",
    )


def _is_struct_call(expr: Expr) -> bool:
    return isinstance(expr, Call) and expr.name.lower() in ("struct", "named_struct")
