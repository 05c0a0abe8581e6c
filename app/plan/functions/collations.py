"""Texts that are equal whatever their case: strings with the collation UTF8_LCASE, and what may be done with them.

Comparing goes by a key, the text in lower case. Every function that takes such a string is listed here with what it
makes of it; one that is not is refused by name, for it would tell upper from lower case where Spark does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Choose, Const, Convert, LambdaFn, Typed
from app.plan.functions.entry import Binding, Function
from app.plan.functions.folded_calls import folded_call
from app.plan.functions.signature import Args, Param, describe, different_types, scalar, wrong_type

BINARY, LCASE = "UTF8_BINARY", "UTF8_LCASE"
_TEXT, _FOLDED = t.StringType(), t.StringType(LCASE)
_KEY, _SEARCH_KEY = "collation key", "collation search key"

_COMPARE = frozenset(["==", "<=>", "<", "<=", ">", ">=", "in", "equal_null"])
_SEARCH_TEXT = "contains startswith endswith instr locate position find_in_set like ilike"
_SEARCH = frozenset(_SEARCH_TEXT.split())
_UNITED_TEXT = (
    "overlay instr locate find_in_set contains startswith endswith concat concat_ws levenshtein lpad rpad coalesce nvl "
    "if greatest least replace split_part substring_index regexp_replace"
)
UNITED = frozenset([*_COMPARE, *_UNITED_TEXT.split()])
"""Calls in whose names Spark shows the collation that their literals get."""
_KEEP_TEXT = "min max min_by max_by first last any_value count isnull isnotnull lag lead nth_value typeof"
_KEEP = frozenset([*_KEEP_TEXT.split(), "collation", "collate", _KEY, _SEARCH_KEY])
"""These take the string as it is; none of them tells two apart but by `order_key`."""
_UNITE = frozenset(["coalesce", "ifnull", "nvl", "nvl2", "if", "greatest", "least"])
"""The same, and their strings get one collation."""
_BUILD_TEXT = "upper lower initcap substring left right concat concat_ws repeat reverse lpad rpad overlay listagg"
_BUILD = frozenset(_BUILD_TEXT.split())
"""These give a string of the same collation and do not look at the case."""
_MEASURE_TEXT = (
    "length octet_length bit_length ascii md5 sha1 sha2 crc32 hash xxhash64 levenshtein to_date to_timestamp encode "
    "to_number base64 parse_url soundex quote"
)
_MEASURE = frozenset([*_MEASURE_TEXT.split(), "approx_count_distinct", *"+-*/%", "div"])
_BY_KEY = frozenset(["approx_count_distinct"])


def is_folded(kind: t.DataType) -> bool:
    """Whether values of a type are strings whose case does not matter."""
    return isinstance(kind, t.StringType) and kind.collation != BINARY


def has_folded(kind: t.DataType) -> bool:
    """The same of the type or of any type inside it."""
    match kind:
        case t.ArrayType(element):
            return has_folded(element)
        case t.MapType(key, value):
            return has_folded(key) or has_folded(value)
        case t.StructType():
            return any(has_folded(f.dataType) for f in kind)
    return is_folded(kind)


def check_carried(kind: t.DataType, what: str) -> None:
    """Returns if strings of the type have collations that are there, and stand where they may. Raises: PlanError."""
    if isinstance(kind, t.StringType):
        checked_name(kind.collation)
    elif has_folded(kind):
        raise PlanError(
            f'{what} has the type "{kind.sql()}": a collation inside arrays, maps and structs is not supported. '
            "Keep the string in a column of its own.",
            code="UNSUPPORTED_FEATURE",
        )


def checked_name(name: str) -> str:
    """The name of a collation as Spark writes it. Raises: PlanError."""
    found = name.upper().removeprefix("SYSTEM.BUILTIN.")
    if found in (BINARY, LCASE):
        return found
    if re.fullmatch(r"(UTF8_BINARY|UTF8_LCASE|UNICODE|[A-Z]{2,3}(_[A-Z]+)*?)(_(CI|CS|AI|AS|RTRIM))+|UNICODE", found):
        raise PlanError(
            f"The collation {name} is not supported; there are {BINARY} and {LCASE}.", code="UNSUPPORTED_FEATURE"
        )
    raise PlanError(
        f"The value {name} does not represent a correct collation name. There are {BINARY} and {LCASE}.",
        code="COLLATION_INVALID_NAME",
    )


def collation_key(typed: Typed) -> Apply:
    """The text by which a string is compared."""
    return Apply(_TEXT, typed.nullable, _KEY, (typed,))


def first_spelling(typed: Typed) -> AggCall:
    """What a group shows of strings with one key."""
    return AggCall(typed.type, typed.nullable, "first", (typed,))


def spelling(key: Typed) -> AggCall | None:
    """The aggregate that shows a group key, where that is not the key itself."""
    return first_spelling(key.args[0]) if isinstance(key, Apply) and key.function == _KEY else None


def united(args: Iterable[Typed], shown: str) -> Args:
    """The arguments, all strings among them with the collation that prevails. Raises: PlanError COLLATION_MISMATCH.…,
    INDETERMINATE_COLLATION_IN_EXPRESSION."""
    args = tuple(args)
    strings = [arg for arg in args if isinstance(arg.type, t.StringType)]
    if not any(is_folded(arg.type) for arg in strings):
        return args
    strengths = [(_strength(arg), arg.type) for arg in strings]
    strongest = max(strength for strength, _ in strengths)
    found = list(dict.fromkeys(kind for strength, kind in strengths if strength == strongest))
    if len(found) > 1 and strongest == _EXPLICIT:
        names = ", ".join(f'"STRING COLLATE {kind.collation}"' for kind in found if isinstance(kind, t.StringType))
        raise PlanError(
            "Could not determine which collation to use for string functions and operators. Error occurred due to "
            f"the mismatch between explicit collations: [{names}]. Decide on a single explicit collation and remove "
            "others.",
            code="COLLATION_MISMATCH.EXPLICIT",
        )
    if len(found) > 1:
        raise PlanError(
            f'Data type of "{shown}" has indeterminate collation. Use COLLATE clause to set the collation explicitly.',
            code="INDETERMINATE_COLLATION_IN_EXPRESSION",
        )
    return tuple(_as(arg, found[0]) if isinstance(arg.type, t.StringType) else arg for arg in args)


_DEFAULT, _IMPLICIT, _EXPLICIT = 0, 1, 2


def _strength(typed: Typed) -> int:
    """How much the collation of an expression counts: named by COLLATE, a column's, or that of a literal."""
    match typed:
        case Const():
            return _DEFAULT
        case Apply(function="collate"):
            return _EXPLICIT
        case Convert(child=child, type=kind):
            if not isinstance(child.type, t.StringType):
                return _DEFAULT
            return _IMPLICIT if is_folded(kind) and not is_folded(child.type) else _strength(child)
        case Apply(args=args) | AggCall(args=args):
            inside = args
        case Choose(branches=branches, otherwise=otherwise):
            inside = (*(value for _, value in branches), *((otherwise,) if otherwise else ()))
        case _:
            return _IMPLICIT
    return max((_strength(arg) for arg in inside if isinstance(arg.type, t.StringType)), default=_DEFAULT)


