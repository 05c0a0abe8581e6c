"""Windows of time: `window(ts, '10 minutes', '5 minutes')`, `session_window(ts, '5 minutes')` and `window_time`.

`window` is no value of a row but rows of their own: `resolve/time_windows.py` puts a column with the windows under the
node whose expressions name one. Windows are aligned to 1970-01-01 00:00 UTC whatever the session's time zone.
"""

from __future__ import annotations

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Typed
from app.plan.coerce import cast
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import LONG, Args, Param, describe, scalar, wrong_count, wrong_type
from app.plan.functions.zones import in_zone

_LONG = t.LongType()
_TIMES = (t.TimestampType, t.TimestampNTZType)


def window_of(binding: Binding, args: Args) -> tuple[Typed, Typed]:
    """The time, and the windows it falls into: a struct, or an array of them where they overlap. Raises: PlanError."""
    if not 2 <= len(args) <= 4:
        raise wrong_count("window", "[2, 3, 4]", len(args))
    time = _time(binding, args[0])
    duration = _micros(args[1])
    slide = _micros(args[2]) if len(args) > 2 else duration
    start = _micros(args[3]) if len(args) > 3 else 0
    _check(duration, slide, start)
    kind = t.StructType([t.StructField("start", time.type, True), t.StructField("end", time.type, True)])
    spans = tuple(Const(_LONG, False, us) for us in (duration, slide, start))
    if slide == duration:
        return time, Apply(kind, False, "time window", (time, *spans))
    return time, Apply(t.ArrayType(kind, False), False, "time windows", (time, *spans))


def _time(binding: Binding, arg: Typed) -> Typed:
    if _is_window(arg.type):
        return Apply(_end(arg.type), True, "window_time", (arg,))
    if isinstance(arg.type, _TIMES):
        return arg
    if isinstance(arg.type, t.DateType | t.StringType | t.NullType):
        return in_zone(cast(arg, t.TimestampType()), binding.time_zone, (arg,))
    raise wrong_type("window", 0, '(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)" or "STRUCT<start, end>', arg)


def session_of(binding: Binding, args: Args) -> Apply:
    """The window from a time to the end of the gap behind it; its end is null, or no later, where there is no gap.

    Raises: PlanError."""
    from app.plan.functions import lookup

    if len(args) != 2:
        raise wrong_count("session_window", "2", len(args))
    time, gap = _time(binding, args[0]), args[1]
    if not isinstance(gap.type, t.StringType | t.CalendarIntervalType):
        raise PlanError(
            "Gap duration expression used in session window must be CalendarIntervalType, but got "
            f"{type(gap.type).__name__}. Give a text such as '10 minutes', or make_interval(…).",
            code="_LEGACY_ERROR_TEMP_1040",
        )
    end = lookup("+").bind(binding, (time, cast(gap, t.CalendarIntervalType())))
    kind = t.StructType([t.StructField("start", time.type, True), t.StructField("end", end.type, True)])
    names = (Const(t.StringType(), False, name) for name in ("start", "end"))
    return Apply(kind, False, "named_struct", (next(names), time, next(names), end))


def _is_window(kind: t.DataType) -> bool:
    return isinstance(kind, t.StructType) and kind.names == ["start", "end"] and isinstance(_end(kind), _TIMES)


def _end(kind: t.DataType) -> t.DataType:
    assert isinstance(kind, t.StructType)
    return kind.fields[-1].dataType


