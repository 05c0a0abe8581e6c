"""`spark.sql.ansi.enabled=false`: whole numbers wrap, and nulls stand where ANSI rules fail.

What a function gives under both rules is taken as it is; where they differ, it is said with functions and casts that do
the same under ANSI rules. Implicit casts give null, or a cut number, where ANSI rules fail. The rest is
refused by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

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
_TIMES = (t.DateType, t.TimestampType, t.TimestampNTZType)
_NEVER_NULL = {"regr_count", "isnan"}
_ZERO = Const(t.IntegerType(), False, 0)
_WIDER = {t.ByteType: t.IntegerType(), t.ShortType: t.IntegerType(), t.IntegerType: t.LongType()}


def bind_legacy(entry: Function, lookup: Lookup, binding: Binding, args: Args) -> Apply | AggCall | Typed:
    """The call as it is without ANSI rules. Raises: PlanError UNSUPPORTED_FEATURE."""
    ansi = replace(binding, ansi=True)
    if (compared := _of_comparisons(entry.name, lookup, binding, args)) is not None:
        return compared
    together = coerced(entry.name, args)
    given = args if together is None else together
    bound = _rewritten(entry, lookup, ansi, given)
    return _lenient(entry.name, entry.bind(ansi, given) if bound is None else bound, given)


def _of_comparisons(name: str, lookup: Lookup, binding: Binding, args: Args) -> Typed | None:
    """BETWEEN and nullif, which are comparisons of pairs."""
    if name == "between" and len(args) == 3:
        low, high = (lookup(sign).bind(binding, (args[0], args[n])) for n, sign in ((1, ">="), (2, "<=")))
        return lookup("and").bind(binding, (low, high))
    if name == "nullif" and len(args) == 2:
        same = lookup("==").bind(binding, args)
        return Choose(args[0].type, True, ((same, Const(args[0].type, True, None)),), args[0])
    if name == "nullifzero" and len(args) == 1:
        return lookup("nullif").bind(binding, (args[0], _ZERO))
    if name == "zeroifnull" and len(args) == 1:
        return lookup("coalesce").bind(binding, (args[0], _ZERO))
    if name == "decode" and len(args) > 2:
        return _decoded(lookup, binding, args)
    return None


def _decoded(lookup: Lookup, binding: Binding, args: Args) -> Typed:
    """`decode` of several values: each is compared by itself, and what may be the result gets one type."""
    last = (len(args) - 1) // 2 * 2
    default = args[-1] if len(args) % 2 == 0 else Const(t.NullType(), True, None)
    results = coerced("coalesce", (*args[2 : last + 1 : 2], default))
    assert results is not None
    same = (lookup("<=>").bind(binding, (args[0], sought)) for sought in args[1:last:2])
    nullable = any(result.nullable for result in results)
    return Choose(results[0].type, nullable, tuple(zip(same, results, strict=False)), results[-1])


def _lenient(name: str, bound: Typed, args: Args) -> Apply | AggCall | Typed:
    """The call with null, or a cut number, where an argument is not of the type that it takes."""

    def kind(part: Typed) -> Typed:
        if any(part is given for given in args):
            return part
        match part:
            case Convert(child=child, safe=False) if any(child is given for given in args):
                if isinstance(child.type, t.StringType) and isinstance(part.type, t.BooleanType):
                    raise wrong_type(name, 0, "BOOLEAN", child)
                return kindly(child, part.type)
            case Convert(child=child):
                found = kind(child)
                return part if found is child else replace(part, child=found, nullable=True)
            case Apply(args=inner) | AggCall(args=inner):
                kept = tuple(map(kind, inner))
                same = all(a is b for a, b in zip(inner, kept, strict=True))
                return part if same else replace(part, args=kept, nullable=part.nullable or name not in _NEVER_NULL)
        return part

    return kind(bound)


def _rewritten(entry: Function, lookup: Lookup, ansi: Binding, args: Args) -> Apply | AggCall | Typed | None:
    name = entry.name
    times = bool(args) and isinstance(args[0].type, _TIMES)
    if name in _WRAPPING:
        return _wrapped(entry, lookup, ansi, args)
    if name in ("unix_timestamp", "to_unix_timestamp") and args and isinstance(args[0].type, t.StringType):
        pattern = args[1] if len(args) > 1 else Const(t.StringType(), False, "yyyy-MM-dd HH:mm:ss")
        return entry.bind(ansi, (lookup("try_to_timestamp").bind(ansi, (args[0], pattern)), *args[1:]))
    if name == "to_timestamp_ntz" and len(args) == 1 and isinstance(args[0].type, t.AtomicType) and not times:
        return kindly(kindly(args[0], t.StringType()), t.TimestampNTZType())
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
