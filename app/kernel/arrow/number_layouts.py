"""`to_char`: numbers written by a format, all numbers of a batch at once.

What stands where depends on little: how many digits a number has, its sign, whether it fits. So each such kind is
laid out once, as letters and places of digits, and the numbers of a batch fill the layouts of their kinds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction
from app.kernel.arrow.flat import Numbers, column_of, flat, gathered
from app.plan.functions.number_format import Digits, NumberFormat, number_format

_Out = list[str | int]
"""Letters, and for each digit its place in the text of the number, cut or filled to the digits of the format."""
_ZERO = ord("0")


@dataclass(frozen=True, slots=True)
class _Layouts:
    """A row for each kind: `letters`, with `places` of digits (-1: none) to put over them, and how many count."""

    letters: Numbers
    places: Numbers
    lengths: Numbers


@lru_cache(64)
def _layouts(form: NumberFormat, scale: int) -> _Layouts:
    """For numbers with `scale` digits behind the point: first positive ones with none, one, … digits before it, then
    those that do not fit, then the same of negative ones."""
    room, behind = form.precision - form.scale, form.scale
    part: _Out = [room + 1 + i if i < scale else "0" for i in range(behind)]
    filled: list[tuple[_Out, _Out]] = [
        ([" "] * (room - n) + list(range(room - n, room)), part) for n in range(room + 1)
    ]
    filled.append((["#"] * room, ["#"] * behind))
    found = [_laid_out(form, iter(left), iter(right), negative) for negative in (False, True) for left, right in filled]
    letters = np.full((len(found), max(map(len, found))), _ZERO, dtype=np.uint8)
    places = np.full(letters.shape, -1, dtype=np.int32)
    for row, out in enumerate(found):
        for at, sign in enumerate(out):
            (places if isinstance(sign, int) else letters)[row, at] = sign if isinstance(sign, int) else ord(sign)
    return _Layouts(letters, places, np.array(list(map(len, found))))


def _laid_out(form: NumberFormat, left: Iterator[str | int], right: Iterator[str | int], negative: bool) -> _Out:
    out: _Out = []
    behind_point = False
    for token in form.tokens:
        if token == ".":
            if out and out[-1] == " ":
                out[-1] = "0"
            out.append(".")
            behind_point = True
        elif isinstance(token, tuple):
            _write_group(out, token, right if behind_point else left)
        else:
            _write_sign(out, token, negative)
    _drop_lone_point(out)
    return ["0"] if out in ([], ["+"], ["-"]) else out


def _write_group(out: _Out, group: tuple[Digits | None, ...], digits: Iterator[str | int]) -> None:
    for run in group:
        if run is None:
            if out and (isinstance(out[-1], int) or out[-1] == "0"):
                out.append(",")
            else:
                _write_space(out)
            continue
        for _ in range(run.count):
            sign = next(digits)
            if sign != " ":
                out.append(sign)
            elif run.exact:
                out.append("0")
            else:
                _write_space(out)


def _write_space(out: _Out) -> None:
    """A space, before signs that stand at the end."""
    at = len(out)
    while at > 0 and out[at - 1] in ("+", "-", "<"):
        at -= 1
    out.insert(at, " ")


def _write_sign(out: _Out, token: str, negative: bool) -> None:
    if token == "$":
        out.append("$")
    elif token == "<":
        out += "<" if negative else ""
    elif negative or token == "S":
        _drop_lone_point(out)
        at = len(out)
        while at > 0 and out[at - 1] == " ":
            at -= 1
        out.insert(at, ">" if token == ">" else "-" if negative else "+")
    elif token == "M":
        out.append(" ")
    else:
        _drop_lone_point(out)
        out += "  "


def _drop_lone_point(out: _Out) -> None:
    at = out.index(".") if "." in out else -1
    if at >= 0 and (at == len(out) - 1 or out[at + 1] == " "):
        out[at] = " "


def _to_char(column: pa.Array, formats: pa.Array) -> pa.Array:
    """Texts of decimals of one type, by one format."""
    if column.null_count == len(column) or formats.null_count:
        return pa.nulls(len(column), pa.string())
    texts, some = flat(column), column.drop_null()[0].as_py()
    scale = len(some.partition(".")[2])
    form = number_format(formats[0].as_py())
    layouts, room = _layouts(form, scale), form.precision - form.scale
    behind = scale + 1 if scale else 0
    ends, width = texts.offsets[1:], room + 1 + max(scale, form.scale)
    letters = np.concatenate([np.full(room, _ZERO, np.uint8), texts.letters, np.zeros(width, np.uint8)])
    digits = gathered(letters, ends - behind, width, np.uint8)
    negative = letters[room:][texts.starts] == ord("-")
    whole = np.maximum(texts.lengths - behind - negative, 0)
    whole -= (whole == 1) & (digits[:, room - 1] == _ZERO) if room else letters[room:][texts.starts + negative] == _ZERO
    fits = whole <= room
    if scale > form.scale:
        fits &= (digits[:, room + 1 + form.scale : room + 1 + scale] == _ZERO).all(axis=1)
    kinds = np.where(fits, whole, room + 1) + negative * (room + 2)
    places = layouts.places[kinds]
    filled = np.where(
        places < 0,
        layouts.letters[kinds],
        digits.ravel()[places + np.arange(0, digits.size, width, dtype=np.int32)[:, None]],
    )
    lengths = layouts.lengths[kinds]
    ends = np.concatenate([[0], np.cumsum(lengths)])
    if int(ends[-1]) < filled.size:
        filled = filled[np.arange(filled.shape[1]) < lengths[:, None]]
    return column_of(filled, ends, pa.string(), column)


FUNCTIONS = {"wa_to_char": ArrowFunction(_to_char, ("VARCHAR", "VARCHAR"), "VARCHAR")}
