"""An expression with the order of computing made explicit, for the live comparison.

Spark computes the arguments of a call one by one and stops at the first that is null, as the call is null then; DuckDB
computes all of them for all rows. So an argument that fails beside one that is null, or beside another that fails,
may show here and not there, or the other way round. Which is right to be different is seen by asking again in Spark's
order: whatever differs then is no matter of order.
"""

from __future__ import annotations

from app.plan.bound import Apply, Choose, Const, Convert, LambdaFn, LambdaRef, Ref, Relation, Typed
from app.plan.relation_rewrite import with_expressions
from app.plan.rewrite import rebuilt, walk
from app.plan.types import BooleanType, IntegerType, NumericType

ORDERS = ("divisors", "left", "right", "constants")
"""Which argument comes first: a divisor of numbers, and else as written; as written, for divisors of intervals too; the
other way round, as what is computed although an argument before it is null; or those that are constant, which an
optimizer knows before there are rows."""
_TAKE_NULLS = {
    "and", "or", "<=>", "coalesce", "array", "struct", "named_struct", "map", "concat_ws", "greatest", "least", "elt",
    "hash", "xxhash64", "format_string", "array_append", "array_prepend", "array_insert", "array_repeat", "decode",
    "ifnull", "nvl", "nvl2", "if", "to_json", "equal_null",
}  # fmt: skip
"""Functions that are not null because an argument is; to forget one here declares nothing, it shows."""
_FIRST_ONLY = {"in", "nullif"}
"""Those that are null if their first argument is."""
_ALWAYS_LEFT = {"units"}
_DIVISIONS = {"/", "%", "div", "pmod", "try_divide", "try_mod"}
_TRIED = {"try_divide", "try_mod"}
"""Those that are null where the divisor is 0, whatever the dividend."""


def in_sparks_order(relation: Relation, order: str) -> Relation:
    """The projection with each call computed only where no argument is null, arguments in one of `ORDERS`."""
    return with_expressions(relation, lambda typed: _ordered(typed, order))


def _ordered(typed: Typed, order: str) -> Typed:
    typed = rebuilt(typed, lambda part: _ordered(part, order))
    if not isinstance(typed, Apply) or typed.function in _TAKE_NULLS or len(typed.args) < 2:
        return typed
    args = [arg for arg in typed.args if not isinstance(arg, LambdaFn)]
    if typed.function in _FIRST_ONLY:
        del args[1:]
    elif _backwards(typed.function, order):
        args.reverse()
    elif order == "constants":
        args.sort(key=lambda arg: any(isinstance(part, (Ref, LambdaRef)) for part in walk(arg)))
    conditions = [Apply(BooleanType(), False, "isnull", (arg,)) for arg in args]
    if typed.function in _TRIED and isinstance(typed.args[1].type, NumericType):
        zero = Convert(typed.args[1].type, False, Const(IntegerType(), False, 0))
        conditions.insert(1, Apply(BooleanType(), True, "==", (typed.args[1], zero)))
    null = Const(typed.type, True, None)
    return Choose(typed.type, True, tuple((condition, null) for condition in conditions), typed)


def _backwards(function: str, order: str) -> bool:
    return (order == "right" and function not in _ALWAYS_LEFT) or (order == "divisors" and function in _DIVISIONS)
