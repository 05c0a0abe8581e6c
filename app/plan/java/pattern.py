"""Java's date-time patterns, taken apart as `DateTimeFormatterBuilder` does, and Spark's rules of which are taken."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache

from app.errors import PlanError

YEAR, YEAR_OF_ERA, ERA, MONTH, DAY, DAY_OF_YEAR = "year", "year of era", "era", "month", "day", "day of year"
QUARTER, DAY_OF_WEEK, ALIGNED_DAY, JULIAN_DAY = "quarter", "day of week", "aligned day", "julian day"
HOUR, HOUR_24, HOUR_12, HOUR_0, HALF = "hour", "hour 1-24", "hour 1-12", "hour 0-11", "half of day"
MINUTE, SECOND, NANO = "minute", "second", "nano"

_MOST = 19
_FIELDS = {
    "y": YEAR, "u": YEAR, "M": MONTH, "L": MONTH, "d": DAY, "D": DAY_OF_YEAR, "Q": QUARTER, "q": QUARTER,
    "E": DAY_OF_WEEK, "F": ALIGNED_DAY, "g": JULIAN_DAY, "H": HOUR, "k": HOUR_24, "h": HOUR_12, "K": HOUR_0, "a": HALF,
    "m": MINUTE, "s": SECOND, "S": NANO, "G": ERA,
}  # fmt: skip
_OFFSETS = ("+HHmm", "+HHMM", "+HH:MM", "+HHMMss", "+HH:MM:ss")
_OF_OLD = frozenset("GyMdkHmsSEDFwWahKzZYuXL")
"""The letters that Java's older formatter has: where it takes a pattern, Spark tells of the change."""


@dataclass(frozen=True, slots=True)
class Number:
    """Digits of a field; `sign` is Java's SignStyle. `reserved` are the digits that fields of fixed width behind it
    take."""

    field: str
    least: int = 1
    most: int = _MOST
    sign: str = "normal"
    reserved: int = 0

    @property
    def fixed(self) -> bool:
        return self.least == self.most and self.sign == "none"


@dataclass(frozen=True, slots=True)
class Text:
    field: str
    full: bool


@dataclass(frozen=True, slots=True)
class Plain:
    """Letters that stand for themselves, in any case."""

    text: str


@dataclass(frozen=True, slots=True)
class Offset:
    """An offset in one of Java's forms; `zero` is the text for none."""

    form: str
    zero: str


@dataclass(frozen=True, slots=True)
class OffsetOfGmt:
    full: bool


@dataclass(frozen=True, slots=True)
class ZoneName:
    """A zone by its region, or (`style` short or full) by what it is called."""

    style: str


@dataclass(frozen=True, slots=True)
class Optional:
    parts: tuple[Part, ...]


Part = Number | Text | Plain | Offset | OffsetOfGmt | ZoneName | Optional


class _Illegal(ValueError):
    """What Java's formatter does not take."""


@cache
def compiled(pattern: str, reading: bool) -> tuple[Part, ...]:
    """The parts of a pattern. Raises: PlanError with Spark's class."""
    old = _old_takes(pattern)
    try:
        code = _refused_by_spark(pattern, reading)
        if code is None:
            return _Builder(pattern, reading).parts()
    except _Illegal:
        code = "INVALID_DATETIME_PATTERN.WITH_SUGGESTION"
    if old:
        code = "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION"
    purpose = "read" if reading else "print"
    raise PlanError(
        f"Unrecognized datetime pattern: '{pattern}': no times can be {purpose} by it. Use the letters G y M L d D H h "
        "K k m s S a z Z O X x VV" + ("" if reading else ", and E F Q q") + "; quote others.",
        code=code,
    )


def _refused_by_spark(pattern: str, reading: bool) -> str | None:
    illegal = "ABnNp" + ("EFqQ" if reading else "")
    for part in pattern.split("'")[::2]:
        if set(part) & set("YWwuec"):
            return "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_WEEK_BASED_PATTERN"
        if set(part) & set(illegal):
            return "INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER"
        if re.search("G{5}|M{5}|L{5}|E{5}|Q{5}|q{5}|y{7}", part):
            return "INVALID_DATETIME_PATTERN.LENGTH"
    return None


def _old_takes(pattern: str) -> bool:
    if pattern.count("'") % 2:
        return False
    parts = pattern.split("'")[::2]
    letters = {letter for part in parts for letter in part if letter.isascii() and letter.isalpha()}
    return letters <= _OF_OLD and not any("X" * 4 in part for part in parts)


