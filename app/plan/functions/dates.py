"""Dates and timestamps: now, parts, moving about. Reading and printing them is in `date_texts.py`.

A timestamp's calendar is that of the connection's time zone.
"""

from __future__ import annotations

from dataclasses import replace

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const
from app.plan.coerce import cast, is_interval
from app.plan.functions.calendar_intervals import calendar_field
from app.plan.functions.entry import Binding, Function
from app.plan.functions.intervals import interval_field
from app.plan.functions.signature import (
    DATE,
    INT,
    INTEGRAL,
    NUMERIC,
    STRING,
    TIMESTAMP,
    Args,
    Param,
    literal_value,
    one_of,
    only,
    scalar,
)
from app.plan.functions.times_of_day import time_field

_INT = t.IntegerType()
_LONG = t.LongType()
_DATE = t.DateType()
_TIMESTAMP = t.TimestampType()
_STRING = t.StringType()
_NTZ = t.TimestampNTZType()
_WHEN = one_of(t.DateType, t.TimestampType, t.TimestampNTZType, default=_TIMESTAMP, wants="TIMESTAMP")
_DATED = one_of(t.DateType, t.TimestampType, t.TimestampNTZType, default=_DATE)
_CLOCK = one_of(t.DateType, t.TimestampType, t.TimestampNTZType, t.TimeType, default=_TIMESTAMP, wants="TIMESTAMP")
_INSTANT = only(t.TimestampType, wants="TIMESTAMP")
_DAY = one_of(t.DateType, default=_DATE)
_DAYS = Param(
    'INT" or "SMALLINT" or "TINYINT',
    lambda s: _INT if isinstance(s, t.ByteType | t.ShortType | t.IntegerType | t.NullType | t.StringType) else None,
)

_PARTS = {
    "quarter": "quarter", "month": "month", "dayofyear": "dayofyear", "weekofyear": "week",
}  # fmt: skip
_FIELDS = {
    "year": ("year", "y", "years", "yr", "yrs"), "quarter": ("quarter", "qtr"),
    "month": ("month", "mon", "mons", "months"),
    "weekofyear": ("week", "w", "weeks"), "day": ("day", "d", "days"), "dayofyear": ("doy",),
    "hour": ("hour", "h", "hours", "hr", "hrs"), "minute": ("minute", "m", "min", "mins", "minutes"),
    "dayofweek": ("dow", "dayofweek"), "dayofweek_iso": ("dow_iso", "dayofweek_iso"), "yearofweek": ("yearofweek",),
    "second": ("second", "s", "sec", "seconds", "secs"),
}  # fmt: skip


def _part(name: str, sql: str, *aliases: str, of: Param = _DATED) -> Function:
    return scalar(name, (of,), _INT, f"CAST({sql} AS INTEGER)", aliases=aliases, nullable=_nullable)


def _nullable(args: Args) -> bool:
    return args[0].nullable or isinstance(args[0].type, t.TimeType)


def _now(sql: str) -> str:
    return sql.replace("now", "CAST(getvariable('epoch_us') AS BIGINT)")


def _field(name: str, _: Binding, args: Args) -> Args:
    field = str(literal_value(name, 0, args[0])).lower()
    if not any(field in names for names in _FIELDS.values()):
        raise PlanError(
            f"Cannot extract the field `{field}` with `{name}`. Use year, quarter, month, week, day, dow, doy, hour, "
            "minute or second.",
            code="INVALID_EXTRACT_FIELD",
        )
    return args


def _field_of(args: Args) -> str:
    field = str(args[0].value).lower()  # type: ignore[attr-defined]
    return next(canonical for canonical, names in _FIELDS.items() if field in names)


def _field_type(args: Args) -> t.DataType:
    return t.DecimalType(8, 6) if _field_of(args) == "second" else _INT


