"""What `+ - * /` mean where a side is a date, a timestamp, a time of day or an interval.

A string beside an interval is a timestamp, and the result a string again. Date and timestamp come first, whichever way
the user wrote them.
"""

from __future__ import annotations

from app.plan import types as t
from app.plan.bound import AggCall, Apply, Typed
from app.plan.coerce import cast, is_integral, is_interval, least_common_type
from app.plan.functions.signature import wrong_type

_DOUBLE = t.DoubleType()
_DAY = t.DayTimeIntervalType(0, 0)
_TIMES = (t.DateType, t.TimestampType, t.TimestampNTZType)
_SPAN_OF_TIMES = t.DayTimeIntervalType(t.DayTimeIntervalType.HOUR, t.DayTimeIntervalType.SECOND)


def bind_temporal(symbol: str, name: str, left: Typed, right: Typed) -> Typed | None:
    """The call if one side is of time; None for numbers. Raises: PlanError."""
    a, b = left.type, right.type
    if not (_is_temporal(a) or _is_temporal(b)):
        return None
    if symbol == "+" and not is_span(a) and is_span(b):
        return _moved(symbol, name, left, right)
    if symbol == "+" and is_span(a) and not is_span(b):
        return _moved(symbol, name, right, left)
    if symbol == "-" and is_span(b) and not is_span(a):
        return _moved(symbol, name, left, right)
    if symbol in "+-" and is_span(a) and is_span(b):
        return _summed(symbol, name, left, right)
    if symbol == "-" and is_span(a) and isinstance(b, t.NullType):
        return _summed(symbol, name, left, cast(right, a))
    if symbol in "+-":
        return _without_span(symbol, name, left, right)
    return _scaled(symbol, name, left, right)


def _is_temporal(kind: t.DataType) -> bool:
    return isinstance(kind, (*_TIMES, t.TimeType)) or is_span(kind)


def is_span(kind: t.DataType) -> bool:
    """Whether it is an interval of any kind."""
    return is_interval(kind) or isinstance(kind, t.CalendarIntervalType)


def _moved(symbol: str, name: str, time: Typed, span: Typed) -> Typed | None:
    """A time and an interval."""
    a, b = time.type, span.type
    nullable = time.nullable or span.nullable
    if isinstance(a, t.NullType) and is_interval(b):
        return _summed(symbol, name, cast(time, b), span)
    if isinstance(a, t.TimeType) and isinstance(b, t.DayTimeIntervalType):
        precision = 6 if b.endField == t.DayTimeIntervalType.SECOND else a.precision
        return Apply(t.TimeType(precision), True, name, (time, span))
    if isinstance(a, t.StringType) and not isinstance(b, t.YearMonthIntervalType):
        moved = Apply(t.TimestampType(), True, name, (cast(time, t.TimestampType()), span))
        return cast(moved, a)
    if isinstance(a, _TIMES):
        keeps_date = not isinstance(b, t.DayTimeIntervalType) or b == _DAY
        kind = t.TimestampType() if isinstance(a, t.DateType) and not keeps_date else a
        return Apply(kind, nullable, name, (cast(time, kind), span))
    if isinstance(b, t.YearMonthIntervalType):
        return None
    raise wrong_type(name, 0, "(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)", time)


def _summed(symbol: str, name: str, left: Typed, right: Typed) -> Typed:
    common = least_common_type(left.type, right.type)
    if common is None:
        raise wrong_type(name, 0, "(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)", left)
    return Apply(common, left.nullable or right.nullable, name, (left, right))


def _without_span(symbol: str, name: str, left: Typed, right: Typed) -> Typed | None:
    """Two times, or a time and a number."""
    a, b = left.type, right.type
    nullable = left.nullable or right.nullable
    if symbol == "+" and isinstance(b, t.DateType) and is_integral(a):
        return _without_span(symbol, name, right, left)
    if isinstance(a, t.DateType) and is_integral(b):
        return Apply(a, nullable, name, (left, cast(right, t.IntegerType())))
    if symbol == "-" and _of_day(a, b):
        time = a if isinstance(a, t.TimeType) else b
        return Apply(_SPAN_OF_TIMES, True, name, (_as_time(left, time), _as_time(right, time)))
    if symbol == "-" and isinstance(a, _TIMES) and isinstance(b, (*_TIMES, t.StringType)):
        return _difference(name, left, right)
    if symbol == "-" and (is_span(a) or isinstance(a, t.TimeType)) and isinstance(b, _TIMES):
        raise wrong_type(name, 0, "(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)", left)
    if isinstance(a, t.DateType) and isinstance(b, t.TimeType):
        raise wrong_type(name, 1, 'INT" or "SMALLINT" or "TINYINT', right)
    if symbol == "+" and isinstance(a, t.TimeType) and isinstance(b, t.NullType):
        return Apply(a, True, name, (left, cast(right, t.DayTimeIntervalType())))
    return None


def _of_day(a: t.DataType, b: t.DataType) -> bool:
    """Whether the difference is one of times of day."""
    texts = (t.TimeType, t.StringType, t.NullType)
    return t.TimeType in (type(a), type(b)) and isinstance(a, texts) and isinstance(b, texts)


def _as_time(arg: Typed, time: t.DataType) -> Typed:
    return arg if isinstance(arg.type, t.TimeType) else cast(arg, time)


def _difference(name: str, left: Typed, right: Typed) -> Apply:
    nullable = left.nullable or right.nullable
    if isinstance(left.type, t.DateType) and isinstance(right.type, (t.DateType, t.StringType)):
        return Apply(_DAY, nullable, name, (left, cast(right, t.DateType())))
    kind = least_common_type(left.type, right.type)
    assert kind is not None
    return Apply(t.DayTimeIntervalType(), nullable, name, (cast(left, kind), cast(right, kind)))


