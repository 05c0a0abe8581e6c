"""Functions on maps and structs, and `element_at`, which takes an array too."""

from __future__ import annotations

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Ref, Typed
from app.plan.coerce import cast, common_type, contains, least_common_type
from app.plan.functions.backtracking import to_python
from app.plan.functions.entry import Binding, Function
from app.plan.functions.java_regex import literal_text
from app.plan.functions.known_items import item_nullable
from app.plan.functions.signature import (
    ANY,
    ARRAY,
    MAP,
    STRING,
    Args,
    different_types,
    literal_value,
    scalar,
    wrong_count,
    wrong_type,
)
from app.plan.keys import key_of
from app.plan.structs import field_of, struct_of

_BOOL = t.BooleanType()
_STRING = t.StringType()


def _map(args: Args) -> t.MapType:
    kind = args[0].type
    return kind if isinstance(kind, t.MapType) else t.MapType(t.NullType(), t.NullType())


def _pairs(name: str, _: Binding, args: Args) -> Args:
    if len(args) % 2:
        raise wrong_count(name, "2n (n > 0)", len(args))
    keys, values = common_type(a.type for a in args[::2]), common_type(a.type for a in args[1::2])
    if keys is None:
        raise different_types(name, args[::2])
    if values is None:
        raise different_types(name, args[1::2])
    if contains(keys, t.MapType) or contains(keys, t.VariantType):
        raise PlanError(
            f'The key of a map cannot be or contain "{keys.sql()}". Use a text of it.',
            code="DATATYPE_MISMATCH.INVALID_MAP_KEY_TYPE",
        )
    return tuple(cast(arg, values if i % 2 else keys) for i, arg in enumerate(args))


def _pairs_type(args: Args) -> t.DataType:
    if not args:
        return t.MapType(t.NullType(), t.NullType(), False)
    return t.MapType(args[0].type, args[1].type, any(arg.nullable for arg in args[1::2]))


def _key(sql: str, kind: t.DataType) -> str:
    """SQL of a key as Spark puts it into a map: 0.0 for -0.0, but not inside of arrays and structs."""
    return key_of(sql, kind) if isinstance(kind, t.FractionalType) else sql


