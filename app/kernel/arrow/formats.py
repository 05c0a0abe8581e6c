"""One value by one of Java's format directives: `%,d`, `%+.2e`, `%08x`."""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_UP, Context, Decimal

import numpy as np
import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, by_row
from app.plan.java_text import float_text

_DIRECTIVE = re.compile(r"([-#+ 0,(]*)([0-9]+)?(?:\.([0-9]+))?([a-zA-Z])")
_EXACT = Context(prec=1200, rounding=ROUND_HALF_UP)


def _formatted(directive: str, value: int | float | bool) -> str:
    """The value as Java's Formatter writes it; `directive` is what stands behind the percent sign."""
    match = _DIRECTIVE.fullmatch(directive)
    assert match is not None
    flags, width, digits, kind = match[1], int(match[2] or 0), match[3], match[4].lower()
    sign, prefix, body = "", "", ""
    if kind == "c":
        body = chr(int(value))
    elif kind in "ox":
        prefix, body = {"o": "0", "x": "0x"}[kind] if "#" in flags else "", f"{value:{kind}}"
    elif isinstance(value, float) and not math.isfinite(value):
        flags = flags.replace("0", "")
        body = "NaN" if math.isnan(value) else "Infinity"
    else:
        body = _digits(kind, 6 if digits is None else int(digits), value, "," in flags)
    if kind in "defg" and body != "NaN":
        negative = math.copysign(1, value) < 0
        sign = "-" if negative else "+" if "+" in flags else " " if " " in flags else ""
    close = ""
    if sign == "-" and "(" in flags:
        sign, close = "(", ")"
    if "0" in flags:
        body = body.rjust(width - len(sign + prefix + close), "0")
    text = sign + prefix + body + close
    text = text.ljust(width) if "-" in flags else text.rjust(width)
    return text.upper() if match[4].isupper() else text


def _digits(kind: str, digits: int, value: int | float, commas: bool) -> str:
    """The number without its sign. Java rounds the shortest digits that name a double, half up."""
    comma = "," if commas else ""
    if kind == "d":
        return f"{abs(int(value)):{comma}}"
    number = Decimal(float_text(np.float64(value))).copy_abs()
    if kind == "g":
        digits = max(digits, 1)
        rounded = _EXACT.create_decimal(number)
        if number:
            rounded = number.quantize(Decimal(1).scaleb(number.adjusted() - digits + 1), context=_EXACT)
        if number and not Decimal("1e-4") <= rounded < Decimal(1).scaleb(digits):
            return _scientific(number, digits - 1)
        kind, digits = "f", digits - 1 - (rounded.adjusted() if number else 0)
    if kind == "e":
        return _scientific(number, digits)
    return f"{number.quantize(Decimal(1).scaleb(-digits), context=_EXACT):{comma}f}"


def _scientific(number: Decimal, digits: int) -> str:
    exponent = number.adjusted() if number else 0
    mantissa = number.scaleb(-exponent, _EXACT).quantize(Decimal(1).scaleb(-digits), context=_EXACT)
    if mantissa >= 10:
        exponent += 1
        mantissa = number.scaleb(-exponent, _EXACT).quantize(Decimal(1).scaleb(-digits), context=_EXACT)
    return f"{mantissa:f}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


FUNCTIONS = {"wa_format": ArrowFunction(by_row(_formatted, pa.string()), None, "VARCHAR")}
