"""The parts of a URL as java.net.URI sees them, and its escapes."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, by_row, fail
from app.kernel.arrow.flat import Flat, counted, ends_of, flat, repaired, replaced

_OTHER = r"\u00A1-\u167F\u1681-\u1FFF\u200B-\u2027\u202A-\u202E\u2030-\u205E\u2060-\u2FFF\u3001-\U0010FFFF"
_UNRESERVED = r"A-Za-z0-9\-_.!~*'()"
_ESCAPED = r"%[0-9A-Fa-f]{2}"
_PATH = rf"(?:[{_UNRESERVED}:@&=+$,;/{_OTHER}]|{_ESCAPED})*"
_URIC = rf"(?:[{_UNRESERVED};/?:@&=+$,\[\]{_OTHER}]|{_ESCAPED})*"
_NAME = rf"(?:[{_UNRESERVED}$,;:@&=+{_OTHER}]|{_ESCAPED})*"
_URI = re.compile(
    rf"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]*):(?=[^#]))?(?://(?=.)(?P<authority>[^/?#]*))?(?P<path>{_PATH})"
    rf"(?:\?(?P<query>{_URIC}))?(?:#(?P<fragment>{_URIC}))?"
)
_OPAQUE = re.compile(rf"(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]*):(?=[^/#]){_URIC}(?:#(?P<fragment>{_URIC}))?")
_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[0-9]{1,2})"
_SERVER = re.compile(
    rf"(?:(?P<user>(?:[{_UNRESERVED};:&=+$,{_OTHER}]|{_ESCAPED})*)@)?"
    rf"(?P<host>{_BYTE}(?:\.{_BYTE}){{3}}|(?:{_LABEL}\.)*[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.?|\[[0-9A-Fa-f:.]+\])"
    r"(?::[0-9]*)?"
)
_REGISTRY = re.compile(_NAME)
_PLAIN_KEY = re.compile(r"[\w-]*")
_DIGIT = np.array([int(c, 16) if (c := chr(i)) in "0123456789ABCDEFabcdef" else 16 for i in range(256)], dtype=np.uint8)


def _parts(url: str) -> dict[str, str | None] | None:
    """What Spark calls the parts of a URL, None where Java refuses it."""
    opaque = _OPAQUE.fullmatch(url)
    if opaque:
        return {"PROTOCOL": opaque["scheme"], "REF": opaque["fragment"]}
    found = _URI.fullmatch(url)
    if found is None or (found["scheme"] is None and ":" in re.split("[/?#]", url, maxsplit=1)[0]):
        return None
    if found["authority"] is None and found["path"].startswith("//"):
        return None
    authority = found["authority"] or None
    server = _SERVER.fullmatch(authority) if authority else None
    if authority and server is None and not _REGISTRY.fullmatch(authority):
        return None
    query = found["query"]
    return {
        "PROTOCOL": found["scheme"],
        "AUTHORITY": authority,
        "USERINFO": server["user"] if server else None,
        "HOST": server["host"] if server else None,
        "PATH": found["path"],
        "QUERY": query,
        "REF": found["fragment"],
        "FILE": found["path"] if query is None else f"{found['path']}?{query}",
    }


def _part(url: str, part: str, safe: bool) -> str | None:
    parts = _parts(url)
    if parts is None:
        if not safe:
            fail("INVALID_URL", f"The url is invalid: {url}. Use `try_parse_url` to get NULL instead.")
        return None
    return parts.get(part)


def _value(url: str, part: str, key: str, safe: bool) -> str | None:
    if part != "QUERY":
        return None
    query = _part(url, part, safe)
    if query is None:
        return None
    if not _PLAIN_KEY.fullmatch(key):
        fail("UNSUPPORTED_FEATURE", f"The key {key!r} of parse_url has other signs than letters, digits, _ and -.")
    found = re.search(f"(?:&|^){key}=([^&]*)", query)
    return found[1] if found else None


def _decode(urls: pa.Array, safe: pa.Array) -> pa.Array:
    values = flat(urls)
    letters = np.frombuffer(bytearray(values.letters.tobytes().replace(b"+", b" ")), dtype=np.uint8)
    at = np.flatnonzero(letters == ord("%"))
    high, low = (_DIGIT[letters.take(at + i, mode="clip")] for i in (1, 2))
    row = np.searchsorted(values.offsets, at, side="right") - 1
    bad = (high | low > 15) | (at + 2 >= values.offsets[row + 1])
    if bad.any() and not safe[0].as_py():
        url = urls[int(row[bad][0])]
        fail("CANNOT_DECODE_URL", f"The provided URL cannot be decoded: {url}. Ensure that it is well formed.")
    good = at[~bad]
    letters[good] = high[~bad] << 4 | low[~bad]
    kept = np.ones(len(letters), dtype=bool)
    kept[good + 1] = kept[good + 2] = False
    offsets = values.offsets - 2 * ends_of(np.bincount(row[~bad], minlength=len(urls)))
    texts = repaired(_without_surrogates(Flat(np.compress(kept, letters), offsets)), urls)
    if not bad.any():
        return texts
    broken = np.zeros(len(urls), dtype=bool)
    broken[row[bad]] = True
    return replaced(texts, broken, pa.nulls(int(np.count_nonzero(broken)), pa.string()))


def _without_surrogates(values: Flat) -> Flat:
    """Each surrogate, or its first two bytes, as one byte that is no UTF-8: Java takes them for one mistake."""
    if not (values.letters == 0xED).any():
        return values
    letters, offsets = np.concatenate([values.letters, [0, 0]]), values.offsets
    at = np.flatnonzero((letters[:-1] == 0xED) & (letters[1:] >= 0xA0) & (letters[1:] < 0xC0))
    ends = offsets[np.searchsorted(offsets, at, side="right")] if len(at) else at
    at, ends = at[at + 1 < ends], ends[at + 1 < ends]
    if not len(at):
        return values
    kept = np.ones(len(values.letters), dtype=bool)
    kept[at + 1] = False
    kept[at[(at + 2 < ends) & (letters[at + 2] & 0xC0 == 0x80)] + 2] = False
    return Flat(values.letters[kept], ends_of(counted(kept, offsets)))


def _text(function: Callable[..., str | None], arguments: int) -> ArrowFunction:
    return ArrowFunction(by_row(function, pa.string()), (*["VARCHAR"] * arguments, "BOOLEAN"), "VARCHAR")


FUNCTIONS = {
    "wa_url_part": _text(_part, 2),
    "wa_url_value": _text(_value, 3),
    "wa_url_decode": ArrowFunction(_decode, ("VARCHAR", "BOOLEAN"), "VARCHAR"),
}
