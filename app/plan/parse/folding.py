"""Whole numbers where a constant expression stands for one: in LIMIT, OFFSET and range()."""

from __future__ import annotations

from app.errors import PlanError
from app.plan import types as t
from app.plan.expressions import Attribute, Call, Cast, Expr, Literal, Subquery

_MOVING = ("rand", "randn", "random", "uuid", "shuffle")


def folded(expr: Expr) -> int | None:
    """The whole number that a sum, difference or product of whole numbers comes to; None for anything else."""
    match expr:
        case Literal(int() as value, t.IntegerType() | t.LongType()) if not isinstance(value, bool):
            return value
        case Call("negative", (arg,)) if (number := folded(arg)) is not None:
            return -number
        case Call(("+" | "-" | "*") as sign, (left, right)):
            a, b = folded(left), folded(right)
            if a is not None and b is not None:
                return {"+": a + b, "-": a - b, "*": a * b}[sign]
    return None


def limit(expr: Expr, word: str) -> int:
    """The number of LIMIT or OFFSET. Raises: PlanError INVALID_LIMIT_LIKE_EXPRESSION."""
    found = folded(expr)
    if found is None or (isinstance(expr, Literal) and not isinstance(expr.type, t.IntegerType)):
        kind, why = ("DATA_TYPE", "be an integer") if _is_constant(expr) else ("IS_UNFOLDABLE", "be a constant")
        raise PlanError(
            f"The {word} expression must {why}. Write a whole number, or pass it as :n.",
            code=f"INVALID_LIMIT_LIKE_EXPRESSION.{kind}",
        )
    if found < 0:
        raise PlanError(
            f"The {word} is {found}; it has to be 0 or more.", code="INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE"
        )
    return found


def _is_constant(expr: Expr) -> bool:
    if isinstance(expr, (Attribute, Subquery)):
        return False
    if isinstance(expr, Cast):
        return _is_constant(expr.child)
    return not isinstance(expr, Call) or (expr.name not in _MOVING and all(map(_is_constant, expr.args)))
