"""Variants in the bytes of Spark, value and metadata: what `VariantVal`, `toArrow` and Parquet files hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.kernel.variant import build as b
from app.kernel.variant.carried import Kind, leaf_of, parts, read, scalar, written
from app.kernel.variant.fold import Parts, fold
from app.kernel.variant.read import Variant, malformed


def to_bytes(carried: str) -> tuple[bytes, bytes]:
    """Value and metadata; names are numbered from the outside in. Raises: RowError VARIANT_SIZE_LIMIT."""
    keys = b.Keys()
    value = fold(
        read(carried),
        parts,
        lambda leaf: _BYTES[(found := scalar(leaf))[0]](found[1]),
        b.array,
        lambda fields: b.obj([(name, keys.add(name), item) for name, item in fields]),
        keys.add,
    )
    return b.checked(value), keys.metadata()


def from_bytes(value: bytes, metadata: bytes) -> str:
    """The carried text. Raises: RowError MALFORMED_VARIANT; UNKNOWN_PRIMITIVE_TYPE_IN_VARIANT."""
    if not metadata or metadata[0] & 0xF != 1:
        raise malformed()
    tree: Any = fold(Variant(value, metadata), _opened, lambda leaf: leaf_of(leaf.kind, leaf.scalar()), list, dict)
    return written(tree)


def _opened(place: Variant) -> Parts | None:
    """Fields in the order in which their values stand."""
    match place.kind:
        case "array":
            return None, place.items()
        case "object":
            fields = sorted(place.fields(), key=lambda field: field[1].at)
            return [name for name, _ in fields], [part for _, part in fields]
    return None


_BYTES: dict[Kind, Callable[[Any], bytes]] = {
    "null": lambda _: b.VARIANT_NULL,
    "boolean": b.boolean,
    "long": b.long,
    "double": b.double,
    "float": b.single,
    "decimal": b.decimal,
    "string": b.string,
    "binary": b.binary,
    "date": b.date,
    "timestamp": lambda us: b.instant(us, True),
    "timestamp_ntz": lambda us: b.instant(us, False),
}
