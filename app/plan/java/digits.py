"""The digits of a double by the algorithm that Java's DecimalFormat has kept: now and then one more than name it.

`FloatingDecimal.dtoa` generates digits until they name the double, by a test that is the same to both sides; at least
two where the number is below 0.001 or at least 10,000,000.
"""

from __future__ import annotations

import math
import struct

_BITS = 52
_FIVES = [(5**n).bit_length() if n else 0 for n in range(27)]
_SMALL = range(-21, 63)


def java_digits(value: float) -> tuple[int, int]:
    """A whole number and the power of ten it is to be multiplied by; of a finite double, without its sign."""
    bits = struct.unpack("<q", struct.pack("<d", abs(value)))[0]
    exponent, fraction = bits >> _BITS, bits & ((1 << _BITS) - 1)
    if not bits:
        return 0, 0
    significant = _BITS + 1
    if exponent:
        fraction |= 1 << _BITS
    else:
        significant = fraction.bit_length()
        fraction <<= _BITS + 1 - significant
        exponent = 1 - (_BITS + 1 - significant)
    exponent -= 1023
    tail = (fraction & -fraction).bit_length() - 1
    kept = _BITS + 1 - tail
    tiny = max(0, kept - exponent - 1)
    if exponent in _SMALL and not tiny and kept < 64:
        return _of_whole(fraction << exponent >> _BITS, exponent - significant - 1)
    return _generated(fraction, exponent, significant, kept, tiny)


def _of_whole(whole: int, beyond: int) -> tuple[int, int]:
    """A whole number, without the digits that the bits beyond those of a double have."""
    dropped = int(beyond * math.log10(2)) if beyond > 1 else 0
    residue = whole % 10**dropped
    return whole // 10**dropped + (dropped > 0 and residue >= 10**dropped // 2), dropped


def _generated(fraction: int, exponent: int, significant: int, kept: int, tiny: int) -> tuple[int, int]:
    power = _estimate(fraction, exponent)
    b5, s5 = max(0, -power), max(0, power)
    b2, s2 = b5 + tiny + exponent, s5 + tiny
    m2 = b2 - significant
    fraction >>= _BITS + 1 - kept
    b2 -= kept - 1
    common = min(b2, s2)
    b2, s2, m2 = b2 - common, s2 - common, m2 - common
    # Below a power of two doubles lie twice as dense.
    m2 -= kept == 1
    if m2 < 0:
        b2, s2, m2 = b2 - m2, s2 - m2, 0
    widest = max(kept + b2 + _bits_of_five(b5), s2 + 1 + _bits_of_five(s5 + 1))
    word = 32 if widest < 32 else 64
    b, s, m = fraction * 5**b5 << b2, 5**s5 << s2, 5**b5 << m2
    digits, first = 0, True
    while True:
        q, b = divmod(b, s)
        b, m = 10 * b, 10 * m
        if widest < 64:
            # Words of Java overflow.
            m, above = _wrapped(m, word), _wrapped(b + _wrapped(m, word), word)
            low, high = (b < m, above > 10 * s) if m > 0 or first else (True, True)
        else:
            low, high = b < m, b + m >= 10 * s
        digits = 10 * digits + q
        # The estimate may be one too high: a zero does not count.
        skipped = first and not q and not high
        if first and not -3 <= power - skipped < 8:
            low = high = False
        first = False
        if low or high:
            break
        power -= 1
    if high and (not low or 2 * b > 10 * s or (2 * b == 10 * s and digits % 2)):
        digits += 1
    return digits, power


def _wrapped(value: int, bits: int) -> int:
    half = 1 << (bits - 1)
    return (value + half) % (2 * half) - half


def _bits_of_five(power: int) -> int:
    return _FIVES[power] if power < len(_FIVES) else power * 3


def _estimate(fraction: int, exponent: int) -> int:
    scaled = 1.0 + (fraction & ((1 << _BITS) - 1)) / (1 << _BITS)
    return math.floor((scaled - 1.5) * 0.289529654 + 0.176091259 + exponent * 0.301029995663981)
