"""Java's date-time patterns as SQL: by DuckDB's formats where they say the same; printing for the rest by expressions,
reading by functions over Arrow.

What DuckDB reads is right; a text that it does not read goes through Java's rules letter by letter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.plan.java import pattern as p
from app.plan.java.names import TEXTS, zone_names
from app.plan.java.pattern import Part, compiled
from app.plan.java.show import WINTER_SAVED
from app.plan.regions import shown_zone

_SHOWN: dict[Part, str] = {
    p.Number(p.MONTH): "%-m", p.Number(p.MONTH, 2, 2, "none"): "%m", p.Text(p.MONTH, False): "%b",
    p.Text(p.MONTH, True): "%B", p.Number(p.DAY): "%-d", p.Number(p.DAY, 2, 2, "none"): "%d",
    p.Number(p.DAY_OF_YEAR): "%-j", p.Number(p.DAY_OF_YEAR, 3, 3, "none"): "%j", p.Number(p.HOUR): "%-H",
    p.Number(p.HOUR, 2, 2, "none"): "%H", p.Number(p.HOUR_12): "%-I", p.Number(p.HOUR_12, 2, 2, "none"): "%I",
    p.Number(p.MINUTE): "%-M", p.Number(p.MINUTE, 2, 2, "none"): "%M", p.Number(p.SECOND): "%-S",
    p.Number(p.SECOND, 2, 2, "none"): "%S", p.Text(p.HALF, False): "%p", p.Text(p.DAY_OF_WEEK, False): "%a",
    p.Text(p.DAY_OF_WEEK, True): "%A",
}  # fmt: skip
_FEW = {
    p.HOUR_24: (range(1, 25), "(hour({0}) + 23) % 24 + 1"), p.HOUR_0: (range(12), "hour({0}) % 12 + 1"),
    p.QUARTER: (range(1, 5), "quarter({0})"), p.ALIGNED_DAY: (range(1, 8), "(day({0}) - 1) % 7 + 1"),
    p.ERA: (range(2), "CAST(year({0}) > 0 AS INTEGER) + 1"),
}  # fmt: skip
"""The values of fields that have few, and SQL of the place among them, counted from 1."""
_YEAR = "\0"
"""Stands before the number of a year's digits, where DuckDB's format has the like for four only."""
_READ: dict[Part, tuple[str, str]] = {
    p.Number(p.YEAR, 4, sign="exceeds"): ("[0-9]{4}", "%Y"), p.Number(p.YEAR, 2, 2, "none"): ("[0-9]{2}", "%y"),
    p.Number(p.MONTH): ("[0-9]{1,2}", "%m"), p.Number(p.MONTH, 2, 2, "none"): ("[0-9]{2}", "%m"),
    p.Text(p.MONTH, False): ("[A-Z][a-z]{2}", "%b"), p.Text(p.MONTH, True): ("[A-Z][a-z]+", "%B"),
    p.Number(p.DAY): ("[0-9]{1,2}", "%d"), p.Number(p.DAY, 2, 2, "none"): ("[0-9]{2}", "%d"),
    p.Number(p.HOUR): ("[0-9]{1,2}", "%H"), p.Number(p.HOUR, 2, 2, "none"): ("[0-9]{2}", "%H"),
    p.Number(p.HOUR_12): ("[0-9]{1,2}", "%I"), p.Number(p.HOUR_12, 2, 2, "none"): ("[0-9]{2}", "%I"),
    p.Number(p.MINUTE): ("[0-9]{1,2}", "%M"), p.Number(p.MINUTE, 2, 2, "none"): ("[0-9]{2}", "%M"),
    p.Number(p.SECOND): ("[0-9]{1,2}", "%S"), p.Number(p.SECOND, 2, 2, "none"): ("[0-9]{2}", "%S"),
    p.Text(p.HALF, False): ("[AP]M", "%p"),
    p.Offset("+HHmm", "Z"): ("[+-][0-9]{2}(?:[0-9]{2})?", "%z"),
    p.Offset("+HH:MM", "Z"): ("[+-][0-9]{2}:[0-9]{2}", "%z"),
    p.Offset("+HHMM", "Z"): ("[+-][0-9]{4}", "%z"),
    p.Offset("+HHMM", "+0000"): ("[+-][0-9]{4}", "%z"),
    p.Offset("+HH:MM", "+00:00"): ("[+-][0-9]{2}:[0-9]{2}", "%z"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Quick:
    """How DuckDB reads text of a pattern: what it must look like, the format, and whether it says its zone."""

    regex: str
    format: str
    zoned: bool

    def sql(self, text: str) -> str:
        """A timestamp, with a zone if the text says one; null where it does not look like that."""
        padded = f"('1970 ' || {text})" if self.regex.startswith("1970 ") else text
        matched = f"CASE WHEN regexp_full_match({padded}, {_quoted(self.regex)}) THEN {padded} END"
        if self.zoned:
            matched = f"regexp_replace({matched}, 'Z$', '+00:00')"
        found = f"try_strptime({matched}, {_quoted(self.format)})"
        return f"wt_this_century({found})" if "%y" in self.format.replace("%%", "") else found


def show_pattern(pattern: str, time: str, zone: str, offset_s: str = "0") -> str:
    """SQL text that prints `time`, the SQL of a timestamp without zone, by a Java pattern; `offset_s` is the SQL of how
    many seconds `zone` is then ahead of UTC. Raises: PlanError."""
    texts = _shown(compiled(pattern, False), time, zone, offset_s)
    text = f"({' || '.join(texts)})" if texts else "''"
    return text if any(time in one for one in texts) else f"CASE WHEN {time} IS NOT NULL THEN {text} END"


def show_by(pattern: str, time: str, zone: str, offset_s: str = "0") -> str:
    """The same for the SQL of a pattern."""
    return f"wa_show_time({pattern}, epoch_us({time}), CAST({offset_s} AS BIGINT), {_quoted(zone)})"


def _shown(parts: Sequence[Part], time: str, zone: str, offset_s: str) -> list[str]:
    """SQL of the texts that make it up, one after the other."""
    texts: list[str] = []
    shown = ""
    for part in _flat(parts):
        if isinstance(part, p.Plain):
            shown += part.text.replace("%", "%%")
        elif isinstance(part, p.Number) and part.field == p.YEAR and part.most > 2:
            texts += _strftime(time, shown)
            shown = f"{_YEAR}{part.least} "
        elif _SHOWN.get(_alone(part)):
            shown += _SHOWN[_alone(part)]
        else:
            texts += [*_strftime(time, shown), _odd(part, time, zone, offset_s)]
            shown = ""
    return texts + _strftime(time, shown)


def _flat(parts: Sequence[Part]) -> list[Part]:
    """What brackets hold is printed as all else."""
    return [one for part in parts for one in (_flat(part.parts) if isinstance(part, p.Optional) else (part,))]


def _alone(part: Part) -> Part:
    """The part as it would be without neighbours."""
    if isinstance(part, p.Number) and part.reserved:
        return p.Number(part.field, part.least, part.most, part.sign)
    return part


def _strftime(time: str, shown: str) -> list[str]:
    if shown.startswith(_YEAR):
        digits, _, rest = shown[1:].partition(" ")
        if not rest:
            return [f"wt_year_text(year({time}), {digits})"]
        return [f"wt_shown({time}, {digits}, {_quoted(rest)})"]
    return [f"strftime({time}, {_quoted(shown)})"] if shown else []


def _odd(part: Part, time: str, zone: str, offset_s: str) -> str:
    """SQL of what DuckDB's formats do not have."""
    match part:
        case p.Number(p.YEAR | p.YEAR_OF_ERA as field, least, most):
            year = f"year({time})" if field == p.YEAR else f"wt_year_of_era(year({time}))"
            return f"wt_two_digits(abs({year}) % 100)" if most == 2 else f"wt_year_text({year}, {least})"
        case p.Number(p.NANO, _, most):
            return f"left(strftime({time}, '%f') || '000', {most})"
        case p.Number(p.DAY_OF_YEAR):
            return f"wt_two_digits(dayofyear({time}))"
        case p.Number(p.JULIAN_DAY, least):
            return f"wt_long_text(CAST({time} AS DATE) - DATE '1858-11-17', {least})"
        case p.Number(field, least):
            return _listed([str(value).zfill(least) for value in _FEW[field][0]], _FEW[field][1].format(time))
        case p.Text(field, full):
            return _listed([TEXTS[field, full][value] for value in _FEW[field][0]], _FEW[field][1].format(time))
        case p.ZoneName(style):
            return _zone_name(style, time, zone, offset_s)
        case p.Offset(form, zero):
            return _quoted(zero) if zone == "UTC" else f"wt_offset_text({offset_s}, '{form}', '{zero}')"
    assert isinstance(part, p.OffsetOfGmt)
    return "'GMT'" if zone == "UTC" else f"wt_gmt_text({offset_s}, {str(part.full).lower()})"


