"""CSV: one record a text, read by a schema, written, and its schema found."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Typed
from app.plan.carriers import duckdb_type
from app.plan.coerce import contains
from app.plan.functions.decimals import decimal_text
from app.plan.functions.entry import Binding, Function
from app.plan.functions.record_options import (
    Options,
    check_mode,
    options_const,
    options_in,
    options_of,
    read_time,
    show_time,
    time_test,
)
from app.plan.functions.signature import ANY, STRING, Args, literal_value, scalar, schema_text, unsupported
from app.plan.instant_texts import moment_of
from app.plan.structs import field_of, struct_of

_TEXT = t.StringType()
_TIMES = (t.DateType, t.TimestampType, t.TimestampNTZType, t.TimeType, t.CalendarIntervalType)
_FORMATS = ("sep", "delimiter", "dateformat", "timestampformat", "timestampntzformat", "timeformat")
_SCHEMA_OPTIONS = ("sep", "delimiter", "dateformat", "timestampformat", "timestampntzformat")
_READ_OPTIONS = ("mode", "columnnameofcorruptrecord", *_FORMATS)
_MALFORMED = (
    "wt_fail('MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION', 'Malformed records are detected in record parsing: ' || "
    "left({}, 500) || '. Use PERMISSIVE mode to have null for them.')"
)


def _schema(name: str, binding: Binding, args: Args) -> Args:
    from app.plan.ddl import parse_record

    kind = parse_record(schema_text(args[1]))
    for f in kind:
        if isinstance(f.dataType, t.VariantType):
            raise unsupported(name, "fields of type VARIANT; read them as STRING")
        if not isinstance(f.dataType, t.AtomicType | t.CalendarIntervalType) or isinstance(
            f.dataType, t.DayTimeIntervalType | t.YearMonthIntervalType
        ):
            raise PlanError(
                f'Unsupported data type "{f.dataType.sql()}" in the schema of `{name}`. Read it as STRING.',
                code="UNSUPPORTED_DATATYPE",
            )
    options = options_of(name, binding, args[2] if len(args) > 2 else None, _READ_OPTIONS)
    check_mode(name, options)
    nullable = t.StructType([t.StructField(f.name, f.dataType, True) for f in kind])
    return (args[0], Const(nullable, True, None), options_const(options))


def _separator(options: Options) -> str:
    return _quoted(options.get("sep", options.get("delimiter", ",")))


def _print_from_csv(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    kind, options = call.type, options_in(call.args[2])
    assert isinstance(kind, t.StructType)
    corrupt = options.get("columnnameofcorruptrecord", "_corrupt_record")
    columns = [f for f in kind if not (f.name == corrupt and isinstance(f.dataType, t.StringType))]
    taken = [_take(f"list_extract(v, {at})", f.dataType, options) for at, f in enumerate(columns, 1)]
    wrong = [f"(list_extract(v, {at}) <> '' AND {field} IS NULL)" for at, field in enumerate(taken, 1)]
    bad = f"(len(v) <> {len(columns)} OR {' OR '.join(wrong)})"
    values = iter(taken)
    broken = f"CASE WHEN {bad} THEN nullif({args[0]}, '') END"
    built = struct_of(kind.names, [next(values) if f in columns else broken for f in kind])
    if options.get("mode", "").upper() == "FAILFAST":
        failure = _MALFORMED.format(args[0])
        built = f"CASE WHEN NOT {bad} OR {failure} IS NOT NULL THEN {built} END"
    records = f"[wt_csv_fields({args[0]}, {_separator(options)})]"
    value = f"list_extract(list_transform({records}, lambda v: {built}), 1)"
    return f"CASE WHEN {args[0]} IS NOT NULL THEN CAST({value} AS {duckdb_type(kind)}) END"


def _take(field: str, kind: t.DataType, options: Options) -> str:
    """SQL of the value in one field, null where it is not one of its type, or an empty text."""
    name = duckdb_type(kind)
    text = f"nullif({field}, '')"
    match kind:
        case t.StringType():
            return text
        case t.BinaryType():
            return f"encode({text})"
        case t.BooleanType():
            return f"CASE lower({text}) WHEN 'true' THEN true WHEN 'false' THEN false END"
        case t.IntegralType():
            return f"TRY_CAST(CASE WHEN regexp_full_match({field}, '[+-]?[0-9]+') THEN {field} END AS {name})"
        case t.FloatType() | t.DoubleType():
            named = "WHEN 'NaN' THEN 'nan' WHEN 'Inf' THEN 'inf' WHEN '-Inf' THEN '-inf'"
            return f"TRY_CAST(CASE {text} {named} ELSE wt_float({text}) END AS {name})"
        case t.DecimalType():
            return f"TRY_CAST(wt_number(wt_ungrouped({text})) AS {name})"
    return read_time(text, kind, options)


def _to_csv(name: str, binding: Binding, args: Args) -> Args:
    if not isinstance(args[0].type, t.StructType):
        raise PlanError(
            f"Cannot resolve `{name}` due to data type mismatch: The input of `{name}` can't be "
            f'"{args[0].type.sql()}" type data. Give a struct.',
            code="DATATYPE_MISMATCH.UNSUPPORTED_INPUT_TYPE",
        )
    for f in args[0].type:
        if contains(f.dataType, t.VariantType):
            raise PlanError(
                f"Cannot resolve `{name}` due to data type mismatch: The input of `{name}` can't be "
                f'"{args[0].type.sql()}" type data. Cast the variants to STRING.',
                code="DATATYPE_MISMATCH.UNSUPPORTED_INPUT_TYPE",
            )
        if not isinstance(f.dataType, (_TEXT.__class__, t.NumericType, t.BooleanType, t.NullType, *_TIMES)):
            raise unsupported(name, f"fields of type {f.dataType.sql()}; cast them to STRING")
    return (args[0], options_const(options_of(name, binding, args[1] if len(args) > 1 else None, _FORMATS)))


def _print_to_csv(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    kind, options = call.args[0].type, options_in(call.args[1])
    assert isinstance(kind, t.StructType)
    separator = _separator(options)
    fields = [_shown(field_of(args[0], at), f.dataType, options) for at, f in enumerate(kind)]
    line = f" || {separator} || ".join(f"coalesce({field}, '')" for field in fields)
    return f"CASE WHEN {args[0]} IS NOT NULL THEN {line} END"


def _shown(sql: str, kind: t.DataType, options: Options) -> str:
    if isinstance(kind, t.NullType):
        return "CAST(NULL AS VARCHAR)"
    if isinstance(kind, t.StringType):
        return f"wt_csv_text({sql}, {_separator(options)})"
    if isinstance(kind, t.FloatType | t.DoubleType):
        return f"wt_java_number({sql})"
    if isinstance(kind, t.DecimalType):
        return f"wt_java_decimal({sql}, {kind.scale})" if kind.scale > 6 else decimal_text(sql, kind)
    if isinstance(kind, _TIMES):
        return f"wt_csv_text({show_time('to_csv', sql, kind, options)}, {_separator(options)})"
    return f"CAST({sql} AS VARCHAR)"


def _bind_schema_of(binding: Binding, args: Args) -> Typed:
    """The schema of a constant, found when the query is built."""
    bound = _SCHEMA_OF.bind(binding, args)
    assert isinstance(bound, Apply)
    text = literal_value("schema_of_csv", 0, bound.args[0])
    if text is None or text == "":
        raise PlanError(
            "Cannot resolve schema_of_csv(): the csv must not be null or empty.",
            code="DATATYPE_MISMATCH.UNEXPECTED_NULL",
        )
    options = options_of("schema_of_csv", binding, args[1] if len(args) > 1 else None, _SCHEMA_OPTIONS)
    tests = {"DATE": time_test(options, "dateformat"), "TIMESTAMP": time_test(options, "timestampformat")}
    separator = options.get("sep", options.get("delimiter", ","))
    if '"' in str(text):
        raise unsupported("schema_of_csv", "quoted fields; write the schema down")
    kinds = [_inferred(field, tests) for field in str(text).split(separator)]
    return Const(_TEXT, False, f"STRUCT<{', '.join(f'_c{i}: {kind}' for i, kind in enumerate(kinds))}>")


def _inferred(field: str, tests: Mapping[str, Callable[[str], bool] | None]) -> str:
    for kind, plain in _KINDS:
        is_one = tests.get(kind) or plain
        if is_one(field):
            return kind
    if re.fullmatch(r"[+-]?[0-9]{19,38}", field):
        return f"DECIMAL({len(field.lstrip('+-'))},0)"
    return "STRING"


def _matches(pattern: str) -> Callable[[str], bool]:
    return lambda field: re.fullmatch(pattern, field) is not None


def _whole(bits: int) -> Callable[[str], bool]:
    return lambda f: re.fullmatch(r"[+-]?[0-9]{1,19}", f) is not None and -(1 << bits) <= int(f) < 1 << bits


_NOT_LONG = r"(?![+-]?[0-9]{19,38}$)"
_KINDS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("INT", _whole(31)),
    ("BIGINT", _whole(63)),
    ("DOUBLE", _matches(_NOT_LONG + r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[dDfF]?\s*|NaN|-?Inf")),
    ("DATE", _matches(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9])")),
    ("TIMESTAMP", lambda field: re.match("[0-9]{4}-", field) is not None and moment_of(field) is not None),
    ("BOOLEAN", _matches(r"(?i)true|false")),
)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


_SCHEMA_OF = scalar("schema_of_csv", (STRING, ANY), _TEXT, "{0}", optional=1)

FUNCTIONS: tuple[Function, ...] = (
    scalar("from_csv", (STRING, STRING, ANY), lambda args: args[1].type, _print_from_csv, optional=1, prepare=_schema,
           nullable=lambda args: args[0].nullable),
    scalar("to_csv", (ANY, ANY), _TEXT, _print_to_csv, optional=1, prepare=_to_csv, nullable=True),
    Function("schema_of_csv", "scalar", _bind_schema_of, lambda call, args: args[0]),  # type: ignore[arg-type]
)  # fmt: skip
