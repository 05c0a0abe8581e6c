"""Dates and timestamps as PostgreSQL writes them: years before 1 with BC, and its infinities."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

from app.errors import PlanError, SinkBroken
from app.kernel.iso_times import DAY_US, clock, days_of, is_ordinary, iso_date, iso_instant, year_and_rest
from app.kernel.values import plain_values

_TEXT = re.compile(
    r"(?P<sign>-?)(?P<year>\d+)-(?P<month>\d\d)-(?P<day>\d\d)"
    r"(?:[ T](?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?:\.(?P<fraction>\d{1,6}))?(?:\+00(?::00)?)?)?"
    r"(?P<bc> BC)?"
)
# As Spark's PostgreSQL dialect reads them.
_INFINITE = {"infinity": "9999-12-31 23:59:59.999999", "-infinity": "0001-01-01 00:00:00"}
_FIRST_DAY = days_of(-4713, 11, 24)
_LAST_DAY = days_of(5_874_897, 12, 31)


def time_texts(column: pa.ChunkedArray, name: str, table: str) -> pa.ChunkedArray:
    """Dates or instants as text. Raises: SinkBroken for one that PostgreSQL cannot store."""
    is_date = pa.types.is_date32(column.type)
    if is_ordinary(column):
        # Without the zone Arrow is thirty times as fast, and our sessions are in UTC.
        return pc.cast(column if is_date else pc.cast(column, pa.timestamp("us")), pa.string())
    unit = 1 if is_date else DAY_US
    texts = [None if n is None else _text(n // unit, n % unit, is_date, name, table) for n in plain_values(column)]
    return pa.chunked_array([pa.array(texts, pa.string())])


def parse_times(texts: list[str | None], kind: pa.DataType) -> pa.Array:
    """Texts of PostgreSQL, or ISO 8601, as `kind`. Raises: PlanError for a timestamp that Spark's type cannot hold."""
    try:
        return pa.array(texts, pa.string()).cast(kind)
    except pa.ArrowInvalid:
        counts = [None if text is None else count_of(text, kind) for text in texts]
        return pa.array(counts, pa.int32() if pa.types.is_date32(kind) else pa.int64()).cast(kind)


def count_of(text: str, kind: pa.DataType) -> int:
    """Days or microseconds from 1970-01-01. Raises: as `parse_times`."""
    found = _TEXT.fullmatch(_INFINITE.get(text, text))
    if found is None:
        scalar = pa.scalar(text).cast(kind)
        return int(scalar.value)
    year = -int(found["year"]) if found["sign"] else int(found["year"])
    days = days_of(1 - year if found["bc"] else year, int(found["month"]), int(found["day"]))
    if pa.types.is_date32(kind):
        return days
    hour, minute, second = (int(found[part] or 0) for part in ("hour", "minute", "second"))
    micros = int((found["fraction"] or "").ljust(6, "0"))
    us = days * DAY_US + ((hour * 60 + minute) * 60 + second) * 1_000_000 + micros
    if not -(2**63) <= us < 2**63:
        raise PlanError(f"The table holds {text!r}, beyond the timestamps that 64 bits of microseconds hold.")
    return us


def _text(days: int, us: int, is_date: bool, name: str, table: str) -> str:
    if not _FIRST_DAY <= days <= _LAST_DAY:
        shown = iso_date(days) if is_date else iso_instant(days * DAY_US + us)
        raise SinkBroken(
            f"The value {shown} of column {name!r} for table {table!r} is beyond what PostgreSQL stores "
            f"(from -4713-11-24, dates until 5874897-12-31). Filter such rows, or write the column as text.",
            table=table,
            column=name,
        )
    year, rest = year_and_rest(days)
    time = "" if is_date else f" {clock(us)}"
    return f"{year:04}{rest}{time}" if year > 0 else f"{1 - year:04}{rest}{time} BC"