def _listed(texts: Sequence[str], at: str) -> str:
    return f"[{', '.join(map(_quoted, texts))}][{at}]"


def _zone_name(style: str, time: str, zone: str, offset_s: str) -> str:
    names = zone_names().get(zone)
    if style == "id" or names is None:
        return _quoted(shown_zone(zone))
    winter, summer = names[2:] if style == "full" else names[:2]
    if winter == summer or zone == "UTC":
        return _quoted(winter)
    saved = f"{offset_s} > 0"
    if zone not in WINTER_SAVED:
        saved = f"wa_saves_light(epoch_us({time}) - CAST({offset_s} AS BIGINT) * 1000000, {_quoted(zone)})"
    return f"CASE WHEN {time} IS NULL THEN NULL WHEN {saved} THEN {_quoted(summer)} ELSE {_quoted(winter)} END"


def read_instant(pattern: str, text: str, zone: str) -> str:
    """SQL of the instant that `text` names by a Java pattern, null where it names none. Raises: PlanError."""
    quick = _quick(compiled(pattern, True))
    by_letters = read_instant_by(_quoted(pattern), text, zone)
    if quick is None:
        return by_letters
    found = quick.sql(text)
    if not quick.zoned:
        found = f"CAST({found} AS TIMESTAMPTZ)" if zone == "UTC" else f"wt_at_zone({found}, {_quoted(zone)})"
    return f"coalesce({found}, {by_letters})"


