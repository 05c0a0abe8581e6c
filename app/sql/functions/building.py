"""How the functions make their columns: calls of the catalogue, and what a Python argument stands for."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from itertools import takewhile
from typing import Any, TypeVar

from app.errors import ArgumentError, ArgumentTypeError
from app.plan.expressions import Attribute, Call, Expr, Lambda
from app.sql.column import Column, to_column_expr, to_expr

ColumnOrName = Column | str
"""A column, or the name of one."""

Fractions = Column | float | Sequence[float] | tuple[float, ...]
"""A share between 0 and 1, or several."""

_Value = TypeVar("_Value")
_open_params: ContextVar[tuple[str, ...]] = ContextVar("open_params", default=())


def call(name: str, *args: ColumnOrName | None, distinct: bool = False, ignore_nulls: bool = False) -> Column:
    """The call of a function of the catalogue. A string is the name of a column, None at the end an argument not given.
    Raises: ArgumentTypeError, ParseError."""
    given = tuple(takewhile(lambda arg: arg is not None, args))
    assert all(arg is None for arg in args[len(given) :]), f"{name}: an argument in the middle needs its default"
    return Column(Call(name, tuple(to_column_expr(arg) for arg in given), distinct, None, ignore_nulls))


def ignoring(name: str, col: ColumnOrName, ignore_nulls: bool | Column | None) -> Column:
    """The call of an aggregate that may pass over nulls, said by a bool or by a Column."""
    if isinstance(ignore_nulls, Column):
        return call(name, col, ignore_nulls)
    return call(name, col, ignore_nulls=bool(ignore_nulls))


def lit(col: Any) -> Column:
    """The constant a Python value stands for; a Column as it is.

    >>> lit("a")._expr
    Literal(value='a', type=StringType())

    Raises: ArgumentError, ArgumentTypeError (no literal for this Python type).
    """
    if isinstance(col, Column):
        return col
    if isinstance(col, list) and any(isinstance(item, Column) for item in col):
        raise ArgumentError("lit() takes no list of Columns; use array(…) instead.", code="COLUMN_IN_LIST")
    return Column(to_expr(col))


def maybe(value: Any) -> Column | None:
    """`lit(value)`, or None where the argument was not given."""
    return None if value is None else lit(value)


def value(arg: Any) -> ColumnOrName | None:
    """A column or the name of one as it is, another Python value as a constant, None if it was not given."""
    return arg if arg is None or isinstance(arg, (Column, str)) else lit(arg)


def unless(default: _Value, arg: _Value | Column) -> Column | None:
    """`lit(arg)`, or None where it is what the function takes anyway."""
    return None if type(arg) is type(default) and arg == default else lit(arg)


def several(cols: Sequence[Any]) -> Sequence[Any]:
    """The columns given singly or as one list, set or tuple."""
    return list(cols[0]) if len(cols) == 1 and isinstance(cols[0], (list, set, tuple)) else cols


def too_few(function: str, needed: int, given: int) -> ArgumentError:
    return ArgumentError(
        f"{function}() needs at least {needed} columns, not {given}.", code="WRONG_NUM_COLUMNS", function=function
    )


def not_allowed(argument: str, given: Any, allowed: str) -> ArgumentError:
    return ArgumentError(f"{argument} is {given!r}; it may be one of {allowed}.", code="VALUE_NOT_ALLOWED")


def higher_order(name: str, cols: Sequence[ColumnOrName], functions: Sequence[Callable[..., Column]]) -> Column:
    """The call of a function whose last arguments are Python functions from Columns to a Column.
    Raises: ArgumentError, ArgumentTypeError."""
    exprs = [to_column_expr(col) for col in cols]
    return Column(Call(name, (*exprs, *(_lambda(f) for f in functions))))


def _lambda(function: Callable[..., Column]) -> Expr:
    names = _parameter_names(function)
    outer = _open_params.get()
    # A parameter of an enclosing function keeps its name, so that both can be told apart in the body.
    own = tuple(_fresh(name, outer) for name in names)
    token = _open_params.set(outer + own)
    try:
        result = function(*(Column(Attribute((name,))) for name in own))
    finally:
        _open_params.reset(token)
    if not isinstance(result, Column):
        raise ArgumentTypeError(
            f"The function given has to return a Column, not {type(result).__name__}.",
            code="HIGHER_ORDER_FUNCTION_SHOULD_RETURN_COLUMN",
        )
    return Lambda(own, result._expr)


def _parameter_names(function: Callable[..., Column]) -> list[str]:
    if not callable(function):
        raise ArgumentTypeError(
            f"A function from Columns to a Column is needed here, not {type(function).__name__}.", code="NOT_CALLABLE"
        )
    params = inspect.signature(function).parameters.values()
    if any(p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in params):
        raise ArgumentError(
            "The function given may have plain positional parameters only.",
            code="UNSUPPORTED_PARAM_TYPE_FOR_HIGHER_ORDER_FUNCTION",
        )
    if not 1 <= len(params) <= 3:
        raise ArgumentError(
            f"The function given has {len(params)} parameters; 1 to 3 are possible.",
            code="WRONG_NUM_ARGS_FOR_HIGHER_ORDER_FUNCTION",
        )
    return [p.name for p in params]


def _fresh(name: str, taken: tuple[str, ...]) -> str:
    count, found = 0, name
    while found in taken:
        count += 1
        found = f"{name}_{count}"
    return found
