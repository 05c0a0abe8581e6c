"""Session time zones other than UTC: what depends on the zone is rewritten into what does not.

The kernel computes in UTC. Where an expression looks at a timestamp's calendar, it is given the wall clock of the zone
instead (a timestamp without zone); where it makes a timestamp from a calendar, the instant is looked up. In a gap of
the wall clock the time moves on by the gap, in an overlap the earlier instant is meant, as in Java.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Choose, Const, Convert, LambdaFn, LambdaRef, Ref, Typed
from app.plan.functions.calendar_intervals import later_on_wall_clock
from app.plan.functions.entry import Function
from app.plan.functions.signature import ANY, INT, STRING, TIMESTAMP, Args, exactly, scalar
from app.plan.functions.time_buckets import in_session_zone
from app.plan.regions import zone_of
from app.plan.rewrite import rebuilt
from app.plan.structs import field_of

UTC_NAMES = ("UTC", "Etc/UTC", "GMT", "Z", "+00:00")
_TS, _NTZ, _TEXT, _DATE = t.TimestampType(), t.TimestampNTZType(), t.StringType(), t.DateType()
_INT = t.IntegerType()
_WALL, _INSTANT, _READ, _SHIFTED = "wall clock", "instant", "read instant", "shift on wall clock"
_ONCE, _FIELD = "computed once", "field at a place"
_CALENDAR = {
    "year", "quarter", "month", "dayofyear", "weekofyear", "hour", "minute", "day", "second", "date_part",
    "timestampdiff",
}  # fmt: skip


def in_zone(typed: Typed, zone: str, done: Args = ()) -> Typed:
    """The same value where the session's time zone is `zone`; the parts in `done` are so already. Raises: PlanError."""
    if zone in UTC_NAMES or any(typed is part for part in done):
        return typed
    found = rebuilt(typed, lambda part: in_zone(part, zone, done))
    match found:
        case Const(type=t.TimestampType(), value=datetime(tzinfo=None)):
            return replace(found, value=found.value.replace(tzinfo=zone_of(zone)).astimezone(UTC))
        case Convert(child=child) if _touches(child.type, found.type):
            return _converted(child, found.type, found, zone)
        case Apply(function=name) if name in _CALENDAR:
            return replace(found, args=tuple(_wall(arg, zone) if arg.type == _TS else arg for arg in found.args))
        case Apply(function=name) if name in _REWRITES:
            return _REWRITES[name](found, zone)
    return found


def _wall(instant: Typed, zone: str) -> Typed:
    return Apply(_NTZ, instant.nullable, _WALL, (instant, Const(_TEXT, False, zone)))


def _instant(wall: Typed, zone: str) -> Typed:
    return Apply(_TS, wall.nullable, _INSTANT, (wall, Const(_TEXT, False, zone)))


def _touches(source: t.DataType, to: t.DataType) -> bool:
    """Whether a cast looks at the zone."""
    match source, to:
        case t.VariantType(), _:
            return not isinstance(to, t.VariantType)
        case t.TimestampType(), _:
            return isinstance(to, t.DateType | t.TimestampNTZType | t.StringType)
        case _, t.TimestampType():
            return isinstance(source, t.DateType | t.TimestampNTZType | t.StringType)
        case t.ArrayType(), t.ArrayType():
            return _touches(source.elementType, to.elementType)
        case t.MapType(), t.MapType():
            return _touches(source.keyType, to.keyType) or _touches(source.valueType, to.valueType)
        case t.StructType(), t.StructType():
            return any(_touches(a.dataType, b.dataType) for a, b in zip(source, to, strict=False))
        case _, t.StringType():
            return _holds_instants(source)
    return False


def _holds_instants(kind: t.DataType) -> bool:
    match kind:
        case t.ArrayType(element):
            return _holds_instants(element)
        case t.MapType(key, value):
            return _holds_instants(key) or _holds_instants(value)
        case t.StructType():
            return any(_holds_instants(f.dataType) for f in kind)
    return isinstance(kind, t.TimestampType)


def _converted(child: Typed, to: t.DataType, like: Convert, zone: str) -> Typed:
    source = child.type
    if isinstance(source, t.VariantType):
        return Apply(to, True, "variant cast", (child, _name(zone), Const(t.BooleanType(), False, like.safe)))
    if isinstance(source, t.ArrayType) and isinstance(to, t.ArrayType):
        item = LambdaRef(source.elementType, source.containsNull, f"z{_depth(source)}")
        body = _converted(item, to.elementType, like, zone)
        return Apply(to, child.nullable, "transform", (child, LambdaFn(body.type, body.nullable, (item.name,), body)))
    if isinstance(source, t.MapType) and isinstance(to, t.MapType):
        return _once(child, lambda entries: _converted_map(entries, to, like, zone), f"z{_depth(source)}")
    if isinstance(source, t.StructType) and isinstance(to, t.StructType):
        return _once(child, lambda fields: _converted_struct(fields, to, like, zone), f"z{_depth(source)}")
    if source == _TS and not isinstance(to, t.TimestampType):
        return replace(like, type=to, child=_wall(child, zone))
    if source == _TEXT and to == _TS:
        safe = Const(t.BooleanType(), False, like.safe)
        return Apply(_TS, True, _READ, (child, Const(_TEXT, False, zone), safe))
    if to == _TS:
        return _instant(child if source == _NTZ else Convert(_NTZ, child.nullable, child), zone)
    if isinstance(to, t.StringType) and _holds_instants(source):
        return replace(like, type=to, child=_converted(child, _on_the_wall(source), like, zone))
    return replace(like, type=to, child=child)


