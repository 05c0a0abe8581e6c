"""Windows of event time to group by."""

from __future__ import annotations

from app.errors import ArgumentTypeError
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


def window_time(windowColumn: ColumnOrName) -> Column:
    """The last moment of a window: the event time that an aggregation by window hands on."""
    return call("window_time", windowColumn)


def session_window(timeColumn: ColumnOrName, gapDuration: Column | str) -> Column:
    """The session a time belongs to: a struct of `start` and `end`, closed after a gap. Raises: ArgumentTypeError."""
    if not isinstance(gapDuration, (Column, str)) or (isinstance(gapDuration, str) and not gapDuration):
        raise ArgumentTypeError(f"gapDuration has to be a text such as '5 minutes' or a Column, not {gapDuration!r}.")
    return call("session_window", timeColumn, lit(gapDuration))
