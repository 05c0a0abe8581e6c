"""Texts letter by letter: `soundex`, `mask`."""

from __future__ import annotations

import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, by_row

_CODES = "01230127022455012623017202"


def _soundex(text: str) -> str:
    """Four signs for how an English word sounds; what does not begin with a letter is given back."""
    first = text[:1].upper()
    if not ("A" <= first <= "Z" and text[0].isascii()):
        return text
    found, last = first, _CODES[ord(first) - 65]
    for char in text[1:]:
        if not (char.isascii() and char.isalpha()):
            last = "0"
            continue
        code = _CODES[ord(char.upper()) - 65]
        if code == "7":
            continue
        if code not in ("0", last):
            found += code
            if len(found) == 4:
                break
        last = code
    return found.ljust(4, "0")


def _mask(texts: pa.Array, *replacements: pa.Array) -> pa.Array:
    """Letters and digits replaced by kind; a null replacement keeps them. Java counts letters beyond U+FFFF twice."""
    upper, lower, digit, other = (r[0].as_py() if len(r) else None for r in replacements)

    def masked(char: str) -> str:
        if ord(char) > 0xFFFF:
            return char if other is None else other * 2
        for kind, sign in ((char.isupper(), upper), (char.islower(), lower), (char.isdecimal(), digit), (True, other)):
            if kind:
                return char if sign is None else str(sign)
        raise AssertionError

    known: dict[str, str] = {}
    found: list[str | None] = []
    for text in texts.to_pylist():
        if text is not None:
            for char in set(text).difference(known):
                known[char] = masked(char)
        found.append(None if text is None else "".join(map(known.__getitem__, text)))
    return pa.array(found, type=pa.string())


FUNCTIONS = {
    "wa_soundex": ArrowFunction(by_row(_soundex, pa.string()), ("VARCHAR",), "VARCHAR"),
    "wa_mask": ArrowFunction(_mask, ("VARCHAR",) * 5, "VARCHAR"),
}
