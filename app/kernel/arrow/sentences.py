"""Text cut into sentences and words as Java's `BreakIterator` cuts it, for alphabets with capital and small letters."""

from __future__ import annotations

import re

import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, by_row, fail

_LETTER = "A-Za-zÀ-ÖØ-öø-ɏΆΈ-ϿЀ-ҁҊ-ԯ"
_KNOWN = re.compile(rf"[{_LETTER}\x21-\x7e \t\r\n\f]*")
_STOP = re.compile(r"""[.!?][.!?"')\]}]*([ \t\r\f\n]*)""")
_OPENING = re.compile(rf"""["#$%&'(*+\-/:;<=>@\[\\^_`{{|~]+([{_LETTER}]?)""")
_WORD = rf"""[{_LETTER}]+(?:[-_"'.][{_LETTER}]+)*"""
_NUMBER = r"""[0-9]+(?:["',.][0-9]+)*"""
_MIXED = rf"(?:{_NUMBER}{_WORD})*(?:{_NUMBER}[%&]?)?"
_TOKEN = re.compile(rf"(?:{_WORD}){_MIXED}|(?=[0-9]){_MIXED}|[$#.]{_MIXED}")


def _sentences(text: str) -> list[str]:
    found, start = [], 0
    for stop in _STOP.finditer(text):
        if _ends(text, stop):
            found.append(text[start : stop.end()])
            start = stop.end()
    return [*found, text[start:]] if start < len(text) else found


def _ends(text: str, stop: re.Match[str]) -> bool:
    """Whether a sentence ends behind a full stop or mark, with the brackets, quotes and blanks that follow."""
    signs, blanks, following = text[stop.start() : stop.start(1)], stop[1], text[stop.end() : stop.end() + 1]
    if "!" in signs or "?" in signs:
        return True
    if opening := _OPENING.match(text, stop.end()):
        unsettled = len(blanks) > 1 or "'" in signs or '"' in signs or opening.end() == len(text)
        if not opening[1] and unsettled:
            # Java cuts before and behind here, by how far it had looked ahead.
            fail("UNSUPPORTED_FEATURE", f"`sentences` of a text with signs and no letter behind a full stop: {text}")
        return bool(opening[1])
    if not re.match(f"[{_LETTER}]", following):
        return False
    return not following.islower() if len(blanks) == 1 else bool(blanks) or signs[-1] in "\"'"


def _words_of(text: str) -> list[list[str]]:
    if not _KNOWN.fullmatch(text):
        fail("UNSUPPORTED_FEATURE", f"`sentences` of a text with other letters or signs than it knows: {text}")
    return [[word for word in _TOKEN.findall(one) if word[0].isalnum()] for one in _sentences(text)]


FUNCTIONS = {
    "wa_sentences": ArrowFunction(by_row(_words_of, pa.list_(pa.list_(pa.string()))), ("VARCHAR",), "VARCHAR[][]"),
}
