"""Functions that give rows: the explosion of arrays and maps. `kernel/generators.py` prints them.

The `_outer` names are the same functions; that a row without elements stays is said by the `Explode` node.
"""

from __future__ import annotations

from collections.abc import Callable

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import Apply, Const, Typed
from app.plan.coerce import cast
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import Args, literal_value, wrong_count, wrong_type

Fields = tuple[t.StructField, ...]


def _element_fields(kind: t.DataType) -> Fields:
    if isinstance(kind, t.MapType):
        return (
            t.StructField("key", kind.keyType, False),
            t.StructField("value", kind.valueType, kind.valueContainsNull),
        )
    assert isinstance(kind, t.ArrayType)
    return (t.StructField("col", kind.elementType, kind.containsNull),)


def _exploded(call: Apply) -> Fields:
    return _element_fields(call.args[0].type)


def _numbered(call: Apply) -> Fields:
    return (t.StructField("pos", t.IntegerType(), False), *_element_fields(call.args[0].type))


def _inlined(call: Apply) -> Fields:
    kind = call.args[0].type
    assert isinstance(kind, t.ArrayType) and isinstance(kind.elementType, t.StructType)
    return tuple(t.StructField(f.name, f.dataType, f.nullable or kind.containsNull) for f in kind.elementType.fields)


def _is_collection(kind: t.DataType) -> bool:
    return isinstance(kind, t.ArrayType | t.MapType)


def _is_struct_list(kind: t.DataType) -> bool:
    return isinstance(kind, t.ArrayType) and isinstance(kind.elementType, t.StructType)


def _generator(
    name: str, wants: str, accepts: Callable[[t.DataType], bool], outputs: Callable[[Apply], Fields]
) -> Function:
    def bind(_: Binding, args: Args) -> Apply:
        if len(args) != 1:
            raise wrong_count(name, "1", len(args))
        arg: Typed = args[0]
        if not accepts(arg.type):
            raise wrong_type(name, 0, wants, arg)
        fields = outputs(Apply(arg.type, False, name, (arg,)))
        return Apply(t.ArrayType(t.StructType(fields), False), False, name, (arg,))

    return Function(
        name,
        "generator",
        bind,
        lambda call, args: args[0],
        aliases=(f"{name}_outer",),
        outputs=outputs,
        params=("input" if name == "inline" else "collection",),
    )


def _bind_stack(_: Binding, args: Args) -> Apply:
    """Rows of equally many values each: `inline` of an array of structs."""
    if len(args) < 2:
        raise wrong_count("stack", "> 1", len(args))
    rows = _row_count(args[0])
    values = args[1:]
    width = -(-len(values) // rows)
    kinds = [_column_type(values[at::width], at) for at in range(width)]
    struct = t.StructType([t.StructField(f"col{at}", kind, True) for at, kind in enumerate(kinds)])
    items: list[Typed] = []
    for row in range(rows):
        fields: list[Typed] = []
        for at, kind in enumerate(kinds):
            index = row * width + at
            value = cast(values[index], kind) if index < len(values) else Const(kind, True, None)
            fields += [Const(t.StringType(), False, f"col{at}"), value]
        items.append(Apply(struct, False, "named_struct", tuple(fields)))
    array = Apply(t.ArrayType(struct, False), False, "array", tuple(items))
    return Apply(array.type, False, "inline", (array,))


def _row_count(arg: Typed) -> int:
    if isinstance(arg.type, t.IntegralType):
        rows = literal_value("stack", 0, arg)
        if isinstance(rows, int) and 0 < rows < 1 << 31:
            return rows
        raise PlanError(
            f"Cannot resolve stack(): the `n` must be between (0, 2147483647] (current value = {rows}).",
            code="DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
        )
    raise wrong_type("stack", 0, "INT", arg)


def _column_type(values: Args, at: int) -> t.DataType:
    """Only nulls may differ from the type of their column."""
    kinds = {value.type for value in values if not isinstance(value.type, t.NullType)}
    if len(kinds) > 1:
        raise PlanError(
            f"Cannot resolve stack(): the data type of the column ({at}) do not have the same type: "
            f"{', '.join(sorted(kind.sql() for kind in kinds))}. Cast the values.",
            code="DATATYPE_MISMATCH.STACK_COLUMN_DIFF_TYPES",
        )
    return next(iter(kinds), t.NullType())


FUNCTIONS: tuple[Function, ...] = (
    _generator("explode", 'ARRAY" or "MAP', _is_collection, _exploded),
    _generator("posexplode", 'ARRAY" or "MAP', _is_collection, _numbered),
    _generator("inline", "ARRAY<STRUCT>", _is_struct_list, _inlined),
    Function("stack", "generator", _bind_stack, lambda call, args: args[0], outputs=_inlined),
)
