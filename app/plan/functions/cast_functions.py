"""`int(x)`, `string(x)`, `date(x)` and the like: casts that look like functions."""

from __future__ import annotations

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import Apply
from app.plan.coerce import cast, castable
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import Args, describe, wrong_count

_TYPES: dict[str, t.DataType] = {
    "boolean": t.BooleanType(),
    "tinyint": t.ByteType(),
    "smallint": t.ShortType(),
    "int": t.IntegerType(),
    "bigint": t.LongType(),
    "float": t.FloatType(),
    "double": t.DoubleType(),
    "decimal": t.DecimalType(10, 0),
    "string": t.StringType(),
    "binary": t.BinaryType(),
    "date": t.DateType(),
    "timestamp": t.TimestampType(),
    "time": t.TimeType(),
}


def _cast_function(name: str, kind: t.DataType) -> Function:
    def bind(_: Binding, args: Args) -> Apply:
        if len(args) != 1:
            raise wrong_count(name, "1", len(args))
        if not castable(args[0].type, kind):
            raise PlanError(
                f'Cannot resolve "{name}({describe(args[0])})" due to data type mismatch: cannot cast '
                f'"{args[0].type.sql()}" to "{kind.sql()}". Go through a type both know.',
                code="DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
            )
        child = cast(args[0], kind)
        return Apply(kind, child.nullable, name, (child,))

    return Function(name, "scalar", bind, lambda call, args: args[0])


FUNCTIONS: tuple[Function, ...] = tuple(_cast_function(name, kind) for name, kind in _TYPES.items())
