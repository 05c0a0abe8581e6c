"""`+ - * / % div` and their try_ forms: numbers, dates, timestamps and intervals.

Whole numbers overflow where DuckDB's own operators do; the try_ forms compute in a wider type, or
over arguments that are computed before, as errors of arguments stay errors.
"""

from __future__ import annotations

from dataclasses import replace

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Convert, Ref, Typed
from app.plan.coerce import (
    adjusted_decimal,
    bounded_decimal,
    cast,
    decimal_of_literal,
    is_integral,
    is_interval,
    least_common_type,
)
from app.plan.functions.decimals import decimal_sql
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import Args, describe, type_of, wrong_count, wrong_type
from app.plan.functions.temporal_arithmetic import bind_temporal, is_span, print_temporal

_DOUBLE = t.DoubleType()
_FLOATS = (t.FloatType, t.DoubleType)
_WHOLE: dict[type[t.DataType], str] = {
    t.ByteType: "TINYINT",
    t.ShortType: "SMALLINT",
    t.IntegerType: "INTEGER",
    t.LongType: "BIGINT",
}


def _binary(name: str, args: Args) -> tuple[Typed, Typed]:
    if len(args) != 2:
        raise wrong_count(name, "2", len(args))
    return args[0], args[1]


def _numbers(symbol: str, left: Typed, right: Typed) -> tuple[Typed, Typed]:
    """Both as numbers of one type, or as two decimals."""
    # Of a quotient Spark asks the left side only whether it is a decimal.
    of_null = symbol == "/" and isinstance(right.type, t.NumericType)
    if isinstance(left.type, t.NullType) and (of_null or isinstance(right.type, t.NullType)):
        return cast(left, _DOUBLE), cast(right, _DOUBLE)
    kind = least_common_type(left.type, right.type)
    if not isinstance(kind, t.NumericType):
        raise _mismatch(symbol, left, right, kind)
    if isinstance(kind, t.DecimalType):
        return _as_decimal(left, kind), _as_decimal(right, kind)
    return cast(left, kind), cast(right, kind)


def _as_decimal(arg: Typed, kind: t.DecimalType) -> Typed:
    return cast(arg, kind if isinstance(arg.type, t.NullType) else decimal_of_literal(arg))


def _mismatch(symbol: str, left: Typed, right: Typed, kind: t.DataType | None) -> PlanError:
    shown = f'"({describe(left)} {symbol} {describe(right)})"'
    if kind is None:
        return PlanError(
            f"Cannot resolve {shown} due to data type mismatch: the left and right operands of the binary operator "
            f'have incompatible types ("{left.type.sql()}" and "{right.type.sql()}"). Cast one of them.',
            code="DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
        )
    return PlanError(
        f"Cannot resolve {shown} due to data type mismatch: the binary operator requires the input type "
        f'"NUMERIC" or "INTERVAL", not "{kind.sql()}". Cast the operands.',
        code="DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE",
    )


def _decimal_result(symbol: str, a: t.DecimalType, b: t.DecimalType, loses: bool) -> t.DecimalType:
    """The result type; beyond 38 digits the scale gives way if the result `loses` digits, else whole digits do."""
    whole_a, whole_b = a.precision - a.scale, b.precision - b.scale
    scale = max(a.scale, b.scale)
    bounded = adjusted_decimal if loses else bounded_decimal
    if symbol in "+-":
        return bounded(max(whole_a, whole_b) + scale + 1, scale)
    if symbol == "*":
        return bounded(a.precision + b.precision + 1, a.scale + b.scale)
    if symbol == "/":
        scale = max(6, a.scale + b.precision + 1)
        return adjusted_decimal(whole_a + b.scale + scale, scale) if loses else _kept_quotient(whole_a + b.scale, scale)
    return bounded(min(whole_a, whole_b) + scale, scale)


def _kept_quotient(whole: int, scale: int) -> t.DecimalType:
    """Both kinds of digits give way, by half each."""
    whole, scale = min(38, whole), min(38, scale)
    if whole + scale > 38:
        scale -= (whole + scale - 38) // 2 + 1
        whole = 38 - scale
    return bounded_decimal(whole + scale, scale)


def loses_digits(binding: Binding) -> bool:
    """Whether decimal arithmetic may give up digits behind the point to keep those before it."""
    return binding.conf.get("spark.sql.decimalOperations.allowPrecisionLoss", "true") == "true"


def _forgiven(given: Typed, number: Typed) -> Typed:
    """`number`, made from what was given: a text that is none is null to the try_ functions."""
    if isinstance(given.type, t.StringType) and isinstance(number, Convert):
        return replace(number, safe=True, nullable=True)
    return number


def _arithmetic(symbol: str, try_name: str, *aliases: str) -> tuple[Function, Function]:
    def bind_as(name: str, safe: bool, binding: Binding, args: Args) -> Typed:
        left, right = _binary(name, args)
        timed = bind_temporal(symbol, name, left, right)
        if timed is not None:
            return replace(timed, nullable=True) if safe else timed
        a, b = _numbers(symbol, left, right)
        if safe:
            a, b = _forgiven(left, a), _forgiven(right, b)
        if symbol == "/" and not isinstance(a.type, t.DecimalType):
            a, b = cast(a, _DOUBLE), cast(b, _DOUBLE)
        may_be_null = safe or symbol in "/%" or a.nullable or b.nullable
        if isinstance(a.type, t.DecimalType) and isinstance(b.type, t.DecimalType):
            kind = _decimal_result(symbol, a.type, b.type, loses_digits(binding))
            return Apply(kind, may_be_null, name, (a, b))
        return Apply(a.type, may_be_null, name, (a, b))

    def checked(binding: Binding, args: Args) -> Apply:
        return bind_as(symbol, False, binding, args)  # type: ignore[return-value]

    def tried(binding: Binding, args: Args) -> Apply:
        return bind_as(try_name, True, binding, args)  # type: ignore[return-value]

    def print_checked(call: Apply | AggCall, args: tuple[str, ...]) -> str:
        return _print(symbol, call, args, False)

    def print_tried(call: Apply | AggCall, args: tuple[str, ...]) -> str:
        return _print(symbol, call, args, True)

    return (
        Function(symbol, "scalar", checked, print_checked, aliases),
        Function(try_name, "scalar", tried, print_tried),
    )


