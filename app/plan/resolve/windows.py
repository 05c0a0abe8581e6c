"""Calls OVER a window: their definition checked, and the relation that computes them put below those who use them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import timedelta

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Convert, Frame, Order, Ref, Relation, Typed, WindowCall, Windowed
from app.plan.coerce import implicitly_castable
from app.plan.expressions import Attribute, Call, Expr, Over, SortKey
from app.plan.expressions import Frame as FrameText
from app.plan.functions import lookup
from app.plan.functions.calendar_intervals import refuse_as_key
from app.plan.functions.signature import orderable
from app.plan.rewrite import rebuilt, windows_in
from app.plan.types import StructField, StructType

Bind = Callable[[Expr], Typed]
_RANKING = ("row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile")
_OFFSETS = ("lag", "lead")
_SPANS = (t.DayTimeIntervalType, t.YearMonthIntervalType)
_MOMENTS = (t.TimestampType, t.TimestampNTZType)


def windowed_call(expr: Over, call: Typed, bind: Bind, shown: str) -> Typed:
    """A bound call over its window; `shown` is it in messages. Raises: PlanError."""
    partition = tuple(map(bind, expr.partition))
    for key in partition:
        if not orderable(key.type):
            raise PlanError(
                f'A column of type "{key.type.sql()}" cannot be sorted, and so is no key of PARTITION BY in {shown}.',
                code="EXPRESSION_TYPE_IS_NOT_ORDERABLE",
            )
    refuse_as_key("PARTITION BY", (typed.type for typed in partition))
    orders = tuple(ordered(key, bind(key.child)) for key in expr.order)
    frame = None if expr.frame is None else _frame(expr.frame, orders, bind, shown)
    return _put(call, partition, orders, frame, expr.call.ignore_nulls, shown)


def ordered(key: SortKey, child: Typed) -> Order:
    """A sort key with its nulls settled. Raises: PlanError DATATYPE_MISMATCH.INVALID_ORDERING_TYPE."""
    if not orderable(child.type):
        raise PlanError(
            f'Cannot sort by a value of type "{child.type.sql()}": maps have no order, nor have variants.',
            code="DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
        )
    return Order(child, key.ascending, key.ascending if key.nulls_first is None else key.nulls_first)


def with_windows(relation: Relation, exprs: Iterable[Typed]) -> tuple[Relation, tuple[Typed, ...]]:
    """The relation with a column more for each call over a window in `exprs`, which then refer to those."""
    exprs = tuple(exprs)
    # What stands in the window of another is computed first.
    calls = tuple(dict.fromkeys(call for expr in exprs for call in windows_in(expr) if len(windows_in(call)) == 1))
    if not calls:
        return relation, exprs
    width = len(relation.schema)
    refs: dict[Typed, Ref] = {
        call: Ref(call.type, call.nullable, width + i, call.call.function) for i, call in enumerate(calls)
    }

    def lifted(typed: Typed) -> Typed:
        return refs[typed] if typed in refs else rebuilt(typed, lifted)

    fields = [StructField(call.call.function, call.type, call.nullable) for call in calls]
    schema = StructType((*relation.schema.fields, *fields))
    return with_windows(Windowed(schema, relation, calls), map(lifted, exprs))


def refuse_windows(exprs: Iterable[Typed], where: str, code: str) -> None:
    """Raises: PlanError where a clause that is read before windows are computed has a call over one."""
    for call in (call for expr in exprs for call in windows_in(expr)):
        raise PlanError(
            f"It is not allowed to use window functions inside {where}: {call.call.function}(…) OVER. Compute it in a "
            "select of its own first, or filter with QUALIFY.",
            code=code,
        )


def without_over(shown: str) -> PlanError:
    """The error for a window function that is called like any other."""
    return PlanError(
        f'Window function "{shown}" requires an OVER clause: add OVER (ORDER BY …).',
        code="WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE",
    )


def refuse_aliases(expr: Over, is_alias: Callable[[Attribute], bool]) -> None:
    """Returns where a call over a window names no other result of its SELECT. Raises: PlanError."""
    for name in _attributes(expr):
        if is_alias(name):
            raise PlanError(
                f"The lateral column alias `{name.parts[0]}` in a window function is not supported. Use a subquery, or "
                "write out what it stands for.",
                code="UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_IN_WINDOW",
            )


def _attributes(expr: Expr) -> Iterator[Attribute]:
    match expr:
        case Attribute():
            yield expr
        case Over():
            for part in (*expr.call.args, *expr.partition, *(key.child for key in expr.order)):
                yield from _attributes(part)
        case Call():
            for part in expr.args:
                yield from _attributes(part)


def not_over(shown: str, name: str) -> PlanError:
    """The error for OVER behind a function that has no meaning there."""
    return PlanError(
        f'Expression "{shown}" not supported within a window function: {name} is neither an aggregate nor a window '
        "function. Leave OVER out.",
        code="UNSUPPORTED_EXPR_FOR_WINDOW",
    )


def _put(
    typed: Typed,
    partition: tuple[Typed, ...],
    orders: tuple[Order, ...],
    frame: Frame | None,
    ignore_nulls: bool,
    shown: str,
) -> Typed:
    """The window put on the aggregate or window call that a function bound to."""
    if isinstance(typed, AggCall) or (isinstance(typed, Apply) and lookup(typed.function).kind == "window"):
        _check(typed, orders, frame, shown)
        return WindowCall(typed.type, typed.nullable, typed, partition, orders, frame, ignore_nulls)
    return rebuilt(typed, lambda part: _put(part, partition, orders, frame, ignore_nulls, shown))


def _check(call: AggCall | Apply, orders: tuple[Order, ...], frame: Frame | None, shown: str) -> None:
    if isinstance(call, AggCall):
        if call.distinct:
            raise PlanError(
                f"Distinct window functions are not supported: {shown}.", code="DISTINCT_WINDOW_FUNCTION_UNSUPPORTED"
            )
        return
    if not orders and call.function in (*_RANKING, *_OFFSETS, "nth_value"):
        raise PlanError(
            f"Window function {call.function}() requires window to be ordered, please add ORDER BY clause: {shown}.",
            code="WINDOW_FUNCTION_FRAME_NOT_ORDERED",
        )
    if frame is not None and call.function in (*_RANKING, *_OFFSETS):
        raise PlanError(
            f"The window function {call.function}() has a frame of its own and takes no other: leave ROWS and RANGE "
            f"out of {shown}.",
            code=f"_LEGACY_ERROR_TEMP_{1035 if call.function in _OFFSETS else 1036}",
        )


def _frame(frame: FrameText, orders: tuple[Order, ...], bind: Bind, shown: str) -> Frame:
    if frame.unit == "range" and not orders and not (frame.start is None and frame.end is None):
        raise _mismatch(shown, "RANGE_FRAME_WITHOUT_ORDER", "a RANGE frame needs a window with ORDER BY")
    start, end = (
        None if bound is None else _offset(bind(bound), frame.unit, orders, shown) for bound in (frame.start, frame.end)
    )
    offsets = [bound for bound in (start, end) if bound is not None and bound.value]
    if frame.unit == "range" and offsets and len(orders) > 1:
        raise _mismatch(shown, "RANGE_FRAME_MULTI_ORDER", "a RANGE frame with offsets needs a single ORDER BY key")
    if start is not None and end is not None and _amount(start) > _amount(end):
        raise _mismatch(shown, "SPECIFIED_WINDOW_FRAME_WRONG_COMPARISON", "the frame starts behind its end")
    return Frame(frame.unit, start, end)


def _amount(bound: Const) -> int:
    value = bound.value
    return value // timedelta(microseconds=1) if isinstance(value, timedelta) else int(value)


def _offset(bound: Typed, unit: str, orders: tuple[Order, ...], shown: str) -> Const:
    """A frame's bound as a constant of the type its unit counts in."""
    found = _constant(bound)
    if found is None:
        raise _mismatch(shown, "SPECIFIED_WINDOW_FRAME_INVALID_BOUND", "the bounds of a frame have to be constants")
    if not found.value and isinstance(found.type, t.IntegerType):  # CURRENT ROW
        return found
    kind = t.IntegerType() if unit == "rows" or not orders else _counted_in(orders[0].child.type)
    fits = kind is not None and (
        found.type == kind
        or (isinstance(kind, _SPANS) and type(found.type) is type(kind))
        or (isinstance(kind, t.NumericType) and implicitly_castable(found.type, kind))
    )
    if not fits:
        raise _mismatch(
            shown,
            "SPECIFIED_WINDOW_FRAME_UNACCEPTED_TYPE",
            f'a bound of type "{found.type.sql()}" does not count in the ORDER BY key',
        )
    return found


def _constant(bound: Typed) -> Const | None:
    if isinstance(bound, Const):
        return None if bound.value is None else bound
    if isinstance(bound, Convert):
        return _constant(bound.child)
    if isinstance(bound, Apply) and bound.function == "negative":
        inner = _constant(bound.args[0])
        return None if inner is None else replace(inner, value=-inner.value)
    return None


def _counted_in(key: t.DataType) -> t.DataType | None:
    if isinstance(key, t.DateType):
        return t.IntegerType()
    if isinstance(key, _MOMENTS):
        return t.DayTimeIntervalType()
    return key if isinstance(key, t.NumericType | t.DayTimeIntervalType | t.YearMonthIntervalType) else None


def _mismatch(shown: str, kind: str, why: str) -> PlanError:
    return PlanError(
        f'Cannot resolve "{shown}" due to data type mismatch: {why}. Change the frame.',
        code=f"DATATYPE_MISMATCH.{kind}",
    )