def _print_field(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    field = _field_of(call.args)
    if field == "second":
        return f"CAST(CAST(microsecond({args[1]}) AS DECIMAL(18,0)) * CAST('0.000001' AS DECIMAL(6,6)) AS DECIMAL(8,6))"
    if field == "year":
        return _print_year(call, args)
    sql = {
        "dayofweek": "(dayofweek({}) + 1)",
        "dayofweek_iso": "isodow({})",
        "yearofweek": "isoyear({})",
        "weekofyear": "week({})",
    }.get(field, field + "({})")
    return f"CAST({sql.format(args[1])} AS INTEGER)"


def _print_year(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    """DuckDB counts the years before the first backwards where a timestamp has a zone."""
    when = f"CAST({args[-1]} AS TIMESTAMP)" if isinstance(call.args[-1].type, t.TimestampType) else args[-1]
    return f"CAST(year({when}) AS INTEGER)"


def _print_months_between(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    rounded = args[2] if len(args) > 2 else "true"
    return f"wt_months_between(CAST({args[0]} AS TIMESTAMP), CAST({args[1]} AS TIMESTAMP), {rounded})"


def _print_seconds(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    kind = call.args[0].type
    if isinstance(kind, t.IntegralType):
        return f"make_timestamptz(CAST({args[0]} AS BIGINT) * 1000000)"
    if isinstance(kind, t.DecimalType):
        exact = f"wt_unrounded(CAST({args[0]} AS DECIMAL(38,{kind.scale})) * 1000000, 'timestamp_seconds')"
        return f"make_timestamptz(CAST({exact} AS BIGINT))"
    finite = f"CASE WHEN isfinite({args[0]}) THEN CAST({args[0]} AS DOUBLE) END"
    return f"make_timestamptz(CAST(trunc({finite} * 1000000) AS BIGINT))"


def _seconds_nullable(args: Args) -> bool:
    """What is no number, or infinite, is null."""
    return args[0].nullable or isinstance(args[0].type, t.FloatType | t.DoubleType)


def _bind_zone(binding: Binding, args: Args) -> Apply:
    """The session time zone under the name that it was given."""
    _ZONE.bind(binding, args)
    name = binding.conf.get("spark.sql.session.timeZone", binding.time_zone)
    return Apply(_STRING, False, "current_timezone", (Const(_STRING, False, name),))


_ZONE = scalar("current_timezone", (), _STRING, "CAST({0} AS VARCHAR)", nullable=False)


_PART = scalar("date_part", (STRING, _WHEN), _field_type, _print_field, prepare=_field, aliases=("extract", "datepart"))


def _bind_part(binding: Binding, args: Args) -> Apply:
    if len(args) == 2 and is_interval(args[1].type):
        return interval_field("date_part", str(literal_value("date_part", 0, args[0])).lower(), args[1])
    if len(args) == 2 and isinstance(args[1].type, t.CalendarIntervalType):
        return calendar_field(str(literal_value("date_part", 0, args[0])).lower(), args[1])
    if len(args) == 2 and isinstance(args[1].type, t.TimeType):
        _field("date_part", binding, args)
        return time_field(_field_of(args), args[1])
    if len(args) == 2 and isinstance(args[1].type, t.StringType):
        _field("date_part", binding, args)
        if _field_of(args) not in ("hour", "minute", "second"):
            args = (args[0], cast(args[1], _DATE))
    bound = _PART.bind(binding, args)
    assert isinstance(bound, Apply)
    return bound


FUNCTIONS: tuple[Function, ...] = (
    scalar("current_timestamp", (), _TIMESTAMP, _now("make_timestamptz(now)"), nullable=False, aliases=("now",)),
    scalar("current_date", (), _DATE, _now("CAST(make_timestamptz(now) AS DATE)"), nullable=False,
           aliases=("curdate",)),
    scalar("localtimestamp", (), _NTZ, _now("CAST(make_timestamptz(now) AS TIMESTAMP)"), nullable=False),
    replace(_ZONE, bind=_bind_zone),
    scalar("year", (_DATED,), _INT, _print_year, nullable=_nullable),
    *(_part(name, f"{sql}({{0}})") for name, sql in _PARTS.items()),
    _part("day", "day({0})", "dayofmonth"),
    *(_part(name, f"{name}({{0}})", of=_CLOCK) for name in ("hour", "minute", "second")),
    _part("dayofweek", "(dayofweek({0}) + 1)", of=_DAY),
    _part("weekday", "(isodow({0}) - 1)", of=_DAY),
    replace(_PART, bind=_bind_part),
    scalar("monthname", (_DAY,), _STRING, "strftime({0}, '%b')"),
    scalar("dayname", (_DAY,), _STRING, "strftime({0}, '%a')"),
    scalar("date_add", (DATE, _DAYS), _DATE, "({0} + {1})", aliases=("dateadd",)),
    scalar("date_sub", (DATE, _DAYS), _DATE, "({0} - {1})"),
    scalar("datediff", (DATE, DATE), _INT, "CAST({0} - {1} AS INTEGER)", aliases=("date_diff",)),
    scalar("add_months", (DATE, INT), _DATE, "CAST({0} + to_months({1}) AS DATE)"),
    scalar("months_between", (TIMESTAMP, TIMESTAMP, Param("BOOLEAN", lambda s: t.BooleanType())), t.DoubleType(),
           _print_months_between, optional=1),
    scalar("trunc", (DATE, STRING), _DATE, "wt_trunc_date({0}, lower({1}))", nullable=True),
    scalar("date_trunc", (STRING, TIMESTAMP), _TIMESTAMP, "wt_trunc_time(lower({0}), {1})", nullable=True),
    scalar("last_day", (DATE,), _DATE, "last_day({0})"),
    scalar("next_day", (DATE, STRING), _DATE, "wt_next_day({0}, {1})", nullable=True),
    scalar("make_date", (INT, INT, INT), _DATE, "wt_make_date({0}, {1}, {2})"),
    scalar("timestamp_seconds", (NUMERIC,), _TIMESTAMP, _print_seconds, nullable=_seconds_nullable),
    scalar("timestamp_millis", (INTEGRAL,), _TIMESTAMP, "make_timestamptz(CAST({0} AS BIGINT) * 1000)"),
    scalar("timestamp_micros", (INTEGRAL,), _TIMESTAMP, "make_timestamptz(CAST({0} AS BIGINT))"),
    scalar("unix_seconds", (_INSTANT,), _LONG, "wt_floor_div(epoch_us({0}), 1000000)"),
    scalar("unix_millis", (_INSTANT,), _LONG, "wt_floor_div(epoch_us({0}), 1000)"),
    scalar("unix_micros", (_INSTANT,), _LONG, "epoch_us({0})"),
    scalar("unix_date", (DATE,), _INT, "CAST({0} - CAST('1970-01-01' AS DATE) AS INTEGER)"),
    scalar("date_from_unix_date", (INT,), _DATE, "(CAST('1970-01-01' AS DATE) + {0})"),
    scalar("from_utc_timestamp", (TIMESTAMP, STRING), _TIMESTAMP, "make_timestamptz(epoch_us(wt_wall_in({0}, {1})))"),
    scalar("to_utc_timestamp", (TIMESTAMP, STRING), _TIMESTAMP, "wt_in_zone(make_timestamp(epoch_us({0})), {1})"),
)  # fmt: skip
