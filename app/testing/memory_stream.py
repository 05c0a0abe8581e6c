"""`MemoryStream`: a streaming DataFrame whose rows a test adds."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from app.errors import ArgumentError
from app.plan.carriers import arrow_schema
from app.plan.nodes import Scan
from app.plan.types import StructType
from app.sources.memory import MemoryBuffer
from app.sql.dataframe import DataFrame
from app.sql.session import SparkSession


class MemoryStream:
    """A stream with the columns of `schema` (a DDL string or a `StructType`).

    Rows added before a trigger join that trigger's epoch. Several queries may read one stream; each sees all
    rows.
    """

    def __init__(self, spark: SparkSession, schema: str | StructType) -> None:
        self._spark = spark
        self._schema = StructType.fromDDL(schema) if isinstance(schema, str) else schema
        self._buffer = MemoryBuffer(self._schema)

    def addData(self, *rows: Any) -> int:
        """Adds rows (tuples, or bare values where there is one column) and returns the offset reached.

        Raises: ArgumentError for a row that does not fit the columns."""
        width = len(self._schema)
        tuples = [row if isinstance(row, (tuple, list)) else (row,) for row in rows]
        for row in tuples:
            if len(row) != width:
                raise ArgumentError(f"The row {row!r} has {len(row)} values; the stream has {width} columns.")
        schema = arrow_schema(self._schema)
        try:
            columns = [pa.array([row[i] for row in tuples], field.type) for i, field in enumerate(schema)]
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            raise ArgumentError(f"The rows do not fit {self._schema.simpleString()}: {error}") from error
        return self._buffer.append(pa.Table.from_arrays(columns, schema=schema))

    def toDF(self) -> DataFrame:
        return DataFrame(Scan("memory", (), self._schema, True, handle=self._buffer), self._spark)
