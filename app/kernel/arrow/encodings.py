"""Texts as bytes and bytes as texts: character sets, base64, UTF-8 that may be broken, digests."""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from collections.abc import Callable
from typing import NoReturn

import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, by_row, fail

_CODECS = {
    "UTF-8": "utf-8", "US-ASCII": "ascii", "ISO-8859-1": "latin-1", "UTF-16BE": "utf-16-be", "UTF-16LE": "utf-16-le",
    "UTF-16": "utf-16-be", "UTF-32": "utf-32-be",
}  # fmt: skip
_BASE64 = re.compile("([A-Za-z0-9+/]*)(={0,2})")
_STRANGE = re.compile("[^A-Za-z0-9+/=]")
_HEX = re.compile("[0-9A-Fa-f]*")


def _codec(charset: str, function: str) -> str:
    found = _CODECS.get(charset.upper())
    if found is None:
        fail(
            "INVALID_PARAMETER_VALUE.CHARSET",
            f"The value of parameter(s) `charset` in `{function}` is invalid: expects one of "
            f"{', '.join(sorted(_CODECS))}, but got {charset}.",
        )
    return found


def _encode(text: str, charset: str) -> bytes:
    codec = _codec(charset, "encode")
    try:
        encoded = text.encode(codec)
    except UnicodeEncodeError:
        _malformed("encode", charset)
    return b"\xfe\xff" + encoded if charset.upper() == "UTF-16" and text else encoded


def _decode(data: bytes, charset: str) -> str:
    codec = _codec(charset, "decode")
    if charset.upper() == "UTF-16" and data[:2] in (b"\xfe\xff", b"\xff\xfe"):
        data, codec = data[2:], "utf-16-le" if data[:1] == b"\xff" else codec
    if charset.upper() == "UTF-32" and data[:4] in (b"\0\0\xfe\xff", b"\xff\xfe\0\0"):
        data, codec = data[4:], "utf-32-le" if data[:1] == b"\xff" else codec
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        _malformed("decode", charset)


def _malformed(function: str, charset: str) -> NoReturn:
    fail(
        "MALFORMED_CHARACTER_CODING",
        f"Invalid value found when performing `{function}` with {charset}: it has no such character.",
    )


def _from_base64(text: str, safe: bool) -> bytes | None:
    """Strict base64, with or without its padding; blanks between the letters are passed over."""
    found = _BASE64.fullmatch("".join(text.split()))
    data = _bytes_of(found[1], found[2]) if found else None
    if data is None and not safe:
        fail("CONVERSION_INVALID_INPUT", f"The value {text!r} (base64) cannot be converted to binary: it is malformed.")
    return data


def _unbase64(text: str) -> bytes:
    """As Java's MIME decoder reads it: what is no letter of base64 is passed over."""
    letters, _, rest = _STRANGE.sub("", text).partition("=")
    data = _bytes_of(letters, "=" + rest if "=" in text else "")
    if data is None:
        fail("CONVERSION_INVALID_INPUT", f"The value {text!r} cannot be read as base64: its end is malformed.")
    return data


def _bytes_of(letters: str, padding: str) -> bytes | None:
    missing = -len(letters) % 4
    if missing == 3 or padding not in ("", "=" * missing):
        return None
    return base64.b64decode(letters + "=" * missing)


def _from_hex(text: str, safe: bool) -> bytes | None:
    if _HEX.fullmatch(text):
        return bytes.fromhex("0" * (len(text) % 2) + text)
    if not safe:
        fail("CONVERSION_INVALID_INPUT", f"The value {text!r} (hex) cannot be converted to binary: it is malformed.")
    return None


def _is_valid(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _validated(data: bytes, safe: bool) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        if not safe:
            fail("INVALID_UTF8_STRING", f"Invalid UTF8 byte sequence found in string: {_shown(data)}.")
        return None


def _shown(data: bytes) -> str:
    return "".join(f"\\x{byte:02X}" if byte >= 128 else chr(byte) for byte in data)


def _digest(algorithm: str) -> Callable[[bytes], str]:
    return lambda data: hashlib.new(algorithm, data, usedforsecurity=False).hexdigest()


FUNCTIONS = {
    "wa_encode": ArrowFunction(by_row(_encode, pa.binary()), ("VARCHAR", "VARCHAR"), "BLOB"),
    "wa_decode": ArrowFunction(by_row(_decode, pa.string()), ("BLOB", "VARCHAR"), "VARCHAR"),
    "wa_from_base64": ArrowFunction(by_row(_from_base64, pa.binary()), ("VARCHAR", "BOOLEAN"), "BLOB"),
    "wa_from_hex": ArrowFunction(by_row(_from_hex, pa.binary()), ("VARCHAR", "BOOLEAN"), "BLOB"),
    "wa_unbase64": ArrowFunction(by_row(_unbase64, pa.binary()), ("VARCHAR",), "BLOB"),
    "wa_contains": ArrowFunction(by_row(lambda data, part: part in data, pa.bool_()), ("BLOB", "BLOB"), "BOOLEAN"),
    "wa_reverse": ArrowFunction(by_row(lambda data: data[::-1], pa.binary()), ("BLOB",), "BLOB"),
    "wa_is_utf8": ArrowFunction(by_row(_is_valid, pa.bool_()), ("BLOB",), "BOOLEAN"),
    "wa_valid_utf8": ArrowFunction(by_row(_validated, pa.string()), ("BLOB", "BOOLEAN"), "VARCHAR"),
    "wa_repaired_utf8": ArrowFunction(
        by_row(lambda data: data.decode(errors="replace"), pa.string()), ("BLOB",), "VARCHAR"
    ),
    "wa_crc32": ArrowFunction(by_row(zlib.crc32, pa.int64()), ("BLOB",), "BIGINT"),
    **{
        f"wa_sha{bits}": ArrowFunction(by_row(_digest(f"sha{bits}"), pa.string()), ("BLOB",), "VARCHAR")
        for bits in (224, 384, 512)
    },
}
