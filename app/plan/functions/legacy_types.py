"""The implicit casts of a call without ANSI rules, for functions whose arguments get a type together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import Convert, Typed
from app.plan.coerce import alike, cast, implicitly_castable, same_type
from app.plan.coerce_legacy import Widen, common, comparable, tightest, wider, without_texts
from app.plan.functions.signature import Args, describe, different_types, wrong_type

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "<=>")
ARITHMETIC = ("+", "-", "*", "/", "%", "div", "pmod")
_TRIED = {"try_add": "+", "try_subtract": "-", "try_multiply": "*", "try_divide": "/", "try_mod": "%"}
_DOUBLE = t.DoubleType()
_TIMES = (t.DateType, t.TimestampType, t.TimestampNTZType)


@dataclass(frozen=True, slots=True)
class _Together:
    """Which arguments get one type, and by which rule it is found."""

    widen: Widen
    groups: Callable[[Args], Sequence[slice]]


def _all(widen: Widen, first: int = 0, last: int | None = None) -> _Together:
    return _Together(widen, lambda _: (slice(first, last),))


_OF_ARRAYS = "concat of arrays"
_OF_SETS = ("array_union", "array_except", "array_intersect", "arrays_overlap")
_NO_NULLS = (_OF_ARRAYS, *_OF_SETS)
_TOGETHER: dict[str, _Together] = {
    **{name: _all(wider) for name in ("coalesce", "nvl", "array", "in", "sequence", "map_concat", "nanvl", _OF_ARRAYS)},
    **{name: _all(without_texts) for name in _OF_SETS},
    **{name: _all(wider, 1) for name in ("if", "nvl2")},
    "map": _Together(wider, lambda _: (slice(0, None, 2), slice(1, None, 2))),
    **{name: _all(without_texts) for name in ("greatest", "least")},
}
_KEYED = ("element_at", "try_element_at", "map_contains_key")
_ELEMENTS = {"array_contains", "array_position", "array_remove", "array_append", "array_prepend"}


def coerced(name: str, args: Args) -> Args | None:
    """The arguments as Spark casts them to types they have in common; None where the function has no such rule."""
    if len(args) == 2 and name in _PAIRED:
        return _PAIRED[name](name, args[0], args[1])
    if len(args) == 2 and name in _TRIED and all(isinstance(arg.type, (t.StringType, t.NumericType)) for arg in args):
        return _computed(_TRIED[name], *args)
    if len(args) == 2 and name == "try_subtract" and any(isinstance(arg.type, _TIMES) for arg in args):
        return _moved("-", args[0], args[1])
    if len(args) == 3 and name == "array_insert":
        array, value = _element(name, args[0], args[2])
        return (array, args[1], value)
    if len(args) == 3 and name in ("lag", "lead") and implicitly_castable(args[2].type, args[0].type):
        return (args[0], args[1], kindly(args[2], args[0].type))
    if len(args) == 2 and name in ("and", "or", "&", "|", "^") and _unequal(args):
        raise _incomparable(name, args[0], args[1])
    if name == "concat":
        if not any(isinstance(arg.type, t.ArrayType) for arg in args):
            return _texts(args)
        name = _OF_ARRAYS
    together = _TOGETHER.get(name)
    if together is None or (name == "in" and all(alike(args[0].type, arg.type) for arg in args)):
        return None
    found = list(args)
    for group in together.groups(args):
        kind = common((arg.type for arg in found[group]), together.widen)
        if kind is None or (name in _NO_NULLS and any(isinstance(arg.type, t.NullType) for arg in args)):
            raise _unlike(name.removesuffix(" of arrays"), found[group])
        found[group] = [kindly(arg, kind) for arg in found[group]]
    return tuple(found)


def _texts(args: Args) -> Args:
    for at, arg in enumerate(args):
        if isinstance(arg.type, (t.StructType, t.MapType)):
            raise wrong_type("concat", at, 'STRING" or "BINARY" or "ARRAY', arg)
    return args


def kindly(typed: Typed, to: t.DataType) -> Typed:
    """A cast by the rules without ANSI: null, or a cut number, where ANSI rules fail."""
    made = cast(typed, to)
    if not isinstance(made, Convert) or same_type(typed.type, to):
        return made
    if isinstance(to, t.StringType):
        tiny = isinstance(typed.type, t.DecimalType) and typed.type.scale > 6
        return Convert(to, made.nullable, typed, False, False) if tiny else made
    return Convert(to, True, typed, True, False)


def _compared(name: str, left: Typed, right: Typed) -> Args:
    flags = [isinstance(side.type, t.BooleanType) for side in (left, right)]
    numbers = [isinstance(side.type, t.NumericType) for side in (left, right)]
    if any(flags) and any(numbers) and name in ("==", "!=", "<=>"):
        return (_as_number(left, right), _as_number(right, left))
    kind = comparable(left.type, right.type)
    if kind is None and alike(left.type, right.type):
        return (left, right)
    if kind is None:
        raise _incomparable(name, left, right)
    return (kindly(left, kind), kindly(right, kind))


def _incomparable(name: str, left: Typed, right: Typed) -> PlanError:
    return PlanError(
        f'Cannot resolve "({describe(left)} {name} {describe(right)})" due to data type mismatch: the left and right '
        f'operands of the binary operator have incompatible types ("{left.type.sql()}" and "{right.type.sql()}"). Cast '
        "one of them.",
        code="DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
    )


def _as_number(side: Typed, beside: Typed) -> Typed:
    return cast(side, beside.type) if isinstance(side.type, t.BooleanType) else side


def _computed(name: str, left: Typed, right: Typed) -> Args:
    """Texts are doubles, unless there is a time or an interval beside; whole numbers beside a float are floats."""
    sides = (left, right)
    if any(isinstance(side.type, _TIMES) for side in sides):
        return _moved(name, left, right)
    if {t.TimeType, t.StringType} == {type(side.type) for side in sides}:
        raise _incomparable(name, left, right)
    floats = [isinstance(side.type, (t.StringType, t.FloatType, t.DoubleType)) for side in sides]
    if name == "div" and any(floats) and not all(floats):
        raise _incomparable(name, left, right)
    if name == "div" and any(isinstance(side.type, t.NullType) for side in sides):
        left, right = (_null_of(side, other.type) for side, other in ((left, right), (right, left)))
    plain = (t.NumericType, t.StringType, t.NullType, t.BooleanType)
    texts = any(isinstance(side.type, t.StringType) for side in sides)
    if all(isinstance(side.type, plain) for side in sides) and (texts or name in ("/", "pmod")):
        loose = (t.StringType, t.NullType)
        beside = [_DOUBLE if texts or (name == "/" and side is left) else other.type
                  for side, other in ((left, right), (right, left))]  # fmt: skip
        left, right = (
            kindly(s, kind) if isinstance(s.type, loose) else s for s, kind in zip(sides, beside, strict=True)
        )
    kind = tightest(left.type, right.type)
    if name == "/" and isinstance(kind, t.FloatType):
        kind = _DOUBLE
    if isinstance(kind, t.FloatType) or (isinstance(kind, t.DoubleType) and left.type != right.type):
        return (cast(left, kind), cast(right, kind))
    return (left, right)


def _null_of(side: Typed, beside: t.DataType) -> Typed:
    """A null as a value of the type beside it."""
    if not isinstance(side.type, t.NullType):
        return side
    return cast(side, t.LongType() if isinstance(beside, t.NullType) else beside)


def _moved(name: str, left: Typed, right: Typed) -> Args:
    """A date or timestamp, and what is added or subtracted."""
    for one, other in ((left, right), (right, left)):
        moving = (t.LongType, t.StringType) if name == "+" else (t.LongType,)
        if isinstance(one.type, t.DateType) and isinstance(other.type, moving) and name in "+-":
            raise wrong_type(name, 1, 'INT" or "SMALLINT" or "TINYINT', other)
    if name == "+":
        span = t.DayTimeIntervalType()
        return tuple(cast(side, span) if isinstance(side.type, t.NullType) else side for side in (left, right))
    if name != "-":
        return (left, right)
    texts = [isinstance(side.type, t.StringType) for side in (left, right)]
    if texts[1] or (texts[0] and not isinstance(right.type, t.DateType)):
        raise wrong_type(name, 0 if texts[0] else 1, right.type.sql(), left if texts[0] else right)
    if texts[0] or isinstance(left.type, t.NullType):
        left = kindly(left, right.type)
    if isinstance(right.type, t.NullType):
        right = cast(right, left.type)
    return (left, right)


def _unequal(args: Args) -> bool:
    """Whether two sides that are not null are of types that have nothing in common."""
    kinds = [arg.type for arg in args]
    numbers = all(isinstance(kind, t.IntegralType) for kind in kinds)
    return not numbers and tightest(*kinds) is None


def _element(name: str, array: Typed, value: Typed) -> Args:
    """An array and what is looked for among its elements."""
    if not isinstance(array.type, t.ArrayType) or isinstance(value.type, t.NullType):
        return (array, value)
    widen = without_texts if name == "array_contains" else tightest
    kind = widen(array.type.elementType, value.type)
    if kind is None:
        raise _mismatch(name, "ARRAY_FUNCTION_DIFF_TYPES", (array, value))
    return (kindly(array, t.ArrayType(kind, array.type.containsNull)), kindly(value, kind))


def _key(name: str, of: Typed, key: Typed) -> Args:
    """A map or an array, and what is looked for in it."""
    fits = isinstance(key.type, (t.IntegralType, t.NullType))
    if isinstance(of.type, t.ArrayType) and name == "getitem" and not fits:
        raise wrong_type(name, 1, "INTEGRAL", key)
    if not isinstance(of.type, t.MapType) or isinstance(key.type, t.NullType):
        return (of, key)
    if name == "getitem":
        return (of, kindly(key, of.type.keyType)) if implicitly_castable(key.type, of.type.keyType) else (of, key)
    kind = (without_texts if name == "map_contains_key" else tightest)(of.type.keyType, key.type)
    if kind is None:
        raise _mismatch(name, "MAP_FUNCTION_DIFF_TYPES", (of, key))
    return (kindly(of, t.MapType(kind, of.type.valueType, of.type.valueContainsNull)), kindly(key, kind))


def _unlike(name: str, args: Sequence[Typed]) -> PlanError:
    arrays = name in _OF_SETS
    return _mismatch(name, "BINARY_ARRAY_DIFF_TYPES", args) if arrays else different_types(name, args)


def _mismatch(name: str, code: str, args: Sequence[Typed]) -> PlanError:
    return PlanError(
        f"Cannot resolve `{name}` due to data type mismatch: its arguments have the types "
        f"{', '.join(arg.type.sql() for arg in args)}, which have none in common. Cast one of them.",
        code=f"DATATYPE_MISMATCH.{code}",
    )


_PAIRED: dict[str, Callable[[str, Typed, Typed], Args]] = {
    **dict.fromkeys(COMPARISONS, _compared),
    **dict.fromkeys(ARITHMETIC, _computed),
    **dict.fromkeys(_ELEMENTS, _element),
    **dict.fromkeys(("getitem", *_KEYED), _key),
}
"""Functions of two arguments."""
