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


def session_window(timeColumn: ColumnOrName, gapDuration: Column | str) -> Column:
    """The session a time falls into: times that are nearer than `gapDuration` belong together. Raises:
    ArgumentTypeError."""
    if not isinstance(gapDuration, Column | str):
        raise ArgumentTypeError(
            f"gapDuration has to be a text such as '10 minutes' or a Column, not {gapDuration!r}.", name="gapDuration"
        )
    return call("session_window", timeColumn, lit(gapDuration))


def window_time(windowColumn: ColumnOrName) -> Column:
    """The last microsecond of a window, as the event time of what was aggregated in it."""
    return call("window_time", windowColumn)
