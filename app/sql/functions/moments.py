"""Timestamps and intervals from their parts, in other zones, and moved by units."""

from __future__ import annotations

from app.errors import ArgumentError
from app.sql.column import Column
from app.sql.functions.building import ColumnOrName, call, lit


def make_timestamp(
    years: ColumnOrName | None = None,
    months: ColumnOrName | None = None,
    days: ColumnOrName | None = None,
    hours: ColumnOrName | None = None,
    mins: ColumnOrName | None = None,
    secs: ColumnOrName | None = None,
    timezone: ColumnOrName | None = None,
    date: ColumnOrName | None = None,
    time: ColumnOrName | None = None,
) -> Column:
    """The timestamp of its parts in the session's time zone, or in `timezone`. Raises: ArgumentError."""
    return call(
        "make_timestamp", *_parts("make_timestamp", years, months, days, hours, mins, secs, date, time), timezone
    )


def try_make_timestamp(
    years: ColumnOrName | None = None,
    months: ColumnOrName | None = None,
    days: ColumnOrName | None = None,
    hours: ColumnOrName | None = None,
    mins: ColumnOrName | None = None,
    secs: ColumnOrName | None = None,
    timezone: ColumnOrName | None = None,
    date: ColumnOrName | None = None,
    time: ColumnOrName | None = None,
) -> Column:
    """`make_timestamp`, null where the parts are no timestamp. Raises: ArgumentError."""
    parts = _parts("try_make_timestamp", years, months, days, hours, mins, secs, date, time)
    return call("try_make_timestamp", *parts, timezone)


def make_timestamp_ltz(
    years: ColumnOrName,
    months: ColumnOrName,
    days: ColumnOrName,
    hours: ColumnOrName,
    mins: ColumnOrName,
    secs: ColumnOrName,
    timezone: ColumnOrName | None = None,
) -> Column:
    """The timestamp of its parts in the session's time zone, or in `timezone`."""
    return call("make_timestamp_ltz", years, months, days, hours, mins, secs, timezone)


def try_make_timestamp_ltz(
    years: ColumnOrName,
    months: ColumnOrName,
    days: ColumnOrName,
    hours: ColumnOrName,
    mins: ColumnOrName,
    secs: ColumnOrName,
    timezone: ColumnOrName | None = None,
) -> Column:
    """`make_timestamp_ltz`, null where the parts are no timestamp."""
    return call("try_make_timestamp_ltz", years, months, days, hours, mins, secs, timezone)


def make_timestamp_ntz(
    years: ColumnOrName | None = None,
    months: ColumnOrName | None = None,
    days: ColumnOrName | None = None,
    hours: ColumnOrName | None = None,
    mins: ColumnOrName | None = None,
    secs: ColumnOrName | None = None,
    date: ColumnOrName | None = None,
    time: ColumnOrName | None = None,
) -> Column:
    """The timestamp without zone of its parts. Raises: ArgumentError."""
    parts = _parts("make_timestamp_ntz", years, months, days, hours, mins, secs, date, time)
    return call("make_timestamp_ntz", *parts)


def try_make_timestamp_ntz(
    years: ColumnOrName | None = None,
    months: ColumnOrName | None = None,
    days: ColumnOrName | None = None,
    hours: ColumnOrName | None = None,
    mins: ColumnOrName | None = None,
    secs: ColumnOrName | None = None,
    date: ColumnOrName | None = None,
    time: ColumnOrName | None = None,
) -> Column:
    """`make_timestamp_ntz`, null where the parts are no timestamp. Raises: ArgumentError."""
    parts = _parts("try_make_timestamp_ntz", years, months, days, hours, mins, secs, date, time)
    return call("try_make_timestamp_ntz", *parts)


def _parts(name: str, *given: ColumnOrName | None) -> tuple[ColumnOrName | None, ...]:
    """The six parts, or a date and a time. Raises: ArgumentError."""
    *parts, date, time = given
    wanted = parts if parts[0] is not None else [date, time]
    if any(part is not None for part in ([date, time] if wanted is parts else parts)):
        raise ArgumentError(
            f"{name}() takes years, months, days, hours, mins and secs, or date and time.", code="CANNOT_SET_TOGETHER"
        )
    if any(part is None for part in wanted):
        raise ArgumentError(
            f"{name}() needs all of years, months, days, hours, mins and secs, or date and time.", code="WRONG_NUM_ARGS"
        )
    return tuple(wanted)


def make_dt_interval(
    days: ColumnOrName | None = None,
    hours: ColumnOrName | None = None,
    mins: ColumnOrName | None = None,
    secs: ColumnOrName | None = None,
) -> Column:
    """The day-time interval of its parts; what is not given is 0."""
    return call("make_dt_interval", *(lit(0) if part is None else part for part in (days, hours, mins, secs)))


def make_ym_interval(years: ColumnOrName | None = None, months: ColumnOrName | None = None) -> Column:
    """The year-month interval of its parts; what is not given is 0."""
    return call("make_ym_interval", *(lit(0) if part is None else part for part in (years, months)))


def timestamp_add(unit: str, quantity: ColumnOrName, ts: ColumnOrName) -> Column:
    """The timestamp so many units such as `HOUR` later."""
    return call("timestampadd", lit(unit), quantity, ts)


def timestamp_diff(unit: str, start: ColumnOrName, end: ColumnOrName) -> Column:
    """The whole units such as `HOUR` from `start` to `end`."""
    return call("timestampdiff", lit(unit), start, end)


def convert_timezone(sourceTz: Column | None, targetTz: Column, sourceTs: ColumnOrName) -> Column:
    """A wall clock time of one zone, by default the session's, as the wall clock of another shows it."""
    zones = (targetTz,) if sourceTz is None else (sourceTz, targetTz)
    return call("convert_timezone", *zones, sourceTs)


def to_timestamp_ltz(timestamp: ColumnOrName, format: ColumnOrName | None = None) -> Column:
    """The timestamp of a text, in ISO form or in a pattern."""
    return call("to_timestamp_ltz", timestamp, format)


def to_timestamp_ntz(timestamp: ColumnOrName, format: ColumnOrName | None = None) -> Column:
    """The timestamp without zone of a text, in ISO form or in a pattern."""
    return call("to_timestamp_ntz", timestamp, format)
