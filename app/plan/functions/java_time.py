"""Java's date-time patterns in DuckDB's terms, where both can say the same.

Letters: y M d D H h m s S a E Q q, X Z z V O for the zone (of a session in UTC), quoted text. Others are refused by
name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from app.errors import PlanError
from app.plan.regions import shown_zone

_SHOWN = {
    "M": "%-m", "MM": "%m", "MMM": "%b", "MMMM": "%B", "L": "%-m", "LL": "%m",
    "d": "%-d", "dd": "%d", "D": "%-j", "DDD": "%j", "H": "%-H", "HH": "%H", "h": "%-I", "hh": "%I", "m": "%-M",
    "mm": "%M", "s": "%-S", "ss": "%S", "a": "%p", "E": "%a", "EE": "%a", "EEE": "%a", "EEEE": "%A",
}  # fmt: skip
_YEAR = "\0"
"""Stands before the number of a year's digits, where DuckDB's format has the like for four only."""
_IN_UTC = {"X": "Z", "XX": "Z", "X" * 3: "Z", "x": "+00", "xx": "+0000", "xxx": "+00:00", "Z": "+0000", "ZZ": "+0000",
           "ZZZ": "+0000", "z": "UTC", "VV": "Etc/UTC", "O": "GMT"}  # fmt: skip
_OFFSETS = (*_IN_UTC, "zz", "zzz", "ZZZZ", "OOOO", *("X" * n for n in (3, 4, 5)), "xxxx", "xxxxx")
_READ = {
    "y": ("[0-9]{4}", "%Y"), "yy": ("[0-9]{2}", "%y"), "yyyy": ("[0-9]{4}", "%Y"), "M": ("[0-9]{1,2}", "%m"),
    "MM": ("[0-9]{2}", "%m"), "MMM": ("[A-Z][a-z]{2}", "%b"), "MMMM": ("[A-Z][a-z]+", "%B"),
    "d": ("[0-9]{1,2}", "%d"), "dd": ("[0-9]{2}", "%d"), "H": ("[0-9]{1,2}", "%H"), "HH": ("[0-9]{2}", "%H"),
    "h": ("[0-9]{1,2}", "%I"), "hh": ("[0-9]{2}", "%I"), "m": ("[0-9]{1,2}", "%M"), "mm": ("[0-9]{2}", "%M"),
    "s": ("[0-9]{1,2}", "%S"), "ss": ("[0-9]{2}", "%S"), "a": ("[AP]M", "%p"),
    "X": ("Z|[+-][0-9]{2}(?:[0-9]{2})?", "%z"), "X" * 3: ("Z|[+-][0-9]{2}:[0-9]{2}", "%z"),
    "XX": ("Z|[+-][0-9]{4}", "%z"), "xx": ("[+-][0-9]{4}", "%z"), "xxx": ("[+-][0-9]{2}:[0-9]{2}", "%z"),
    "Z": ("[+-][0-9]{4}", "%z"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reading:
    """How text of a pattern is read: what it must look like, DuckDB's format, whether it says its zone, and what it
    looks like with a year that is not of four digits, in three groups of which the second is that year."""

    regex: str
    format: str
    zoned: bool
    far: str = ""

    def sql(self, text: str) -> str:
        """SQL of the timestamp that `text` names, null where it names none."""

        def zoned(sql: str) -> str:
            return f"regexp_replace({sql}, 'Z$', '+00:00')" if self.zoned else sql

        regex, form, far = (f"'{_quoted(part)}'" for part in (self.regex, self.format, f"^{self.far}$"))
        matched = f"CASE WHEN regexp_full_match({text}, {regex}) THEN {zoned(text)} END"
        near = f"try_strptime({matched}, {form})"
        if not self.far:
            return near
        year = f"wt_far_year({text}, {far})"
        moved = zoned(f"wt_near_text({text}, {far}, {year})")
        return f"coalesce({near}, try_strptime({moved}, {form}) + wt_far_months({year}))"


def show_pattern(function: str, pattern: str, time: str, zone: str, offset_s: str = "0") -> str:
    """SQL text that prints `time`, the SQL of a timestamp without zone, by a Java pattern; `offset_s` is the SQL of how
    many seconds `zone` is then ahead of UTC. Raises: PlanError."""
    parts: list[str] = []
    shown = ""
    for letters, text in _tokens(function, pattern):
        if text is not None:
            shown += text.replace("%", "%%")
        elif set(letters) == {"y"} and letters != "yy":
            parts += _strftime(time, shown)
            shown = f"{_YEAR}{len(letters)} "
        elif letters in _SHOWN:
            shown += _SHOWN[letters]
        elif letters in _IN_UTC and zone == "UTC":
            shown += _IN_UTC[letters]
        elif letters in _OFFSETS and (named := _of_zone(letters, zone, offset_s)):
            parts += [*_strftime(time, shown), named]
            shown = ""
        else:
            parts += _strftime(time, shown)
            parts.append(_odd(function, pattern, letters, time))
            shown = ""
    parts += _strftime(time, shown)
    return f"({' || '.join(parts)})" if parts else f"CASE WHEN {time} IS NOT NULL THEN '' END"


def _strftime(time: str, shown: str) -> list[str]:
    if shown.startswith(_YEAR):
        digits, _, rest = shown[1:].partition(" ")
        if not rest:
            return [f"wt_year_text(year({time}), {digits})"]
        return [f"wt_shown({time}, {digits}, '{_quoted(rest)}')"]
    return [f"strftime({time}, '{_quoted(shown)}')"] if shown else []


def _of_zone(letters: str, zone: str, offset_s: str) -> str:
    """SQL of a zone's name or offset; empty where Java has a name for it that is not known here."""
    if letters == "VV":
        return f"'{shown_zone(zone)}'"
    if letters in ("z", "zz", "zzz"):
        names = _short_names(zone)
        if not names:
            return ""
        whens = " ".join(f"WHEN {seconds} THEN '{name}'" for seconds, name in names.items())
        return f"CASE {offset_s} {whens} ELSE wt_fail('UNSUPPORTED_FEATURE', 'the short name of a zone then') END"
    return f"wt_offset_text({offset_s}, '{letters}')"


