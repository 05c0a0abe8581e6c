"""Arrays in order: `sort_array`, `array_sort` with a comparator, `array_max` and `array_min` of any values that have an
order."""

from __future__ import annotations

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, LambdaFn, OuterRef, Printed, Ref, Subquery, Typed
from app.plan.functions.entry import Binding, Function, ParamTypes
from app.plan.functions.ordering import is_complex, order_key
from app.plan.functions.signature import (
    ARRAY,
    BOOLEAN,
    Args,
    check_orderable,
    literal_value,
    once,
    scalar,
    type_of,
    wrong_count,
    wrong_type,
)
from app.plan.rewrite import walk

_GIVEN = (Ref, OuterRef, Subquery, Printed)
"""What is not known before rows come, nor inside of a lambda: the rest Spark computes by other code."""


def _element(args: Args) -> t.DataType:
    kind = args[0].type
    return kind.elementType if isinstance(kind, t.ArrayType) else t.NullType()


def _sortable(name: str, binding: Binding, args: Args) -> Args:
    if len(args) > 1:
        literal_value(name, 1, args[1])
    return (*check_orderable(name, binding, args[:1]), *args[1:])


def _print_sort(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    if call.function == "array_sort":
        return _sorted(call, args[0], "'ASC', 'NULLS LAST'")
    ascending = call.args[1] if len(call.args) > 1 else Const(t.BooleanType(), False, True)
    assert isinstance(ascending, Const)
    if not ascending.value:
        return _sorted(call, args[0], "'DESC', 'NULLS LAST'")
    return _sorted(call, args[0], "'ASC', 'NULLS FIRST'", _by_bits(call.args[0]))


def _by_bits(array: Typed) -> bool:
    """Whether Spark's compiled code leaves the array to Java's sort of primitive floats, which puts -0.0 before 0.0."""
    kind = array.type
    if not isinstance(kind, t.ArrayType) or kind.containsNull:
        return False
    floats = isinstance(kind.elementType, t.FloatType | t.DoubleType)
    return floats and any(isinstance(part, _GIVEN) for part in walk(array))


def _sorted(call: Apply | AggCall, array: str, order: str, by_bits: bool = False) -> str:
    """Values that are no key of their own are sorted beside one, and null stays null; equal ones that can be told apart
    stay in their order, but for zeros `by_bits`. DuckDB's sort keeps no order."""
    at = "-i" if order.startswith("'DESC'") else "i"
    if isinstance(_element(call.args), t.FloatType | t.DoubleType):
        place = "NOT signbit(v)" if by_bits else at
        keyed = f"list_transform(l, lambda v, i: CASE WHEN v IS NOT NULL THEN {{'v': v, 'i': {place}}} END)"
        found = f"list_transform(list_sort({keyed}, {order}), lambda v: struct_extract(v, 'v'))"
        return once(array, "l", f"CASE WHEN list_contains(l, 0) THEN {found} ELSE list_sort(l, {order}) END")
    if not is_complex(_element(call.args)):
        return f"list_sort({array}, {order})"
    return f"list_transform(list_sort({_keyed(call, array, at)}, {order}), lambda v: struct_extract(v, 'v'))"


def _keyed(call: Apply | AggCall, array: str, at: str) -> str:
    """Values beside what they are sorted by."""
    key = order_key("v", _element(call.args), 1)
    return f"list_transform({array}, lambda v, i: CASE WHEN v IS NOT NULL THEN {{'k': {key}, 'i': {at}, 'v': v}} END)"


def _print_extreme(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    sql = "list_max" if call.function == "array_max" else "list_min"
    element = _element(call.args)
    if isinstance(element, t.FloatType | t.DoubleType):
        return f"wt_first_of_equals({args[0]}, {sql}({args[0]}))"
    if not is_complex(element):
        return f"{sql}({args[0]})"
    order = "'DESC', 'NULLS LAST'" if call.function == "array_max" else "'ASC', 'NULLS LAST'"
    return f"list_extract({_sorted(call, args[0], order)}, 1)"


_PLAIN = scalar("array_sort", (ARRAY,), type_of(0), _print_sort, prepare=_sortable)


def _bind(binding: Binding, args: Args) -> Apply:
    if len(args) == 2 and isinstance(args[1], LambdaFn):
        _check_comparator(args)
        return Apply(args[0].type, args[0].nullable, "array_sort", args)
    if len(args) != 1:
        raise wrong_count("array_sort", "[1, 2]", len(args))
    bound = _PLAIN.bind(binding, args)
    assert isinstance(bound, Apply)
    return bound


def _check_comparator(args: Args) -> None:
    if not isinstance(args[0].type, t.ArrayType):
        raise wrong_type("array_sort", 0, "ARRAY", args[0])
    if not isinstance(args[1].type, t.IntegerType):
        raise PlanError(
            'Cannot resolve "array_sort" due to data type mismatch: The comparator requires return "INT" type, but the '
            f'actual is "{args[1].type.sql()}" type. Give -1, 0 or 1.',
            code="DATATYPE_MISMATCH.UNEXPECTED_RETURN_TYPE",
        )


def _params(args: tuple[Typed, ...], counts: tuple[int, ...]) -> tuple[ParamTypes, ...]:
    if not args or not isinstance(args[0].type, t.ArrayType):
        raise wrong_type("array_sort", 0, "ARRAY", args[0]) if args else wrong_count("array_sort", "[1, 2]", 0)
    kind = args[0].type
    return (((kind.elementType, kind.containsNull), (kind.elementType, kind.containsNull)),)


def _print(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    if len(args) == 1:
        return _print_sort(call, args)
    fn = call.args[1]
    assert isinstance(fn, LambdaFn)
    head, _, body = args[1].partition(": ")
    a, b = head.removeprefix("lambda ").split(", ")
    # Each value behind those before it that it is not less than: what a stable insertion sort gives.
    nothing = "CAST(wt_fail('COMPARATOR_RETURNS_NULL', 'The comparator has returned a NULL.') AS INTEGER)"
    compare = f"lambda {a}: coalesce({body.replace(b, 'n')}, {nothing}) <= 0"
    before = f"len(list_filter(s, {compare}))"
    insert = f"list_concat(list_append(s[:{before}], n), s[{before} + 1:])"
    items = f"list_transform({args[0]}, lambda v: [v])"
    return f"CASE WHEN len({args[0]}) > 0 THEN list_reduce({items}, lambda s, w: {_opened(insert)}) ELSE {args[0]} END"


def _opened(insert: str) -> str:
    """`n` is the one value in `w`."""
    return f"list_extract(list_transform(w, lambda n: {insert}), 1)"


FUNCTIONS: tuple[Function, ...] = (
    scalar("sort_array", (ARRAY, BOOLEAN), type_of(0), _print_sort, optional=1, prepare=_sortable),
    Function("array_sort", "scalar", _bind, _print, lambda_params=_params),
    scalar("array_max", (ARRAY,), _element, _print_extreme, prepare=_sortable, nullable=True),
    scalar("array_min", (ARRAY,), _element, _print_extreme, prepare=_sortable, nullable=True),
)
