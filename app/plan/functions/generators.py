"""Functions that give rows: the explosion of arrays and maps. `kernel/generators.py` prints them.

The `_outer` names are the same functions; that a row without elements stays is said by the `Explode` node.
"""

from __future__ import annotations

from collections.abc import Callable

from app.plan import types as t
from app.plan.bound import Apply, Typed
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import Args, wrong_count, wrong_type

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


FUNCTIONS: tuple[Function, ...] = (
    _generator("explode", 'ARRAY" or "MAP', _is_collection, _exploded),
    _generator("posexplode", 'ARRAY" or "MAP', _is_collection, _numbered),
    _generator("inline", "ARRAY<STRUCT>", _is_struct_list, _inlined),
)
