"""Checks of Python arguments, with the error classes PySpark raises."""

from __future__ import annotations

from typing import Any

from app.errors import ArgumentError, ArgumentTypeError


def wrong_type(name: str, expected: str, value: Any) -> ArgumentTypeError:
    """The error for an argument of a wrong type."""
    return ArgumentTypeError(
        f"Argument `{name}` should be {expected}, got {type(value).__name__}.",
        code="NOT_EXPECTED_TYPE",
        arg_name=name,
    )


def non_empty(name: str, value: Any) -> str:
    """`value`, a string that is not blank. Raises: ArgumentError."""
    if not isinstance(value, str) or not value.strip():
        raise ArgumentError(
            f"Value for `{name}` must be a non-empty string, got {str(value)!r}.",
            code="VALUE_NOT_NON_EMPTY_STR",
            arg_name=name,
        )
    return value


def option_text(value: Any) -> str:
    """An option or setting as text: True is "true", the rest as `str` has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def flattened(cols: tuple[Any, ...]) -> list[Any]:
    """The arguments of a call that takes several columns or one list of them."""
    return list(cols[0]) if len(cols) == 1 and isinstance(cols[0], (list, tuple)) else list(cols)
