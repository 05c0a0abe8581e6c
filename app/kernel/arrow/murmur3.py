"""Murmur3 of 32 bits as Spark has it: the bytes behind the last whole word are words of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.kernel.arrow.flat import WIDEST, Alike, gathered, longest_first

Words = np.ndarray[Any, np.dtype[Any]]
_C1, _C2, _FIVE, _ADDED = np.uint32(0xCC9E2D51), np.uint32(0x1B873593), np.uint32(5), np.uint32(0xE6546B64)
_BY = [np.uint32(n) for n in range(33)]


def ints(values: Words, seeds: Words) -> Words:
    return _finished(_mixed(seeds.copy(), _scattered(values.astype(np.uint32))), np.uint32(4))


def longs(values: Words, seeds: Words) -> Words:
    low, high = values.astype(np.uint32), (values >> 32).astype(np.uint32)
    return _finished(_mixed(_mixed(seeds.copy(), _scattered(low)), _scattered(high)), np.uint32(8))


def alike(texts: Alike, seeds: Words) -> Words:
    """Hashes of texts of the same length."""
    hashes, whole = seeds.copy(), texts.length & ~3
    for block in range(0, whole, WIDEST):
        for words in _scattered(texts.words(block, min(block + WIDEST, whole), np.uint32)):
            _mixed(hashes, words)
    for words in _scattered(texts.words(whole, texts.length, np.int8).astype(np.int32).view(np.uint32)):
        _mixed(hashes, words)
    return _finished(hashes, np.uint32(texts.length))


def texts(letters: Words, starts: Words, lengths: Words, seeds: Words) -> Words:
    """Hashes of texts that lie in padded `letters`."""
    order = longest_first(lengths)
    starts, lengths, hashes = starts[order], lengths[order], np.array(seeds[order])
    whole = lengths >> 2
    most = int(whole.max(initial=0)) * 4
    longer = (len(whole) - np.searchsorted(whole[::-1], np.arange(most >> 2), side="right")).tolist()
    for block in range(0, most, WIDEST):
        width = min(WIDEST, most - block)
        at = starts[: longer[block >> 2]] + block
        words = _scattered(np.ascontiguousarray(gathered(letters, at, width, np.uint32).T))
        for i, rows in enumerate(longer[block >> 2 : (block + width) >> 2]):
            _mixed(hashes[:rows], words[i, :rows])
    rest, last = lengths & 3, gathered(letters, starts + whole * 4, 4, np.uint32)[:, 0]
    for i in range(int(rest.max(initial=0))):
        signed = ((last << _BY[24 - 8 * i]).view(np.int32) >> np.int32(24)).view(np.uint32)
        np.copyto(hashes, _mixed(hashes.copy(), _scattered(signed)), where=rest > i)
    result = np.empty_like(hashes)
    result[order] = _finished(hashes, lengths.astype(np.uint32))
    return result


def _scattered(words: Words) -> Words:
    """What is mixed into a hash for each word; it is written over."""
    words *= _C1
    high = words << _BY[15]
    words >>= _BY[17]
    words |= high
    words *= _C2
    return words


def _mixed(hashes: Words, words: Words) -> Words:
    """`hashes` with a word each; they are written over."""
    hashes ^= words
    high = hashes << _BY[13]
    hashes >>= _BY[19]
    hashes |= high
    hashes *= _FIVE
    hashes += _ADDED
    return hashes


def _finished(hashes: Words, lengths: Any) -> Words:
    hashes ^= lengths
    for by, factor in ((_BY[16], np.uint32(0x85EBCA6B)), (_BY[13], np.uint32(0xC2B2AE35))):
        hashes ^= hashes >> by
        hashes *= factor
    hashes ^= hashes >> _BY[16]
    return hashes
