"""Chance as Spark's sampler with replacement draws it: WELL19937c, seeded by the first number of Java's Random."""

from __future__ import annotations

from collections.abc import Iterator

_SIZE = 624
_WORD = (1 << 32) - 1
_JAVA = 0x5DEECE66D
_JAVA_WORD = (1 << 48) - 1


def well_doubles(seed: int) -> Iterator[float]:
    """Numbers from 0 up to 1, 52 bits of two draws each."""
    draws = _draws(_first_long(seed))
    for high in draws:
        yield ((high >> 6 << 26) | (next(draws) >> 6)) * 2.0**-52


def _first_long(seed: int) -> int:
    """`new java.util.Random(seed).nextLong()`, as 64 bits without sign."""
    state, halves = (seed ^ _JAVA) & _JAVA_WORD, list[int]()
    for _ in range(2):
        state = (state * _JAVA + 11) & _JAVA_WORD
        halves.append(state >> 16)
    low = halves[1] - ((halves[1] >> 31) << 32)
    return ((halves[0] << 32) + low) & ((1 << 64) - 1)


def _draws(seed: int) -> Iterator[int]:
    """The generator of Panneton, L'Ecuyer and Matsumoto, 32 bits at a time, as Apache Commons Math seeds it."""
    words = [seed >> 32, seed & _WORD]
    for i in range(2, _SIZE):
        before = words[i - 2] - ((words[i - 2] >> 31) << 32)
        words.append((1812433253 * (before ^ (before >> 30)) + i) & _WORD)
    at = 0
    while True:
        last, last_but_one = (at - 1) % _SIZE, (at - 2) % _SIZE
        here, second, third, fourth = (words[(at + apart) % _SIZE] for apart in (0, 70, 179, 449))
        kept = (words[last] & 0x80000000) ^ (words[last_but_one] & 0x7FFFFFFF)
        one = (here ^ (here << 25) ^ second ^ (second >> 27)) & _WORD
        two = (third >> 9) ^ fourth ^ (fourth >> 1)
        both = one ^ two
        drawn = (kept ^ one ^ (one << 9) ^ two ^ (two << 21) ^ both ^ (both >> 21)) & _WORD
        words[at], words[last], words[last_but_one] = both, drawn, words[last_but_one] & 0x80000000
        at = last
        drawn ^= (drawn << 7) & 0xE46E1700
        yield drawn ^ ((drawn << 15) & 0x9B868000)
