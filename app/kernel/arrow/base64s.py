"""Base64 with line breaks, without its padding, or broken. A batch is read as one text, each value's letters filled up
to whole groups of four."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, by_row, fail
from app.kernel.arrow.flat import Flat, Numbers, column_of, counted, ends_of, flat, replaced

_LETTER = re.compile("[A-Za-z0-9+/]")
_BLANK = re.compile("[\t-\r\x1c-\x20\u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]")
"""What Java takes for white space."""
_FILL = ord("=")
_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_LETTERS = bytes(i if i in _ALPHABET else ord("A") for i in range(256))
_STRICT = b"\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f "
_MIME = bytes(i for i in range(256) if i not in _ALPHABET + b"=")
"""What is passed over."""
_LOOSE = {_STRICT: re.compile(b"=[" + re.escape(_STRICT) + b"]"), _MIME: re.compile(b"=[" + re.escape(_MIME) + b"]+=")}
"""Padding that is not at the end, or parted: seldom right."""


def _flags(data: bytes, among: bytes) -> Numbers:
    """For each byte, whether the table says so."""
    return np.frombuffer(data.translate(among), dtype=bool)


def _among(signs: bytes) -> bytes:
    return bytes(i in signs for i in range(256))


_IS_LETTER, _IS_KNOWN = _among(_ALPHABET), _among(_ALPHABET + b"=")
_IS_PASSED_OVER = {signs: _among(signs) for signs in (_STRICT, _MIME)}


def _read(values: Flat, passed_over: bytes, nulls_of: pa.Array) -> tuple[pa.Array, Numbers]:
    """The bytes of all values, and for which rows they are right."""
    offsets, given = values.offsets, values.letters.tobytes()
    data = given.translate(None, passed_over)
    letters = np.frombuffer(data, dtype=np.uint8)
    if len(data) < len(given):
        offsets = offsets - ends_of(counted(_flags(given, _IS_PASSED_OVER[passed_over]), offsets))
    sizes = offsets[1:] - offsets[:-1]
    padding, right = counted(letters == _FILL, offsets), np.ones(len(sizes), dtype=bool)
    if len(data) < len(given) and (loose := [found.start() for found in _LOOSE[passed_over].finditer(given)]):
        right[np.searchsorted(values.offsets, loose, side="right") - 1] = False
    # A strange sign, or padding that is neither the last nor stands before padding.
    strange = ~_flags(data, _IS_LETTER)
    strange[:-1] &= letters[1:] != _FILL
    strange[offsets[1:][sizes > 0] - 1] = False
    strange |= ~_flags(data, _IS_KNOWN)
    if strange.any():
        right[np.searchsorted(offsets, np.flatnonzero(strange), side="right") - 1] = False
    if (sizes & 3).any():
        missing = -sizes % 4
        right &= (missing == 0) | ((padding == 0) & (missing < 3))
        wider = ends_of(sizes + missing)
        filled = np.full(int(wider[-1]), _FILL, dtype=np.uint8)
        filled[np.arange(len(letters)) + np.repeat(wider[:-1] - offsets[:-1], sizes)] = letters
        letters, offsets, padding = filled, wider, padding + missing
    right &= padding < 3
    found = np.frombuffer(base64.b64decode(letters.tobytes().translate(_LETTERS)), dtype=np.uint8)
    places = np.flatnonzero(letters == _FILL)
    kept = np.ones(len(found), dtype=bool)
    kept[(3 * (places >> 2) + (places & 3) - 1)[places & 3 > 0]] = False
    sizes = 3 * (np.diff(offsets) >> 2) - (padding if right.all() else counted(~kept, offsets // 4 * 3))
    return column_of(np.compress(kept, found), ends_of(sizes), pa.binary(), nulls_of), right


def _function(passed_over: bytes, by_value: Callable[..., bytes | None]) -> Callable[..., pa.Array]:
    """`by_value` reads the texts that are not right, or ends the statement."""
    slow = by_row(by_value, pa.binary())

    def compute(texts: pa.Array, *rest: pa.Array) -> pa.Array:
        found, right = _read(flat(texts), passed_over, texts)
        if right.all():
            return found
        wrong = pa.array(~right)
        return replaced(found, ~right, slow(texts.filter(wrong), *(column.filter(wrong) for column in rest)))

    return compute


def _from_base64(text: str, safe: bool) -> bytes | None:
    """Strict base64, with or without its padding; blanks between the letters are passed over."""
    before, *padding = text.partition("=")
    letters = _BLANK.sub("", before)
    missing = -len(letters) % 4
    if len(_LETTER.findall(letters)) < len(letters) or missing == 3 or "".join(padding) not in ("", "=" * missing):
        if safe:
            return None
        fail("CONVERSION_INVALID_INPUT", f"The value {text!r} (base64) cannot be converted to binary: it is malformed.")
    return base64.b64decode(letters + "=" * missing)


def _unbase64(text: str) -> bytes:
    """As Java's MIME decoder reads it: what is no letter of base64 is passed over, and all behind the padding that is
    no letter."""
    before, mark, behind = text.partition("=")
    letters = "".join(_LETTER.findall(before))
    missing = -len(letters) % 4
    padded = not _LETTER.search(behind) and (missing == 1 or (missing == 2 and behind.startswith("=")))
    if missing == 3 or (mark and not padded):
        fail("CONVERSION_INVALID_INPUT", f"The value {text!r} cannot be read as base64: its end is malformed.")
    return base64.b64decode(letters + "=" * missing)


FUNCTIONS = {
    "wa_from_base64": ArrowFunction(_function(_STRICT, _from_base64), ("VARCHAR", "BOOLEAN"), "BLOB"),
    "wa_unbase64": ArrowFunction(_function(_MIME, _unbase64), ("VARCHAR",), "BLOB"),
}