def _scaled(symbol: str, name: str, left: Typed, right: Typed) -> Typed | None:
    """An interval times or through a number."""
    a, b = left.type, right.type
    if symbol == "*" and is_span(b) and not is_span(a):
        return _scaled(symbol, name, right, left)
    if symbol not in "*/" or not is_span(a):
        return None
    if isinstance(a, t.CalendarIntervalType) and isinstance(b, (t.NumericType, t.StringType, t.NullType)):
        return Apply(a, True, name, (left, cast(right, _DOUBLE)))
    if not isinstance(b, (t.NumericType, t.StringType, t.NullType)):
        return None
    kind = t.DayTimeIntervalType() if isinstance(a, t.DayTimeIntervalType) else t.YearMonthIntervalType()
    return Apply(kind, left.nullable or right.nullable, name, (left, right if is_integral(b) else cast(right, _DOUBLE)))


def print_temporal(symbol: str, call: Apply | AggCall, left: str, right: str) -> str:
    """The SQL of what `bind_temporal` gave."""
    a, b = call.args[0].type, call.args[1].type
    if symbol in "*/" and is_interval(a):
        return _print_scaled(symbol, call, left, right)
    if isinstance(a, t.CalendarIntervalType):
        return _print_calendar(symbol, call, left, right)
    if isinstance(a, t.TimeType):
        return _print_time(symbol, call, left, right)
    if isinstance(b, t.CalendarIntervalType):
        return _print_moved_by_calendar(symbol, call, left, right)
    if isinstance(a, t.DateType) and isinstance(b, t.DateType):
        return f"wt_interval(CAST({left} - {right} AS BIGINT) * 86400000000)"
    if isinstance(call.type, t.DayTimeIntervalType) and not is_interval(a):
        return f"wt_interval(epoch_us({left}) - epoch_us({right}))"
    if isinstance(b, t.YearMonthIntervalType) and not is_interval(a):
        moved = f"({left} {symbol} to_months({right}))"
        return f"CAST({moved} AS DATE)" if isinstance(call.type, t.DateType) else moved
    if isinstance(a, t.DateType) and is_interval(b):
        return f"CAST(({left} {symbol} {right}) AS DATE)"
    if isinstance(a, t.TimestampType) and is_interval(b):
        return f"make_timestamptz(epoch_us({left}) {symbol} epoch_us({right}))"
    if is_interval(a) and is_interval(b):
        return _print_summed(symbol, call, left, right)
    return f"({left} {symbol} {right})"


def _print_summed(symbol: str, call: Apply | AggCall, left: str, right: str) -> str:
    """The sum or difference of two intervals, whose overflow has a class of its own."""
    day_time = isinstance(call.type, t.DayTimeIntervalType)
    if _safe(call) == "true":  # DuckDB's TRY takes no errors of ours
        return f"wt_interval(epoch_us({left}) {symbol} epoch_us({right}))" if day_time else f"({left} {symbol} {right})"
    instead = "try_add" if symbol == "+" else "try_subtract"
    if day_time:
        whole = f"CAST(epoch_us({left}) AS HUGEINT) {symbol} epoch_us({right})"
        return f"wt_interval(CAST(wt_interval_within({whole}, 63, '{instead}') AS BIGINT))"
    return f"CAST(wt_interval_within(CAST({left} AS HUGEINT) {symbol} {right}, 31, '{instead}') AS INTEGER)"


def _safe(call: Apply | AggCall) -> str:
    return "true" if call.function.startswith("try_") else "false"


def _print_calendar(symbol: str, call: Apply | AggCall, left: str, right: str) -> str:
    if symbol in "+-":
        return f"wt_calendar_sum({left}, {right}, {symbol}1, {_safe(call)})"
    name = "wt_calendar_times" if symbol == "*" else "wt_calendar_divided"
    return f"{name}({left}, {right}, {_safe(call)})"


def _print_moved_by_calendar(symbol: str, call: Apply | AggCall, left: str, right: str) -> str:
    match call.type:
        case t.DateType():
            return f"wt_date_later({left}, {right}, {symbol}1, {_safe(call)})"
        case t.TimestampType():
            return f"make_timestamptz(epoch_us(wt_wall_later(make_timestamp(epoch_us({left})), {right}, {symbol}1)))"
    return f"wt_wall_later({left}, {right}, {symbol}1)"


def _print_time(symbol: str, call: Apply | AggCall, left: str, right: str) -> str:
    if isinstance(call.args[1].type, t.TimeType):
        return f"wt_interval(epoch_us({left}) - epoch_us({right}))"
    return f"wt_time_later({left}, {symbol}epoch_us({right}), {_safe(call)})"


def _print_scaled(symbol: str, call: Apply | AggCall, left: str, right: str) -> str:
    a, b = call.args[0].type, call.args[1].type
    amount = f"epoch_us({left})" if isinstance(a, t.DayTimeIntervalType) else left
    wide = "BIGINT" if isinstance(a, t.DayTimeIntervalType) else "INTEGER"
    if symbol == "*" and is_integral(b):
        scaled = f"CAST({amount} * {right} AS {wide})"
    else:
        if symbol == "/":
            right = f"nullif({right}, 0)" if call.function == "try_divide" else f"wt_parts({left}, {right})"
        whole = f"CAST(wt_round_div(CAST({amount} AS HUGEINT), CAST({right} AS HUGEINT)) AS {wide})"
        scaled = whole if is_integral(b) else f"CAST(round(CAST({amount} AS DOUBLE) {symbol} {right}) AS {wide})"
    return f"wt_interval({scaled})" if isinstance(a, t.DayTimeIntervalType) else scaled
