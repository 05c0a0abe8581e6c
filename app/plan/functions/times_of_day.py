"""Times of day (`TIME`): made, read, taken apart, compared by units, put on dates.

As in Spark, what casts to TIME or computes with it wants spark.sql.timeType.enabled; values that merely pass do not.
"""

from __future__ import annotations

import re

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Convert, Typed
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import (
    INT,
    STRING,
    Args,
    Param,
    describe,
    exactly,
    literal_value,
    only,
    scalar,
    type_of,
    wrong_count,
    wrong_type,
)
from app.plan.functions.time_texts import read_time_of_day
from app.plan.rewrite import parts_of

_TIME, _NTZ, _LONG, _TEXT = t.TimeType(), t.TimestampNTZType(), t.LongType(), t.StringType()
_ENABLED = "spark.sql.timeType.enabled"
_READ_TIME = Param(
    "TIME",
    lambda s: s if isinstance(s, t.TimeType) else _TIME if isinstance(s, t.StringType | t.NullType) else None,
)
_ONLY_TIME = Param("TIME", lambda s: s if isinstance(s, t.TimeType) else _TIME if isinstance(s, t.NullType) else None)
_ONLY_DATE = Param("DATE", lambda s: t.DateType() if isinstance(s, t.DateType | t.NullType) else None)
_ONLY_TEXT = Param("STRING", lambda s: _TEXT if isinstance(s, t.StringType | t.NullType) else None)
_DEFAULT_FORMAT = "HH:mm:ss.SSSSSS"
_GUARDED_TEXT = (
    "make_time to_time try_to_time time_diff time_trunc time_from_seconds time_from_millis time_from_micros "
    "time_to_seconds time_to_millis time_to_micros time + - try_add try_subtract hour minute second date_part"
)
_GUARDED = frozenset((*_GUARDED_TEXT.split(), "second of time"))


def with_time_type(typed: Typed, binding: Binding, done: Args = ()) -> Typed:
    """The same; the parts in `done` are known to be allowed.

    Raises: PlanError UNSUPPORTED_TIME_TYPE where it computes with TIME and the session has not turned that on."""
    if binding.conf.get(_ENABLED, "false").lower() != "true":
        _check(typed, done)
    return typed


def _check(typed: Typed, done: Args) -> None:
    if any(typed is part for part in done):
        return
    cast_to_time = isinstance(typed, Convert) and _holds_time(typed.type)
    computed = isinstance(typed, Apply) and typed.function in _GUARDED
    if cast_to_time or (computed and any(_holds_time(part.type) for part in (typed, *parts_of(typed)))):
        raise PlanError(
            f"The data type TIME is not supported. Set {_ENABLED} to true to compute with it.",
            code="UNSUPPORTED_TIME_TYPE",
        )
    for part in parts_of(typed):
        _check(part, done)


def _holds_time(kind: t.DataType) -> bool:
    match kind:
        case t.ArrayType(element):
            return _holds_time(element)
        case t.MapType(key, value):
            return _holds_time(key) or _holds_time(value)
        case t.StructType():
            return any(_holds_time(f.dataType) for f in kind)
    return isinstance(kind, t.TimeType)


def _bind_now(_: Binding, args: Args) -> Apply:
    """The wall clock of the session's zone, cut to a number of digits."""
    if len(args) > 1:
        raise wrong_count("current_time", "[0, 1]", len(args))
    precision = _folded(args[0]) if args else 6
    if not 0 <= precision <= 6:
        raise PlanError(
            f'Cannot resolve "current_time({precision})" due to data type mismatch: The `precision` must be between '
            f"[0, 6] (current value = {precision}).",
            code="DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
        )
    wall = Convert(_NTZ, False, Apply(t.TimestampType(), False, "current_timestamp", ()))
    return Apply(t.TimeType(precision), False, "clock", (wall,))


def _folded(arg: Typed) -> int:
    """A constant whole number, or a sum of such. Raises: PlanError."""
    if isinstance(arg, Apply) and arg.function in ("+", "-") and len(arg.args) == 2:
        left, right = (_folded(part) for part in arg.args)
        return left + right if arg.function == "+" else left - right
    text = str(literal_value("current_time", 0, arg)).partition(".")[0]
    if not re.fullmatch(r"-?\d+", text):
        raise wrong_type("current_time", 0, "INT", arg)
    return int(text)


