"""Places in a variant: their kinds and parts."""

from __future__ import annotations

import struct
from decimal import Context, Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from app.errors import RowError
from app.kernel.variant import build as b
from app.kernel.variant.carried import Kind

_KINDS: dict[int, Kind] = {
    b.NULL: "null",
    b.TRUE: "boolean",
    b.FALSE: "boolean",
    **dict.fromkeys((b.INT1, b.INT2, b.INT4, b.INT8), "long"),
    b.DOUBLE: "double",
    b.FLOAT: "float",
    **dict.fromkeys((b.DECIMAL4, b.DECIMAL8, b.DECIMAL16), "decimal"),
    b.DATE: "date",
    b.TIMESTAMP: "timestamp",
    b.TIMESTAMP_NTZ: "timestamp_ntz",
    b.BINARY: "binary",
    b.LONG_STRING: "string",
}
_KIND_OF: tuple[Kind | None, ...] = tuple(
    ("string", "object", "array")[head % 4 - 1] if head % 4 else _KINDS.get(head >> 2) for head in range(256)
)
"""By the first byte of a value."""
_SIZES = {
    b.INT1: 1, b.INT2: 2, b.INT4: 4, b.INT8: 8, b.DOUBLE: 8, b.FLOAT: 4, b.DECIMAL4: 5, b.DECIMAL8: 9, b.DECIMAL16: 17,
    b.DATE: 4, b.TIMESTAMP: 8, b.TIMESTAMP_NTZ: 8,
}  # fmt: skip
_DIGITS = {b.DECIMAL4: 9, b.DECIMAL8: 18, b.DECIMAL16: 38}
_EXACT = Context(prec=60)


class Variant(NamedTuple):
    """The value at `at` in the bytes `value`. What is read raises RowError where the bytes are no variant:
    MALFORMED_VARIANT, or UNKNOWN_PRIMITIVE_TYPE_IN_VARIANT for a kind that Spark 4.2 has no type for."""

    value: bytes
    metadata: bytes
    at: int = 0

    @property
    def kind(self) -> Kind:
        head = self._head()
        known = _KIND_OF[head]
        if known is None:
            raise RowError(
                f"Unknown primitive type with id {head >> 2} was found in a variant value. Cast it where it is "
                "written.",
                code="UNKNOWN_PRIMITIVE_TYPE_IN_VARIANT",
            )
        return known

    def scalar(self) -> Any:
        """The value, if it is no array or object: days and microseconds as whole numbers, decimals with their scale."""
        head, at = self._head(), self.at
        info = head >> 2
        if head & 3 == b.SHORT_STRING:
            return self._text(at + 1, info)
        match self.kind:
            case "null":
                return None
            case "boolean":
                return info == b.TRUE
            case "double" | "float":
                form = "<d" if info == b.DOUBLE else "<f"
                return struct.unpack(form, self._slice(at + 1, _SIZES[info]))[0]
            case "decimal":
                unscaled = int.from_bytes(self._slice(at + 2, _SIZES[info] - 1), "little", signed=True)
                scale, most = self._number(at + 1, 1), _DIGITS[info]
                if scale > most or abs(unscaled) >= 10**most:
                    raise malformed()
                return _EXACT.scaleb(Decimal(unscaled), -scale)
            case "string":
                return self._text(at + 5, self._number(at + 1, 4))
            case "binary":
                return self._slice(at + 5, self._number(at + 1, 4))
        return int.from_bytes(self._slice(at + 1, _SIZES[info]), "little", signed=True)

    def items(self) -> list[Variant]:
        """The elements of an array."""
        count, start, size, data = self._parts()
        return [Variant(self.value, self.metadata, data + self._number(start + i * size, size)) for i in range(count)]

    def fields(self) -> list[tuple[str, Variant]]:
        """The fields of an object, by name."""
        count, start, size, data = self._parts()
        id_size = (self._head() >> 4 & 3) + 1
        ids = start - count * id_size
        found = []
        for i in range(count):
            at = data + self._number(start + i * size, size)
            found.append((self._name(self._number(ids + i * id_size, id_size)), Variant(self.value, self.metadata, at)))
        return found

    def _parts(self) -> tuple[int, int, int, int]:
        """Of an array or object: its count, where its offsets begin, their width, where its data begins."""
        head = self._head()
        is_object = head & 3 == b.OBJECT
        wide = head >> (6 if is_object else 4) & 1
        count = self._number(self.at + 1, 4 if wide else 1)
        start = self.at + (5 if wide else 2) + (count * ((head >> 4 & 3) + 1) if is_object else 0)
        size = (head >> 2 & 3) + 1
        return count, start, size, start + (count + 1) * size

    def _name(self, number: int) -> str:
        return (_known_name if len(self.metadata) <= _KEPT_BYTES else _name_in)(self.metadata, number)

    def _head(self) -> int:
        if self.at >= len(self.value):
            raise malformed()
        return self.value[self.at]

    def _number(self, at: int, size: int) -> int:
        if size < 0 or at + size > len(self.value):
            raise malformed()
        return self.value[at] if size == 1 else int.from_bytes(self.value[at : at + size], "little")

    def _slice(self, at: int, size: int) -> bytes:
        if size < 0 or at + size > len(self.value):
            raise malformed()
        return bytes(self.value[at : at + size])

    def _text(self, at: int, size: int) -> str:
        try:
            return self._slice(at, size).decode()
        except UnicodeDecodeError as error:
            raise malformed() from error


def _name_in(data: bytes, number: int) -> str:
    """A name in the metadata."""
    metadata = Variant(data, data)
    size = (metadata._head() >> 6) + 1
    count = metadata._number(1, size)
    if number >= count:
        raise malformed()
    first = metadata._number(1 + (number + 1) * size, size)
    last = metadata._number(1 + (number + 2) * size, size)
    return metadata._text(1 + (count + 2) * size + first, last - first)


# Rows of a table mostly have the same metadata.
_KEPT_BYTES = 2048
_known_name = lru_cache(1024)(_name_in)


def malformed() -> RowError:
    return RowError(
        "A variant binary is malformed. Please check the data source is valid, or parse the text anew.",
        code="MALFORMED_VARIANT",
    )