def read_instant_by(pattern: str, text: str, zone: str) -> str:
    """The same for the SQL of a pattern."""
    return f"make_timestamptz(wa_read_instant({text}, {pattern}, {_quoted(zone)}))"


def read_wall(pattern: str, text: str, zoneless: bool = False) -> str:
    """SQL of the time on a wall clock that `text` names, whatever zone it names (`zoneless`: null if it names one).
    Raises: PlanError."""
    quick = _quick(compiled(pattern, True))
    by_letters = read_wall_by(_quoted(pattern), text, zoneless)
    return by_letters if quick is None or quick.zoned else f"coalesce({quick.sql(text)}, {by_letters})"


def read_wall_by(pattern: str, text: str, zoneless: bool = False) -> str:
    """The same for the SQL of a pattern."""
    return f"make_timestamp(wa_read_{'zoneless' if zoneless else 'wall'}({text}, {pattern}))"


def _quick(parts: Sequence[Part]) -> _Quick | None:
    """How DuckDB reads by a pattern; None where it cannot."""
    regex, form, zoned = "", "", False
    fields = [part.field for part in parts if isinstance(part, p.Number | p.Text)]
    if len(set(fields)) < len(fields) or (p.HALF in fields) is not (p.HOUR_12 in fields) or _ambiguous(parts):
        return None
    if p.HOUR in fields and p.HOUR_12 in fields:
        return None
    for part in parts:
        if isinstance(part, p.Plain):
            regex += re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", part.text)
            form += part.text.replace("%", "%%")
        elif isinstance(part, p.Number) and part.field == p.NANO:
            regex += f"[0-9]{{1,{min(part.most, 6)}}}"
            form += "%f"
        elif _alone(part) in _READ:
            digits, directive = _READ[_alone(part)]
            zoned = zoned or directive == "%z"
            regex += f"(?:Z|{digits})" if isinstance(part, p.Offset) and part.zero == "Z" else f"(?:{digits})"
            form += directive
        else:
            return None
    if p.YEAR not in fields:
        regex, form = "1970 " + regex, "%Y " + form
    return _Quick(regex, form, zoned)


def _ambiguous(parts: Sequence[Part]) -> bool:
    """Whether digits of any number stand beside others: all but the first would have to be of fixed width."""
    pairs = pairwise(parts)
    return any(
        isinstance(a, p.Number) and isinstance(b, p.Number) and not (b.fixed and (a.fixed or a.field == p.YEAR))
        for a, b in pairs
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
