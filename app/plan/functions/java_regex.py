"""Java's regular expressions rewritten for RE2, where both can say the same."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.errors import PlanError
from app.plan.functions.ascii_case import spell_cases

_META = set("\\^$.|?*+()[]{}")
_FLAGS = re.compile(r"\(\?[a-zA-Z]*(?:-[a-zA-Z]*)?[):]")
_DOT = r"[^\n\r\x{85}\x{2028}\x{2029}]"
_SPACE = r"\t\n\x0B\f\r "
POSIX = {
    "Lower": "a-z", "Upper": "A-Z", "ASCII": r"\x00-\x7F", "Alpha": "a-zA-Z", "Digit": "0-9", "Alnum": "a-zA-Z0-9",
    "Punct": r"!-/:-@\[-`{-~", "Graph": "!-~", "Print": " -~", "Blank": r" \t", "Cntrl": r"\x00-\x1F\x7F",
    "XDigit": "0-9a-fA-F", "Space": _SPACE,
}  # fmt: skip
_REFERENCE = re.compile(r"\$(?:\{(\w+)\}|([0-9]))")
_DIGIT = re.compile("[0-9]")
Parts = tuple[str | int, ...]
_MOST_TIMES = 1000
_DEEPEST = 100
_LAST_LETTER = 0x10FFFF
_LAST_TIMES = (1 << 31) - 1
_CATEGORY = re.compile("L[ultmo]?|M[nec]?|N[dlo]?|P[dsecoif]?|S[mcko]?|Z[slp]?|C[cfosn]?")
_SPAN = re.compile(r"([^\\\]\[&-])-([^\\\]\[])")
"""From one character to another, inside brackets."""
_LOOK = {"(?=": "look-ahead", "(?!": "look-ahead", "(?<=": "look-behind", "(?<!": "look-behind", "(?>": "atomic groups"}


def literal_text(pattern: str) -> str | None:
    """The text a pattern without operators stands for, or None if it has any."""
    text, at = "", 0
    while at < len(pattern):
        char = pattern[at]
        if char == "\\" and at + 1 < len(pattern) and not pattern[at + 1].isalnum():
            text, at = text + pattern[at + 1], at + 2
        elif char in _META:
            return None
        else:
            text, at = text + char, at + 1
    return text


def count_groups(pattern: str) -> int:
    """How many capturing groups the pattern has."""
    found, at, in_class = 0, 0, False
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 1
        elif in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
        elif char == "(" and (pattern[at + 1 : at + 2] != "?" or re.match(r"\(\?<[A-Za-z]", pattern[at:])):
            found += 1
        at += 1
    return found


def searched(pattern: str) -> str:
    """The pattern for a search: Java's $ also stands before a line end that ends the text."""
    if not pattern.endswith("$") or pattern.endswith("\\$"):
        return pattern
    return pattern[:-1] + r"(?:\r\n|[\n\r\u0085\u2028\u2029])?\z"


def to_re2(function: str, pattern: str) -> str:
    """The pattern in RE2's language. Raises: PlanError for what Java cannot read, and for what RE2 has not, by its
    name."""
    out: list[str] = []
    at, depth, product = 0, 0, 1
    repeatable = repeated = False
    while at < len(pattern):
        if pattern[at] in "*+?{":
            if not repeatable:
                raise invalid(function, pattern, f"has nothing to repeat before {pattern[at]!r}")
            piece, at = _quantifier(function, pattern, at, repeated)
            repeated = True
            product *= max(1, *map(int, re.findall("[0-9]+", piece) or ["1"]))
        else:
            piece, at = _next(function, pattern, at)
            depth += {"(": 1, ")": -1}.get(piece[:1], 0) * (piece[-1:] != ")" or piece == ")")
            if depth < 0:
                raise invalid(function, pattern, "closes a group that is not open")
            if piece:
                repeatable, repeated = piece[0] not in "(|", False
        out.append(piece)
        if depth > _DEEPEST or product > (10 if r"\p" in pattern.lower() else _MOST_TIMES):
            raise refused(function, pattern, "more than RE2 has room for")
    if depth:
        raise invalid(function, pattern, "has a group that is not closed")
    names = [piece for piece in out if piece.startswith("(?P<")]
    if len(names) != len({*names}):
        raise invalid(function, pattern, "has two groups of one name")
    return _cased(function, pattern, _any_letter(function, pattern, out))


def _any_letter(function: str, pattern: str, pieces: list[str]) -> list[str]:
    """The pieces with dots that match line ends where the pattern begins with the flag s. Raises: PlanError where it
    stands elsewhere."""
    flagged = [at for at, piece in enumerate(pieces) if _FLAGS.match(piece) and "s" in piece]
    if not flagged:
        return pieces
    if flagged != [0] or pieces[0].endswith(":") or "-" in pieces[0]:
        raise refused(function, pattern, "the flag s behind the beginning of a pattern")
    return ["(?s:.)" if piece == _DOT else piece for piece in pieces]


