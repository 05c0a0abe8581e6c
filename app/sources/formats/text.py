"""`text`: one row a line, column `value`; with `wholetext`, one row a file."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from app.engine.options import OptionReader
from app.errors import PlanError
from app.plan.carriers import arrow_schema
from app.plan.types import StringType, StructType
from app.sources.formats.base import line_separator, read_lines, read_text


class TextDecoder:
    name = "text"
    option_names = ("wholetext", "encoding", "lineSep")

    def check(self, options: OptionReader, schema: StructType | None) -> None:
        options.flag("wholetext")
        options.one_of("encoding", "UTF-8", "UTF-8", "UTF8")
        line_separator(options)
        if schema is not None and [f.dataType for f in schema] != [StringType()]:
            raise PlanError(
                "The text datasource gives exactly one column, of type STRING; the schema given is "
                f"{schema.simpleString()}.",
                code="UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
            )

    def infer(self, paths: Sequence[str], options: OptionReader) -> StructType:
        return StructType().add("value", StringType())

    def decode(self, paths: Sequence[str], schema: StructType, options: OptionReader) -> pa.Table:
        if options.flag("wholetext"):
            chunks = [pa.array([read_text(path).decode(errors="replace")]) for path in paths]
        else:
            chunks = [read_lines(path, line_separator(options)) for path in paths]
        return pa.Table.from_arrays([pa.chunked_array(chunks, pa.string())], schema=arrow_schema(schema))
