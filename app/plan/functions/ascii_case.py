"""RE2 patterns under Java's flag i, which knows two cases of ASCII letters only; RE2's own folds all of Unicode."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"(?P<name>\(\?P<\w+>)|\(\?(?P<on>[a-zA-Z]*)(?:-(?P<off>[a-zA-Z]*))?(?P<end>[:)])|(?P<property>\\[pP]\{\w+\})"
    r"|(?P<code>\\x\{[0-9a-fA-F]+\}|\\x[0-9a-fA-F]{2})|\\.|(?P<plain>.)",
    re.DOTALL,
)
_MEMBER = r"\\x\{[0-9a-fA-F]+\}|\\x[0-9a-fA-F]{2}|\\[tnrfa]|\\[^a-zA-Z0-9]|[^\\]"
_IN_CLASS = re.compile(
    rf"(?P<property>\\[pP]\{{\w+\}})|(?P<low>{_MEMBER})(?:-(?P<high>{_MEMBER}))?|\\[a-zA-Z]", re.DOTALL
)
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "a": "\a"}
_CASED = r"\p{Lu}\p{Ll}\p{Lt}"
_CASED_PROPERTY = re.compile(r"\\([pP])\{L[ult]\}")
"""Java takes one case of a category for all three under the flag."""

_BOTH = ({*"sS"}, {*"kK"})
"""RE2 takes the brackets `[sS]` beside a `|` for an s of any case, which is the long s too; s|S it does not."""


def spell_cases(pattern: str) -> str | None:
    """The pattern with the flag i only where u stands too, and letters in both cases where i stood alone; None where
    RE2 cannot say it."""
    out, at = "", 0
    flags = [frozenset[str]()]
    while at < len(pattern):
        if pattern[at] == "[":
            end = _class_end(pattern, at)
            spelt = _class(pattern[at + 1 : end]) if flags[-1] == {"i"} else pattern[at + 1 : end]
            if spelt is None:
                return None
            both = flags[-1] == {"i"} and {*spelt} in _BOTH
            out, at = out + (f"(?:{spelt[-1].lower()}|{spelt[-1].upper()})" if both else f"[{spelt}]"), end + 1
            continue
        found = _TOKEN.match(pattern, at)
        assert found is not None
        at = found.end()
        out += _flags(found, flags) if found["end"] else _piece(found, flags)
    return out


def _flags(found: re.Match[str], flags: list[frozenset[str]]) -> str:
    """`(?s)` or `(?s:` for RE2. What stands of i and u is kept in flags, one entry an open group."""
    on, off, before = {*found["on"]}, {*(found["off"] or "")}, flags[-1]
    now = (before | (on & {*"iu"})) - off
    if found["end"] == ":":
        flags.append(now)
    else:
        flags[-1] = now
    folds = len(now) == 2
    if folds != (len(before) == 2):
        (on if folds else off).add("I")
    set_, cleared = ("".join(sorted(each - {*"iu"})).replace("I", "i") for each in (on, off))
    rest = f"{set_}-{cleared}".rstrip("-")
    return f"(?{rest}{found['end']}" if rest or found["end"] == ":" else ""


def _piece(found: re.Match[str], flags: list[frozenset[str]]) -> str:
    text = found[0]
    if found["name"] or text == "(":
        flags.append(flags[-1])
    elif text == ")":
        flags.pop()
    elif len(flags[-1]) == 2 and text in (r"\w", r"\W"):
        return f"(?-i:{text})"
    elif flags[-1] != {"i"}:
        return text
    elif cased := _CASED_PROPERTY.fullmatch(text):
        return f"[{'^' if cased[1] == 'P' else ''}{_CASED}]"
    elif found["code"] or found["plain"]:
        char = chr(_code(text))
        return f"(?:{char}|{char.swapcase()})" if char.isascii() and char.isalpha() else text
    return text


def _class_end(pattern: str, at: int) -> int:
    """Where the bracket that opens at this place closes; one that stands first is a character."""
    at += 2 if pattern[at + 1] == "^" else 1
    first = True
    while pattern[at] != "]" or first:
        at += 2 if pattern[at] == "\\" else 1
        first = False
    return at


def _class(inside: str) -> str | None:
    """The inside of brackets with the other case of every ASCII letter in it."""
    negation, body = ("^", inside[1:]) if inside.startswith("^") else ("", inside)
    others = ""
    for found in _IN_CLASS.finditer(body):
        if found["low"]:
            others += _other_cases(_code(found["low"]), _code(found["high"] or found["low"]))
        elif cased := _CASED_PROPERTY.fullmatch(found[0]):
            if cased[1] == "P":
                return None
            others += _CASED
    return negation + others + ("\\" if others and body[0] in "]-" else "") + body


def _other_cases(low: int, high: int) -> str:
    spans = ""
    for first, last, step in ((65, 90, 32), (97, 122, -32)):
        start, end = max(low, first) + step, min(high, last) + step
        if start <= end:
            spans += chr(start) if start == end else f"{chr(start)}-{chr(end)}"
    return spans


def _code(member: str) -> int:
    if member.startswith("\\x") and len(member) > 2:
        return int(member[2:].strip("{}"), 16)
    return ord(_CONTROLS.get(member[-1], member[-1]) if member[0] == "\\" and len(member) > 1 else member)