def _print(symbol: str, call: Apply | AggCall, args: tuple[str, ...], safe: bool) -> str:
    left, right = args
    kinds = call.args[0].type, call.args[1].type
    if isinstance(kinds[0], t.NumericType) and isinstance(kinds[1], t.NumericType):
        return _print_numbers(symbol, call, left, right, safe)
    kinds_of_time = (t.CalendarIntervalType, t.TimeType)
    if not safe or any(isinstance(kind, kinds_of_time) for kind in kinds):  # which have safe forms of their own
        return print_temporal(symbol, call, left, right)
    timed = print_temporal(symbol, call, "v.a", "v.b")
    return f"list_extract(list_transform([{{'a': {left}, 'b': {right}}}], lambda v: TRY({timed})), 1)"


def _print_numbers(symbol: str, call: Apply | AggCall, left: str, right: str, safe: bool) -> str:
    a, b = call.args[0].type, call.args[1].type
    if isinstance(call.type, t.DecimalType) and isinstance(a, t.DecimalType) and isinstance(b, t.DecimalType):
        return decimal_sql(symbol, call.type, a, b, left, right, safe)
    if symbol in "/%" and safe:
        right = f"nullif({right}, 0)"
    elif symbol in "/%" and isinstance(call.type, _FLOATS) and not _no_zero(call.args[1]):
        right = f"{'wt_divisor' if symbol == '/' else 'wt_modulus'}({left}, {right})"
    if safe and symbol != "%" and is_integral(call.type):
        wide = "HUGEINT" if isinstance(call.type, t.LongType) else "BIGINT"
        return f"TRY_CAST(CAST({left} AS {wide}) {symbol} CAST({right} AS {wide}) AS {_WHOLE[type(call.type)]})"
    return f"({left} {symbol} {right})"


def _no_zero(arg: Typed) -> bool:
    return isinstance(arg, Const) and bool(arg.value)


def _bind_div(_: Binding, args: Args) -> Apply:
    left, right = _binary("div", args)
    if is_interval(left.type) and type(left.type) is type(right.type):
        return Apply(t.LongType(), True, "div", (left, right))
    if is_interval(left.type) or is_interval(right.type):
        raise _mismatch("div", left, right, left.type)
    a, b = _numbers("div", left, right)
    if not isinstance(a.type, t.DecimalType):
        if isinstance(a.type, _FLOATS):
            raise _mismatch("div", left, right, a.type)
        a, b = cast(a, t.LongType()), cast(b, t.LongType())
    return Apply(t.LongType(), True, "div", (a, b))


def _print_div(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    a, b = call.args[0].type, call.args[1].type
    if isinstance(a, t.DayTimeIntervalType):
        return f"(epoch_us({args[0]}) // epoch_us({args[1]}))"
    if isinstance(a, t.YearMonthIntervalType):
        return f"CAST({args[0]} // {args[1]} AS BIGINT)"
    if not isinstance(a, t.DecimalType) or not isinstance(b, t.DecimalType):
        return f"({args[0]} // {args[1]})"
    return f"wa_decimal_div({args[0]}, {args[1]})"


def _bind_sign(name: str, *aliases: str) -> Function:
    def bind(_: Binding, args: Args) -> Apply:
        if len(args) != 1:
            raise wrong_count(name, "1", len(args))
        arg = args[0]
        if not isinstance(arg.type, t.NumericType) and not is_span(arg.type):
            if not isinstance(arg.type, (t.StringType, t.NullType)):
                raise wrong_type(name, 0, "NUMERIC", arg)
            arg = cast(arg, _DOUBLE)
        return Apply(type_of(0)((arg,)), arg.nullable, name, (arg,))

    def show(call: Apply | AggCall, args: tuple[str, ...]) -> str:
        if name == "positive":
            return args[0]
        if isinstance(call.type, t.DayTimeIntervalType):
            return f"wt_interval(-epoch_us({args[0]}))"
        if isinstance(call.type, t.CalendarIntervalType):
            return f"wt_calendar_negative({args[0]})"
        if isinstance(call.args[0], Ref) or not isinstance(call.type, t.IntegralType):
            return f"(-{args[0]})"
        # DuckDB widens a negated constant; a difference stays in its type and overflows.
        if isinstance(call.type, t.IntegerType | t.LongType):
            return f"(0 - {args[0]})"
        narrow = _WHOLE[type(call.type)]
        return f"CAST(wt_fit{narrow.lower()}(-CAST({args[0]} AS INTEGER)) AS {narrow})"

    return Function(name, "scalar", bind, show, aliases)


FUNCTIONS: tuple[Function, ...] = (
    *_arithmetic("+", "try_add"),
    *_arithmetic("-", "try_subtract"),
    *_arithmetic("*", "try_multiply"),
    *_arithmetic("/", "try_divide"),
    *_arithmetic("%", "try_mod", "mod"),
    Function("div", "scalar", _bind_div, _print_div),
    _bind_sign("neg", "negative"),
    _bind_sign("positive"),
)
