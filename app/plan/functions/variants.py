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
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import ANY, Args, Param, describe, only, scalar, wrong_count, wrong_type
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
    return f"wa_parse_json({args[0]}, {str(call.function == 'try_parse_json').lower()}, {args[1]})"


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
    if not isinstance(arg, Const) or not isinstance(arg.value, str):
        raise PlanError(
            f'The input schema "{describe(arg)}" is not a valid schema string. The input expression must be string '
            "literal and not null.",
            code="INVALID_SCHEMA.NON_STRING_LITERAL",
        )
    try:
        schema = parse_schema(f"x {arg.value}")
    except ParseError as error:
        try:  # the columns of a struct
            return parse_schema(arg.value)
        except ParseError:
            raise error from None
    return schema.fields[0].dataType if len(schema) == 1 else parse_schema(arg.value)


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
    zone = call.args[3]
    assert isinstance(zone, Const)
    return print_get(args[0], args[1], call.type, call.function == "try_variant_get", zone.value, call.function)


def print_get(sql: str, path: str, to: t.DataType, safe: bool, time_zone: str, name: str = "variant_get") -> str:
    """SQL of what stands at a path (SQL too) in a variant, as a type."""
    function = f"wa_variant_get__{duckdb_type(to).encode().hex()}"
    rest = f"{quoted(packed(to))}, {quoted(time_zone)}, {str(safe).lower()}, '{name}'"
    return f"{function}({sql}, {path}, {rest})"


def print_variant(sql: str, source: t.DataType) -> str:
    """SQL of a value of a type as a variant."""
    return f"wa_variant({sql}, {quoted(packed(source))})"


def packed(kind: t.DataType) -> str:
    return json.dumps(kind.jsonValue(), separators=(",", ":"), ensure_ascii=False)


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _print_cast(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    zone, safe = call.args[1:]
    assert isinstance(zone, Const) and isinstance(safe, Const)
    return print_get(args[0], "'$'", call.type, safe.value, zone.value)


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

FUNCTIONS: tuple[Function, ...] = (
    scalar("parse_json", (_ONLY_TEXT,), _VARIANT, _print_parsing, prepare=_parsing),
    scalar("try_parse_json", (_ONLY_TEXT,), _VARIANT, _print_parsing, prepare=_parsing, nullable=True),
    *(
        scalar(name, (VARIANT, _ONLY_TEXT, ANY), lambda args: args[2].type, _print_getting, optional=1,
               prepare=_getting, nullable=True)
        for name in ("variant_get", "try_variant_get")
    ),
    scalar("is_variant_null", (VARIANT,), _BOOLEAN,
           "coalesce(struct_extract({0}, 'value') = '\\x00'::BLOB, false)", nullable=False),
    scalar("is_valid_variant", (VARIANT,), _BOOLEAN, "wa_variant_valid({0})"),
    scalar("schema_of_variant", (VARIANT,), _TEXT, "wa_variant_schema_text(wa_variant_schema({0}))"),
    aggregate("schema_of_variant_agg", (VARIANT,), _TEXT, "wa_variant_schemas(list(wa_variant_schema({0})){f})",
              "wa_variant_schemas([{a}, {b}])", "wa_variant_schema_text({s})", nullable=False),
    scalar("to_variant_object", (ANY,), _VARIANT,
           lambda call, args: print_variant(args[0], call.args[0].type), prepare=_nested),
    scalar("variant cast", (VARIANT, only(t.StringType, wants="STRING"), ANY), _TEXT, _print_cast),
    scalar("variant parts", (VARIANT,), _PARTS, "wa_variant_parts({0})"),
    Function("variant_explode", "generator", _bind_explode, lambda call, args: args[0],
             aliases=("variant_explode_outer",), params=("input",)),
)  # fmt: skip
