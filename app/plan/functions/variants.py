"""The family of VARIANT: parsing, looking into it by a path, types, explosion; and the casts that the kernel prints.

What is not constant in a path is checked row by row, a constant path when the query is built.
"""

from __future__ import annotations

import json

from app.errors import ParseError, PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Typed
from app.plan.carriers import duckdb_type
from app.plan.coerce import from_variant, to_variant
from app.plan.ddl import parse_schema
from app.plan.functions.decimals import decimal_text
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import (
    ANY,
    TOO_LONG,
    Args,
    Param,
    describe,
    once,
    only,
    scalar,
    schema_text,
    wrong_count,
    wrong_type,
)
from app.plan.functions.signature_aggregate import aggregate
from app.plan.variant_path import variant_path

_VARIANT, _TEXT, _BOOLEAN = t.VariantType(), t.StringType(), t.BooleanType()
_DUPLICATES = "spark.sql.variant.allowDuplicateKeys"
VARIANT = Param("VARIANT", lambda source: _VARIANT if isinstance(source, t.VariantType | t.NullType) else None)
_ONLY_TEXT = Param("STRING", lambda source: _TEXT if isinstance(source, t.StringType | t.NullType) else None)


def allows_duplicates(binding: Binding) -> str:
    """`true` where the last of several fields with one name counts, by the session's settings; else `false`."""
    return str(binding.conf.get(_DUPLICATES, "false")).lower()


def _parsing(_: str, binding: Binding, args: Args) -> Args:
    return (args[0], Const(_BOOLEAN, False, allows_duplicates(binding) == "true"))


