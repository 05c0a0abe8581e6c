"""`csv`: one record a line. Text is cut into fields by vector operations where no quote is in the way, and typed by
the kernel; only records with quotes or with a wrong number of fields are looked at one by one.

The corner cases follow Spark 4.3 as recorded: a quote within quotes is written with `escape` before it (a doubled one
is no quote unless `escape` is the quote itself), a field that is not ended by a quote and a separator is taken as it
stands up to the separator, and a quote that is never closed takes the rest of the line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from app.engine.options import OptionReader
from app.errors import PlanError
from app.kernel.casts import print_cast
from app.kernel.kernel import Kernel
from app.plan import types as t
from app.plan.carriers import arrow_schema
from app.plan.functions.record_options import Options, read_time
from app.sources.formats.base import (
    RECORD_OPTIONS,
    data_columns,
    line_separator,
    malformed,
    private_kernel,
    read_lines,
    settle,
    time_options,
)

_NESTED = (t.ArrayType, t.MapType, t.StructType, t.BinaryType, t.VariantType)
_BLANKS = "".join(map(chr, range(33)))
"""What Java's `String.trim` takes away, and what Spark's CSV parser calls blank, unless it is the separator."""
_SEPARATORS = {"\\t": "\t", "\\r": "\r", "\\b": "\b", "\\f": "\f", '\\"': '"', "\\'": "'", "\\\\": "\\"}
"""Separators that are written as two characters."""
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_NOT_FINITE = "'NaN', 'Inf', '-Inf', 'Infinity', '+Infinity', '-Infinity'"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How records are cut. An empty `quote`, `escape` or `comment` is off."""

    separator: str
    quote: str
    escape: str
    comment: str
    header: bool
    null: str
    trim_left: bool
    trim_right: bool
    line_end: str

    @property
    def blanks(self) -> str:
        """The characters that may stand around a field."""
        return _BLANKS.replace(self.separator, "")


