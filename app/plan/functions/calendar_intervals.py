"""Calendar intervals (`INTERVAL` without fields): made of numbers, taken apart, and added on a wall clock."""

from __future__ import annotations

from collections.abc import Iterable

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Typed
from app.plan.coerce import implicitly_castable
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import (
    INT,
    STRING,
    TIMESTAMP,
    Args,
    Param,
    describe,
    exactly,
    scalar,
    wrong_count,
)

_CALENDAR = t.CalendarIntervalType()
_TEXT = t.StringType()
_SECONDS = t.DecimalType(18, 6)
_COUNTS = 6
_FIELDS: dict[str, tuple[str, t.DataType, str]] = {
    "year": ("year y years yr yrs", t.IntegerType(), "datepart('year', {})"),
    "month": ("month mon mons months", t.ByteType(), "datepart('month', {})"),
    "day": ("day d days", t.IntegerType(), "datepart('day', {})"),
    "hour": ("hour h hours hr hrs", t.ByteType(), "datepart('hour', {}) % 24"),
    "minute": ("minute m min mins minutes", t.ByteType(), "datepart('minute', {})"),
    "second": ("second s sec seconds secs", t.DecimalType(8, 6), "datepart('microsecond', {})"),
}
"""Names, type and SQL of a field, which has the interval's sign."""


def _filled(name: str, _: Binding, args: Args) -> Args:
    if name.startswith("try_") and not args:
        raise wrong_count(name, "[1, 2, 3, 4, 5, 6, 7]", 0)
    zeros = (*[Const(t.IntegerType(), False, 0)] * _COUNTS, Const(_SECONDS, False, 0))
    return (*args, *zeros[len(args) :])


def _maker(name: str) -> Function:
    safe = name.startswith("try_")
    seconds = Param("DECIMAL(18,6)", lambda s: _SECONDS if implicitly_castable(s, _SECONDS) else None)
    return scalar(
        name, (*[INT] * _COUNTS, seconds), _CALENDAR, f"wt_make_interval({{args}}, {str(safe).lower()})",
        optional=_COUNTS + 1, prepare=_filled, nullable=True if safe else None,
    )  # fmt: skip


def calendar_field(field: str, arg: Typed) -> Apply:
    """One field of a calendar interval, with its sign. Raises: PlanError INVALID_EXTRACT_FIELD."""
    for canonical, (names, kind, _) in _FIELDS.items():
        if field in names.split():
            return Apply(kind, arg.nullable, "calendar field", (arg, Const(_TEXT, False, canonical)))
    raise PlanError(
        f'Cannot extract `{field}` from "{describe(arg)}". Use {", ".join(_FIELDS)}.', code="INVALID_EXTRACT_FIELD"
    )


def _print_field(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    field = call.args[1]
    assert isinstance(field, Const)
    _, kind, sql = _FIELDS[field.value]
    part = sql.format(args[0])
    if isinstance(kind, t.DecimalType):
        return f"CAST(CAST({part} AS DECIMAL(18,0)) * CAST('0.000001' AS DECIMAL(6,6)) AS DECIMAL(8,6))"
    return f"CAST({part} AS {'TINYINT' if isinstance(kind, t.ByteType) else 'INTEGER'})"


def refuse_as_key(where: str, kinds: Iterable[t.DataType]) -> None:
    """Returns where no type holds calendar intervals. Spark tells a month from 30 days, DuckDB does not.

    Raises: PlanError UNSUPPORTED_FEATURE."""
    if any(_holds_calendar(kind) for kind in kinds):
        raise PlanError(
            f"{where} over calendar intervals is not supported. Cast them to STRING first.", code="UNSUPPORTED_FEATURE"
        )


def _holds_calendar(kind: t.DataType) -> bool:
    match kind:
        case t.ArrayType(element):
            return _holds_calendar(element)
        case t.MapType(key, value):
            return _holds_calendar(key) or _holds_calendar(value)
        case t.StructType():
            return any(_holds_calendar(f.dataType) for f in kind)
    return isinstance(kind, t.CalendarIntervalType)


def later_on_wall_clock(call: Apply, wall: Typed, zone: str) -> Apply:
    """A timestamp plus or minus a calendar interval where the session's time zone is `zone`."""
    sign = Const(t.IntegerType(), False, -1 if call.function in ("-", "try_subtract") else 1)
    left, right = call.args
    return Apply(
        call.type, call.nullable, "calendar on wall clock", (left, wall, right, sign, Const(_TEXT, False, zone))
    )


FUNCTIONS: tuple[Function, ...] = (
    _maker("make_interval"),
    _maker("try_make_interval"),
    scalar("calendar field", (exactly(_CALENDAR), STRING), t.IntegerType(), _print_field),
    scalar("calendar on wall clock", (TIMESTAMP, exactly(t.TimestampNTZType()), exactly(_CALENDAR), INT, STRING),
           t.TimestampType(), "wt_instant_later({0}, {1}, {2}, {3}, {4})"),
)  # fmt: skip
