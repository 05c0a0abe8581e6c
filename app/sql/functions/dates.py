"""Dates, timestamps and intervals: now, parts, arithmetic, formats, windows of time."""

from __future__ import annotations

from app.sql.column import Column
from app.sql.functions.building import ColumnOrName, call, lit, maybe, unless, value


def curdate() -> Column:
    """The date of the epoch's clock reading."""
    return call("curdate")


def current_date() -> Column:
    """The date of the epoch's clock reading."""
    return call("current_date")


def current_timezone() -> Column:
    """The session's time zone."""
    return call("current_timezone")


def current_timestamp() -> Column:
    """The epoch's clock reading, the same for all its rows and when it is computed again."""
    return call("current_timestamp")


def now() -> Column:
    """The epoch's clock reading, the same for all its rows and when it is computed again."""
    return call("now")


def localtimestamp() -> Column:
    """The epoch's clock reading as a timestamp without zone."""
    return call("localtimestamp")


def date_format(date: ColumnOrName, format: str) -> Column:
    """A date or timestamp as text in a pattern such as `yyyy-MM-dd`."""
    return call("date_format", date, lit(format))


def year(col: ColumnOrName) -> Column:
    """The year."""
    return call("year", col)


def quarter(col: ColumnOrName) -> Column:
    """The quarter, 1 to 4."""
    return call("quarter", col)


def month(col: ColumnOrName) -> Column:
    """The month, 1 to 12."""
    return call("month", col)


def dayofweek(col: ColumnOrName) -> Column:
    """The day of the week, 1 for Sunday to 7 for Saturday."""
    return call("dayofweek", col)


def dayofmonth(col: ColumnOrName) -> Column:
    """The day of the month."""
    return call("dayofmonth", col)


def day(col: ColumnOrName) -> Column:
    """The day of the month."""
    return call("day", col)


def dayofyear(col: ColumnOrName) -> Column:
    """The day of the year."""
    return call("dayofyear", col)


def hour(col: ColumnOrName) -> Column:
    """The hour."""
    return call("hour", col)


def minute(col: ColumnOrName) -> Column:
    """The minute."""
    return call("minute", col)


def second(col: ColumnOrName) -> Column:
    """The second."""
    return call("second", col)


def weekofyear(col: ColumnOrName) -> Column:
    """The ISO week of the year."""
    return call("weekofyear", col)


def weekday(col: ColumnOrName) -> Column:
    """The day of the week, 0 for Monday to 6 for Sunday."""
    return call("weekday", col)


def monthname(col: ColumnOrName) -> Column:
    """The short English name of the month."""
    return call("monthname", col)


def dayname(col: ColumnOrName) -> Column:
    """The short English name of the day."""
    return call("dayname", col)


def extract(field: Column, source: ColumnOrName) -> Column:
    """One part of a date, timestamp or interval; `field` is a literal such as lit('YEAR')."""
    return call("extract", field, source)


def date_part(field: Column, source: ColumnOrName) -> Column:
    """One part of a date, timestamp or interval; `field` is a literal such as lit('YEAR')."""
    return call("date_part", field, source)


def datepart(field: Column, source: ColumnOrName) -> Column:
    """One part of a date, timestamp or interval; `field` is a literal such as lit('YEAR')."""
    return call("datepart", field, source)


def make_date(year: ColumnOrName, month: ColumnOrName, day: ColumnOrName) -> Column:
    """The date of a year, month and day."""
    return call("make_date", year, month, day)


def date_add(start: ColumnOrName, days: ColumnOrName | int) -> Column:
    """The date `days` later."""
    return call("date_add", start, value(days))


def dateadd(start: ColumnOrName, days: ColumnOrName | int) -> Column:
    """The date `days` later."""
    return call("dateadd", start, value(days))


def date_sub(start: ColumnOrName, days: ColumnOrName | int) -> Column:
    """The date `days` earlier."""
    return call("date_sub", start, value(days))


def datediff(end: ColumnOrName, start: ColumnOrName) -> Column:
    """The days from `start` to `end`."""
    return call("datediff", end, start)


def date_diff(end: ColumnOrName, start: ColumnOrName) -> Column:
    """The days from `start` to `end`."""
    return call("date_diff", end, start)


def date_from_unix_date(days: ColumnOrName) -> Column:
    """The date so many days after 1970-01-01."""
    return call("date_from_unix_date", days)


