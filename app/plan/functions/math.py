"""Functions on numbers."""

from __future__ import annotations

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const
from app.plan.carriers import duckdb_type
from app.plan.coerce import adjusted_decimal, bounded_decimal, cast, decimal_of, decimal_of_literal
from app.plan.functions.decimals import decimal_sql
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import (
    ANY,
    DOUBLE,
    INT,
    LONG,
    NUMERIC,
    Args,
    Param,
    convert,
    literal_value,
    scalar,
    type_of,
    unified,
    unsupported,
    wrong_type,
)

_DOUBLE = t.DoubleType()
_LONG = t.LongType()
_INT = t.IntegerType()
_STRING = t.StringType()
_HEXED = Param(
    'BIGINT" or "BINARY" or "STRING',
    lambda s: s if isinstance(s, t.StringType | t.BinaryType) else _as_long(s) or _as_text(s),
)
_SPANS = t.DayTimeIntervalType | t.YearMonthIntervalType
_SIGNED = Param("NUMERIC", lambda s: s if isinstance(s, t.NumericType | _SPANS) else _double(s))
_SIGNED_DOUBLE = Param("DOUBLE", lambda s: s if isinstance(s, _SPANS) else DOUBLE.accept(s))


def _as_long(source: t.DataType) -> t.DataType | None:
    return _LONG if isinstance(source, t.NumericType | t.NullType) else None


def _as_text(source: t.DataType) -> t.DataType | None:
    return _STRING if isinstance(source, t.AtomicType) else None


def _double(source: t.DataType) -> t.DataType | None:
    return _DOUBLE if isinstance(source, t.StringType | t.NullType) else None


def _curve(name: str, sql: str | None = None, *aliases: str) -> Function:
    """A function of one double to a double."""
    return scalar(name, (DOUBLE,), _DOUBLE, sql or f"{name}({{0}})", aliases=aliases, nullable=True)


def _logarithm(name: str, sql: str, above: int = 0) -> Function:
    """Null where the logarithm is not defined, as in Spark."""
    printed = f"CASE WHEN {{0}} > {above} THEN {sql} END"
    return scalar(name, (DOUBLE,), _DOUBLE, printed, nullable=True)


