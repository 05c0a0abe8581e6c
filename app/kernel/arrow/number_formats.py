"""Numbers read and written by a format: `to_number`, `format_number`, `conv`."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import lru_cache

import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, by_row, fail
from app.plan.functions.number_format import Digits, number_format
from app.plan.java.digits import java_digits

_WITH_EXPONENT = 1e-3
_EXACT = Context(prec=800)
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_WORD = 1 << 64


def _to_number(text: str, written: str, safe: bool) -> str | None:
    found = _number(text, *_reading(written))
    if found is None and not safe:
        fail(
            "INVALID_FORMAT.MISMATCH_INPUT",
            f"The format is invalid: {written!r}. The input {text!r} does not match it.",
        )
    return found


@lru_cache(64)
def _reading(written: str) -> tuple[re.Pattern[str], list[list[Digits]]]:
    """What takes a text apart into signs and groups of digits, and the runs of digits of each group."""
    signs = {
        "S": "(?P<S>[+-]?)",
        "M": "(?P<M>-?)",
        "$": r"(?:\$|\Z)",
        ".": r"(?P<point>\.?)",
        "<": "(?P<lt><?)",
        ">": "(?P<gt>>?)",
    }
    pattern, groups, side = "", [], "whole"
    for token in number_format(written).tokens:
        if isinstance(token, tuple):
            pattern += rf"(?P<{side}>[0-9,\s]*)"
            groups.append([run for run in token if run is not None])
        else:
            pattern += signs[token]
            side = "part" if token == "." else side
    return re.compile(pattern), groups


def _number(text: str, pattern: re.Pattern[str], groups: list[list[Digits]]) -> str | None:
    """The number as plain text, None where the text does not fit."""
    found = pattern.fullmatch(text)
    if found is None:
        return None
    signs = found.groupdict("")
    sides = [signs[side] for side in ("whole", "part") if side in signs]
    if bool(signs.get("lt")) != bool(signs.get("gt")) or not all(map(_fits, sides, groups)):
        return None
    whole, part = ("".join(re.findall("[0-9]", signs.get(side, ""))) for side in ("whole", "part"))
    if not signs.get("point"):
        whole, part = whole + part, ""
    negative = (signs.get("S") == "-") ^ (signs.get("M") == "-") ^ bool(signs.get("gt"))
    return f"{'-' if negative else ''}{whole or '0'}.{part}" if whole + part else None


def _fits(text: str, runs: list[Digits]) -> bool:
    counts = [len("".join(digits.split())) for digits in text.split(",")]
    if len(counts) > len(runs):
        return False
    counts = [0] * (len(runs) - len(counts)) + counts
    return all(n == run.count if run.exact else n <= run.count for n, run in zip(counts, runs, strict=True))


def _format_number(number: float | Decimal, digits: int, commas: bool, least: int, most: int) -> str:
    """The number rounded half to even as Java's DecimalFormat does: from the digits by which it names a double, but
    where some of them are cut off, from its exact value."""
    if isinstance(number, float) and number != number:
        return "NaN"
    exact = named = Decimal(number)
    if isinstance(number, float) and exact.is_finite():
        exact = _named(number)
        named = exact.copy_abs()
    if isinstance(number, float) and exact.is_finite() and -int(exact.as_tuple().exponent) > most:
        exact = Decimal(number)
    fast = commas and digits == 1 and (least, most) == (0, 3)
    if (
        isinstance(number, float)
        and abs(number) < _WITH_EXPONENT
        and named == Decimal(5).scaleb(-most - 1)
        and not fast
    ):
        # Java looks behind the five of 5.0E-4, and finds a zero, unless it goes another way.
        exact = exact * 0
    sign = "-" if exact.is_signed() else ""
    if exact.is_infinite():
        return sign + "∞"
    rounded = exact.copy_abs().quantize(Decimal(1).scaleb(-most), rounding=ROUND_HALF_EVEN, context=_EXACT)
    whole, _, part = format(rounded, "f").partition(".")
    while len(part) > least and part.endswith("0"):
        part = part[:-1]
    whole = whole.lstrip("0").rjust(digits, "0")
    if commas:
        whole = f"{int(whole or '0'):,}" if digits <= 1 and whole else whole
    return sign + (whole or ("" if part else "0")) + (f".{part}" if part else "")


def _named(number: float) -> Decimal:
    digits, power = java_digits(number)
    return Decimal(digits).scaleb(power, _EXACT).copy_sign(Decimal(number))


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
    "wa_format_number": ArrowFunction(by_row(_format_number, pa.string()), None, "VARCHAR"),
    "wa_conv": ArrowFunction(by_row(_conv, pa.string()), ("VARCHAR", "INTEGER", "INTEGER", "BOOLEAN"), "VARCHAR"),
}
