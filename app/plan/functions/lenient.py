"""What some functions are without ANSI rules, which have no try_ form: null, or the greatest number, for an error."""

from __future__ import annotations

from app.plan import types as t
from app.plan.functions.entry import Function
from app.plan.functions.signature import DATE, INT, STRING, scalar
from app.plan.functions.statistics import CORR_OR_NULL

_TEXT = t.StringType()
_DATE = t.DateType()
_DAYS = "MO TU WE TH FR SA SU MON TUE WED THU FRI SAT SUN MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY SUNDAY"
_KNOWN = ", ".join(f"'{day}'" for day in _DAYS.split())

FUNCTIONS: tuple[Function, ...] = (
    scalar("make_date or null", (INT, INT, INT), _DATE, "wt_date_of({0}, {1}, {2})", nullable=True),
    scalar("next_day or null", (DATE, STRING), _DATE,
           f"CASE WHEN upper(trim({{1}})) IN ({_KNOWN}) THEN wt_next_day({{0}}, {{1}}) END", nullable=True),
    scalar("conv or most", (STRING, INT, INT), _TEXT, "wa_conv({0}, {1}, {2}, true)", nullable=True),
)  # fmt: skip
LENIENT = {
    "make_date": "make_date or null", "next_day": "next_day or null", "conv": "conv or most", "corr": CORR_OR_NULL,
}  # fmt: skip
