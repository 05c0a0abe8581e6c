"""Spans of time given as text: trigger intervals and watermark delays."""

from __future__ import annotations

from datetime import timedelta

from app.errors import ArgumentError, PlanError
from app.plan.parse.intervals import from_text

_MONTH = timedelta(days=31)


def trigger_interval_ms(text: str) -> int:
    """`5 seconds`, `1 minute 30 seconds`, `interval 2 weeks` in milliseconds. Raises: ArgumentError.

    >>> trigger_interval_ms("1 minute 30 seconds")
    90000
    """
    try:
        value = from_text(text.lower()).value
    except ValueError as error:
        raise ArgumentError(
            f"Error parsing '{text}' to interval: {error}. Write a number and a unit, for instance '5 seconds'.",
            code="INVALID_INTERVAL_FORMAT",
        ) from error
    if not isinstance(value, timedelta):
        raise ArgumentError(
            f"Doesn't support month or year interval: {text}; their length varies. Use days.",
            code="UNSUPPORTED_TRIGGER_INTERVAL",
        )
    if value < timedelta(0):
        raise ArgumentError(f"The interval of trigger should not be negative: {text}.", code="NEGATIVE_INTERVAL")
    return value // timedelta(milliseconds=1)


def watermark_delay_us(text: str) -> int:
    """The delay in microseconds; a month counts 31 days. Raises: PlanError, ArgumentError where it is negative."""
    try:
        value = from_text(text.lower()).value
    except ValueError as error:
        raise PlanError(
            f"Unable to parse '{text}': {error}. Write a number and a unit, for instance '10 seconds'.",
            code="CANNOT_PARSE_INTERVAL",
        ) from error
    delay = value if isinstance(value, timedelta) else value * _MONTH
    if delay < timedelta(0):
        raise ArgumentError(f"The delay threshold ({text}) should not be negative.", code="NEGATIVE_INTERVAL")
    return int(delay // timedelta(microseconds=1))
