"""Times of day and the kinds of intervals; `plan/types.py` has them with all other types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from app.plan.base_type import AtomicType, DataType

_DAY_FIELDS = ("day", "hour", "minute", "second")
_YEAR_FIELDS = ("year", "month")


@dataclass(frozen=True, repr=False)
class DayTimeIntervalType(AtomicType):
    """A span of microseconds; fields 0 day, 1 hour, 2 minute, 3 second."""

    DAY: ClassVar[int] = 0
    HOUR: ClassVar[int] = 1
    MINUTE: ClassVar[int] = 2
    SECOND: ClassVar[int] = 3
    startField: int = 0
    endField: int = 3
    _name = "daytimeinterval"

    def simpleString(self) -> str:
        start, end = _DAY_FIELDS[self.startField], _DAY_FIELDS[self.endField]
        return f"interval {start}" if start == end else f"interval {start} to {end}"

    def jsonValue(self) -> Any:
        return self.simpleString()

    def __repr__(self) -> str:
        return f"DayTimeIntervalType({self.startField},{self.endField})"


@dataclass(frozen=True, repr=False)
class YearMonthIntervalType(AtomicType):
    """A span of months; fields 0 year, 1 month."""

    YEAR: ClassVar[int] = 0
    MONTH: ClassVar[int] = 1
    startField: int = 0
    endField: int = 1
    _name = "yearmonthinterval"

    def simpleString(self) -> str:
        start, end = _YEAR_FIELDS[self.startField], _YEAR_FIELDS[self.endField]
        return f"interval {start}" if start == end else f"interval {start} to {end}"

    def jsonValue(self) -> Any:
        return self.simpleString()

    def __repr__(self) -> str:
        return f"YearMonthIntervalType({self.startField},{self.endField})"


@dataclass(frozen=True, repr=False)
class CalendarIntervalType(DataType):
    """A span of months, days and microseconds, none of which is a fixed number of another. It has no order."""

    _name = "interval"


@dataclass(frozen=True, repr=False)
class TimeType(AtomicType):
    """A time of day without a zone; `precision` digits of a second (0 to 6) are shown to be meant."""

    precision: int = 6
    _name = "time"

    def simpleString(self) -> str:
        return f"time({self.precision})"

    def jsonValue(self) -> Any:
        return self.simpleString()

    def __repr__(self) -> str:
        return f"TimeType({self.precision})"