def _print_map(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    keys = (_key(sql, arg.type) for sql, arg in zip(args[::2], call.args[::2], strict=True))
    return f"wt_map([{', '.join(keys)}], [{', '.join(args[1::2])}])"


def _arrays_type(args: Args) -> t.DataType:
    keys, values = args[0].type, args[1].type
    assert isinstance(keys, t.ArrayType) and isinstance(values, t.ArrayType)
    return t.MapType(keys.elementType, values.elementType, values.containsNull)


def _entries(name: str, _: Binding, args: Args) -> Args:
    kind = args[0].type
    if isinstance(kind, t.ArrayType) and isinstance(kind.elementType, t.StructType) and len(kind.elementType) == 2:
        return args
    raise wrong_type(name, 0, "ARRAY of pair STRUCT", args[0])


def _entry_fields(args: Args) -> tuple[t.StructField, t.StructField]:
    kind = args[0].type
    assert isinstance(kind, t.ArrayType) and isinstance(kind.elementType, t.StructType)
    return kind.elementType.fields[0], kind.elementType.fields[1]


def _from_entries_nullable(args: Args) -> bool:
    """A null entry makes a null map."""
    kind = args[0].type
    return args[0].nullable or (isinstance(kind, t.ArrayType) and kind.containsNull)


def _from_entries_type(args: Args) -> t.DataType:
    key, value = _entry_fields(args)
    return t.MapType(key.dataType, value.dataType, value.nullable)


def _print_from_entries(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    key, _ = _entry_fields(call.args)
    fields = (_key(field_of("v", 0), key.dataType), field_of("v", 1))
    lists = [f"list_transform({args[0]}, lambda v: {field})" for field in fields]
    absent = f"list_contains(list_transform({args[0]}, lambda v: v IS NULL), true)"
    return f"CASE WHEN NOT {absent} THEN wt_map({lists[0]}, {lists[1]}) END"


def _entries_type(args: Args) -> t.DataType:
    kind = _map(args)
    fields = [
        t.StructField("key", kind.keyType, False),
        t.StructField("value", kind.valueType, kind.valueContainsNull),
    ]
    return t.ArrayType(t.StructType(fields), False)


def _same_maps(name: str, _: Binding, args: Args) -> Args:
    kind = common_type(arg.type for arg in args)
    if not args:
        return args
    if not isinstance(kind, t.MapType):
        raise different_types(name, args)
    return tuple(cast(arg, kind) for arg in args)


def _concat_type(args: Args) -> t.DataType:
    return args[0].type if args else t.MapType(_STRING, _STRING, False)


def _print_map_concat(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    if not args:
        return "CAST(MAP {} AS MAP(VARCHAR, VARCHAR))"
    assert isinstance(call.type, t.MapType)
    keys = " || ".join(f"map_keys({arg})" for arg in args)
    if (key := _key("v", call.type.keyType)) != "v":
        keys = f"list_transform({keys}, lambda v: {key})"
    values = " || ".join(f"map_values({arg})" for arg in args)
    return f"wt_map({keys}, {values})"


def _with_key(name: str, _: Binding, args: Args) -> Args:
    kind = _map(args)
    if isinstance(args[1].type, t.NullType) and name != "map_contains_key":
        return (args[0], cast(args[1], kind.keyType))
    if isinstance(args[1].type, t.NullType):
        raise PlanError(
            f"Cannot resolve `{name}`: null typed values cannot be used as arguments of it. Give the null a type.",
            code="DATATYPE_MISMATCH.NULL_TYPE",
        )
    key = least_common_type(kind.keyType, args[1].type, texts=False)
    if key is None:
        raise PlanError(
            f'Cannot resolve `{name}` due to data type mismatch: Input to it should have been "MAP" followed by a '
            f'value with same key type, but it is ["{args[0].type.sql()}", "{args[1].type.sql()}"]. Cast the value.',
            code="DATATYPE_MISMATCH.MAP_FUNCTION_DIFF_TYPES",
        )
    return (cast(args[0], t.MapType(key, kind.valueType, kind.valueContainsNull)), cast(args[1], key))


def _at(name: str, binding: Binding, args: Args) -> Args:
    match args[0].type:
        case t.ArrayType():
            if not isinstance(args[1].type, t.IntegralType):
                raise wrong_type(name, 1, "INT", args[1])
            return (args[0], cast(args[1], t.IntegerType()))
        case t.MapType():
            return _with_key(name, binding, args)
    raise wrong_type(name, 0, 'ARRAY" or "MAP', args[0])


def _at_type(args: Args) -> t.DataType:
    kind = args[0].type
    return kind.elementType if isinstance(kind, t.ArrayType) else _map(args).valueType


def _print_at(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    if isinstance(call.args[0].type, t.MapType):
        return f"map_extract_value({args[0]}, {args[1]})"
    macro = "wt_element_at" if call.function == "element_at" else "wt_try_element_at"
    return f"{macro}({args[0]}, {args[1]})"


def _named(name: str, _: Binding, args: Args) -> Args:
    if not args or len(args) % 2:
        raise wrong_count(name, "2n (n > 0)", len(args))
    for i, arg in enumerate(args[::2]):
        if not isinstance(literal_value(name, 2 * i, arg), str):
            raise wrong_type(name, 2 * i, "STRING", arg)
    return args


def _struct_type(args: Args) -> t.DataType:
    names = [arg.value for arg in args[::2] if isinstance(arg, Const)]
    pairs = zip(names, args[1::2], strict=True)
    return t.StructType([t.StructField(str(n), v.type, v.nullable) for n, v in pairs])


def _print_struct(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    assert isinstance(call.type, t.StructType)
    return struct_of(call.type.names, args[1::2])


def _bind_struct(binding: Binding, args: Args) -> Apply:
    """`struct(a, b)` is `named_struct` with the names of its columns; other values are called col1, col2, …."""
    named: list[Typed] = []
    for i, arg in enumerate(args, 1):
        named += [Const(_STRING, False, arg.name if isinstance(arg, Ref) else f"col{i}"), arg]
    kept = _named("struct", binding, tuple(named))
    return Apply(_struct_type(kept), False, "named_struct", kept)


def _delimiters(name: str, _: Binding, args: Args) -> Args:
    """The text with both delimiters, plain ones or, one of them being a pattern, both for Python's engine."""
    given = [*args, *(Const(_STRING, False, d) for d in (",", ":")[len(args) - 1 :])]
    texts = [literal_value(name, at, arg) for at, arg in enumerate(given[1:], 1)]
    plain = [literal_text(text) if isinstance(text, str) else None for text in texts]
    if all(plain):
        return (given[0], *(Const(_STRING, False, text) for text in plain))
    patterns = [to_python(name, text) if isinstance(text, str) else None for text in texts]
    return (given[0], *(Const(_STRING, text is None, text) for text in patterns), Const(_BOOL, False, True))


def _print_str_to_map(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    return f"wt_str_to_map{'_by' if len(args) > 3 else ''}({', '.join(args[:3])})"


FUNCTIONS: tuple[Function, ...] = (
    scalar("map", (), _pairs_type, _print_map, rest=ANY, prepare=_pairs, nullable=False, aliases=("create_map",)),
    scalar("map_keys", (MAP,), lambda args: t.ArrayType(_map(args).keyType), "map_keys({0})"),
    scalar("map_values", (MAP,), lambda args: t.ArrayType(_map(args).valueType), "map_values({0})"),
    scalar("map_entries", (MAP,), _entries_type, "map_entries({0})"),
    scalar("map_from_arrays", (ARRAY, ARRAY), _arrays_type, "wt_map_from_arrays({0}, {1})"),
    scalar("map_from_entries", (ARRAY,), _from_entries_type, _print_from_entries, prepare=_entries,
           nullable=_from_entries_nullable),
    scalar("map_concat", (), _concat_type, _print_map_concat, rest=MAP, prepare=_same_maps),
    scalar("map_contains_key", (MAP, ANY), _BOOL, "wt_array_contains(map_keys({0}), {1})", prepare=_with_key,
           nullable=True),
    scalar("element_at", (ANY, ANY), _at_type, _print_at, prepare=_at, nullable=lambda args: item_nullable(args, 1)),
    scalar("try_element_at", (ANY, ANY), _at_type, _print_at, prepare=_at,
           nullable=lambda args: item_nullable(args, 1)),
    scalar("named_struct", (), _struct_type, _print_struct, rest=ANY, prepare=_named, nullable=False),
    Function("struct", "scalar", _bind_struct, _print_struct),
    scalar("str_to_map", (STRING, STRING, STRING), t.MapType(_STRING, _STRING, True),
           _print_str_to_map, optional=2, prepare=_delimiters),
)  # fmt: skip
