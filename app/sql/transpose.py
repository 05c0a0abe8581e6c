"""`DataFrame.transpose`: rows as columns, called by the values of one column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from app.errors import PlanError
from app.plan import nodes
from app.plan import types as t
from app.plan.carriers import arrow_schema
from app.plan.coerce import least_common_type

if TYPE_CHECKING:
    from app.sql.dataframe import DataFrame


def transposed(df: DataFrame, index: Any) -> DataFrame:
    """A row for each column but the index: `key`, its name, then its values, each under what the index has in that row.
    The rows are computed now, in the order of the index; those without one are left out. Raises: PlanError."""
    chosen = df.select(df[0] if index is None else index)
    name, kind = chosen.columns[0], chosen.schema.fields[0].dataType
    if not isinstance(kind, t.AtomicType):
        raise PlanError(
            f"Invalid index column for TRANSPOSE: `{name}` is {kind.simpleString()}. Take one of an atomic type.",
            code="TRANSPOSE_INVALID_INDEX_COLUMN",
        )
    others = [f for f in df.schema if f.name != name]
    common, label = _common(others), df[df.columns.index(name)]
    values = [df[at].cast(common) for at, f in enumerate(df.schema) if f.name != name]
    most = int(df._session.conf.get("spark.sql.transposeMaxValues", "500") or 500)
    kept = df.where(label.isNotNull()).orderBy(label)
    rows = kept.select(label.cast("string"), *values).limit(most + 1).toArrow()
    if rows.num_rows > most:
        raise PlanError(
            f"The number of rows exceeds the allowed limit of {most} for TRANSPOSE. Filter the rows, or raise "
            "spark.sql.transposeMaxValues.",
            code="TRANSPOSE_EXCEED_ROW_LIMIT",
        )
    labels = rows.column(0).to_pylist()
    schema = t.StructType(
        [t.StructField("key", t.StringType(), False), *(t.StructField(label, common, True) for label in labels)]
    )
    wanted = arrow_schema(schema)
    cells = [column.to_pylist() for column in rows.columns[1:]]
    columns = [pa.array([f.name for f in others], wanted.field(0).type)]
    columns += [pa.array([cell[at] for cell in cells], wanted.field(at + 1).type) for at in range(len(labels))]
    return type(df)(nodes.Rows(pa.Table.from_arrays(columns, schema=wanted), schema), df._session)


def _common(fields: list[t.StructField]) -> t.DataType:
    found: t.DataType | None = fields[0].dataType if fields else t.StringType()
    for field in fields[1:]:
        texts = isinstance(found, t.StringType) != isinstance(field.dataType, t.StringType)
        found = None if found is None or texts else least_common_type(found, field.dataType)
    if found is None:
        kinds = ", ".join(f"{f.name} {f.dataType.simpleString()}" for f in fields)
        raise PlanError(
            f"Transpose requires columns beside the index that share a least common type: [{kinds}]. Cast them first.",
            code="TRANSPOSE_NO_LEAST_COMMON_TYPE",
        )
    return found
