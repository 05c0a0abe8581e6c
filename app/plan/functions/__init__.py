"""The function catalogue: every function, operator and aggregate there is, by name.

What is not in it does not exist: a name is never handed to DuckDB on trust.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from app.errors import PlanError
from app.plan.bound import AggCall, Apply, Typed
from app.plan.functions import (
    aggregates,
    arithmetic,
    arrays,
    bitmaps,
    bits,
    bytes,
    calendar_intervals,
    cast_functions,
    chances,
    collations,
    conditionals,
    csvs,
    date_texts,
    dates,
    encodings,
    folded_calls,
    folded_sets,
    formats,
    frequencies,
    generators,
    hashes,
    higher_order,
    histograms,
    intervals,
    json_paths,
    json_schemas,
    json_tuples,
    json_writes,
    jsons,
    lenient,
    maps,
    math,
    moments,
    numbers,
    operators,
    percentiles,
    regex,
    session,
    sketches,
    sorting,
    statistics,
    strings,
    struct_fields,
    sums,
    time_buckets,
    time_windows,
    times_of_day,
    urls,
    variants,
    vectors,
    windows,
    zones,
)
from app.plan.functions.collations import bind_folded, concerns
from app.plan.functions.entry import Binding, Function
from app.plan.functions.legacy import bind_legacy
from app.plan.functions.refused import refusal
from app.plan.functions.times_of_day import with_time_type
from app.plan.functions.uncast import check_taken
from app.plan.functions.zones import in_zone

_FAMILIES = (
    operators,
    arithmetic,
    arrays,
    cast_functions,
    chances,
    collations,
    conditionals,
    csvs,
    date_texts,
    dates,
    folded_calls,
    folded_sets,
    formats,
    math,
    strings,
    struct_fields,
    regex,
    aggregates,
    sums,
    moments,
    sorting,
    statistics,
    percentiles,
    frequencies,
    histograms,
    bitmaps,
    generators,
    hashes,
    higher_order,
    intervals,
    calendar_intervals,
    json_schemas,
    json_tuples,
    json_paths,
    json_writes,
    jsons,
    lenient,
    maps,
    time_buckets,
    time_windows,
    times_of_day,
    windows,
    zones,
    bits,
    bytes,
    encodings,
    numbers,
    session,
    sketches,
    urls,
    variants,
    vectors,
)


def _guarded(entry: Function) -> Function:
    """The entry, refusing the settings under which it would not answer as Spark does."""

    def bind(binding: Binding, args: tuple[Typed, ...]) -> Apply | AggCall:
        if concerns(args):
            bound: Typed = bind_folded(entry, binding, args)
        else:
            bound = entry.bind(binding, args) if binding.ansi else bind_legacy(entry, lookup, binding, args)
        check_taken(entry.name, args, binding.ansi)
        with_time_type(bound, binding, args)
        return in_zone(bound, binding.time_zone, args)  # type: ignore[return-value]

    return replace(entry, bind=bind)


def _by_name() -> dict[str, Function]:
    found: dict[str, Function] = {}
    for family in _FAMILIES:
        for listed in family.FUNCTIONS:
            entry = _guarded(listed)
            for name in (entry.name, *entry.aliases):
                assert name not in found, f"two functions are called {name}"
                found[name] = entry
    return found


_CATALOGUE: Mapping[str, Function] = MappingProxyType(_by_name())


INTERNAL = frozenset(
    n for n in _CATALOGUE if " " in n or n in ("clock", "getfield", "getitem", "instant", "neg", "units")
)
"""The entries that only the planner calls: no text may name them."""


def catalogue() -> Mapping[str, Function]:
    """Every name, aliases included, in lower case, with its function."""
    return _CATALOGUE


def lookup(name: str) -> Function:
    """The function of that name, in any case. Raises: PlanError UNRESOLVED_ROUTINE, with the nearest names."""
    found = _CATALOGUE.get(name) or _CATALOGUE.get(name.lower())
    if found is not None:
        return found
    if (known := refusal(name)) is not None:
        raise known
    raise unresolved(name)


def unresolved(name: str) -> PlanError:
    """The error for a name that no function has, with the nearest names."""
    known = [n for n in _CATALOGUE if n.isidentifier() and n not in INTERNAL]
    near = difflib.get_close_matches(name.lower(), known, n=5, cutoff=0.6)
    hint = f" Did you mean {', '.join(f'`{n}`' for n in near)}?" if near else ""
    return PlanError(
        f"Cannot resolve routine `{name}`: there is no such function.{hint}", code="UNRESOLVED_ROUTINE", routine=name
    )
