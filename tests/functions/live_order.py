"""An expression with the order of computing made explicit, for the live comparison.

Spark computes the arguments of a call one by one and stops at the first that is null, as the call is null then; DuckDB
computes all of them for all rows. So an argument that fails beside one that is null, or beside another that fails,
may show here and not there, or the other way round. Which is right to be different is seen by asking again in Spark's
order: whatever differs then is no matter of order.
"""

from __future__ import annotations

from app.plan.bound import Apply, Choose, Const, LambdaFn, LambdaRef, Ref, Relation, Typed
from app.plan.relation_rewrite import with_expressions
from app.plan.rewrite import rebuilt, walk
from app.plan.types import BooleanType

ORDERS = ("left", "right", "constants")
"""Which argument comes first: as written; the other way round, as a divisor does, and what is computed although another
argument is null already; or those that are constant, as an optimizer knows them before there are rows."""
_TAKE_NULLS = {
    "and", "or", "<=>", "coalesce", "in", "array", "struct", "named_struct", "map", "concat_ws", "greatest", "least",
    "elt", "hash", "xxhash64", "format_string", "array_append", "array_prepend", "array_insert", "array_repeat",
    "nullif", "decode", "ifnull", "nvl", "nvl2", "if", "to_json", "equal_null",
}  # fmt: skip
"""Functions that are not null because an argument is; to forget one here declares nothing, it shows."""


def in_sparks_order(relation: Relation, order: str) -> Relation:
    """The projection with each call computed only where no argument is null, arguments in one of `ORDERS`."""
    return with_expressions(relation, lambda typed: _ordered(typed, order))


def _ordered(typed: Typed, order: str) -> Typed:
    typed = rebuilt(typed, lambda part: _ordered(part, order))
    if not isinstance(typed, Apply) or typed.function in _TAKE_NULLS or len(typed.args) < 2:
        return typed
    args = [arg for arg in typed.args if not isinstance(arg, LambdaFn)]
    if order == "right":
        args.reverse()
    elif order == "constants":
        args.sort(key=lambda arg: any(isinstance(part, (Ref, LambdaRef)) for part in walk(arg)))
    null = Const(typed.type, True, None)
    branches = tuple((Apply(BooleanType(), False, "isnull", (arg,)), null) for arg in args)
    return Choose(typed.type, True, branches, typed)
