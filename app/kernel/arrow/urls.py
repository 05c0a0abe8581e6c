"""The parts of a URL as java.net.URI sees them, and its escapes."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import unquote_plus

import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, by_row, fail

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
_BAD_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")


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


def _decode(url: str, safe: bool) -> str | None:
    if _BAD_ESCAPE.search(url):
        if not safe:
            fail("CANNOT_DECODE_URL", f"The provided URL cannot be decoded: {url}. Ensure that it is well formed.")
        return None
    return unquote_plus(url, errors="replace")


def _text(function: Callable[..., str | None], arguments: int) -> ArrowFunction:
    return ArrowFunction(by_row(function, pa.string()), (*["VARCHAR"] * arguments, "BOOLEAN"), "VARCHAR")


FUNCTIONS = {
    "wa_url_part": _text(_part, 2),
    "wa_url_value": _text(_value, 3),
    "wa_url_decode": _text(_decode, 1),
}
