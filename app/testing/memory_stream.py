"""`MemoryStream`: a streaming DataFrame whose rows a test adds."""

from __future__ import annotations

from typing import Any

from app.plan.nodes import Scan
from app.plan.types import StructType
from app.sources.memory import MemoryBuffer
from app.sql.convert import table_of
from app.sql.dataframe import DataFrame
from app.sql.session import SparkSession


class MemoryStream:
    """A stream with the columns of `schema` (a DDL string or a `StructType`).

    Rows added before a trigger join that trigger's epoch. Several queries may read one stream; each sees all
    rows.
    """

    def __init__(self, spark: SparkSession, schema: str | StructType) -> None:
        self._spark = spark
        self._schema = StructType.fromDDL(schema) if isinstance(schema, str) else StructType(schema.fields)
        self._buffer = MemoryBuffer(self._schema)

    def addData(self, *rows: Any) -> int:
        """Adds rows (tuples, dicts or Rows; bare values where there is one column) and returns the offset reached.

        Raises: ArgumentError for a row that does not fit the columns."""
        one = len(self._schema) == 1
        whole = [(row,) if one and not isinstance(row, (tuple, dict)) else row for row in rows]
        return self._buffer.append(table_of(whole, self._schema))

    def toDF(self) -> DataFrame:
        return DataFrame(Scan("memory", (), self._schema, True, handle=self._buffer), self._spark)
