"""Constants that have to be known while the text is read: in LIMIT, OFFSET, range(), IDENTIFIER and frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.errors import PlanError
from app.plan import types as t
from app.plan.expressions import Attribute, Call, Cast, Expr, Literal, Subquery

_MOVING = ("rand", "randn", "random", "uuid", "shuffle")


def folded(expr: Expr) -> int | None:
    """The whole number that a sum, difference or product of whole numbers comes to; None for anything else."""
    match expr:
        case Literal(int() as value, t.IntegerType() | t.LongType()) if not isinstance(value, bool):
            return value
        case Call("-" | "negative", (arg,)) if (number := folded(arg)) is not None:
            return -number
        case Call(("+" | "-" | "*") as sign, (left, right)):
            a, b = folded(left), folded(right)
            if a is not None and b is not None:
                return {"+": a + b, "-": a - b, "*": a * b}[sign]
    return None


def is_written(expr: Expr) -> bool:
    """Whether it is made of literals by operators and casts: the functions it calls have not been looked up yet."""
    match expr:
        case Cast(child=child):
            return is_written(child)
        case Call(name, args):
            return not name.isidentifier() and all(map(is_written, args))
    return isinstance(expr, Literal)


def limit(expr: Expr, word: str, constant: Callable[[Expr], Any]) -> int:
    """The number of LIMIT or OFFSET; `constant` computes what is no number as it stands.

    Raises: PlanError INVALID_LIMIT_LIKE_EXPRESSION."""
    found = folded(expr)
    if found is None and not isinstance(expr, Literal):
        try:
            value = constant(expr)
        except PlanError:
            value = None
        found = value if type(value) is int else None
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


def literal_value(expr: Expr) -> Any:
    """The value of a literal, or of literal texts put together. Raises: PlanError (anything else)."""
    match expr:
        case Literal(value=value):
            return value
        case Call(name="concat", args=args):
            return "".join(map(str, map(literal_value, args)))
    raise PlanError(
        "An expression that has to be known before the query is built is no constant. Give a literal.",
        code="NOT_A_CONSTANT_STRING.NOT_CONSTANT",
    )


def constant_name(constant: Callable[[Expr], Any], expr: Expr) -> str:
    """The text that the argument of IDENTIFIER is. Raises: PlanError NOT_A_CONSTANT_STRING."""
    try:
        value = constant(expr)
    except PlanError as error:
        raise PlanError(
            "The expression used for the clause IDENTIFIER must be a constant STRING which is NOT NULL: it must not "
            f"depend on columns. {error.sentence}",
            code="NOT_A_CONSTANT_STRING.NOT_CONSTANT",
        ) from error
    if not isinstance(value, str):
        raise PlanError(
            "The expression used for the clause IDENTIFIER must be a constant STRING which is NOT NULL, but is "
            f"{'NULL' if value is None else type(value).__name__}.",
            code="NOT_A_CONSTANT_STRING.WRONG_TYPE",
        )
    return value