def _print_parsing(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    return print_parse(args[0], call.function == "try_parse_json", args[1])


def print_parse(sql: str, safe: bool, duplicates: str) -> str:
    """SQL of the variant of a JSON text; `safe`, null where it is malformed."""
    if len(sql) >= TOO_LONG:
        return once(sql, "json", print_parse("json", safe, duplicates))
    return f"wa_parse_json({sql}, json_valid({sql}), {str(safe).lower()}, {duplicates})"


def _getting(name: str, binding: Binding, args: Args) -> Args:
    """Value, path, the target as the type of a null constant, the time zone."""
    path = args[1]
    if isinstance(path, Const) and path.value is not None:
        variant_path(path.value, name)
    to = _target(args[2]) if len(args) > 2 else _VARIANT
    if not from_variant(to):
        raise _no_cast(f"{name}({describe(args[0])}, {describe(args[1])})", _VARIANT, to)
    return (args[0], path, Const(_all_nullable(to), True, None), Const(_TEXT, False, binding.time_zone))


def _target(arg: Typed) -> t.DataType:
    text = schema_text(arg)
    try:
        schema = parse_schema(f"x {text}")
    except ParseError as error:
        try:  # the columns of a struct
            return parse_schema(text)
        except ParseError:
            raise error from None
    return schema.fields[0].dataType if len(schema) == 1 else parse_schema(text)


def _all_nullable(kind: t.DataType) -> t.DataType:
    match kind:
        case t.StructType():
            return t.StructType([t.StructField(f.name, _all_nullable(f.dataType)) for f in kind])
        case t.ArrayType(element):
            return t.ArrayType(_all_nullable(element), True)
        case t.MapType(key, value):
            return t.MapType(key, _all_nullable(value), True)
    return kind


def _print_getting(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    path, zone = call.args[1], call.args[3]
    assert isinstance(zone, Const)
    known = isinstance(path, Const) and path.value is not None
    steps = variant_path(path.value, call.function) if isinstance(path, Const) and known else None
    return print_get(args[0], args[1], call.type, call.function == "try_variant_get", zone.value, call.function, steps)


def print_get(
    sql: str,
    path: str,
    to: t.DataType,
    safe: bool,
    time_zone: str,
    name: str = "variant_get",
    steps: tuple[str | int, ...] | None = None,
) -> str:
    """SQL of what stands at a path (SQL too; `steps` if it is constant) in a variant, as a type.

    DuckDB finds the place and casts what is usual, a vectorised function the rest."""
    rest = f"{quoted(packed(to))}, {quoted(time_zone)}, {str(safe).lower()}, '{name}'"
    function = f"wa_variant_get__{duckdb_type(to).encode().hex()}"
    place = None if steps is None else _place(steps)
    text = f"struct_extract({sql}, 'variant')"
    if place is None:
        return f"{function}({text}, {path}, {rest})"
    if steps:
        text = f"CAST(json_extract({text}, {quoted(place)}) AS VARCHAR)"
    usual = _USUAL.get(type(to))
    if usual is None:
        return f"{function}({text}, '$', {rest})"
    exact = f"{function}(leaf, '$', {rest})"
    return once(text, "leaf", usual.replace("{type}", duckdb_type(to)).replace("{exact}", exact))


def _place(steps: tuple[str | int, ...]) -> str | None:
    """A path as DuckDB has it, None where it has none."""
    if any(isinstance(step, str) and (not step or '"' in step or "\\" in step) for step in steps):
        return None
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f'."{step}"' for step in steps)


_WHOLE = (
    "CASE WHEN CAST(TRY_CAST(leaf AS {type}) AS VARCHAR) = leaf THEN TRY_CAST(leaf AS {type}) "
    "WHEN leaf <> 'null' THEN {exact} END"
)
_REAL = (
    "CASE WHEN regexp_full_match(leaf, '-?[0-9]{1,15}(\\.[0-9]{1,15})?') THEN CAST(CAST(leaf AS DOUBLE) AS {type}) "
    "WHEN leaf <> 'null' THEN {exact} END"
)
_USUAL: dict[type[t.DataType], str] = {
    **dict.fromkeys((t.ByteType, t.ShortType, t.IntegerType, t.LongType), _WHOLE),
    t.FloatType: _REAL,
    t.DoubleType: _REAL,
    t.BooleanType: "CASE WHEN leaf IN ('true', 'false') THEN leaf = 'true' WHEN leaf <> 'null' THEN {exact} END",
    t.StringType: "CASE WHEN leaf[1] = '\"' AND NOT starts_with(leaf, '\"\\u0001') THEN json_extract_string(leaf, '$') "
    "WHEN leaf[1] NOT IN ('{', '[', '\"', 'n') THEN leaf WHEN leaf <> 'null' THEN {exact} END",
    t.VariantType: "CASE WHEN leaf[1] IN ('{', '[') THEN {exact} WHEN leaf IS NOT NULL THEN {'variant': leaf} END",
}
"""SQL of the value that the JSON text `leaf` has as a type."""


def print_json(sql: str, time_zone: str) -> str:
    """SQL of a variant as JSON text."""
    return once(f"struct_extract({sql}, 'variant')", "whole", _SHOWN.replace("{zone}", quoted(time_zone)))


_SORTED = "CAST(json_normalize(whole) AS VARCHAR)"
_DECIMAL = r"""'(^|[:,\[])"\\u0001n(-?[0-9]+)(?:\.0+|(\.[0-9]*[1-9])0*)?"', '\1\2\3', 'g'"""
_DOUBLE = r"""'(^|[:,\[])"\\u0001d(-?(?:[1-9][0-9]{0,6}\.[0-9]+|0\.(?:0|0{0,2}[1-9][0-9]*)))"', '\1\2', 'g'"""
_PLAIN = f"regexp_replace(regexp_replace({_SORTED}, {_DECIMAL}), {_DOUBLE})"
_EXACT = "wa_variant_json(whole, {zone})"
_ODD = r"""\\u00(?:[^0]|0[^1]|01[^nd])|\\u0001[nd][-.0-9]*":|[\x{E000}-\x{FFFF}]"""
_SHOWN = (
    r"CASE WHEN NOT contains(whole, '\u00') AND "
    rf"(strlen(whole) = length(whole) OR NOT regexp_matches(whole, '[\x{{E000}}-\x{{FFFF}}]')) THEN {_SORTED} "
    f"WHEN regexp_matches(whole, '{_ODD}') THEN {_EXACT} ELSE "
    + once(_PLAIN, "plain", rf"CASE WHEN contains(plain, '\u00') THEN {_EXACT} ELSE plain END")
    + " END"
)
"""SQL of the JSON that the text `whole` is shown as: itself with its fields sorted, where there are no marks and no
letters that Java writes or sorts otherwise; of decimals the marks go and the zeros at the end, of doubles that are
neither large nor small the marks."""


def print_variant(sql: str, source: t.DataType) -> str:
    """SQL of a value of a type as a variant."""
    if not _is_printed(source):
        return f"wa_variant({sql}, {quoted(packed(source))})"
    if len(sql) >= TOO_LONG or isinstance(source, t.MapType):  # a map is checked each time it is made
        return once(sql, "w", f"CASE WHEN w IS NOT NULL THEN {{'variant': {_text('w', source, 0)}}} END")
    return f"CASE WHEN {sql} IS NOT NULL THEN {{'variant': {_text(sql, source, 0)}}} END"


def _is_printed(kind: t.DataType) -> bool:
    """Whether SQL makes the text: not of what has a name twice."""
    match kind:
        case t.ArrayType(element) | t.MapType(_, element):
            return _is_printed(element)
        case t.StructType():
            names = {f.name.lower() for f in kind}
            return 0 < len(names) == len(kind) and all(_is_printed(f.dataType) for f in kind)
    return True


def _text(sql: str, kind: t.DataType, depth: int) -> str:
    """SQL of the text that carries a value, `null` of null."""
    match kind:
        case t.StructType():
            fields = [f"'{_key(f.name)}:' || {_text(_field(sql, f.name), f.dataType, depth)}" for f in kind]
            return f"CASE WHEN {sql} IS NULL THEN 'null' ELSE '{{' || {_COMMA.join(fields)} || '}}' END"
        case t.ArrayType(element):
            items = f"list_transform({sql}, lambda w{depth}: {_text(f'w{depth}', element, depth + 1)})"
            return f"CASE WHEN {sql} IS NULL THEN 'null' ELSE '[' || array_to_string({items}, ',') || ']' END"
        case t.MapType(_, value):
            pair = f"CAST(to_json(w{depth}.key) AS VARCHAR) || ':' || {_text(f'w{depth}.value', value, depth + 1)}"
            pairs = f"list_transform(map_entries({sql}), lambda w{depth}: {pair})"
            whole = f"'{{' || array_to_string({pairs}, ',') || '}}'"
            return f"CASE WHEN {sql} IS NULL THEN 'null' ELSE {whole} END"
        case t.NullType():
            return "'null'"
        case t.VariantType():
            exact = f"struct_extract(wa_variant({sql}, {quoted(packed(kind))}), 'variant')"
            text = once(f"struct_extract({sql}, 'variant')", f"v{depth}", _IN_ORDER.format(f"v{depth}", exact))
        case t.DecimalType():
            text = f"'\"\\u0001n' || {decimal_text(sql, kind)} || '\"'"
        case _:
            text = _LEAVES[type(kind)].replace("{}", sql)
    return f"coalesce({text}, 'null')"


def _field(sql: str, name: str) -> str:
    return f"struct_extract({sql}, {quoted(name)})"


def _key(name: str) -> str:
    return json.dumps(name, ensure_ascii=False).replace("'", "''")


_IN_ORDER = (
    r"CASE WHEN regexp_matches({0}, '\\u00(?:[^0]|0[^1])|[\x{{E000}}-\x{{FFFF}}]') THEN {1} "
    "ELSE CAST(json_normalize({0}) AS VARCHAR) END"
)
"""SQL of the carried text {0} with fields in the order of their names, or else {1}."""
_COMMA = " || ',' || "
_LEAVES: dict[type[t.DataType], str] = {
    **dict.fromkeys((t.BooleanType, t.ByteType, t.ShortType, t.IntegerType, t.LongType), "CAST({} AS VARCHAR)"),
    t.FloatType: "'\"\\u0001f' || CAST({} AS VARCHAR) || '\"'",
    t.DoubleType: "'\"\\u0001d' || CAST({} AS VARCHAR) || '\"'",
    t.StringType: "CAST(to_json(CASE WHEN starts_with({}, chr(1)) THEN chr(1) || 's' || {} ELSE {} END) AS VARCHAR)",
    t.BinaryType: "'\"\\u0001B' || hex({}) || '\"'",
    t.DateType: "'\"\\u0001D' || ({} - DATE '1970-01-01') || '\"'",
    t.TimestampType: "'\"\\u0001T' || epoch_us({}) || '\"'",
    t.TimestampNTZType: "'\"\\u0001N' || epoch_us({}) || '\"'",
}
"""SQL of the carried text of what is not null."""


def packed(kind: t.DataType) -> str:
    return json.dumps(kind.jsonValue(), separators=(",", ":"), ensure_ascii=False)


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _print_cast(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    zone, safe = call.args[1:]
    assert isinstance(zone, Const) and isinstance(safe, Const)
    return print_get(args[0], "'$'", call.type, safe.value, zone.value, steps=())


def _nested(name: str, _: Binding, args: Args) -> Args:
    kind = args[0].type
    if not isinstance(kind, t.StructType | t.ArrayType | t.MapType) or not to_variant(kind, nested=True):
        raise _no_cast(f"{name}({describe(args[0])})", kind, _VARIANT)
    return args


def _no_cast(shown: str, source: t.DataType, to: t.DataType) -> PlanError:
    return PlanError(
        f'Cannot resolve "{shown}" due to data type mismatch: cannot cast "{source.sql()}" to "{to.sql()}". Go through '
        "a type both know.",
        code="DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
    )


def _bind_explode(_: Binding, args: Args) -> Apply:
    """`inline` of the parts."""
    if len(args) != 1:
        raise wrong_count("variant_explode", "1", len(args))
    if VARIANT.accept(args[0].type) is None:
        raise wrong_type("variant_explode", 0, "VARIANT", args[0])
    rows = Apply(_PARTS, True, "variant parts", args)
    return Apply(_PARTS, False, "inline", (rows,))


_PARTS = t.ArrayType(
    t.StructType(
        [
            t.StructField("pos", t.IntegerType(), False),
            t.StructField("key", _TEXT, True),
            t.StructField("value", _VARIANT, False),
        ]
    ),
    False,
)

_SCHEMA = "wa_variant_schema(struct_extract({0}, 'variant'))"

FUNCTIONS: tuple[Function, ...] = (
    scalar("parse_json", (_ONLY_TEXT,), _VARIANT, _print_parsing, prepare=_parsing),
    scalar("try_parse_json", (_ONLY_TEXT,), _VARIANT, _print_parsing, prepare=_parsing, nullable=True),
    *(
        scalar(name, (VARIANT, _ONLY_TEXT, ANY), lambda args: args[2].type, _print_getting, optional=1,
               prepare=_getting, nullable=True)
        for name in ("variant_get", "try_variant_get")
    ),
    scalar("is_variant_null", (VARIANT,), _BOOLEAN,
           "coalesce(struct_extract({0}, 'variant') = 'null', false)", nullable=False),
    scalar("is_valid_variant", (VARIANT,), _BOOLEAN, "CASE WHEN {0} IS NOT NULL THEN true END"),
    scalar("schema_of_variant", (VARIANT,), _TEXT, "wa_variant_schema_shown(struct_extract({0}, 'variant'))"),
    aggregate("schema_of_variant_agg", (VARIANT,), _TEXT, f"wa_variant_schemas(list({_SCHEMA}){{f}})",
              "wa_variant_schemas([{a}, {b}])", "wa_variant_schema_text({s})", nullable=False),
    scalar("to_variant_object", (ANY,), _VARIANT,
           lambda call, args: print_variant(args[0], call.args[0].type), prepare=_nested),
    scalar("variant cast", (VARIANT, only(t.StringType, wants="STRING"), ANY), _TEXT, _print_cast),
    scalar("variant parts", (VARIANT,), _PARTS, "wa_variant_parts(struct_extract({0}, 'variant'))"),
    Function("variant_explode", "generator", _bind_explode, lambda call, args: args[0],
             aliases=("variant_explode_outer",), params=("input",)),
)  # fmt: skip