def _print_clock(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    assert isinstance(call.type, t.TimeType)
    return f"wt_time_cut(CAST({args[0]} AS TIME), {10 ** (6 - call.type.precision)})"


def _format(name: str, _: Binding, args: Args) -> Args:
    if len(args) < 2:
        return args
    pattern = literal_value(name, 1, args[1])
    if pattern is None:
        return (Const(_TEXT, True, None),)
    read_time_of_day("t", str(pattern))
    return (args[0], Const(_TEXT, False, str(pattern)))


def _print_read(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    pattern = call.args[1].value if len(call.args) > 1 and isinstance(call.args[1], Const) else None
    found = read_time_of_day(args[0], pattern)
    if call.function == "try_to_time":
        return found
    return f"wt_clock_read({found}, {args[0]}, '{(pattern or _DEFAULT_FORMAT).replace(chr(39), chr(39) * 2)}')"


def _print_from_seconds(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    kind = call.args[0].type
    if isinstance(kind, t.IntegralType | t.NullType):
        return f"wt_time_of_ns(CAST({args[0]} AS HUGEINT) * 1000000000)"
    if isinstance(kind, t.DecimalType):
        whole = f"CAST(trunc(CAST({args[0]} AS DECIMAL(38,18)) * 1000000000) AS HUGEINT)"
        return f"wt_time_of_ns({whole})"
    return f"wt_time_of_ns(wt_ns_of_double(CAST({args[0]} AS DOUBLE)))"


def _seconds_of(us: str, digits: int) -> str:
    return f"CAST(CAST({us} AS DECIMAL(18,0)) * CAST('0.000001' AS DECIMAL(6,6)) AS DECIMAL({digits},6))"


def time_field(field: str, arg: Typed) -> Apply:
    """An hour, minute or second of a time of day; `field` is canonical. Raises: PlanError INVALID_EXTRACT_FIELD."""
    if field not in ("hour", "minute", "second"):
        raise PlanError(
            f'Cannot extract `{field}` from "{describe(arg)}". Use hour, minute or second.',
            code="INVALID_EXTRACT_FIELD",
        )
    if field != "second":
        return Apply(t.IntegerType(), True, field, (arg,))
    return Apply(t.DecimalType(8, 6), True, "second of time", (arg,))


def _print_second(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    kind = call.args[0].type
    unit = 10 ** (6 - kind.precision) if isinstance(kind, t.TimeType) else 1
    return _seconds_of(f"(epoch_us({args[0]}) % 60000000 // {unit} * {unit})", 8)


def _print_moment(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    wall = f"CAST({args[0]} AS TIMESTAMP)" if len(args) == 1 else f"({args[0]} + CAST({args[1]} AS TIME))"
    if len(args) > 2:
        return f"CASE WHEN {args[2]} IS NOT NULL THEN wt_in_zone({wall}, {args[2]}) END"
    return wall if call.function.startswith("local") else f"CAST({wall} AS TIMESTAMPTZ)"


_PARTS = (INT, INT, Param("DECIMAL(16,6)", lambda s: t.DecimalType(16, 6)))

FUNCTIONS: tuple[Function, ...] = (
    Function("current_time", "scalar", _bind_now, lambda call, args: args[0]),
    scalar("clock", (exactly(_NTZ),), _TIME, _print_clock),
    scalar("make_time", _PARTS, _TIME, "wt_make_time({0}, {1}, {2})", nullable=True),
    scalar("to_time", (_ONLY_TEXT, STRING), _TIME, _print_read, optional=1, prepare=_format, nullable=True),
    scalar("try_to_time", (_ONLY_TEXT, STRING), _TIME, _print_read, optional=1, prepare=_format, nullable=True),
    scalar("time_diff", (STRING, _READ_TIME, _READ_TIME), _LONG,
           "CAST((epoch_us({2}) - epoch_us({1})) // wt_clock_unit({0}, 'time_diff') AS BIGINT)", nullable=True),
    scalar("time_trunc", (STRING, _READ_TIME), type_of(1), "wt_time_cut({1}, wt_clock_unit({0}, 'time_trunc'))",
           nullable=True),
    scalar("time_from_seconds", (only(t.NumericType, wants="NUMERIC"),), _TIME, _print_from_seconds, nullable=True),
    scalar("time_from_millis", (only(t.IntegralType, wants="INTEGRAL"),), _TIME,
           "wt_time_of_ns(CAST({0} AS HUGEINT) * 1000000)", nullable=True),
    scalar("time_from_micros", (only(t.IntegralType, wants="INTEGRAL"),), _TIME,
           "wt_time_of_ns(CAST({0} AS HUGEINT) * 1000)", nullable=True),
    scalar("time_to_seconds", (_ONLY_TIME,), t.DecimalType(14, 6),
           lambda call, args: _seconds_of(f"epoch_us({args[0]})", 14), nullable=True),
    scalar("time_to_millis", (_ONLY_TIME,), _LONG, "(epoch_us({0}) // 1000)", nullable=True),
    scalar("time_to_micros", (_ONLY_TIME,), _LONG, "epoch_us({0})", nullable=True),
    scalar("second of time", (_ONLY_TIME,), t.DecimalType(8, 6), _print_second, nullable=True),
    scalar("moment of day", (_ONLY_DATE, _ONLY_TIME, STRING), t.TimestampType(), _print_moment, optional=2),
    scalar("local moment of day", (_ONLY_DATE, _ONLY_TIME), _NTZ, _print_moment, nullable=True),
)  # fmt: skip
