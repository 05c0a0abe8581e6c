"""Dates and timestamps read from text and printed as text, by Java's patterns."""

from __future__ import annotations

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Convert, Typed
from app.plan.carriers import duckdb_type
from app.plan.coerce import cast
from app.plan.functions.entry import Binding, Function
from app.plan.functions.java_time import read_pattern, show_pattern
from app.plan.functions.signature import (
    ANY,
    LONG,
    STRING,
    TIMESTAMP,
    Args,
    literal_value,
    scalar,
    wrong_count,
    wrong_type,
)
from app.plan.functions.zones import UTC_NAMES

_TEXT = t.StringType()
_TIMESTAMP = t.TimestampType()
_LONG = t.LongType()
_DEFAULT = "yyyy-MM-dd HH:mm:ss"
_NTZ = t.TimestampNTZType()
_TARGETS = {"to_date": t.DateType(), "try_to_date": t.DateType(), "to_timestamp_ntz": _NTZ}
_TIMES = (t.DateType, t.TimestampType, t.TimestampNTZType)


def _pattern(name: str, at: int, arg: Typed) -> str:
    pattern = literal_value(name, at, arg)
    if pattern is None:
        raise PlanError(f"The pattern of `{name}` is null. Give one.", code="INVALID_DATETIME_PATTERN")
    return str(pattern)


def _shown(name: str, binding: Binding, args: Args) -> Args:
    pattern = _pattern(name, 1, args[1]) if len(args) > 1 else _DEFAULT
    show_pattern(name, pattern, "t", binding.time_zone)
    return (args[0], Const(_TEXT, False, pattern), Const(_TEXT, False, binding.time_zone))


def _print_shown(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    pattern, zone = (arg.value for arg in call.args[1:] if isinstance(arg, Const))
    instant = f"make_timestamptz({args[0]} * 1000000)" if call.function == "from_unixtime" else args[0]
    if zone in UTC_NAMES:
        return show_pattern(call.function, str(pattern), f"CAST({instant} AS TIMESTAMP)", "UTC")
    wall = f"timezone({args[2]}, {instant})"
    offset = f"((epoch_us({wall}) - epoch_us({instant})) // 1000000)"
    return show_pattern(call.function, str(pattern), wall, str(zone), offset)


def _read(name: str, binding: Binding, args: Args) -> Args:
    """Text with a literal pattern; a time, or text without one, is cast."""
    if not args:
        return args
    value = args[0]
    target = _TARGETS.get(name, _TIMESTAMP)
    if isinstance(value.type, _TIMES) or (
        isinstance(value.type, t.NumericType) and target == _TIMESTAMP and len(args) == 1
    ):
        return (cast(value, target),)
    unix = name in ("unix_timestamp", "to_unix_timestamp")
    if not isinstance(value.type, t.StringType | t.NullType | (t.NullType if unix else t.AtomicType)):
        raise wrong_type(name, 0, 'STRING" or "DATE" or "TIMESTAMP', value)
    value = cast(value, _TEXT)
    if len(args) == 1 and not unix:
        if binding.time_zone not in UTC_NAMES and target == _TIMESTAMP:
            value = Convert(_TIMESTAMP, True, value, name.startswith("try_"))
            return (value,)
        return (value,)
    pattern = _pattern(name, 1, args[1]) if len(args) > 1 else _DEFAULT
    read_pattern(name, pattern)
    zone = () if binding.time_zone in UTC_NAMES else (Const(_TEXT, False, binding.time_zone),)
    return (value, Const(_TEXT, False, pattern), *zone)


def _print_read(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    name = call.function
    safe = name.startswith("try_")
    day = name in ("to_date", "try_to_date")
    if not args:
        return "(CAST(getvariable('epoch_us') AS BIGINT) // 1000000)"
    if not isinstance(call.args[0].type, t.StringType):
        instant = args[0]
    elif len(args) == 1:
        found = (
            f"TRY_CAST(wt_day({args[0]}) AS DATE)" if day else f"TRY_CAST(wt_instant_here({args[0]}) AS TIMESTAMPTZ)"
        )
        if isinstance(call.type, t.TimestampNTZType):
            found = f"TRY_CAST(wt_local_instant({args[0]}) AS TIMESTAMP)"
        instant = found if safe else f"wt_checked({found}, {args[0]}, '{call.type.sql()}')"
    else:
        instant = _parsed(call, args[0], args[-1], safe)
    if isinstance(call.type, t.LongType):
        return f"(epoch_us({instant}) // 1000000)"
    return instant


def _parsed(call: Apply | AggCall, text: str, zone: str, safe: bool) -> str:
    pattern = call.args[1]
    assert isinstance(pattern, Const)
    reading = read_pattern(call.function, str(pattern.value))
    padded = f"('1970 ' || {text})" if reading.regex.startswith("1970 ") else text
    name = duckdb_type(call.type) if not isinstance(call.type, t.LongType) else "TIMESTAMPTZ"
    found = reading.sql(padded)
    if name == "TIMESTAMPTZ" and len(call.args) > 2 and not reading.zoned:
        found = f"wt_at_zone({found}, {zone})"
    else:
        found = f"CAST({found} AS {name})"
    return found if safe else f"wt_parsed({found}, {text})"


def _long_or_none(name: str, binding: Binding, args: Args) -> Args:
    if len(args) > 2:
        raise wrong_count(name, "[0, 1, 2]", len(args))
    return _read(name, binding, args)


def _nullable(args: Args) -> bool:
    """Text that cannot be read is an error, but without a pattern it is a cast, which Spark calls nullable."""
    return any(arg.nullable for arg in args) or (len(args) == 1 and isinstance(args[0].type, t.StringType))


FUNCTIONS: tuple[Function, ...] = (
    scalar("date_format", (TIMESTAMP, STRING), _TEXT, _print_shown, prepare=_shown),
    scalar("from_unixtime", (LONG, STRING), _TEXT, _print_shown, optional=1, prepare=_shown, nullable=True),
    scalar("to_timestamp", (ANY, STRING), _TIMESTAMP, _print_read, optional=1, prepare=_read, nullable=_nullable),
    scalar("try_to_timestamp", (ANY, STRING), _TIMESTAMP, _print_read, optional=1, prepare=_read, nullable=True),
    scalar("to_timestamp_ltz", (ANY, STRING), _TIMESTAMP, _print_read, optional=1, prepare=_read, nullable=_nullable),
    scalar("to_timestamp_ntz", (ANY, STRING), _NTZ, _print_read, optional=1, prepare=_read, nullable=_nullable),
    scalar("to_date", (ANY, STRING), t.DateType(), _print_read, optional=1, prepare=_read, nullable=_nullable),
    scalar("try_to_date", (ANY, STRING), t.DateType(), _print_read, optional=1, prepare=_read, nullable=True),
    scalar("unix_timestamp", (), t.LongType(), _print_read, rest=ANY, prepare=_long_or_none, nullable=_nullable),
    scalar(
        "to_unix_timestamp", (ANY, STRING), t.LongType(), _print_read, optional=1, prepare=_read, nullable=_nullable
    ),
)
