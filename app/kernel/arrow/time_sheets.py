"""The letters of many texts one beside the other: as a sheet with a row for each text."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from app.kernel.arrow.flat import WIDEST, Flat, Numbers, gathered

WORD = 8


@dataclass(slots=True)
class Texts:
    """Texts that have come equally far, by the numbers of their rows, and what they have named on the way. `at` is the
    letter they have come to; where it is not the same for all, its place in the sheet."""

    row: Numbers
    at: Numbers | int = 0
    fields: dict[str, Numbers] = field(default_factory=dict)
    offset_s: Numbers | None = None
    zone: Numbers | None = None

    def only(self, which: Numbers) -> Texts:
        """Those of them for which `which` is true."""
        return self if which.all() else self.take(which)

    def take(self, which: Numbers) -> Texts:
        """Those of them for which `which` is true, or whose numbers it has."""
        return Texts(
            self.row[which],
            self.at if isinstance(self.at, int) else self.at[which],
            {name: value[which] for name, value in self.fields.items()},
            None if self.offset_s is None else self.offset_s[which],
            None if self.zone is None else self.zone[which],
        )

    def put(self, name: str, value: Numbers) -> Texts:
        """Those that do not name another value already."""
        if (known := self.fields.get(name)) is not None:
            return self.only(known == value)
        self.fields[name] = value
        return self

    def put_offset(self, seconds: Numbers) -> Texts:
        if self.offset_s is not None:
            return self.only(self.offset_s == seconds)
        self.offset_s = seconds
        return self


class Sheet:
    """The letters of texts, filled up with zeros; of those that have more than `WIDEST` it holds so many."""

    def __init__(self, texts: Flat) -> None:
        self._texts, self.sizes = texts, texts.lengths
        most = int(self.sizes.max(initial=0))
        self._longest = min(most, WIDEST)
        self.width = self._longest + 2 * WORD
        self._alike = 0 < most == self._longest and len(texts.letters) == most * len(self.sizes)
        self._columns = texts.letters.reshape(len(self.sizes), -1) if self._alike else self._filled()

    def _filled(self) -> Numbers:
        """One row for each text, and some more for who reads beyond the last."""
        if not self._alike:
            starts = np.minimum(self._texts.starts, len(self._texts.letters))
            rows = gathered(self._texts.padded(), starts, self._longest or 1, np.uint8)
            rows *= np.arange(self._longest or 1) < self.sizes[:, None]
        else:
            rows = self._columns
        sheet = np.zeros((len(self.sizes) + WIDEST, self.width), dtype=np.uint8)
        sheet[: len(self.sizes), : rows.shape[1]] = rows
        return sheet

    @cached_property
    def letters(self) -> Numbers:
        return self._filled().ravel() if self._alike else self._columns.ravel()

    @cached_property
    def _lower(self) -> Numbers:
        small: Numbers = self.letters + ((self.letters - ord("A") < 26) * np.uint8(32))
        return small

    def ends(self, texts: Texts) -> Numbers:
        """Which of the texts end where they have come to."""
        found: Numbers = np.equal(self.place(texts), self.sizes[texts.row])
        return found

    def all_end(self, texts: Texts) -> bool:
        """Whether all do; False if that would have to be looked up."""
        return self._alike and isinstance(texts.at, int) and texts.at == self._longest

    def place(self, texts: Texts) -> Numbers | int:
        """Which of its letters each text has come to."""
        return texts.at if isinstance(texts.at, int) else texts.at - texts.row * self.width

    def on(self, texts: Texts, letters: Numbers | int) -> Texts:
        """The texts, so many letters further on."""
        if isinstance(texts.at, int) and not isinstance(letters, int):
            texts.at = texts.row * self.width + texts.at
        texts.at = texts.at + letters
        return texts

    def letter(self, texts: Texts, behind: int = 0) -> Numbers:
        """The letter that so many letters stand before."""
        if not isinstance(texts.at, int):
            found: Numbers = self.letters[texts.at + behind]
            return found
        if texts.at + behind >= self._longest:
            return np.zeros(len(texts.row), dtype=np.uint8)
        column: Numbers = self._columns[: len(self.sizes), texts.at + behind]
        return column if len(texts.row) == len(column) else column[texts.row]

    def words(self, texts: Texts, behind: int, lower: bool) -> Numbers:
        """Eight letters, the first in the lowest byte."""
        letters = self._lower if lower else self.letters
        at = texts.row * self.width + texts.at if isinstance(texts.at, int) else texts.at
        return gathered(letters, at + behind, WORD, "<u8")[:, 0]

    def same(self, texts: Texts, wanted: str) -> Numbers:
        """Whether the texts go on with these letters, be they large or small."""
        signs = wanted.encode()
        cased = signs.lower() != signs.upper()
        same = np.ones(len(texts.row), dtype=bool)
        for start in range(0, len(signs), WORD):
            some = signs[start : start + WORD].lower()
            mask = np.uint64((1 << 8 * len(some)) - 1)
            same &= self.words(texts, start, cased) & mask == np.uint64(int.from_bytes(some, "little"))
            if not same.any():
                break
        return same
