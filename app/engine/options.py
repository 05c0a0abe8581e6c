"""Options of readers and writers, checked by name and value before anything starts.

Spark ignores an option it does not know; here it is refused, because a mistyped name is the most common
reason for a pipeline that runs and does the wrong thing.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from app.engine.contracts import Options
from app.errors import ArgumentError, PlanError

_UNITS = "ms|millisecond|s|sec|second|m|min|minute|h|hour|d|day"
_DURATION = re.compile(rf"\s*(-?\d+(?:\.\d+)?)\s*({_UNITS})?s?\s*", re.I)
_UNIT_S = {"ms": 0.001, "millisecond": 0.001, "s": 1, "sec": 1, "second": 1, "m": 60, "min": 60, "minute": 60}
_UNIT_S |= {"h": 3600, "hour": 3600, "d": 86_400, "day": 86_400}


class OptionReader:
    """The options given to one format. `known` spells the names as documented (`includeTimestamp`); lookups
    ignore case. Raises: PlanError UNKNOWN_OPTION for any other name, with the nearest known ones."""

    def __init__(self, format_name: str, options: Options, known: Iterable[str]) -> None:
        self._format = format_name
        self._values = {key.lower(): value for key, value in options.items()}
        spelling = {name.lower(): name for name in known}
        for key in self._values:
            if key not in spelling:
                self._refuse_unknown(key, spelling)

    def _refuse_unknown(self, key: str, spelling: dict[str, str]) -> None:
        near = [spelling[n] for n in difflib.get_close_matches(key, list(spelling), n=3, cutoff=0.6)]
        hint = f"Did you mean {' or '.join(near)}?" if near else f"It knows: {', '.join(sorted(spelling.values()))}."
        raise PlanError(
            f"The format {self._format!r} has no option {key!r}. {hint}",
            code="UNKNOWN_OPTION",
            format=self._format,
            option=key,
        )

    def given(self, name: str) -> bool:
        return name.lower() in self._values

    def text(self, name: str, default: str = "") -> str:
        return self._values.get(name.lower(), default)

    def required(self, name: str, sentence: str) -> str:
        """The value, or PlanError with `sentence` where it is missing or empty."""
        value = self._values.get(name.lower())
        if not value:
            raise PlanError(sentence, code="MISSING_OPTION", format=self._format, option=name)
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        value = self.text(name, str(default)).lower()
        if value not in ("true", "false"):
            raise self.wrong(name, 'must be set to either "true" or "false"')
        return value == "true"

    def whole(self, name: str, default: int, low: int = 1, high: int = (1 << 63) - 1) -> int:
        value = self.text(name, str(default)).strip()
        if not re.fullmatch(r"[+-]?\d{1,19}", value) or not low <= int(value) <= high:
            limit = f"from {low} to {high}" if high < 1 << 62 else f"not below {low}"
            raise self.wrong(name, f"must be a whole number {limit}")
        return int(value)

    def seconds(self, name: str, default: str) -> float:
        """A duration like `5s`, `1 minute`, `250 ms`; a number alone is seconds."""
        match = _DURATION.fullmatch(self.text(name, default))
        if match is None or float(match[1]) < 0:
            raise self.wrong(name, "must be a duration that is not negative, for instance 5s")
        return float(match[1]) * _UNIT_S[(match[2] or "s").lower()]

    def one_of(self, name: str, default: str, *choices: str) -> str:
        """The value in the spelling of `choices`; case is ignored."""
        value = self.text(name, default).lower()
        for choice in choices:
            if choice.lower() == value:
                return choice
        raise self.wrong(name, f"must be one of {', '.join(choices)}")

    def character(self, name: str, default: str) -> str:
        """One character, or nothing where the option is set to the empty string."""
        value = self.text(name, default)
        if len(value) > 1:
            raise self.wrong(name, "must be a single character")
        return value

    def wrong(self, name: str, rule: str) -> ArgumentError:
        value = self._values.get(name.lower())
        return ArgumentError(
            f"{name} {rule}; the format {self._format!r} was given {value!r}.",
            code="INVALID_OPTION_VALUE",
            format=self._format,
            option=name,
        )
