"""The bytes of a variant.

The first byte of a value says its kind; numbers are little-endian. An object holds ids of names, which stand in the
metadata in the order in which they came first, and its fields in the order of their names (Java's: by UTF-16).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import accumulate
from typing import TypeVar

from app.errors import RowError

_Data = TypeVar("_Data", bytes, str)
LIMIT_BYTES = 128 << 20
"""How large a value, or its metadata, may be in Spark 4.2."""

PRIMITIVE, SHORT_STRING, OBJECT, ARRAY = range(4)
NULL, TRUE, FALSE, INT1, INT2, INT4, INT8, DOUBLE = range(8)
DECIMAL4, DECIMAL8, DECIMAL16, DATE, TIMESTAMP, TIMESTAMP_NTZ, FLOAT, BINARY, LONG_STRING = range(8, 17)

VARIANT_NULL = bytes((NULL << 2,))
_SHORT = 63
_DECIMALS = ((9, DECIMAL4, 4), (18, DECIMAL8, 8), (38, DECIMAL16, 16))


class Keys:
    """The names of fields in one variant, numbered as they come."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}

    def add(self, name: str) -> int:
        """The id of a name, a new one if it is new."""
        return self._ids.setdefault(name, len(self._ids))

    def metadata(self) -> bytes:
        """The metadata of the variant. Raises: RowError VARIANT_SIZE_LIMIT."""
        names = tuple(self._ids)
        return _known_metadata(names) if len(names) <= _FEW else _metadata(names)


def _metadata(names: tuple[str, ...]) -> bytes:
    data = [name.encode() for name in names]
    ends = _ends(data)
    size = _width(max(ends[-1], len(names)))
    head = bytes((1 | (size - 1) << 6,)) + len(names).to_bytes(size, "little")
    return checked(head + _packed(ends, size) + b"".join(data))


def _shape(names: tuple[str, ...], numbers: tuple[int, ...]) -> tuple[tuple[int, ...], int, bytes]:
    """The places of an object's fields in the order of Java's texts, and the ids of their names with their width."""
    order = tuple(sorted(range(len(names)), key=lambda i: names[i].encode("utf-16-be")))
    size = _width(max(numbers, default=0))
    return order, size, _packed([numbers[i] for i in order], size)


# Rows of a table mostly have the same names.
_FEW = 64
_known_metadata, _known_shape = lru_cache(256)(_metadata), lru_cache(1024)(_shape)


def _ends(items: Sequence[bytes]) -> list[int]:
    return list(accumulate(map(len, items), initial=0))


def checked(data: _Data) -> _Data:
    """The same bytes or text, if they are not too large. Raises: RowError VARIANT_SIZE_LIMIT."""
    if len(data) > LIMIT_BYTES:
        raise RowError(
            f"Cannot build a variant bigger than {LIMIT_BYTES >> 20}.0 MiB. Cut the input into smaller parts.",
            code="VARIANT_SIZE_LIMIT",
        )
    return data


def boolean(value: bool) -> bytes:
    return bytes(((TRUE if value else FALSE) << 2,))


def long(value: int) -> bytes:
    """A whole number of up to 64 bits, in the least of 1, 2, 4 or 8 bytes that holds it."""
    for kind, size in ((INT1, 1), (INT2, 2), (INT4, 4)):
        if -(1 << (8 * size - 1)) <= value < 1 << (8 * size - 1):
            return bytes((kind << 2,)) + value.to_bytes(size, "little", signed=True)
    return bytes((INT8 << 2,)) + value.to_bytes(8, "little", signed=True)


def double(value: float) -> bytes:
    return struct.pack("<Bd", DOUBLE << 2, value)


def single(value: float) -> bytes:
    """A number of 32 bits."""
    return struct.pack("<Bf", FLOAT << 2, value)


def decimal(value: Decimal) -> bytes:
    """A decimal of up to 38 digits with its scale, in the least of 4, 8 or 16 bytes that holds it."""
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    scale, unscaled = -exponent, int("".join(map(str, digits)) or "0")
    precision = len(str(unscaled))
    kind, size = next((kind, size) for most, kind, size in _DECIMALS if precision <= most and scale <= most)
    return bytes((kind << 2, scale)) + (-unscaled if sign else unscaled).to_bytes(size, "little", signed=True)


def date(days: int) -> bytes:
    return struct.pack("<Bi", DATE << 2, days)


def instant(us: int, zoned: bool) -> bytes:
    """Microseconds since the epoch; not `zoned`, those of a wall clock."""
    return struct.pack("<Bq", (TIMESTAMP if zoned else TIMESTAMP_NTZ) << 2, us)


def binary(data: bytes) -> bytes:
    return struct.pack("<BI", BINARY << 2, len(data)) + data


def string(text: str) -> bytes:
    data = text.encode()
    if len(data) <= _SHORT:
        return bytes((len(data) << 2 | SHORT_STRING,)) + data
    return struct.pack("<BI", LONG_STRING << 2, len(data)) + data


def array(items: Sequence[bytes]) -> bytes:
    """Raises: RowError VARIANT_SIZE_LIMIT."""
    ends = _ends(items)
    size, large = _width(ends[-1]), len(items) > 255
    head = bytes((large << 4 | (size - 1) << 2 | ARRAY,)) + len(items).to_bytes(4 if large else 1, "little")
    return checked(head + _packed(ends, size) + b"".join(items))


def obj(fields: Sequence[tuple[str, int, bytes]]) -> bytes:
    """An object of fields with a name, the id of the name, and a value; their values stay in the given order.

    Raises: RowError VARIANT_SIZE_LIMIT."""
    names, numbers, items = zip(*fields, strict=True) if fields else ((), (), ())
    starts = _ends(items)
    end = starts.pop()
    order, id_size, ids = (_known_shape if len(names) <= _FEW else _shape)(names, numbers)
    size, large = _width(end), len(fields) > 255
    head = bytes((large << 6 | (id_size - 1) << 4 | (size - 1) << 2 | OBJECT,))
    count = len(fields).to_bytes(4 if large else 1, "little")
    offsets = _packed([*(starts[i] for i in order), end], size)
    return checked(head + count + ids + offsets + b"".join(items))


def _width(value: int) -> int:
    if value < 1 << 16:
        return 1 if value < 1 << 8 else 2
    return 3 if value < 1 << 24 else 4


def _packed(numbers: Sequence[int], size: int) -> bytes:
    return bytes(numbers) if size == 1 else b"".join(number.to_bytes(size, "little") for number in numbers)
