"""The order in which Spark has the entries of a dict: that of Java's and Scala's hash maps, through which they go."""

from __future__ import annotations

from collections.abc import Iterable

_WORD = (1 << 32) - 1
_SMALL = 4
"""Scala keeps as many entries in the order in which they come."""


def in_order_of_java(names: Iterable[str]) -> list[str]:
    """The keys of a dict as they come out of `java.util.HashMap` and then of Scala's immutable `Map`.

    >>> in_order_of_java(["qty", "price"])
    ['price', 'qty']
    """
    found = list(names)
    buckets = 16
    while len(found) > buckets * 3 // 4:
        buckets *= 2
    found.sort(key=lambda name: (_hash(name) ^ _hash(name) >> 16) & buckets - 1)
    return found if len(found) <= _SMALL else _in_trie(found, 0)


def _in_trie(names: list[str], shift: int) -> list[str]:
    """The keys of a node: first those that are alone at their place, then those of the nodes below."""
    places: dict[int, list[str]] = {}
    for name in names:
        places.setdefault(_improved(_hash(name)) >> shift & 31, []).append(name)
    if len(names) == 1 or shift > 32:
        return names
    ordered = [places[at] for at in sorted(places)]
    alone = [name for place in ordered if len(place) == 1 for name in place]
    return alone + [name for place in ordered if len(place) > 1 for name in _in_trie(place, shift + 5)]


def _hash(name: str) -> int:
    """`String.hashCode()`, as an unsigned word."""
    found = 0
    units = name.encode("utf-16-be", "surrogatepass")
    for at in range(0, len(units), 2):
        found = (31 * found + int.from_bytes(units[at : at + 2])) & _WORD
    return found


def _improved(found: int) -> int:
    """What Scala's `HashMap` makes of a hash."""
    found = (found + (~(found << 9) & _WORD)) & _WORD
    found ^= found >> 14
    found = (found + (found << 4)) & _WORD
    return found ^ found >> 10
