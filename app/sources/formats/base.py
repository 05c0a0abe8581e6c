"""What the file formats share: their contract, reading bytes, and what becomes of a malformed record."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc

from app.engine.options import OptionReader
from app.errors import RowError
from app.kernel.kernel import Kernel
from app.plan.carriers import arrow_schema
from app.plan.functions.record_options import Options, time_zone
from app.plan.java.pattern import compiled
from app.plan.types import StringType, StructType
from app.sources.lines import sort_lines

_PATTERNS = ("dateFormat", "timestampFormat", "timestampNTZFormat")
RECORD_OPTIONS = (
    "mode",
    "columnNameOfCorruptRecord",
    *_PATTERNS,
    "timeZone",
    "encoding",
    "charset",
    "lineSep",
)
_NO_LIMIT = 1 << 31
_KERNEL_BYTES = 512 << 20
_BOM = b"\xef\xbb\xbf"


class Decoder(Protocol):
    """One file format. `fixed` is the schema where the format knows only one, up to the column's name."""

    @property
    def name(self) -> str: ...

    @property
    def option_names(self) -> tuple[str, ...]: ...

    def check(self, options: OptionReader, schema: StructType | None) -> None:
        """Raises: PlanError for a value or a column type that the format cannot have."""

    def infer(self, paths: Sequence[str], options: OptionReader) -> StructType:
        """The columns the files have, all nullable."""

    def decode(self, paths: Sequence[str], schema: StructType, options: OptionReader) -> pa.Table:
        """All rows of the files, in order. Raises: RowError (FAILFAST), FileNotFoundError, SourceBroken."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """What to do with a record that does not fit: `mode` as Spark names it, `column` for its text."""

    mode: str
    column: str


def malformed(options: OptionReader) -> Malformed:
    """Also checks the options of texts and times."""
    for name in ("encoding", "charset"):
        options.one_of(name, "UTF-8", "UTF-8", "UTF8")
    time_options(options)
    line_separator(options)
    mode = options.one_of("mode", "PERMISSIVE", "PERMISSIVE", "DROPMALFORMED", "FAILFAST")
    return Malformed(mode, options.text("columnNameOfCorruptRecord") or "_corrupt_record")


def time_options(options: OptionReader) -> Options:
    """By which options times in text are read. Raises: PlanError INVALID_TIMEZONE, and that of a wrong pattern."""
    found = {"timezone": time_zone(options.text("timeZone", "UTC"))}
    for name in filter(options.given, _PATTERNS):
        compiled(options.text(name), True)
        found[name.lower()] = options.text(name)
    return found


def data_columns(schema: StructType, rule: Malformed) -> StructType:
    """The columns that come from the file: all but the one for malformed records."""
    return StructType([f for f in schema if not _is_corrupt(f.name, schema, rule)])


def _is_corrupt(name: str, schema: StructType, rule: Malformed) -> bool:
    return name == rule.column and isinstance(schema[name].dataType, StringType)


def settle(rows: pa.Table, bad: pa.Array, raw: pa.Array, schema: StructType, rule: Malformed) -> pa.Table:
    """`rows` (the data columns) as `schema`; `bad` marks the malformed ones and `raw` is the text of each.
    Raises: RowError in mode FAILFAST."""
    if rule.mode == "FAILFAST" and pc.any(bad).as_py():
        text = raw.filter(bad)[0].as_py()
        raise RowError(
            f"Malformed records are detected in record parsing: {text[:500]}. Parse Mode: FAILFAST. To process "
            "malformed records as null result, try setting the option 'mode' as 'PERMISSIVE'.",
            code="MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
        )
    if rule.mode == "DROPMALFORMED":
        keep = pc.invert(bad)
        bad, raw = bad.filter(keep), raw.filter(keep)
        rows = rows.filter(keep) if rows.num_columns else rows
    if not len(schema):
        # A table made of no columns would have no rows.
        return pa.table([bad], names=["bad"]).select([])
    columns, given = [], iter(rows.columns)
    for f in schema:
        if _is_corrupt(f.name, schema, rule):
            columns.append(pc.if_else(bad, raw, pa.scalar(None, pa.string())))
        else:
            columns.append(next(given))
    return pa.Table.from_arrays(columns, schema=arrow_schema(schema))


def read_text(path: str) -> bytes:
    """The bytes of a file, unpacked where its name ends in `.gz`, without a byte order mark."""
    data = Path(path).read_bytes()
    if path.endswith(".gz"):
        data = gzip.decompress(data)
    return data.removeprefix(_BOM)


def line_separator(options: OptionReader) -> str:
    """What ends a line; empty where LF, CRLF and CR all do. Raises: ArgumentError."""
    if options.given("lineSep") and not options.text("lineSep"):
        raise options.wrong("lineSep", "cannot be an empty string")
    return options.text("lineSep")


def read_lines(path: str, separator: str = "") -> pa.Array:
    """The lines of a file as strings, ended by LF, CRLF or CR, or else by a separator; the last one needs no end.
    Bytes that are not UTF-8 become U+FFFD."""
    data = read_text(path)
    if separator:
        *lines, rest = data.decode(errors="replace").split(separator)
        return pa.array([*lines, rest] if rest else lines, pa.string())
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if data and not data.endswith(b"\n"):
        data += b"\n"
    return sort_lines(data, _NO_LIMIT, replace_invalid=True).values


def private_kernel() -> Kernel:
    """A kernel for one decoding."""
    return Kernel(_KERNEL_BYTES, 1)
