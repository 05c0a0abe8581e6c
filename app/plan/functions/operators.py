"""Operators: comparison, logic, bits, text matching, access to parts, and NULL handling."""

from __future__ import annotations

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Convert, LambdaRef, Printed, Ref, Typed
from app.plan.coerce import alike, cast, common_type, least_common_type, same_type
from app.plan.functions.entry import Binding, Function
from app.plan.functions.known_items import item_nullable
from app.plan.functions.ordering import order_key
from app.plan.functions.signature import (
    ANY,
    BOOLEAN,
    NUMERIC,
    Args,
    Param,
    check_orderable,
    describe,
    different_types,
    literal_value,
    orderable,
    scalar,
    type_of,
    unified,
    wrong_type,
)
from app.plan.structs import field_of

_BOOL = t.BooleanType()


def _compared(name: str, binding: Binding, args: Args) -> Args:
    kind = least_common_type(args[0].type, args[1].type)
    if kind is None and alike(args[0].type, args[1].type):
        kind = args[0].type
    if kind is None:
        left, right = (f'"{arg.type.sql()}"' for arg in args)
        raise PlanError(
            f'Cannot resolve "({describe(args[0])} {name} {describe(args[1])})" due to data type mismatch: the left '
            f"and right operands of the binary operator have incompatible types ({left} and {right}). "
            "Cast one of them.",
            code="DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
        )
    if not orderable(kind):
        raise PlanError(
            f'Cannot resolve "({describe(args[0])} {name} {describe(args[1])})" due to data type mismatch: the '
            f'operator does not support ordering on type "{kind.sql()}". Compare its keys or values.',
            code="DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
        )
    return tuple(cast(arg, kind) for arg in args)


def _comparison(name: str, sql: str, *aliases: str, nullable: bool | None = None) -> Function:
    def show(call: Apply | AggCall, args: tuple[str, ...]) -> str:
        left, right = args
        if name in ("<", "<=", ">", ">="):
            left, right = (order_key(arg, call.args[0].type) for arg in args)
        return f"({left} {sql} {right})"

    return scalar(name, (ANY, ANY), _BOOL, show, prepare=_compared, aliases=aliases, nullable=nullable)


def _in(name: str, binding: Binding, args: Args) -> Args:
    kind = common_type(arg.type for arg in args)
    if kind is None and all(alike(args[0].type, arg.type) for arg in args):
        kind = args[0].type
    if kind is None:
        raise different_types(name, args)
    return check_orderable(name, binding, tuple(cast(arg, kind) for arg in args))


