"""URLs: their parts, and texts written as a part of one."""

from __future__ import annotations

import re

from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const
from app.plan.functions.entry import Function
from app.plan.functions.signature import STRING, TOO_LONG, once, scalar

_TEXT = t.StringType()


_LABEL = "[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_LETTER = "[A-Za-z0-9._~-]"
_SIGN = "(?:[A-Za-z0-9._~=:,;!$*()+-]|%[0-9A-Fa-f]{2})"
_PLAIN = (
    rf"[a-z]+://(?:{_LETTER}+@)?{_LABEL}(?:\.{_LABEL})*(?::[0-9]+)?(?:/(?:{_SIGN}|/)*)?"
    rf"(?:\?(?:{_SIGN}|[/&])*)?(?:#(?:{_SIGN}|[/&])*)?"
)
"""Most URLs: each part has signs that are no other part's marks, so that it can be cut out by them."""
_CUTS = {
    "PROTOCOL": "^([a-z]+):", "USERINFO": "^[a-z]+://([^@]*)@", "AUTHORITY": "^[a-z]+://([^/?#]*)",
    "PATH": "^[a-z]+://[^/?#]*((?:/[^?#]*)?)", "FILE": "^[a-z]+://[^/?#]*((?:[/?][^#]*)?)",
}  # fmt: skip
"""What can be found without going back on a letter: anything else costs RE2 several times as much."""
_MARKS = {"USERINFO": "@", "QUERY": "?", "REF": "#"}
"""A part that may be missing is there where its mark is."""


def _part(name: str, safe: str) -> Function:
    def show(call: Apply | AggCall, args: tuple[str, ...]) -> str:
        if len(args[0]) >= TOO_LONG:
            return once(args[0], "url", show(call, ("url", *args[1:])))
        function = "wa_url_part" if len(args) == 2 else "wa_url_value"
        ours = f"{function}({', '.join(args)}, {safe})"
        part, *key = (arg.value if isinstance(arg, Const) else None for arg in call.args[1:])
        found = _quick_value(args[0], key[0]) if key and part == "QUERY" else None if key else _quick(args[0], part)
        if found is None:
            return ours
        return f"CASE WHEN regexp_full_match({args[0]}, '{_PLAIN}') THEN {found} ELSE {ours} END"

    return scalar(name, (STRING, STRING, STRING), _TEXT, show, optional=1, nullable=True)


def _quick(url: str, part: object) -> str | None:
    cut = _CUTS.get(str(part))
    match part:
        case "HOST":
            hosts = (f"regexp_extract({url}, '^[a-z]+://{user}([^:/?#]*)', 1)" for user in ("[^@]*@", ""))
            return f"CASE WHEN contains({url}, '@') THEN {next(hosts)} ELSE {next(hosts)} END"
        case "QUERY":
            found = f"split_part(split_part({url}, '?', 2), '#', 1)"
        case "REF":
            found = f"split_part({url}, '#', 2)"
        case _ if cut is None:
            return None
        case _:
            found = f"regexp_extract({url}, '{cut}', 1)"
    mark = _MARKS.get(str(part))
    return f"CASE WHEN contains({url}, '{mark}') THEN {found} END" if mark else found


def _quick_value(url: str, key: object) -> str | None:
    if not re.fullmatch("[A-Za-z0-9_-]+", str(key)) or key is None:
        return None
    # A path has no ampersand and a fragment no question mark; but a fragment may have what looks like a pair.
    pair = f"[?&]{key}="
    return (
        f"CASE WHEN regexp_matches(split_part({url}, '#', 1), '{pair}') "
        f"THEN regexp_extract(split_part({url}, '#', 1), '{pair}([^&]*)', 1) END"
    )


FUNCTIONS: tuple[Function, ...] = (
    _part("parse_url", "false"),
    _part("try_parse_url", "true"),
    scalar("url_encode", (STRING,), _TEXT, "wt_url_encode({0})", nullable=True),
    scalar("url_decode", (STRING,), _TEXT, "wt_url_decode({0}, false)", nullable=True),
    scalar("try_url_decode", (STRING,), _TEXT, "wt_url_decode({0}, true)", nullable=True),
)