def _as(typed: Typed, kind: t.DataType) -> Typed:
    return typed if typed.type == kind else Convert(kind, typed.nullable, typed)


def _plain(args: Args) -> Args:
    return tuple(_as(arg, _TEXT) if isinstance(arg.type, t.StringType) else arg for arg in args)


def concerns(args: Args) -> bool:
    """Whether a string whose case does not matter is among the arguments, or inside one."""
    return any(has_folded(arg.type) for arg in args)


def bind_folded(entry: Function, binding: Binding, args: Args) -> Apply | AggCall:
    """Binds a call on such strings. Raises: PlanError."""
    name = entry.name
    if any(isinstance(arg, LambdaFn) or (has_folded(arg.type) and not is_folded(arg.type)) for arg in args):
        raise _refused(name)
    shown = f"{name}({', '.join(map(describe, args))})"
    if name in _KEEP:
        return entry.bind(binding, args)
    if name in _MEASURE:
        kept = tuple(collation_key(arg) if is_folded(arg.type) else arg for arg in args) if name in _BY_KEY else args
        return entry.bind(binding, _plain(kept))
    if name == "decode" and len(args) > 2 and not any(is_folded(arg.type) for arg in _results(args)):
        return _found(folded_call(entry, binding, args, _compared_key))
    if name == "nullif":
        united(args, shown)
        return _found(folded_call(entry, binding, args, _compared_key))
    if name == "listagg" and len(args) > 1 and not isinstance(args[1].type, t.NullType):
        raise different_types(name, args)
    args = united(args, shown)
    if not concerns(args):
        return entry.bind(binding, args)
    if (searched := folded_call(entry, binding, _plain(args), _compared_key)) is not None:
        return _found(replace(searched, type=_FOLDED) if searched.type == _TEXT else searched)
    if name in _UNITE:
        return entry.bind(binding, args)
    if name in _COMPARE | _SEARCH:
        return entry.bind(binding, _keyed(name, args))
    if name in _BUILD or (name in ("trim", "ltrim", "rtrim", "btrim") and len(args) == 1):
        bound = entry.bind(binding, _plain(args))
        return replace(bound, type=_FOLDED) if bound.type == _TEXT else bound
    raise _refused(name)