def _print_between(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    value, low, high = (order_key(arg, call.args[0].type) for arg in args)
    return f"({value} BETWEEN {low} AND {high})"


def _print_in(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    return f"({args[0]} IN ({', '.join(args[1:])}))" if len(args) > 1 else "false"  # of no values, even null is not one


_NEVER_FAIL = {
    "==", "!=", "<", "<=", ">", ">=", "<=>", "isnull", "isnotnull", "and", "or", "not", "in", "like",
    "between", "isnan", "contains", "startswith", "endswith", "upper", "lower", "length", "trim",
}  # fmt: skip
_WIDENING = (t.ByteType, t.ShortType, t.IntegerType, t.LongType, t.FloatType, t.DoubleType)


def _may_fail(typed: Typed) -> bool:
    match typed:
        case Ref() | Const() | LambdaRef() | Printed():
            return False  # a subquery is computed before rows are looked at, on Spark too
        case Convert(child=child, type=kind) if isinstance(kind, _WIDENING) and isinstance(child.type, _WIDENING):
            return _WIDENING.index(type(kind)) < _WIDENING.index(type(child.type)) or _may_fail(child)
        case Apply(function=name, args=args):
            return name not in _NEVER_FAIL or any(map(_may_fail, args))
    return True


def _chained(name: str, binding: Binding, args: Args) -> Args:
    """`(a AND b) AND c` as `a AND (b AND c)`."""
    left, right = args
    if not isinstance(left, Apply) or left.function != name:
        return args
    first, second = left.args
    rest = _chained(name, binding, (second, right))
    return (first, Apply(_BOOL, any(arg.nullable for arg in rest), name, rest))


def _print_logic(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    """The right side is computed only where the left one does not decide, if it might fail: DuckDB computes both."""
    symbol, decided = ("AND", "false") if call.function == "and" else ("OR", "true")
    both = f"({args[0]} {symbol} {args[1]})"
    if not _may_fail(call.args[1]):
        return both
    decides = f"NOT {args[0]}" if call.function == "and" else args[0]
    return f"CASE WHEN {decides} THEN {decided} ELSE {both} END"


def _bits(name: str, sql: str, *aliases: str) -> Function:
    return scalar(name, (ANY, ANY), type_of(0), sql, prepare=_same_whole, aliases=aliases)


_WHOLE_OF = {t.StringType: t.LongType(), t.NullType: t.IntegerType()}
_WHOLE = Param("INTEGRAL", lambda s: s if isinstance(s, t.IntegralType) else _WHOLE_OF.get(type(s)))


def _same_whole(name: str, binding: Binding, args: Args) -> Args:
    kinds = [arg.type for arg in args]
    if not any(isinstance(kind, t.IntegralType | t.NullType) for kind in kinds) or not all(map(_may_be_whole, kinds)):
        alike = same_type(kinds[0], kinds[1])
        left, right = (f'"{kind.sql()}"' for kind in kinds)
        why = f'the operator requires the input type "INTEGRAL", not {left}' if alike else f"{left} is not {right}"
        raise PlanError(
            f'Cannot resolve "({describe(args[0])} {name} {describe(args[1])})" due to data type mismatch: {why}. Cast '
            "the operands to whole numbers.",
            code=f"DATATYPE_MISMATCH.BINARY_OP_{'WRONG' if alike else 'DIFF'}_TYPE{'' if alike else 'S'}",
        )
    whole = [cast(arg, _WHOLE_OF.get(type(arg.type), arg.type)) for arg in args]
    return unified()(name, binding, tuple(whole))


def _may_be_whole(kind: t.DataType) -> bool:
    return isinstance(kind, t.IntegralType | t.StringType | t.NullType)


def _escaped(name: str, binding: Binding, args: Args) -> Args:
    """The arguments, if a literal pattern escapes only what may be escaped. Raises: PlanError."""
    escape = str(literal_value(name, 2, args[2])) if len(args) > 2 else "\\"
    pattern = args[1].value if isinstance(args[1], Const) else None
    rest = pattern if isinstance(pattern, str) else ""
    while escape in rest:
        after = rest.partition(escape)[2]
        if after[:1] not in ("_", "%", escape):
            where = "AT_THE_END" if not after else "IN_THE_MIDDLE"
            raise PlanError(
                f"The format is invalid: {pattern!r}. The escape character is not allowed to precede {after[:1]!r} "
                f"in a pattern of {name}. Double it.",
                code=f"INVALID_FORMAT.ESC_{where}",
            )
        rest = after[1:]
    return args


def _print_like(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    operator = "ILIKE" if call.function == "ilike" else "LIKE"
    escape = args[2] if len(args) > 2 else "'\\'"
    return f"({args[0]} {operator} {args[1]} ESCAPE {escape})"


_TEXT = Param("STRING", lambda s: t.StringType() if isinstance(s, (t.AtomicType, t.NullType)) else None)
_SHIFTED = Param("INT", lambda s: s if isinstance(s, (t.IntegerType, t.LongType)) else _narrow(s))


def _narrow(source: t.DataType) -> t.DataType | None:
    return t.IntegerType() if isinstance(source, (t.ByteType, t.ShortType, t.NullType, t.StringType)) else None


def _field_name(name: str, binding: Binding, args: Args) -> Args:
    struct, wanted = args[0].type, str(literal_value(name, 1, args[1]))
    of = struct.elementType if isinstance(struct, t.ArrayType) else struct
    if not isinstance(of, t.StructType):
        raise PlanError(
            f'Cannot extract "{wanted}" from "{describe(args[0])}" of type "{struct.sql()}": it is not a struct.',
            code="INVALID_EXTRACT_BASE_FIELD_TYPE",
        )
    if len(_places(of, wanted)) != 1:
        raise PlanError(
            f"No such struct field `{wanted}` in {', '.join(f'`{n}`' for n in of.names)}.", code="FIELD_NOT_FOUND"
        )
    return args


def _place_of(args: Args) -> tuple[int, t.StructField]:
    """Where the field is in the struct, and it."""
    struct = args[0].type
    of = struct.elementType if isinstance(struct, t.ArrayType) else struct
    assert isinstance(of, t.StructType)
    (at,) = _places(of, args[1].value)  # type: ignore[attr-defined]
    return at, of.fields[at]


def _places(struct: t.StructType, wanted: str) -> list[int]:
    """Where a field of this name is; its case counts where there are several otherwise."""
    exact = [at for at, name in enumerate(struct.names) if name == wanted]
    return exact or [at for at, name in enumerate(struct.names) if name.lower() == wanted.lower()]


def _field_type(args: Args) -> t.DataType:
    _, field = _place_of(args)
    if isinstance(args[0].type, t.ArrayType):
        return t.ArrayType(field.dataType, args[0].type.containsNull or field.nullable)
    return field.dataType


def _print_field(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    at, _ = _place_of(call.args)
    if isinstance(call.args[0].type, t.ArrayType):
        return f"list_transform({args[0]}, lambda v: {field_of('v', at)})"
    return field_of(args[0], at)


def _item(name: str, binding: Binding, args: Args) -> Args:
    container, key = args
    match container.type:
        case t.ArrayType():
            if not isinstance(key.type, (t.IntegralType, t.NullType)):
                raise wrong_type(name, 1, "INTEGRAL", key)
            return (container, cast(key, t.IntegerType()) if isinstance(key.type, t.NullType) else key)
        case t.MapType(kind):
            if least_common_type(key.type, kind) != kind:
                raise wrong_type(name, 1, kind.sql(), key)
            return (container, cast(key, kind))
        case t.StructType():
            return _field_name(name, binding, args)
        case t.NullType():
            return args
    raise PlanError(
        f'Cannot extract "{describe(key)}" from "{describe(container)}": need a complex type [STRUCT, ARRAY, MAP] but '
        f'got "{container.type.sql()}".',
        code="INVALID_EXTRACT_BASE_FIELD_TYPE",
    )


def _item_type(args: Args) -> t.DataType:
    match args[0].type:
        case t.ArrayType(element):
            return element
        case t.MapType(_, value):
            return value
        case t.NullType():
            return t.NullType()
    return _field_type(args)


def _print_item(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    container, key = args
    match call.args[0].type:
        case t.ArrayType():
            return (
                f"CASE WHEN {key} < 0 OR {key} >= len({container}) THEN wt_fail('INVALID_ARRAY_INDEX', 'The index ' || "
                f"{key} || ' is out of bounds. The array has ' || len({container}) || ' elements. Use the SQL function "
                f"`get()` to tolerate accessing element at invalid index and return NULL instead.') "
                f"ELSE list_extract({container}, CAST({key} AS BIGINT) + 1) END"
            )
        case t.MapType():
            return f"map_extract_value({container}, {key})"
        case t.NullType():
            return "NULL"
    return _print_field(call, args)


def _field_nullable(args: Args) -> bool:
    return args[0].nullable or _place_of(args)[1].nullable


def _item_nullable(args: Args) -> bool:
    if isinstance(args[0].type, t.StructType):
        return _field_nullable(args)
    return item_nullable(args)


def _negative(name: str, sql: str) -> Function:
    return scalar(name, (NUMERIC,), type_of(0), sql)


def _not_in(args: tuple[Typed, ...]) -> bool:
    return any(arg.nullable for arg in args)


FUNCTIONS: tuple[Function, ...] = (
    _comparison("==", "=", "="),
    _comparison("!=", "<>", "<>"),
    _comparison("<", "<"),
    _comparison("<=", "<="),
    _comparison(">", ">"),
    _comparison(">=", ">="),
    _comparison("<=>", "IS NOT DISTINCT FROM", "equal_null", nullable=False),
    scalar("between", (ANY, ANY, ANY), _BOOL, _print_between, prepare=_in),
    scalar("in", (ANY,), _BOOL, _print_in, rest=ANY, prepare=_in, nullable=_not_in),
    scalar("and", (BOOLEAN, BOOLEAN), _BOOL, _print_logic, prepare=_chained),
    scalar("or", (BOOLEAN, BOOLEAN), _BOOL, _print_logic, prepare=_chained),
    scalar("not", (BOOLEAN,), _BOOL, "(NOT {0})", aliases=("!",)),
    scalar("isnull", (ANY,), _BOOL, "({0} IS NULL)", nullable=False),
    scalar("isnotnull", (ANY,), _BOOL, "({0} IS NOT NULL)", nullable=False),
    _bits("&", "({0} & {1})"),
    _bits("|", "({0} | {1})"),
    _bits("^", "xor({0}, {1})"),
    scalar("~", (_WHOLE,), type_of(0), "(~{0})", aliases=("bitwise_not",)),
    scalar("like", (_TEXT, _TEXT, _TEXT), _BOOL, _print_like, optional=1, prepare=_escaped),
    scalar("ilike", (_TEXT, _TEXT, _TEXT), _BOOL, _print_like, optional=1, prepare=_escaped),
    scalar("getitem", (ANY, ANY), _item_type, _print_item, prepare=_item, nullable=_item_nullable),
    scalar("getfield", (ANY, ANY), _field_type, _print_field, prepare=_field_name, nullable=_field_nullable),
)
