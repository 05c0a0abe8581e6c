"""Variants as values of Spark types: what `variant_get` and CAST give.

A value that is null as JSON gives null. Of a struct the fields that the variant has are cast, others are null; they are
found by their exact names. Values are those that `pa.array` takes: instants and days as whole numbers, maps as lists of
pairs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal
from typing import Any

import numpy as np

from app.errors import RowError
from app.kernel.variant.carried import Kind, java_order, kind_of, scalar, sorted_tree, written
from app.kernel.variant.show import decimal_text, real_text, tree_text
from app.plan import types as t
from app.plan.instant_texts import at_zone, days_of, in_range, instant_of
from app.plan.java_text import date_text, instant_text, offset_us
from app.plan.regions import zone_of

_BITS = {t.ByteType: 8, t.ShortType: 16, t.IntegerType: 32, t.LongType: 64}
_BLANK = r"[\x00-\x20\x7F]*"
_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_WHOLE_TEXT = re.compile(rf"{_BLANK}([+-]?[0-9]+){_BLANK}")
_NUMBER_TEXT = re.compile(rf"{_BLANK}({_NUMBER}){_BLANK}")
_REAL_TEXT = re.compile(rf"{_BLANK}(?:({_NUMBER})[dDfF]?|([+-]?inf(?:inity)?|nan)){_BLANK}", re.IGNORECASE)
_TRUE, _FALSE = ("t", "true", "y", "yes", "1"), ("f", "false", "n", "no", "0")
_TRUTHS = {**dict.fromkeys(_TRUE, True), **dict.fromkeys(_FALSE, False)}
_TEXT_BLANK = "".join(map(chr, (*range(0x21), 0x7F)))
_EXACT = Context(prec=400)
_DAY_US = 86_400_000_000


class _NoCast(Exception):
    """The value has no like in the type."""


@dataclass(frozen=True, slots=True)
class Caster:
    """Casts to one type; with `safe` what cannot be cast is null."""

    to: t.DataType
    time_zone: str
    safe: bool

    def cast(self, tree: Any) -> Any:
        """Raises: RowError INVALID_VARIANT_CAST."""
        return self._value(tree, self.to)

    def _value(self, tree: Any, to: t.DataType) -> Any:
        if isinstance(to, t.VariantType):
            return {"variant": written(sorted_tree(tree))}
        if tree is None:
            return None
        try:
            return self._parts(tree, kind_of(tree), to)
        except _NoCast:
            if self.safe:
                return None
        raise RowError(
            f'The variant value `{tree_text(tree, self.time_zone)}` cannot be cast into `"{to.sql()}"`. Please use '
            "`try_variant_get` instead.",
            code="INVALID_VARIANT_CAST",
        )

    def _parts(self, tree: Any, kind: Kind, to: t.DataType) -> Any:
        match to:
            case t.ArrayType(element) if kind == "array":
                return [self._value(item, element) for item in tree]
            case t.MapType(_, value) if kind == "object":
                return [(name, self._value(tree[name], value)) for name in java_order(tree)]
            case t.StructType() if kind == "object":
                return {f.name: self._value(tree[f.name], f.dataType) if f.name in tree else None for f in to}
            case t.StringType() if kind in ("array", "object"):
                return tree_text(tree, self.time_zone)
            case t.AtomicType() if kind not in ("array", "object"):
                made = _ATOMS[type(to)](*scalar(tree), to, self.time_zone)
                if made is not None:
                    return made
        raise _NoCast


def _string(kind: Kind, value: Any, _: t.DataType, zone: str) -> str:
    match kind:
        case "boolean":
            return "true" if value else "false"
        case "double" | "float":
            return real_text(value, kind)
        case "decimal":
            return decimal_text(value)
        case "binary":
            return str(value.decode(errors="replace"))
        case "date":
            return date_text(np.datetime64(value, "D"))
        case "timestamp":
            return instant_text(value + offset_us(value, zone_of(zone)))
        case "timestamp_ntz":
            return instant_text(value)
    return str(value)


def _whole(kind: Kind, value: Any, to: t.DataType, _: str) -> int | None:
    match kind:
        case "string":
            found = _WHOLE_TEXT.fullmatch(value)
            number = int(found[1]) if found else None
        case "double" | "float":
            number = math.trunc(value) if math.isfinite(value) else None
        case "timestamp":
            number = value // 1_000_000
        case "boolean" | "long" | "decimal":
            number = int(value)
        case _:
            return None
    limit = 1 << (_BITS[type(to)] - 1)  # type: ignore[index]
    return number if number is not None and -limit <= number < limit else None


def _real(kind: Kind, value: Any, to: t.DataType, _: str) -> float | None:
    match kind:
        case "string":
            found = _REAL_TEXT.fullmatch(value)
            number = float(found[1] or found[2]) if found else None
        case "timestamp":
            number = value / 1_000_000
        case "boolean" | "long" | "double" | "float" | "decimal":
            number = float(value)
        case _:
            return None
    if number is None or isinstance(to, t.DoubleType):
        return number
    with np.errstate(over="ignore"):
        return float(np.float32(number))


def _decimal(kind: Kind, value: Any, to: t.DataType, _: str) -> Decimal | None:
    assert isinstance(to, t.DecimalType)
    match kind:
        case "string":
            found = _NUMBER_TEXT.fullmatch(value)
            number = Decimal(found[1]) if found else None
        case "double" | "float":
            number = Decimal(repr(value)) if math.isfinite(value) else None
        case "timestamp":
            number = _EXACT.scaleb(Decimal(value), -6)
        case "boolean" | "long" | "decimal":
            number = Decimal(value)
        case _:
            return None
    if number is None or number.adjusted() >= to.precision - to.scale:
        return None
    rounded = number.quantize(Decimal(1).scaleb(-to.scale), ROUND_HALF_UP, _EXACT)
    return rounded if rounded.adjusted() < to.precision - to.scale or not rounded else None


def _boolean(kind: Kind, value: Any, _: t.DataType, __: str) -> bool | None:
    if kind == "string":
        return _TRUTHS.get(value.strip(_TEXT_BLANK).lower())
    return bool(value) if kind in ("boolean", "long", "double", "float", "decimal") else None


def _binary(kind: Kind, value: Any, _: t.DataType, __: str) -> bytes | None:
    if kind == "string":
        return bytes(value.encode())
    return value if kind == "binary" else None


def _date(kind: Kind, value: Any, _: t.DataType, zone: str) -> int | None:
    match kind:
        case "string":
            return days_of(value)
        case "date":
            return int(value)
        case "timestamp":
            return int((value + offset_us(value, zone_of(zone))) // _DAY_US)
        case "timestamp_ntz":
            return int(value // _DAY_US)
    return None


def _instant(kind: Kind, value: Any, _: t.DataType, zone: str) -> int | None:
    match kind:
        case "string":
            return instant_of(value, zone)
        case "date":
            return at_zone(value * _DAY_US, zone_of(zone))
        case "timestamp":
            return int(value)
        case "timestamp_ntz":
            return at_zone(value, zone_of(zone))
        case "long":
            return in_range(value * 1_000_000)
        case "decimal":
            return in_range(int(_EXACT.scaleb(value, 6).quantize(Decimal(1), ROUND_DOWN, _EXACT)))
        case "double" | "float":
            return in_range(math.trunc(value * 1_000_000)) if math.isfinite(value * 1_000_000) else None
    return None


def _wall(kind: Kind, value: Any, _: t.DataType, zone: str) -> int | None:
    match kind:
        case "string":
            return instant_of(value, None)
        case "date":
            return int(value * _DAY_US)
        case "timestamp":
            return int(value + offset_us(value, zone_of(zone)))
        case "timestamp_ntz":
            return int(value)
    return None


_ATOMS: dict[type[t.DataType], Callable[[Kind, Any, t.DataType, str], Any]] = {
    t.StringType: _string,
    **dict.fromkeys(_BITS, _whole),
    t.FloatType: _real,
    t.DoubleType: _real,
    t.DecimalType: _decimal,
    t.BooleanType: _boolean,
    t.BinaryType: _binary,
    t.DateType: _date,
    t.TimestampType: _instant,
    t.TimestampNTZType: _wall,
}
