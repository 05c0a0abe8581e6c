"""Literals of SQL text as typed constants."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal

from app.plan import types as t
from app.plan.expressions import Call, Cast, Expr, Literal, MomentLiteral
from app.plan.instant_texts import Moment, days_of, moment_of
from app.plan.java_text import day_value, instant_value

_DAYS = {"now": 0, "today": 0, "yesterday": -1, "tomorrow": 1}
_MOMENTS = {name: name for name in (*_DAYS, "epoch")}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_INTEGRAL: dict[str, tuple[int, t.DataType]] = {
    "Y": (7, t.ByteType()),
    "S": (15, t.ShortType()),
    "L": (63, t.LongType()),
}
_CLOCK = re.compile(
    r"T?(?P<hour>\d{1,2}):(?P<minute>\d{1,2})(?::(?P<second>\d{1,2})(?:\.(?P<fraction>\d*))?)?\s*(?P<half>[AaPp][Mm])?"
)


def number(text: str, suffix: str = "") -> Literal:
    """The constant that digits stand for; an integer gets the first of int, bigint and decimal it fits in.

    >>> number("1.50").type
    DecimalType(3,2)
    >>> number("7", "L")
    Literal(value=7, type=LongType())

    Raises: ValueError (the value does not fit its type).
    """
    if suffix in _INTEGRAL:
        bits, data_type = _INTEGRAL[suffix]
        return Literal(_within(int(text), bits, data_type), data_type)
    if suffix == "F":
        return _floating(text, t.FloatType(), 3.4028234663852886e38)
    if suffix == "D" or (not suffix and "e" in text.lower()):
        return _floating(text, t.DoubleType(), 1.7976931348623157e308)
    if not suffix and "." not in text:
        for bits, kind in ((31, t.IntegerType()), (63, t.LongType())):
            if -(1 << bits) <= int(text) < 1 << bits:
                return Literal(int(text), kind)
    return _decimal(text)


class Unreadable(ValueError):
    """A literal that is well-formed and stands for nothing; `code` is Spark's class of the error."""

    def __init__(self, code: str, why: str) -> None:
        super().__init__(why)
        self.code = code


def _out_of_range(text: str, data_type: t.DataType) -> Unreadable:
    return Unreadable(
        "INVALID_NUMERIC_LITERAL_RANGE",
        f"Numeric literal {text} is outside the valid range for {data_type.simpleString()}",
    )


def _within(value: int, bits: int, data_type: t.DataType) -> int:
    if not -(1 << bits) <= value < 1 << bits:
        raise _out_of_range(str(value), data_type)
    return value


def _floating(text: str, data_type: t.DataType, most: float) -> Literal:
    value = float(text)
    if abs(value) > most:
        raise _out_of_range(text, data_type)
    return Literal(value, data_type)


def _decimal(text: str) -> Literal:
    value = Decimal(text) or Decimal(text).copy_abs()  # there is no -0.0 of decimals
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)
    if exponent > 0:
        value = value.quantize(Decimal(1)) if value.adjusted() < 38 else value
    scale = max(0, -exponent)
    precision = max(value.adjusted() + 1 + scale if value else 1, scale, 1)
    if precision > 38:
        raise Unreadable(
            "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", f"Decimal precision {precision} exceeds max precision 38"
        )
    return Literal(value, t.DecimalType(precision, scale))


def binary(text: str) -> Literal:
    """The bytes of `X'…'`. Raises: ValueError (not hexadecimal)."""
    return Literal(bytes.fromhex(text.zfill(len(text) + len(text) % 2)), t.BinaryType())


def moment(word: str, text: str) -> Expr | None:
    """What the words that stand for a day mean behind DATE and TIMESTAMP; None for any other text."""
    found = _MOMENTS.get(text.strip().lower())
    if found is None or word not in ("DATE", "TIMESTAMP"):
        return None
    if found == "epoch":
        return Literal(date(1970, 1, 1), t.DateType()) if word == "DATE" else Literal(_EPOCH, t.TimestampType())
    if found == "now" and word == "TIMESTAMP":
        return Call("current_timestamp")
    day = Call("current_date")
    shifted = Call("date_add", (day, Literal(_DAYS[found], t.IntegerType()))) if _DAYS[found] else day
    return shifted if word == "DATE" else Cast(shifted, t.TimestampType())


def typed(word: str) -> Callable[[str], Expr] | None:
    """How the string behind this type name is read (`DATE '…'`); None if the name starts no such literal.
    The function raises: ValueError."""
    return _TYPED.get(word)


def _date(text: str) -> Literal:
    days = days_of(text)
    if days is None:
        raise ValueError("write yyyy-MM-dd")
    return Literal(day_value(days), t.DateType())


def _timestamp(text: str) -> Expr:
    """Without a zone in the text it is the wall clock of the session's zone, which is known when it is resolved; so is
    the day of a text with a time only."""
    found = _moment(text)
    if found.days is None:
        return Cast(Literal(text, t.StringType()), t.TimestampType())
    if found.zone is not None:
        return Literal(instant_value(_fitting(found.us(UTC)), UTC), t.TimestampType())
    wall = instant_value(_fitting(found.us(None)))
    if isinstance(wall, int):
        return MomentLiteral(Literal(wall, t.TimestampNTZType()), t.TimestampType())
    return Literal(wall, t.TimestampType())


def _timestamp_ntz(text: str) -> Literal:
    return Literal(instant_value(_fitting(_moment(text).us(None))), t.TimestampNTZType())


def _moment(text: str) -> Moment:
    found = moment_of(text)
    if found is None:
        raise ValueError("write yyyy-MM-dd HH:mm:ss.SSSSSS, and a zone behind it if wanted")
    return found


def _fitting(us: int | None) -> int:
    if us is None:
        raise ValueError("there is no such instant")
    return us


def _time(text: str) -> Literal:
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        raise ValueError("write HH:mm:ss.SSSSSS, and AM or PM behind it if wanted")
    hour, half = int(match["hour"]), (match["half"] or "").upper()
    if half and not 1 <= hour <= 12:
        raise ValueError(f"{hour} {half} is no hour")
    hour = hour % 12 + 12 * (half == "PM") if half else hour
    micros = int((match["fraction"] or "").ljust(6, "0")[:6])
    return Literal(time(hour, int(match["minute"]), int(match["second"] or 0), micros), t.TimeType())


_TYPED: dict[str, Callable[[str], Expr]] = {
    "DATE": _date,
    "TIMESTAMP": _timestamp,
    "TIMESTAMP_LTZ": _timestamp,
    "TIMESTAMP_NTZ": _timestamp_ntz,
    "TIME": _time,
}