def _cased(function: str, pattern: str, pieces: list[str]) -> str:
    """The translated pieces with Java's meaning of the flags i and u."""
    flags = {letter for piece in pieces if _FLAGS.match(piece) for letter in piece} & {*"iu"}
    if not flags:
        return "".join(pieces)
    if "u" in flags and re.search(r"\\[pP]", pattern):
        raise refused(function, pattern, "the flag u beside \\p")
    spelt = spell_cases("".join(pieces))
    if spelt is None:
        raise refused(function, pattern, "a negated case of letters inside brackets under the flag i")
    return spelt


def _quantifier(function: str, pattern: str, at: int, repeated: bool) -> tuple[str, int]:
    """`*`, `+`, `?` or `{n,m}`, and the `?` that makes it reluctant."""
    found = re.match(r"(?:[*+?]|\{([0-9]+)(?:,([0-9]*))?\})([?+]?)", pattern[at:])
    if found is None or (repeated and not found[1]):
        raise invalid(function, pattern, f"has a {pattern[at]!r} that repeats nothing")
    least, most = int(found[1] or 0), int(found[2] or found[1] or 0)
    check_times(function, pattern, found[1], found[2])
    if repeated:
        raise refused(function, pattern, "a repetition of a repetition without a group")
    if found[3] == "+":
        raise refused(function, pattern, "possessive quantifiers")
    if max(least, most) > _MOST_TIMES:
        raise refused(function, pattern, f"a repetition of more than {_MOST_TIMES} times")
    return found[0], at + found.end()


def check_times(function: str, pattern: str, least: str | None, most: str | None) -> None:
    """Raises: PlanError for numbers of a repetition that Java cannot read."""
    if int(least or 0) > _LAST_TIMES or int(most or 0) > _LAST_TIMES or (most and int(most) < int(least or 0)):
        raise invalid(function, pattern, f"repeats from {least} to {most or least} times")


def _next(function: str, pattern: str, at: int) -> tuple[str, int]:
    char = pattern[at]
    if char == "\\":
        return _escape(function, pattern, at, in_class=False)
    if char == "[":
        return _bracket(function, pattern, at)
    if char == ".":
        return _DOT, at + 1
    if char == "$":
        raise refused(function, pattern, "$ before a line end")
    if char != "(" or pattern[at + 1 : at + 2] != "?":
        return char, at + 1
    for opening, name in _LOOK.items():
        if pattern.startswith(opening, at):
            raise refused(function, pattern, name)
    if named := re.match(r"\(\?(<[A-Za-z][A-Za-z0-9]*>)", pattern[at:]):
        return f"(?P{named[1]}", at + named.end()
    flags = _FLAGS.match(pattern[at:])
    if flags is None:
        raise invalid(function, pattern, "has an unknown kind of group")
    check_flags(function, pattern, flags[0])
    if set(flags[0]) & set("dxU") or flags[0][2] in "-)":
        raise refused(function, pattern, f"the flags {flags[0]}")
    return flags[0], at + flags.end()


def check_flags(function: str, pattern: str, flags: str) -> None:
    """Raises: PlanError for flags that Java has not."""
    if {*flags} - {*"(?idmsuxU-:)"}:
        raise invalid(function, pattern, f"has the unknown flags {flags}")


def letter_of(function: str, pattern: str, code: str) -> str:
    """The letter of a hexadecimal number. Raises: PlanError where there is none."""
    number = int(code, 16)
    if number > _LAST_LETTER:
        raise invalid(function, pattern, f"has a letter beyond {_LAST_LETTER:X}")
    if 0xD800 <= number < 0xE000:
        raise refused(function, pattern, "half a letter beyond FFFF")
    return chr(number)


def check_category(function: str, pattern: str, name: str) -> bool:
    """Whether a property is a general category. Raises: PlanError where Java has no property of this name."""
    if _CATEGORY.fullmatch(name.removeprefix("Is")):
        return True
    if not name.startswith(("Is", "In", "java")) and name not in ("LC", "LD", "L1", "all"):
        raise invalid(function, pattern, f"has the unknown property {name!r}")
    return False


def _escape(function: str, pattern: str, at: int, in_class: bool) -> tuple[str, int]:
    after = pattern[at + 1 : at + 2]
    if not after:
        raise invalid(function, pattern, "has a backslash at its end")
    if after == "Q":
        end = pattern.find("\\E", at)
        end = len(pattern) if end < 0 else end
        return re.sub(r"([^A-Za-z0-9\s])", r"\\\1", pattern[at + 2 : end]), end + 2
    if after == "u":
        code = pattern[at + 2 : at + 6]
        if not re.fullmatch("[0-9a-fA-F]{4}", code):
            raise invalid(function, pattern, "has an incomplete \\u escape")
        letter_of(function, pattern, code)
        return f"\\x{{{code}}}", at + 6
    if after == "x":
        hexed = re.compile(r"\\x(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{2}))").match(pattern, at)
        if hexed is None:
            raise invalid(function, pattern, "has an incomplete \\x escape")
        return f"\\x{{{ord(letter_of(function, pattern, hexed[1] or hexed[2])):x}}}", hexed.end()
    if after == "p" or after == "P":
        return _property(function, pattern, at, in_class)
    if after == "s":
        return (_SPACE if in_class else f"[{_SPACE}]"), at + 2
    if after == "S" and not in_class:
        return f"[^{_SPACE}]", at + 2
    if after in "123456789":
        raise refused(function, pattern, "back-references")
    if in_class and after in "bBAzZGRX":
        raise invalid(function, pattern, f"has \\{after} inside brackets")
    if after in "kGZhHRXNVvceS0E":
        raise refused(function, pattern, f"the escape \\{after}")
    if after.isascii() and after.isalpha() and after not in "tnrfadDwWbBAz":
        raise invalid(function, pattern, f"has the unknown escape \\{after}; double the backslash if you mean one")
    return ("\\" if after.isascii() else "") + after, at + 2


