"""Dates and timestamps read from text and printed as text, by Java's patterns."""

from __future__ import annotations

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Typed
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

_TEXT = t.StringType()
_TIMESTAMP = t.TimestampType()
_LONG = t.LongType()
_DEFAULT = "yyyy-MM-dd HH:mm:ss"
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
    time = f"CAST({args[0]} AS TIMESTAMP)"
    if call.function == "from_unixtime":
        time = f"CAST(make_timestamptz({args[0]} * 1000000) AS TIMESTAMP)"
    return show_pattern(call.function, str(pattern), time, str(zone))


def _read(name: str, binding: Binding, args: Args) -> Args:
    """Text with a literal pattern; a time, or text without one, is cast."""
    if not args:
        return args
    value = args[0]
    target = t.DateType() if name in ("to_date", "try_to_date") else _TIMESTAMP
    if isinstance(value.type, _TIMES):
        return (cast(value, target),)
    if not isinstance(value.type, t.StringType | t.NullType):
        raise wrong_type(name, 0, 'STRING" or "DATE" or "TIMESTAMP', value)
    unix = name in ("unix_timestamp", "to_unix_timestamp")
    if len(args) == 1 and not unix:
        return (cast(value, _TEXT),)
    pattern = _pattern(name, 1, args[1]) if len(args) > 1 else _DEFAULT
    read_pattern(name, pattern)
    return (cast(value, _TEXT), Const(_TEXT, False, pattern))


def _print_read(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    name = call.function
    safe = name.startswith("try_")
    day = name in ("to_date", "try_to_date")
    if not args:
        return "(CAST(getvariable('epoch_us') AS BIGINT) // 1000000)"
    if not isinstance(call.args[0].type, t.StringType):
        instant = args[0]
    elif len(args) == 1:
        found = f"TRY_CAST(wt_day({args[0]}) AS DATE)" if day else f"TRY_CAST(wt_instant({args[0]}) AS TIMESTAMPTZ)"
        instant = found if safe else f"wt_checked({found}, {args[0]}, '{call.type.sql()}')"
    else:
        instant = _parsed(call, args[0], safe)
    if isinstance(call.type, t.LongType):
        return f"(epoch_us({instant}) // 1000000)"
    return instant


def _parsed(call: Apply | AggCall, text: str, safe: bool) -> str:
    pattern = call.args[1]
    assert isinstance(pattern, Const)
    reading = read_pattern(call.function, str(pattern.value))
    regex, form = (part.replace("'", "''") for part in (reading.regex, reading.format))
    padded = f"('1970 ' || {text})" if regex.startswith("1970 ") else text
    read = f"regexp_replace({padded}, 'Z$', '+00:00')" if reading.zoned else padded
    name = "DATE" if isinstance(call.type, t.DateType) else "TIMESTAMPTZ"
    matched = f"CASE WHEN regexp_full_match({padded}, '{regex}') THEN {read} END"
    found = f"CAST(try_strptime({matched}, '{form}') AS {name})"
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
    scalar("to_date", (ANY, STRING), t.DateType(), _print_read, optional=1, prepare=_read, nullable=_nullable),
    scalar("try_to_date", (ANY, STRING), t.DateType(), _print_read, optional=1, prepare=_read, nullable=True),
    scalar("unix_timestamp", (), t.LongType(), _print_read, rest=ANY, prepare=_long_or_none, nullable=_nullable),
    scalar(
        "to_unix_timestamp", (ANY, STRING), t.LongType(), _print_read, optional=1, prepare=_read, nullable=_nullable
    ),
)
