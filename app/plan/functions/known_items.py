"""Which item of an array that is written out a constant position means: its nullability is that of the whole."""

from __future__ import annotations

from app.plan.bound import Apply, Const, Convert, Typed
from app.plan.functions.signature import Args


def item_nullable(args: Args, first: int = 0) -> bool:
    """Whether the item of an array (the first argument) at a position (the second), counted from `first`, may be null.
    With `first` 1, negative positions count from the end."""
    array, index = args[0], _constant(args[1])
    if not isinstance(array, Apply) or array.function != "array" or not isinstance(index, int):
        return True
    at = index - first if index >= first else index + len(array.args) if first else -1
    return array.args[at].nullable if 0 <= at < len(array.args) else True


def _constant(typed: Typed) -> object:
    while isinstance(typed, Convert):
        typed = typed.child
    return typed.value if isinstance(typed, Const) else None
