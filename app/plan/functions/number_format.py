"""Formats of numbers as `to_number` and `to_char` take them: `$99,999.99`, `S000D00`, `999PR`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from app.errors import PlanError

_TOKEN = re.compile(r"(?P<digits>[09]+)|(?P<point>[.D])|(?P<comma>[,G])|(?P<dollar>\$)|(?P<S>S)|(?P<MI>MI)|(?P<PR>PR)")
_ORDER = re.compile(r"<?[SM]?\$?(?:n(?:\.n?)?|\.n)?\$?[SM>]?")
_ONE_LETTER = {"point": ".", "dollar": "$", "S": "S", "MI": "M"}


@dataclass(frozen=True, slots=True)
class Digits:
    """A run of digits between commas: `exact` where it began with 0 before the point."""

    count: int
    exact: bool


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """`tokens` are `.`, `$`, `S`, `M` (an optional minus), `<` and `>`, and groups of digits: runs with None for each
    comma, in the order they are written."""

    text: str
    tokens: tuple[str | tuple[Digits | None, ...], ...]

    def digits(self, after_point: bool) -> list[Digits]:
        """The runs on one side of the point."""
        found: list[Digits] = []
        side = False
        for token in self.tokens:
            if token == ".":
                side = True
            elif isinstance(token, tuple) and side is after_point:
                found += [run for run in token if run is not None]
        return found

    @property
    def scale(self) -> int:
        return sum(run.count for run in self.digits(True))

    @property
    def precision(self) -> int:
        return self.scale + sum(run.count for run in self.digits(False))

    def plain(self) -> str | None:
        """A regular expression of texts that Spark reads by this format and that are a decimal once signs other than a
        minus, and commas, are left out: each sign in its place, commas between whole groups of digits, no blanks. Most
        texts are. None where several signs could make a number negative."""
        if sum(token in ("S", "M", "<") for token in self.tokens) > 1:
            return None
        numbers, rest = _plain_number(self), ""
        for token in self.tokens:
            if isinstance(token, tuple) or token == ".":
                rest, numbers = rest + numbers, ""
            else:
                rest += {"$": r"\$", "S": "[+-]?", "M": "-?"}.get(token, "")
        return f"<{rest}>|{rest}" if "<" in self.tokens else rest


def _plain_number(form: NumberFormat) -> str:
    """A regular expression of the digits, with one at least before the point if the format has any there."""
    whole, must, behind = "", False, form.scale
    runs = form.digits(False)
    for i, run in enumerate(runs):
        must |= run.exact
        whole += f"[0-9]{{{run.count if run.exact else 1},{run.count}}}"
        if i < len(runs) - 1:
            whole = f"{whole}," if must else f"(?:{whole},)?"
    if not whole:
        return rf"\.[0-9]{{1,{behind}}}"
    return rf"{whole}(?:\.[0-9]{{0,{behind}}})?" if behind else whole


def number_format(text: str) -> NumberFormat:
    """The format written in `text`. Raises: PlanError INVALID_FORMAT.…."""
    tokens: list[str | tuple[Digits | None, ...]] = []
    group: list[Digits | None] = []
    at, wrapped = 0, 0
    upper = text.upper()
    while at < len(upper):
        match = _TOKEN.match(upper, at)
        at, kind = (at + 1, None) if match is None else (match.end(), match.lastgroup)
        if match and kind == "digits":
            group.append(Digits(len(match[0]), match[0][0] == "0" and "." not in tokens))
            continue
        if kind == "comma":
            group.append(None)
            continue
        if group:
            tokens.append(tuple(group))
            group = []
        if kind == "PR":
            wrapped += 1
            tokens = ["<", *tokens, ">"]
        else:
            tokens.append(_ONE_LETTER.get(str(kind), "?"))
    if group:
        tokens.append(tuple(group))
    found = NumberFormat(text, tuple(tokens))
    _check(found)
    return found


def _check(found: NumberFormat) -> None:
    text, tokens = found.text, found.tokens
    shape = "".join("n" if isinstance(token, tuple) else token for token in tokens)
    if not text:
        raise _invalid(text, "EMPTY", "it is empty")
    if "n" not in shape:
        raise _invalid(text, "WRONG_NUM_DIGIT", "it has no digit")
    if shape.find("n") < shape.find("$"):
        raise _invalid(text, "CUR_MUST_BEFORE_DIGIT", "the currency sign has to stand before the digits")
    if "." in shape and shape.find(".") < shape.find("$"):
        raise _invalid(text, "CUR_MUST_BEFORE_DEC", "the currency sign has to stand before the point")
    for at, token in enumerate(tokens):
        if isinstance(token, tuple) and None in token:
            if "." in shape[:at]:
                raise _invalid(text, "THOUSANDS_SEPS_MUST_BEFORE_DEC", "a thousands separator stands behind the point")
            edges = token[0] is None or token[-1] is None
            if edges or any(a is None and b is None for a, b in pairwise(token)):
                raise _invalid(text, "CONT_THOUSANDS_SEPS", "a thousands separator has no digits on one side")
    for letter in ".SM$>":
        if shape.count(letter) > 1:
            raise _invalid(text, "WRONG_NUM_TOKEN", f"it has {letter!r} more than once")
    if not _ORDER.fullmatch(shape):
        raise _invalid(
            text,
            "UNEXPECTED_TOKEN",
            "its signs are out of order: S or MI, $, digits, a point, digits, then S, MI or PR",
        )


def _invalid(text: str, kind: str, why: str) -> PlanError:
    return PlanError(f"The format {text!r} is invalid: {why}.", code=f"INVALID_FORMAT.{kind}")
