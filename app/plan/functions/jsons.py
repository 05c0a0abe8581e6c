"""`from_json`: reading text by a schema.

A value is read from one parse of its object: DuckDB gives each field as JSON text, and every field is then taken by
Spark's rules (a number is not a text, a wrong value is null and leaves the others alone).
"""

from __future__ import annotations

import json
from dataclasses import asdict

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const
from app.plan.carriers import duckdb_type
from app.plan.coerce import contains
from app.plan.functions.entry import Binding, Function
from app.plan.functions.json_records import print_record
from app.plan.functions.record_options import (
    READING,
    Options,
    check_mode,
    check_reading,
    options_const,
    options_in,
    options_of,
    read_time,
)
from app.plan.functions.signature import (
    ANY,
    STRING,
    Args,
    once,
    scalar,
    schema_text,
    unsupported,
)
from app.plan.functions.variants import allows_duplicates, print_get, print_parse
from app.plan.json_reader import OPTIONS, leniency
from app.plan.structs import field_of, kernel_names, struct_of

_TEXT = t.StringType()
_FORMATS = ("dateformat", "timestampformat", "timestampntzformat", "timeformat")
_READ_OPTIONS = ("mode", "columnnameofcorruptrecord", *OPTIONS, *_FORMATS, *READING)
_MALFORMED = (
    "wt_fail('MALFORMED_RECORD_IN_PARSING.{code}', 'Malformed records are detected in record parsing: ' || "
    "left({text}, 500) || '. Use PERMISSIVE mode to have null for them.')"
)


def _schema(name: str, binding: Binding, args: Args) -> Args:
    """The schema as the type of a null constant: DDL text, or JSON as `StructType.json()` gives it."""
    from app.plan.ddl import parse_record, type_from_json

    text = schema_text(args[1])
    kind: t.DataType
    try:
        kind = type_from_json(text)
    except PlanError:
        kind = parse_record(text)
    if not isinstance(kind, t.StructType | t.ArrayType | t.MapType | t.VariantType):
        raise _no_record(name, kind)
    _check_readable(name, kind)
    options = options_of(name, binding, args[2] if len(args) > 2 else None, _READ_OPTIONS)
    check_mode(name, options)
    check_reading(name, options)
    options["duplicates"] = allows_duplicates(binding)
    return (args[0], Const(_all_nullable(kind), True, None), options_const(options))


def _no_record(shown: str, kind: t.DataType) -> PlanError:
    return PlanError(
        f'Cannot resolve `{shown}` due to data type mismatch: Input schema "{kind.sql()}" must be a struct, an array, '
        "a map or a variant. Put a single value into struct(…).",
        code="DATATYPE_MISMATCH.INVALID_JSON_SCHEMA",
    )


def _all_nullable(kind: t.DataType) -> t.DataType:
    match kind:
        case t.StructType():
            return t.StructType([t.StructField(f.name, _all_nullable(f.dataType), True) for f in kind])
        case t.ArrayType(element):
            return t.ArrayType(_all_nullable(element), True)
        case t.MapType(key, value):
            return t.MapType(key, _all_nullable(value), True)
    return kind


def _check_readable(name: str, kind: t.DataType) -> None:
    match kind:
        case t.StructType():
            for f in kind:
                _check_readable(name, f.dataType)
        case t.ArrayType(element):
            _check_readable(name, element)
        case t.MapType(key, value):
            if not isinstance(key, t.StringType):
                raise unsupported(name, f"map keys of type {key.sql()}; JSON has only STRING")
            _check_readable(name, value)
    match kind:
        case t.DayTimeIntervalType() | t.YearMonthIntervalType() | t.NullType():
            raise unsupported(name, f"fields of type {kind.sql()}; read them as STRING")


