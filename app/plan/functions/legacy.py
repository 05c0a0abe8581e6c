"""`spark.sql.ansi.enabled=false`: whole numbers wrap, and nulls stand where ANSI rules fail.

What a function gives under both rules is taken as it is; where they differ, it is said with functions and casts that do
the same under ANSI rules. Implicit casts give null, or a cut number, where ANSI rules fail. The rest is
refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Choose, Const, Convert, Typed
from app.plan.coerce import cast, is_interval
from app.plan.functions.decimals import exact_type
from app.plan.functions.entry import Binding, Function
from app.plan.functions.legacy_types import coerced, kindly
from app.plan.functions.lenient import LENIENT
from app.plan.functions.signature import Args, wrong_type

Lookup = Callable[[str], Function]

# Null, or an error, for what is out of bounds, malformed, or divided by zero.
_TRIED = {
    "/": "try_divide", "%": "try_mod", "element_at": "try_element_at", "to_date": "try_to_date",
    "to_timestamp": "try_to_timestamp", "parse_url": "try_parse_url", "to_timestamp_ltz": "try_to_timestamp",
    "make_timestamp": "try_make_timestamp", "make_timestamp_ltz": "try_make_timestamp_ltz",
    "make_timestamp_ntz": "try_make_timestamp_ntz", "make_interval": "try_make_interval", **LENIENT,
}  # fmt: skip
_WRAPPING = ("+", "-", "*", "neg", "abs", "round", "bround")
_REFUSED = {"corr", "to_timestamp_ntz"}
_OF_ONE_TYPE = {
    "add_months", "atan2", "date_add", "date_format", "date_sub", "date_trunc", "datediff", "hypot", "left", "locate",
    "log", "lpad", "months_between", "pow", "repeat", "right", "rpad", "split_part", "substring", "substring_index",
    "trunc", "date_part", "from_unixtime", "overlay", "bit_get", "shiftleft", "shiftright", "shiftrightunsigned",
    "slice", "width_bucket", "from_utc_timestamp", "to_utc_timestamp", "concat_ws", "unix_timestamp",
    "to_unix_timestamp", "percentile", "percentile_approx", *_TRIED, *_WRAPPING,
}  # fmt: skip
"""Whose parameters are of a type each, whatever the other arguments are."""
_WIDER = {t.ByteType: t.IntegerType(), t.ShortType: t.IntegerType(), t.IntegerType: t.LongType()}


def bind_legacy(entry: Function, lookup: Lookup, binding: Binding, args: Args) -> Apply | AggCall | Typed:
    """The call as it is without ANSI rules. Raises: PlanError UNSUPPORTED_FEATURE."""
    ansi = replace(binding, ansi=True)
    _check_texts(entry.name, args)
    if (compared := _of_comparisons(entry.name, lookup, binding, args)) is not None:
        return compared
    together = coerced(entry.name, args)
    given = args if together is None else together
    bound = _rewritten(entry, lookup, ansi, given)
    if bound is None:
        bound = entry.bind(ansi, given)
        if entry.name in _REFUSED:
            raise _refused(entry.name, "")
    if together is None and entry.name not in _OF_ONE_TYPE and len(args) > 1:
        check_mixed(entry.name, [arg.type for arg in args if not isinstance(arg.type, t.StringType)])
        for arg in args:
            _check(entry.name, arg, bound)
    return _lenient(bound, given)


def _check_texts(name: str, args: Args) -> None:
    """Raises: PlanError where Spark takes no text."""
    if name in ("~", "timestamp_seconds") and args and isinstance(args[0].type, t.StringType):
        raise wrong_type(name, 0, "NUMERIC", args[0])
    days = args[1] if name in ("date_add", "date_sub") and len(args) == 2 else None
    if isinstance(days, Const) and isinstance(days.value, str) and not re.fullmatch(r"\s*[+-]?\d+\s*", days.value):
        raise PlanError(
            f"The second argument of `{name}` needs to be an integer, but is '{days.value}'. Write a whole number.",
            code="SECOND_FUNCTION_ARGUMENT_NOT_INTEGER",
        )


def _of_comparisons(name: str, lookup: Lookup, binding: Binding, args: Args) -> Typed | None:
    """BETWEEN and nullif, which are comparisons of pairs."""
    if name == "between" and len(args) == 3:
        low, high = (lookup(sign).bind(binding, (args[0], args[n])) for n, sign in ((1, ">="), (2, "<=")))
        return lookup("and").bind(binding, (low, high))
    if name == "nullif" and len(args) == 2:
        same = lookup("==").bind(binding, args)
        return Choose(args[0].type, True, ((same, Const(args[0].type, True, None)),), args[0])
    return None


def _lenient(bound: Apply | AggCall | Typed, args: Args) -> Apply | AggCall | Typed:
    """The call with null, or a cut number, where an argument is not of the type that it takes."""

    def cast_kindly(part: Typed) -> Typed:
        if not isinstance(part, Convert) or part.safe or not any(part.child is given for given in args):
            return part
        if isinstance(part.child.type, t.StringType) and isinstance(part.type, t.BooleanType):
            raise wrong_type(bound.function, 0, "BOOLEAN", part.child)  # type: ignore[union-attr]
        return kindly(part.child, part.type)

    if isinstance(bound, Convert) and isinstance(bound.child, Apply):
        return replace(bound, child=_lenient(bound.child, args), nullable=True)
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
    if name in ("unix_timestamp", "to_unix_timestamp") and args and isinstance(args[0].type, t.StringType):
        pattern = args[1] if len(args) > 1 else Const(t.StringType(), False, "yyyy-MM-dd HH:mm:ss")
        return entry.bind(ansi, (lookup("try_to_timestamp").bind(ansi, (args[0], pattern)), *args[1:]))
    if name == "to_timestamp_ntz" and len(args) == 1 and isinstance(args[0].type, t.StringType):
        return kindly(args[0], t.TimestampNTZType())
    if name == "elt" and len(args) > 1:
        texts = lookup("array").bind(ansi, tuple(kindly(arg, _elt_type(args[1:])) for arg in args[1:]))
        at = lookup("-").bind(ansi, (kindly(args[0], t.IntegerType()), Const(t.IntegerType(), False, 1)))
        return lookup("get").bind(ansi, (texts, at))
    if name == "/" and len(args) == 2 and is_interval(args[0].type):
        return None
    if name == "pmod" and (found := _decimal_pmod(entry, lookup, ansi, args)) is not None:
        return found
    if name in ("div", "pmod") and len(args) == 2:
        if isinstance(args[1], Const) and args[1].value:
            return None
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
    if isinstance(plain.type, t.DecimalType) and len(args) == 2 and entry.name in "+-*":
        return lookup({"+": "try_add", "-": "try_subtract", "*": "try_multiply"}[entry.name]).bind(ansi, args)
    if not isinstance(plain.type, t.IntegralType) or not isinstance(plain, Apply):
        return None
    wide = _WIDER.get(type(plain.type), t.DecimalType(20, 0))
    first = 1 if entry.name in ("round", "bround") else len(args)
    computed = entry.bind(ansi, (*(cast(arg, wide) for arg in plain.args[:first]), *args[first:]))
    return Convert(plain.type, plain.nullable, computed, True, False)


def _decimal_pmod(entry: Function, lookup: Lookup, ansi: Binding, args: Args) -> Typed | None:
    """Null where the remainder is larger than its type, or there is none."""
    plain = entry.bind(ansi, args)
    if not isinstance(plain.type, t.DecimalType) or not isinstance(plain, Apply):
        return None
    a, b = plain.args
    wide = (
        exact_type(a.type, b.type) if isinstance(a.type, t.DecimalType) and isinstance(b.type, t.DecimalType) else None
    )
    if wide is None:
        return None
    divisor = lookup("nullif").bind(ansi, (cast(b, wide), _zero(cast(b, wide))))
    return Convert(plain.type, True, entry.bind(ansi, (cast(a, wide), divisor)), True, False)


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
    return Convert(plain.type, True, wide, True, False)


def _elt_type(values: Args) -> t.DataType:
    binary = all(isinstance(value.type, t.BinaryType) for value in values)
    return t.BinaryType() if binary else t.StringType()


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
