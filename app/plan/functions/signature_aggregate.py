"""How aggregates are written: one SQL template for a whole pass, and how its state merges.

A template holds `FILTER_HERE` behind each aggregate call (and `AND_FILTER_HERE` inside a FILTER of its own), where
`filtered` puts the call's FILTER clause.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.plan.bound import AggCall, Apply
from app.plan.functions.entry import AND_FILTER_HERE, FILTER_HERE, AggregateState, Function
from app.plan.functions.signature import Nullable, Param, Prepare, Result, function

Finish = Callable[[AggCall, str], str]


def as_is(_: AggCall, state: str) -> str:
    return state


def aggregate(
    name: str,
    params: Sequence[Param],
    result: Result,
    partial: str | Callable[[AggCall, tuple[str, ...]], str],
    combine: str | None,
    finish: str | Finish = as_is,
    *,
    exported: bool = False,
    optional: int = 0,
    rest: Param | None = None,
    nullable: Nullable = True,
    prepare: Prepare | None = None,
    aliases: tuple[str, ...] = (),
) -> Function:
    """An aggregate entry.

    `partial` is a format string over the arguments with `{d}` for DISTINCT and `{f}` for the filter; `combine` one
    over `{a}` and `{b}`; `finish` over `{s}`. With `exported`, the partial value is DuckDB's own exported state.
    Without `combine` the aggregate works in one pass only (a batch).
    """

    def show(call: AggCall, args: tuple[str, ...]) -> str:
        if callable(partial):
            return partial(call, args)
        distinct = "DISTINCT " if call.distinct else ""
        return partial.format(*args, args=", ".join(args), d=distinct, f=FILTER_HERE, af=AND_FILTER_HERE)

    def end(call: AggCall, state: str) -> str:
        return finish.format(s=state) if isinstance(finish, str) else finish(call, state)

    def whole(call: Apply | AggCall, args: tuple[str, ...]) -> str:
        assert isinstance(call, AggCall)
        return end(call, show(call, args))

    def export(call: AggCall, args: tuple[str, ...]) -> str:
        return f"{show(call, args)} EXPORT_STATE"

    def merge(a: str, b: str) -> str:
        assert combine is not None
        return combine.format(a=a, b=b)

    state = None
    if exported:
        state = AggregateState(export, "combine({}, {})".format, lambda c, s: end(c, f"finalize({s})"))
    elif combine is not None:
        state = AggregateState(show, merge, end)
    return function(
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
