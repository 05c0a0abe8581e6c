"""`spark.sql.ansi.enabled=false`: whole numbers wrap, and nulls stand where ANSI rules fail.

What a function gives under both rules is taken as it is; where they differ, it is said with functions and casts that do
the same under ANSI rules. The rest is refused by name, and so are implicit casts, whose rules are others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Convert, Typed
from app.plan.coerce import cast
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import Args

Lookup = Callable[[str], Function]

# Null, or an error, for what is out of bounds, malformed, or divided by zero.
_TRIED = {
    "/": "try_divide", "%": "try_mod", "element_at": "try_element_at", "to_date": "try_to_date",
    "to_timestamp": "try_to_timestamp", "parse_url": "try_parse_url",
}  # fmt: skip
_WRAPPING = ("+", "-", "*", "neg", "abs")
_REFUSED = {
    "ceil", "conv", "corr", "elt", "floor", "make_date", "make_dt_interval", "make_interval", "make_timestamp",
    "make_timestamp_ltz", "make_timestamp_ntz", "make_ym_interval", "next_day", "round", "bround", "to_timestamp_ltz",
    "to_timestamp_ntz", "to_unix_timestamp", "unix_timestamp",
}  # fmt: skip
_OF_ONE_TYPE = {
    "add_months", "atan2", "date_add", "date_format", "date_sub", "date_trunc", "datediff", "hypot", "left", "locate",
    "log", "lpad", "months_between", "pow", "repeat", "right", "rpad", "split_part", "substring", "substring_index",
    "trunc", "date_part", "from_unixtime", "overlay", "bit_get",
}  # fmt: skip
"""Whose parameters are of a type each, whatever the other arguments are."""
_WIDER = {t.ByteType: t.IntegerType(), t.ShortType: t.IntegerType(), t.IntegerType: t.LongType()}


def bind_legacy(entry: Function, lookup: Lookup, binding: Binding, args: Args) -> Apply | AggCall | Typed:
    """The call as it is without ANSI rules. Raises: PlanError UNSUPPORTED_FEATURE."""
    ansi = replace(binding, ansi=True)
    bound = _rewritten(entry, lookup, ansi, args)
    if bound is None:
        bound = entry.bind(ansi, args)
        if entry.name in _REFUSED or (
            entry.name in _WRAPPING and not isinstance(bound.type, t.FractionalType | t.DateType)
        ):
            raise _refused(entry.name, "")
    check_mixed(entry.name, [arg.type for arg in args if not isinstance(arg.type, t.StringType)])
    if entry.name in _OF_ONE_TYPE or len(args) == 1:
        bound = _lenient(bound, args)
    for given in args:
        _check(entry.name, given, bound)
    return bound


def _lenient(bound: Apply | AggCall | Typed, args: Args) -> Apply | AggCall | Typed:
    """The call with null where a text given to it is not of the type that it takes."""

    def cast_kindly(part: Typed) -> Typed:
        if not isinstance(part, Convert) or isinstance(part.type, t.BooleanType):
            return part
        if not isinstance(part.child.type, t.StringType) or not any(part.child is given for given in args):
            return part
        return replace(part, ansi=False) if isinstance(part.type, t.IntegralType) else replace(part, safe=True)

    if not isinstance(bound, Apply | AggCall):
        return bound
    found = tuple(map(cast_kindly, bound.args))
    return bound if found == bound.args else replace(bound, args=found, nullable=True)


def check_mixed(name: str, kinds: Sequence[t.DataType]) -> None:
    """Raises: PlanError where types meet whose common type is another one without ANSI rules."""
    floats = any(isinstance(kind, t.FloatType) for kind in kinds)
    text = any(isinstance(kind, t.StringType) for kind in kinds)
    for kind in kinds:
        if (floats and isinstance(kind, t.IntegralType)) or (text and not isinstance(kind, t.StringType | t.NullType)):
            raise _refused(name, f", where {kind.sql()} meets {'FLOAT' if floats else 'STRING'}")


def _rewritten(entry: Function, lookup: Lookup, ansi: Binding, args: Args) -> Apply | AggCall | Typed | None:
    name = entry.name
    if name in _WRAPPING:
        return _wrapped(entry, lookup, ansi, args)
    if name in ("div", "pmod") and len(args) == 2:
        return entry.bind(ansi, (args[0], lookup("nullif").bind(ansi, (args[1], _zero(args[1])))))
    if name == "getitem" and isinstance(args[0].type, t.ArrayType):
        return lookup("get").bind(ansi, args)
    if name in ("sum", "avg", "regr_avgx", "regr_avgy"):
        return _summed(entry, ansi, args)
    if name == "size":
        return lookup("coalesce").bind(ansi, (entry.bind(ansi, args), Const(t.IntegerType(), False, -1)))
    return lookup(_TRIED[name]).bind(ansi, args) if name in _TRIED else None


def _wrapped(entry: Function, lookup: Lookup, ansi: Binding, args: Args) -> Typed | None:
    """Whole numbers computed in a wider type and cut to their own; decimals give null where they do not fit."""
    plain = entry.bind(ansi, args)
    if isinstance(plain.type, t.DecimalType) and len(args) == 2:
        return lookup({"+": "try_add", "-": "try_subtract", "*": "try_multiply"}[entry.name]).bind(ansi, args)
    if not isinstance(plain.type, t.IntegralType) or not isinstance(plain, Apply):
        return None
    wide = _WIDER.get(type(plain.type), t.DecimalType(20, 0))
    computed = entry.bind(ansi, tuple(cast(arg, wide) for arg in plain.args))
    return Convert(plain.type, plain.nullable, computed, ansi=False)


def _summed(entry: Function, ansi: Binding, args: Args) -> Typed | None:
    """Sums of whole numbers wrap, those of decimals are null where they do not fit; those of intervals fail as ever."""
    plain = entry.bind(ansi, args)
    assert isinstance(plain, AggCall)
    kind = plain.args[0].type
    if isinstance(kind, t.DecimalType):
        return replace(plain, function=f"try_{plain.function}")
    if not isinstance(plain.type, t.LongType):
        return None
    wide = entry.bind(ansi, (cast(plain.args[0], t.DecimalType(20, 0)),))
    return Convert(plain.type, True, wide, ansi=False)


def _zero(like: Typed) -> Typed:
    return cast(Const(t.IntegerType(), False, 0), like.type)


def _check(name: str, given: Typed, bound: Typed) -> None:
    """Raises: PlanError where `given` was cast in a way that has other rules without ANSI."""
    for part in _parts(bound):
        if not isinstance(part, Convert) or part.child is not given:
            continue
        source, to = given.type, part.type
        if part.safe or not part.ansi:
            continue
        plain = isinstance(to, t.StringType) and isinstance(source, t.AtomicType)
        exact = isinstance(source, t.IntegralType | t.DecimalType) and isinstance(to, t.IntegralType | t.DecimalType)
        moments = isinstance(source, t.DateType) and isinstance(to, t.TimestampType | t.TimestampNTZType)
        as_double = isinstance(source, t.NumericType) and isinstance(to, t.DoubleType)
        if not (plain or exact or moments or as_double):
            raise _refused(name, f", with an implicit cast of {source.sql()} to {to.sql()}")


def _parts(typed: Typed) -> list[Typed]:
    found = [typed]
    if isinstance(typed, Apply | AggCall):
        for arg in typed.args:
            found += _parts(arg)
    elif isinstance(typed, Convert):
        found += _parts(typed.child)
    return found


def _refused(name: str, how: str) -> PlanError:
    return PlanError(
        f"`{name}` is computed by ANSI rules only{how}. Leave spark.sql.ansi.enabled at true, and use try_ functions "
        "and casts where a null is wanted instead of an error.",
        code="UNSUPPORTED_FEATURE",
        function=name,
    )
