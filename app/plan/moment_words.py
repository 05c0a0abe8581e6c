"""`today`, `now` and the like: what constant texts mean that are cast to dates and times."""

from __future__ import annotations

import re

from app.plan import types as t
from app.plan.bound import Apply, Const, Convert, Typed
from app.plan.regions import region

_DAYS = {"today": 0, "now": 0, "yesterday": -1, "tomorrow": 1}
_WORD = re.compile(r"\s*(epoch|now|today|tomorrow|yesterday)[ \t]*(.*?)\s*", re.IGNORECASE | re.DOTALL)
_MOMENTS = (t.DateType, t.TimestampType, t.TimestampNTZType)


def moment_of_word(typed: Typed, to: t.DataType) -> Typed | None:
    """What a constant text means as a date or a time if it is one of the words; a time zone behind it has to be one,
    and means nothing, as in Spark. None for all else."""
    if not (isinstance(typed, Const) and isinstance(typed.type, t.StringType) and isinstance(to, _MOMENTS)):
        return None
    found = _WORD.fullmatch(str(typed.value))
    if found is None or not _is_zone(found[2], found[1]):
        return None
    word = found[1].lower()
    if word == "epoch":
        return Const(to, True, 0)
    if word == "now" and not isinstance(to, t.DateType):
        return Apply(to, True, "current_timestamp" if to == t.TimestampType() else "localtimestamp", ())
    day: Typed = Apply(t.DateType(), True, "current_date", ())
    if _DAYS[word]:
        day = Apply(t.DateType(), True, "date_add", (day, Const(t.IntegerType(), False, _DAYS[word])))
    return day if isinstance(to, t.DateType) else Convert(to, True, day)


def _is_zone(name: str, word: str) -> bool:
    if not name:
        return True
    try:
        region(name)
    except ValueError:
        return False
    return word.lower() != "now"