def _micros(arg: Typed) -> int:
    from app.plan.parse.intervals import from_text

    if not isinstance(arg, Const) or not isinstance(arg.type, t.StringType | t.IntegerType | t.LongType):
        raise PlanError(
            f"The durations of window() must be literals such as '10 minutes', not {describe(arg)}.",
            code="_LEGACY_ERROR_TEMP_1207",
        )
    if isinstance(arg.value, int):
        return arg.value
    try:
        span = from_text(str(arg.value))
    except ValueError as error:
        raise PlanError(
            f"Unable to parse '{arg.value}' as an interval: {error}. Write for instance '10 minutes'.",
            code="CANNOT_PARSE_INTERVAL",
        ) from error
    if isinstance(span.type, t.YearMonthIntervalType):
        raise PlanError(
            f"Intervals greater than a month is not supported ({arg.value}). Count in days or weeks.",
            code="_LEGACY_ERROR_TEMP_3231",
        )
    return int(span.value.total_seconds()) * 1_000_000 + int(span.value.microseconds)


def _check(duration: int, slide: int, start: int) -> None:
    for name, us in (("window_duration", duration), ("slide_duration", slide)):
        if us <= 0:
            raise PlanError(
                f"Cannot resolve window(): the `{name}` must be more than 0 microseconds, not {us}.",
                code="DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
            )
    for name, us, limit in (("slide_duration", slide, duration + 1), ("abs(start_time)", abs(start), slide)):
        if us >= limit:
            raise PlanError(
                f"Cannot resolve window(): the `{name}` of {us} microseconds must be less than {limit} microseconds; "
                "a window slides by no more than its length and starts within its first slide.",
                code="DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION",
            )


def _print_window(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    make = "make_timestamptz" if isinstance(call.args[0].type, t.TimestampType) else "make_timestamp"
    return _struct(args, make, "0")


def _struct(args: tuple[str, ...], make: str, back: str) -> str:
    start = f"wt_window_start(epoch_us({args[0]}), {args[2]}, {args[3]}) - {back} * {args[2]}"
    return f"{{'start': {make}({start}), 'end': {make}({start} + {args[1]})}}"


def _print_windows(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    make = "make_timestamptz" if isinstance(call.args[0].type, t.TimestampType) else "make_timestamp"
    duration, slide = (getattr(arg, "value", 0) for arg in call.args[1:3])
    windows = f"list_transform(range({-(-duration // slide)}), lambda n: {_struct(args, make, 'n')})"
    return f"list_filter({windows}, lambda n: struct_extract(n, 'end') > {args[0]})"


def _bind_window(binding: Binding, args: Args) -> Apply:
    window_of(binding, args)
    raise PlanError(
        "window() may stand in a select list or among the keys of groupBy only. Select it first, then use the column.",
        code="UNSUPPORTED_FEATURE",
    )


def _bind_session(binding: Binding, args: Args) -> Apply:
    session_of(binding, args)
    raise PlanError(
        "session_window() may stand in a select list or among the keys of groupBy only. Select it first, then use the "
        "column.",
        code="UNSUPPORTED_FEATURE",
    )


def _bind_window_time(_: Binding, args: Args) -> Apply:
    if len(args) != 1:
        raise wrong_count("window_time", "1", len(args))
    if not _is_window(args[0].type):
        raise PlanError(
            f"The input is not a correct window column: window_time({describe(args[0])}). Give what window() made.",
            code="_LEGACY_ERROR_TEMP_3101",
        )
    return Apply(_end(args[0].type), True, "window_time", args)


def _print_window_time(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    make = "make_timestamptz" if isinstance(call.type, t.TimestampType) else "make_timestamp"
    return f"{make}(epoch_us(struct_extract({args[0]}, 'end')) - 1)"


_TIME = Param("TIMESTAMP", lambda s: s if isinstance(s, _TIMES) else None)

FUNCTIONS: tuple[Function, ...] = (
    Function("window", "scalar", _bind_window, lambda call, args: args[0]),
    Function("session_window", "scalar", _bind_session, lambda call, args: args[0]),
    Function("window_time", "scalar", _bind_window_time, _print_window_time),
    scalar("time window", (_TIME, LONG, LONG, LONG), t.NullType(), _print_window),
    scalar("time windows", (_TIME, LONG, LONG, LONG), t.ArrayType(), _print_windows),
)
