"""Functions on arrays. Elements compare as in `<=>` where Spark does; positions count from 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Ref, Typed
from app.plan.coerce import cast, common_type, least_common_type, same_type
from app.plan.functions.entry import Binding, Function
from app.plan.functions.known_items import item_nullable
from app.plan.functions.signature import (
    ANY,
    ARRAY,
    INT,
    STRING,
    Args,
    Param,
    check_orderable,
    only,
    scalar,
    type_of,
    unified,
    unsupported,
    wrong_type,
)
from app.plan.keys import key_of
from app.plan.structs import struct_of

_INT = t.IntegerType()
_BOOL = t.BooleanType()
_STRING = t.StringType()
_TEXTS = Param("ARRAY<STRING>", lambda s: _of_texts(s))
_PLAIN_NUMBERS = (t.IntegralType, t.FloatType, t.DoubleType)
_POSITION = Param("INT", lambda s: _INT if isinstance(s, t.ByteType | t.ShortType | t.IntegerType) else None)
_COLLECTION = only(t.ArrayType, t.MapType, wants='ARRAY" or "MAP')


def _of_texts(source: t.DataType) -> t.DataType | None:
    array = ARRAY.accept(source)
    return t.ArrayType(_STRING, array.containsNull) if isinstance(array, t.ArrayType) else None


def _element(args: Args, at: int = 0) -> t.DataType:
    kind = args[at].type
    return kind.elementType if isinstance(kind, t.ArrayType) else t.NullType()


def _with_element(name: str, binding: Binding, args: Args) -> Args:
    """An array and a value, brought to one element type."""
    if isinstance(args[1].type, t.NullType) and name == "array_contains":
        raise PlanError(
            f"Cannot resolve `{name}`: null typed values cannot be used as arguments of it. Give the null a type.",
            code="DATATYPE_MISMATCH.NULL_TYPE",
        )
    array = args[0]
    kind = least_common_type(_element(args), args[1].type, texts=False)
    if kind is None:
        raise _not_alike(name, array, args[1])
    if name in ("array_contains", "array_position", "array_remove"):
        check_orderable(name, binding, args)
    contains_null = not isinstance(array.type, t.ArrayType) or array.type.containsNull
    return (cast(array, t.ArrayType(kind, contains_null)), cast(args[1], kind), *args[2:])


def _not_alike(name: str, array: Typed, value: Typed) -> PlanError:
    return PlanError(
        f'Cannot resolve `{name}` due to data type mismatch: Input to it should have been "ARRAY" followed by a '
        f'value with same element type, but it is ["{array.type.sql()}", "{value.type.sql()}"]. Cast the value.',
        code="DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES",
    )


def _two_arrays(name: str, binding: Binding, args: Args) -> Args:
    for i, arg in enumerate(args):
        if not isinstance(arg.type, t.ArrayType):
            raise wrong_type(name, i, "ARRAY", arg)
    kind = common_type((arg.type for arg in args), texts=False)
    if kind is None:
        kinds = " and ".join(f'"{arg.type.sql()}"' for arg in args)
        raise PlanError(
            f"Cannot resolve `{name}` due to data type mismatch: it takes two arrays of the same element type, not "
            f"{kinds}. Cast one of them.",
            code="DATATYPE_MISMATCH.BINARY_ARRAY_DIFF_TYPES",
        )
    element = kind.elementType if isinstance(kind, t.ArrayType) else t.NullType()
    return check_orderable(name, binding, tuple(cast(arg, t.ArrayType(element, _with_nulls(arg))) for arg in args))


def _with_nulls(array: Typed) -> bool:
    return isinstance(array.type, t.ArrayType) and array.type.containsNull


def _array_args(name: str, binding: Binding, args: Args) -> Args:
    return unified()(name, binding, args)


def _array_type(args: Args) -> t.DataType:
    if not args:
        return t.ArrayType(t.NullType(), False)
    return t.ArrayType(args[0].type, any(arg.nullable for arg in args))


def _widened(args: Args) -> t.DataType:
    """The type of an array that one more value joins: Spark always says that it may hold nulls."""
    return t.ArrayType(_element(args))


def _inserted(name: str, binding: Binding, args: Args) -> Args:
    if not isinstance(args[0].type, t.ArrayType):
        raise _not_alike(name, args[0], args[2])
    element = _element(args)
    plain = isinstance(element, _PLAIN_NUMBERS) and isinstance(args[2].type, _PLAIN_NUMBERS)
    if not (
        plain
        or isinstance(args[2].type, t.NullType)
        or isinstance(element, t.NullType)
        or same_type(element, args[2].type)
    ):
        raise _not_alike(name, args[0], args[2])
    array, value = _with_element(name, binding, (args[0], args[2]))
    return (array, args[1], value)


def _element_type(args: Args) -> t.DataType:
    return _element(args)


def _contains_null(args: Args) -> bool:
    return any(arg.nullable for arg in args) or _with_nulls(args[0])


def _print_join(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    join = "wt_join"
    if isinstance(call.args[1], Const) and call.args[1].value is not None:
        join = "wt_join_by" if len(args) == 2 else "array_to_string"
    if len(args) == 2:
        return f"{join}({args[0]}, {args[1]})"
    sql = f"{join}(list_transform({args[0]}, lambda v: coalesce(v, {args[2]})), {args[1]})"
    return f"CASE WHEN {args[2]} IS NOT NULL THEN {sql} END" if call.args[2].nullable else sql


def _of_set(sql: str) -> Callable[[Apply | AggCall, tuple[str, ...]], str]:
    """The printer of a set; Spark makes both zeros one, the positive."""

    def print_set(call: Apply | AggCall, args: tuple[str, ...]) -> str:
        return key_of(sql.format(*args), call.type)

    return print_set


def _print_size(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    sql = "cardinality" if isinstance(call.args[0].type, t.MapType) else "len"
    return f"CAST({sql}({args[0]}) AS INTEGER)"


def _print_reverse(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    if isinstance(call.type, t.ArrayType):
        return f"list_reverse({args[0]})"
    if isinstance(call.type, t.BinaryType):
        return f"wt_reverse_bytes({args[0]})"
    return f"wt_reverse({args[0]})"


def _reversed(source: t.DataType) -> t.DataType | None:
    if isinstance(source, t.ArrayType | t.BinaryType):
        return source
    return _STRING if isinstance(source, t.AtomicType | t.NullType) else None


def _zip_names(args: Args) -> list[str]:
    return [arg.name if isinstance(arg, Ref) else str(i) for i, arg in enumerate(args)]


def _zip_type(args: Args) -> t.DataType:
    fields = [t.StructField(name, _element(args, i), True) for i, name in enumerate(_zip_names(args))]
    return t.ArrayType(t.StructType(fields), False)


def _print_zip(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    longest = f"greatest({', '.join(f'len({arg})' for arg in args)})"
    zipped = struct_of(_zip_names(call.args), [f"list_extract({arg}, i)" for arg in args])
    absent = " OR ".join(f"{arg} IS NULL" for arg in args)
    return f"CASE WHEN {absent} THEN NULL ELSE list_transform(range(1, {longest} + 1), lambda i: {zipped}) END"


def _nested(name: str, _: Binding, args: Args) -> Args:
    kind = args[0].type
    if isinstance(kind, t.ArrayType) and isinstance(kind.elementType, t.ArrayType):
        return args
    raise wrong_type(name, 0, "ARRAY of ARRAY", args[0])


def _flat_type(args: Args) -> t.DataType:
    inner = _element(args)
    assert isinstance(inner, t.ArrayType)
    return inner


def _sequence(name: str, _: Binding, args: Args) -> Args:
    start, stop = args[0], args[1]
    kind = least_common_type(start.type, stop.type)
    if isinstance(kind, t.IntegralType):
        kind = common_type(arg.type for arg in args)
        if isinstance(kind, t.IntegralType):
            return tuple(cast(arg, kind) for arg in args)
    elif isinstance(kind, t.DateType | t.TimestampType | t.TimestampNTZType) and (
        len(args) == 2 or isinstance(args[2].type, t.DayTimeIntervalType | t.YearMonthIntervalType)
    ):
        return (cast(start, kind), cast(stop, kind), *args[2:])
    if len(args) > 2 and isinstance(args[2].type, t.CalendarIntervalType):
        raise unsupported(name, "a calendar interval as step; give one of months, or one of days and less")
    raise PlanError(
        f"Cannot resolve `{name}` due to data type mismatch: it takes whole numbers, or dates or timestamps with an "
        f"interval as step, not ({', '.join(arg.type.sql() for arg in args)}). Cast them.",
        code="DATATYPE_MISMATCH.SEQUENCE_WRONG_INPUT_TYPES",
    )


def _print_sequence(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    start, stop = args[0], args[1]
    kind = call.args[0].type
    if isinstance(kind, t.IntegralType):
        step = args[2] if len(args) > 2 else f"CASE WHEN {start} <= {stop} THEN 1 ELSE -1 END"
        name = {"byte": "TINYINT", "short": "SMALLINT", "integer": "INTEGER"}.get(kind.typeName(), "BIGINT")
        return f"CAST(wt_sequence({start}, {stop}, {step}) AS {name}[])"
    name = {"date": "DATE", "timestamp": "TIMESTAMPTZ"}.get(kind.typeName(), "TIMESTAMP")
    if len(args) == 2:
        step = f"CASE WHEN {start} <= {stop} THEN to_days(1) ELSE to_days(-1) END"
        return f"CAST(generate_series({start}, {stop}, {step}) AS {name}[])"
    if isinstance(call.args[2].type, t.YearMonthIntervalType):
        return f"CAST(wt_month_sequence({start}, {stop}, {args[2]}) AS {name}[])"
    days = "true" if isinstance(kind, t.DateType) else "false"
    return f"CAST(wt_span_sequence({start}, {stop}, {args[2]}, {days}) AS {name}[])"


def _repeat_type(args: Args) -> t.DataType:
    return t.ArrayType(args[0].type, args[0].nullable)


def _nulls_of(some: Callable[[Iterable[bool]], bool]) -> Callable[[Args], t.DataType]:
    """The type of a set in which nulls may be if they may in `some` (any, all) of two arrays."""
    return lambda args: t.ArrayType(_element(args), some(map(_with_nulls, args)))


def _either_null(args: tuple[Typed, ...]) -> bool:
    return any(arg.nullable for arg in args)


FUNCTIONS: tuple[Function, ...] = (
    scalar("array", (), _array_type, "[{args}]", rest=ANY, prepare=_array_args, nullable=False),
    scalar("size", (_COLLECTION,), _INT, _print_size, aliases=("cardinality",)),
    scalar("array_size", (ARRAY,), _INT, _print_size),
    scalar("array_contains", (ARRAY, ANY), _BOOL, "wt_array_contains({0}, {1})", prepare=_with_element,
           nullable=_contains_null),
    scalar("array_position", (ARRAY, ANY), t.LongType(),
           "CASE WHEN {1} IS NOT NULL AND {0} IS NOT NULL "
           "THEN CAST(coalesce(list_position({0}, {1}), 0) AS BIGINT) END", prepare=_with_element),
    scalar("array_remove", (ARRAY, ANY), type_of(0),
           "CASE WHEN {1} IS NOT NULL THEN list_filter({0}, lambda v: v IS DISTINCT FROM {1}) END",
           prepare=_with_element),
    scalar("array_append", (ARRAY, ANY), _widened, "({0} || [{1}])", prepare=_with_element,
           nullable=lambda args: args[0].nullable),
    scalar("array_prepend", (ARRAY, ANY), _widened, "([{1}] || {0})", prepare=_with_element,
           nullable=lambda args: args[0].nullable),
    scalar("array_compact", (ARRAY,), lambda args: t.ArrayType(_element(args), False),
           "list_filter({0}, lambda v: v IS NOT NULL)"),
    scalar("array_repeat", (ANY, INT), _repeat_type, "list_transform(range(wt_count({1})), lambda v: {0})",
           nullable=lambda args: args[1].nullable),
    scalar("array_insert", (ANY, _POSITION, ANY), _widened, "wt_array_insert({0}, {1}, {2})", prepare=_inserted,
           nullable=lambda args: args[0].nullable or args[1].nullable),
    scalar("array_distinct", (ARRAY,), type_of(0), _of_set("wt_array_distinct({0})"), prepare=check_orderable),
    scalar("array_union", (ANY, ANY), _nulls_of(any), _of_set("wt_array_distinct({0} || {1})"), prepare=_two_arrays),
    scalar("array_intersect", (ANY, ANY), _nulls_of(all), _of_set("wt_array_intersect({0}, {1})"), prepare=_two_arrays),
    scalar("array_except", (ANY, ANY), type_of(0), _of_set("wt_array_except({0}, {1})"), prepare=_two_arrays),
    scalar("arrays_overlap", (ANY, ANY), _BOOL, "wt_arrays_overlap({0}, {1})", prepare=_two_arrays,
           nullable=lambda args: any(arg.nullable or _with_nulls(arg) for arg in args)),
    scalar("arrays_zip", (), _zip_type, _print_zip, rest=ARRAY, nullable=_either_null),
    scalar("array_join", (_TEXTS, STRING, STRING), _STRING, _print_join, optional=1),
    scalar("slice", (ARRAY, INT, INT), type_of(0), "wt_slice({0}, {1}, {2})"),
    scalar("flatten", (ARRAY,), _flat_type,
           "CASE WHEN NOT list_contains(list_transform({0}, lambda v: v IS NULL), true) THEN flatten({0}) END",
           prepare=_nested, nullable=_contains_null),
    scalar("sequence", (ANY, ANY, ANY), lambda args: t.ArrayType(args[0].type, False), _print_sequence, optional=1,
           prepare=_sequence),
    scalar("reverse", (Param('STRING" or "ARRAY', _reversed),), type_of(0), _print_reverse),
    scalar("get", (ARRAY, INT), _element_type, "CASE WHEN {1} >= 0 THEN list_extract({0}, CAST({1} AS BIGINT) + 1) END",
           nullable=item_nullable),
)  # fmt: skip