class _Builder:
    """Where digits stand beside digits, the first field leaves those of fixed width behind it what they need."""

    def __init__(self, pattern: str, reading: bool) -> None:
        self._pattern, self._reading = pattern, reading
        self._year = YEAR_OF_ERA if any("G" in part for part in pattern.split("'")[::2]) else YEAR
        self._open: list[list[Part]] = [[]]
        self._first: list[int] = [-1]
        """By open bracket, where the digits begin that go on at its end."""

    def parts(self) -> tuple[Part, ...]:
        for match in re.finditer(r"'((?:[^']|'')*)'|([A-Za-z])\2*|(.)", self._pattern, re.DOTALL):
            if match[2]:
                self._letters(match[2], len(match[0]))
            elif match[3] is None:
                # Where fractions are read, Spark takes the pattern apart by its quotes.
                split = self._reading and "S" in "".join(self._pattern.split("'")[::2])
                quote = "" if split else "'"
                self._add(Plain(match[1].replace("''", quote) if match[1] else quote))
            elif match[3] == "[":
                self._first[-1] = -1
                self._open.append([])
                self._first.append(-1)
            elif match[3] == "]":
                self._close()
            elif match[3] in "{}#'":
                raise _Illegal(match[3])
            else:
                self._add(Plain(match[3]))
        while len(self._open) > 1:
            self._close()
        return tuple(self._open[0])

    def _close(self) -> None:
        if len(self._open) == 1:
            raise _Illegal("]")
        inner = self._open.pop()
        self._first.pop()
        if inner:
            self._add(Optional(tuple(inner)))

    def _add(self, part: Part) -> None:
        self._open[-1].append(part)
        self._first[-1] = -1

    def _digits(self, number: Number) -> None:
        parts, first = self._open[-1], self._first[-1]
        if first >= 0 and number.fixed:
            before = parts[first]
            assert isinstance(before, Number)
            parts[first] = replace(before, reserved=before.reserved + number.most)
        else:
            self._first[-1] = len(parts)
        parts.append(number)

    def _letters(self, letter: str, count: int) -> None:
        if letter in "zVvZOXx":
            self._add(_zone(letter, count))
            return
        field = _FIELDS.get(letter)
        if field is None:
            raise _Illegal(letter)
        if letter == "y":
            field = self._year
        if field in (YEAR, YEAR_OF_ERA):
            fixed = Number(field, 2, 2, "none")
            self._digits(fixed if count == 2 else Number(field, count, _MOST, "normal" if count < 4 else "exceeds"))
        elif field == NANO:
            _limit(letter, count, 9)
            number = Number(NANO, 1 if self._reading else count, count, "none")
            # A fraction of any width is no neighbour of other digits.
            self._digits(number) if number.fixed else self._add(number)
        elif field in (HALF, ERA, DAY_OF_WEEK) or (field in (MONTH, QUARTER) and count > 2):
            _limit(letter, count, 1 if field == HALF else 4)
            self._add(Text(field, count == 4))
        elif field == DAY_OF_YEAR:
            _limit(letter, count, 3)
            self._digits(Number(field) if count == 1 else Number(field, count, 3, "none"))
        elif field == JULIAN_DAY:
            self._digits(Number(field, count))
        else:
            _limit(letter, count, 1 if field == ALIGNED_DAY else 2)
            self._digits(Number(field) if count == 1 else Number(field, 2, 2, "none"))


def _zone(letter: str, count: int) -> Part:
    if letter in "zv":
        _limit(letter, count, 4)
        if letter == "v":
            raise PlanError(
                "The pattern letter 'v', a zone's name without its season, is not supported. Use z or VV.",
                code="UNSUPPORTED_FEATURE",
            )
        return ZoneName("full" if count == 4 else "short")
    if letter == "V":
        if count != 2:
            raise _Illegal(letter)
        return ZoneName("id")
    if letter == "O":
        if count not in (1, 4):
            raise _Illegal(letter)
        return OffsetOfGmt(count == 4)
    _limit(letter, count, 5)
    if letter == "Z":
        if count == 4:
            return OffsetOfGmt(True)
        return Offset("+HHMM", "+0000") if count < 4 else Offset("+HH:MM:ss", "Z")
    zero = "Z" if letter == "X" else "+00" if count == 1 else "+0000" if count % 2 == 0 else "+00:00"
    return Offset(_OFFSETS[count - 1], zero)


def _limit(letter: str, count: int, most: int) -> None:
    if count > most:
        raise _Illegal(letter * count)
