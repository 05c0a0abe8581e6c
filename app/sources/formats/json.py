"""`json`: one record a line (or, with `multiLine`, a file); an array of records is a record each.

The kernel reads the fields by Spark's rules: a column takes the kinds of values its type has, a string takes any value
as its text, and what does not fit is null without taking the other fields along (an array or a map is null as a
whole). The text of a value is what stands in the file, but for blanks within objects and arrays.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from app.engine.options import OptionReader
from app.errors import PlanError
from app.kernel.casts import print_cast
from app.kernel.kernel import Kernel
from app.plan import types as t
from app.plan.carriers import arrow_schema, duckdb_type
from app.plan.coerce import contains
from app.plan.functions.record_options import Options, read_time
from app.plan.json_inference import Inference
from app.plan.json_reader import Fields, Leniency, leniency, read_json, written
from app.sources.formats.base import (
    RECORD_OPTIONS,
    Malformed,
    data_columns,
    line_separator,
    malformed,
    private_kernel,
    read_lines,
    read_text,
    settle,
    time_options,
)

_WHOLE = "('BIGINT', 'UBIGINT')"
_NUMBER = "('BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE')"
_RECORDS = (
    "SELECT raw, unnest(CASE WHEN json_type(j) = 'ARRAY' "
    "AND len(list_filter(json_type(j, '$[*]'), lambda k: coalesce(k, 'NULL') NOT IN ({kinds}))) = 0 "
    "THEN json_extract(j, '$[*]') WHEN json_type(j) IN ({kinds}) THEN [j] ELSE [NULL] END) AS j "
    "FROM (SELECT c0 AS raw, TRY_CAST({text} AS JSON) AS j FROM texts)"
)
"""Null for a text that is no record, and for an array in which one element is none."""
_TEXT = "wa_json_record(c1, json_valid(c1))"
_SAMPLES = _RECORDS.format(text=_TEXT, kinds="'OBJECT', 'NULL'")
_PLAIN = _RECORDS.format(text=_TEXT, kinds="'OBJECT'")
_EXACT = _RECORDS.format(text=f"wt_json_marked({_TEXT})", kinds="'OBJECT'")
"""With numbers that DuckDB's JSON would write otherwise as texts that have a mark."""
_SINGLE = (
    "SELECT wa_parse_json(c2, json_valid(c2), true, false) AS v, c0 "
    "FROM (SELECT c0, wt_json_readable(c1) AS c2 FROM texts)"
)
_CHOICES = ("inferTimestamp", "primitivesAsString", "prefersDecimal", "dropFieldIfAllNull")
_ALLOWED = (
    *("allowSingleQuotes", "allowUnquotedControlChars", "allowBackslashEscapingAnyCharacter", "allowComments"),
    *("allowNumericLeadingZeros", "allowUnquotedFieldNames", "allowNonNumericNumbers"),
)


