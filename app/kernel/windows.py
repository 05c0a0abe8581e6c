"""Calls over windows as DuckDB SQL."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta, timezone

from app.kernel.expressions import print_expression
from app.plan import types as t
from app.plan.bound import Apply, Const, Frame, Order, Typed, WindowCall
from app.plan.carriers import duckdb_type
from app.plan.functions import lookup
from app.plan.functions.collation_keys import is_folded, key_sql
from app.plan.functions.entry import AND_FILTER_HERE, FILTER_HERE, ORDER_HERE
from app.plan.functions.ordering import order_key
from app.plan.functions.zones import UTC_NAMES, in_zone
from app.plan.keys import key_of
from app.plan.regions import zone_of

_EDGES = {"first": "first_value", "last": "last_value"}
_NULLABLE = ("lag", "lead", "nth_value")


def print_window(window: WindowCall) -> str:
    """The call with its OVER clause, of exactly its type's DuckDB type."""
    call = window.call
    over = f" OVER ({_definition(window)})"
    if isinstance(call, Apply):
        text = _with_nulls(lookup(call.function).sql(call, tuple(map(print_expression, call.args))), window)
        return f"CAST({text}{over} AS {duckdb_type(window.type)})"
    if call.function in _EDGES and call.filter is None:
        skip = window.ignore_nulls or (len(call.args) > 1 and isinstance(call.args[1], Const) and call.args[1].value)
        return f"{_EDGES[call.function]}({print_expression(call.args[0])}{' IGNORE NULLS' if skip else ''}){over}"
    condition = None if call.filter is None else print_expression(call.filter)
    return _over_each(lookup(call.function).sql(call, tuple(map(print_expression, call.args))), over, condition)


def _over_each(aggregate: str, over: str, condition: str | None) -> str:
    """A printed aggregate with the OVER clause behind each aggregate call of DuckDB's in it; what would be exported to
    be merged is not."""
    plain = re.sub(r"\bfinalize\(", "(", aggregate.replace(" EXPORT_STATE", "").replace(ORDER_HERE, ""))
    more, own = ("", "") if condition is None else (f" AND ({condition})", f" FILTER (WHERE {condition})")
    return plain.replace(f"{AND_FILTER_HERE})", f"{more}){over}").replace(FILTER_HERE, f"{own}{over}")


def print_ordered(typed: Typed) -> str:
    """What DuckDB orders as Spark orders the expression."""
    text = print_expression(typed)
    return key_sql(text, typed.type) if is_folded(typed.type) else text


def print_order(order: Order, text: Callable[[Typed], str] = print_ordered) -> str:
    """One item of ORDER BY."""
    return f"{order_key(text(order.child), order.child.type)} {print_direction(order)}"


def print_direction(order: Order) -> str:
    """What stands behind what is ordered by."""
    return f"{'ASC' if order.ascending else 'DESC'} NULLS {'FIRST' if order.nulls_first else 'LAST'}"


def print_key(typed: Typed) -> str:
    """An expression that partitions."""
    return key_of(key_sql(print_expression(typed), typed.type), typed.type)


def _with_nulls(text: str, window: WindowCall) -> str:
    if window.ignore_nulls and window.call.function in _NULLABLE:
        return f"{text[:-1]} IGNORE NULLS)"
    return text


def _definition(window: WindowCall) -> str:
    parts = []
    if window.partition:
        parts.append(f"PARTITION BY {', '.join(map(print_key, window.partition))}")
    if window.orders:
        parts.append(f"ORDER BY {', '.join(print_order(order, print_key) for order in window.orders)}")
    if window.frame is not None:
        parts.append(_frame(window.frame, window.orders))
    return " ".join(parts)


def _frame(frame: Frame, orders: tuple[Order, ...]) -> str:
    start = "UNBOUNDED PRECEDING" if frame.start is None else _bound(frame.start, orders, frame)
    end = "UNBOUNDED FOLLOWING" if frame.end is None else _bound(frame.end, orders, frame)
    # DuckDB takes the current row for no end of what begins behind it, nor for the start of what ends before it.
    if frame.start is not None and end == "CURRENT ROW" and start.endswith("FOLLOWING"):
        end = f"{_distance(_none(frame.start), False, orders, frame)} FOLLOWING"
    if frame.end is not None and start == "CURRENT ROW" and end.endswith("PRECEDING"):
        start = f"{_distance(_none(frame.end), True, orders, frame)} PRECEDING"
    return f"{frame.unit.upper()} BETWEEN {start} AND {end}"


def _bound(bound: Const, orders: tuple[Order, ...], frame: Frame) -> str:
    if not bound.value:
        return "CURRENT ROW"
    before = str(bound.value).startswith("-")
    amount = replace(bound, value=abs(bound.value))
    return f"{_distance(amount, before, orders, frame)} {'PRECEDING' if before else 'FOLLOWING'}"


def _none(bound: Const) -> Const:
    """Nothing, in what the bound is counted in."""
    return replace(bound, value=bound.value * 0)


def _distance(amount: Const, before: bool, orders: tuple[Order, ...], frame: Frame) -> str:
    """How far away an amount is, in what DuckDB counts the key in."""
    key = orders[0].child.type if frame.unit == "range" else None
    if isinstance(key, t.TimestampType) and _moves_the_clock(amount, frame.zone):
        return _on_the_clock(amount, orders[0], before, frame.zone)
    text = print_expression(amount)
    if isinstance(key, t.TimestampNTZType | t.DateType) and isinstance(amount.type, t.YearMonthIntervalType):
        return f"to_months({text})"
    return f"to_days({text})" if isinstance(key, t.DateType) else text


def _moves_the_clock(amount: Const, zone: str) -> bool:
    """Whether how far away that is, which is the amount away, depends on the row: months do, and whole days do where
    the zone's clock changes."""
    if isinstance(amount.type, t.YearMonthIntervalType):
        return True
    return amount.value >= timedelta(days=1) and zone not in UTC_NAMES and not isinstance(zone_of(zone), timezone)


def _on_the_clock(amount: Const, order: Order, before: bool, zone: str) -> str:
    """How far from the row's instant that is which is so many months, or days, away on the wall clock."""
    key = order.child
    earlier = before == order.ascending
    moved = print_expression(
        in_zone(Apply(key.type, key.nullable, "-" if earlier else "+", (key, amount)), zone, (key,))
    )
    ends = (print_expression(key), moved) if earlier else (moved, print_expression(key))
    return f"to_microseconds(epoch_us({ends[0]}) - epoch_us({ends[1]}))"
