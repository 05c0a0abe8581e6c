"""`time_bucket(size, time, origin)`: the start of the bucket a time falls into.

Months and whole days of a bucket are counted on the wall clock of the session's time zone, what is left of a day on the
instant; a timestamp without zone has its own wall clock.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Typed
from app.plan.coerce import cast, is_interval
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import (
    LONG,
    STRING,
    TIMESTAMP,
    Args,
    exactly,
    literal_value,
    scalar,
    wrong_count,
    wrong_type,
)

_TIMES = (t.TimestampType, t.TimestampNTZType)
_NTZ = t.TimestampNTZType()
_DAY_US = 86_400_000_000
_EPOCH = datetime(1970, 1, 1)


def _bind(_: Binding, args: Args) -> Apply:
    if len(args) not in (2, 3):
        raise wrong_count("time_bucket", "[2, 3]", len(args))
    size, time = args[0], args[1]
    if not is_interval(size.type) and not isinstance(size.type, t.NullType):
        raise wrong_type("time_bucket", 0, 'INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH', size)
    if not isinstance(time.type, (*_TIMES, t.NullType)):
        raise wrong_type("time_bucket", 1, "(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)", time)
    time = cast(time, t.TimestampType()) if isinstance(time.type, t.NullType) else time
    origin = args[2] if len(args) > 2 else Const(time.type, False, _EPOCH)
    if not isinstance(origin.type, (type(time.type), t.NullType)):
        raise wrong_type("time_bucket", 2, time.type.sql(), origin)
    literal_value("time_bucket", 2, origin)
    parts = _parts(size)
    nullable = time.nullable or origin.nullable or parts is None
    counts = tuple(Const(t.LongType(), parts is None, part) for part in parts or (None, None, None))
    return Apply(time.type, nullable, "time_bucket", (time, cast(origin, time.type), *counts))


def _parts(size: Typed) -> tuple[int, int, int] | None:
    """Months, days and microseconds of a constant interval. Raises: PlanError."""
    value = literal_value("time_bucket", 0, size)
    if value is None:
        return None
    if isinstance(value, timedelta):
        days, us = divmod(value // timedelta(microseconds=1), _DAY_US)
        months, positive = 0, value > timedelta(0)
    else:
        assert isinstance(value, int)
        months, days, us, positive = value, 0, 0, value > 0
    if not positive:
        raise PlanError(
            f"Cannot resolve time_bucket(): the `bucketSize` must be between (0, inf) (current value = {value}).",
            code="DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
        )
    return months, days, us


def in_session_zone(call: Apply, wall: tuple[Typed, Typed], zone: str) -> Apply:
    """The bucket where the session's time zone is `zone`; `wall` are the time's and the origin's wall clocks."""
    counts = call.args[2:]
    if not any(getattr(count, "value", 0) for count in counts[:2]):
        return call
    time, origin = call.args[:2]
    zone_name = Const(t.StringType(), False, zone)
    return Apply(call.type, call.nullable, "bucket on wall clock", (time, wall[0], origin, wall[1], *counts, zone_name))


def _print(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    make = "make_timestamptz" if isinstance(call.type, t.TimestampType) else "make_timestamp"
    time, origin, months, days, us = args
    if getattr(call.args[2], "value", 0):
        walls = f"make_timestamp(epoch_us({time})), make_timestamp(epoch_us({origin}))"
        return f"{make}(epoch_us(wt_bucket_of_months({walls}, {months})))"
    size = f"({days} * {_DAY_US} + {us})"
    return f"{make}(epoch_us({origin}) + wt_floor_div(epoch_us({time}) - epoch_us({origin}), {size}) * {size})"


_WALL = exactly(_NTZ)

FUNCTIONS: tuple[Function, ...] = (
    Function("time_bucket", "scalar", _bind, _print),
    scalar("bucket on wall clock", (TIMESTAMP, _WALL, TIMESTAMP, _WALL, LONG, LONG, LONG, STRING), t.TimestampType(),
           "wt_bucket_in_zone({0}, {1}, {2}, {3}, {4}, {5}, {6}, {7})"),
)  # fmt: skip
