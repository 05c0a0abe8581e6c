"""HyperLogLog sketches: how many distinct values there are, in bytes that can be kept and united.

A stream unites the sketches of its epochs. While a sketch is small its estimate is the same however the rows were cut;
beyond that a sketch of one pass is estimated more closely than a union, by DataSketches here and in Spark.
"""

from __future__ import annotations

from importlib.util import find_spec

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Const
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import Args, Param, scalar
from app.plan.functions.signature_aggregate import aggregate

_BINARY = t.BinaryType()
_COUNTED = Param(
    '("INT" or "BIGINT" or "STRING" or "BINARY")',
    lambda s: s if isinstance(s, (t.IntegerType, t.LongType, t.StringType, t.BinaryType, t.NullType)) else None,
)
_SKETCH = Param("BINARY", lambda s: _BINARY if isinstance(s, (t.BinaryType, t.NullType)) else None)
_LG_K = Param("INT", lambda s: s if isinstance(s, (t.IntegerType, t.NullType)) else None)
_ALLOWED = Param("BOOLEAN", lambda s: t.BooleanType() if isinstance(s, (t.BooleanType, t.NullType)) else None)


def check_library(name: str) -> None:
    """Raises: PlanError where the library that computes sketches is not installed."""
    if find_spec("datasketches") is None:
        raise PlanError(
            f"`{name}` needs the Python package datasketches, which is not installed: there is none for this version "
            "of Python yet. Use Python 3.11 to 3.13, or approx_count_distinct().",
            code="UNSUPPORTED_FEATURE",
            function=name,
        )


def _sketch_args(name: str, _: Binding, args: Args) -> Args:
    check_library(name)
    if len(args) == 1:
        return (args[0], Const(t.IntegerType(), False, 12))
    if not isinstance(args[1], Const):
        raise PlanError(
            f"Invalid call to `{name}`; the `K` value must be a constant value, but got a non-constant expression.",
            code="HLL_K_MUST_BE_CONSTANT",
        )
    lg_k = args[1].value or 0
    if not 4 <= lg_k <= 21:
        raise PlanError(
            f"Invalid call to `{name}`; the `lgConfigK` value must be between 4 and 21, inclusive: {lg_k}.",
            code="HLL_INVALID_LG_K",
        )
    return args


def _union_args(name: str, _: Binding, args: Args) -> Args:
    """With the flag, false where it was not given."""
    check_library(name)
    needed = 1 if name == "hll_union_agg" else 2
    return args if len(args) > needed else (*args, Const(t.BooleanType(), False, False))


def _estimate_args(name: str, _: Binding, args: Args) -> Args:
    check_library(name)
    return args


def _union_states(call: AggCall, a: str, b: str) -> str:
    """A state is null before it saw a sketch; the older one says how wide the union may be."""
    allowed = call.args[1]
    assert isinstance(allowed, Const)
    return f"wa_hll_union_of(list_filter([{a}, {b}], lambda s: s IS NOT NULL), {bool(allowed.value)})"


FUNCTIONS: tuple[Function, ...] = (
    aggregate(
        "hll_sketch_agg",
        (_COUNTED, _LG_K),
        _BINARY,
        "wa_hll_sketch(list({d}{0}) FILTER (WHERE {0} IS NOT NULL{af}), {1})",
        "wa_hll_merged({a}, {b})",
        optional=1,
        prepare=_sketch_args,
        nullable=False,
    ),
    aggregate(
        "hll_union_agg",
        (_SKETCH, _ALLOWED),
        _BINARY,
        "wa_hll_union_of(list({d}{0}) FILTER (WHERE {0} IS NOT NULL{af}), {1})",
        _union_states,
        "coalesce({s}, wa_hll_sketch(NULL, 12))",
        optional=1,
        prepare=_union_args,
        nullable=False,
    ),
    scalar(
        "hll_union",
        (_SKETCH, _SKETCH, _ALLOWED),
        _BINARY,
        "wa_hll_union({0}, {1}, {2})",
        optional=1,
        prepare=_union_args,
    ),
    scalar(
        "hll_sketch_estimate",
        (_SKETCH,),
        t.LongType(),
        "wa_hll_estimate({0})",
        prepare=_estimate_args,
    ),
)
