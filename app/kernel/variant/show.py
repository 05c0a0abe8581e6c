"""Variants as JSON text, as Spark writes it (Java's form of numbers, instants with the offset of a time zone)."""

from __future__ import annotations

import base64
import re
from datetime import tzinfo
from decimal import Decimal
from typing import Any

import numpy as np

from app.kernel.variant.carried import array_text, read, scalar, sorted_parts
from app.kernel.variant.fold import fold
from app.plan.java_text import date_text, float_text, instant_text, offset_us
from app.plan.regions import zone_of

_ESCAPED = re.compile(r'["\\\x00-\x1f]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_MINUTE_US = 60_000_000


def json_text(carried: str, time_zone: str = "UTC") -> str:
    """The variant as JSON, fields by their names. What JSON has no form for is text: days, instants, base64, NaN."""
    return tree_text(read(carried), time_zone)


def tree_text(tree: Any, time_zone: str) -> str:
    """A tree as JSON."""
    zone = zone_of(time_zone)
    return fold(
        tree,
        sorted_parts,
        lambda leaf: _scalar(leaf, zone),
        array_text,
        lambda fields: f"{{{','.join(f'{quoted(name)}:{text}' for name, text in fields)}}}",
    )


def quoted(text: str) -> str:
    """A text as JSON has it; letters beyond ASCII stay as they are."""
    return '"' + _ESCAPED.sub(lambda found: _SHORT.get(found[0]) or f"\\u{ord(found[0]):04X}", text) + '"'


def decimal_text(value: Decimal) -> str:
    """All digits, without the zeros at the end."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def real_text(value: float, kind: str) -> str:
    """A `float` or `double` as Java writes it."""
    return float_text(np.float32(value) if kind == "float" else np.float64(value))


def _scalar(leaf: Any, zone: tzinfo) -> str:
    kind, value = scalar(leaf)
    match kind:
        case "null":
            return "null"
        case "boolean":
            return "true" if value else "false"
        case "double" | "float":
            text = real_text(value, kind)
            return text if np.isfinite(value) else f'"{text}"'
        case "decimal":
            return decimal_text(value)
        case "string":
            return quoted(value)
        case "binary":
            return f'"{base64.b64encode(value).decode()}"'
        case "date":
            return f'"{date_text(np.datetime64(value, "D"))}"'
        case "timestamp":
            return f'"{_zoned_text(value, zone)}"'
        case "timestamp_ntz":
            return f'"{instant_text(value)}"'
    return str(value)


def _zoned_text(us: int, zone: tzinfo) -> str:
    offset = offset_us(us, zone)
    hours, minutes = divmod(abs(offset) // _MINUTE_US, 60)
    return f"{instant_text(us + offset)}{'-' if offset < 0 else '+'}{hours:02d}:{minutes:02d}"
