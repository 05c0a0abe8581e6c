"""Calls that are short for others, and have names of their own in results all the same."""

from __future__ import annotations

import re
from decimal import Decimal

from app.plan.expressions import Call, Cast, Expr, Literal
from app.plan.types import DateType, DecimalType, IntegerType, TimestampNTZType, TimestampType

_EACH = {
    f"{sign}{name}{quantor}": (sign, name, "or" if quantor == "any" else "and")
    for sign in ("", "not")
    for name in ("like", "ilike")
    for quantor in ("any", "all")
}

_MOMENTS = frozenset(f"{safe}make_timestamp{kind}" for safe in ("", "try_") for kind in ("", "_ltz", "_ntz"))
_CLOCK = re.compile(r"(?P<hour>\d{1,2}):(?P<minute>\d{1,2})(?::(?P<second>\d{1,2}(?:\.\d{1,6})?))?")
_SHIFTS = {"<<": "shiftleft", ">>": "shiftright", ">>>": "shiftrightunsigned"}


def desugared(call: Call) -> Expr | None:
    """What a call is short for; None where it is itself."""
    name, args = call.name.lower(), call.args
    if name == "between" and len(args) == 3:
        value, low, high = args
        return Call("and", (Call(">=", (value, low)), Call("<=", (value, high))))
    if name in _MOMENTS and len(args) < 4:
        return _moment(name, args)
    if name in _SHIFTS and len(args) == 2:
        return Call(_SHIFTS[name], args)
    if name in _EACH and len(args) > 1:
        sign, one, joined = _EACH[name]
        found: Expr | None = None
        for pattern in args[1:]:
            each: Expr = Call(one, (args[0], pattern))
            each = Call("not", (each,)) if sign else each
            found = each if found is None else Call(joined, (found, each))
        return found
    return None


def _moment(name: str, args: tuple[Expr, ...]) -> Expr | None:
    """`make_timestamp(date, TIME'…', zone)` by its parts; a date alone is its midnight."""
    if not args:
        return None
    day = Cast(args[0], DateType())
    if len(args) == 1:
        return Cast(day, TimestampNTZType() if name.endswith("_ntz") else TimestampType())
    match args[1]:
        case Call("time", (Literal(str() as text, _),)) if clock := _CLOCK.fullmatch(text.strip()):
            numbers = [Literal(int(part), IntegerType()) for part in clock.group("hour", "minute")]
            second = Decimal(clock["second"] or "0").quantize(Decimal("0.000001"))
            parts = (*(Call(part, (day,)) for part in ("year", "month", "day")), *numbers)
            return Call(name, (*parts, Literal(second, DecimalType(16, 6)), *args[2:]))
    return None
