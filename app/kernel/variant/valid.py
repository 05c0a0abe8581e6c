"""Whether bytes are a variant at all."""

from __future__ import annotations

from app.errors import RowError
from app.kernel.variant.read import Variant, fold


def is_valid(value: bytes, metadata: bytes) -> bool:
    """Whether every part of a variant is there, with its name; what stands behind it does not matter, nor which letters
    a text has."""
    if not metadata or metadata[0] & 0xF != 1:
        return False
    try:
        return fold(Variant(value, metadata), _leaf, all, lambda fields: all(valid for _, valid in fields))
    except RowError:
        return False


def _leaf(leaf: Variant) -> bool:
    leaf.sliced()
    if leaf.kind == "decimal":
        leaf.scalar()
    return True
