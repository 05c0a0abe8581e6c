"""`hash` and `xxhash64`: Spark's own hashes of any values but maps."""

from __future__ import annotations

from collections.abc import Callable

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply
from app.plan.coerce import contains
from app.plan.functions.calendar_intervals import refuse_as_key
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import ANY, Args, describe, scalar, unhashable, wrong_count
from app.plan.structs import field_of, struct_of


def _hashable(name: str, _: Binding, args: Args) -> Args:
    if not args:
        raise wrong_count(name, "> 0", 0)
    # Spark's compiled code forgets the days of a calendar interval, its interpreted code does not.
    refuse_as_key(f"`{name}`", (arg.type for arg in args))
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


def _printer(name: str) -> Callable[[Apply | AggCall, tuple[str, ...]], str]:
    def show(call: Apply | AggCall, args: tuple[str, ...]) -> str:
        keys = (_hashed(sql, arg.type, 0) for sql, arg in zip(args, call.args, strict=True))
        return f"{name}({', '.join(keys)})"

    return show


def _hashed(sql: str, kind: t.DataType, depth: int) -> str:
    """SQL of what is hashed of a value: of a time of day its nanoseconds."""
    v = f"h{depth}"
    match kind:
        case t.TimeType():
            return f"(epoch_us({sql}) * 1000)"
        case t.ArrayType(element) if _hashed(v, element, depth + 1) != v:
            return f"list_transform({sql}, lambda {v}: {_hashed(v, element, depth + 1)})"
        case t.StructType() if len(kind):
            fields = [field_of(sql, at) for at in range(len(kind))]
            keys = [_hashed(field, f.dataType, depth) for field, f in zip(fields, kind, strict=True)]
            if keys != fields:
                return f"CASE WHEN {sql} IS NOT NULL THEN {struct_of(kind.names, keys)} END"
    return sql


FUNCTIONS: tuple[Function, ...] = (
    scalar("hash", (), t.IntegerType(), _printer("wa_murmur3"), rest=ANY, prepare=_hashable, nullable=False),
    scalar("xxhash64", (), t.LongType(), _printer("wa_xxhash64"), rest=ANY, prepare=_hashable, nullable=False),
)
