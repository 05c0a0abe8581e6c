"""Types of Python rows, by the rules `createDataFrame` has in PySpark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import reduce
from typing import Any

from app.errors import ArgumentError, ArgumentTypeError
from app.plan import types as t
from app.sql.variant import VariantVal

_ATOMS: dict[type, t.DataType] = {
    type(None): t.NullType(),
    bool: t.BooleanType(),
    int: t.LongType(),
    float: t.DoubleType(),
    str: t.StringType(),
    bytearray: t.BinaryType(),
    bytes: t.BinaryType(),
    Decimal: t.DecimalType(38, 18),
    date: t.DateType(),
    datetime: t.TimestampType(),
    timedelta: t.DayTimeIntervalType(),
    VariantVal: t.VariantType(),
    time: t.TimeType(),
}


def infer_schema(data: Sequence[Any], names: Sequence[str] | None) -> t.StructType:
    """The columns of `data`: tuples, lists, rows, named tuples, dicts (by name, sorted) or plain objects.

    >>> infer_schema([(1, "a"), (None, "b")], ["k"]).simpleString()
    'struct<k:bigint,_2:string>'

    Raises: ArgumentError (no rows, or a column of nulls only), ArgumentTypeError (types that do not go together).
    """
    if not data:
        raise ArgumentError(
            "Can not infer schema from an empty dataset; give a schema.", code="CANNOT_INFER_EMPTY_SCHEMA"
        )
    types: Iterable[t.DataType] = (_row_type(row, names) for row in _unlike(data))
    schema = reduce(_merged, types)
    assert isinstance(schema, t.StructType)
    if _has_void(schema):
        raise ArgumentError(
            "Some of types cannot be determined after inferring; give a schema.", code="CANNOT_DETERMINE_TYPE"
        )
    return schema


def _unlike(rows: Iterable[Any]) -> Iterator[Any]:
    """The rows that may say something new: of plain tuples whose values have the same simple types, the first."""
    seen: set[tuple[type, ...]] = set()
    for row in rows:
        kinds = tuple(map(type, row)) if type(row) is tuple else None
        if kinds is None or not _ATOMS.keys() >= set(kinds):
            yield row
        elif kinds not in seen:
            seen.add(kinds)
            yield row


def _row_type(row: Any, names: Sequence[str] | None = None) -> t.StructType:
    fields = []
    for name, value in _items(row, names):
        try:
            fields.append(t.StructField(name, _value_type(value)))
        except TypeError as error:
            raise ArgumentTypeError(
                f"Unable to infer the type of the field `{name}`: {error}", code="CANNOT_INFER_TYPE_FOR_FIELD"
            ) from error
    return t.StructType(fields)


def _items(row: Any, names: Sequence[str] | None) -> Iterable[tuple[str, Any]]:
    if isinstance(row, dict):
        return sorted(row.items())
    if isinstance(row, (tuple, list)):
        own = getattr(row, "__fields__", None) or getattr(row, "_fields", None)
        if own:
            return zip(own, row, strict=False)
        known = list(names or [])[: len(row)]
        return zip([*known, *(f"_{i}" for i in range(len(known) + 1, len(row) + 1))], row, strict=True)
    if hasattr(row, "__dict__"):
        return sorted(row.__dict__.items())
    raise ArgumentTypeError(
        f"Can not infer schema for type: `{type(row).__name__}`; give rows as tuples, lists, dicts or Rows, or name "
        "the type of a single column.",
        code="CANNOT_INFER_SCHEMA_FOR_TYPE",
    )


def _value_type(value: Any) -> t.DataType:
    known = _ATOMS.get(type(value))
    if known is not None:
        return known
    if isinstance(value, dict):
        return t.MapType(_common(value), _common(value.values()))
    if isinstance(value, list):
        return t.ArrayType(_common(value))
    return _row_type(value)


def _common(values: Iterable[Any]) -> t.DataType:
    common: t.DataType = t.NullType()
    for value in values:
        common = _merged(common, _value_type(value))
    return common


def _merged(a: t.DataType, b: t.DataType) -> t.DataType:
    if isinstance(a, t.NullType) or a == b:
        return b
    if isinstance(b, t.NullType):
        return a
    if isinstance(a, t.AtomicType) and isinstance(b, t.AtomicType) and t.StringType() in (a, b):
        return t.StringType()
    if isinstance(a, t.ArrayType) and isinstance(b, t.ArrayType):
        return t.ArrayType(_merged(a.elementType, b.elementType))
    if isinstance(a, t.MapType) and isinstance(b, t.MapType):
        return t.MapType(_merged(a.keyType, b.keyType), _merged(a.valueType, b.valueType))
    if isinstance(a, t.StructType) and isinstance(b, t.StructType):
        theirs = {f.name: f.dataType for f in b}
        mine = [t.StructField(f.name, _merged(f.dataType, theirs.get(f.name, t.NullType()))) for f in a]
        return t.StructType([*mine, *(f for f in b if f.name not in a.names)])
    raise ArgumentTypeError(
        f"Can not merge type `{type(a).__name__}` and `{type(b).__name__}`.", code="CANNOT_MERGE_TYPE"
    )


def _has_void(data_type: t.DataType) -> bool:
    match data_type:
        case t.StructType(fields=fields):
            return any(_has_void(f.dataType) for f in fields)
        case t.ArrayType(elementType=item):
            return _has_void(item)
        case t.MapType(keyType=key, valueType=item):
            return _has_void(key) or _has_void(item)
    return isinstance(data_type, t.NullType)


# ---------------------------------------------------------------------------------------------- verifySchema

_ACCEPTED: dict[type[t.DataType], tuple[type, ...]] = {
    t.BooleanType: (bool,),
    t.ByteType: (int,),
    t.ShortType: (int,),
    t.IntegerType: (int,),
    t.LongType: (int,),
    t.FloatType: (float,),
    t.DoubleType: (float,),
    t.DecimalType: (Decimal,),
    t.BinaryType: (bytearray, bytes),
    t.DateType: (date, datetime),
    t.TimestampType: (datetime,),
    t.TimestampNTZType: (datetime,),
    t.DayTimeIntervalType: (timedelta,),
    t.YearMonthIntervalType: (int,),
    t.TimeType: (time,),
    t.ArrayType: (list, tuple),
    t.MapType: (dict,),
}
_BITS: dict[type[t.DataType], int] = {t.ByteType: 8, t.ShortType: 16, t.IntegerType: 32, t.LongType: 64}


def verify(value: Any, data_type: t.DataType, nullable: bool = True, name: str = "") -> None:
    """Returns when `value` fits `data_type` as it is; only strings take any value.

    Raises: ArgumentTypeError (another Python type), ArgumentError (null, out of range, wrong number of fields)."""
    if value is None or (isinstance(value, Decimal) and value.is_nan()):
        if not nullable:
            where = f"{name}: " if name else ""
            raise ArgumentError(
                f"{where}This field is not nullable, but got None.",
                code="FIELD_NOT_NULLABLE_WITH_NAME" if name else "FIELD_NOT_NULLABLE",
            )
        return
    if isinstance(data_type, t.StructType):
        _verify_struct(value, data_type, name)
        return
    accepted = _ACCEPTED.get(type(data_type))
    if accepted is None:
        return
    if type(value) not in accepted:
        raise _unacceptable(value, data_type, name)
    if type(data_type) in _BITS:
        _verify_range(value, 1 << (_BITS[type(data_type)] - 1))
    elif isinstance(data_type, t.ArrayType):
        for item in value:
            verify(item, data_type.elementType, data_type.containsNull, f"element in array {name}")
    elif isinstance(data_type, t.MapType):
        for key, item in value.items():
            verify(key, data_type.keyType, False, f"key of map {name}")
            verify(item, data_type.valueType, data_type.valueContainsNull, f"value of map {name}")


def fitting(value: Any, data_type: t.DataType) -> Any:
    """The value, with null for each number in it of another Python type than its column takes: what Spark makes of
    rows that are not verified."""
    match data_type:
        case t.StructType() if isinstance(value, dict):
            return {f.name: fitting(value.get(f.name), f.dataType) for f in data_type}
        case t.StructType() if isinstance(value, (tuple, list)) and len(value) == len(data_type):
            return [fitting(item, f.dataType) for item, f in zip(value, data_type, strict=True)]
        case t.ArrayType(elementType=element) if isinstance(value, (tuple, list)):
            return [fitting(item, element) for item in value]
        case t.MapType(keyType=key, valueType=item) if isinstance(value, dict):
            return {fitting(k, key): fitting(v, item) for k, v in value.items()}
        case t.BooleanType() | t.NumericType() if type(value) not in _ACCEPTED[type(data_type)]:
            return None
    return value


def _verify_struct(row: Any, struct: t.StructType, name: str) -> None:
    inside = f" in {name}" if name else ""
    get: Callable[[str], Any]
    if isinstance(row, dict):
        get = row.get
    elif isinstance(row, (tuple, list)):
        if len(row) != len(struct):
            raise ArgumentError(
                f"Length of object ({len(row)}) does not match with length of fields ({len(struct)}).",
                code="FIELD_STRUCT_LENGTH_MISMATCH_WITH_NAME" if name else "FIELD_STRUCT_LENGTH_MISMATCH",
            )
        for value, f in zip(row, struct, strict=True):
            verify(value, f.dataType, f.nullable, f"field {f.name}{inside}")
        return
    elif hasattr(row, "__dict__"):
        get = row.__dict__.get
    else:
        raise _unacceptable(row, struct, name)
    for f in struct:
        verify(get(f.name), f.dataType, f.nullable, f"field {f.name}{inside}")


def _verify_range(value: int, end: int) -> None:
    if not -end <= value < end:
        raise ArgumentError(
            f"Value for `obj` must be between {-end} and {end - 1} (inclusive), got {value}.",
            code="VALUE_OUT_OF_BOUNDS",
        )


def _unacceptable(value: Any, data_type: t.DataType, name: str) -> ArgumentTypeError:
    where = f"{name}: " if name else ""
    return ArgumentTypeError(
        f"{where}{data_type!r} can not accept object {value!r} in type {type(value)}.",
        code="FIELD_DATA_TYPE_UNACCEPTABLE_WITH_NAME" if name else "FIELD_DATA_TYPE_UNACCEPTABLE",
    )