def _converted_map(entries: Typed, to: t.MapType, like: Convert, zone: str) -> Typed:
    assert isinstance(entries.type, t.MapType)
    sides = (("map_keys", entries.type.keyType, False, to.keyType),
             ("map_values", entries.type.valueType, entries.type.valueContainsNull, to.valueType))  # fmt: skip
    lists = [
        _converted(Apply(t.ArrayType(kind, null), entries.nullable, name, (entries,)), t.ArrayType(new), like, zone)
        for name, kind, null, new in sides
    ]
    return Apply(to, entries.nullable, "map_from_arrays", tuple(lists))


def _converted_struct(fields: Typed, to: t.StructType, like: Convert, zone: str) -> Typed:
    assert isinstance(fields.type, t.StructType)
    args: list[Typed] = []
    for at, (old, new) in enumerate(zip(fields.type, to, strict=True)):
        field = Apply(old.dataType, fields.nullable or old.nullable, _FIELD, (fields, Const(_INT, False, at)))
        args += [_name(new.name), _converted(field, new.dataType, like, zone)]
    there = Apply(t.BooleanType(), False, "isnotnull", (fields,))
    return Choose(to, fields.nullable, ((there, Apply(to, False, "named_struct", tuple(args))),), None)


def _on_the_wall(kind: t.DataType) -> t.DataType:
    match kind:
        case t.ArrayType(element, null):
            return t.ArrayType(_on_the_wall(element), null)
        case t.MapType(key, value, null):
            return t.MapType(_on_the_wall(key), _on_the_wall(value), null)
        case t.StructType():
            return t.StructType([t.StructField(f.name, _on_the_wall(f.dataType), f.nullable) for f in kind])
    return _NTZ if kind == _TS else kind


def _depth(kind: t.DataType) -> int:
    match kind:
        case t.ArrayType(element):
            inner = [element]
        case t.MapType(key, value):
            inner = [key, value]
        case t.StructType():
            inner = [f.dataType for f in kind]
        case _:
            return 0
    return 1 + max(map(_depth, inner), default=0)


def _once(value: Typed, make: Callable[[Typed], Typed], name: str = "z0") -> Typed:
    """What `make` makes of a value, which is computed once however often it stands there: each step that repeats the
    one before would else multiply the time that planning takes."""
    if isinstance(value, (Ref, LambdaRef, Const)):
        return make(value)
    body = make(LambdaRef(value.type, value.nullable, name))
    return Apply(body.type, body.nullable, _ONCE, (value, LambdaFn(body.type, body.nullable, (name,), body)))


def _truncated(call: Apply, zone: str) -> Typed:
    def cut(instant: Typed) -> Typed:
        wall = _wall(instant, zone)
        unit = Apply(_NTZ, True, "date_trunc", (call.args[0], wall))
        return Apply(_TS, True, _SHIFTED, (instant, wall, unit, _name(zone)))

    return _once(call.args[1], cut)


def _moved(call: Apply, zone: str) -> Typed:
    """A timestamp and an interval: days and months move the wall clock, hours the instant."""
    left, right = call.args
    if left.type != _TS:
        return call
    if right.type == _TS:
        return replace(call, args=(_wall(left, zone), _wall(right, zone)))
    if isinstance(right.type, t.CalendarIntervalType):
        return later_on_wall_clock(call, _wall(left, zone), zone)

    def moved(instant: Typed, by: Typed) -> Typed:
        wall = _wall(instant, zone)
        if isinstance(by.type, t.DayTimeIntervalType):
            negative = Const(t.BooleanType(), False, call.function in ("-", "try_subtract"))
            return Apply(_TS, call.nullable, "day-time on wall clock", (instant, wall, by, negative, _name(zone)))
        later = Apply(_NTZ, call.nullable, call.function, (wall, by))
        return Apply(_TS, call.nullable, _SHIFTED, (instant, wall, later, _name(zone)))

    return _once(left, lambda instant: _once(right, lambda by: moved(instant, by), "z9"))


def _name(zone: str) -> Const:
    return Const(_TEXT, False, zone)


