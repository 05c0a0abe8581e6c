"""Spark's data types, as frozen values; `pyspark.sql.types` names them and so does `app.sql.types`.

The Spark names and JSON forms follow `pyspark.sql.types`; how a type is carried by Arrow, DuckDB and
PostgreSQL is one table, in `plan/carriers.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from app.errors import ArgumentError, IndexNotThere, KeyNotThere
from app.plan.base_type import AtomicType as AtomicType
from app.plan.base_type import DataType as DataType
from app.plan.span_types import CalendarIntervalType as CalendarIntervalType
from app.plan.span_types import DayTimeIntervalType as DayTimeIntervalType
from app.plan.span_types import TimeType as TimeType
from app.plan.span_types import YearMonthIntervalType as YearMonthIntervalType


@dataclass(frozen=True, repr=False)
class NullType(DataType):
    _name = "void"


@dataclass(frozen=True, repr=False)
class StringType(AtomicType):
    """Text. `collation` says which texts are equal: those of the same bytes, or (UTF8_LCASE) whatever their case."""

    collation: str = "UTF8_BINARY"
    _name = "string"

    def simpleString(self) -> str:
        return "string" if self.collation == "UTF8_BINARY" else f"string collate {self.collation}"

    def jsonValue(self) -> Any:
        return self.simpleString()

    def __repr__(self) -> str:
        return "StringType()" if self.collation == "UTF8_BINARY" else f"StringType({self.collation!r})"


@dataclass(frozen=True, repr=False)
class BinaryType(AtomicType):
    _name = "binary"


@dataclass(frozen=True, repr=False)
class BooleanType(AtomicType):
    _name = "boolean"


@dataclass(frozen=True, repr=False)
class DateType(AtomicType):
    _name = "date"


@dataclass(frozen=True, repr=False)
class TimestampType(AtomicType):
    """An instant: microseconds since the epoch in UTC."""

    _name = "timestamp"


@dataclass(frozen=True, repr=False)
class TimestampNTZType(AtomicType):
    """A date and time of day without a zone."""

    _name = "timestamp_ntz"


@dataclass(frozen=True, repr=False)
class VariantType(AtomicType):
    """A value of any type, with its type."""

    _name = "variant"


@dataclass(frozen=True, repr=False)
class NumericType(AtomicType):
    """A number."""


@dataclass(frozen=True, repr=False)
class IntegralType(NumericType):
    """A whole number of 8 to 64 bits."""


@dataclass(frozen=True, repr=False)
class FractionalType(NumericType):
    """A number that is not whole."""


@dataclass(frozen=True, repr=False)
class ByteType(IntegralType):
    _name = "byte"

    def simpleString(self) -> str:
        return "tinyint"


@dataclass(frozen=True, repr=False)
class ShortType(IntegralType):
    _name = "short"

    def simpleString(self) -> str:
        return "smallint"


@dataclass(frozen=True, repr=False)
class IntegerType(IntegralType):
    _name = "integer"

    def simpleString(self) -> str:
        return "int"


@dataclass(frozen=True, repr=False)
class LongType(IntegralType):
    _name = "long"

    def simpleString(self) -> str:
        return "bigint"


@dataclass(frozen=True, repr=False)
class FloatType(FractionalType):
    _name = "float"


@dataclass(frozen=True, repr=False)
class DoubleType(FractionalType):
    _name = "double"


@dataclass(frozen=True, repr=False)
class DecimalType(FractionalType):
    """`precision` digits in all (1 to 38), `scale` of them after the point."""

    precision: int = 10
    scale: int = 0
    _name = "decimal"

    def simpleString(self) -> str:
        return f"decimal({self.precision},{self.scale})"

    def jsonValue(self) -> Any:
        return self.simpleString()

    def __repr__(self) -> str:
        return f"DecimalType({self.precision},{self.scale})"


@dataclass(frozen=True, repr=False)
class ArrayType(DataType):
    elementType: DataType = field(default_factory=StringType)
    containsNull: bool = True
    _name = "array"

    def simpleString(self) -> str:
        return f"array<{self.elementType.simpleString()}>"

    def sql(self) -> str:
        return f"ARRAY<{self.elementType.sql()}>"

    def jsonValue(self) -> Any:
        return {
            "type": "array",
            "elementType": self.elementType.jsonValue(),
            "containsNull": self.containsNull,
        }

    def toNullable(self) -> ArrayType:
        """The type with nulls allowed in all its parts."""
        from app.plan.type_forms import to_nullable

        found = to_nullable(self)
        assert isinstance(found, ArrayType)
        return found

    @classmethod
    def fromJson(cls, json: dict[str, Any]) -> ArrayType:
        """The type whose `jsonValue()` this is. Raises: ArgumentError."""
        from app.plan.type_forms import from_json_value

        found = from_json_value(json)
        assert isinstance(found, ArrayType)
        return found

    def __repr__(self) -> str:
        return f"ArrayType({self.elementType!r}, {self.containsNull})"


@dataclass(frozen=True, repr=False)
class MapType(DataType):
    keyType: DataType = field(default_factory=StringType)
    valueType: DataType = field(default_factory=StringType)
    valueContainsNull: bool = True
    _name = "map"

    def simpleString(self) -> str:
        return f"map<{self.keyType.simpleString()},{self.valueType.simpleString()}>"

    def sql(self) -> str:
        return f"MAP<{self.keyType.sql()}, {self.valueType.sql()}>"

    def jsonValue(self) -> Any:
        return {
            "type": "map",
            "keyType": self.keyType.jsonValue(),
            "valueType": self.valueType.jsonValue(),
            "valueContainsNull": self.valueContainsNull,
        }

    def toNullable(self) -> MapType:
        """The type with nulls allowed in all its parts."""
        from app.plan.type_forms import to_nullable

        found = to_nullable(self)
        assert isinstance(found, MapType)
        return found

    @classmethod
    def fromJson(cls, json: dict[str, Any]) -> MapType:
        """The type whose `jsonValue()` this is. Raises: ArgumentError."""
        from app.plan.type_forms import from_json_value

        found = from_json_value(json)
        assert isinstance(found, MapType)
        return found

    def __repr__(self) -> str:
        return f"MapType({self.keyType!r}, {self.valueType!r}, {self.valueContainsNull})"


COLLATIONS = "__COLLATIONS"
"""Where the JSON form of a field keeps the collation of its type."""


@dataclass(frozen=True, repr=False)
class StructField(DataType):
    """One named column. Metadata does not take part in equality of schemas."""

    name: str = ""
    dataType: DataType = field(default_factory=NullType)
    nullable: bool = True
    metadata: dict[str, Any] = field(default_factory=dict, compare=False, hash=False)
    _name = "field"

    def simpleString(self) -> str:
        return f"{self.name}:{self.dataType.simpleString()}"

    def sql(self) -> str:
        name = self.name if re.fullmatch(r"[A-Za-z_]\w*", self.name, re.ASCII) else f"`{self.name.replace('`', '``')}`"
        return f"{name}: {self.dataType.sql()}{'' if self.nullable else ' NOT NULL'}"

    def jsonValue(self) -> Any:
        kind, metadata = self.dataType.jsonValue(), self.metadata
        if isinstance(self.dataType, StringType) and kind != "string":
            metadata = {COLLATIONS: {self.name: f"spark.{self.dataType.collation}"}, **metadata}
            kind = "string"
        return {"name": self.name, "type": kind, "nullable": self.nullable, "metadata": metadata}

    @classmethod
    def fromJson(cls, json: dict[str, Any]) -> StructField:
        """The field whose `jsonValue()` this is. Raises: ArgumentError."""
        return StructType.fromJson({"type": "struct", "fields": [json]}).fields[0]

    def __repr__(self) -> str:
        return f"StructField('{self.name}', {self.dataType!r}, {self.nullable})"


@dataclass(frozen=True, repr=False, init=False)
class StructType(DataType):
    """Columns in order. A value like the other types but for `add`, which PySpark has change the struct in place:
    whatever keeps a struct that a user gave keeps a copy of it (`StructType(schema.fields)`)."""

    fields: tuple[StructField, ...] = ()
    _name = "struct"

    def __init__(self, fields: list[StructField] | tuple[StructField, ...] | None = None) -> None:
        object.__setattr__(self, "fields", tuple(fields or ()))

    def add(
        self,
        field: str | StructField,
        data_type: DataType | str | None = None,
        nullable: bool = True,
        metadata: dict[str, Any] | None = None,
    ) -> StructType:
        """Puts one more column behind, given as a `StructField` or as name and type, and returns this struct.

        Raises: ArgumentError without a type, ParseError."""
        if not isinstance(field, StructField):
            field = StructField(field, _as_type(data_type), nullable, metadata or {})
        object.__setattr__(self, "fields", (*self.fields, field))
        return self

    @property
    def names(self) -> list[str]:
        return [f.name for f in self.fields]

    def fieldNames(self) -> list[str]:
        return self.names

    def toNullable(self) -> StructType:
        """The type with nulls allowed in all its parts."""
        from app.plan.type_forms import to_nullable

        found = to_nullable(self)
        assert isinstance(found, StructType)
        return found

    @classmethod
    def fromJson(cls, json: dict[str, Any]) -> StructType:
        """The type whose `jsonValue()` this is. Raises: ArgumentError."""
        from app.plan.type_forms import from_json_value

        found = from_json_value(json)
        assert isinstance(found, StructType)
        return found

    def toDDL(self) -> str:
        """The columns as they are written in SQL."""
        from app.plan.type_forms import to_ddl

        return to_ddl(self)

    @classmethod
    def fromDDL(cls, ddl: str) -> StructType:
        """The struct a DDL string describes: `"a INT, b STRING"`. Raises: ParseError."""
        from app.plan.ddl import parse_schema

        return parse_schema(ddl)

    def simpleString(self) -> str:
        return f"struct<{','.join(f.simpleString() for f in self.fields)}>"

    def sql(self) -> str:
        return f"STRUCT<{', '.join(f.sql() for f in self.fields)}>"

    def jsonValue(self) -> Any:
        return {"type": "struct", "fields": [f.jsonValue() for f in self.fields]}

    def treeString(self, maxDepth: int = (1 << 31) - 1) -> str:
        """The text `printSchema` prints, of at most `maxDepth` levels."""
        from app.plan.type_trees import lines_of

        return "\n".join(["root", *(line for line in lines_of(self) if line.count(" |") <= maxDepth), ""])

    def __iter__(self) -> Iterator[StructField]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def __getitem__(self, key: str | int | slice) -> Any:
        """The field of a name or at a position; of a slice, a struct. Raises: KeyNotThere, IndexNotThere."""
        if isinstance(key, slice):
            return StructType(self.fields[key])
        if isinstance(key, int):
            if not -len(self) <= key < len(self):
                raise IndexNotThere(f"There is no field number {key}: the struct has {len(self)}.")
            return self.fields[key]
        for f in self.fields:
            if f.name == key:
                return f
        raise KeyNotThere(f"There is no field named {key}, only {', '.join(self.names)}.")

    def __repr__(self) -> str:
        return f"StructType([{', '.join(map(repr, self.fields))}])"


def _as_type(value: DataType | str | None) -> DataType:
    if isinstance(value, DataType):
        return value
    if value is None:
        raise ArgumentError("add() needs a type behind the name of the field.", code="ARGUMENT_REQUIRED")
    from app.plan.ddl import parse_type

    return parse_type(value)