def _print_from_json(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    kind, options, given = call.type, options_in(call.args[2]), args[0]
    if any(name in options for name in OPTIONS):
        allowed = json.dumps(asdict(leniency(options)))
        return once(f"wa_json_standard({given}, {_quoted(allowed)})", "j", _printed(kind, options, given, "j"))
    if contains(kind, t.VariantType):
        return _printed(kind, options, given, f"wt_json_readable({given})")
    return _printed(kind, options, given, given)


def _printed(kind: t.DataType, options: Options, given: str, text: str) -> str:
    """SQL of the value in a text, which is `given` or a more standard form of it."""
    if isinstance(kind, t.ArrayType) and isinstance(kind.elementType, t.StructType):
        text = f"wt_json_listed({text})"
    source = f"CAST({print_record(text)} AS JSON)"
    failing = options.get("mode", "").upper() == "FAILFAST"
    some = f"wt_json_some({given})"
    options = {
        **options,
        "variant": print_parse(text, True, options["duplicates"]),
        "loose": print_parse(text, True, "true"),
        "exact": print_parse(print_record(text), True, "true"),
        "whole": f"wt_json({text})",
        "text": text,
    }
    if isinstance(kind, t.VariantType):
        strict = print_parse(text, False, options["duplicates"])
        return f"CASE WHEN {some} THEN {strict if failing else options['variant']} END"
    bad = f"coalesce({_bad('j0', kind, 1, options)}, true)"
    failure = _MALFORMED.format(text=given, code="WITHOUT_SUGGESTION")
    malformed = f"CASE WHEN {bad} THEN {failure} END"
    if isinstance(kind, t.StructType):
        listed = _MALFORMED.format(text=given, code="CANNOT_PARSE_JSON_ARRAYS_AS_STRUCTS")
        malformed = f"CASE WHEN wt_json_begins({given}, '[') THEN {listed} WHEN {bad} THEN {failure} END"
    if not isinstance(kind, t.StructType):
        value = f"list_extract(list_transform([{source}], lambda j0: {_take('j0', kind, 1, options)}), 1)"
        whole = f"list_extract(list_transform([{source}], lambda j0: {malformed}), 1)"
        return f"CASE WHEN {given} IS NULL OR {whole} IS NULL THEN {value} END" if failing else value
    taken = _take("j0", kind, 1, options)
    nulls = ["NULL" for _ in kind]
    at = _corrupt_field(kind, options)
    if at is not None:
        fields = [field_of("j9", n) for n in range(len(kind))]
        fields[at] = f"CASE WHEN {bad} THEN {given} END"
        nulls[at] = given
        opened = f"list_transform([{taken}], lambda j9: {struct_of(kind.names, fields)})"
        taken = f"CASE WHEN json_type(j0) = 'OBJECT' THEN list_extract({opened}, 1) END"
    value = f"list_extract(list_transform([{source}], lambda j0: {taken}), 1)"
    if failing:
        checked = f"list_extract(list_transform([{source}], lambda j0: {malformed}), 1)"
        return f"CASE WHEN {some} AND {checked} IS NULL THEN {value} END"
    nothing = f"CAST({struct_of(kind.names, nulls)} AS {duckdb_type(kind)})"
    return f"CASE WHEN {some} THEN coalesce({value}, {nothing}) END"


def _corrupt_field(kind: t.StructType, options: Options) -> int | None:
    """Where the text of a record that cannot be read goes."""
    name = options.get("columnnameofcorruptrecord", "_corrupt_record")
    found = [at for at, f in enumerate(kind) if f.name == name and isinstance(f.dataType, t.StringType)]
    return found[0] if found else None


def _bad(sql: str, kind: t.DataType, depth: int, options: Options, path: str = "'$'") -> str:
    """SQL that is true where something in a value is not what its type says."""
    v = f"j{depth}"
    if not isinstance(kind, t.StructType):
        wrong = f"(json_type({sql}) <> 'NULL' AND {_take(sql, kind, depth, options, path)} IS NULL)"
        return wrong if (inside := _bad_items(sql, kind, depth, options, path)) is None else f"({wrong} OR {inside})"
    corrupt = _corrupt_field(kind, options) if depth == 1 else None
    parts = [
        f"coalesce({_bad_field(v, at, f, depth, options, path)}, false)" for at, f in enumerate(kind) if at != corrupt
    ]
    opened = _opened(sql, kind)
    inner = f"list_extract(list_transform([{opened}], lambda {v}: {' OR '.join(parts) or 'false'}), 1)"
    wrong = f"json_type({sql}) <> 'OBJECT'" + (f" AND json_type({sql}) <> 'NULL'" if depth > 1 else "")
    return f"({wrong} OR {inner})"


def _bad_items(sql: str, kind: t.DataType, depth: int, options: Options, path: str) -> str | None:
    """SQL that is true where something is wrong in a struct that is an item of an array or map; None where there are no
    structs."""
    v, value = f"j{depth}", kind.elementType if isinstance(kind, t.ArrayType) else getattr(kind, "valueType", None)
    if value is None or not contains(value, t.StructType):
        return None
    if isinstance(kind, t.ArrayType):
        opened = f"CAST(CASE WHEN json_type({sql}) = 'ARRAY' THEN {sql} END AS JSON[])"
        within = f"{path} || '[' || CAST(i{depth} - 1 AS VARCHAR) || ']'"
        bad = f"lambda {v}, i{depth}: {_bad(v, value, depth + 1, options, within)}"
    else:
        opened = f"map_entries(CAST(CASE WHEN json_type({sql}) = 'OBJECT' THEN {sql} END AS MAP(VARCHAR, JSON)))"
        bad = f"lambda {v}: {_bad(f'{v}.value', value, depth + 1, options, _keyed(path, v))}"
    return f"coalesce(len(list_filter({opened}, {bad})) > 0, false)"


def _opened(sql: str, kind: t.StructType) -> str:
    """SQL of the fields of an object."""
    one = kernel_names(kind.names) == kind.names
    fields = f"from_json({sql}, '{_shape(kind)}')" if one else _each(sql, kind)
    return f"CASE WHEN json_type({sql}) = 'OBJECT' THEN {fields} END"


def _each(sql: str, kind: t.StructType) -> str:
    """SQL of the fields of an object, one by one; the last of those with one name has the value."""
    last = {name: at for at, name in enumerate(kind.names)}
    values = (
        f"json_extract({sql}, {_pointer(name)})" if last[name] == at else "CAST(NULL AS JSON)"
        for at, name in enumerate(kind.names)
    )
    return struct_of(kind.names, values)


def _bad_field(struct: str, at: int, f: t.StructField, depth: int, options: Options, path: str) -> str:
    part = {**options, "part": _pointer(f.name)} if depth == 1 else options
    return _bad(field_of(struct, at), f.dataType, depth + 1, part, _step(path, f.name))


def _shape(kind: t.StructType) -> str:
    return json.dumps({f.name: "JSON" for f in kind}, ensure_ascii=False).replace("'", "''")


def _only_variants(kind: t.DataType) -> bool:
    """Whether a type is a variant, or arrays and maps of variants."""
    match kind:
        case t.ArrayType(element):
            return _only_variants(element)
        case t.MapType(_, value):
            return _only_variants(value)
    return isinstance(kind, t.VariantType)


def _step(path: str, name: str) -> str:
    """SQL of the path to a field."""
    sign = '"' if "'" in name else "'"
    return f"{path} || {_quoted(f'[{sign}{name}{sign}]')}"


def _variant(kind: t.DataType, depth: int, options: Options, path: str) -> str:
    """A part of the record's variant. Where a key comes twice there is none of the whole: then the fields of the record
    in which none does are taken one by one."""
    steps = () if path == "'$'" else None
    found = print_get(options["variant"], path, kind, True, options["timezone"], steps=steps)
    if options["duplicates"] == "true" or depth > 2:
        return found
    whole = options["whole"]
    part = print_parse(f"CAST(json_extract({whole}, {options.get('part', _quoted('$'))}) AS VARCHAR)", True, "false")
    once = f"list_unique(json_keys({whole})) = len(json_keys({whole})) AND {part}"
    loose = print_get(options["loose"], path, kind, True, options["timezone"], steps=steps)
    return f"CASE WHEN {options['variant']} IS NOT NULL THEN {found} WHEN {once} IS NOT NULL THEN {loose} END"


def _pointer(name: str) -> str:
    """SQL of the place of a record's field in its text."""
    return _quoted("/" + name.replace("~", "~0").replace("/", "~1"))


def _take(sql: str, kind: t.DataType, depth: int, options: Options, path: str = "'$'") -> str:
    """SQL that takes a value of a type from JSON; null where it is not one. `path` is SQL of the way to it in the text:
    variants are taken from there, since DuckDB's JSON does not keep the forms of numbers."""
    v = f"j{depth}"
    if _only_variants(kind):
        return _variant(kind, depth, options, path)
    match kind:
        case t.StructType():
            fields = [_take_field(v, n, f, depth, options, path) for n, f in enumerate(kind)]
            opened = _opened(sql, kind)
            built = f"CASE WHEN {v} IS NOT NULL THEN {struct_of(kind.names, fields)} END"
            return f"list_extract(list_transform([{opened}], lambda {v}: {built}), 1)"
        case t.ArrayType(element):
            listed = f"CAST(CASE WHEN json_type({sql}) = 'ARRAY' THEN {sql} END AS JSON[])"
            by_path = contains(element, t.VariantType) or contains(element, t.DecimalType)
            names = f"{v}, i{depth}" if by_path else v
            inner = _take(v, element, depth + 1, options, f"{path} || '[' || CAST(i{depth} - 1 AS VARCHAR) || ']'")
            return _unless_bad(listed, names, v, inner, f"list_transform({listed}, lambda {names}: {{}})")
        case t.MapType(_, value):
            opened = f"CAST(CASE WHEN json_type({sql}) = 'OBJECT' THEN {sql} END AS MAP(VARCHAR, JSON))"
            entries, inner = f"map_entries({opened})", _take(f"{v}.value", value, depth + 1, options, _keyed(path, v))
            built = f"map(map_keys({opened}), list_transform({entries}, lambda {v}: {{}}))"
            return _unless_bad(entries, v, f"{v}.value", inner, built)
    return _take_atom(sql, kind, options, path)


def _keyed(path: str, entry: str) -> str:
    """SQL of the path to the value of a map's entry."""
    sign = f"CASE WHEN contains({entry}.key, '''') THEN '\"' ELSE '''' END"
    return f"{path} || '[' || {sign} || {entry}.key || {sign} || ']'"


def _take_field(struct: str, at: int, f: t.StructField, depth: int, options: Options, path: str) -> str:
    part = {**options, "part": _pointer(f.name)} if depth == 1 else options
    return _take(field_of(struct, at), f.dataType, depth + 1, part, _step(path, f.name))


def _unless_bad(items: str, name: str, item: str, taken: str, built: str) -> str:
    """`built` with `taken` put in, or null if an item is there but not of its type: one spoils the whole."""
    bad = f"json_type({item}) <> 'NULL' AND {taken} IS NULL"
    return f"CASE WHEN len(list_filter({items}, lambda {name}: {bad})) = 0 THEN {built.replace('{}', taken)} END"


def _take_atom(sql: str, kind: t.DataType, options: Options, path: str) -> str:
    name = duckdb_type(kind)
    text = f"json_extract_string({sql}, '$')"
    match kind:
        case t.StringType():
            return f"wt_json_text({sql})"
        case t.BinaryType():
            return f"CASE WHEN json_type({sql}) = 'VARCHAR' THEN TRY(from_base64(trim({text}))) END"
        case t.ByteType():
            return f"CASE WHEN json_type({sql}) IN ('UBIGINT', 'BIGINT') THEN wt_json_byte({text}) END"
        case t.BooleanType():
            return f"CASE WHEN json_type({sql}) = 'BOOLEAN' THEN {text} = 'true' END"
        case t.IntegralType():
            return f"CASE WHEN json_type({sql}) IN ('UBIGINT', 'BIGINT') THEN TRY_CAST({text} AS {name}) END"
        case t.FloatType() | t.DoubleType():
            number = f"wt_json_number({sql}, {text}, TRY_CAST({text} AS {name}))"
            if options.get("allownonnumericnumbers", "true").lower() == "true":
                return number
            return f"CASE WHEN json_type({sql}) <> 'VARCHAR' THEN {number} END"
        case t.DecimalType():
            steps = () if path == "'$'" else None
            exact = print_get(options["exact"], path, kind, True, options["timezone"], steps=steps)
            number = f"TRY_CAST(wt_number({text}) AS {name})"
            long = f"json_type({sql}) = 'DOUBLE' AND regexp_matches({options['text']}, '[0-9][0-9.]{{16}}')"
            numbers = "('UBIGINT', 'BIGINT', 'DOUBLE', 'HUGEINT', 'UHUGEINT')"
            return (
                f"CASE WHEN {long} THEN coalesce({exact}, {number}) WHEN json_type({sql}) IN {numbers} THEN {number} "
                f"WHEN json_type({sql}) = 'VARCHAR' THEN TRY_CAST(wt_number(wt_ungrouped({text})) AS {name}) END"
            )
    time, seconds = read_time(text, kind, options), ""
    if isinstance(kind, t.DateType) and "dateformat" not in options:
        time = f"coalesce({time}, wt_day_of_number({text}))"
    if isinstance(kind, t.TimestampType):
        seconds = f" WHEN json_type({sql}) IN ('UBIGINT', 'BIGINT') THEN wt_from_seconds({text})"
    return f"CASE WHEN json_type({sql}) = 'VARCHAR' THEN {time}{seconds} END"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


FUNCTIONS: tuple[Function, ...] = (
    scalar("from_json", (STRING, STRING, ANY), lambda args: args[1].type, _print_from_json, optional=1,
           prepare=_schema, nullable=True),
)  # fmt: skip
