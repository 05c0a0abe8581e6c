"""XXH64 of numbers and texts with a seed each."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.kernel.arrow.flat import Alike, gathered, longest_first

Words = np.ndarray[Any, np.dtype[Any]]
_P1, _P2, _P3, _P4, _P5 = (
    np.uint64(p)
    for p in (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
)
_BY = [np.uint64(n) for n in range(65)]
_BYTE, _HALF = np.uint64(0xFF), np.uint64(0xFFFFFFFF)
_STRIPE = 32


def ints(values: Words, seeds: Words) -> Words:
    word = values.view(np.uint32).astype(np.uint64)
    return _finished(_with_int(seeds + (_P5 + np.uint64(4)), word))


def longs(values: Words, seeds: Words) -> Words:
    return _finished(_with_long(seeds + (_P5 + np.uint64(8)), values.view(np.uint64)))


def alike(texts: Alike, seeds: Words) -> Words:
    """Hashes of texts of the same length."""
    length = texts.length
    striped, whole = length & -_STRIPE, length & ~7
    if striped:
        lanes = _lanes(seeds)
        for at in range(0, striped, _STRIPE):
            _take_in_stripe(lanes, texts.words(at, at + _STRIPE, np.uint64))
        hashes = _merged(lanes)
    else:
        hashes = seeds + _P5
    hashes += np.uint64(length)
    for words in texts.words(striped, whole, np.uint64):
        _with_long(hashes, words)
    if length & 4:
        _with_int(hashes, texts.words(whole, whole + 4, np.uint32)[0].astype(np.uint64))
    for words in texts.words(length & ~3, length, np.uint8).astype(np.uint64):
        _with_byte(hashes, words)
    return _finished(hashes)


def texts(letters: Words, starts: Words, lengths: Words, seeds: Words) -> Words:
    """Hashes of texts that lie in padded `letters`."""
    order = longest_first(lengths)
    starts, lengths, hashes = starts[order], lengths[order], np.array(seeds[order])
    rows = np.count_nonzero(lengths >= _STRIPE)
    striped = _stripes(letters, starts[:rows], lengths[:rows], hashes[:rows])
    hashes += _P5
    hashes[:rows] = striped
    hashes += lengths.view(np.uint64)
    rest = lengths & (_STRIPE - 1)
    width = (int(rest.max(initial=0)) | 7) + 1
    words = np.ascontiguousarray(gathered(letters, starts + lengths - rest, width, np.uint64).T)
    for i in range(width // 8 - 1):
        _where(rest >= 8 * i + 8, hashes, _with_long, words[i])
    # What is left, up to 7 bytes, lies in one word.
    last, rest = words[rest >> 3, np.arange(len(rest))], rest & 7
    if (four := rest >= 4).any():
        _where(four, hashes, _with_int, last & _HALF)
        last, rest = np.where(four, last >> _BY[32], last), rest & 3
    for i in range(int(rest.max(initial=0))):
        _where(rest > i, hashes, _with_byte, (last >> _BY[8 * i]) & _BYTE)
    result = np.empty_like(hashes)
    result[order] = _finished(hashes)
    return result


def _where(rows: Words, hashes: Words, take_in: Any, words: Words) -> None:
    """The hashes of those rows, with their words taken in, in their place."""
    if rows.all():
        take_in(hashes, words)
    else:
        np.copyto(hashes, take_in(hashes.copy(), words), where=rows)


def _stripes(letters: Words, starts: Words, lengths: Words, seeds: Words) -> Words:
    """The four lanes over blocks of 32 bytes, merged. The longest texts come first."""
    lanes = _lanes(seeds)
    for at in range(0, int(lengths.max(initial=0)) - _STRIPE + 1, _STRIPE):
        rows = np.count_nonzero(lengths >= at + _STRIPE)
        words = np.ascontiguousarray(gathered(letters, starts[:rows] + at, _STRIPE, np.uint64).T)
        _take_in_stripe([lane[:rows] for lane in lanes], words)
    return _merged(lanes)


def _lanes(seeds: Words) -> list[Words]:
    return [seeds + _P2 + _P1, seeds + _P2, seeds.copy(), seeds - _P1]


def _take_in_stripe(lanes: list[Words], words: Words) -> None:
    words *= _P2
    for lane, word in zip(lanes, words, strict=True):
        _round(lane, word)


def _merged(lanes: list[Words]) -> Words:
    merged = _rotated(lanes[0], 1) + _rotated(lanes[1], 7) + _rotated(lanes[2], 12) + _rotated(lanes[3], 18)
    for lane in lanes:
        lane *= _P2
        merged ^= _round(np.zeros_like(lane), lane)
        merged *= _P1
        merged += _P4
    return merged


def _rotated(words: Words, by: int) -> Words:
    return (words << _BY[by]) | (words >> _BY[64 - by])


def _round(lanes: Words, words: Words) -> Words:
    """`lanes` with a word each, multiplied already. These write over the hashes they are given."""
    lanes += words
    high = lanes << _BY[31]
    lanes >>= _BY[33]
    lanes |= high
    lanes *= _P1
    return lanes


def _with_byte(hashes: Words, words: Words) -> Words:
    hashes ^= words * _P5
    high = hashes << _BY[11]
    hashes >>= _BY[53]
    hashes |= high
    hashes *= _P1
    return hashes


def _with_int(hashes: Words, words: Words) -> Words:
    hashes ^= words * _P1
    high = hashes << _BY[23]
    hashes >>= _BY[41]
    hashes |= high
    hashes *= _P2
    hashes += _P3
    return hashes


def _with_long(hashes: Words, words: Words) -> Words:
    words = words * _P2
    high = words << _BY[31]
    words >>= _BY[33]
    words |= high
    words *= _P1
    hashes ^= words
    high = hashes << _BY[27]
    hashes >>= _BY[37]
    hashes |= high
    hashes *= _P1
    hashes += _P4
    return hashes


def _finished(hashes: Words) -> Words:
    for by, factor in ((_BY[33], _P2), (_BY[29], _P3)):
        hashes ^= hashes >> by
        hashes *= factor
    hashes ^= hashes >> _BY[32]
    return hashes
