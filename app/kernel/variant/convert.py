"""Values of Spark types as variants: what CAST and `to_variant_object` give."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from app.errors import RowError
from app.kernel.variant.carried import Kind, leaf_of, read, sorted_tree
from app.plan import types as t


def tree_of(value: Any, kind: t.DataType) -> Any:
    """A value (as `plain_values` gives it) as the tree of a variant; null is the null of JSON.

    Raises: RowError VARIANT_DUPLICATE_KEY.
    """
    if value is None:
        return None
    match kind:
        case t.ArrayType(element):
            return [tree_of(item, element) for item in value]
        case t.MapType(_, item):
            return _object((name, found, item) for name, found in value)
        case t.StructType():
            return _object((f.name, found, f.dataType) for f, found in zip(kind, value, strict=True))
        case t.VariantType():
            return sorted_tree(read(value[0]))
    return leaf_of(_KINDS[type(kind)], value)


def _object(fields: Iterable[tuple[str, Any, t.DataType]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, value, kind in fields:
        if name in made:
            raise RowError(
                f"Failed to build variant because of a duplicate object key `{name}`. Give each field a name of its "
                "own.",
                code="VARIANT_DUPLICATE_KEY",
            )
        made[name] = tree_of(value, kind)
    return made


_KINDS: dict[type[t.DataType], Kind] = {
    t.BooleanType: "boolean",
    t.ByteType: "long",
    t.ShortType: "long",
    t.IntegerType: "long",
    t.LongType: "long",
    t.FloatType: "float",
    t.DoubleType: "double",
    t.DecimalType: "decimal",
    t.StringType: "string",
    t.BinaryType: "binary",
    t.DateType: "date",
    t.TimestampType: "timestamp",
    t.TimestampNTZType: "timestamp_ntz",
}
