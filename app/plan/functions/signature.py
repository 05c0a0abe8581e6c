"""How the families of functions write their entries: parameters that accept types, and builders of `Function`.

A printed call is always one SQL operand: what is not a function call stands in parentheses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Convert, LambdaFn, LambdaRef, Ref, Typed
from app.plan.coerce import cast, common_type, implicitly_castable
from app.plan.functions.entry import AggregateState, Binding, Function, Kind

Args = tuple[Typed, ...]
Result = t.DataType | Callable[[Args], t.DataType]
Printer = str | Callable[[Apply | AggCall, tuple[str, ...]], str]
Nullable = bool | Callable[[Args], bool] | None
Prepare = Callable[[str, Binding, Args], Args]

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


@dataclass(frozen=True, slots=True)
class Param:
    """`accept` gives the type an argument is cast to, or None if it is refused; `wants` names what is accepted."""

    wants: str
    accept: Callable[[t.DataType], t.DataType | None]


def exactly(kind: t.DataType) -> Param:
    """A parameter of one type; what Spark casts implicitly is cast."""
    return Param(kind.sql(), lambda source: kind if implicitly_castable(source, kind) else None)


def one_of(*kinds: type[t.DataType], default: t.DataType, wants: str = "") -> Param:
    """A parameter that keeps any of `kinds` and casts the rest to `default` where Spark would."""

    def accept(source: t.DataType) -> t.DataType | None:
        if isinstance(source, kinds):
            return source
        return default if implicitly_castable(source, default) else None

    return Param(wants or '" or "'.join(kind().sql() for kind in kinds), accept)


def only(*kinds: type[t.DataType], wants: str) -> Param:
    """A parameter that takes `kinds` and, as null of unknown type, void."""
    return Param(wants, lambda source: source if isinstance(source, (*kinds, t.NullType)) else None)


ANY = Param("ANY", lambda source: source)
STRING = exactly(t.StringType())
BOOLEAN = exactly(t.BooleanType())
INT = exactly(t.IntegerType())
LONG = exactly(t.LongType())
DOUBLE = exactly(t.DoubleType())
BINARY = exactly(t.BinaryType())
DATE = exactly(t.DateType())
TIMESTAMP = exactly(t.TimestampType())
NUMERIC = one_of(t.NumericType, default=t.DoubleType(), wants="NUMERIC")
INTEGRAL = Param("INTEGRAL", lambda s: s if isinstance(s, t.IntegralType) else _long_or_none(s))
STRING_OR_BINARY = one_of(t.StringType, t.BinaryType, default=t.StringType())
ARRAY = Param(
    "ARRAY",
    lambda s: t.ArrayType(s) if isinstance(s, t.NullType) else s if isinstance(s, t.ArrayType) else None,
)
MAP = only(t.MapType, wants="MAP")
LAMBDA = Param("LAMBDA", lambda source: source)


def _long_or_none(source: t.DataType) -> t.DataType | None:
    return t.LongType() if isinstance(source, (t.StringType, t.NullType)) else None


def function(
    name: str,
    kind: Kind,
    params: Sequence[Param],
    result: Result,
    sql: Printer,
    *,
    optional: int = 0,
    rest: Param | None = None,
    nullable: Nullable = None,
    prepare: Prepare | None = None,
    aliases: tuple[str, ...] = (),
    deterministic: bool = True,
    state: AggregateState | None = None,
) -> Function:
    """An entry. The last `optional` params may be missing; `rest` takes any number more.

    `prepare` sees the arguments after their casts and gives those that are kept (it may add, fold or refuse).
    `nullable` None means null only if an argument may be null. A text `sql` is a format string over the arguments.
    """

    def bind(binding: Binding, args: Args) -> Apply | AggCall:
        converted = _convert(name, args, params, optional, rest)
        kept = prepare(name, binding, converted) if prepare else converted
        kind_of = result(kept) if callable(result) else result
        if nullable is None:
            may_be_null = any(arg.nullable for arg in kept)
        else:
            may_be_null = nullable(kept) if callable(nullable) else nullable
        if kind == "aggregate":
            return AggCall(kind_of, may_be_null, name, kept)
        return Apply(kind_of, may_be_null, name, kept)

    def print_format(call: Apply | AggCall, args: tuple[str, ...]) -> str:
        assert isinstance(sql, str)
        return sql.format(*args, args=", ".join(args))

    printer = print_format if isinstance(sql, str) else sql
    return Function(name, kind, bind, printer, aliases, deterministic, state)


def scalar(name: str, params: Sequence[Param], result: Result, sql: Printer, **more: object) -> Function:
    """A scalar entry; see `function`."""
    return function(name, "scalar", params, result, sql, **more)  # type: ignore[arg-type]


def _convert(name: str, args: Args, params: Sequence[Param], optional: int, rest: Param | None) -> Args:
    low, high = len(params) - optional, len(params)
    if len(args) < low or (rest is None and len(args) > high):
        raise wrong_count(name, _expected(low, high, rest is not None), len(args))
    wanted = [*params, *[rest or ANY] * max(0, len(args) - high)]
    return tuple(convert(name, i, arg, param) for i, (arg, param) in enumerate(zip(args, wanted, strict=False)))


def convert(name: str, index: int, arg: Typed, param: Param) -> Typed:
    """Argument `index` as `param` wants it. Raises: PlanError."""
    to = param.accept(arg.type)
    if to is None or (isinstance(arg, LambdaFn) and param is not LAMBDA):
        raise wrong_type(name, index, param.wants, arg)
    return cast(arg, to)


def unified(first: int = 0, last: int | None = None, texts: bool = True) -> Prepare:
    """Arguments `first` to `last` (exclusive) get their least common type; `texts` as in `least_common_type`."""

    def prepare(name: str, _: Binding, args: Args) -> Args:
        group = args[first:last]
        kind = common_type((arg.type for arg in group), texts)
        if kind is None:
            raise different_types(name, group)
        return (*args[:first], *(cast(arg, kind) for arg in group), *(args[last:] if last is not None else ()))

    return prepare


def orderable(kind: t.DataType) -> bool:
    """Whether values of the type have an order (maps, variants and calendar intervals have none)."""
    match kind:
        case t.MapType() | t.VariantType() | t.CalendarIntervalType():
            return False
        case t.ArrayType(element):
            return orderable(element)
        case t.StructType():
            return all(orderable(f.dataType) for f in kind)
    return True


def check_orderable(name: str, _: Binding, args: Args) -> Args:
    """The arguments, if their values have an order. Raises: PlanError."""
    for arg in args:
        if not orderable(arg.type):
            raise PlanError(
                f'Cannot resolve "{name}({describe(arg)})" due to data type mismatch: The `{name}` does not support '
                f'ordering on type "{arg.type.sql()}". Take its keys or values instead.',
                code="DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
            )
    return args


def type_of(index: int) -> Callable[[Args], t.DataType]:
    """The result has the type of argument `index`."""
    return lambda args: args[index].type


def literal_value(name: str, index: int, arg: Typed) -> object:
    """The value of an argument that must be a constant. Raises: PlanError."""
    if isinstance(arg, Const):
        return arg.value
    if isinstance(arg, Convert) and isinstance(arg.child, Const) and arg.child.value is None:
        return None
    if isinstance(arg, Convert) and isinstance(arg.child, Const) and isinstance(arg.child.type, t.IntegralType):
        raise too_large(arg.child)
    raise PlanError(
        f'Cannot resolve "{name}({describe(arg)})": the {_ordinal(index)} parameter must be a constant; '
        f'"{describe(arg)}" is not. Write a literal there.',
        code="DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
    )


def schema_text(arg: Typed) -> str:
    """The text of a schema. Raises: PlanError where the argument is no text that is written out."""
    if isinstance(arg, Const) and isinstance(arg.value, str) and isinstance(arg.type, t.StringType):
        return arg.value
    shown = describe(arg.child if isinstance(arg, Convert) and not isinstance(arg.child.type, t.StringType) else arg)
    raise PlanError(
        f'The input schema "{shown}" is not a valid schema string. The input expression must be string literal and not '
        "null.",
        code="INVALID_SCHEMA.NON_STRING_LITERAL",
    )


def too_large(whole: Const) -> PlanError:
    """The error for a constant that is to be an INT and is none."""
    return PlanError(
        f'The value {whole.value}L of the type "BIGINT" cannot be cast to "INT" due to an overflow.',
        code="CAST_OVERFLOW",
    )


TOO_LONG = 40
"""From how many characters on the SQL of an argument is computed before it is repeated; see `once`."""


def once(sql: str, name: str, text: str) -> str:
    """The SQL `text`, in which `name` stands for `sql`, however often: planning what is long many times takes long."""
    return f"list_extract(list_transform([{sql}], lambda {name}: {text}), 1)"


def describe(typed: Typed) -> str:
    """A short text for messages, near what the user wrote."""
    match typed:
        case Ref(name=name) | LambdaRef(name=name):
            return name
        case Const(value=value):
            return "NULL" if value is None else str(value)
        case Convert(child=child):
            return describe(child)
        case Apply(function=name, args=args) | AggCall(function=name, args=args):
            return f"{name}({', '.join(describe(arg) for arg in args)})"
        case LambdaFn(params=params):
            return f"lambdafunction({', '.join(params)})"
    return "CASE" if type(typed).__name__ == "Choose" else type(typed).__name__.lower()


def wrong_count(name: str, expected: str, actual: int) -> PlanError:
    return PlanError(
        f"The `{name}` requires {expected} parameters but the actual number is {actual}. Give it as many as that.",
        code="WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
        function=name,
    )


def wrong_type(name: str, index: int, wants: str, arg: Typed) -> PlanError:
    return PlanError(
        f'Cannot resolve "{name}" due to data type mismatch: The {_ordinal(index)} parameter requires the "{wants}" '
        f'type, however "{describe(arg)}" has the type "{arg.type.sql()}". Cast it, or give another column.',
        code="DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
        function=name,
    )


def different_types(name: str, args: Sequence[Typed]) -> PlanError:
    kinds = ", ".join(f'"{arg.type.sql()}"' for arg in args)
    return PlanError(
        f'Cannot resolve "{name}({", ".join(describe(a) for a in args)})" due to data type mismatch: Input to '
        f"`{name}` should all be the same type, but it is [{kinds}]. Cast them to one type.",
        code="DATATYPE_MISMATCH.DATA_DIFF_TYPES",
        function=name,
    )


def unhashable(name: str, arg: Typed) -> PlanError:
    return PlanError(
        f'Cannot resolve "{name}({describe(arg)})": input to the function `{name}` cannot contain elements of the '
        '"VARIANT" type yet. Take a value out of it with variant_get(…) first.',
        code="DATATYPE_MISMATCH.HASH_VARIANT_TYPE",
    )


def unsupported(name: str, what: str) -> PlanError:
    """What this engine leaves out of a function it otherwise has."""
    return PlanError(f"`{name}` is not supported with {what}.", code="UNSUPPORTED_FEATURE", function=name)


def _ordinal(index: int) -> str:
    return _ORDINALS[index] if index < len(_ORDINALS) else f"{index + 1}th"


def _expected(low: int, high: int, more: bool) -> str:
    if more:
        return f"> {low - 1}"
    return str(low) if low == high else f"[{', '.join(str(n) for n in range(low, high + 1))}]"
