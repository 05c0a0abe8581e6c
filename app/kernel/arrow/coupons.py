"""Coupons of HyperLogLog sketches, many at a time: a coupon says which register a value is counted in, by 26 bits, and
what it raises that to, by 6 bits above them.

A sketch of a few values is an image of 40 bytes that lists up to 7 coupons in the order they came in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from app.kernel.arrow.flat import Flat, Numbers, flat

_MASK = (1 << 64) - 1
_SEED = 9001
_C1, _C2 = 0x87C37B91114253D5, 0x4CF5AD432745937F
_KEY_BITS = 26
_IMAGE_BYTES, _PLACES, LISTED = 40, 8, 7
_HEADER = 0x00070102
"""Two words of version and family, under 8 bits of lg_k; below is a list of 8 places, with 8 bits for its length."""
_LIST, _NO_LIST = 0x08000003, 0x00FF0000
_FILLED = (np.arange(_PLACES) < np.arange(_PLACES)[:, None]).view(np.uint64).ravel()
"""For each number of coupons which places they take, a byte each."""
_FIRST_PART, _PART = 1 << 10, 1 << 13


def _hash_of(data: bytes) -> tuple[int, int]:
    """MurmurHash3 x64 128 with the seed of DataSketches."""
    first = second = _SEED
    whole = len(data) // 16 * 16
    for at in range(0, whole, 16):
        first = _rotated(first ^ _mixed(int.from_bytes(data[at : at + 8], "little"), _C1, 31, _C2), 27) + second & _MASK
        first = (first * 5 + 0x52DCE729) & _MASK
        second = _rotated(second ^ _mixed(int.from_bytes(data[at + 8 : at + 16], "little"), _C2, 33, _C1), 31) + first
        second = (second * 5 + 0x38495AB5) & _MASK
    rest = data[whole:]
    second ^= _mixed(int.from_bytes(rest[8:], "little"), _C2, 33, _C1)
    first ^= _mixed(int.from_bytes(rest[:8], "little"), _C1, 31, _C2)
    first, second = first ^ len(data), second ^ len(data)
    first = first + second & _MASK
    second = second + first & _MASK
    first, second = _finished_word(first), _finished_word(second)
    first = first + second & _MASK
    return first, second + first & _MASK


def _rotated(word: int, by: int) -> int:
    return (word << by | word >> 64 - by) & _MASK


def _mixed(word: int, before: int, by: int, behind: int) -> int:
    return _rotated(word * before & _MASK, by) * behind & _MASK


def _finished_word(word: int) -> int:
    word = (word ^ word >> 33) * 0xFF51AFD7ED558CCD & _MASK
    word = (word ^ word >> 33) * 0xC4CEB9FE1A85EC53 & _MASK
    return word ^ word >> 33


def of_bytes(data: bytes) -> int:
    """The coupon of a value that is bytes."""
    first, second = _hash_of(data)
    zeros = 64 - second.bit_length()
    return (min(zeros, 62) + 1) << _KEY_BITS | first & ((1 << _KEY_BITS) - 1)


def of_longs(values: Numbers) -> Numbers:
    """The coupon of each whole number of 64 bits."""
    return _packed(*_hashes(values))


def _hashes(values: Numbers) -> tuple[Numbers, Numbers]:
    """The two words of the hash of each whole number of 64 bits."""
    words = values.view(np.uint64) * np.uint64(_C1)
    words = words << np.uint64(31) | words >> np.uint64(33)
    words *= np.uint64(_C2)
    words ^= np.uint64(_SEED ^ 8)
    words += np.uint64(_SEED ^ 8)
    first = _finished(words)
    words += np.uint64(_SEED ^ 8)
    second = _finished(words)
    first += second
    second += first
    return first, second


def _packed(first: Numbers, second: Numbers) -> Numbers:
    keys = first.astype(np.uint32) & np.uint32((1 << _KEY_BITS) - 1)
    return (_zeros(second) + np.uint32(1)) << np.uint32(_KEY_BITS) | keys


def _finished(words: Numbers) -> Numbers:
    words = words ^ words >> np.uint64(33)
    words *= np.uint64(0xFF51AFD7ED558CCD)
    words ^= words >> np.uint64(33)
    words *= np.uint64(0xC4CEB9FE1A85EC53)
    words ^= words >> np.uint64(33)
    return words


def _zeros(words: Numbers) -> Numbers:
    """How many zeros each word begins with, at most 62."""
    # The exponent of so many bits as a double holds.
    upper = (words >> np.uint64(12)).astype(np.float64).view(np.int64) >> 52
    found = (1023 + 51 - upper).astype(np.uint32)
    for at in np.flatnonzero(upper == 0):
        found[at] = min(64 - int(words[at]).bit_length(), 62)
    return found


class _Seen:
    """What a sketch of so many registers has seen. It lists coupons first; when it is `raised` only what they raise
    registers to counts, and only a second word of a hash up to the one of `limits` raises a register."""

    def __init__(self, lg_k: int) -> None:
        self._lg_k = lg_k
        self._registers, self._last = np.zeros(1 << lg_k, dtype=np.uint8), np.zeros(1 << lg_k, dtype=np.uint32)
        self._limits = np.full(1 << lg_k, _MASK, dtype=np.uint64)
        self.raised = False

    def new(self, coupons: Numbers) -> Numbers:
        """The places of those that may change it; others do not."""
        slots = coupons & np.uint32((1 << self._lg_k) - 1)
        values = (coupons >> np.uint32(_KEY_BITS)).astype(np.uint8)
        new = np.flatnonzero(values > self._registers[slots] if self.raised else self._last[slots] != coupons)
        slots = slots[new]
        self._last[slots] = coupons[new]
        np.maximum.at(self._registers, slots, values[new])
        self._limits[slots] = np.uint64(_MASK) >> self._registers[slots].astype(np.uint64)
        if not self.raised:
            # With so many registers in use it has more coupons than it lists.
            self.raised = int(np.count_nonzero(self._registers)) > max(_PLACES, 1 << self._lg_k >> 3)
        return new

    def new_longs(self, values: Numbers) -> Numbers:
        """The same for the coupons of whole numbers."""
        first, second = _hashes(values)
        if not self.raised:
            return self.new(_packed(first, second))
        likely = np.flatnonzero(second <= self._limits[first & np.uint64((1 << self._lg_k) - 1)])
        places: Numbers = likely[self.new(_packed(first[likely], second[likely]))]
        return places


def changing(coupons: Numbers, lg_k: int) -> Numbers:
    """The places of coupons, in order, without most of those that change nothing in a sketch that has seen the others
    before."""
    return _in_parts(coupons, _Seen(lg_k).new)


def changing_longs(values: Numbers, lg_k: int) -> Numbers:
    """The same for the coupons of whole numbers of 64 bits."""
    return _in_parts(values, _Seen(lg_k).new_longs)


def _in_parts(values: Numbers, places: Callable[[Numbers], Numbers]) -> Numbers:
    """The places of each part, which stay in the processor's cache, as those of all."""
    found: list[Numbers] = [np.zeros(0, dtype=np.int64)]
    at, size = 0, _FIRST_PART
    while at < len(values):
        found.append(at + places(values[at : at + size]))
        at, size = at + size, min(2 * size, _PART)
    return np.concatenate(found)


