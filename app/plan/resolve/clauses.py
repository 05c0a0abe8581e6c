"""What may stand in and behind a call: arguments by name, DISTINCT, FILTER, WITHIN GROUP."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

from app.errors import PlanError
from app.plan.bound import AggCall, Order, Typed
from app.plan.coerce import contains
from app.plan.expressions import Call, Expr, Literal, NamedArg, Subquery
from app.plan.functions import catalogue, lookup
from app.plan.functions.calendar_intervals import refuse_as_key
from app.plan.functions.collations import by_key
from app.plan.functions.entry import Function
from app.plan.functions.signature import unhashable
from app.plan.rewrite import aggregates_in, rebuilt
from app.plan.types import NullType, StringType, VariantType

_SKIPPING = ("first", "last", "collect_list", "collect_set")
_BY_VALUE = ("collect_set", "collect_set respecting nulls", "mode", "approx_count_distinct", "approx_top_k")
"""Aggregates that take IGNORE NULLS, by their canonical names."""
_UNSUPPORTED = "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX"


def refuse_clauses(expr: Call, function: Function | None) -> None:
    """Raises: PlanError for a clause that only aggregates take; a SQL function (None) is none."""
    clause = "DISTINCT" if expr.distinct else "FILTER clause" if expr.filter is not None else ""
    clause = clause or ("WITHIN GROUP (ORDER BY ...)" if expr.order else "")
    if clause:
        raise PlanError(
            f"The function `{expr.name}` does not support {clause}: it is not an aggregate function.",
            code=_UNSUPPORTED,
        )
    if expr.ignore_nulls and (function is None or function.kind != "window"):
        raise PlanError(f"The function `{expr.name}` does not support IGNORE NULLS.", code=_UNSUPPORTED)


def check_within_group(function: Function, expr: Call) -> None:
    """Returns where an aggregate has WITHIN GROUP as it takes it. Raises: PlanError."""
    if expr.order and not function.within_group:
        raise PlanError(
            f"The function `{expr.name}` does not support WITHIN GROUP (ORDER BY ...). Leave it out.", code=_UNSUPPORTED
        )
    if function.name == "mode":
        _refuse_distinct(expr)
    if function.within_group != "required":
        distinct_by = [key.child for key in expr.order] if expr.distinct else []
        if distinct_by and distinct_by != list(expr.args[:1]):
            raise PlanError(
                f"Invalid function `{expr.name}` with WITHIN GROUP: with DISTINCT the rows can only be ordered by the "
                "argument itself.",
                code="INVALID_WITHIN_GROUP_EXPRESSION.MISMATCH_WITH_DISTINCT_INPUT",
            )
        return
    if not expr.order:
        raise PlanError(
            f"Invalid function `{expr.name}`: WITHIN GROUP is required. Add WITHIN GROUP (ORDER BY column).",
            code="INVALID_WITHIN_GROUP_EXPRESSION.WITHIN_GROUP_MISSING",
        )
    if len(expr.order) > 1:
        raise PlanError(
            f"Invalid function `{expr.name}` with WITHIN GROUP: it takes one ORDER BY key, not {len(expr.order)}.",
            code="INVALID_WITHIN_GROUP_EXPRESSION.WRONG_NUM_ORDERINGS",
        )
    _refuse_distinct(expr)


def _refuse_distinct(expr: Call) -> None:
    if expr.distinct:
        raise PlanError(
            f"Invalid function `{expr.name}` with WITHIN GROUP: DISTINCT is not supported. Leave it out.",
            code="INVALID_WITHIN_GROUP_EXPRESSION.DISTINCT_UNSUPPORTED",
        )


def check_filter(condition: Expr) -> None:
    """Raises: PlanError where the FILTER of an aggregate has what is not one value of a row."""
    calls = list(_calls(condition))
    functions = [lookup(name) for name in calls if name.lower() in catalogue()]
    for wrong, kind, what in (
        (any(not function.deterministic for function in functions), "NON_DETERMINISTIC", "what is by chance"),
        (any(function.kind == "aggregate" for function in functions), "CONTAINS_AGGREGATE", "an aggregate function"),
        (any(function.kind == "window" for function in functions), "CONTAINS_WINDOW_FUNCTION", "a window function"),
    ):
        if wrong:
            raise PlanError(
                f"The FILTER clause of an aggregate function is invalid: it contains {what}. Compute it in a query "
                "below, and filter by its column.",
                code=f"INVALID_AGGREGATE_FILTER.{kind}",
            )


def _calls(part: object) -> Iterator[str]:
    """The names of all functions in an expression, those of queries inside it left out."""
    if isinstance(part, Call):
        yield part.name
    if isinstance(part, tuple):
        for item in part:
            yield from _calls(item)
    elif isinstance(part, Expr) and not isinstance(part, Subquery):
        for item in fields(part):
            yield from _calls(getattr(part, item.name))


def with_clauses(typed: Typed, expr: Call, condition: Typed | None, orders: tuple[Order, ...]) -> Typed:
    """The clauses of an aggregate call put on what its function bound to."""
    if isinstance(typed, AggCall):
        if expr.ignore_nulls and typed.function not in _SKIPPING:
            raise PlanError(f"The function `{expr.name}` does not support IGNORE NULLS.", code=_UNSUPPORTED)
        if expr.distinct or typed.function in _BY_VALUE:
            refuse_as_key(f"`{expr.name}`", (arg.type for arg in typed.args))
        ignore = expr.ignore_nulls or typed.ignore_nulls
        variants = [arg for arg in typed.args if contains(arg.type, VariantType)]
        if expr.distinct and variants and typed.function != "schema_of_variant_agg":
            raise unhashable(f"{expr.name} DISTINCT", variants[0])
        if expr.distinct:
            typed = by_key(typed, expr.name)
        return replace(typed, distinct=expr.distinct, filter=condition, ignore_nulls=ignore, orders=orders)
    return rebuilt(typed, lambda part: with_clauses(part, expr, condition, orders)) if aggregates_in(typed) else typed


def in_order(function: Function, expr: Call) -> tuple[Expr, ...]:
    """The arguments of a call in the order of the function's parameters, null where one in between is left out.

    Raises: PlanError for a name the function does not have, or has been given already."""
    if not any(isinstance(arg, NamedArg) for arg in expr.args):
        return expr.args
    if not function.params:
        raise PlanError(
            f"Named parameters are not supported for function `{expr.name}`; give the arguments in order.",
            code="NAMED_PARAMETERS_NOT_SUPPORTED",
        )
    given = by_name(function.params, expr)
    if function.params[0] not in given:
        raise PlanError(
            f"Cannot invoke routine `{expr.name}` because the parameter named `{function.params[0]}` is required, but "
            "the call did not supply a value. Give it one.",
            code="REQUIRED_PARAMETER_NOT_FOUND",
        )
    last = max(i for i, name in enumerate(function.params) if name in given)
    return tuple(given.get(name, _default(function, name)) for name in function.params[: last + 1])


def _default(function: Function, name: str) -> Expr:
    text = function.defaults.get(name)
    return Literal(None, NullType()) if text is None else Literal(text, StringType())


def by_name(params: tuple[str, ...], expr: Call) -> dict[str, Expr]:
    """The arguments of a call by the names of the parameters, which are in lower case. Raises: PlanError."""
    named = [arg for arg in expr.args if isinstance(arg, NamedArg)]
    plain = expr.args[: len(expr.args) - len(named)]
    if any(isinstance(arg, NamedArg) for arg in plain):
        raise PlanError(
            f"Cannot invoke routine `{expr.name}`: arguments in order stand before those by name.",
            code="UNEXPECTED_POSITIONAL_ARGUMENT",
        )
    given: dict[str, Expr] = dict(zip(params, plain, strict=False))
    for arg in named:
        name = arg.name.lower()
        if name not in params:
            raise PlanError(
                f"Cannot invoke routine `{expr.name}`: it has no parameter `{arg.name}`. It has "
                f"{', '.join(f'`{p}`' for p in params)}.",
                code="UNRECOGNIZED_PARAMETER_NAME",
            )
        if name in given:
            kind = "BOTH_POSITIONAL_AND_NAMED" if name in params[: len(plain)] else "DOUBLE_NAMED_ARGUMENT_REFERENCE"
            raise PlanError(
                f"Call to routine `{expr.name}` is invalid: `{arg.name}` is given twice.",
                code=f"DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.{kind}",
            )
        given[name] = arg.value
    return given
