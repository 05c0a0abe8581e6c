"""Chance. With a seed the values are Spark's for a table that is one partition: they follow the order of its rows.

Such a call counts rows: it may stand where each row comes to it once, which `plan/resolve` sees to.
"""

from __future__ import annotations

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Convert, Typed
from app.plan.carriers import duckdb_type
from app.plan.coerce import common_type
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import ANY, ARRAY, INT, Args, describe, scalar, type_of, unsupported, wrong_type

_ROW = "row_number() OVER ()"
_LONG, _DOUBLE = t.LongType(), t.DoubleType()
_SEEDS = {"rand": 0, "randn": 0, "randstr": 1, "uniform": 2, "shuffle": 1}
"""Where the seed stands among the arguments."""
_SEED_WANTED = '("INT" or "BIGINT")'


def counts_rows(typed: Typed) -> bool:
    """Whether the call itself depends on the number of its row."""
    if not isinstance(typed, Apply):
        return False
    return typed.function == "monotonically_increasing_id" or len(typed.args) > _SEEDS.get(typed.function, 9)


def without_seed(typed: Typed) -> Typed:
    """The same call with other values each time, as Spark draws seeds anew for every epoch of a stream."""
    if isinstance(typed, Apply) and typed.function in _SEEDS:
        return Apply(typed.type, typed.nullable, typed.function, typed.args[: _SEEDS[typed.function]])
    return typed


def _constant(typed: Typed) -> bool:
    match typed:
        case Const():
            return True
        case Convert(child=child):
            return _constant(child)
        case Apply(args=args):
            return bool(args) and all(map(_constant, args)) and typed.function not in _SEEDS
    return False


def _seed(name: str, arg: Typed, index: int) -> Const:
    """The seed as a constant; null counts as 0. Raises: PlanError."""
    if not isinstance(arg.type, (t.IntegerType, t.LongType, t.NullType)):
        raise wrong_type(name, index, _SEED_WANTED, arg)
    if not isinstance(arg, Const):
        if _constant(arg):
            raise unsupported(name, "a seed that is computed; write it as a number")
        code = "SEED_EXPRESSION_IS_UNFOLDABLE" if index == 0 else "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT"
        raise PlanError(
            f'The seed expression "{describe(arg)}" of the expression "{name}" must be foldable. Write a number.',
            code=code,
        )
    return Const(_LONG, False, arg.value or 0)


def _seeded(name: str, _: Binding, args: Args) -> Args:
    """The arguments with the seed, if there is one, as a constant."""
    at = _SEEDS[name]
    return args if len(args) <= at else (*args[:at], _seed(name, args[at], at))


def _print_rand(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    return f"wa_rand({_ROW}, {args[0]})" if args else "random()"


def _print_randn(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    return f"wa_randn({_ROW}, {args[0]})" if args else "(sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()))"


def _foldable(name: str, what: str, kind: str, arg: Typed) -> None:
    if not _constant(arg):
        raise PlanError(
            f'Cannot resolve "{name}": the input `{what}` should be a foldable {kind} expression; however, got '
            f'"{describe(arg)}". Write a number.',
            code="DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
        )


def _text_args(name: str, binding: Binding, args: Args) -> Args:
    _foldable(name, "length", "integer", args[0])
    return _seeded(name, binding, args)


def _print_text(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    length = f"wt_text_length({args[0]})"
    if len(args) == 1:
        return f"wa_random_text({length}, random())"
    return f"wa_randstr({_ROW}, {args[1]}, {length})"


def _uniform_args(name: str, binding: Binding, args: Args) -> Args:
    for index, (what, arg) in enumerate(zip(("min", "max", "seed"), args, strict=False)):
        _foldable(name, what, "integer or floating-point", arg)
        if index < 2 and not isinstance(arg.type, (t.NumericType, t.NullType)):
            raise wrong_type(name, index, "NUMERIC", arg)
    return _seeded(name, binding, args)


def _uniform_type(args: Args) -> t.DataType:
    low, high = args[0].type, args[1].type
    if isinstance(low, t.NullType) or isinstance(high, t.NullType):
        return _DOUBLE
    for kind in (t.DoubleType, t.FloatType):
        if isinstance(low, kind) or isinstance(high, kind):
            return kind()
    if isinstance(low, t.DecimalType) or isinstance(high, t.DecimalType):
        return max((k for k in (low, high) if isinstance(k, t.DecimalType)), key=lambda k: k.precision)
    return common_type((low, high)) or _DOUBLE


def _print_uniform(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    low, high = (f"CAST({arg} AS DOUBLE)" for arg in args[:2])
    drawn = f"({low} + ({high} - {low}) * {_print_rand(call, args[2:])})"
    match call.type:
        case t.IntegralType():
            return f"CAST(trunc({drawn}) AS {duckdb_type(call.type)})"
        case t.DecimalType():
            return f"CAST(CAST({drawn} AS VARCHAR) AS {duckdb_type(call.type)})"
        case t.DoubleType():
            return drawn
    return f"CAST({drawn} AS {duckdb_type(call.type)})"


def _shuffle_args(name: str, _: Binding, args: Args) -> Args:
    """A null seed is none. Arrays of several lengths would make the values of a row depend on all rows before it."""
    if len(args) < 2 or isinstance(args[1].type, t.NullType):
        return args[:1]
    seed = args[1]
    if not isinstance(seed, Const) or not isinstance(seed.type, (t.IntegerType, t.LongType)):
        raise PlanError(
            f"The value of parameter(s) `seed` in `{name}` is invalid: expects a long literal, but got "
            f'"{describe(seed)}".',
            code="INVALID_PARAMETER_VALUE.LONG",
        )
    if not isinstance(args[0], Apply) or args[0].function != "array":
        raise unsupported(name, "a seed and an array that is not written as array(…)")
    return (args[0], Const(_LONG, False, seed.value))


def _print_shuffle(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    kind = duckdb_type(call.type).encode().hex()
    if len(args) == 1:
        return f"wa_shuffle__{kind}({args[0]}, random())"
    return f"wa_shuffled__{kind}({_ROW}, {args[1]}, {args[0]})"


FUNCTIONS: tuple[Function, ...] = (
    scalar(
        "rand",
        (ANY,),
        _DOUBLE,
        _print_rand,
        optional=1,
        prepare=_seeded,
        aliases=("random",),
        deterministic=False,
        nullable=False,
    ),
    scalar("randn", (ANY,), _DOUBLE, _print_randn, optional=1, prepare=_seeded, deterministic=False, nullable=False),
    scalar(
        "randstr",
        (INT, ANY),
        t.StringType(),
        _print_text,
        optional=1,
        prepare=_text_args,
        deterministic=False,
        nullable=False,
    ),
    scalar(
        "uniform",
        (ANY, ANY, ANY),
        _uniform_type,
        _print_uniform,
        optional=1,
        prepare=_uniform_args,
        deterministic=False,
        nullable=False,
    ),
    scalar("shuffle", (ARRAY, ANY), type_of(0), _print_shuffle, optional=1, prepare=_shuffle_args, deterministic=False),
    scalar("monotonically_increasing_id", (), _LONG, f"({_ROW} - 1)", deterministic=False, nullable=False),
)
