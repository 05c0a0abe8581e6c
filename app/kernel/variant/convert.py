"""Values of Spark types as variants: what CAST and `to_variant_object` give."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from app.kernel.variant import build as b
from app.kernel.variant.read import Variant, rebuilt
from app.plan import types as t


def variant_of(value: Any, kind: t.DataType) -> tuple[bytes, bytes]:
    """A value (as `plain_values` gives it) as a variant; null inside is the null of JSON.

    Raises: RowError VARIANT_DUPLICATE_KEY, VARIANT_SIZE_LIMIT.
    """
    keys = b.Keys()
    return b.checked(_built(value, kind, keys)), keys.metadata()


def _built(value: Any, kind: t.DataType, keys: b.Keys) -> bytes:
    if value is None:
        return b.VARIANT_NULL
    match kind:
        case t.ArrayType(element):
            return b.array([_built(item, element, keys) for item in value])
        case t.MapType(_, item):
            return _object(((name, found, item) for name, found in value), keys)
        case t.StructType():
            return _object(((f.name, found, f.dataType) for f, found in zip(kind, value, strict=True)), keys)
        case t.VariantType():
            return rebuilt(Variant(*value), keys)
        case t.DecimalType():
            made = b.decimal(value)
            assert made is not None, "no decimal type has more than 38 digits"
            return made
    return _ATOMS[type(kind)](value)


def _object(fields: Iterable[tuple[str, Any, t.DataType]], keys: b.Keys) -> bytes:
    made: list[tuple[str, int, bytes]] = []
    names: set[str] = set()
    for name, value, kind in fields:
        if name in names:
            raise b.duplicate_key(name)
        names.add(name)
        number = keys.add(name)
        made.append((name, number, _built(value, kind, keys)))
    return b.obj(made)


_ATOMS: dict[type[t.DataType], Callable[[Any], bytes]] = {
    t.BooleanType: b.boolean,
    t.ByteType: b.long,
    t.ShortType: b.long,
    t.IntegerType: b.long,
    t.LongType: b.long,
    t.FloatType: b.single,
    t.DoubleType: b.double,
    t.StringType: b.string,
    t.BinaryType: b.binary,
    t.DateType: b.date,
    t.TimestampType: lambda us: b.instant(us, True),
    t.TimestampNTZType: lambda us: b.instant(us, False),
}
