"""Murmur3 of 32 bits as Spark has it: the bytes behind the last whole word are words of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

Words = np.ndarray[Any, np.dtype[Any]]
_C1, _C2 = np.uint32(0xCC9E2D51), np.uint32(0x1B873593)


def ints(values: Words, seeds: Words) -> Words:
    return _finished(_mixed(seeds, values.view(np.uint32)), np.uint32(4))


def longs(values: Words, seeds: Words) -> Words:
    wide = values.view(np.uint64)
    low = (wide & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    return _finished(_mixed(_mixed(seeds, low), (wide >> np.uint64(32)).astype(np.uint32)), np.uint32(8))


def texts(letters: Words, starts: Words, lengths: Words, seeds: Words) -> Words:
    """Hashes of texts that lie in `letters`."""
    hashes = seeds.copy()
    for at in range(0, int(lengths.max(initial=0)), 4):
        whole = np.flatnonzero(lengths >= at + 4)
        first = starts[whole] + at
        word = sum(letters[first + i].astype(np.uint32) << np.uint32(8 * i) for i in range(4))
        hashes[whole] = _mixed(hashes[whole], word)
        for i in range(3):
            rest = np.flatnonzero((lengths > at + i) & (lengths < at + 4))
            signed = letters[starts[rest] + at + i].view(np.int8).astype(np.int32).view(np.uint32)
            hashes[rest] = _mixed(hashes[rest], signed)
    return _finished(hashes, lengths.astype(np.uint32))


def _rotated(words: Words, by: int) -> Words:
    return (words << np.uint32(by)) | (words >> np.uint32(32 - by))


def _mixed(hashes: Words, words: Words) -> Words:
    return _rotated(hashes ^ (_rotated(words * _C1, 15) * _C2), 13) * np.uint32(5) + np.uint32(0xE6546B64)


def _finished(hashes: Words, lengths: Any) -> Words:
    hashes = hashes ^ lengths
    hashes = (hashes ^ (hashes >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    hashes = (hashes ^ (hashes >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    hashes ^= hashes >> np.uint32(16)
    return hashes
