"""The types inside variants, and the type that holds the values of several: `schema_of_variant` and its aggregate.

An object is a struct of its fields, by name; where two values have no common type the type is VARIANT.
"""

from __future__ import annotations

import json
import re
from typing import Any

from app.kernel.variant.carried import DECIMAL_MARK, MARK, kind_of, scalar, sorted_parts
from app.kernel.variant.fold import fold
from app.plan import types as t
from app.plan.ddl import type_from_json

_LONG, _DOUBLE, _NULL, _VARIANT = t.LongType(), t.DoubleType(), t.NullType(), t.VariantType()
_KINDS: dict[str, t.DataType] = {
    "null": _NULL,
    "boolean": t.BooleanType(),
    "long": _LONG,
    "double": _DOUBLE,
    "float": t.FloatType(),
    "string": t.StringType(),
    "binary": t.BinaryType(),
    "date": t.DateType(),
    "timestamp": t.TimestampType(),
    "timestamp_ntz": t.TimestampNTZType(),
}
_REALS = (t.FloatType, t.DoubleType)
_TIMES = (t.DateType, t.TimestampNTZType, t.TimestampType)
_DIGITS = 38
_PLAIN = re.compile("[A-Za-z_][A-Za-z0-9_]*")


def schema_of(tree: Any) -> t.DataType:
    """The type of one variant."""
    return fold(tree, sorted_parts, _leaf, _array, _struct)


def shape_of(tree: Any) -> Any:
    """What tells trees apart that have different types; equal ones have one. Raises: RecursionError if too deep."""
    kind = type(tree)
    if kind is dict:
        return tuple(tree), tuple(map(shape_of, tree.values()))
    if kind is list:
        return tuple(dict.fromkeys(map(shape_of, tree)))
    if kind is float:
        digits = repr(abs(tree))
        return len(digits), digits.index("."), digits[0] == "0"
    if kind is str:
        return (tree if tree[:2] == DECIMAL_MARK else tree[:2]) if tree[:1] == MARK else str
    return kind


def merged(a: t.DataType, b: t.DataType) -> t.DataType:
    """The type that holds the values of both; VARIANT where no other does."""
    found = _tightest(a, b)
    if found is not None:
        return found
    match a, b:
        case (t.LongType(), t.DecimalType() as number) | (t.DecimalType() as number, t.LongType()):
            return _wider(t.DecimalType(20, 0), number)
        case t.DecimalType(), t.DecimalType():
            return _wider(a, b)
        case t.DecimalType(), _ if isinstance(b, _REALS):
            return _DOUBLE
        case _, t.DecimalType() if isinstance(a, _REALS):
            return _DOUBLE
        case t.StructType(), t.StructType():
            kinds = {f.name: f.dataType for f in a}
            for f in b:
                kinds[f.name] = merged(kinds[f.name], f.dataType) if f.name in kinds else f.dataType
            names = sorted(kinds, key=lambda name: name.encode("utf-16-be"))
            return t.StructType([t.StructField(name, kinds[name]) for name in names])
        case t.ArrayType(), t.ArrayType():
            return t.ArrayType(merged(a.elementType, b.elementType))
    return _VARIANT


def schema_text(kind: t.DataType) -> str:
    """The type as Spark shows it: OBJECT for a struct."""
    match kind:
        case t.StructType():
            return f"OBJECT<{', '.join(f'{_name(f.name)}: {schema_text(f.dataType)}' for f in kind)}>"
        case t.ArrayType(element):
            return f"ARRAY<{schema_text(element)}>"
    return kind.sql()


def _name(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else f"`{name.replace('`', '``')}`"


def packed(kind: t.DataType) -> str:
    """The type as a text that state tables hold."""
    return json.dumps(kind.jsonValue(), separators=(",", ":"), ensure_ascii=False)


def unpacked(text: str) -> t.DataType:
    """The type that `packed` made the text of."""
    return type_from_json(json.loads(text))


def _struct(fields: list[tuple[str, t.DataType]]) -> t.DataType:
    return t.StructType([t.StructField(name, kind) for name, kind in fields])


def _leaf(leaf: Any) -> t.DataType:
    kind = kind_of(leaf)
    if kind != "decimal":
        return _KINDS[kind]
    _sign, digits, exponent = scalar(leaf)[1].as_tuple()
    assert isinstance(exponent, int)
    unscaled, scale = int("".join(map(str, digits)) or "0"), -exponent
    while scale and not unscaled % 10:
        unscaled, scale = unscaled // 10, scale - 1
    return t.DecimalType(max(len(str(unscaled)), scale), scale)


def _array(kinds: list[t.DataType]) -> t.DataType:
    found: t.DataType = _NULL
    for kind in kinds:
        found = merged(found, kind)
    return t.ArrayType(found)


def _tightest(a: t.DataType, b: t.DataType) -> t.DataType | None:
    """Spark's tightest common type; names of fields are compared in any case, the first ones stay."""
    if a == b or isinstance(b, t.NullType):
        return a
    if isinstance(a, t.NullType):
        return b
    match a, b:
        case t.LongType(), t.DecimalType():
            return b if b.precision - b.scale >= 20 else None
        case t.DecimalType(), t.LongType():
            return a if a.precision - a.scale >= 20 else None
        case t.ArrayType(), t.ArrayType():
            element = _tightest(a.elementType, b.elementType)
            return None if element is None else t.ArrayType(element)
        case t.StructType(), t.StructType() if [n.lower() for n in a.names] == [n.lower() for n in b.names]:
            kinds = [_tightest(x.dataType, y.dataType) for x, y in zip(a, b, strict=True)]
            if any(kind is None for kind in kinds):
                return None
            return t.StructType([t.StructField(n, k) for n, k in zip(a.names, kinds, strict=True) if k is not None])
    for ladder in ((t.LongType, *_REALS), _TIMES):
        if isinstance(a, ladder) and isinstance(b, ladder):
            return max(a, b, key=lambda kind: ladder.index(type(kind)))
    return None


def _wider(a: t.DecimalType, b: t.DecimalType) -> t.DataType:
    scale = max(a.scale, b.scale)
    whole = max(a.precision - a.scale, b.precision - b.scale)
    return _DOUBLE if whole + scale > _DIGITS else t.DecimalType(whole + scale, scale)
