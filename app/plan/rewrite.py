"""Walking and rebuilding resolved expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from app.plan.bound import AggCall, Apply, Choose, Convert, LambdaFn, Order, Ref, Subquery, Typed, WindowCall


def parts_of(typed: Typed) -> tuple[Typed, ...]:
    """The expressions directly inside one."""
    match typed:
        case Apply():
            return typed.args
        case AggCall():
            inside = typed.args if typed.filter is None else (*typed.args, typed.filter)
            return (*inside, *(order.child for order in typed.orders))
        case WindowCall():
            return (*parts_of(typed.call), *typed.partition, *(order.child for order in typed.orders))
        case Convert():
            return (typed.child,)
        case LambdaFn():
            return (typed.body,)
        case Subquery():
            return (*typed.args, *typed.values)
        case Choose():
            inside = tuple(x for branch in typed.branches for x in branch)
            return inside if typed.otherwise is None else (*inside, typed.otherwise)
    return ()


def rebuilt(typed: Typed, change: Callable[[Typed], Typed]) -> Typed:
    """The same expression with `change` applied to each direct part; itself where nothing changes."""
    match typed:
        case Apply() if typed.args:
            args = tuple(map(change, typed.args))
            return typed if _same(args, typed.args) else replace(typed, args=args)
        case AggCall():
            args = tuple(map(change, typed.args))
            condition = None if typed.filter is None else change(typed.filter)
            orders = _changed_orders(typed.orders, change)
            unchanged = _same(args, typed.args) and condition is typed.filter and orders is typed.orders
            return typed if unchanged else replace(typed, args=args, filter=condition, orders=orders)
        case WindowCall():
            call = rebuilt(typed.call, change)
            assert isinstance(call, (AggCall, Apply))
            partition = tuple(map(change, typed.partition))
            return replace(typed, call=call, partition=partition, orders=_changed_orders(typed.orders, change))
        case Convert():
            child = change(typed.child)
            return typed if child is typed.child else replace(typed, child=child)
        case LambdaFn():
            body = change(typed.body)
            return typed if body is typed.body else replace(typed, body=body)
        case Subquery() if typed.args or typed.values:
            return replace(typed, args=tuple(map(change, typed.args)), values=tuple(map(change, typed.values)))
        case Choose():
            branches = tuple((change(c), change(v)) for c, v in typed.branches)
            otherwise = None if typed.otherwise is None else change(typed.otherwise)
            return replace(typed, branches=branches, otherwise=otherwise)
    return typed


def walk(typed: Typed) -> Iterator[Typed]:
    """The expression, then everything inside it."""
    stack = [typed]
    while stack:
        found = stack.pop()
        yield found
        stack.extend(reversed(parts_of(found)))


def aggregates_in(typed: Typed) -> list[AggCall]:
    """The aggregate calls of an expression, from left to right."""
    return [found for found in walk(typed) if isinstance(found, AggCall)]


def windows_in(typed: Typed) -> list[WindowCall]:
    """The calls over windows of an expression, from left to right."""
    return [found for found in walk(typed) if isinstance(found, WindowCall)]


def columns_in(exprs: Iterable[Typed]) -> set[int]:
    """The positions of all columns that expressions refer to."""
    return {found.index for typed in exprs for found in walk(typed) if isinstance(found, Ref)}


def conjuncts(condition: Typed) -> list[Typed]:
    """What has to be true, in order."""
    if isinstance(condition, Apply) and condition.function == "and":
        return [part for arg in condition.args for part in conjuncts(arg)]
    return [condition]


def shifted(typed: Typed, by: int) -> Typed:
    """The same expression over columns that stand `by` places further right."""
    if isinstance(typed, Ref):
        return replace(typed, index=typed.index + by)
    return rebuilt(typed, lambda part: shifted(part, by))


def _changed_orders(orders: tuple[Order, ...], change: Callable[[Typed], Typed]) -> tuple[Order, ...]:
    changed = tuple(replace(order, child=change(order.child)) for order in orders)
    return orders if all(a.child is b.child for a, b in zip(orders, changed, strict=True)) else changed


def _same(a: tuple[Typed, ...], b: tuple[Typed, ...]) -> bool:
    return all(x is y for x, y in zip(a, b, strict=True))
