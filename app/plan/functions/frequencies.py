"""Aggregates over how often each value comes: the most frequent ones, and about how many there are."""

from __future__ import annotations

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Const, Typed
from app.plan.coerce import contains
from app.plan.functions.entry import FILTER_HERE, Binding, Function
from app.plan.functions.ordering import is_complex, order_key
from app.plan.functions.signature import (
    ANY,
    BOOLEAN,
    DOUBLE,
    INT,
    Args,
    literal_value,
    type_of,
    unhashable,
    unsupported,
)
from app.plan.functions.signature_aggregate import aggregate
from app.plan.keys import key_of

_COUNTED = "list_sort(map_entries(histogram({d}{0}){f}))"
_LEAST_ERROR = 0.033
"""The relative standard deviation of DuckDB's estimate, which has 1,024 registers."""


def _flag(name: str, _: Binding, args: Args) -> Args:
    """`mode(x, true)` asks for the least of several; that is what is given anyway."""
    if len(args) == 2 and not isinstance(args[1], Const):
        raise PlanError(
            f"The function `{name}` requires the parameter `deterministic` to be a foldable expression of the type "
            '"BOOLEAN", but the actual argument is a non-foldable.',
            code="NON_FOLDABLE_ARGUMENT",
        )
    if len(args) == 2 and isinstance(args[1], Const) and args[1].value is None:
        raise PlanError(
            f"The `deterministic` of `{name}` must not be null. Write true or false.",
            code="DATATYPE_MISMATCH.UNEXPECTED_NULL",
        )
    return args


def _partial_mode(call: AggCall, args: tuple[str, ...]) -> str:
    """How often each value comes, sorted by value; arrays and structs stand behind what orders them."""
    kind = call.args[0].type
    item = key_of(args[0], kind)
    if is_complex(kind):
        item = f"CASE WHEN {item} IS NOT NULL THEN struct_pack(o := {order_key(item, kind)}, v := {item}) END"
    return _COUNTED.format(item, d="DISTINCT " if call.distinct else "", f=FILTER_HERE)


def _finish_mode(call: AggCall, state: str) -> str:
    greatest = bool(call.orders) and not call.orders[0].ascending
    most = f"wt_most(list_reverse({state}))" if greatest else f"wt_most({state})"
    return f"struct_extract({most}, 'v')" if is_complex(call.args[0].type) else most


def _top_type(args: Args) -> t.DataType:
    item = t.StructField("item", args[0].type, True)
    return t.ArrayType(t.StructType([item, t.StructField("count", t.LongType(), False)]), False)


def _top_args(name: str, _: Binding, args: Args) -> Args:
    if isinstance(args[0].type, (t.BinaryType, t.ArrayType, t.MapType, t.StructType, t.VariantType, t.TimeType)):
        raise PlanError(
            f'Cannot resolve "{name}": {args[0].type.typeName()} columns are not supported. Count a text of it.',
            code="DATATYPE_MISMATCH.TYPE_CHECK_FAILURE_WITH_HINT",
        )
    k, tracked = (_positive(name, what, arg) for what, arg in zip(("k", "maxItemsTracked"), _filled(args), strict=True))
    if tracked < k:
        raise PlanError(
            f"The max items tracked `maxItemsTracked`({tracked}) of `{name}` should be greater than or equal to "
            f"`k`({k}). Ask for fewer.",
            code="APPROX_TOP_K_MAX_ITEMS_TRACKED_LESS_THAN_K",
        )
    return (args[0], Const(t.IntegerType(), False, k))


def _filled(args: Args) -> tuple[Typed, Typed]:
    integer = t.IntegerType()
    k = args[1] if len(args) > 1 else Const(integer, False, 5)
    return k, args[2] if len(args) > 2 else Const(integer, False, 10_000)


def _positive(name: str, what: str, arg: Typed) -> int:
    if not isinstance(arg, Const):
        raise PlanError(
            f'Cannot resolve "{name}": {what} must be a constant literal.',
            code="DATATYPE_MISMATCH.TYPE_CHECK_FAILURE_WITH_HINT",
        )
    if arg.value is None:
        raise PlanError(f"The `{what}` of `{name}` must not be null. Write a number.", code="APPROX_TOP_K_NULL_ARG")
    if arg.value <= 0:
        raise PlanError(
            f"The value of `{what}` in `{name}` must be a positive integer, but got {arg.value}.",
            code="APPROX_TOP_K_NON_POSITIVE_ARG",
        )
    return int(arg.value)


def _signed(call: AggCall) -> bool:
    """Whether -0.0 and 0.0 are two items, as in Spark."""
    return isinstance(call.args[0].type, t.FloatType | t.DoubleType)


def _partial_top(call: AggCall, args: tuple[str, ...]) -> str:
    item = f"CASE WHEN {args[0]} IS NOT NULL THEN struct_pack(v := {args[0]}, s := NOT signbit({args[0]})) END"
    counts = _COUNTED.format(item if _signed(call) else args[0], d="DISTINCT " if call.distinct else "", f=FILTER_HERE)
    return f"struct_pack(c := {counts}, n := count(CASE WHEN {args[0]} IS NULL THEN 1 END){FILTER_HERE})"


def _merge_top(_: AggCall, a: str, b: str) -> str:
    counts = f"wt_merged_counts(struct_extract({a}, 'c'), struct_extract({b}, 'c'))"
    return f"struct_pack(c := {counts}, n := struct_extract({a}, 'n') + struct_extract({b}, 'n'))"


def _finish_top(call: AggCall, state: str) -> str:
    k = call.args[1]
    assert isinstance(k, Const)
    counts = f"coalesce(struct_extract({state}, 'c'), [])"
    if _signed(call):
        counts = f"list_transform({counts}, lambda e: struct_pack(key := e.key.v, value := e.value))"
    return f"wt_top_counts({counts}, struct_extract({state}, 'n'), {k.value})"


def _error_allowed(name: str, _: Binding, args: Args) -> Args:
    if contains(args[0].type, t.VariantType):
        raise unhashable(name, args[0])
    if len(args) == 2:
        wanted = literal_value(name, 1, args[1])
        if not isinstance(wanted, float) or wanted < _LEAST_ERROR:
            raise unsupported(name, f"an error below {_LEAST_ERROR}; use count(DISTINCT …)")
    return args[:1]


FUNCTIONS: tuple[Function, ...] = (
    aggregate(
        "mode",
        (ANY, BOOLEAN),
        type_of(0),
        _partial_mode,
        "wt_merged_counts({a}, {b})",
        _finish_mode,
        optional=1,
        prepare=_flag,
        within_group="optional",
    ),
    aggregate(
        "approx_top_k",
        (ANY, INT, INT),
        _top_type,
        _partial_top,
        _merge_top,
        _finish_top,
        optional=2,
        prepare=_top_args,
        nullable=False,
    ),
    aggregate(
        "approx_count_distinct",
        (ANY, DOUBLE),
        t.LongType(),
        "approx_count_distinct({0}){f}",
        None,
        exported=True,
        optional=1,
        prepare=_error_allowed,
        nullable=False,
    ),
)
