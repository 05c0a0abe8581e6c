"""Java's regular expressions for Python's engine: those that look behind or back, which RE2 cannot say."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from re import _parser  # type: ignore[attr-defined]

from app.plan.functions.java_regex import (
    POSIX,
    check_category,
    check_flags,
    check_times,
    count_groups,
    invalid,
    letter_of,
    refused,
)

_ENDS = r"\n\r\x85\u2028\u2029"
_INSIDE_END = r"(?<!\r(?=\n))"
_AT_END = rf"(?=(?:\r\n|[{_ENDS}])?\Z){_INSIDE_END}"
_AT_LINE_END = rf"(?:\Z|(?=[{_ENDS}]){_INSIDE_END})"
_AT_LINE_START = rf"(?!\Z)(?:\A|(?<=[{_ENDS}]){_INSIDE_END})"
_SETS = {
    "d": "0-9", "w": "a-zA-Z0-9_", "s": r"\t\n\x0b\f\r ",
    "h": r" \t\xa0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000", "v": r"\n\x0b\f\r\x85\u2028\u2029",
}  # fmt: skip
_PLAIN = {"A": r"\A", "b": r"\b", "B": r"\B", "z": r"\Z", "Z": _AT_END, "R": r"(?:\r\n|[\n\x0b\f\r\x85\u2028\u2029])"}
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "a": "\a", "e": "\x1b"}
_CODE = re.compile(r"u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|x\{([0-9a-fA-F]+)\}|0([0-3]?[0-7]{1,2})|c(.)", re.DOTALL)
_PROPERTY = re.compile(r"([pP])(?:\{(\w+)\}|(\w))")
_GROUP = re.compile(r"\((?:\?(?:(<?[=!]|[:>])|<([A-Za-z][A-Za-z0-9]*)>|([a-zA-Z]*)(?:-([a-zA-Z]*))?([:)])))?")
_TIMES = re.compile(r"(?:[*+?]|\{([0-9]+)(?:,([0-9]*))?\})[?+]?")
_COMMENT = re.compile(r"(?:[ \t\n\x0b\f\r]|#[^\n\r\x85\u2028\u2029]*)*")


def to_python(function: str, pattern: str) -> str:
    """The pattern for Python's engine with the flag ASCII. Raises: PlanError for what Java cannot read, and, by its
    name, for what that engine has not."""
    reader = _Reader(function, pattern)
    try:
        found = "|".join(reader.alternatives(set()))
        if reader.at < len(pattern):
            raise invalid(function, pattern, "closes a group that is not open")
        re.compile(found, re.ASCII)
    except RecursionError:
        raise refused(function, pattern, "groups within groups too deep") from None
    except (re.error, OverflowError) as error:
        several = "look-behind" in str(error)
        what = "look-behind of texts of several lengths" if several else "a reference or repetition"
        raise refused(function, pattern, what) from None
    return found


def may_be_empty(pattern: str) -> bool:
    """Whether a pattern of `to_python` can match a text without letters."""
    shortest: int = _parser.parse(pattern, re.ASCII).getwidth()[0]
    return shortest == 0


class _Reader:
    """Reads a pattern from left to right. Flags are those of the group that is open, and change inside it."""

    def __init__(self, function: str, pattern: str) -> None:
        self.function, self.pattern, self.at, self.groups = function, pattern, 0, 0
        self.names = set[str]()

    def alternatives(self, flags: set[str]) -> list[str]:
        """What stands between `|` up to the end of the group."""
        found = [""]
        while self.at < len(self.pattern) and self.pattern[self.at] != ")":
            self._skip(flags)
            if self.pattern.startswith("|", self.at):
                self.at += 1
                found.append("")
            elif self.at < len(self.pattern) and self.pattern[self.at] != ")":
                found[-1] += self._repeated(flags)
        return found

    def _skip(self, flags: set[str]) -> int:
        """Where what counts goes on, behind the spaces and comments that the flag x allows."""
        if "x" in flags:
            space = _COMMENT.match(self.pattern, self.at)
            self.at = space.end() if space else self.at
        return self.at

    def _repeated(self, flags: set[str]) -> str:
        if self.pattern[self.at] in "*+?{":
            raise invalid(self.function, self.pattern, "repeats nothing")
        atom = self._atom(flags)
        self._skip(flags)
        times = _TIMES.match(self.pattern, self.at)
        if times is None:
            return atom
        self.at = times.end()
        check_times(self.function, self.pattern, times[1], times[2])
        if self.pattern[self.at : self.at + 1] in ("*", "+", "?"):
            raise invalid(self.function, self.pattern, "repeats a repetition")
        if self.pattern.startswith("{", self.at):
            raise refused(self.function, self.pattern, "a repetition of a repetition without a group")
        if len(times[0]) > 1 and times[0][-1] == "+":  # a possessive one of Python's may match after it failed
            return f"(?>{atom}{times[0][:-1]})"
        return f"{atom}{times[0]}"

    def _atom(self, flags: set[str]) -> str:
        char = self.pattern[self.at]
        if char == "(":
            return self._group(flags)
        if char == "[":
            self.at += 1
            return _folded(self._class(flags), flags)
        if char == "\\":
            return self._escape(flags)
        self.at += 1
        if char == ".":
            return r"[\s\S]" if "s" in flags else f"[^{_ENDS}]"
        if char == "^":
            return _AT_LINE_START if "m" in flags else r"\A"
        if char == "$":
            return _AT_LINE_END if "m" in flags else _AT_END
        return _folded(re.escape(char), flags)

    def _group(self, flags: set[str]) -> str:
        opening = _GROUP.match(self.pattern, self.at)
        if opening is None or (opening[0] == "(" and self.pattern.startswith("?", opening.end())):
            raise invalid(self.function, self.pattern, "has an unknown kind of group")
        self.at = opening.end()
        kind, name, on, off, end = opening.groups()
        if end is not None:
            check_flags(self.function, self.pattern, opening[0])
            if {*on, *(off or "")} - {*"imsxu"}:
                raise refused(self.function, self.pattern, f"the flags {opening[0]}")
            inside = flags if end == ")" else set(flags)
            inside.update(on)
            inside.difference_update(off or "")
            return "" if end == ")" else f"(?:{self._closed(inside)[0]})"
        if kind is None:
            self.groups += 1
            if name in self.names:
                raise invalid(self.function, self.pattern, f"has two groups of the name {name}")
            self.names |= {name} if name else set()
            return f"({f'?P<{name}>' if name else ''}{self._closed(set(flags))[0]})"
        whole, parts = self._closed(set(flags))
        if kind == "<!":
            return "".join(f"(?<!{part})" for part in parts)
        if kind == "<=":
            return f"(?:{'|'.join(f'(?<={part})' for part in parts)})"
        return f"(?{kind}{whole})"

    def _closed(self, flags: set[str]) -> tuple[str, list[str]]:
        """What stands in a group, whole and in its alternatives."""
        parts = self.alternatives(flags)
        if self.at == len(self.pattern):
            raise invalid(self.function, self.pattern, "has a group that is not closed")
        self.at += 1
        return "|".join(parts), parts

    def _escape(self, flags: set[str]) -> str:
        after = self.pattern[self.at + 1 : self.at + 2]
        if after == "Q":
            return "".join(_folded(re.escape(char), flags) for char in self._quoted())
        if after in _PLAIN:
            self.at += 2
            return _PLAIN[after]
        if after and after in "123456789":
            return self._back(flags)
        if named := re.compile(r"\\k<(\w+)>").match(self.pattern, self.at):
            self.at = named.end()
            if named[1] not in self.names:
                raise invalid(self.function, self.pattern, f"names the group {named[1]} before there is one")
            return _folded(f"(?P={named[1]})", flags)
        body, negated = self._member()
        return _folded(f"[{'^' if negated else ''}{body}]" if len(body) > 1 else body, flags)

    def _quoted(self) -> str:
        start = self.at + 2
        end = self.pattern.find("\\E", start)
        end = len(self.pattern) if end < 0 else end
        self.at = min(end + 2, len(self.pattern))
        return self.pattern[start:end]

    def _back(self, flags: set[str]) -> str:
        """A reference to a group: as many digits as name one."""
        end = self.at + 2
        while re.match("[0-9]", self.pattern[end:]) and int(self.pattern[self.at + 1 : end + 1]) <= self.groups:
            end += 1
        number, self.at = int(self.pattern[self.at + 1 : end]), end
        if number <= self.groups:
            return _folded(f"(?:\\{number})", flags)
        if number <= count_groups(self.pattern):
            raise refused(self.function, self.pattern, "a reference to a group behind it")
        return "(?!)"

    def _member(self) -> tuple[str, bool]:
        """An escape as the inside of brackets, and whether it means all but that."""
        start = self.at + 1
        after = self.pattern[start : start + 1]
        if after.lower() in _SETS and after:
            self.at = start + 1
            return _SETS[after.lower()], after.isupper()
        if found := _PROPERTY.match(self.pattern, start):
            self.at = found.end()
            return self._property(found[2] or found[3]), found[1] == "P"
        if code := _CODE.match(self.pattern, start):
            self.at = code.end()
            if code[5] or code[4]:
                return re.escape(chr(ord(code[5]) ^ 64 if code[5] else int(code[4], 8))), False
            return re.escape(letter_of(self.function, self.pattern, code[code.lastindex or 0])), False
        self.at = start + 1
        if after in _CONTROLS:
            return re.escape(_CONTROLS[after]), False
        if not after:
            raise invalid(self.function, self.pattern, "has a backslash at its end")
        if after in "GX" or self.pattern.startswith("N{", start) or re.match(r"[pP]\{\w+=", self.pattern[start:]):
            raise refused(self.function, self.pattern, f"the escape \\{after}")
        if after.isascii() and after.isalnum():
            raise invalid(self.function, self.pattern, f"has the unknown escape \\{after}")
        return re.escape(after), False

    def _property(self, name: str) -> str:
        if name in POSIX:
            return POSIX[name]
        if not check_category(self.function, self.pattern, name):
            raise refused(self.function, self.pattern, f"the property {name}")
        return _category(name.removeprefix("Is"))

    def _class(self, flags: set[str]) -> str:
        """Brackets behind their opening: unions, cut with one another by `&&`."""
        negated = self.pattern.startswith("^", self.at)
        self.at += negated
        operands = [operand for operand in self._operands(flags) if operand]
        whole = "".join(f"(?={operand})" for operand in operands[:-1]) + operands[-1]
        if not negated:
            return f"(?:{whole})" if len(operands) > 1 else whole
        if len(operands) == 1 and re.match(r"\[(?!\^)", whole):
            return f"[^{whole[1:]}"
        return rf"(?:(?!{whole})[\s\S])"

    def _operands(self, flags: set[str]) -> Iterator[str]:
        simple, nested, first = "", list[str](), True
        while self._skip(flags) < len(self.pattern):
            if self.pattern.startswith("&&", self.at):
                if self.pattern.startswith("&&&", self.at):
                    raise refused(self.function, self.pattern, "&&& inside brackets")
                yield _union(simple, nested)
                simple, nested, self.at, first = "", [], self.at + 2, False
            elif self.pattern[self.at] == "[":
                self.at += 1
                nested.append(self._class(flags))
            elif self.pattern[self.at] == "]" and not first:
                self.at += 1
                yield _union(simple, nested)
                return
            else:
                body, negated = self._span()
                if negated:
                    nested.append(f"[^{body}]")
                else:
                    simple += body
            first = False
        raise invalid(self.function, self.pattern, "has a bracket that is not closed")

    def _span(self) -> tuple[str, bool]:
        """One member of brackets, or those from one to another."""
        low, negated = self._single()
        if negated or not _is_one(low) or not re.match(r"-[^\]\[]", self.pattern[self.at :]):
            return low, negated
        self.at += 1
        high, _ = self._single()
        if not _is_one(high) or low[-1:] > high[-1:]:
            raise invalid(self.function, self.pattern, f"has the range {low}-{high} from behind")
        return f"{low}-{high}", False

    def _single(self) -> tuple[str, bool]:
        if self.pattern.startswith("\\Q", self.at):
            return "".join(map(re.escape, self._quoted())), False
        if self.pattern[self.at] == "\\":
            return self._member()
        self.at += 1
        return re.escape(self.pattern[self.at - 1]), False


def _union(simple: str, nested: list[str]) -> str:
    parts = ([f"[{simple}]"] if simple else []) + nested
    return parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})" if parts else ""


def _is_one(member: str) -> bool:
    """Whether it is one character, and so may begin or end a range."""
    return len(member) == 1 or (len(member) == 2 and member[0] == "\\")


def _folded(atom: str, flags: set[str]) -> str:
    """What matches one character or a group's text, whatever its case under the flag i."""
    if "i" not in flags:
        return atom
    return f"(?{'iu' if 'u' in flags else 'i'}:{atom})"


@cache
def _category(name: str) -> str:
    """The letters of a category as the inside of brackets."""
    spans: list[list[int]] = []
    for code in range(0x110000):
        if unicodedata.category(chr(code)).startswith(name):
            if spans and spans[-1][1] == code - 1:
                spans[-1][1] = code
            else:
                spans.append([code, code])
    return "".join(f"{re.escape(chr(low))}-{re.escape(chr(high))}" for low, high in spans)
