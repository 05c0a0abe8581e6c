"""Functions that take functions: `transform(a, x -> x + 1)` and its like.

DuckDB's list functions take lambdas of elements. Where Spark's lambda sees something else (an index from 0, the two
halves of a map entry, elements of two arrays), its parameters are replaced in the printed body.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, LambdaFn, Typed
from app.plan.coerce import cast, least_common_type, same_type
from app.plan.functions.entry import Binding, Function, ParamTypes
from app.plan.functions.signature import Args, Result, wrong_count, wrong_type

_INT = t.IntegerType()
_BOOL = t.BooleanType()
_ELEMENT = "CAST({} - 1 AS INTEGER)"
Lambdas = Callable[[tuple[Typed, ...], tuple[int, ...]], tuple[ParamTypes, ...]]


def _array(name: str, args: Args, at: int = 0) -> t.ArrayType:
    kind = args[at].type if len(args) > at else None
    if isinstance(kind, t.ArrayType):
        return kind
    raise wrong_type(name, at, "ARRAY", args[at]) if len(args) > at else wrong_count(name, "2", len(args))


def _map(name: str, args: Args) -> t.MapType:
    kind = args[0].type if args else None
    if isinstance(kind, t.MapType):
        return kind
    raise wrong_type(name, 0, "MAP", args[0]) if args else wrong_count(name, "2", 0)


def _print_lambda(lambda_sql: str, names: tuple[str, ...], values: tuple[str, ...]) -> str:
    """The body of a printed lambda with its parameters replaced."""
    body = lambda_sql.partition(": ")[2]
    for name, value in zip(names, values, strict=True):
        body = body.replace(_quoted(name), value)
    return body


def _quoted(name: str) -> str:
    return '"p_' + name.replace('"', '""') + '"'


def _lambda(arg: Typed) -> LambdaFn:
    assert isinstance(arg, LambdaFn)
    return arg


def _check(name: str, args: Args, plain: int, lambdas: int) -> None:
    expected = plain + lambdas
    if len(args) != expected:
        raise wrong_count(name, str(expected), len(args))
    for i, arg in enumerate(args):
        if isinstance(arg, LambdaFn) != (i >= plain):
            raise wrong_type(name, i, "LAMBDA" if i >= plain else "ANY", arg)


def _predicate(name: str, arg: Typed) -> Typed:
    fn = _lambda(arg)
    if isinstance(fn.type, t.NullType):
        return replace(fn, type=_BOOL, body=cast(fn.body, _BOOL))
    if not isinstance(fn.type, t.BooleanType):
        raise wrong_type(name, 1, "BOOLEAN", fn)
    return fn


def _over_elements(name: str, result: Result, sql: Callable[[str, str], str], *, predicate: bool) -> Function:
    """A function of an array and a lambda of (element) or (element, index)."""

    def params(args: tuple[Typed, ...], counts: tuple[int, ...]) -> tuple[ParamTypes, ...]:
        kind = _array(name, args)
        most = 1 if name in ("exists", "forall") else 2
        return (((kind.elementType, kind.containsNull), (_INT, False))[: max(1, min(counts[0], most))],)

    def bind(_: Binding, args: Args) -> Apply:
        _check(name, args, 1, 1)
        kept = (args[0], _predicate(name, args[1])) if predicate else args
        kind = result(kept) if callable(result) else result
        may_be_null = args[0].nullable or (kind == _BOOL and args[1].nullable)
        return Apply(kind, may_be_null, name, kept)

    def show(call: Apply | AggCall, args: tuple[str, ...]) -> str:
        fn = _lambda(call.args[1])
        if len(fn.params) == 1:
            return sql(args[0], args[1])
        index = _quoted(fn.params[1])
        head, _, _ = args[1].partition(": ")
        body = _print_lambda(args[1], fn.params[1:], (_ELEMENT.format(index),))
        return sql(args[0], f"{head}: {body}")

    return Function(name, "scalar", bind, show, lambda_params=params)


def _transformed(args: Args) -> t.DataType:
    return t.ArrayType(args[1].type, args[1].nullable)


def _bind_aggregate(_: Binding, args: Args) -> Apply:
    if len(args) not in (3, 4):
        raise wrong_count("aggregate", "[3, 4]", len(args))
    _check("aggregate", args, 2, len(args) - 2)
    zero, merge = args[1], _lambda(args[2])
    if not same_type(merge.type, zero.type):
        raise PlanError(
            f'Cannot resolve "aggregate" due to data type mismatch: the merge function gives "{merge.type.sql()}", '
            f'but the start value is "{zero.type.sql()}". Cast the start value.',
            code="DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
        )
    return Apply(args[-1].type, True, "aggregate", args)


def _aggregate_params(args: tuple[Typed, ...], counts: tuple[int, ...]) -> tuple[ParamTypes, ...]:
    element = _array("aggregate", args)
    if len(args) < 2:
        raise wrong_count("aggregate", "[3, 4]", len(args) + len(counts))
    merge: ParamTypes = ((args[1].type, True), (element.elementType, element.containsNull))
    finish: ParamTypes = ((args[1].type, True),)
    return (merge, finish)[: len(counts)]


def _print_aggregate(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    reduced = f"list_reduce({args[0]}, {args[2]}, {args[1]})"
    if len(args) == 3:
        return reduced
    return f"list_extract(list_transform([{reduced}], {args[3]}), 1)"


def _bind_zip_with(_: Binding, args: Args) -> Apply:
    _check("zip_with", args, 2, 1)
    nullable = args[0].nullable or args[1].nullable
    return Apply(t.ArrayType(args[2].type, args[2].nullable), nullable, "zip_with", args)


def _zip_params(args: tuple[Typed, ...], counts: tuple[int, ...]) -> tuple[ParamTypes, ...]:
    a, b = _array("zip_with", args), _array("zip_with", args, 1)
    return (((a.elementType, True), (b.elementType, True)),)


def _print_zip_with(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    a, b, fn = args[0], args[1], _lambda(call.args[2])
    index = _quoted(f"{fn.params[0]}_at")
    body = _print_lambda(args[2], fn.params, (f"list_extract({a}, {index})", f"list_extract({b}, {index})"))
    over = f"list_transform(range(1, greatest(len({a}), len({b})) + 1), lambda {index}: {body})"
    return f"CASE WHEN {a} IS NOT NULL AND {b} IS NOT NULL THEN {over} END"


def _bind_map_zip(_: Binding, args: Args) -> Apply:
    _check("map_zip_with", args, 2, 1)
    a, b, key = _zipped_maps(args)
    same_keys = (cast(args[0], t.MapType(key, a.valueType, a.valueContainsNull)),
                 cast(args[1], t.MapType(key, b.valueType, b.valueContainsNull)))  # fmt: skip
    kind = t.MapType(key, args[2].type, args[2].nullable)
    return Apply(kind, args[0].nullable or args[1].nullable, "map_zip_with", (*same_keys, args[2]))


def _zipped_maps(args: tuple[Typed, ...]) -> tuple[t.MapType, t.MapType, t.DataType]:
    """The types of both maps, and that of the keys of their union. Raises: PlanError."""
    for at, arg in enumerate(args[:2]):
        if not isinstance(arg.type, t.MapType):
            raise wrong_type("map_zip_with", at, "MAP", arg)
    a, b = args[0].type, args[1].type
    assert isinstance(a, t.MapType) and isinstance(b, t.MapType)
    key = least_common_type(a.keyType, b.keyType)
    if key is None or isinstance(a.keyType, t.StringType) != isinstance(b.keyType, t.StringType):
        raise PlanError(
            f'Cannot resolve "map_zip_with" due to data type mismatch: Input to it should have been two maps with '
            f'compatible key types, but they are ["{a.keyType.sql()}", "{b.keyType.sql()}"]. Cast one.',
            code="DATATYPE_MISMATCH.MAP_ZIP_WITH_DIFF_TYPES",
        )
    return a, b, key


def _map_zip_params(args: tuple[Typed, ...], counts: tuple[int, ...]) -> tuple[ParamTypes, ...]:
    if len(args) != 2:
        raise wrong_count("map_zip_with", "3", len(args) + len(counts))
    a, b, key = _zipped_maps(args)
    return (((key, False), (a.valueType, True), (b.valueType, True)),)


def _print_map_zip(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    a, b, fn = args[0], args[1], _lambda(call.args[2])
    key = _quoted(f"{fn.params[0]}_key")
    values = tuple(f"map_extract_value({m}, {key})" for m in (a, b))
    body = _print_lambda(args[2], fn.params, (key, *values))
    keys = f"wt_array_distinct(map_keys({a}) || map_keys({b}))"
    both = f"{a} IS NOT NULL AND {b} IS NOT NULL"
    return f"CASE WHEN {both} THEN map({keys}, list_transform({keys}, lambda {key}: {body})) END"


def _over_entries(name: str, result: Result, entry: Callable[[str, str, str], str], *, predicate: bool) -> Function:
    """A function of a map and a lambda of (key, value); `entry(map, row, body)` prints the new map."""

    def params(args: tuple[Typed, ...], counts: tuple[int, ...]) -> tuple[ParamTypes, ...]:
        kind = _map(name, args)
        return (((kind.keyType, False), (kind.valueType, kind.valueContainsNull)),)

    def bind(_: Binding, args: Args) -> Apply:
        _check(name, args, 1, 1)
        kept = (args[0], _predicate(name, args[1])) if predicate else args
        kind = result(kept) if callable(result) else result
        return Apply(kind, args[0].nullable, name, kept)

    def show(call: Apply | AggCall, args: tuple[str, ...]) -> str:
        fn = _lambda(call.args[1])
        row = _quoted(f"{fn.params[0]}_entry")
        body = _print_lambda(args[1], fn.params, (f"{row}.key", f"{row}.value"))
        return entry(args[0], row, body)

    return Function(name, "scalar", bind, show, lambda_params=params)


def _values_type(args: Args) -> t.DataType:
    kind = _map("transform_values", args)
    return t.MapType(kind.keyType, args[1].type, args[1].nullable)


def _keys_type(args: Args) -> t.DataType:
    kind = _map("transform_keys", args)
    return t.MapType(args[1].type, kind.valueType, kind.valueContainsNull)


def _map_type(args: Args) -> t.DataType:
    return args[0].type


def _new_values(source: str, row: str, body: str) -> str:
    return f"map(map_keys({source}), list_transform(map_entries({source}), lambda {row}: {body}))"


def _new_keys(source: str, row: str, body: str) -> str:
    return f"wt_map(list_transform(map_entries({source}), lambda {row}: {body}), map_values({source}))"


def _fewer(source: str, row: str, body: str) -> str:
    return f"map_from_entries(list_filter(map_entries({source}), lambda {row}: {body}))"


def _same(args: Args) -> t.DataType:
    return args[0].type


FUNCTIONS: tuple[Function, ...] = (
    _over_elements("transform", _transformed, "list_transform({}, {})".format, predicate=False),
    _over_elements("filter", _same, "list_filter({}, {})".format, predicate=True),
    _over_elements("exists", _BOOL, "wt_any(list_transform({}, {}))".format, predicate=True),
    _over_elements("forall", _BOOL, "wt_all(list_transform({}, {}))".format, predicate=True),
    Function("aggregate", "scalar", _bind_aggregate, _print_aggregate, ("reduce",), lambda_params=_aggregate_params),
    Function("zip_with", "scalar", _bind_zip_with, _print_zip_with, lambda_params=_zip_params),
    Function("map_zip_with", "scalar", _bind_map_zip, _print_map_zip, lambda_params=_map_zip_params),
    _over_entries("transform_values", _values_type, _new_values, predicate=False),
    _over_entries("transform_keys", _keys_type, _new_keys, predicate=False),
    _over_entries("map_filter", _map_type, _fewer, predicate=True),
)
