"""How a schema is printed: a line for each field, for what is inside it more behind it."""

from __future__ import annotations

from collections.abc import Iterator

from app.plan.types import ArrayType, DataType, MapType, StructType


def lines_of(struct: StructType, prefix: str = " |") -> Iterator[str]:
    """One line a field, those inside a field below it."""
    for f in struct.fields:
        yield f"{prefix}-- {f.name}: {_kind(f.dataType)} (nullable = {str(f.nullable).lower()})"
        yield from _inner(f.dataType, f"{prefix}    |")


def _kind(t: DataType) -> str:
    return t.typeName() if isinstance(t, (ArrayType, MapType, StructType)) else str(t.jsonValue())


def _inner(t: DataType, prefix: str) -> Iterator[str]:
    if isinstance(t, StructType):
        yield from lines_of(t, prefix)
    elif isinstance(t, ArrayType):
        yield f"{prefix}-- element: {_kind(t.elementType)} (containsNull = {str(t.containsNull).lower()})"
        yield from _inner(t.elementType, f"{prefix}    |")
    elif isinstance(t, MapType):
        yield f"{prefix}-- key: {_kind(t.keyType)}"
        yield from _inner(t.keyType, f"{prefix}    |")
        contains_null = str(t.valueContainsNull).lower()
        yield f"{prefix}-- value: {_kind(t.valueType)} (valueContainsNull = {contains_null})"
        yield from _inner(t.valueType, f"{prefix}    |")
