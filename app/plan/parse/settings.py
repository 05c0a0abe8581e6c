"""SET and RESET, whose keys and values are no tokens of SQL."""

from __future__ import annotations

import re

from app.plan.parse import intervals
from app.plan.parse.text import Text, rejected
from app.plan.statements import ResetConf, SetConf, Statement

_FLAGS = re.IGNORECASE | re.DOTALL
_HEAD = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*(?P<word>SET|RESET)\b(?!\s*\.)\s*(?P<rest>.*?)[\s;]*", _FLAGS)
_KEY = r"(?P<key>`(?:[^`]|``)+`|[\w.:\[\]/-]+)"
_PAIR = re.compile(rf"{_KEY}\s*=\s*(?P<value>.*)", _FLAGS)
_ALONE = re.compile(_KEY, _FLAGS)
_ZONE = re.compile(r"TIME\s+ZONE(?:\s+(?P<zone>.*))?", _FLAGS)
_TIME_ZONE = "spark.sql.session.timeZone"


def setting(text: str) -> Statement | None:
    """The statement, if it is SET or RESET of a setting; None for anything else, SET VARIABLE too.

    >>> setting("SET a.b = two words")
    SetConf(key='a.b', value='two words', described=False)

    Raises: ParseError."""
    head = _HEAD.fullmatch(text)
    if head is None or re.match(r"(?:VAR|VARIABLE)\s+[^\s=]+\s*=|(?:VAR|VARIABLE)\s*\(", head["rest"], _FLAGS):
        return None
    rest, start = head["rest"].strip(), head.start("word")
    if head["word"].upper() == "RESET":
        if rest and not _ALONE.fullmatch(rest):
            raise rejected(text, start, len(text.rstrip()), "INVALID_RESET_COMMAND_FORMAT", _WRONG_RESET)
        return ResetConf(_unquoted(rest) if rest else None)
    if zone := _ZONE.fullmatch(rest):
        return SetConf(_TIME_ZONE, _zone(text, start, (zone["zone"] or "").strip()))
    if not rest:
        return SetConf()
    if (pair := _PAIR.fullmatch(rest)) and (";" not in pair["value"] or pair["value"].startswith("`")):
        return SetConf(_unquoted(pair["key"]), _unquoted(pair["value"].strip()))
    if rest == "-v":
        return SetConf(described=True)
    if _ALONE.fullmatch(rest):
        return SetConf(_unquoted(rest))
    raise rejected(text, start, len(text.rstrip()), "INVALID_SET_SYNTAX", _WRONG_SET)


def _unquoted(text: str) -> str:
    quoted = len(text) > 1 and text[0] == text[-1] == "`"
    return text[1:-1].replace("``", "`") if quoted else text


def _zone(text: str, start: int, zone: str) -> str:
    """A zone in quotes, LOCAL, or an interval of hours and minutes."""
    if zone.upper() == "LOCAL":
        return "LOCAL"
    tokens = Text(zone)
    if tokens.next.kind == "string":
        return tokens.next.text
    micros = _offset(tokens) if tokens.at("INTERVAL") else None
    if micros is None or micros % 1_000_000:
        raise rejected(
            text, start, len(text.rstrip()), "_LEGACY_ERROR_TEMP_0045", "Invalid time zone displacement value."
        )
    seconds = abs(micros) // 1_000_000
    if seconds > 18 * 3600:
        raise rejected(
            text,
            start,
            len(text.rstrip()),
            "INVALID_INTERVAL_FORMAT.TIMEZONE_INTERVAL_OUT_OF_RANGE",
            "The interval value must be in the range of [-18, +18] hours with second precision.",
        )
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}" + (f":{seconds % 60:02}" if seconds % 60 else "")
    return f"{'-' if micros < 0 else '+'}{clock}"


def _offset(tokens: Text) -> int | None:
    words = []
    while tokens.next.kind != "end":
        words.append(tokens.advance())
    try:
        if len(words) == 5 and words[3].word == "TO":
            found = intervals.from_range(words[1].text, intervals.unit(words[2].word), intervals.unit(words[4].word))
        else:
            found = intervals.from_text(" ".join(word.text for word in words[1:]))
    except ValueError:
        return None
    span = found.value
    return None if isinstance(span, int) else int(span / intervals.MICROSECOND)


_WRONG_SET = (
    "Expected format is 'SET', 'SET key', or 'SET key=value'. If you want to include special characters in key, or "
    "include semicolon in value, please use backquotes, e.g., SET `key`=`value`."
)
_WRONG_RESET = (
    "Expected format is 'RESET' or 'RESET key'. If you want to include special characters in key, please use "
    "backquotes, e.g., RESET `key`."
)