def _print_log(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    if len(args) == 1:
        return f"CASE WHEN {args[0]} > 0 THEN ln({args[0]}) END"
    base, value = args
    return f"CASE WHEN {base} > 0 AND {value} > 0 THEN ln({value}) / ln({base}) END"


def _scale(name: str, binding: Binding, args: Args) -> Args:
    if len(args) == 1:
        return (*args, Const(_INT, False, 0))
    if literal_value(name, 1, args[1]) is None:
        raise unsupported(name, "a scale that is null")
    return args


def _scale_of(args: Args) -> int:
    scale = args[1]
    return int(scale.value) if isinstance(scale, Const) else int(scale.child.value)  # type: ignore[attr-defined]


def _rounded_type(args: Args) -> t.DataType:
    kind, scale = args[0].type, _scale_of(args)
    if not isinstance(kind, t.DecimalType):
        return kind
    whole = kind.precision - kind.scale + 1
    if scale < 0:
        return bounded_decimal(max(whole, 1 - scale), 0)
    kept = min(scale, kind.scale)
    return bounded_decimal(whole + kept, kept)


def _print_round(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    scale, kind = _scale_of(call.args), call.args[0].type
    even = call.function == "bround"
    match kind:
        case t.DecimalType():
            return _round_decimal(args[0], kind, call.type, scale, call.function)
        case t.IntegralType():
            name = {"byte": "TINYINT", "short": "SMALLINT", "integer": "INTEGER"}.get(kind.typeName(), "BIGINT")
            if scale >= 0:
                return args[0]
            unit = f"CAST(1{'0' * min(-scale, 37)} AS HUGEINT)"
            whole = f"CAST({args[0]} AS HUGEINT)"
            rounded = f"{'wt_even_div' if even else 'wt_round_div'}({whole}, {unit}) * {unit}"
            return f"CAST(wt_fit{name.lower()}({rounded}) AS {name})"
    name = "FLOAT" if isinstance(kind, t.FloatType) else "DOUBLE"
    if even and not 0 <= scale <= 9:
        raise unsupported(call.function, f"{scale} digits of a {kind.sql()}; cast it to DECIMAL first")
    # Spark rounds the shortest decimal that names the double, so 1.005 rounds up.
    return f"CAST(wt_{'even' if even else 'half_up'}(CAST({args[0]} AS DOUBLE), {scale}) AS {name})"


_DIVISIONS = {"round": "wt_round_div", "bround": "wt_even_div", "ceil": "wt_ceil_div", "floor": "wt_floor_div"}


def _round_decimal(sql: str, kind: t.DecimalType, to: t.DataType, scale: int, mode: str) -> str:
    assert isinstance(to, t.DecimalType)
    name = f"DECIMAL({to.precision},{to.scale})"
    if scale >= kind.scale:
        return f"CAST({sql} AS {name})"
    if scale >= 0 and mode == "round":
        return f"CAST({sql} AS {name})"
    if not kind.scale:
        unscaled = f"CAST({sql} AS HUGEINT)"
    elif kind.precision + kind.scale <= 38:
        unscaled = f"CAST({sql} * CAST(1{'0' * kind.scale} AS DECIMAL(38,0)) AS HUGEINT)"
    else:
        unscaled = f"CAST(replace(CAST({sql} AS VARCHAR), '.', '') AS HUGEINT)"
    unit = f"CAST(1{'0' * (kind.scale - scale)} AS HUGEINT)"
    quotient = f"{_DIVISIONS[mode]}({unscaled}, {unit})"
    if scale < 0:
        return f"CAST({quotient} * CAST(1{'0' * -scale} AS HUGEINT) AS {name})"
    return f"CAST(CAST({quotient} AS DECIMAL(38,0)) * CAST('1e-{scale}' AS DECIMAL(38,{scale})) AS {name})"


def _edge_args(name: str, _: Binding, args: Args) -> Args:
    """With a scale, the number becomes a decimal."""
    if len(args) == 1:
        kind = _floating(args[0].type)
        return (cast(args[0], kind),) if kind else args
    if not isinstance(args[1], Const) or args[1].value is None:
        raise PlanError(
            f"The function `{name}` requires the parameter `scale` to be a constant of the type INT. Write a number.",
            code="NON_FOLDABLE_ARGUMENT",
        )
    unknown = isinstance(args[0].type, t.StringType | t.NullType)
    kind = t.DecimalType(38, 18) if unknown else decimal_of(args[0].type)
    return (cast(args[0], kind), args[1])


def _print_edge(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    kind = call.args[0].type
    if len(args) == 2:
        assert isinstance(kind, t.DecimalType)
        return _round_decimal(args[0], kind, call.type, _scale_of(call.args), call.function)
    sql = "ceil" if call.function == "ceil" else "floor"
    if isinstance(kind, t.DecimalType) and isinstance(call.type, t.DecimalType):
        return f"CAST({sql}({args[0]}) AS DECIMAL({call.type.precision},0))"
    if isinstance(kind, t.IntegralType):
        return f"CAST({args[0]} AS BIGINT)"
    return f"wt_to_long({sql}({args[0]}))"


def _edge_type(args: Args) -> t.DataType:
    if len(args) == 2:
        return _rounded_type(args)
    kind = args[0].type
    if isinstance(kind, t.DecimalType):
        return bounded_decimal(kind.precision - kind.scale + (kind.scale > 0), 0)
    return _LONG


def _floating(source: t.DataType) -> t.DataType | None:
    if isinstance(source, t.FloatType):
        return _DOUBLE
    return source if isinstance(source, t.NumericType) else _double(source)


def _pmod_args(name: str, binding: Binding, args: Args) -> Args:
    """Numbers of one type, but decimals as they are."""
    a, b = unified()(name, binding, args)
    if isinstance(a.type, t.DecimalType):
        return (cast(args[0], decimal_of_literal(args[0])), cast(args[1], decimal_of_literal(args[1])))
    return (a, b)


def _pmod_type(args: Args) -> t.DataType:
    a, b = args[0].type, args[1].type
    if not isinstance(a, t.DecimalType) or not isinstance(b, t.DecimalType):
        return a
    scale = max(a.scale, b.scale)
    return adjusted_decimal(min(a.precision - a.scale, b.precision - b.scale) + scale, scale)


def _print_pmod(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    kind, a, b = call.type, call.args[0].type, call.args[1].type
    if isinstance(kind, t.DecimalType) and isinstance(a, t.DecimalType) and isinstance(b, t.DecimalType):
        return decimal_sql("pmod", kind, a, b, args[0], args[1], False)
    if isinstance(kind, t.IntegralType):
        wide = "long" if isinstance(kind, t.LongType) else "int"
        return f"CAST(wt_pmod_{wide}({args[0]}, {args[1]}) AS {duckdb_type(kind)})"
    name = "DOUBLE" if isinstance(kind, t.DoubleType) else "FLOAT"
    return f"CAST(wt_pmod({args[0]}, wt_modulus({args[0]}, {args[1]})) AS {name})"


def _bucket_args(name: str, _: Binding, args: Args) -> Args:
    """Three numbers, or three intervals of a kind."""
    for kind in (t.YearMonthIntervalType, t.DayTimeIntervalType):
        if isinstance(args[0].type, kind):
            for i, arg in enumerate(args[1:3], 1):
                if not isinstance(arg.type, kind):
                    raise wrong_type(name, i, args[0].type.sql(), arg)
            return args
    return (*(convert(name, i, arg, DOUBLE) for i, arg in enumerate(args[:3])), args[3])


def _print_bucket(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    value, low, high = args[:3]
    if isinstance(call.args[0].type, t.DayTimeIntervalType):
        value, low, high = (f"epoch_us({arg})" for arg in (value, low, high))
    as_doubles = ", ".join(f"CAST({arg} AS DOUBLE)" for arg in (value, low, high))
    return f"wt_width_bucket({as_doubles}, {args[3]})"


def _print_abs(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    span = isinstance(call.type, t.DayTimeIntervalType)
    return f"wt_interval(abs(epoch_us({args[0]})))" if span else f"abs({args[0]})"


def _print_signum(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    kind = call.args[0].type
    if isinstance(kind, _SPANS):
        amount = f"epoch_us({args[0]})" if isinstance(kind, t.DayTimeIntervalType) else args[0]
        return f"CAST(sign({amount}) AS DOUBLE)"
    return f"wt_signum({args[0]})"


_EDGED = Param("NUMERIC", lambda s: s if isinstance(s, t.NumericType | t.StringType) else _double(s))


FUNCTIONS: tuple[Function, ...] = (
    scalar("abs", (_SIGNED,), type_of(0), _print_abs),
    scalar(
        "ceil",
        (_EDGED, INT),
        _edge_type,
        _print_edge,
        optional=1,
        prepare=_edge_args,
        aliases=("ceiling",),
        nullable=True,
    ),
    scalar("floor", (_EDGED, INT), _edge_type, _print_edge, optional=1, prepare=_edge_args, nullable=True),
    scalar("round", (NUMERIC, INT), _rounded_type, _print_round, optional=1, prepare=_scale, nullable=True),
    scalar("bround", (NUMERIC, INT), _rounded_type, _print_round, optional=1, prepare=_scale, nullable=True),
    _curve("sqrt", "wt_sqrt({0})"),
    _curve("cbrt", "wt_cbrt({0})"),
    _curve("exp"),
    _curve("expm1", "wt_expm1({0})"),
    _curve("sin"),
    _curve("cos"),
    _curve("tan"),
    _curve("cot"),
    _curve("asin"),
    _curve("acos"),
    _curve("atan"),
    _curve("sinh"),
    _curve("cosh"),
    _curve("tanh"),
    _curve("asinh"),
    _curve("acosh", "CASE WHEN {0} < 1 THEN CAST('nan' AS DOUBLE) ELSE acosh({0}) END"),
    _curve("atanh", "wt_atanh({0})"),
    _curve("degrees"),
    _curve("radians"),
    _curve("rint", "round_even({0}, 0)"),
    scalar("signum", (_SIGNED_DOUBLE,), _DOUBLE, _print_signum, aliases=("sign",), nullable=True),
    _curve("sec", "(1 / cos({0}))"),
    _curve("csc", "(1 / sin({0}))"),
    _logarithm("ln", "ln({0})"),
    _logarithm("log10", "log10({0})"),
    _logarithm("log2", "log2({0})"),
    _logarithm("log1p", "wt_log1p({0})", -1),
    scalar("log", (DOUBLE, DOUBLE), _DOUBLE, _print_log, optional=1, nullable=True),
    scalar("pow", (DOUBLE, DOUBLE), _DOUBLE, "wt_pow({0}, {1})", aliases=("power",)),
    scalar("atan2", (DOUBLE, DOUBLE), _DOUBLE, "atan2({0} + 0.0, {1} + 0.0)"),
    scalar("hypot", (DOUBLE, DOUBLE), _DOUBLE, "wt_hypot({0}, {1})"),
    scalar("pmod", (NUMERIC, NUMERIC), _pmod_type, _print_pmod, prepare=_pmod_args, nullable=True),
    scalar(
        "factorial",
        (INT,),
        _LONG,
        "CASE WHEN {0} BETWEEN 0 AND 20 THEN CAST(factorial({0}) AS BIGINT) END",
        nullable=True,
    ),
    scalar("hex", (_HEXED,), _STRING, "to_hex({0})"),
    scalar("unhex", (Param("STRING", lambda s: _STRING),), t.BinaryType(), "wt_unhex({0})", nullable=True),
    scalar("bin", (LONG,), _STRING, "to_binary({0})"),
    scalar("width_bucket", (ANY, ANY, ANY, LONG), _LONG, _print_bucket, prepare=_bucket_args, nullable=True),
    scalar("e", (), _DOUBLE, "CAST(2.718281828459045 AS DOUBLE)", nullable=False),
    scalar("pi", (), _DOUBLE, "pi()", nullable=False),
)
