"""Numbers read and written by a format: `to_number`, `to_char`, `format_number`, `conv`."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import lru_cache

import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, by_row, fail
from app.plan.functions.number_format import Digits, NumberFormat, number_format

_format = lru_cache(64)(number_format)
_EXACT = Context(prec=800)
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_WORD = 1 << 64


def _to_number(text: str, written: str, safe: bool) -> str | None:
    found = _Reading(_format(written), text).number()
    if found is None and not safe:
        fail(
            "INVALID_FORMAT.MISMATCH_INPUT",
            f"The format is invalid: {written!r}. The input {text!r} does not match it.",
        )
    return found


class _Reading:
    """One text read along the tokens of a format."""

    def __init__(self, form: NumberFormat, text: str) -> None:
        self._form, self._text, self._at = form, text, 0
        self._whole, self._part, self._behind_point = "", "", False

    def number(self) -> str | None:
        """The number as plain text, None where the text does not fit the format."""
        negative, opened, closed = False, False, False
        for token in self._form.tokens:
            if isinstance(token, tuple):
                if not self._group([run for run in token if run is not None]):
                    return None
                continue
            char = self._text[self._at : self._at + 1]
            if token == "$" and char not in ("$", ""):
                return None
            if char and (char == token or (token in "SM" and char == "-") or (token == "S" and char == "+")):
                self._at += 1
                negative ^= char in "->"
                opened |= char == "<"
                closed |= char == ">"
                self._behind_point |= char == "."
            if closed and not opened:
                return None
        digits = self._whole + self._part
        if self._at < len(self._text) or opened != closed or not digits:
            return None
        return f"{'-' if negative else ''}{self._whole or '0'}.{self._part}"

    def _group(self, runs: list[Digits]) -> bool:
        counts, digits = [0], ""
        while self._at < len(self._text):
            char = self._text[self._at]
            if char == ",":
                counts.append(0)
            elif char in "0123456789":
                counts[-1] += 1
                digits += char
            elif not char.isspace():
                break
            self._at += 1
        if self._behind_point:
            self._part += digits
        else:
            self._whole += digits
        if len(counts) > len(runs):
            return False
        counts = [0] * (len(runs) - len(counts)) + counts
        return all(n == run.count if run.exact else n <= run.count for n, run in zip(counts, runs, strict=True))


def _to_char(number: Decimal, written: str) -> str:
    form = _format(written)
    whole, _, part = format(abs(number), "f").partition(".")
    whole, part = whole.lstrip("0"), part.rstrip("0")
    room, room_behind = form.precision - form.scale, form.scale
    if len(whole) > room or len(part) > room_behind:
        whole, part = "#" * room, "#" * room_behind
    left, right = iter(whole.rjust(room)), iter(part.ljust(room_behind, "0"))
    out: list[str] = []
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
            _write_sign(out, token, number < 0)
    _drop_lone_point(out)
    text = "".join(out)
    return "0" if text in ("", "+", "-") else text


def _write_group(out: list[str], group: tuple[Digits | None, ...], digits: object) -> None:
    for run in group:
        if run is None:
            if out and out[-1].isdigit():
                out.append(",")
            else:
                _write_space(out)
            continue
        for _ in range(run.count):
            char = next(digits)  # type: ignore[call-overload]
            if char != " ":
                out.append(char)
            elif run.exact:
                out.append("0")
            else:
                _write_space(out)


def _write_space(out: list[str]) -> None:
    """A space, before signs that stand at the end."""
    at = len(out)
    while at > 0 and out[at - 1] in "+-<":
        at -= 1
    out.insert(at, " ")


def _write_sign(out: list[str], token: str, negative: bool) -> None:
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


def _drop_lone_point(out: list[str]) -> None:
    at = out.index(".") if "." in out else -1
    if at >= 0 and (at == len(out) - 1 or out[at + 1] == " "):
        out[at] = " "


def _format_number(number: float | Decimal, digits: int, commas: bool, least: int, most: int) -> str:
    """The number rounded half to even as Java's DecimalFormat does: from the shortest digits that name a double, but
    where some of them are cut off, from its exact value."""
    if isinstance(number, float) and number != number:
        return "NaN"
    exact = Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
    if isinstance(number, float) and exact.is_finite() and -int(exact.as_tuple().exponent) > most:
        exact = Decimal(number)
    sign = "-" if exact.is_signed() else ""
    if exact.is_infinite():
        return sign + "∞"
    rounded = abs(exact).quantize(Decimal(1).scaleb(-most), rounding=ROUND_HALF_EVEN, context=_EXACT)
    whole, _, part = format(rounded, "f").partition(".")
    while len(part) > least and part.endswith("0"):
        part = part[:-1]
    whole = whole.lstrip("0").rjust(digits, "0")
    if commas:
        whole = f"{int(whole or '0'):,}" if digits <= 1 and whole else whole
    return sign + (whole or ("" if part else "0")) + (f".{part}" if part else "")


def _conv(text: str, base: int, to: int, safe: bool) -> str | None:
    """The digits of `text` in another base, as an unsigned number of 64 bits unless `to` is negative."""
    text = text.strip(" ")
    if not text or not 2 <= base <= 36 or not 2 <= abs(to) <= 36:
        return None
    negative = text[0] == "-"
    value = 0
    for char in text[negative:].upper():
        digit = _DIGITS.find(char)
        if not 0 <= digit < base:
            break
        value = value * base + digit
    if value >= _WORD:
        if not safe:
            fail(
                "ARITHMETIC_OVERFLOW",
                'Overflow in function conv(). Set "spark.sql.ansi.enabled" to "false" to bypass it.',
            )
        value = _WORD - 1
    if negative and to > 0:
        value = _WORD - 1 if value >= _WORD // 2 else -value % _WORD
    if to < 0 and value >= _WORD // 2:
        value, negative = _WORD - value, True
    found = ""
    while True:
        value, digit = divmod(value, abs(to))
        found = _DIGITS[digit] + found
        if not value:
            return ("-" if negative and to < 0 else "") + found


FUNCTIONS = {
    "wa_to_number": ArrowFunction(by_row(_to_number, pa.string()), ("VARCHAR", "VARCHAR", "BOOLEAN"), "VARCHAR"),
    "wa_to_char": ArrowFunction(by_row(_to_char, pa.string()), None, "VARCHAR"),
    "wa_format_number": ArrowFunction(by_row(_format_number, pa.string()), None, "VARCHAR"),
    "wa_conv": ArrowFunction(by_row(_conv, pa.string()), ("VARCHAR", "INTEGER", "INTEGER", "BOOLEAN"), "VARCHAR"),
}
