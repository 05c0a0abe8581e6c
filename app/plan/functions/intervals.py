"""Intervals and timestamps: made from parts, moved by units, and how many units lie between two."""

from __future__ import annotations

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Typed
from app.plan.coerce import cast, is_interval
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import (
    INT,
    LONG,
    STRING,
    TIMESTAMP,
    Args,
    Param,
    literal_value,
    once,
    one_of,
    scalar,
    wrong_count,
    wrong_type,
)

_TS, _NTZ, _TEXT = t.TimestampType(), t.TimestampNTZType(), t.StringType()
_SECONDS = t.DecimalType(18, 6)
_MADE_SECONDS = Param("DECIMAL(16,6)", lambda s: t.DecimalType(16, 6))
_Times = t.DateType | t.TimestampType | t.TimestampNTZType
_WALL = Param("TIMESTAMP_NTZ", lambda s: _NTZ if isinstance(s, t.StringType | t.NullType | _Times) else None)
_SPANS = {
    "MICROSECOND": 1, "MILLISECOND": 1000, "SECOND": 1_000_000, "MINUTE": 60_000_000, "HOUR": 3_600_000_000,
    "DAY": 86_400_000_000, "DAYOFYEAR": 86_400_000_000, "WEEK": 604_800_000_000,
}  # fmt: skip
_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
_DAY_FIELDS = {
    "day": (("day", "d", "days"), t.IntegerType(), 86_400_000_000, 0),
    "hour": (("hour", "h", "hours", "hr", "hrs"), t.ByteType(), 3_600_000_000, 24),
    "minute": (("minute", "m", "min", "mins", "minutes"), t.ByteType(), 60_000_000, 60),
    "second": (("second", "s", "sec", "seconds", "secs"), t.DecimalType(8, 6), 1, 60_000_000),
}
_YEAR_FIELDS = {
    "year": (("year", "y", "years", "yr", "yrs"), t.IntegerType(), 12, 0),
    "month": (("month", "mon", "mons", "months"), t.ByteType(), 1, 12),
}


def _unit(name: str, arg: Typed) -> str:
    unit = str(literal_value(name, 0, arg)).upper()
    if unit not in _SPANS and unit not in _MONTHS:
        raise PlanError(
            f"The `{name}` expects one of the units {', '.join((*_MONTHS, *_SPANS))}, not {unit}.",
            code="INVALID_PARAMETER_VALUE.DATETIME_UNIT",
        )
    return unit


def _bind_add(binding: Binding, args: Args) -> Apply:
    """`timestampadd` is `+` of an interval; but hours and less are added to the instant, where an interval of as many
    would move days on the wall clock."""
    from app.plan.functions import lookup

    if len(args) != 3:
        raise wrong_count("timestampadd", "3", len(args))
    unit = _unit("timestampadd", args[0])
    time = (
        args[2] if isinstance(args[2].type, t.TimestampNTZType) else _converted("timestampadd", 2, args[2], TIMESTAMP)
    )
    count = _converted("timestampadd", 1, args[1], LONG)
    kind: t.DataType = t.DayTimeIntervalType() if unit in _SPANS else t.YearMonthIntervalType()
    size = Const(t.LongType(), False, _SPANS.get(unit) or _MONTHS[unit])
    if isinstance(time.type, t.TimestampType) and _SPANS.get(unit, _SPANS["DAY"]) < _SPANS["DAY"]:
        return Apply(_TS, count.nullable or time.nullable, "units later", (count, size, time))
    moved = lookup("+").bind(binding, (time, Apply(kind, count.nullable, "units", (count, size, time))))
    assert isinstance(moved, Apply)
    return moved


def _converted(name: str, at: int, arg: Typed, param: Param) -> Typed:
    kind = param.accept(arg.type)
    if kind is None:
        raise wrong_type(name, at, param.wants, arg)
    return cast(arg, kind)


