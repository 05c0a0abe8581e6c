"""Dates and timestamps read from text and printed as text, by Java's patterns."""

from __future__ import annotations

from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Convert, Typed
from app.plan.carriers import duckdb_type
from app.plan.coerce import cast
from app.plan.functions.entry import Binding, Function
from app.plan.functions.java_time import (
    read_instant,
    read_instant_by,
    read_wall,
    read_wall_by,
    show_by,
    show_pattern,
)
from app.plan.functions.signature import (
    ANY,
    LONG,
    STRING,
    TIMESTAMP,
    Args,
    scalar,
    wrong_count,
    wrong_type,
)
from app.plan.functions.zones import UTC_NAMES
from app.plan.java.pattern import compiled
from app.plan.moment_words import moment_of_word

_TEXT = t.StringType()
_TIMESTAMP = t.TimestampType()
_LONG = t.LongType()
_DEFAULT = "yyyy-MM-dd HH:mm:ss"
_NTZ = t.TimestampNTZType()
_TARGETS = {"to_date": t.DateType(), "try_to_date": t.DateType(), "to_timestamp_ntz": _NTZ}
_TIMES = (t.DateType, t.TimestampType, t.TimestampNTZType)


def _is_null(arg: Typed) -> bool:
    inner = arg.child if isinstance(arg, Convert) else arg
    return isinstance(inner, Const) and inner.value is None


def _pattern(arg: Typed, reading: bool) -> Typed:
    """A pattern as a text; a constant one is checked. Raises: PlanError."""
    if _is_null(arg):
        return Const(_TEXT, True, None)
    if isinstance(arg, Const):
        compiled(str(arg.value), reading)
        return Const(_TEXT, False, str(arg.value))
    return cast(arg, _TEXT)


def _shown(name: str, binding: Binding, args: Args) -> Args:
    pattern = _pattern(args[1], False) if len(args) > 1 else Const(_TEXT, False, _DEFAULT)
    return (args[0], pattern, Const(_TEXT, False, binding.time_zone))


def _print_shown(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    pattern, named = call.args[1:]
    assert isinstance(named, Const)
    instant = f"make_timestamptz({args[0]} * 1000000)" if call.function == "from_unixtime" else args[0]
    if _is_null(pattern):
        return "CAST(NULL AS VARCHAR)"
    wall, zone, offset = f"CAST({instant} AS TIMESTAMP)", "UTC", "0"
    if named.value not in UTC_NAMES:
        wall, zone = f"timezone({args[2]}, {instant})", str(named.value)
        offset = f"((epoch_us({wall}) - epoch_us({instant})) // 1000000)"
    if isinstance(pattern, Const):
        return show_pattern(str(pattern.value), wall, zone, offset)
    return show_by(args[1], wall, zone, offset)


def _read(name: str, binding: Binding, args: Args) -> Args:
    """Text with a pattern; a time, or text without one, is cast."""
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
        if (moment := moment_of_word(value, target)) is not None:
            return (moment,)
        if binding.time_zone not in UTC_NAMES and target == _TIMESTAMP:
            value = Convert(_TIMESTAMP, True, value, name.startswith("try_"))
            return (value,)
        return (value,)
    pattern = _pattern(args[1], True) if len(args) > 1 else Const(_TEXT, False, _DEFAULT)
    zone = "UTC" if binding.time_zone in UTC_NAMES else binding.time_zone
    return (value, pattern, Const(_TEXT, False, zone))


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
    elif _is_null(call.args[1]):
        return f"CAST(NULL AS {duckdb_type(call.type)})"
    else:
        found = _parsed(call, args[0], args[1])
        instant = found if safe else f"wt_parsed({found}, {args[0]})"
    if isinstance(call.type, t.LongType):
        return f"(epoch_us({instant}) // 1000000)"
    return instant


def _parsed(call: Apply | AggCall, text: str, pattern_sql: str) -> str:
    pattern, named = call.args[1:]
    assert isinstance(named, Const)
    zone = str(named.value)
    if isinstance(call.type, t.TimestampNTZType):
        return read_wall(str(pattern.value), text) if isinstance(pattern, Const) else read_wall_by(pattern_sql, text)
    if isinstance(pattern, Const):
        found = read_instant(str(pattern.value), text, zone)
    else:
        found = read_instant_by(pattern_sql, text, zone)
    if not isinstance(call.type, t.DateType):
        return found
    return f"CAST({found if zone == 'UTC' else f'timezone({_quoted(zone)}, {found})'} AS DATE)"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


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
