"""`json_tuple`: fields of a JSON record as columns."""

from __future__ import annotations

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, LambdaFn, LambdaRef, Typed
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import STRING, Args, literal_value, once, scalar, wrong_count
from app.plan.functions.variants import quoted

_TEXT = t.StringType()


def _tuple_fields(call: Apply) -> tuple[t.StructField, ...]:
    kind = call.args[0].type
    assert isinstance(kind, t.ArrayType) and isinstance(kind.elementType, t.StructType)
    return kind.elementType.fields


def _bind_tuple(_: Binding, args: Args) -> Apply:
    """One row of the fields: `inline` of an array of one struct. Of several values of a key the last counts."""
    if len(args) < 2:
        raise wrong_count("json_tuple", "> 1", len(args))
    for i, arg in enumerate(args):
        if not isinstance(arg.type, t.StringType):
            raise PlanError(
                f"Cannot resolve json_tuple: argument {i + 1} is {arg.type.sql()}, but all must be STRING.",
                code="DATATYPE_MISMATCH.NON_STRING_TYPE",
            )
        if i:
            literal_value("json_tuple", i, arg)
    struct = t.StructType([t.StructField(f"c{i}", _TEXT, True) for i in range(len(args) - 1)])
    text = Apply(_TEXT, True, "json record", (args[0],))
    record: Typed = LambdaRef(_TEXT, True, "record") if len(args) > 2 else text
    items: list[Typed] = []
    for i, name in enumerate(args[1:]):
        items += [Const(_TEXT, False, f"c{i}"), Apply(_TEXT, True, "json record field", (record, name))]
    row = Apply(struct, False, "named_struct", tuple(items))
    kind = t.ArrayType(struct, False)
    if record is text:
        rows = Apply(kind, False, "array", (row,))
    else:
        read = Apply(t.ArrayType(_TEXT, True), False, "array", (text,))
        rows = Apply(kind, False, "transform", (read, LambdaFn(struct, False, ("record",), row)))
    return Apply(rows.type, False, "inline", (rows,))


def _print_field(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    name = call.args[1]
    assert isinstance(name, Const)
    if name.value is None:
        return "CAST(NULL AS VARCHAR)"
    if not name.value or set(name.value) & set('"\\%_'):
        return f"wa_json_last({args[0]}, {args[1]})"
    path, twice = (quoted(text.format(f'"{name.value}"')) for text in ("$.{}", "%{0}%{0}%"))
    return once(args[0], "record", f"wt_json_field(record, {path}, {args[1]}, {twice})")


FUNCTIONS: tuple[Function, ...] = (
    scalar("json record", (STRING,), _TEXT, "wt_json({0})", nullable=True),
    scalar("json record field", (STRING, STRING), _TEXT, _print_field, nullable=True),
    Function("json_tuple", "generator", _bind_tuple, lambda call, args: args[0], outputs=_tuple_fields),
)