def _sequence(call: Apply, zone: str) -> Typed:
    if call.args[0].type != _TS:
        return call
    if len(call.args) > 2 and not isinstance(call.args[2].type, t.YearMonthIntervalType):
        step = call.args[2]
        if isinstance(step, Const) and abs(step.value) < timedelta(days=1):
            return call
        if not isinstance(step, Const) or step.value % timedelta(days=1):
            raise PlanError(
                f"`sequence` over timestamps in the session time zone {zone} is not supported with a step that is no "
                "constant of whole days or less than a day. Set spark.sql.session.timeZone to UTC.",
                code="UNSUPPORTED_FEATURE",
            )
    walls = Apply(
        t.ArrayType(_NTZ, False), call.nullable, "sequence",
        (_wall(call.args[0], zone), _wall(call.args[1], zone), *call.args[2:]),
    )  # fmt: skip
    item = LambdaRef(_NTZ, False, "z1")
    body = _instant(item, zone)
    return Apply(call.type, call.nullable, "transform", (walls, LambdaFn(_TS, False, (item.name,), body)))


def _now(call: Apply, zone: str) -> Typed:
    wall = _wall(Apply(_TS, call.nullable, "current_timestamp", ()), zone)
    return wall if call.type == _NTZ else Convert(_DATE, call.nullable, wall)


def _made(call: Apply, zone: str) -> Typed:
    if call.type != _TS or len(call.args) > 6:
        return call
    return _instant(replace(call, type=_NTZ), zone)


def _moment(call: Apply, zone: str) -> Typed:
    if len(call.args) > 2:
        return call
    if len(call.args) == 1:
        return _instant(Convert(_NTZ, call.nullable, call.args[0]), zone)
    return _instant(Apply(_NTZ, call.nullable, "local moment of day", call.args), zone)


def _bucket(call: Apply, zone: str) -> Typed:
    if call.type != _TS:
        return call
    return in_session_zone(call, (_wall(call.args[0], zone), _wall(call.args[1], zone)), zone)


def _months_between(call: Apply, zone: str) -> Typed:
    a, b = call.args[:2]
    rounded = call.args[2] if len(call.args) > 2 else Const(t.BooleanType(), False, True)
    walls = _wall(a, zone), _wall(b, zone)
    return Apply(call.type, call.nullable, "months on wall clock", (a, walls[0], b, walls[1], rounded, _name(zone)))


_REWRITES: dict[str, Callable[[Apply, str], Typed]] = {
    "date_trunc": _truncated,
    "+": _moved,
    "-": _moved,
    "try_add": _moved,
    "try_subtract": _moved,
    "months_between": _months_between,
    "sequence": _sequence,
    "current_date": _now,
    "localtimestamp": _now,
    "moment of day": _moment,
    "time_bucket": _bucket,
    **dict.fromkeys(("make_timestamp", "try_make_timestamp", "make_timestamp_ltz", "try_make_timestamp_ltz"), _made),
}


def _print_read(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    found = f"wt_instant_in({args[0]}, {args[1]})"
    safe = call.args[2]
    assert isinstance(safe, Const)
    return found if safe.value else f"wt_checked({found}, {args[0]}, 'TIMESTAMP')"


def _place(args: Args) -> tuple[t.StructField, int]:
    struct, at = args
    assert isinstance(struct.type, t.StructType) and isinstance(at, Const)
    return struct.type.fields[at.value], at.value


_WALL_CLOCK = exactly(_NTZ)
_FLAG = exactly(t.BooleanType())

FUNCTIONS: tuple[Function, ...] = (
    scalar(_ONCE, (ANY, ANY), lambda args: args[1].type, "list_extract(list_transform([{0}], {1}), 1)"),
    scalar(_FIELD, (ANY, INT), lambda args: _place(args)[0].dataType,
           lambda call, args: field_of(args[0], _place(call.args)[1])),
    scalar(_WALL, (TIMESTAMP, STRING), _NTZ, "timezone({1}, {0})"),
    scalar(_INSTANT, (_WALL_CLOCK, STRING), _TS, "wt_at_zone({0}, {1})"),
    scalar(_READ, (STRING, STRING, _FLAG), _TS, _print_read, nullable=True),
    scalar(_SHIFTED, (TIMESTAMP, _WALL_CLOCK, _WALL_CLOCK, STRING), _TS, "wt_near_zone({0}, {1}, {2}, {3})"),
    scalar("months on wall clock", (TIMESTAMP, _WALL_CLOCK, TIMESTAMP, _WALL_CLOCK, _FLAG, STRING), t.DoubleType(),
           "wt_months_in_zone({0}, {1}, {2}, {3}, {4}, {5})"),
    scalar("day-time on wall clock", (TIMESTAMP, _WALL_CLOCK, exactly(t.DayTimeIntervalType()), _FLAG, STRING), _TS,
           "wt_add_in_zone({0}, {1}, CASE WHEN {3} THEN -1 ELSE 1 END * epoch_us({2}), {4})"),
)  # fmt: skip
