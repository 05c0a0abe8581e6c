"""Windows of event time to group by, and timestamps from their parts."""

from __future__ import annotations

from app.errors import ArgumentError, ArgumentTypeError, PlanError
from app.sql.column import Column
from app.sql.functions.building import ColumnOrName, call, lit


def window(
    timeColumn: ColumnOrName,
    windowDuration: str,
    slideDuration: str | None = None,
    startTime: str | None = None,
) -> Column:
    """The windows a time falls into, as a struct of `start` (included) and `end` (not included).

    Durations are texts such as `10 minutes`. Without `slideDuration` windows do not overlap; `startTime` moves their
    starts, which are otherwise multiples of the slide since 1970-01-01 UTC. Raises: ArgumentTypeError.
    """
    for name, given in (("windowDuration", windowDuration), ("slideDuration", slideDuration), ("startTime", startTime)):
        if (given is not None or name == "windowDuration") and (not given or type(given) is not str):
            raise ArgumentTypeError(f"{name} has to be a text such as '10 minutes', not {given!r}.", name=name)
    if startTime is not None:
        return call("window", timeColumn, lit(windowDuration), lit(slideDuration or windowDuration), lit(startTime))
    if slideDuration is not None:
        return call("window", timeColumn, lit(windowDuration), lit(slideDuration))
    return call("window", timeColumn, lit(windowDuration))


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
    """The timestamp of its parts in the session's time zone, or in `timezone`. Raises: ArgumentError, PlanError."""
    if date is not None or time is not None:
        raise PlanError(
            "make_timestamp of date and time is not supported yet: give years, months, days, hours, mins and secs.",
            code="UNSUPPORTED_FEATURE",
        )
    parts = (years, months, days, hours, mins, secs)
    if any(part is None for part in parts):
        raise ArgumentError("make_timestamp() needs years, months, days, hours, mins and secs.", code="WRONG_NUM_ARGS")
    return call("make_timestamp", *parts, timezone)
