"""Times of day, calendar intervals and buckets of time."""

from __future__ import annotations

from decimal import Decimal

from app.sql.column import Column
from app.sql.functions.building import ColumnOrName, call, lit


def current_time(precision: int | None = None) -> Column:
    """The time of day in the session's zone, with so many digits of a second (0 to 6, by default 6)."""
    return call("current_time") if precision is None else call("current_time", lit(precision))


def make_time(hour: ColumnOrName, minute: ColumnOrName, second: ColumnOrName) -> Column:
    """The time of day of its parts; the second may have a fraction."""
    return call("make_time", hour, minute, second)


def to_time(str: ColumnOrName, format: ColumnOrName | None = None) -> Column:
    """The time of day a text holds, by a pattern if one is given; other text is an error."""
    return call("to_time", str, format)


def try_to_time(str: ColumnOrName, format: ColumnOrName | None = None) -> Column:
    """`to_time`, null for text that is none."""
    return call("try_to_time", str, format)


def time_diff(unit: ColumnOrName, start: ColumnOrName, end: ColumnOrName) -> Column:
    """The whole units such as `HOUR` from one time of day to another."""
    return call("time_diff", unit, start, end)


def time_trunc(unit: ColumnOrName, time: ColumnOrName) -> Column:
    """The time of day without what is smaller than a unit such as `HOUR`."""
    return call("time_trunc", unit, time)


def time_from_seconds(col: ColumnOrName) -> Column:
    """The time of day so many seconds after midnight."""
    return call("time_from_seconds", col)


def time_from_millis(col: ColumnOrName) -> Column:
    """The time of day so many milliseconds after midnight."""
    return call("time_from_millis", col)


def time_from_micros(col: ColumnOrName) -> Column:
    """The time of day so many microseconds after midnight."""
    return call("time_from_micros", col)


def time_to_seconds(col: ColumnOrName) -> Column:
    """The seconds since midnight, as a decimal with the fraction."""
    return call("time_to_seconds", col)


def time_to_millis(col: ColumnOrName) -> Column:
    """The whole milliseconds since midnight."""
    return call("time_to_millis", col)


def time_to_micros(col: ColumnOrName) -> Column:
    """The microseconds since midnight."""
    return call("time_to_micros", col)


def time_bucket(bucket_size: Column, ts: ColumnOrName, origin: Column | None = None) -> Column:
    """The start of the bucket of that length a time falls into; buckets are counted from `origin`, by default 1970."""
    return call("time_bucket", bucket_size, ts, origin)


def make_interval(
    years: ColumnOrName | None = None,
    months: ColumnOrName | None = None,
    weeks: ColumnOrName | None = None,
    days: ColumnOrName | None = None,
    hours: ColumnOrName | None = None,
    mins: ColumnOrName | None = None,
    secs: ColumnOrName | None = None,
) -> Column:
    """The calendar interval of its parts; what is not given is 0."""
    return call("make_interval", *_parts((years, months, weeks, days, hours, mins), secs))


def try_make_interval(
    years: ColumnOrName | None = None,
    months: ColumnOrName | None = None,
    weeks: ColumnOrName | None = None,
    days: ColumnOrName | None = None,
    hours: ColumnOrName | None = None,
    mins: ColumnOrName | None = None,
    secs: ColumnOrName | None = None,
) -> Column:
    """`make_interval`, null where the interval would be too long."""
    return call("try_make_interval", *_parts((years, months, weeks, days, hours, mins), secs))


def _parts(counts: tuple[ColumnOrName | None, ...], seconds: ColumnOrName | None) -> tuple[ColumnOrName, ...]:
    whole = tuple(lit(0) if count is None else count for count in counts)
    return (*whole, lit(Decimal(0)) if seconds is None else seconds)
