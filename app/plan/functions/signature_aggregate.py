"""How aggregates are written: one SQL template for a whole pass, and how its state merges.

A template holds `FILTER_HERE` behind each aggregate call (and `AND_FILTER_HERE` inside a FILTER of its own), where
`filtered` puts the call's FILTER clause.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from app.plan.bound import AggCall, Apply
from app.plan.functions.entry import AND_FILTER_HERE, FILTER_HERE, ORDER_HERE, AggregateState, Function
from app.plan.functions.signature import Nullable, Param, Prepare, Result, function

Combine = Callable[[AggCall, str, str], str]
Finish = Callable[[AggCall, str], str]
WithinGroup = Literal["", "optional", "required"]


def as_is(_: AggCall, state: str) -> str:
    return state


def combined(_: AggCall, a: str, b: str) -> str:
    """Two of DuckDB's own exported states as one."""
    return f"combine({a}, {b})"


def aggregate(
    name: str,
    params: Sequence[Param],
    result: Result,
    partial: str | Callable[[AggCall, tuple[str, ...]], str],
    combine: str | Combine | None,
    finish: str | Finish = as_is,
    *,
    exported: bool = False,
    stepwise: AggregateState | None = None,
    optional: int = 0,
    rest: Param | None = None,
    nullable: Nullable = True,
    prepare: Prepare | None = None,
    aliases: tuple[str, ...] = (),
    within_group: WithinGroup = "",
) -> Function:
    """An aggregate entry.

    `partial` is a format string over the arguments with `{d}` for DISTINCT, `{f}` for the filter and `{o}` for an
    order; `combine` one over `{a}` and `{b}`; `finish` over `{s}`. With `exported`, the partial value is DuckDB's
    own exported state. `stepwise` is the state where it is another one than what a single pass is finished from.
    Without any of these the aggregate works in one pass only (a batch).
    """

    def show(call: AggCall, args: tuple[str, ...]) -> str:
        if callable(partial):
            return partial(call, args)
        distinct = "DISTINCT " if call.distinct else ""
        return partial.format(*args, args=", ".join(args), d=distinct, o=ORDER_HERE, f=FILTER_HERE, af=AND_FILTER_HERE)

    def end(call: AggCall, state: str) -> str:
        return finish.format(s=state) if isinstance(finish, str) else finish(call, state)

    def whole(call: Apply | AggCall, args: tuple[str, ...]) -> str:
        assert isinstance(call, AggCall)
        return end(call, show(call, args))

    def export(call: AggCall, args: tuple[str, ...]) -> str:
        return f"{show(call, args)} EXPORT_STATE"

    def merge(call: AggCall, a: str, b: str) -> str:
        assert combine is not None
        return combine.format(a=a, b=b) if isinstance(combine, str) else combine(call, a, b)

    state = stepwise
    if exported:
        state = AggregateState(export, combined, lambda c, s: end(c, f"finalize({s})"))
    elif combine is not None:
        state = AggregateState(show, merge, end)
    entry = function(
        name,
        "aggregate",
        params,
        result,
        whole,
        optional=optional,
        rest=rest,
        nullable=nullable,
        prepare=prepare,
        aliases=aliases,
        state=state,
    )
    return replace(entry, within_group=within_group)
