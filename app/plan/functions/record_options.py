"""Options of functions that read and write records as text (JSON, CSV), and the times in them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import Apply, Const, Typed
from app.plan.functions.entry import Binding
from app.plan.functions.java_time import read_instant, read_wall, show_pattern
from app.plan.functions.signature import unsupported
from app.plan.functions.time_texts import read_time_of_day, show_time_of_day
from app.plan.functions.zones import UTC_NAMES
from app.plan.java.pattern import compiled
from app.plan.java.read import read
from app.plan.json_reader import OPTIONS
from app.plan.regions import region

Options = Mapping[str, str]
"""By name in lower case; `timezone` is always there."""


def options_of(name: str, binding: Binding, arg: Typed | None, known: Sequence[str]) -> dict[str, str]:
    """The options of a call, given as a map of constants. Raises: PlanError."""
    found = {"timezone": binding.time_zone}
    if arg is None:
        return found
    if not isinstance(arg, Apply) or arg.function != "map" or not all(isinstance(a, Const) for a in arg.args):
        raise PlanError(
            f"The options of `{name}` must be a map() of literal texts.", code="INVALID_OPTIONS.NON_MAP_FUNCTION"
        )
    if not arg.args:
        raise PlanError(
            f"The options of `{name}` must be texts, but the map() has none. Leave it out.",
            code="INVALID_OPTIONS.NON_STRING_TYPE",
        )
    values = [str(getattr(a, "value", "")) for a in arg.args]
    for key, value in zip(values[::2], values[1::2], strict=True):
        if key.lower() not in (*known, "timezone"):
            raise unsupported(name, f"the option {key!r}; it knows {', '.join(known)} and timezone")
        if key.lower() in ("sep", "delimiter") and not value:
            raise PlanError(
                f"Delimiter cannot be empty string. Give `{name}` a separator of at least one character, or leave the "
                f"option {key!r} out.",
                code="INVALID_DELIMITER_VALUE.EMPTY_STRING",
            )
        found[key.lower()] = value
    found["timezone"] = time_zone(found["timezone"])
    return found


def time_zone(given: str) -> str:
    """The value of the option `timeZone` as a region's name. Raises: PlanError INVALID_TIMEZONE."""
    try:
        return region(given)
    except ValueError:
        raise PlanError(
            f"The timezone: {given} is invalid. Give a region such as Europe/Berlin or an offset such as +02:00.",
            code="INVALID_TIMEZONE",
        ) from None


def check_mode(name: str, options: Options) -> None:
    """Raises: PlanError PARSE_MODE_UNSUPPORTED."""
    mode = options.get("mode", "PERMISSIVE").upper()
    if mode == "DROPMALFORMED":
        raise PlanError(
            f"The function `{name}` doesn't support the {mode} mode. Acceptable modes are PERMISSIVE and FAILFAST.",
            code="PARSE_MODE_UNSUPPORTED",
        )


READING = (
    *(
        "infertimestamp",
        "primitivesasstring",
        "prefersdecimal",
        "dropfieldifallnull",
        "samplingratio",
        "ignorenullfields",
    ),
    *("linesep", "multiline", "encoding", "charset", "locale"),
)
"""Options of JSON that mean something for files, for schemas or for writing only."""


def check_reading(name: str, options: Options) -> None:
    """The options of the JSON reader. Raises: PlanError."""
    for option in OPTIONS:
        if options.get(option, "true").lower() not in ("true", "false"):
            raise PlanError(f"The option {option!r} of `{name}` must be true or false.", code="INVALID_OPTION_VALUE")
    if options.get("locale", "en-US").replace("_", "-").lower() not in ("en-us", "en"):
        raise unsupported(name, f"the locale {options['locale']!r}; it knows en-US")


def options_const(options: Options) -> Const:
    """The options as an argument that the printed call is made from."""
    return Const(t.StringType(), False, json.dumps(dict(options), sort_keys=True))


def options_in(arg: Typed) -> Options:
    """What `options_const` packed."""
    assert isinstance(arg, Const)
    found: dict[str, str] = json.loads(arg.value)
    return found


def time_test(options: Options, name: str) -> Callable[[str], bool] | None:
    """Whether a constant text is a time by the pattern of an option; None without one. Raises: PlanError."""
    if name not in options:
        return None
    parts = compiled(options[name], True)
    return lambda text: read(parts, text) is not None


def read_time(text: str, kind: t.DataType, options: Options) -> str:
    """SQL of the date or timestamp that a text holds, null where it holds none. Raises: PlanError."""
    zone = "UTC" if options["timezone"] in UTC_NAMES else options["timezone"]
    match kind:
        case t.CalendarIntervalType():
            return f"wt_read_calendar({text})"
        case t.TimeType():
            return read_time_of_day(text, options.get("timeformat"))
        case t.DateType():
            if (pattern := options.get("dateformat")) is not None:
                return f"CAST({read_wall(pattern, text)} AS DATE)"
            return f"TRY_CAST(wt_day({text}) AS DATE)"
        case t.TimestampType():
            if (pattern := options.get("timestampformat")) is not None:
                return read_instant(pattern, text, zone)
            here = f"TRY_CAST(wt_instant_here({text}) AS TIMESTAMPTZ)"
            return here if zone == "UTC" else f"wt_instant_in({text}, {_quoted(zone)})"
    if (pattern := options.get("timestampntzformat")) is not None:
        return read_wall(pattern, text, zoneless=True)
    return f"TRY_CAST(wt_zoneless({text}) AS TIMESTAMP)"


def show_time(function: str, value: str, kind: t.DataType, options: Options) -> str:
    """SQL of the text of a date or timestamp."""
    zone = options["timezone"]
    match kind:
        case t.CalendarIntervalType():
            return f"wt_calendar_text({value})"
        case t.TimeType():
            return show_time_of_day(function, value, options.get("timeformat"))
        case t.DateType():
            pattern = options.get("dateformat")
            return f"wt_date_text({value})" if pattern is None else show_pattern(pattern, value, "UTC")
        case t.TimestampNTZType():
            return show_pattern(options.get("timestampntzformat", _LOCAL), value, "UTC")
    pattern = options.get("timestampformat", _LOCAL + "X" * 3)
    if zone in UTC_NAMES:
        return show_pattern(pattern, f"CAST({value} AS TIMESTAMP)", "UTC")
    wall = f"timezone({_quoted(zone)}, {value})"
    return show_pattern(pattern, wall, zone, f"((epoch_us({wall}) - epoch_us({value})) // 1000000)")


_LOCAL = "yyyy-MM-dd'T'HH:mm:ss.SSS"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
