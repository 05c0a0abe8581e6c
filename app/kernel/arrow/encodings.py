"""Binary that is no UTF-8; and digests."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from app.kernel.arrow.entry import ArrowFunction, by_row
from app.kernel.arrow.flat import flat, repaired


def _contains(values: pa.Array, parts: pa.Array) -> pa.Array:
    known = parts.unique()
    if len(known) == 1 and known[0].is_valid:
        return pc.match_substring(values, pattern=known[0].as_py())
    return _contains_each(values, parts)


_contains_each = by_row(lambda data, part: part in data, pa.bool_())


def _digest(algorithm: Callable[[bytes], Any]) -> Callable[[bytes], str]:
    return lambda data: str(algorithm(data).hexdigest())


FUNCTIONS = {
    "wa_contains": ArrowFunction(_contains, ("BLOB", "BLOB"), "BOOLEAN"),
    "wa_reverse": ArrowFunction(pc.binary_reverse, ("BLOB",), "BLOB"),
    "wa_repaired_utf8": ArrowFunction(lambda column: repaired(flat(column), column), ("BLOB",), "VARCHAR"),
    "wa_crc32": ArrowFunction(by_row(zlib.crc32, pa.int64()), ("BLOB",), "BIGINT"),
    **{
        f"wa_sha{bits}": ArrowFunction(by_row(_digest(algorithm), pa.string()), ("BLOB",), "VARCHAR")
        for bits, algorithm in ((224, hashlib.sha224), (384, hashlib.sha384), (512, hashlib.sha512))
    },
}