def _property(function: str, pattern: str, at: int, in_class: bool) -> tuple[str, int]:
    found = re.match(r"\\([pP])(?:\{(\w+)\}|(\w))", pattern[at:])
    if not found:
        raise refused(function, pattern, "a property that is no word")
    name, negated = found[2] or found[3], found[1] == "P"
    end = at + found.end()
    if name in POSIX:
        if negated and in_class:
            raise refused(function, pattern, f"\\P{{{name}}} inside brackets")
        inside = POSIX[name]
        return (inside if in_class else f"[{'^' if negated else ''}{inside}]"), end
    if check_category(function, pattern, name) and name not in ("C", "Cn", "IsC", "IsCn"):
        return f"\\{found[1]}{{{name.removeprefix('Is')}}}", end
    if name in ("IsLatin", "IsGreek", "IsCyrillic", "IsHan"):
        return f"\\{found[1]}{{{name[2:]}}}", end
    raise refused(function, pattern, f"the property {name}")


def _bracket(function: str, pattern: str, at: int) -> tuple[str, int]:
    out, at = "[", at + 1
    if pattern[at : at + 1] == "^":
        out, at = "[^", at + 1
    first = True
    while at < len(pattern):
        char = pattern[at]
        if char == "]" and not first:
            return out + "]", at + 1
        if char == "[" or pattern.startswith("&&", at):
            raise refused(function, pattern, "nested brackets or && inside brackets")
        if char == "\\":
            piece, end = _escape(function, pattern, at, in_class=True)
            if pattern[at + 1] not in "dDwWs" and re.match(r"-[^\]]", pattern[end:]):
                raise refused(function, pattern, "a range from an escape")
            out, at = out + piece, end
        elif pattern.startswith("-\\", at + 1):
            raise refused(function, pattern, "a range to an escape")
        else:
            if (span := _SPAN.match(pattern, at)) and span[1] > span[2]:
                raise invalid(function, pattern, f"has the range {span[0]} from behind")
            out, at = (out + span[0], span.end()) if span else (out + char, at + 1)
        first = False
    raise invalid(function, pattern, "has a bracket that is not closed")


def replacement_parts(function: str, replacement: str, groups: int, names: Mapping[str, int] | None = None) -> Parts:
    """Java's replacement text ($1, ${name}, \\$) as texts and numbers of groups. Raises: PlanError."""
    parts: list[str | int] = []
    at = 0
    while at < len(replacement):
        if replacement[at] == "$":
            found = _REFERENCE.match(replacement, at)
            if found is None:
                raise _no_group(function, replacement, groups)
            number = (names or {}).get(found[1], -1) if found[1] else int(found[2])
            if not 0 <= number <= groups:
                raise _no_group(function, replacement, groups)
            at = found.end()
            while _DIGIT.match(replacement, at) and found[2] and number * 10 + int(replacement[at]) <= groups:
                number, at = number * 10 + int(replacement[at]), at + 1
            parts.append(number)
            continue
        at += replacement[at] == "\\"
        if at == len(replacement):
            raise _no_group(function, replacement, groups)
        parts.append(replacement[at])
        at += 1
    return tuple(parts)


def replacement_to_re2(function: str, replacement: str, groups: int) -> str:
    """Java's replacement text as RE2's (\\1). Raises: PlanError."""
    parts = replacement_parts(function, replacement, groups)
    return "".join(f"\\{part}" if isinstance(part, int) else part.replace("\\", "\\\\") for part in parts)


def _no_group(function: str, replacement: str, groups: int) -> PlanError:
    return PlanError(
        f"The replacement {replacement!r} of `{function}` names a group the pattern has not; it has {groups}. Write "
        "\\$ for a dollar sign.",
        code="INVALID_REGEXP_REPLACE",
    )


def invalid(function: str, pattern: str, what: str) -> PlanError:
    """The error for a pattern that Java cannot read."""
    return PlanError(
        f"The value of parameter(s) `regexp` in `{function}` is invalid: {pattern!r} {what}.",
        code="INVALID_PARAMETER_VALUE.PATTERN",
        function=function,
    )


def refused(function: str, pattern: str, what: str) -> PlanError:
    """The error for a pattern that is not supported here."""
    return PlanError(
        f"The pattern {pattern!r} of `{function}` uses {what}, which is not supported here. Write it without.",
        code="UNSUPPORTED_FEATURE.REGEX",
        function=function,
    )