def _short_names(zone: str) -> dict[int, str]:
    """The abbreviations of a zone by offset, where every offset has had one only since 1990."""
    if shown_zone(zone) != zone:
        return {}
    found: dict[int, str] = {}
    for month in range(0, 480, 3):
        moment = datetime(1990 + month // 12, month % 12 + 1, 15, tzinfo=ZoneInfo(zone))
        offset, name = moment.utcoffset(), moment.tzname()
        assert offset is not None and name is not None
        if found.setdefault(int(offset.total_seconds()), name) != name or not name.isalpha():
            return {}
    return found


def _odd(function: str, pattern: str, letters: str, time: str) -> str:
    if letters == "yy":
        return f"wt_two_digits(abs(year({time})) % 100)"
    if set(letters) == {"S"} and len(letters) <= 9:
        return f"left(strftime({time}, '%f') || '000', {len(letters)})"
    if letters in ("Q", "q", "QQ", "qq"):
        return f"lpad(CAST(quarter({time}) AS VARCHAR), {len(letters)}, '0')"
    raise _refused(function, pattern, letters)


def read_pattern(function: str, pattern: str) -> Reading:
    """How to read text by a Java pattern. Raises: PlanError."""
    regex, form, zoned, far = "", "", False, ""
    seen: set[str] = set()
    tokens = _tokens(function, pattern)
    for i, (letters, text) in enumerate(tokens):
        before = regex
        if text is not None:
            regex += re.sub(r"([^A-Za-z0-9\s])", r"\\\1", text)
            form += text.replace("%", "%%")
        elif letters in _READ:
            digits, directive = _READ[letters]
            regex += f"(?:{digits})"
            form += directive
            zoned = zoned or directive == "%z"
        elif set(letters) == {"y"}:
            regex += f"[0-9]{{{len(letters)}}}"
            form += "%Y"
        elif set(letters) == {"S"} and len(letters) <= 6:
            regex += f"[0-9]{{{len(letters)}}}"
            form += "%f"
        else:
            raise _refused(function, pattern, letters)
        seen.add(letters[:1])
        after = tokens[i + 1][0] if i + 1 < len(tokens) else ""
        if after and letters in ("y", "yyy", "M", "d", "H", "h", "m", "s"):
            raise _refused(function, pattern, letters + after)
        far += regex[len(before) :]
        if set(letters) == {"y"} and letters != "yy":
            far = f"({before})({_far_year(len(letters))})("
    far = f"{far})" if "(" in far and "%Y" in form else ""
    if "y" not in seen:
        regex, form = "1970 " + regex, "%Y " + form
    return Reading(regex, form, zoned, far)


def _far_year(letters: int) -> str:
    """Years that are not of four digits: with a plus sign where they have more digits than the pattern has letters."""
    if letters < 4:
        return f"-?[0-9]{{{letters},9}}"
    longer = f"\\+[0-9]{{{letters + 1},9}}|-[0-9]{{{letters},9}}"
    return longer if letters == 4 else f"[0-9]{{{letters}}}|{longer}"


def _tokens(function: str, pattern: str) -> list[tuple[str, str | None]]:
    """Runs of one letter, and literal texts (as second item)."""
    found: list[tuple[str, str | None]] = []
    for match in re.finditer(r"''|'((?:[^']|'')+)'|([A-Za-z])\2*|([^A-Za-z'])|(')", pattern):
        if match[4]:
            raise _refused(function, pattern, "an unclosed quote")
        if match[2]:
            found.append((match[0], None))
        else:
            text = "'" if match[0] == "''" else (match[1] or match[3]).replace("''", "'")
            if text in "[]{}#":
                raise _refused(function, pattern, text)
            found.append(("", text))
    return found


def _quoted(text: str) -> str:
    return text.replace("'", "''")


def _refused(function: str, pattern: str, what: str) -> PlanError:
    return PlanError(
        f"The datetime pattern {pattern!r} of `{function}` uses {what!r}, which this engine does not have. Build the "
        "text from the parts year(), month(), … instead.",
        code="INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER",
        function=function,
    )
