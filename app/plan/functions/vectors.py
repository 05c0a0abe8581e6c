"""Vectors as arrays of floats: products, distances, norms, sums and means."""

from __future__ import annotations

from app.plan import types as t
from app.plan.bound import Const
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import Args, Param, scalar
from app.plan.functions.signature_aggregate import aggregate

_FLOAT = t.FloatType()
_VECTOR = Param(
    "ARRAY<FLOAT>", lambda s: s if isinstance(s, t.ArrayType) and isinstance(s.elementType, t.FloatType) else None
)
_DEGREE = Param("FLOAT", lambda s: s if isinstance(s, t.FloatType) else None)


def _pair(name: str) -> Function:
    sql = f"wa_{name}({{0}}, {{1}})"
    return scalar(name, (_VECTOR, _VECTOR), _FLOAT, sql, nullable=True)


def _degree(name: str, _: Binding, args: Args) -> Args:
    return args if len(args) == 2 else (*args, Const(_FLOAT, False, 2.0))


def _running(name: str) -> Function:
    """Sums and means run from vector to vector in single precision; their states merge as Spark's do."""
    merged = f"wa_{name}_merged({{a}}, {{b}})"
    return aggregate(
        name,
        (_VECTOR,),
        t.ArrayType(_FLOAT, False),
        f"wa_{name}(list({{d}}{{0}}) FILTER (WHERE {{0}} IS NOT NULL{{af}}))",
        f"CASE WHEN {{a}} IS NULL THEN {{b}} WHEN {{b}} IS NULL THEN {{a}} ELSE {merged} END",
        "struct_extract({s}, 'v')",
    )


FUNCTIONS: tuple[Function, ...] = (
    _running("vector_sum"),
    _running("vector_avg"),
    _pair("vector_inner_product"),
    _pair("vector_cosine_similarity"),
    _pair("vector_l2_distance"),
    scalar(
        "vector_norm",
        (_VECTOR, _DEGREE),
        _FLOAT,
        "wa_vector_norm({0}, {1})",
        optional=1,
        prepare=_degree,
        nullable=True,
    ),
    scalar(
        "vector_normalize",
        (_VECTOR, _DEGREE),
        t.ArrayType(_FLOAT),
        "wa_vector_normalize({0}, {1})",
        optional=1,
        prepare=_degree,
        nullable=True,
    ),
)
