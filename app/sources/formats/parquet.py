"""`parquet`: columns by name, whatever their order in the file."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from app.engine.options import OptionReader
from app.errors import PlanError, SourceBroken
from app.kernel.values import carried, has_spark_variants
from app.plan.carriers import arrow_schema, from_arrow_schema
from app.plan.types import StructType


class ParquetDecoder:
    name = "parquet"
    option_names = ("mergeSchema",)

    def check(self, options: OptionReader, schema: StructType | None) -> None:
        if options.flag("mergeSchema"):
            raise options.wrong("mergeSchema", "can only be false; give the schema of all files instead")

    def infer(self, paths: Sequence[str], options: OptionReader) -> StructType:
        """The columns of the first file."""
        try:
            return from_arrow_schema(pq.read_schema(paths[0]))
        except pa.ArrowException as error:
            raise PlanError(f"{paths[0]} is not a Parquet file: {error}", code="CANNOT_READ_FILE_FOOTER") from error

    def decode(self, paths: Sequence[str], schema: StructType, options: OptionReader) -> pa.Table:
        wanted = arrow_schema(schema)
        return pa.concat_tables([wanted.empty_table(), *(_read(path, wanted) for path in paths)])


def _read(path: str, wanted: pa.Schema) -> pa.Table:
    try:
        with open(path, "rb") as file:
            rows = pq.ParquetFile(file).read()
    except pa.ArrowException as error:
        raise SourceBroken(f"{path} is not a Parquet file: {error}", code="CANNOT_READ_FILE_FOOTER") from error
    there = {name.lower(): i for i, name in enumerate(rows.column_names)}
    columns = []
    for field in wanted:
        at = there.get(field.name.lower())
        if at is None:
            columns.append(pa.nulls(rows.num_rows, field.type))
            continue
        if has_spark_variants(rows.schema.field(at).type):
            columns.append(carried(rows.column(at), field.type))
            continue
        try:
            columns.append(rows.column(at).cast(field.type, safe=not pa.types.is_temporal(field.type)))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise SourceBroken(
                f"The column {field.name} of {path} is {rows.schema.field(at).type}, which cannot be read as "
                f"{field.type}: {error}",
                code="FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH",
            ) from error
    return pa.Table.from_arrays(columns, schema=wanted)
