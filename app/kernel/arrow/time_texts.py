"""Texts read by one of Java's patterns, all texts of a batch part by part: as `app.plan.java.read` does one by one.

Texts go through a pattern together; at a section in brackets those part that have it and those that have not. What is
rare is left to the reader of one text: signs, letters beyond ASCII where others are wanted, years beyond 9999.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, timedelta, tzinfo
from functools import cache
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa

from app.kernel.arrow.flat import WIDEST, Numbers, counted, flat, valid
from app.kernel.arrow.time_fields import Moments, resolved, within_limits
from app.kernel.arrow.time_sheets import WORD, Sheet, Texts
from app.kernel.arrow.zone_steps import offsets_s
from app.plan.java import pattern as p
from app.plan.java.names import TEXTS
from app.plan.java.read import LAST_OFFSET_S, zone_at

_DAY_US, _SECOND_US = 86_400_000_000, 1_000_000
_FEW = 16
"""So many texts are read sooner one by one."""
_MOST = 18
"""So many digits a number of 64 bits holds."""
_WIDER = {2: np.uint16, 4: np.int64}
"""What numbers have to become before so many digits more."""
_SMALL = np.uint64(0x2020202020202020)
_POWERS = 10 ** np.arange(10)
_PLUS, _MINUS = ord("+"), ord("-")


@dataclass(frozen=True, slots=True)
class Read:
    """Microseconds since 1970 where `there`; the rows `left` are to be read one by one."""

    us: Numbers
    there: Numbers
    left: Numbers

    def put(self, values: Sequence[int | None]) -> None:
        """What those say that were left."""
        self.there[self.left] = [value is not None for value in values]
        self.us[self.left] = [value or 0 for value in values]


def read_all(parts: Sequence[p.Part], column: pa.Array, zone: str | None, zoneless: bool) -> Read:
    """What the texts name: instants, in `zone` where they name no other; without one, what the clock shows, and with
    `zoneless` only where they name none."""
    return _Reader(column).read(parts, zone, zoneless)


class _Reader:
    def __init__(self, column: pa.Array) -> None:
        texts = flat(column)
        self._texts, self._sheet = texts, Sheet(texts)
        self._left = self._sheet.sizes > WIDEST
        self._foreign: Numbers | None = None
        if len(texts.letters) and texts.letters.max() >= 128:
            self._foreign = counted(texts.letters >= 128, texts.offsets) > 0
        self._rows = np.arange(len(column))
        if column.null_count or self._left.any():
            self._rows = np.flatnonzero(valid(column) & ~self._left)
        self._zones: list[tzinfo] = []

    def read(self, parts: Sequence[p.Part], zone: str | None, zoneless: bool) -> Read:
        us: Numbers = np.zeros(len(self._left), dtype=np.int64)
        there: Numbers = np.zeros(len(self._left), dtype=bool)
        for texts in self._through(parts, self._enough(Texts(self._rows))):
            whole = self._at_end(texts)
            found = resolved(whole.fields, len(whole.row))
            if found.far.any():
                self._left[whole.row[found.far]] = True
            value = found.days * _DAY_US + found.clock_us - self._ahead_us(whole, found, zone)
            fits: Numbers = found.fits
            if zoneless and (whole.zone is not None or whole.offset_s is not None):
                fits = np.zeros(len(fits), dtype=bool)
            if len(whole.row) == len(us):
                us, there = value, fits
            else:
                us[whole.row], there[whole.row] = value, fits
        return Read(us, there, np.flatnonzero(self._left))

    def _at_end(self, texts: Texts) -> Texts:
        """The texts that end here, with fields that there are."""
        if not self._sheet.all_end(texts):
            texts = texts.only(self._sheet.ends(texts))
        if texts.offset_s is not None:
            texts = texts.only(np.abs(texts.offset_s) <= LAST_OFFSET_S)
        fits = within_limits(texts.fields)
        return texts if fits is None else texts.only(fits)

    def _ahead_us(self, texts: Texts, found: Moments, zone: str | None) -> Numbers | int:
        """How far ahead of UTC it is where and when the texts say."""
        if zone is None:
            return 0
        if texts.zone is None and texts.offset_s is not None:
            return texts.offset_s * _SECOND_US
        seconds = np.where(found.far, 0, found.days) * 86_400 + found.clock_us // _SECOND_US
        if texts.zone is None:
            return 0 if zone == "UTC" else offsets_s(seconds, zone) * _SECOND_US
        ahead = np.zeros(len(seconds), dtype=np.int64)
        for i in np.unique(texts.zone).tolist():
            there, known = texts.zone == i, self._zones[i]
            if isinstance(known, ZoneInfo):
                ahead[there] = offsets_s(seconds[there], known.key)
            else:
                ahead[there] = (known.utcoffset(None) or timedelta(0)) // timedelta(seconds=1)
        return ahead * _SECOND_US

    def _through(self, parts: Sequence[p.Part], texts: list[Texts]) -> list[Texts]:
        for part in parts:
            texts = [after for one in texts for after in self._part(part, one) if len(after.row)]
        return texts

    def _part(self, part: p.Part, texts: Texts) -> list[Texts]:
        if isinstance(part, p.Optional):
            return self._optional(part, texts)
        return [_WAYS[type(part)](self, part, texts)]

    def _optional(self, part: p.Optional, texts: Texts) -> list[Texts]:
        taken = self._through(part.parts, [replace(texts, fields=dict(texts.fields))])
        passed = ~self._left
        for one in taken:
            passed[one.row] = False
        return [some for one in (*taken, texts.only(passed[texts.row])) for some in self._enough(one)]

    def _enough(self, texts: Texts) -> list[Texts]:
        """The texts if they are many, else none: they are left."""
        if len(texts.row) > _FEW:
            return [texts]
        self._left[texts.row] = True
        return []

    def _without(self, texts: Texts, which: Numbers) -> Texts:
        """The other texts; those are left."""
        self._left[texts.row[which]] = True
        return texts.only(~which)

    def _failing(self, texts: Texts, fits: Numbers, foreign: bool) -> None:
        """Leaves of those that do not fit the ones in which another letter may be the same in Java's eyes."""
        if foreign:
            self._left[texts.row[~fits]] = True
        elif self._foreign is not None:
            self._left[texts.row[~fits & self._foreign[texts.row]]] = True

    def _plain(self, part: p.Plain, texts: Texts) -> Texts:
        signs = part.text
        if "\0" in signs or len(signs) > WIDEST:
            return self._without(texts, np.ones(len(texts.row), dtype=bool))
        if len(signs) < 4 and signs.isascii():
            same = np.ones(len(texts.row), dtype=bool)
            for i, sign in enumerate(signs):
                letter = self._sheet.letter(texts, i)
                same &= letter == ord(sign) if sign == sign.swapcase() else letter | 32 == ord(sign.lower())
        else:
            same = self._sheet.same(texts, signs)
        if not same.all():
            self._failing(texts, same, not signs.isascii())
            texts = texts.only(same)
        return self._sheet.on(texts, len(signs.encode()))

    def _text(self, part: p.Text, texts: Texts) -> Texts:
        names = _names(part.field, part.full)
        word = self._sheet.words(texts, 0, False)
        name = np.searchsorted(names.begins, (word | _SMALL) & names.prefix)
        name = np.minimum(name, len(names.begins) - 1)
        fits = names.starts.same(word, name)
        if len(long := np.flatnonzero(fits & (names.sizes[name] > WORD))):
            rest = self._sheet.words(Texts(texts.row, texts.at).take(long), WORD, False)
            fits[long] = names.rests.same(rest, name[long])
        if not fits.all():
            self._failing(texts, fits, False)
            texts, name = texts.only(fits), name[fits]
        one = int(names.sizes[0])
        same_size = (names.sizes == one).all()
        return self._sheet.on(texts, one if same_size else names.sizes[name]).put(part.field, names.values[name])

    def _number(self, part: p.Number, texts: Texts) -> Texts:
        taken, value = self._digits(texts, part.most + part.reserved)
        if part.reserved:
            room = np.maximum(part.least, np.minimum(taken, part.most + part.reserved) - part.reserved)
            taken, value = self._digits(texts, part.most + part.reserved, room)
        if part.reserved or not isinstance(taken, int) or not part.least <= taken <= _MOST or part.sign == "exceeds":
            texts, taken, value = self._fitting(part, texts, taken, value)
        if part.field == p.NANO:
            value = value * _POWERS[9 - taken]
        elif part.field in (p.YEAR, p.YEAR_OF_ERA) and part.fixed:
            value = value + 2000
        return self._sheet.on(texts, taken).put(part.field, value)

    def _fitting(
        self, part: p.Number, texts: Texts, taken: Numbers | int, value: Numbers
    ) -> tuple[Texts, Numbers | int, Numbers]:
        """The texts that have as many digits as they must; those with a sign or with very many are left."""
        sizes = np.broadcast_to(taken, len(texts.row))
        fits = sizes == part.least if part.sign == "exceeds" else sizes >= part.least
        if part.sign != "none" and not fits.all():
            first = self._sheet.letter(texts)
            self._left[texts.row[(first == _PLUS) | (first == _MINUS)]] = True
        if (long := fits & (sizes > _MOST)).any():
            self._left[texts.row[long]] = True
            fits = fits & ~long
        if fits.all():
            return texts, taken, value
        return texts.only(fits), taken if isinstance(taken, int) else taken[fits], value[fits]

    def _digits(self, texts: Texts, most: int, room: Numbers | int | None = None) -> tuple[Numbers | int, Numbers]:
        """How many digits are there, up to `most` and to `room`, and the number that they make, if they are not more
        than `_MOST`."""
        taken, value = 0, np.zeros(len(texts.row), dtype=np.uint8)
        while taken < most and room is None:
            digit = self._sheet.letter(texts, taken) - ord("0")
            if digit.max() > 9:
                break
            if taken in _WIDER:
                value = value.astype(_WIDER[taken])
            value = value * 10 + digit
            taken += 1
        return self._further_digits(texts, most, room, taken, value.astype(np.int64))

    def _further_digits(
        self, texts: Texts, most: int, room: Numbers | int | None, all_have: int, value: Numbers
    ) -> tuple[Numbers | int, Numbers]:
        """The same behind the digits that all have."""
        taken: Numbers | int = all_have
        going = None
        for i in range(all_have, most):
            digit = self._sheet.letter(texts, i) - ord("0")
            here = digit < 10
            if room is not None:
                here &= room > i
            if going is not None:
                here &= going
            if not here.any():
                break
            value, going = np.where(here, value * 10 + digit, value), here
            taken = taken + here
        return taken, value

    def _two_digits(self, at: Numbers, colon: bool) -> tuple[Numbers, Numbers, Numbers]:
        """A number below 60, whether it is there, and where it ends."""
        start = at + colon
        tens, ones = self._sheet.letters[start] - ord("0"), self._sheet.letters[start + 1] - ord("0")
        there = (tens < 6) & (ones < 10)
        if colon:
            there &= self._sheet.letters[at] == ord(":")
        return np.where(there, tens * np.int64(10) + ones, 0), there, np.where(there, start + 2, at)

    def _offset(self, part: p.Offset, texts: Texts) -> Texts:
        zero = self._sheet.same(texts, part.zero)
        colon = ":" in part.form
        sign = self._sheet.letter(texts)
        start = texts.row * self._sheet.width + self._sheet.place(texts)
        hours, fits, end = self._two_digits(start + 1, False)
        minutes, there, end = self._two_digits(end, colon)
        fits &= ((sign == _PLUS) | (sign == _MINUS)) & (hours <= 23)
        if part.form != "+HHmm":
            fits &= there
        total = hours * 3600 + minutes * 60
        if part.form.endswith("ss"):
            seconds, _, end = self._two_digits(end, colon)
            total += seconds
        fits |= zero
        self._failing(texts, fits, False)
        size = np.where(zero, len(part.zero), end - start)
        total = np.where(zero, 0, np.where(sign == _MINUS, -total, total))
        return self._sheet.on(texts, size).only(fits).put_offset(total[fits])

    def _zone(self, part: p.ZoneName | p.OffsetOfGmt, texts: Texts) -> Texts:
        """What is left of many texts is often the same: each such rest is read once."""
        data = self._texts.letters.tobytes()
        starts, ends = self._texts.starts[texts.row] + self._sheet.place(texts), self._texts.offsets[1:][texts.row]
        rests = [data[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        known: dict[bytes, int] = {}
        kind = np.array([known.setdefault(rest, len(known)) for rest in rests], dtype=np.int64)
        if len(known) * _FEW > len(rests):
            self._left[texts.row] = True
            return texts.only(np.zeros(len(rests), dtype=bool))
        sizes, offsets, zones = [], [], []
        for rest in known:
            size, offset_s, zone = zone_at(part, rest.decode())
            sizes.append(len(rest.decode()[:size].encode()) if size >= 0 else -1)
            offsets.append(offset_s or 0)
            self._zones.append(zone or UTC)
            zones.append(len(self._zones) - 1)
        fits = np.array(sizes)[kind] >= 0
        texts, kind = self._sheet.on(texts, np.array(sizes)[kind]).only(fits), kind[fits]
        if isinstance(part, p.OffsetOfGmt):
            return texts.put_offset(np.array(offsets)[kind])
        texts.zone = np.array(zones)[kind]
        return texts


@dataclass(frozen=True, slots=True)
class _Words:
    """Eight letters of some names each, which `large` makes small."""

    small: Numbers
    large: Numbers
    mask: Numbers

    def same(self, words: Numbers, name: Numbers) -> Numbers:
        found: Numbers = (words | self.large[name]) & self.mask[name] == self.small[name]
        return found


@dataclass(frozen=True, slots=True)
class _Names:
    """Names in the order of how they begin; each begins in its own way."""

    prefix: np.uint64
    begins: Numbers
    values: Numbers
    sizes: Numbers
    starts: _Words
    rests: _Words


@cache
def _names(field: str, full: bool) -> _Names:
    known = {name.lower().encode(): value for value, name in TEXTS[field, full].items()}
    least = min(WORD, *map(len, known))
    order = sorted(known, key=lambda name: int(_word(name[:least]) | _SMALL))
    prefix = _word(b"\xff" * least)
    return _Names(
        prefix,
        np.array([(_word(name[:least]) | _SMALL) & prefix for name in order]),
        np.array([known[name] for name in order]),
        np.array([len(name) for name in order]),
        _words([name[:WORD] for name in order]),
        _words([name[WORD:] for name in order]),
    )


def _words(small: list[bytes]) -> _Words:
    large = [bytes(32 if chr(letter).isalpha() else 0 for letter in name) for name in small]
    mask = [b"\xff" * len(name) for name in small]
    return _Words(*(np.array([*map(_word, some)]) for some in (small, large, mask)))


def _word(letters: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(letters, "little"))


_WAYS: dict[type, Callable[..., Texts]] = {
    p.Plain: _Reader._plain,
    p.Text: _Reader._text,
    p.Number: _Reader._number,
    p.Offset: _Reader._offset,
    p.OffsetOfGmt: _Reader._zone,
    p.ZoneName: _Reader._zone,
}
