"""The values of the parameters in SQL text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Arguments:
    """`named` are the values of `:name`, `placed` those of `?` in order. `unnamed`: some of the values, which were
    given for either, have no name."""

    named: Mapping[str, Any] = field(default_factory=dict)
    placed: Sequence[Any] = ()
    unnamed: bool = False


Args = Arguments | Mapping[str, Any] | Sequence[Any] | None


def arguments(given: Args) -> Arguments:
    """What a caller gave, by kind: a mapping for `:name`, a sequence for `?`."""
    if given is None:
        return Arguments()
    if isinstance(given, Arguments):
        return given
    return Arguments(named=given) if isinstance(given, Mapping) else Arguments(placed=given)
