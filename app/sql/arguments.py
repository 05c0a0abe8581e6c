"""Checks of Python arguments, with the error classes PySpark raises."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from app.errors import ArgumentError, ArgumentTypeError, PlanError


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


def no_format(kind: str, name: str, known: Iterable[str]) -> PlanError:
    """The error for the name of a connector that is not there, with the nearest that are."""
    names = sorted(known)
    near = get_close_matches(name.lower(), names, n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"There are: {', '.join(names)}."
    return PlanError(f"Failed to find the data {kind}: {name}. {hint}", code="DATA_SOURCE_NOT_FOUND", format=name)


def option_text(value: Any) -> str:
    """An option or setting as text: True is "true", the rest as `str` has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def flattened(cols: tuple[Any, ...]) -> list[Any]:
    """The arguments of a call that takes several columns or one list of them."""
    return list(cols[0]) if len(cols) == 1 and isinstance(cols[0], (list, tuple)) else list(cols)