class CsvDecoder:
    name = "csv"
    option_names = (
        *("sep", "delimiter", "header", "inferSchema", "quote", "escape", "comment", "nullValue", "multiLine"),
        *("ignoreLeadingWhiteSpace", "ignoreTrailingWhiteSpace", *RECORD_OPTIONS),
    )

    def check(self, options: OptionReader, schema: t.StructType | None) -> None:
        _dialect(options)
        malformed(options)
        options.flag("inferSchema")
        if options.flag("multiLine"):
            raise options.wrong("multiLine", "can only be false for csv: a record is a line")
        for field in schema or ():
            if isinstance(field.dataType, _NESTED):
                raise PlanError(
                    f"The CSV datasource doesn't support the column `{field.name}` of the type "
                    f'"{field.dataType.sql()}".',
                    code="UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                )

    def infer(self, paths: Sequence[str], options: OptionReader) -> t.StructType:
        dialect = _dialect(options)
        first = next((lines for lines in (_records(path, dialect) for path in paths) if len(lines)), None)
        if first is None:
            return t.StructType()
        head = _cut(first[0].as_py(), dialect)
        names = _names(head) if dialect.header else [f"_c{i}" for i in range(len(head))]
        if not options.flag("inferSchema"):
            return t.StructType([t.StructField(name, t.StringType()) for name in names])
        times = time_options(options)
        with private_kernel() as kernel:
            fields, _ = _fields(_body(paths, dialect), len(names), dialect)
            kernel.put("fields", pa.table(fields, names=[f"c{i}" for i in range(len(names))]))
            return t.StructType([t.StructField(n, _guess(kernel, f"c{i}", times)) for i, n in enumerate(names)])

    def decode(self, paths: Sequence[str], schema: t.StructType, options: OptionReader) -> pa.Table:
        dialect, rule = _dialect(options), malformed(options)
        lines = _body(paths, dialect)
        columns = data_columns(schema, rule)
        fields, uneven = _fields(lines, len(columns), dialect)
        with private_kernel() as kernel:
            rows, bad = _typed(kernel, fields, columns, uneven, time_options(options))
        return settle(rows, bad, lines, schema, rule)


def _dialect(options: OptionReader) -> Dialect:
    name = "sep" if options.given("sep") else "delimiter"
    separator = options.text(name, ",")
    separator = _SEPARATORS.get(separator, separator)
    if len(separator) != 1 or options.text(name) == "\\":
        raise options.wrong(name, "must be a single character, or a special one written with a backslash, such as \\t")
    line_end = line_separator(options)
    if line_end != "\r\n" and len(line_end) > 1:
        raise options.wrong("lineSep", "can only be a single character, or CRLF, for csv")
    return Dialect(
        separator=separator,
        quote=options.character("quote", '"'),
        escape=options.character("escape", "\\"),
        comment=options.character("comment", ""),
        header=options.flag("header"),
        null=options.text("nullValue", ""),
        trim_left=options.flag("ignoreLeadingWhiteSpace"),
        trim_right=options.flag("ignoreTrailingWhiteSpace"),
        line_end=line_end,
    )


def _names(head: Sequence[str | None]) -> list[str]:
    """Column names from a header; one that is missing or comes twice gets its position, as in Spark."""
    lower = [(name or "").lower() for name in head]
    return [
        f"_c{i}" if not name else f"{name}{i}" if lower.count(name.lower()) > 1 else name for i, name in enumerate(head)
    ]


def _records(path: str, dialect: Dialect) -> pa.Array:
    """The lines that are records or the header: not blank, no comment."""
    lines = read_lines(path, dialect.line_end)
    keep = pc.not_equal(pc.utf8_trim(lines, _BLANKS), "")
    if dialect.comment:
        keep = pc.and_(keep, pc.invert(pc.starts_with(lines, dialect.comment)))
    return lines.filter(keep)


def _body(paths: Sequence[str], dialect: Dialect) -> pa.Array:
    skip = 1 if dialect.header else 0
    parts = [_records(path, dialect).slice(skip) for path in paths]
    return pa.concat_arrays([pa.array([], pa.string()), *parts])


def _fields(lines: pa.Array, width: int, dialect: Dialect) -> tuple[list[pa.Array], pa.Array]:
    """The fields of each line as `width` columns, null where one is empty or missing, and which lines have another
    number of fields."""
    plain = pc.equal(pc.count_substring(lines, dialect.separator), width - 1)
    if dialect.quote:
        plain = pc.and_(plain, pc.equal(pc.count_substring(lines, dialect.quote), 0))
    parts = pc.split_pattern(lines.filter(plain), dialect.separator).flatten()
    slow = [_cut(line, dialect) for line in lines.filter(pc.invert(plain)).to_pylist()]
    uneven = np.zeros(len(lines), bool)
    is_plain = np.asarray(plain)
    uneven[~is_plain] = [len(fields) != width for fields in slow]
    # Where line i lies once the plain lines come first and the others after them.
    place = np.empty(len(lines), np.int64)
    place[is_plain] = np.arange(int(is_plain.sum()))
    place[~is_plain] = int(is_plain.sum()) + np.arange(len(slow))
    columns = []
    for i in range(width):
        fast = parts.take(pa.array(np.arange(i, len(parts), width)))
        fast = pc.if_else(pc.equal(fast, ""), None, fast)
        rest = pa.array([fields[i] if i < len(fields) else None for fields in slow], pa.string())
        columns.append(_cleaned(pa.concat_arrays([fast, rest]).take(pa.array(place)), dialect))
    return columns, pa.array(uneven)


def _cleaned(column: pa.Array, dialect: Dialect) -> pa.Array:
    if dialect.trim_left:
        column = pc.utf8_ltrim(column, dialect.blanks)
    if dialect.trim_right:
        column = pc.utf8_rtrim(column, dialect.blanks)
    return pc.if_else(pc.equal(column, dialect.null), None, column)


def _cut(line: str, dialect: Dialect) -> list[str | None]:
    """The fields of one line; None for one that is empty without quotes."""
    separator, quote = dialect.separator, dialect.quote
    if not quote or quote not in line:
        return [field or None for field in line.split(separator)]
    inside, blanks = _inside(quote, dialect.escape), dialect.blanks
    fields: list[str | None] = []
    at = 0
    while True:
        if dialect.trim_left:
            at += len(line) - at - len(line[at:].lstrip(blanks))
        end = line.find(separator, at) % (len(line) + 1)
        value: str | None = line[at:end] or None
        if line.startswith(quote, at):
            match = inside.match(line, at + 1)
            assert match is not None, "the text in quotes may be empty"
            rest = line[match.end() + 1 :].lstrip(blanks)
            if match.end() == len(line) or not rest or rest[0] == separator:
                value, end = _unescaped(match[0], dialect), len(line) - len(rest)
        fields.append(value)
        if end >= len(line):
            return fields
        at = end + 1


@cache
def _inside(quote: str, escape: str) -> re.Pattern[str]:
    """What may lie between quotes."""
    if not escape:
        return re.compile(f"[^{re.escape(quote)}]*")
    if escape == quote:
        return re.compile(f"(?:{re.escape(quote)}{{2}}|[^{re.escape(quote)}])*")
    return re.compile(f"(?:{re.escape(escape)}.|[^{re.escape(quote + escape)}])*")


def _unescaped(text: str, dialect: Dialect) -> str:
    quote, escape = re.escape(dialect.quote), re.escape(dialect.escape)
    return re.sub(f"{escape}([{quote}{escape}])", r"\1", text) if escape else text


def _typed(
    kernel: Kernel, fields: list[pa.Array], columns: t.StructType, uneven: pa.Array, times: Options
) -> tuple[pa.Table, pa.Array]:
    """The fields as the columns' types, null where one does not fit, and which rows are malformed."""
    texts = [f"c{i}" for i in range(len(columns))]
    kernel.put("fields", pa.table([*fields, uneven], names=[*texts, "uneven"]))
    values = [_value(text, field.dataType, times) for text, field in zip(texts, columns, strict=True)]
    misfits = [f"({c} IS NOT NULL AND {v} IS NULL)" for c, v in zip(texts, values, strict=True)]
    bad = " OR ".join([f"c{len(columns)}", *misfits])
    found = kernel.arrow(f"SELECT {', '.join([*values, bad])} FROM fields")
    rows = found.select(range(len(columns)))
    return _cast(rows, arrow_schema(columns)), found.column(len(columns)).combine_chunks()


def _cast(rows: pa.Table, wanted: pa.Schema) -> pa.Table:
    columns = [column.cast(field.type) for column, field in zip(rows.columns, wanted, strict=True)]
    return pa.Table.from_arrays(columns, schema=wanted)


def _value(text: str, to: t.DataType, times: Options) -> str:
    """The cast of a field, narrowed to what Spark's CSV reader takes: no blanks around whole numbers, decimals and
    booleans, no other spellings of true, false and the numbers that are none; commas group digits of a decimal."""
    if isinstance(to, t.DecimalType):
        text, digits = f"replace({text}, ',', '')", text
        return f"CASE WHEN {digits} = trim({digits}) THEN {print_cast(text, t.StringType(), to, safe=True)} END"
    if isinstance(to, t.DateType | t.TimestampType | t.TimestampNTZType):
        return read_time(text, to, times)
    value = print_cast(text, t.StringType(), to, safe=True)
    if isinstance(to, t.BooleanType):
        return f"CASE WHEN lower({text}) IN ('true', 'false') THEN {value} END"
    if isinstance(to, t.IntegralType):
        return f"CASE WHEN {text} = trim({text}) THEN {value} END"
    if isinstance(to, t.FractionalType):
        return f"CASE WHEN regexp_matches({text}, '[0-9]') OR {text} IN ({_NOT_FINITE}) THEN {value} END"
    return value


def _is_time(column: str, to: t.DataType, times: Options, pattern: str, plain: str) -> str:
    """Whether a text is a time by its pattern; without one it has to look `plain`ly like one, too."""
    test = f"{_value(column, to, times)} IS NOT NULL"
    return test if pattern in times else f"{plain} AND {test}"


def _begins_with_year(column: str) -> str:
    return f"regexp_matches({column}, '^[0-9]{{4}}-')"


def _guess(kernel: Kernel, column: str, times: Options) -> t.DataType:
    """The first type, in Spark's order, that all texts of a column have."""
    tests: list[tuple[t.DataType, str]] = [
        (t.IntegerType(), f"{_value(column, t.IntegerType(), times)} IS NOT NULL"),
        (t.LongType(), f"{_value(column, t.LongType(), times)} IS NOT NULL"),
        (t.DecimalType(38, 0), f"regexp_full_match({column}, '[+-]?[0-9]{{1,38}}')"),
        (t.DoubleType(), f"{_value(column, t.DoubleType(), times)} IS NOT NULL"),
        (t.DateType(), _is_time(column, t.DateType(), times, "dateformat", f"regexp_full_match({column}, '{_DAY}')")),
        (t.TimestampType(), _is_time(column, t.TimestampType(), times, "timestampformat", _begins_with_year(column))),
        (t.BooleanType(), f"{_value(column, t.BooleanType(), times)} IS NOT NULL"),
    ]
    checks = ", ".join(f"bool_and({test})" for _, test in tests)
    found = kernel.arrow(f"SELECT {checks}, max(length(ltrim({column}, '+-'))) FROM fields WHERE {column} IS NOT NULL")
    digits = found.column(len(tests))[0].as_py()
    for i, (kind, _) in enumerate(tests):
        if found.column(i)[0].as_py():
            return t.DecimalType(digits, 0) if isinstance(kind, t.DecimalType) else kind
    return t.StringType()
