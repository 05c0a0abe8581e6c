"""XXH64 of numbers and texts with a seed each."""

from __future__ import annotations

from typing import Any

import numpy as np

Words = np.ndarray[Any, np.dtype[Any]]
_P1, _P2, _P3, _P4, _P5 = (
    np.uint64(p)
    for p in (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
)


def ints(values: Words, seeds: Words) -> Words:
    word = values.view(np.uint32).astype(np.uint64)
    return _finished(_with_int(seeds + _P5 + np.uint64(4), word))


def longs(values: Words, seeds: Words) -> Words:
    return _finished(_with_long(seeds + _P5 + np.uint64(8), values.view(np.uint64)))


def texts(letters: Words, starts: Words, lengths: Words, seeds: Words) -> Words:
    """Hashes of texts that lie in `letters`."""
    hashes = seeds + _P5
    done = np.zeros_like(lengths)
    long = np.flatnonzero(lengths >= 32)
    if len(long):
        hashes[long] = _stripes(letters, starts[long], lengths[long], seeds[long])
        done[long] = lengths[long] // 32 * 32
    hashes += lengths.astype(np.uint64)
    for width, take_in in ((8, _with_long), (8, _with_long), (8, _with_long), (4, _with_int)):
        rows = np.flatnonzero(lengths - done >= width)
        hashes[rows] = take_in(hashes[rows], _word(letters, starts[rows] + done[rows], width))
        done[rows] += width
    for _ in range(3):
        rows = np.flatnonzero(lengths > done)
        letter = letters[starts[rows] + done[rows]].astype(np.uint64)
        hashes[rows] = _rotated(hashes[rows] ^ (letter * _P5), 11) * _P1
        done[rows] += 1
    return _finished(hashes)


def _stripes(letters: Words, starts: Words, lengths: Words, seeds: Words) -> Words:
    """The four lanes over blocks of 32 bytes, merged."""
    lanes = [seeds + _P1 + _P2, seeds + _P2, seeds.copy(), seeds - _P1]
    for at in range(0, int(lengths.max()) - 31, 32):
        rows = np.flatnonzero(lengths >= at + 32)
        for i, lane in enumerate(lanes):
            lane[rows] = _round(lane[rows], _word(letters, starts[rows] + at + 8 * i, 8))
    merged = _rotated(lanes[0], 1) + _rotated(lanes[1], 7) + _rotated(lanes[2], 12) + _rotated(lanes[3], 18)
    for lane in lanes:
        merged = (merged ^ _round(np.zeros_like(lane), lane)) * _P1 + _P4
    return merged


def _word(letters: Words, at: Words, width: int) -> Words:
    word = np.zeros(len(at), dtype=np.uint64)
    for i in range(width):
        word |= letters[at + i].astype(np.uint64) << np.uint64(8 * i)
    return word


def _rotated(words: Words, by: int) -> Words:
    return (words << np.uint64(by)) | (words >> np.uint64(64 - by))


def _round(lanes: Words, words: Words) -> Words:
    return _rotated(lanes + words * _P2, 31) * _P1


def _with_int(hashes: Words, words: Words) -> Words:
    return _rotated(hashes ^ (words * _P1), 23) * _P2 + _P3


def _with_long(hashes: Words, words: Words) -> Words:
    return _rotated(hashes ^ _round(np.zeros_like(words), words), 27) * _P1 + _P4


def _finished(hashes: Words) -> Words:
    hashes = (hashes ^ (hashes >> np.uint64(33))) * _P2
    hashes = (hashes ^ (hashes >> np.uint64(29))) * _P3
    hashes ^= hashes >> np.uint64(32)
    return hashes
