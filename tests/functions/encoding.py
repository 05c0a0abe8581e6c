"""Values as JSON, the same for Spark's results and ours."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any


def encode(value: Any) -> Any:
    """A value of an Arrow table's `to_pylist` as JSON: exact, and equal only where Spark's would be."""
    if hasattr(value, "nanoseconds") and value.months:
        return {"months": value.months, "days": value.days, "micros": value.nanoseconds // 1000}
    if hasattr(value, "nanoseconds"):
        return {"micros": value.days * 86_400_000_000 + value.nanoseconds // 1000}
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return {"float": "nan" if math.isnan(value) else repr(value)}
        case Decimal():
            return {"decimal": format(value, "f")}
        case bytes():
            return {"hex": value.hex()}
        case datetime():
            return {"time": (value.astimezone(UTC) if value.tzinfo else value).isoformat()}
        case time():
            return {"clock": value.isoformat()}
        case date():
            return {"date": value.isoformat()}
        case timedelta():
            return {"micros": value // timedelta(microseconds=1)}
        case dict():
            return {"struct": {k: encode(v) for k, v in value.items()}}
        case tuple():
            return [encode(v) for v in value]
        case list():
            return [encode(v) for v in value]
    raise AssertionError(f"no JSON for {value!r}")


def same(ours: Any, theirs: Any, ulps: int = 4, signed: bool = True) -> bool:
    """Equality of encoded values; doubles may differ in their last bits, and zeros in their sign unless `signed`."""
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(same(a, b, ulps, signed) for a, b in zip(ours, theirs, strict=True))
    if isinstance(ours, dict) and isinstance(theirs, dict):
        if ours.keys() == theirs.keys() == {"float"}:
            return _close(ours["float"], theirs["float"], ulps, signed)
        return ours.keys() == theirs.keys() and all(same(ours[k], theirs[k], ulps, signed) for k in ours)
    return type(ours) is type(theirs) and ours == theirs


def _close(a: str, b: str, ulps: int, signed: bool) -> bool:
    if a == b:
        return True
    x, y = float(a), float(b)
    if x == y == 0:
        return not signed
    return math.isfinite(x) and math.isfinite(y) and abs(x - y) <= ulps * math.ulp(max(abs(x), abs(y)))


def in_mode(text: str) -> tuple[bool, str]:
    """Whether a line of the golden files keeps ANSI rules, which it gives up by `@legacy `, and the rest of it."""
    return not text.startswith("@legacy "), text.removeprefix("@legacy ")


def in_zone(text: str) -> tuple[str, str]:
    """The session time zone that a line of the golden files names, and its expression."""
    if not text.startswith("@"):
        return "UTC", text
    zone, _, expression = text[1:].partition(" ")
    return zone, expression