def unix_date(col: ColumnOrName) -> Column:
    """The days since 1970-01-01."""
    return call("unix_date", col)


def unix_micros(col: ColumnOrName) -> Column:
    """The microseconds since 1970-01-01 00:00 UTC."""
    return call("unix_micros", col)


def unix_millis(col: ColumnOrName) -> Column:
    """The milliseconds since 1970-01-01 00:00 UTC."""
    return call("unix_millis", col)


def unix_seconds(col: ColumnOrName) -> Column:
    """The seconds since 1970-01-01 00:00 UTC."""
    return call("unix_seconds", col)


def add_months(start: ColumnOrName, months: ColumnOrName | int) -> Column:
    """The date `months` later, at most the last day of that month."""
    return call("add_months", start, value(months))


def months_between(date1: ColumnOrName, date2: ColumnOrName, roundOff: bool = True) -> Column:
    """The months from `date2` to `date1`, rounded to 8 digits unless `roundOff` is False."""
    return call("months_between", date1, date2, unless(True, roundOff))


def to_date(col: ColumnOrName, format: str | None = None) -> Column:
    """The date of a text, in ISO form or in a pattern."""
    return call("to_date", col, maybe(format))


def try_to_date(col: ColumnOrName, format: str | None = None) -> Column:
    """`to_date`, null for what is no date."""
    return call("try_to_date", col, maybe(format))


def to_timestamp(col: ColumnOrName, format: str | None = None) -> Column:
    """The timestamp of a text, in ISO form or in a pattern."""
    return call("to_timestamp", col, maybe(format))


def try_to_timestamp(col: ColumnOrName, format: ColumnOrName | None = None) -> Column:
    """`to_timestamp`, null for what is no timestamp."""
    return call("try_to_timestamp", col, format)


def trunc(date: ColumnOrName, format: str) -> Column:
    """The first day of the year, quarter, month or week of a date."""
    return call("trunc", date, lit(format))


def date_trunc(format: str, timestamp: ColumnOrName) -> Column:
    """The timestamp cut to a unit such as `hour` or `day`."""
    return call("date_trunc", lit(format), timestamp)


def next_day(date: ColumnOrName, dayOfWeek: str) -> Column:
    """The first date after `date` that is this day of the week."""
    return call("next_day", date, lit(dayOfWeek))


def last_day(date: ColumnOrName) -> Column:
    """The last day of the month."""
    return call("last_day", date)


def from_unixtime(timestamp: ColumnOrName, format: str = "yyyy-MM-dd HH:mm:ss") -> Column:
    """Seconds since 1970-01-01 as text in a pattern."""
    return call("from_unixtime", timestamp, unless("yyyy-MM-dd HH:mm:ss", format))


def unix_timestamp(timestamp: ColumnOrName | None = None, format: str = "yyyy-MM-dd HH:mm:ss") -> Column:
    """The seconds since 1970-01-01 of a text in a pattern, a date or a timestamp; of now without arguments."""
    if timestamp is None:
        return call("unix_timestamp")
    return call("unix_timestamp", timestamp, unless("yyyy-MM-dd HH:mm:ss", format))


def to_unix_timestamp(timestamp: ColumnOrName, format: ColumnOrName | None = None) -> Column:
    """The seconds since 1970-01-01 of a text in a pattern, a date or a timestamp."""
    return call("to_unix_timestamp", timestamp, format)


def from_utc_timestamp(timestamp: ColumnOrName, tz: Column | str) -> Column:
    """A UTC time as the wall clock of a zone shows it."""
    return call("from_utc_timestamp", timestamp, lit(tz))


def to_utc_timestamp(timestamp: ColumnOrName, tz: Column | str) -> Column:
    """The UTC time at which the wall clock of a zone shows this."""
    return call("to_utc_timestamp", timestamp, lit(tz))


def timestamp_seconds(col: ColumnOrName) -> Column:
    """The timestamp so many seconds after 1970-01-01 UTC."""
    return call("timestamp_seconds", col)


def timestamp_millis(col: ColumnOrName) -> Column:
    """The timestamp so many milliseconds after 1970-01-01 UTC."""
    return call("timestamp_millis", col)


def timestamp_micros(col: ColumnOrName) -> Column:
    """The timestamp so many microseconds after 1970-01-01 UTC."""
    return call("timestamp_micros", col)