@dataclass(frozen=True, slots=True)
class Lists:
    """Of a column of sketches those that list coupons: which rows they are, `lg_k` of each, and a row of coupons for
    each, 0 behind the last one."""

    rows: Numbers
    lg_k: Numbers
    coupons: Numbers


def lists_of(column: pa.Array) -> Lists:
    values: Flat = flat(column)
    rows = np.flatnonzero(values.lengths == _IMAGE_BYTES)
    if len(rows) == len(column):
        words = values.letters.reshape(-1, _IMAGE_BYTES)
    else:
        words = values.letters[values.starts[rows][:, None] + np.arange(_IMAGE_BYTES)]
    words = np.ascontiguousarray(words).view("<u4")
    lengths = words[:, 1] >> 16 & 0xFF
    good = (words[:, 0] & 0xFFFFFF == _HEADER) & (words[:, 1] & ~np.uint32(_NO_LIST) == _LIST)
    good &= (words[:, 0] >= 4 << 24) & (words[:, 0] < 22 << 24) & (lengths > 0) & (lengths <= LISTED)
    # A byte for each place, all at once.
    good &= (words[:, 2:] != 0).view(np.uint64).ravel() == _FILLED[lengths & _PLACES - 1]
    if not good.all():
        rows, words, lengths = rows[good], words[good], lengths[good]
    return Lists(rows, words[:, 0] >> 24, words[:, 2 : 2 + int(lengths.max(initial=0))])


def image_of(lg_k: Any, lengths: Any, coupons: Numbers) -> Numbers:
    """Images that list so many of a row of coupons each, as bytes one after the other."""
    words = np.zeros((len(coupons), 2 + _PLACES), dtype="<u4")
    words[:, 0] = np.uint32(_HEADER) | np.asarray(lg_k, dtype=np.uint32) << np.uint32(24)
    words[:, 1] = np.uint32(_LIST) | np.asarray(lengths, dtype=np.uint32) << np.uint32(16)
    words[:, 2 : 2 + coupons.shape[1]] = coupons
    return words.view(np.uint8)


def united(first: Numbers, second: Numbers) -> tuple[Numbers, Numbers]:
    """For rows of coupons those of both, each once, and how many there are; -1 where they are too many for a list or a
    row has one twice."""
    both = [*first.T, *second.T]
    found, lengths = np.zeros((len(first), len(both)), dtype=np.uint32), np.zeros(len(first), dtype=np.int64)
    twice = np.zeros(len(first), dtype=bool)
    for i, coupons in enumerate(both):
        new = coupons != 0
        for j, other in enumerate(both[:i]):
            same = coupons == other
            if (i < first.shape[1]) == (j < first.shape[1]):
                twice |= same & new
            new &= ~same
        rows = np.flatnonzero(new)
        found[rows, lengths[rows]] = coupons[rows]
        lengths += new
    lengths[twice | (lengths > LISTED)] = -1
    return found[:, :LISTED], lengths
