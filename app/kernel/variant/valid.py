"""Whether bytes are a variant at all."""

from __future__ import annotations

from itertools import pairwise

from app.errors import RowError
from app.kernel.variant.read import Variant, fold


def is_valid(value: bytes, metadata: bytes) -> bool:
    """Whether every part of a variant can be read, and the names of each object are in order and different."""
    if not metadata or metadata[0] & 0xF != 1:
        return False
    try:
        return fold(
            Variant(value, metadata),
            lambda leaf: leaf.scalar() is None or True,
            all,
            lambda fields: _in_order([name for name, _ in fields]) and all(valid for _, valid in fields),
        )
    except RowError:
        return False


def _in_order(names: list[str]) -> bool:
    keys = [name.encode("utf-16-be") for name in names]
    return all(a < b for a, b in pairwise(keys))
