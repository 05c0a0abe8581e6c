"""Bytes that DuckDB refuses or reads otherwise: base64, UTF-8 that is broken; and digests."""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, by_row, fail

_BASE64 = re.compile("([A-Za-z0-9+/]*)(={0,2})")
_STRANGE = re.compile("[^A-Za-z0-9+/=]")


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


def _digest(algorithm: Callable[[bytes], Any]) -> Callable[[bytes], str]:
    return lambda data: str(algorithm(data).hexdigest())


FUNCTIONS = {
    "wa_from_base64": ArrowFunction(by_row(_from_base64, pa.binary()), ("VARCHAR", "BOOLEAN"), "BLOB"),
    "wa_unbase64": ArrowFunction(by_row(_unbase64, pa.binary()), ("VARCHAR",), "BLOB"),
    "wa_contains": ArrowFunction(by_row(lambda data, part: part in data, pa.bool_()), ("BLOB", "BLOB"), "BOOLEAN"),
    "wa_reverse": ArrowFunction(by_row(lambda data: data[::-1], pa.binary()), ("BLOB",), "BLOB"),
    "wa_repaired_utf8": ArrowFunction(
        by_row(lambda data: data.decode(errors="replace"), pa.string()), ("BLOB",), "VARCHAR"
    ),
    "wa_crc32": ArrowFunction(by_row(zlib.crc32, pa.int64()), ("BLOB",), "BIGINT"),
    **{
        f"wa_sha{bits}": ArrowFunction(by_row(_digest(algorithm), pa.string()), ("BLOB",), "VARCHAR")
        for bits, algorithm in ((224, hashlib.sha224), (384, hashlib.sha384), (512, hashlib.sha512))
    },
}
