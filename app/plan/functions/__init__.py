"""The function catalogue: every function, operator and aggregate there is, by name.

What is not in it does not exist: a name is never handed to DuckDB on trust.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import MappingProxyType

from app.errors import PlanError
from app.plan.functions import (
    aggregates,
    arithmetic,
    arrays,
    cast_functions,
    conditionals,
    date_texts,
    dates,
    formats,
    generators,
    higher_order,
    jsons,
    maps,
    math,
    operators,
    regex,
    statistics,
    strings,
)
from app.plan.functions.entry import Function

_FAMILIES = (
    operators,
    arithmetic,
    arrays,
    cast_functions,
    conditionals,
    date_texts,
    dates,
    formats,
    math,
    strings,
    regex,
    aggregates,
    statistics,
    generators,
    higher_order,
    jsons,
    maps,
)


def _by_name() -> dict[str, Function]:
    found: dict[str, Function] = {}
    for family in _FAMILIES:
        for entry in family.FUNCTIONS:
            for name in (entry.name, *entry.aliases):
                assert name not in found, f"two functions are called {name}"
                found[name] = entry
    return found


_CATALOGUE: Mapping[str, Function] = MappingProxyType(_by_name())


def catalogue() -> Mapping[str, Function]:
    """Every name, aliases included, in lower case, with its function."""
    return _CATALOGUE


def lookup(name: str) -> Function:
    """The function of that name, in any case. Raises: PlanError UNRESOLVED_ROUTINE, with the nearest names."""
    found = _CATALOGUE.get(name) or _CATALOGUE.get(name.lower())
    if found is not None:
        return found
    near = difflib.get_close_matches(name.lower(), [n for n in _CATALOGUE if n[0].isalpha()], n=5, cutoff=0.6)
    hint = f" Did you mean {', '.join(f'`{n}`' for n in near)}?" if near else ""
    raise PlanError(
        f"Cannot resolve routine `{name}`: there is no such function.{hint}", code="UNRESOLVED_ROUTINE", routine=name
    )
