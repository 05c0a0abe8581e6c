"""Paths into variants: `$`, then `.name`, `['name']`, `["name"]` or `[0]`, any number of them."""

from __future__ import annotations

import re

from app.errors import PlanError

_STEP = re.compile(r"""\.([^.\[]+)|\['([^']*)'\]|\["([^"]*)"\]|\[([0-9]+)\]""")
_MOST = (1 << 31) - 1


def variant_path(path: str, function: str) -> tuple[str | int, ...]:
    """The steps: names of fields, and places in arrays from 0.

    >>> variant_path("$.a[2]['b c']", "variant_get")
    ('a', 2, 'b c')

    Raises: PlanError INVALID_VARIANT_GET_PATH.
    """
    steps: list[str | int] = []
    at = 1
    while path[:1] == "$" and at < len(path):
        found = _STEP.match(path, at)
        if found is None or (found[4] and int(found[4]) > _MOST):
            break
        name = next((part for part in found.groups()[:3] if part is not None), None)
        steps.append(int(found[4]) if name is None else name)
        at = found.end()
    if path[:1] != "$" or at < len(path):
        raise PlanError(
            f"The path `{path}` is not a valid variant extraction path in `{function}`. A valid path should start with "
            "`$` and is followed by zero or more segments like `[123]`, `.name`, `['name']`, or `[\"name\"]`.",
            code="INVALID_VARIANT_GET_PATH",
        )
    return tuple(steps)
