"""What `createDataFrame` makes of Python rows, pandas frames, NumPy arrays and Arrow tables."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from datetime import timezone
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from app.errors import ArgumentError, ArgumentTypeError, ParseError
from app.kernel.values import carried, has_spark_variants
from app.plan import nodes
from app.plan import types as t
from app.plan.carriers import arrow_schema, from_arrow_schema
from app.plan.ddl import parse_schema, parse_type
from app.plan.regions import zone_of
from app.sql.arguments import wrong_type
from app.sql.convert import table_of
from app.sql.infer import fitting, infer_schema, verify


def local_rows(data: Any, schema: Any, check: bool, time_zone: str) -> nodes.Rows:
    """The rows as a plan node.

    `schema` is None, column names, a DDL string, a struct, or the type of a single column called `value`. With
    `check`, each value has to be of the Python type PySpark accepts for its column; without it, numbers of another type
    become null, as in Spark. Naive times in pandas frames and
    Arrow tables are in the session time zone.

    Raises: ArgumentError, ArgumentTypeError, ParseError."""
    names, struct, single = _wanted(schema)
    if _is_pandas(data):
        data = pa.Table.from_pandas(data, preserve_index=False, nthreads=1)
    elif type(data).__module__ == "numpy":
        data = _numpy_table(data)
    if isinstance(data, pa.Table):
        return _from_arrow(data, names, struct, time_zone)
    rows = list(_iterable(data))
    if struct is None:
        inferred = infer_schema(rows, names)
        table = table_of(rows, inferred)
        struct = _renamed(inferred, names)
        return nodes.Rows(table.rename_columns(struct.names), struct)
    kind = struct.fields[0].dataType if single else struct
    if check:
        for row in rows:
            verify(row, kind, name="field value" if single else "")
    else:
        rows = [fitting(row, kind) for row in rows]
    return nodes.Rows(table_of([(row,) for row in rows] if single else rows, struct), struct)


def _wanted(schema: Any) -> tuple[list[str] | None, t.StructType | None, bool]:
    if isinstance(schema, str):
        schema = _parsed(schema)
    if schema is None:
        return None, None, False
    if isinstance(schema, t.StructType):
        return schema.names, t.StructType(schema.fields), False
    if isinstance(schema, t.DataType):
        return ["value"], t.StructType([t.StructField("value", schema)]), True
    if isinstance(schema, (list, tuple)):
        return [n.decode() if isinstance(n, bytes) else str(n) for n in schema], None, False
    raise wrong_type("schema", "list, None or StructType", schema)


def _parsed(text: str) -> t.DataType:
    """Columns (`a INT, b STRING`) or the name of one type (`int`)."""
    try:
        return parse_schema(text)
    except ParseError:
        try:
            return parse_type(text)
        except ParseError:
            pass
        raise


def _iterable(data: Any) -> Iterable[Any]:
    if hasattr(data, "_node"):
        raise ArgumentTypeError("Argument `data` should not be a DataFrame.", code="INVALID_TYPE")
    if not isinstance(data, Iterable) or isinstance(data, (str, bytes, dict)):
        raise wrong_type("data", "an iterable of rows, a pandas DataFrame, a NumPy array or an Arrow table", data)
    return data


def _is_pandas(data: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, pandas.DataFrame)


def _renamed(struct: t.StructType, names: list[str] | None) -> t.StructType:
    if names is None:
        return struct
    if len(names) > len(struct):
        raise ArgumentError(
            f"{len(names)} column names were given for rows of {len(struct)} values.", code="LENGTH_SHOULD_BE_THE_SAME"
        )
    all_names = [*names, *struct.names[len(names) :]]
    return t.StructType([t.StructField(n, f.dataType, f.nullable) for n, f in zip(all_names, struct, strict=True)])


def _numpy_table(data: Any) -> pa.Table:
    if data.ndim not in (1, 2):
        raise ArgumentError("A NumPy array has to have 1 or 2 dimensions.", code="INVALID_NDARRAY_DIMENSION")
    columns = [data] if data.ndim == 1 else [data[:, i] for i in range(data.shape[1])]
    names = ["value"] if len(columns) == 1 else [f"_{i + 1}" for i in range(len(columns))]
    return pa.Table.from_arrays([pa.array(c) for c in columns], names=names)


def _from_arrow(table: pa.Table, names: list[str] | None, struct: t.StructType | None, time_zone: str) -> nodes.Rows:
    if struct is None:
        zoned = [_zoned(c, time_zone) for c in table.columns]
        # Columns know nothing of the marks that the fields of a schema may have.
        fields = [f if c.type == f.type else f.with_type(c.type) for c, f in zip(zoned, table.schema, strict=True)]
        table = pa.Table.from_arrays(zoned, schema=pa.schema(fields))
        struct = _renamed(from_arrow_schema(table.schema), names)
    if len(struct) != table.num_columns:
        raise ArgumentError(
            f"The schema has {len(struct)} columns, the data {table.num_columns}.", code="LENGTH_SHOULD_BE_THE_SAME"
        )
    columns = []
    for column, f in zip(table.columns, arrow_schema(struct), strict=True):
        if not f.nullable and column.null_count:
            raise ArgumentError(
                f"field {f.name}: This field is not nullable, but got None.", code="FIELD_NOT_NULLABLE_WITH_NAME"
            )
        columns.append(_cast(_zoned(column, time_zone) if pa.types.is_timestamp(f.type) and f.type.tz else column, f))
    return nodes.Rows(pa.Table.from_arrays(columns, schema=arrow_schema(struct)), struct)


def _zoned(column: pa.ChunkedArray, time_zone: str) -> pa.ChunkedArray:
    """Times without a zone as instants: Spark's type for them is TIMESTAMP."""
    if not pa.types.is_timestamp(column.type) or column.type.tz is not None:
        return column
    local = column.cast(pa.timestamp("us"), safe=False)
    zone = zone_of(time_zone)
    if isinstance(zone, timezone):
        instants = pc.subtract(local, pa.scalar(zone.utcoffset(None), pa.duration("us")))
        return instants.cast(pa.timestamp("us", "UTC"))
    return pc.assume_timezone(local, time_zone, ambiguous="earliest", nonexistent="latest")


def _cast(column: pa.ChunkedArray, f: pa.Field) -> pa.ChunkedArray:
    if has_spark_variants(column.type):
        return carried(column, f.type)
    try:
        return column.cast(f.type, safe=not pa.types.is_temporal(f.type))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise ArgumentTypeError(
            f"field {f.name}: values of the Arrow type {column.type} do not become {f.type}: {error}",
            code="FIELD_DATA_TYPE_UNACCEPTABLE_WITH_NAME",
        ) from error
