"""`hash` and `xxhash64`: Spark's own hashes of any values but maps."""

from __future__ import annotations

from app.errors import PlanError
from app.plan import types as t
from app.plan.coerce import contains
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import ANY, Args, describe, scalar, unhashable, wrong_count


def _hashable(name: str, _: Binding, args: Args) -> Args:
    if not args:
        raise wrong_count(name, "> 0", 0)
    for arg in args:
        if contains(arg.type, t.VariantType):
            raise unhashable(name, arg)
        if contains(arg.type, t.MapType):
            raise PlanError(
                f'Cannot resolve "{name}({describe(arg)})": input to the function `{name}` cannot contain elements of '
                'the "MAP" type, because equal maps may have different hash codes. Hash map_entries(…) sorted instead.',
                code="DATATYPE_MISMATCH.HASH_MAP_TYPE",
            )
    return args


FUNCTIONS: tuple[Function, ...] = (
    scalar("hash", (), t.IntegerType(), "wa_murmur3({args})", rest=ANY, prepare=_hashable, nullable=False),
    scalar("xxhash64", (), t.LongType(), "wa_xxhash64({args})", rest=ANY, prepare=_hashable, nullable=False),
)
