"""Which streaming query may run in which output mode.

The rules are Spark's (its UnsupportedOperationChecker), told from what each node hands on: append needs only new
rows, update needs rows or new values for keys, complete needs an aggregation. A refusal names the node, says why,
and what to change.
"""

from __future__ import annotations

from app.errors import PlanError
from app.plan.bound import (
    AggCall,
    Apply,
    Combined,
    Concat,
    FirstOf,
    Grouped,
    Joined,
    Keep,
    Limited,
    Relation,
    Sampled,
    Select,
    Sorted,
    Typed,
    Watermarked,
    Windowed,
)
from app.plan.functions import lookup
from app.plan.incremental import Changes, aggregation, changes_of
from app.plan.rewrite import walk

_MODE = "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION"
_OPERATION = "UNSUPPORTED_STREAMING_OPERATION"


def check(relation: Relation, mode: str) -> None:
    """Returns when the query may run in `mode` ("append", "update", "complete"). Raises: PlanError."""
    if mode not in ("append", "update", "complete"):
        raise PlanError(
            f"Unknown output mode {mode!r}: use append, update or complete.",
            code="STREAMING_OUTPUT_MODE.INVALID",
        )
    if not relation.streaming:
        raise PlanError(
            "`writeStream` can be called only on a streaming DataFrame; this one reads no stream.",
            code="WRITE_STREAM_NOT_ALLOWED",
        )
    for node in relation.walk():
        if node.streaming:
            _check_node(node, mode)
    _check_mode(relation, mode)
    _check_watermark(relation, mode)


def _check_mode(relation: Relation, mode: str) -> None:
    grouped = aggregation(relation)
    if mode == "complete" and grouped is None:
        raise PlanError(
            "Output mode complete is not supported when there are no streaming aggregations: the whole result would "
            "be every row ever read. Use append.",
            code=_MODE,
        )
    if mode == "append" and grouped is not None:
        raise PlanError(
            "Output mode append is not supported for streaming aggregations without watermark: the groups of "
            f"{_describe(grouped)} can still change, and append writes a row once. Use update (changed groups) or "
            "complete (the whole table).",
            code=_MODE,
        )


def _check_watermark(relation: Relation, mode: str) -> None:
    """A watermark changes nothing in complete mode and for plans without state; elsewhere it would drop late rows."""
    stateful = any(isinstance(node, (Grouped, FirstOf, Limited)) and node.streaming for node in relation.walk())
    if stateful and mode != "complete" and any(isinstance(node, Watermarked) for node in relation.walk()):
        raise _refusal(
            f"withWatermark in {mode} mode",
            "this version does not drop late rows yet; use complete mode, or leave it out",
        )


def _check_node(node: Relation, mode: str) -> None:
    if isinstance(node, Grouped):
        _check_grouped(node)
    elif isinstance(node, Windowed):
        names = ", ".join(dict.fromkeys(f"{call.call.function}()" for call in node.calls))
        raise PlanError(
            f"Window function is not supported in {names} on streaming DataFrames: the rows of its window are never "
            "all there. Structured Streaming only supports time-window aggregation: group by window().",
            code="NON_TIME_WINDOW_NOT_SUPPORTED_IN_STREAMING",
        )
    elif isinstance(node, FirstOf) and changes_of(node.child) is Changes.NEW_VALUES:
        raise _refusal("Deduplication after an aggregation", "a group's row changes, it is not written once")
    elif isinstance(node, Sorted):
        _check_sorted(node, mode)
    elif isinstance(node, Limited):
        _check_limited(node, mode)
    elif isinstance(node, Concat):
        if not all(child.streaming for child in node.inputs):
            raise _refusal("A union of a stream and a table", "the table's rows would come again with every epoch")
    elif isinstance(node, Combined):
        raise _refusal(node.kind.upper(), "which rows come in both is not settled before the stream ends")
    elif isinstance(node, Sampled):
        raise PlanError(
            "Sampling is not supported on streaming DataFrames: their rows have no end. Filter with rand() < fraction.",
            code="_LEGACY_ERROR_TEMP_3102",
        )
    elif isinstance(node, Joined):
        _check_joined(node)
    elif isinstance(node, (Select, Keep)):
        _check_chance(node.exprs if isinstance(node, Select) else (node.condition,))


def _check_chance(exprs: tuple[Typed, ...]) -> None:
    """Seeds are drawn anew for every epoch; numbers of rows would begin again with each."""
    for typed in exprs:
        if any(isinstance(x, Apply) and x.function == "monotonically_increasing_id" for x in walk(typed)):
            raise PlanError(
                "Expression(s): monotonically_increasing_id() is not supported with streaming DataFrames: its numbers "
                "would come again in every epoch. Take a key of the rows, or uuid().",
                code="_LEGACY_ERROR_TEMP_3102",
            )


def _check_grouped(node: Grouped) -> None:
    if aggregation(node.child) is not None:
        raise _refusal("An aggregation of an aggregation", "the lower groups still change")
    for call in node.aggregates:
        _check_aggregate(call)


def _check_aggregate(call: AggCall) -> None:
    if call.distinct:
        raise PlanError(
            f"Distinct aggregations are not supported on streaming DataFrames: {call.function}(DISTINCT …) would keep "
            "every value for ever. Use approx_count_distinct() instead.",
            code=_OPERATION,
        )
    if lookup(call.function).state is None:
        raise PlanError(
            f"{call.function}() is not supported on streaming DataFrames: its state cannot be kept from epoch to "
            "epoch. It works on static data.",
            code=_OPERATION,
        )


def _check_sorted(node: Sorted, mode: str) -> None:
    if mode != "complete" or aggregation(node.child) is None:
        raise _refusal(
            "Sorting",
            "it is supported only on an aggregated DataFrame in complete mode, where the whole table is at hand",
        )


def _check_limited(node: Limited, mode: str) -> None:
    if node.offset:
        raise _refusal("OFFSET", "which rows come first is not settled before the stream ends")
    if mode == "update" or (mode == "complete" and aggregation(node.child) is None):
        raise _refusal(f"LIMIT in {mode} mode", "use append, or complete above an aggregation")


def _check_joined(node: Joined) -> None:
    if node.left.streaming and node.right.streaming:
        raise _refusal("A join of two streams", "this version joins a stream with static tables only")
    side = "left" if node.left.streaming else "right"
    allowed = ("inner", "cross", side, *(("semi", "anti") if side == "left" else ()))
    if node.how not in allowed:
        raise _refusal(
            f"A {node.how} join with the stream on the {side}",
            "rows of the table without a partner are not settled before the stream ends; "
            f"with the stream on this side use {', '.join(allowed)}",
        )


def _describe(node: Grouped) -> str:
    names = [field.name for field in node.schema.fields[: len(node.keys)]]
    return f"the aggregation by {', '.join(names)}" if names else "the aggregation over all rows"


def _refusal(what: str, why: str) -> PlanError:
    return PlanError(f"{what} is not supported on streaming DataFrames: {why}.", code=_OPERATION)
