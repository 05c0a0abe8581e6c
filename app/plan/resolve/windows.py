"""Calls OVER a window: their definition checked, and the relation that computes them put below those who use them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

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
_DAYS = t.DayTimeIntervalType(t.DayTimeIntervalType.DAY, t.DayTimeIntervalType.DAY)
_COUNTED: dict[type, tuple[type[t.DataType], ...]] = {
    t.DateType: (t.IntegerType, t.YearMonthIntervalType),
    t.TimestampType: _SPANS,
    t.TimestampNTZType: _SPANS,
    t.TimeType: (),
}
"""What frames over these keys count in."""


def windowed_call(expr: Over, call: Typed, bind: Bind, zone: str, shown: str) -> Typed:
    """A bound call over its window in the session's zone; `shown` is it in messages. Raises: PlanError."""
    partition = tuple(map(bind, expr.partition))
    for key in partition:
        if not orderable(key.type):
            raise PlanError(
                f'A column of type "{key.type.sql()}" cannot be sorted, and so is no key of PARTITION BY in {shown}.',
                code="EXPRESSION_TYPE_IS_NOT_ORDERABLE",
            )
    refuse_as_key("PARTITION BY", (typed.type for typed in partition))
    orders = tuple(ordered(key, bind(key.child)) for key in expr.order)
    frame = None if expr.frame is None else _frame(expr.frame, orders, bind, zone, shown)
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
        own = isinstance(typed, Apply) and typed.function in (*_RANKING, *_OFFSETS)
        return WindowCall(typed.type, typed.nullable, typed, partition, orders, None if own else frame, ignore_nulls)
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
    if frame is not None and call.function in (*_RANKING, *_OFFSETS) and not _is_own(frame, call):
        raise PlanError(
            f"The window function {call.function}() has a frame of its own and takes no other: leave ROWS and RANGE "
            f"out of {shown}.",
            code=f"_LEGACY_ERROR_TEMP_{1035 if call.function in _OFFSETS else 1036}",
        )


def _is_own(frame: Frame, call: Apply) -> bool:
    """Whether it is the frame that a function of places has by itself; then it may be written."""
    if call.function in _OFFSETS:
        offset = call.args[1]
        away = offset.value if isinstance(offset, Const) else None
        places = [None if bound is None else bound.value for bound in (frame.start, frame.end)]
        return frame.unit == "rows" and places == [-away if call.function == "lag" and away else away] * 2
    unit = "range" if call.function == "cume_dist" else "rows"
    return frame.unit == unit and frame.start is None and frame.end is not None and _is_current(frame.end)


def _frame(frame: FrameText, orders: tuple[Order, ...], bind: Bind, zone: str, shown: str) -> Frame:
    if frame.unit == "range" and not orders and not (frame.start is None and frame.end is None):
        raise _mismatch(shown, "RANGE_FRAME_WITHOUT_ORDER", "a RANGE frame needs a window with ORDER BY")
    start, end = (None if bound is None else _constant(bind(bound), shown) for bound in (frame.start, frame.end))
    offsets = [bound for bound in (start, end) if bound is not None and not _is_current(bound)]
    if frame.unit == "range" and offsets and len(orders) > 1:
        raise _mismatch(shown, "RANGE_FRAME_MULTI_ORDER", "a RANGE frame with offsets needs a single ORDER BY key")
    kind = t.IntegerType() if frame.unit == "rows" or not orders else orders[0].child.type
    if not isinstance(kind, t.NumericType) and len({bound.type for bound in offsets}) > 1:
        raise _mismatch(shown, "SPECIFIED_WINDOW_FRAME_DIFF_TYPES", "the bounds of a frame have to be of one type")
    if len(offsets) == 2 and start is not None and end is not None and _amount(start) > _amount(end):
        raise _mismatch(shown, "SPECIFIED_WINDOW_FRAME_WRONG_COMPARISON", "the frame starts behind its end")
    start, end = (bound and _counted(bound, frame.unit, kind, shown) for bound in (start, end))
    return Frame(frame.unit, start, end, zone)


def _is_current(bound: Const) -> bool:
    """Whether it is the current row, which counts in anything."""
    return not bound.value and isinstance(bound.type, t.IntegerType)


def _amount(bound: Const) -> Any:
    value = bound.value
    return value // timedelta(microseconds=1) if isinstance(value, timedelta) else value


def _counted(bound: Const, unit: str, kind: t.DataType, shown: str) -> Const:
    """The bound in what the key of that type is counted in, which for a date is days or months."""
    if _is_current(bound):
        return bound
    if unit == "range" and isinstance(kind, (t.DateType, *_MOMENTS, t.TimeType)):
        if isinstance(kind, t.DateType) and bound.type == _DAYS:
            return Const(t.IntegerType(), False, bound.value.days)
        if not isinstance(bound.type, _COUNTED[type(kind)]):
            raise _mismatch(
                shown,
                "RANGE_FRAME_INVALID_TYPE",
                f'the data type "{kind.sql()}" in ORDER BY does not support a frame of "{bound.type.sql()}"',
            )
        return bound
    fits = (
        bound.type == kind
        or (isinstance(kind, _SPANS) and type(bound.type) is type(kind))
        or (unit == "rows" and isinstance(bound.type, t.IntegralType) and implicitly_castable(bound.type, kind))
        or (unit == "range" and isinstance(kind, t.NumericType) and isinstance(bound.type, t.NumericType))
    )
    if not fits:
        raise _mismatch(
            shown,
            "SPECIFIED_WINDOW_FRAME_UNACCEPTED_TYPE",
            f'a bound of type "{bound.type.sql()}" does not count in the ORDER BY key',
        )
    return bound if bound.type == kind or not isinstance(kind, t.IntegralType) else Const(kind, False, int(bound.value))


def _constant(bound: Typed, shown: str) -> Const:
    """The bound as a constant; a text beside PRECEDING is a double. Raises: PlanError."""
    match bound:
        case Const() if bound.value is not None:
            return bound
        case Convert(child=Const(type=t.StringType()) as text, type=t.DoubleType()) if text.value is not None:
            return Const(bound.type, False, _as_double(text.value))
        case Convert():
            inner = _constant(bound.child, shown)
            return replace(inner, type=bound.type) if isinstance(bound.type, t.IntegralType) else inner
        case Apply(function="neg"):
            inner = _constant(bound.args[0], shown)
            return replace(inner, value=-inner.value)
    raise _mismatch(shown, "SPECIFIED_WINDOW_FRAME_INVALID_BOUND", "the bounds of a frame have to be constants")


def _as_double(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise PlanError(
            f'The value \'{text}\' of the type "STRING" cannot be cast to "DOUBLE" because it is malformed. Write a '
            "number before PRECEDING.",
            code="CAST_INVALID_INPUT",
        ) from None


def _mismatch(shown: str, kind: str, why: str) -> PlanError:
    return PlanError(
        f'Cannot resolve "{shown}" due to data type mismatch: {why}. Change the frame.',
        code=f"DATATYPE_MISMATCH.{kind}",
    )