class JsonDecoder:
    name = "json"
    option_names = ("multiLine", "singleVariantColumn", "ignoreNullFields", *_CHOICES, *_ALLOWED, *RECORD_OPTIONS)

    def check(self, options: OptionReader, schema: t.StructType | None) -> None:
        rule = malformed(options)
        for flag in ("multiLine", "ignoreNullFields", *_CHOICES, *_ALLOWED):
            options.flag(flag)
        single = options.text("singleVariantColumn")
        if single and schema is not None:
            _check_single(single, schema, rule)
            return
        for field in schema or ():
            if contains(field.dataType, t.VariantType):
                raise PlanError(
                    f"The JSON datasource reads no variants beside other columns, as `{field.name}` of the type "
                    f'"{field.dataType.sql()}". Read whole records by singleVariantColumn, or lines of text and use '
                    "from_json(…).",
                    code="UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                )
            if isinstance(field.dataType, (t.DayTimeIntervalType, t.YearMonthIntervalType, t.NullType)):
                raise PlanError(
                    f"The JSON datasource doesn't support the column `{field.name}` of the type "
                    f'"{field.dataType.sql()}".',
                    code="UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                )

    def infer(self, paths: Sequence[str], options: OptionReader) -> t.StructType:
        """The columns in order of their names, as in Spark, with one for malformed records where there are any."""
        rule = malformed(options)
        if single := options.text("singleVariantColumn"):
            return t.StructType([t.StructField(single, t.VariantType())])
        with private_kernel() as kernel:
            texts = _put(kernel, paths, options)
            if any(options.flag(choice) for choice in _CHOICES):
                return _with_broken(*_inferred(texts, options), rule)
            found = kernel.arrow(
                f"WITH r AS MATERIALIZED ({_SAMPLES}) SELECT "
                "(SELECT json_group_structure(j) FROM r WHERE json_type(j) = 'OBJECT'), "
                "(SELECT count(*) FROM r WHERE j IS NULL)"
            )
            structure, broken = found.column(0)[0].as_py(), found.column(1)[0].as_py()
            # Where no object has a key, the kernel calls them JSON.
            columns = _type(json.loads(structure)) if structure else t.StructType()
            columns = columns if isinstance(columns, t.StructType) else t.StructType()
            columns = _widened(kernel, columns)
        return _with_broken(columns, broken > 0, rule)

    def decode(self, paths: Sequence[str], schema: t.StructType, options: OptionReader) -> pa.Table:
        rule = malformed(options)
        columns = data_columns(schema, rule)
        if options.text("singleVariantColumn"):
            with private_kernel() as kernel:
                _put(kernel, paths, options)
                found = kernel.arrow(f"SELECT v, v IS NULL, c0 FROM ({_SINGLE})")
            flags, raw = found.column(1).combine_chunks(), found.column(2).combine_chunks()
            return settle(pa.table([found.column(0)], schema=arrow_schema(columns)), flags, raw, schema, rule)
        times = time_options(options)
        values = [_value(field.dataType, _member("j", field.name), 0, times) for field in columns]
        misfits = [_misfit(field.dataType, _member("j", field.name), 0, times) for field in columns]
        exact = any(contains(field.dataType, kind) for field in columns for kind in (t.StringType, t.DecimalType))
        records = _EXACT if exact else _PLAIN
        bad = " OR ".join(["j IS NULL", *misfits])
        with private_kernel() as kernel:
            _put(kernel, paths, options)
            found = kernel.arrow(f"SELECT {', '.join([*values, bad, 'raw'])} FROM ({records})")
        wanted = arrow_schema(columns)
        arrays = [found.column(i).cast(field.type) for i, field in enumerate(wanted)]
        flags, raw = (found.column(i).combine_chunks() for i in (len(wanted), len(wanted) + 1))
        # All records of an array are malformed if one is.
        flags = pc.is_in(raw, value_set=raw.filter(flags))
        return settle(pa.Table.from_arrays(arrays, schema=wanted), flags, raw, schema, rule)


def _with_broken(columns: t.StructType, broken: bool, rule: Malformed) -> t.StructType:
    """The columns in order, with one for malformed records if there are any."""
    fields = list(columns)
    if broken and rule.mode == "PERMISSIVE":
        fields = [f for f in fields if f.name != rule.column] + [t.StructField(rule.column, t.StringType())]
    return t.StructType(sorted(fields, key=lambda field: field.name))


def _inferred(texts: pa.Array, options: OptionReader) -> tuple[t.StructType, bool]:
    """The columns by the options, each record looked at; and whether some are malformed."""
    given = {name.lower(): options.text(name) for name in (*_CHOICES, *_ALLOWED) if options.given(name)}
    inference = Inference.by({**given, **time_options(options)})
    found: t.DataType = t.StructType()
    broken = False
    for text in texts.to_pylist():
        try:
            tree = read_json(text, inference.allowed)
        except ValueError:
            broken = True
            continue
        records = tree if isinstance(tree, list) and not isinstance(tree, Fields) else [tree]
        if any(not isinstance(record, Fields) and record is not None for record in records):
            broken = True
            continue
        for record in filter(None, records):
            found = inference.merged(found, inference.kind(record))
    columns = inference.named(found)
    return columns if isinstance(columns, t.StructType) else t.StructType(), broken


def _check_single(name: str, schema: t.StructType, rule: Malformed) -> None:
    """Returns where the schema is that of whole records in one column. Raises: PlanError."""
    columns = data_columns(schema, rule)
    if [(f.name, f.dataType) for f in columns] != [(name, t.VariantType())]:
        raise PlanError(
            f'User specified schema "{schema.sql()}" is invalid when the `singleVariantColumn` option is enabled. The '
            "schema must either be a variant field, or a variant field plus a corrupt column field.",
            code="INVALID_SINGLE_VARIANT_COLUMN",
        )


def _widened(kernel: Kernel, columns: t.StructType) -> t.StructType:
    """The columns, with a decimal for whole numbers that no bigint holds: the kernel calls both UBIGINT."""
    whole = [f.name for f in columns if isinstance(f.dataType, t.LongType)]
    if not whole:
        return columns
    tests = ", ".join(f"bool_or({_misfit(t.LongType(), _member('j', name), 0, {})})" for name in whole)
    found = kernel.arrow(f"SELECT {tests} FROM ({_SAMPLES})")
    wide = {name for i, name in enumerate(whole) if found.column(i)[0].as_py()}
    return t.StructType([t.StructField(f.name, t.DecimalType(20, 0)) if f.name in wide else f for f in columns])


def _put(kernel: Kernel, paths: Sequence[str], options: OptionReader) -> pa.Array:
    """The texts of the records, which the kernel gets as `c0`, and in a more standard form as `c1`."""
    if options.flag("multiLine"):
        texts = pa.array([read_text(path).decode(errors="replace") for path in paths], pa.string())
    else:
        ends = line_separator(options)
        texts = pa.concat_arrays([pa.array([], pa.string()), *(read_lines(path, ends) for path in paths)])
    texts = texts.filter(pc.not_equal(pc.utf8_trim_whitespace(texts), ""))
    given = {name.lower(): options.text(name) for name in _ALLOWED if options.given(name)}
    standard = _standard(texts, leniency(given)) if given else texts
    kernel.put("texts", pa.table([texts, standard], ["c0", "c1"]))
    return texts


def _standard(texts: pa.Array, allowed: Leniency) -> pa.Array:
    """Null where a text is none that is allowed."""

    def standard(text: str) -> str | None:
        try:
            return written(read_json(text, allowed))
        except ValueError:
            return None

    return pa.array(map(standard, texts.to_pylist()), pa.string())


def _type(structure: Any) -> t.DataType:
    """A Spark type from DuckDB's description of JSON."""
    if isinstance(structure, dict):
        return t.StructType([t.StructField(name, _type(inner)) for name, inner in sorted(structure.items()) if name])
    if isinstance(structure, list):
        return t.ArrayType(_type(structure[0]) if structure else t.StringType())
    known: dict[str, t.DataType] = {"BOOLEAN": t.BooleanType(), "DOUBLE": t.DoubleType()}
    known |= {"BIGINT": t.LongType(), "UBIGINT": t.LongType()}
    return known.get(structure, t.StringType())


def _member(j: str, name: str) -> str:
    """The value of a key, as a JSON pointer, which takes any name."""
    pointer = name.replace("~", "~0").replace("/", "~1").replace("'", "''")
    return f"json_extract({j}, '/{pointer}')"


def _elements(j: str) -> str:
    return f"json_extract({j}, '$[*]')"


def _members(j: str, v: str) -> str:
    """The values of all keys, in the order of `json_keys`."""
    pointer = f"'/' || replace(replace({v}, '~', '~0'), '/', '~1')"
    return f"list_transform(json_keys({j}), lambda {v}: json_extract({j}, {pointer}))"


def _value(to: t.DataType, j: str, depth: int, times: Options) -> str:
    """The value as a type; null where it is none of it."""
    kind, text, v = f"wt_json_kind({j})", f"wt_json_unmarked({j})", f"v{depth}"
    name = duckdb_type(to)
    match to:
        case t.StringType():
            return f"CASE WHEN {kind} <> 'NULL' THEN {text} END"
        case t.BooleanType():
            return f"CASE WHEN {kind} = 'BOOLEAN' THEN CAST({text} AS BOOLEAN) END"
        case t.ByteType():
            return f"CASE WHEN {kind} IN {_WHOLE} THEN wt_json_byte({text}) END"
        case t.IntegralType():
            return f"CASE WHEN {kind} IN {_WHOLE} THEN TRY_CAST({text} AS {name}) END"
        case t.FloatType() | t.DoubleType():
            special = "'NaN', 'Infinity', '+Infinity', '-Infinity', '+INF', '-INF'"
            return f"CASE WHEN {kind} IN {_NUMBER} OR {text} IN ({special}) THEN TRY_CAST({text} AS {name}) END"
        case t.DecimalType():
            ungrouped = f"TRY_CAST(wt_number(wt_ungrouped({text})) AS {name})"
            number = f"TRY_CAST({text} AS {name})"
            return f"CASE WHEN {kind} IN {_NUMBER} THEN {number} WHEN {kind} = 'VARCHAR' THEN {ungrouped} END"
        case t.TimestampType():
            value = read_time(text, to, times)
            return f"CASE WHEN {kind} = 'VARCHAR' THEN {value} WHEN {kind} IN {_WHOLE} THEN wt_from_seconds({text}) END"
        case t.DateType() | t.TimestampNTZType():
            return f"CASE WHEN {kind} = 'VARCHAR' THEN {read_time(text, to, times)} END"
        case t.BinaryType():
            return f"CASE WHEN {kind} = 'VARCHAR' THEN TRY(from_base64(trim({text}))) END"
        case t.ArrayType():
            inner = _value(to.elementType, v, depth + 1, times)
            value = f"list_transform({_elements(j)}, lambda {v}: {inner})"
            odd = _some(to.elementType, _elements(j), depth, times)
            return f"CASE WHEN {kind} = 'ARRAY' AND NOT {odd} THEN {value} END"
        case t.MapType():
            keys, values = f"json_keys({j})", _members(j, v)
            inner = _value(to.valueType, v, depth + 1, times)
            value = f"map({keys}, list_transform({values}, lambda {v}: {inner}))"
            return f"CASE WHEN {kind} = 'OBJECT' AND NOT {_some(to.valueType, values, depth, times)} THEN {value} END"
        case t.StructType():
            parts = [f"'{_quoted(f.name)}': {_value(f.dataType, _member(j, f.name), depth, times)}" for f in to]
            return f"CASE WHEN {kind} = 'OBJECT' THEN {{{', '.join(parts)}}} END"
    return f"CASE WHEN {kind} = 'VARCHAR' THEN {print_cast(text, t.StringType(), to, safe=True)} END"


def _some(to: t.DataType, values: str, depth: int, times: Options) -> str:
    """Whether one of a list of values is there and is none of the type as a whole."""
    v = f"v{depth}"
    misfit = f"coalesce(json_type({v}), 'NULL') <> 'NULL' AND {_value(to, v, depth + 1, times)} IS NULL"
    return f"len(list_filter({values}, lambda {v}: {misfit})) > 0"


def _misfit(to: t.DataType, j: str, depth: int, times: Options) -> str:
    """Whether a value is there and does not fit, at any depth; false, not null, where it is missing."""
    kind, v = f"json_type({j})", f"v{depth}"
    parts = [f"coalesce({kind}, 'NULL') <> 'NULL' AND {_value(to, j, depth, times)} IS NULL"]
    if isinstance(to, t.StructType):
        parts += [_misfit(f.dataType, _member(j, f.name), depth, times) for f in to]
    elif isinstance(to, t.ArrayType):
        inside = f"lambda {v}: {_misfit(to.elementType, v, depth + 1, times)}"
        parts.append(f"coalesce({kind} = 'ARRAY' AND len(list_filter({_elements(j)}, {inside})) > 0, false)")
    return f"({' OR '.join(parts)})"


def _quoted(name: str) -> str:
    return name.replace("'", "''")
