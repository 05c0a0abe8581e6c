"""The types of JSON values, as Spark infers them by the options of its reader."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from app.errors import PlanError
from app.plan import types as t
from app.plan.instant_texts import moment_of
from app.plan.java.pattern import compiled
from app.plan.java.read import read
from app.plan.json_reader import Fields, Leniency, Number, leniency

_NULL, _TEXT, _LONG, _DOUBLE = t.NullType(), t.StringType(), t.LongType(), t.DoubleType()
_DIGITS = 38


@dataclass(frozen=True, slots=True)
class Inference:
    """What is read, which texts are times, and how types are chosen."""

    allowed: Leniency
    is_time: Callable[[str], bool]
    only_texts: bool
    decimals: bool
    drops_nulls: bool

    @staticmethod
    def by(options: Mapping[str, str]) -> Inference:
        """By options, their names in lower case. Raises: PlanError for a pattern."""
        is_time: Callable[[str], bool] = _never
        if _on(options, "infertimestamp"):
            is_time = _by_pattern(options["timestampformat"]) if "timestampformat" in options else _is_moment
        flags = (_on(options, name) for name in ("primitivesasstring", "prefersdecimal", "dropfieldifallnull"))
        return Inference(leniency(options), is_time, *flags)

    def kind(self, tree: Any) -> t.DataType:
        match tree:
            case None:
                return _NULL
            case Fields():
                fields = [t.StructField(name, self.kind(value), True) for name, value in tree]
                return t.StructType(sorted(fields, key=lambda f: f.name))
            case list():
                found: t.DataType = _NULL
                for item in tree:
                    found = self.merged(found, self.kind(item))
                return t.ArrayType(found, True)
            case Number() | bool() if self.only_texts:
                return _TEXT
            case Number():
                return self._number(tree)
            case bool():
                return t.BooleanType()
        return t.TimestampType() if self.is_time(tree) else _TEXT

    def _number(self, text: Number) -> t.DataType:
        if text.lstrip("-").isdigit():
            value = int(text)
            if -(1 << 63) <= value < 1 << 63:
                return _LONG
            digits = len(str(abs(value)))
            return t.DecimalType(digits, 0) if digits <= _DIGITS else _DOUBLE
        if not self.decimals or not text[-1].isdigit():
            return _DOUBLE
        _, shown, exponent = Decimal(text).as_tuple()
        assert isinstance(exponent, int)
        digits, scale = max(len(shown), -exponent), -exponent
        if scale < 0:
            raise PlanError(
                f"Negative scale is not allowed: '{scale}', as {text} has. Leave out the option prefersDecimal.",
                code="NEGATIVE_SCALE_DISALLOWED",
            )
        return t.DecimalType(digits, scale) if digits <= _DIGITS else _DOUBLE

    def merged(self, a: t.DataType, b: t.DataType) -> t.DataType:
        """The type that holds values of both: text where nothing else does."""
        match a, b:
            case (t.NullType(), other) | (other, t.NullType()):
                return other
            case t.ArrayType(), t.ArrayType():
                return t.ArrayType(self.merged(a.elementType, b.elementType), True)
            case t.StructType(), t.StructType():
                kinds = {f.name: f.dataType for f in a}
                for f in b:
                    kinds[f.name] = self.merged(kinds.get(f.name, _NULL), f.dataType)
                return t.StructType([t.StructField(name, kinds[name], True) for name in sorted(kinds)])
            case t.NumericType(), t.NumericType():
                return _wider(a, b)
        return a if a == b else _TEXT

    def named(self, kind: t.DataType) -> t.DataType | None:
        """Null becomes text; None for what is left out: an object without fields, and where nulls are dropped, those
        and lists of them."""
        match kind:
            case t.NullType():
                return None if self.drops_nulls else _TEXT
            case t.ArrayType(element):
                inner = self.named(element)
                return None if inner is None else t.ArrayType(inner, True)
            case t.StructType():
                found = [(f.name, self.named(f.dataType)) for f in kind if f.name]
                fields = [t.StructField(name, inner, True) for name, inner in found if inner is not None]
                return t.StructType(fields) if fields else None
        return kind


def _wider(a: t.NumericType, b: t.NumericType) -> t.DataType:
    if isinstance(a, t.DoubleType) or isinstance(b, t.DoubleType):
        return _DOUBLE
    if a == b:
        return a
    scales, wholes = [], []
    for kind in (a, b):
        scale = kind.scale if isinstance(kind, t.DecimalType) else 0
        scales.append(scale)
        wholes.append(kind.precision - scale if isinstance(kind, t.DecimalType) else 20)
    digits = max(scales) + max(wholes)
    return t.DecimalType(digits, max(scales)) if digits <= _DIGITS else _DOUBLE


def _on(options: Mapping[str, str], name: str) -> bool:
    return options.get(name, "false").lower() == "true"


def _never(_: str) -> bool:
    return False


def _is_moment(text: str) -> bool:
    return moment_of(text) is not None


def _by_pattern(pattern: str) -> Callable[[str], bool]:
    parts = compiled(pattern, True)
    return lambda text: read(parts, text) is not None
