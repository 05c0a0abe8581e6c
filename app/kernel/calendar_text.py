"""Calendar intervals as text, in Python."""

from __future__ import annotations

from decimal import Decimal

_HOUR_US, _MINUTE_US, _SECOND_US = 3_600_000_000, 60_000_000, 1_000_000


def calendar_text(months: int, days: int, micros: int) -> str:
    """As Spark writes it.

    >>> calendar_text(14, -3, 90_061_500_000)
    '1 years 2 months -3 days 25 hours 1 minutes 1.5 seconds'
    """
    sign = -1 if micros < 0 else 1
    hours, rest = divmod(abs(micros), _HOUR_US)
    minutes, rest = divmod(rest, _MINUTE_US)
    seconds = f"{sign * Decimal(rest) / _SECOND_US:f}" if rest else ""
    years, left = divmod(abs(months), 12)
    of_months = -1 if months < 0 else 1
    counts = (
        (of_months * years, "years"),
        (of_months * left, "months"),
        (days, "days"),
        (sign * hours, "hours"),
        (sign * minutes, "minutes"),
    )
    parts = [f"{count} {unit}" for count, unit in counts if count]
    return " ".join([*parts, *([f"{seconds} seconds"] if seconds else [])]) or "0 seconds"