def _print_units(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    if isinstance(call.type, t.YearMonthIntervalType):
        return f"wt_months_more({args[0]}, {args[1]})"
    return f"wt_interval(wt_us_more({args[0]}, {args[1]}, epoch_us({args[2]})))"


def _print_later(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    later = f"make_timestamptz(epoch_us(moment) + wt_us_more({args[0]}, {args[1]}, epoch_us(moment)))"
    return once(args[2], "moment", later)


def _known_unit(name: str, _: Binding, args: Args) -> Args:
    return (Const(_TEXT, False, _unit(name, args[0])), *args[1:])


def _print_diff(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    unit = call.args[0]
    assert isinstance(unit, Const)
    walls = [f"CAST({arg} AS TIMESTAMP)" for arg in args[1:]]
    if unit.value in _SPANS:
        return f"((epoch_us({walls[1]}) - epoch_us({walls[0]})) // {_SPANS[unit.value]})"
    return f"CAST(wt_whole_months({walls[0]}, {walls[1]}) // {_MONTHS[unit.value]} AS BIGINT)"


def _holds(kind: t.DataType, field: str) -> bool:
    """Whether an interval type has that field: INTERVAL MONTH has no years."""
    assert isinstance(kind, t.DayTimeIntervalType | t.YearMonthIntervalType)
    names = list(_YEAR_FIELDS if isinstance(kind, t.YearMonthIntervalType) else _DAY_FIELDS)
    return kind.startField <= names.index(field) <= kind.endField


def interval_field(name: str, field: str, arg: Typed) -> Apply:
    """One field of an interval, with its sign. Raises: PlanError INVALID_EXTRACT_FIELD."""
    fields = _YEAR_FIELDS if isinstance(arg.type, t.YearMonthIntervalType) else _DAY_FIELDS
    for canonical, (names, kind, unit, limit) in fields.items():
        if field in names and is_interval(arg.type) and _holds(arg.type, canonical):
            span = Const(t.LongType(), False, unit), Const(t.LongType(), False, limit)
            return Apply(kind, arg.nullable, "interval field", (arg, *span))
    has = [canonical for canonical in fields if not is_interval(arg.type) or _holds(arg.type, canonical)]
    raise PlanError(
        f'Cannot extract `{field}` from an interval "{arg.type.sql()}" with `{name}`. Use {", ".join(has)}.',
        code="INVALID_EXTRACT_FIELD",
    )


def _print_interval_field(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    _, unit, limit = (getattr(arg, "value", None) for arg in call.args)
    whole = args[0] if isinstance(call.args[0].type, t.YearMonthIntervalType) else f"epoch_us({args[0]})"
    part = f"({whole} // {unit})" if not limit else f"({whole} // {unit} % {limit})"
    if isinstance(call.type, t.DecimalType):
        return f"CAST(CAST({part} AS DECIMAL(18,0)) * CAST('0.000001' AS DECIMAL(6,6)) AS DECIMAL(8,6))"
    return f"CAST({part} AS {'TINYINT' if isinstance(call.type, t.ByteType) else 'INTEGER'})"


def _filled(name: str, _: Binding, args: Args) -> Args:
    kinds: list[t.DataType] = [t.IntegerType()] * (2 if name == "make_ym_interval" else 3)
    kinds += [_SECONDS] if name == "make_dt_interval" else []
    missing = tuple(Const(kind, False, 0) for kind in kinds[len(args) :])
    return (*args, *missing)


def _maker(name: str, result: t.DataType, *, zone: bool) -> Function:
    safe = name.startswith("try_")

    def show(call: Apply | AggCall, args: tuple[str, ...]) -> str:
        made = f"wt_{'try_' if safe else ''}make_timestamp({', '.join(args[:6])})"
        if len(args) > 6:
            return f"CASE WHEN {args[6]} IS NOT NULL THEN wt_in_zone({made}, {args[6]}) END"
        return made if isinstance(call.type, t.TimestampNTZType) else f"CAST({made} AS TIMESTAMPTZ)"

    params = (INT, INT, INT, INT, INT, _MADE_SECONDS, *((STRING,) if zone else ()))
    return scalar(name, params, result, show, optional=int(zone), nullable=True if safe else None)


def _with_session_zone(_: str, binding: Binding, args: Args) -> Args:
    """Source zone, target zone and wall clock."""
    if len(args) == 2:
        return (Const(_TEXT, False, binding.time_zone), *args)
    return args


def _bind_convert(binding: Binding, args: Args) -> Apply:
    if len(args) not in (2, 3):
        raise wrong_count("convert_timezone", "[2, 3]", len(args))
    full = _with_session_zone("convert_timezone", binding, args)
    zones = tuple(_converted("convert_timezone", i, arg, STRING) for i, arg in enumerate(full[:2]))
    wall = _converted("convert_timezone", len(args) - 1, full[2], _WALL)
    return Apply(_NTZ, any(a.nullable for a in (*zones, wall)), "convert_timezone", (*zones, wall))


FUNCTIONS: tuple[Function, ...] = (
    _maker("make_timestamp", _TS, zone=True),
    _maker("try_make_timestamp", _TS, zone=True),
    _maker("make_timestamp_ltz", _TS, zone=True),
    _maker("try_make_timestamp_ltz", _TS, zone=True),
    _maker("make_timestamp_ntz", _NTZ, zone=False),
    _maker("try_make_timestamp_ntz", _NTZ, zone=False),
    scalar("make_dt_interval", (INT, INT, INT, Param("DECIMAL(18,6)", lambda s: _SECONDS)), t.DayTimeIntervalType(),
           "wt_make_dt_interval({0}, {1}, {2}, {3})", optional=4, prepare=_filled),
    scalar("make_ym_interval", (INT, INT), t.YearMonthIntervalType(), "wt_make_ym_interval({0}, {1})", optional=2,
           prepare=_filled),
    Function("timestampadd", "scalar", _bind_add, lambda call, args: args[0]),
    scalar("timestampdiff", (STRING, one_of(t.TimestampNTZType, t.TimestampType, default=_TS), TIMESTAMP),
           t.LongType(), _print_diff, prepare=_known_unit),
    scalar("units", (LONG, LONG), t.DayTimeIntervalType(), _print_units),
    scalar("units later", (LONG, LONG, TIMESTAMP), _TS, _print_later),
    scalar("interval field", (Param("INTERVAL", lambda s: s), LONG, LONG), t.IntegerType(), _print_interval_field),
    Function("convert_timezone", "scalar", _bind_convert,
             lambda call, args: f"wt_wall_in(wt_in_zone({args[2]}, {args[0]}), {args[1]})"),
)  # fmt: skip
