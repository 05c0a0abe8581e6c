"""Numbers and times as the text that Java writes for them."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

_US = 1_000_000
_LAST_US = 253_402_214_400 * _US
_FIRST_US = -62_135_510_400 * _US


def float_text(value: np.floating[Any]) -> str:
    """As Java prints it: plain between 0.001 and 10,000,000, else like `1.0E10`."""
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return np.format_float_positional(value, unique=True, trim="0")
    mantissa, exponent = np.format_float_scientific(value, unique=True, trim="0").split("e")
    return f"{mantissa}E{int(exponent)}"


def date_text(day: np.datetime64) -> str:
    """As java.time prints it: years beyond 9999 with a sign."""
    text = str(day)
    year = int(text[:-6])
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04d}{text[-6:]}"


def instant_text(local_us: int) -> str:
    """Microseconds on a wall clock as `2020-01-31 23:59:59.5`."""
    seconds, us = divmod(local_us, _US)
    days, second = divmod(seconds, 86_400)
    clock = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
    fraction = f".{us:06d}".rstrip("0") if us else ""
    return f"{date_text(np.datetime64(days, 'D'))} {clock}{fraction}"


def offset_us(instant_us: int, zone: ZoneInfo) -> int:
    """The zone's distance from UTC; beyond the years Python knows, that of the nearest one."""
    known = min(max(instant_us, _FIRST_US), _LAST_US)
    offset = datetime.fromtimestamp(known // _US, zone).utcoffset()
    assert offset is not None
    return int(offset.total_seconds()) * _US