def _results(args: Args) -> Args:
    """What `decode` may give."""
    return (*args[2::2], *args[len(args) - 1 + len(args) % 2 :])


def _compared_key(arg: Typed) -> Typed:
    return collation_key(arg) if isinstance(arg.type, t.StringType) else arg


def _found(call: Typed | None) -> Apply | AggCall:
    assert call is not None
    return call  # type: ignore[return-value]


def _keyed(name: str, args: Args) -> Args:
    """The keys of strings; of other types that are compared with a string, what they are compared as is left alone."""
    if name in _COMPARE and not all(isinstance(arg.type, (t.StringType, t.NullType)) for arg in args):
        return _plain(args)
    key = _KEY if name in _COMPARE else _SEARCH_KEY
    return tuple(Apply(_TEXT, arg.nullable, key, (arg,)) if isinstance(arg.type, t.StringType) else arg for arg in args)


def by_key(call: AggCall, name: str) -> AggCall:
    """A DISTINCT aggregate over such strings: counted by key, else refused."""
    if not concerns(call.args):
        return call
    if call.function != "count":
        raise _refused(f"{name}(DISTINCT …)")
    return replace(call, args=tuple(collation_key(arg) if is_folded(arg.type) else arg for arg in call.args))


def _refused(name: str) -> PlanError:
    return PlanError(
        f"`{name}` is not supported on strings with the collation {LCASE}. Give it the string COLLATE {BINARY}, or in "
        "lower case.",
        code="UNSUPPORTED_FEATURE",
        function=name,
    )


def _collate_args(name: str, _: Binding, args: Args) -> Args:
    if not isinstance(args[0].type, (t.StringType, t.NullType)):
        raise wrong_type(name, 0, "STRING", args[0])
    if not isinstance(args[1], Const):
        raise PlanError(
            f"The function `{name}` requires the parameter `collationName` to be a foldable expression of the type "
            '"STRING", but the actual argument is a non-foldable.',
            code="NON_FOLDABLE_ARGUMENT",
        )
    if not isinstance(args[1].value, str):
        raise PlanError(
            f'Parameter first of function `{name}` requires the "STRING" type, however "NULL" has the type "VOID".',
            code="UNEXPECTED_INPUT_TYPE",
        )
    return (args[0], Const(_TEXT, False, checked_name(args[1].value)))


def _collate_type(args: Args) -> t.DataType:
    name = args[1]
    assert isinstance(name, Const)
    return t.StringType(name.value)


def _print_name(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    kind = call.args[0].type
    return f"'SYSTEM.BUILTIN.{kind.collation if isinstance(kind, t.StringType) else BINARY}'"


_ANY_STRING = Param("STRING", lambda s: s if isinstance(s, (t.StringType, t.NullType)) else None)
_ANY = Param("ANY", lambda s: s)

FUNCTIONS: tuple[Function, ...] = (
    scalar("collate", (_ANY, _ANY), _collate_type, "CAST({0} AS VARCHAR)", prepare=_collate_args),
    scalar("collation", (_ANY_STRING,), _TEXT, _print_name, nullable=False),
    scalar(_KEY, (_ANY_STRING,), _TEXT, "wt_folded({0})"),
    scalar(_SEARCH_KEY, (_ANY_STRING,), _TEXT, "wt_search_folded({0})"),
)
