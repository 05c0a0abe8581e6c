"""Functions that only have a meaning OVER a window (ranks, rows at a distance) or under GROUPING SETS."""

from __future__ import annotations

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Convert, Typed
from app.plan.coerce import cast, common_type
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import (
    ANY,
    INT,
    Args,
    Prepare,
    Printer,
    Result,
    different_types,
    function,
    too_large,
    type_of,
)

_INT = t.IntegerType()
_ONE = Const(_INT, False, 1)


def _rank(name: str, result: t.DataType, *, ranked: bool = False) -> Function:
    """A function of the row's place alone; those of `ranked` take columns, which say nothing."""
    return function(name, "window", (), result, f"{name}()", rest=ANY if ranked else None, nullable=False)


def _whole(name: str, what: str, arg: Typed, least: int | None) -> int:
    """The value of an argument that has to be a whole constant. Raises: PlanError."""
    plain = arg.child if isinstance(arg, Convert) else arg
    sign = 1
    if isinstance(plain, Apply) and plain.function == "neg":
        plain, sign = plain.args[0], -1
    if not isinstance(plain, Const):
        raise PlanError(
            f'Cannot resolve "{name}" due to data type mismatch: the input {what} should be a foldable "INT" '
            "expression. Write a number there.",
            code="DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
        )
    if not isinstance(plain.value, int) or (least is not None and sign * plain.value < least):
        raise PlanError(
            f'Cannot resolve "{name}" due to data type mismatch: The {what} must be between [{least}, 2147483647] '
            f"(current value = {plain.value}).",
            code="DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
        )
    if not -(1 << 31) <= sign * plain.value < 1 << 31:
        raise too_large(plain)
    return sign * plain.value


def _buckets(name: str, _: Binding, args: Args) -> Args:
    if not isinstance(args[0].type, t.IntegerType):
        raise PlanError(
            f'Cannot resolve "{name}" due to data type mismatch: The first parameter requires the "INT" type, however '
            f'it has the type "{args[0].type.sql()}". Write a number there.',
            code="DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
        )
    return (Const(_INT, False, _whole(name, "buckets", args[0], 1)),)


def _nth(name: str, _: Binding, args: Args) -> Args:
    return (args[0], Const(_INT, False, _whole(name, "offset", args[1], 1)))


def _distant(name: str, _: Binding, args: Args) -> Args:
    """The value, how many rows away it stands, and what is given where there is no such row."""
    offset = Const(_INT, False, _whole(name, "offset", args[1], None)) if len(args) > 1 else _ONE
    if len(args) < 3:
        return (args[0], offset, Const(args[0].type, True, None))
    kind = common_type((args[0].type, args[2].type))
    if kind is None:
        raise different_types(name, (args[0], args[2]))
    return (cast(args[0], kind), offset, cast(args[2], kind))


def _positional(name: str, params: int, optional: int, prepare: Prepare, sql: Printer, result: Result) -> Function:
    kinds = (ANY, INT, ANY)[:params]
    nullable = (lambda args: args[0].nullable or args[2].nullable) if params == 3 else True
    return function(name, "window", kinds, result, sql, optional=optional, nullable=nullable, prepare=prepare)


def _print_distant(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    return f"{call.function}({args[0]}, {args[1]}, {args[2]})"


def _of_a_set(name: str, params: int, result: t.DataType) -> Function:
    """What the resolver puts the number of the grouping set in place of."""

    def refuse(_: Apply | AggCall, __: tuple[str, ...]) -> str:
        raise AssertionError(f"{name} is computed from the number of the grouping set")

    kinds = (ANY,) * params
    return function(name, "aggregate", kinds, result, refuse, rest=None if params else ANY, nullable=False)


FUNCTIONS: tuple[Function, ...] = (
    _of_a_set("grouping", 1, t.ByteType()),
    _of_a_set("grouping_id", 0, t.LongType()),
    _rank("row_number", _INT),
    _rank("rank", _INT, ranked=True),
    _rank("dense_rank", _INT, ranked=True),
    _rank("percent_rank", t.DoubleType(), ranked=True),
    _rank("cume_dist", t.DoubleType()),
    function("ntile", "window", (ANY,), _INT, "ntile({0})", optional=1, nullable=False, prepare=_buckets),
    _positional("lag", 3, 2, _distant, _print_distant, type_of(0)),
    _positional("lead", 3, 2, _distant, _print_distant, type_of(0)),
    _positional("nth_value", 2, 0, _nth, "nth_value({0}, {1})", type_of(0)),
)
