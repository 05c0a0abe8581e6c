"""Structs with a field set anew, added or dropped: what `Column.withField` and `dropFields` make."""

from __future__ import annotations

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Typed
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import Args, describe, wrong_count, wrong_type

_STRING, _BOOL = t.StringType(), t.BooleanType()


def _set(binding: Binding, args: Args) -> Apply:
    """Raises: PlanError where the first argument is no struct."""
    if len(args) != 3:
        raise wrong_count("update_fields", "3", len(args))
    struct, name, value = args
    pairs = _fields("update_fields", struct)
    at = [i for i, (field, _) in enumerate(pairs) if _same(binding, field, name)]
    for i in at:
        pairs[i] = (name, value)
    return _made(struct, pairs if at else [*pairs, (name, value)])


def _drop(binding: Binding, args: Args) -> Apply:
    """Raises: PlanError where the first argument is no struct, or nothing would be left."""
    if len(args) != 2:
        raise wrong_count("update_fields", "2", len(args))
    struct, name = args
    kept = [(field, value) for field, value in _fields("update_fields", struct) if not _same(binding, field, name)]
    if not kept:
        raise PlanError(
            f'Cannot resolve "update_fields({describe(struct)}, dropfield())" due to data type mismatch: Cannot drop '
            "all fields in struct. Leave one, or drop the column.",
            code="DATATYPE_MISMATCH.CANNOT_DROP_ALL_FIELDS",
        )
    return _made(struct, kept)


def _fields(name: str, struct: Typed) -> list[tuple[Typed, Typed]]:
    """The names and values of a struct's fields."""
    if not isinstance(struct.type, t.StructType):
        raise wrong_type(name, 0, "STRUCT", struct)
    names = [Const(_STRING, False, f.name) for f in struct.type]
    fields = zip(names, struct.type, strict=True)
    return [(n, Apply(f.dataType, struct.nullable or f.nullable, "getfield", (struct, n))) for n, f in fields]


def _same(binding: Binding, field: Typed, name: Typed) -> bool:
    assert isinstance(field, Const)
    assert isinstance(name, Const)
    if binding.conf.get("spark.sql.caseSensitive", "false").lower() == "true":
        return bool(field.value == name.value)
    return bool(field.value.lower() == name.value.lower())


def _made(struct: Typed, pairs: list[tuple[Typed, Typed]]) -> Apply:
    assert isinstance(struct.type, t.StructType)
    known = {f.name: f.nullable for f in struct.type}
    kind = t.StructType(
        [
            t.StructField(n.value, v.type, known[n.value] if _is_field(v, struct) else v.nullable)
            for n, v in pairs
            if isinstance(n, Const)
        ]
    )
    made = Apply(kind, False, "named_struct", tuple(part for pair in pairs for part in pair))
    if not struct.nullable:
        return made
    missing = Apply(_BOOL, False, "isnull", (struct,))
    return Apply(kind, True, "if", (missing, Const(kind, True, None), made))


def _is_field(value: Typed, struct: Typed) -> bool:
    return isinstance(value, Apply) and value.function == "getfield" and value.args[0] is struct


def _never(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    raise AssertionError("it is bound as other functions")


FUNCTIONS: tuple[Function, ...] = (
    Function("update field", "scalar", _set, _never),
    Function("drop field", "scalar", _drop, _never),
)
