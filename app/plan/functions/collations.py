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
from app.plan.bound import AggCall, Apply, Choose, Const, Convert, Typed
from app.plan.functions.collation_keys import BINARY, LCASE, has_folded, has_folded_key, is_folded, key_sql, recollated
from app.plan.functions.entry import Binding, Function
from app.plan.functions.folded_calls import folded_call, literal
from app.plan.functions.folded_sets import SETS as _SETS
from app.plan.functions.signature import Args, Param, describe, different_types, scalar, wrong_type

_TEXT, _FOLDED = t.StringType(), t.StringType(LCASE)
_KEY, _SEARCH_KEY = "collation key", "collation search key"

_COMPARE = frozenset(["==", "<=>", "<", "<=", ">", ">=", "in", "equal_null"])
_SEARCH_TEXT = "contains startswith endswith instr locate position find_in_set like ilike"
_SEARCH = frozenset(_SEARCH_TEXT.split())
_UNITED_TEXT = (
    "overlay instr locate find_in_set contains startswith endswith concat concat_ws levenshtein lpad rpad coalesce nvl "
    "if greatest least replace split_part substring_index regexp_replace array"
)
UNITED = frozenset([*_COMPARE, *_UNITED_TEXT.split()])
"""Calls in whose names Spark shows the collation that their literals get."""
_KEEP_TEXT = (
    "min max min_by max_by first last any_value count isnull isnotnull lag lead nth_value typeof collation collate "
    "grouping grouping_id collect_list map_keys map_values map_entries map_filter map_from_arrays map transform "
    "transform_values filter exists forall aggregate zip_with arrays_zip array_compact array_repeat array_size size "
    "reverse flatten slice getitem getfield element_at try_element_at get named_struct struct explode posexplode "
    "inline stack to_json to_csv hash xxhash64 shuffle map_contains_key map_concat sort_array array_sort array_min "
    "array_max array_prepend array_insert"
)
_KEEP = frozenset([*_KEEP_TEXT.split(), _KEY, _SEARCH_KEY])
"""These take the string as it is; none of them tells two apart but by `order_key`."""
_OF_KEYS_TEXT = "typeof map map_from_arrays map_keys map_values map_entries count isnull isnotnull size"
_OF_KEYS = frozenset(_OF_KEYS_TEXT.split())
"""Of those, the ones that do not look for a key in a map."""
_OF_ELEMENTS = frozenset(["array_contains", "array_position", "arrays_overlap"])
_UNITE_TEXT = "coalesce ifnull nvl nvl2 if greatest least array array_append"
_UNITE = frozenset(_UNITE_TEXT.split())
"""The same, and their strings get one collation."""
_BUILD_TEXT = (
    "upper lower initcap substring left right concat concat_ws repeat reverse lpad rpad overlay listagg mask elt hex "
    "conv make_valid_utf8 array_join"
)
_BUILD = frozenset(_BUILD_TEXT.split())
"""These give a string of the same collation and do not look at the case."""
_MEASURE_TEXT = (
    "length octet_length bit_length ascii md5 sha1 sha2 crc32 hash xxhash64 levenshtein to_date to_timestamp encode "
    "to_number base64 parse_url soundex quote json_array_length json_object_keys get_json_object from_json from_csv "
    "schema_of_json parse_json try_parse_json unhex unbase64 url_encode url_decode luhn_check is_valid_utf8 to_binary "
    "unix_timestamp to_unix_timestamp to_timestamp_ntz date_format trunc date_trunc from_utc_timestamp "
    "to_utc_timestamp to_char format_number sum avg percentile percentile_approx histogram_numeric int bigint double "
    "float decimal date timestamp string binary smallint tinyint boolean"
)
_MEASURE = frozenset([*_MEASURE_TEXT.split(), "approx_count_distinct", *"+-*/%", "div"])
_BY_KEY = frozenset(["approx_count_distinct"])


def check_carried(kind: t.DataType, what: str) -> None:
    """Returns if strings of the type have collations that are there, and stand where they may. Raises: PlanError."""
    match kind:
        case t.StringType():
            checked_name(kind.collation)
        case t.ArrayType(element):
            check_carried(element, what)
        case t.MapType(key, value):
            check_carried(value, what)
            if has_folded(key):
                raise PlanError(
                    f'{what} has the type "{kind.sql()}": keys of maps with a collation are not supported. Make them '
                    "small letters, or keep them in an array beside.",
                    code="UNSUPPORTED_FEATURE",
                )
        case t.StructType():
            for f in kind:
                check_carried(f.dataType, what)


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
    """What strings, alone or inside a value, are compared by."""
    return Apply(recollated(typed.type, BINARY), typed.nullable, _KEY, (typed,))


def keyed(typed: Typed) -> Typed:
    """The same of a value in which there is a string whose case does not matter; any other as it is."""
    return collation_key(typed) if has_folded(typed.type) else typed


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
    strings = [arg for arg in args if _has_text(arg.type)]
    if not any(has_folded(arg.type) for arg in strings):
        return args
    strengths = [(_strength(arg), t.StringType(LCASE if has_folded(arg.type) else BINARY)) for arg in strings]
    strongest = max(strength for strength, _ in strengths)
    found = list(dict.fromkeys(kind for strength, kind in strengths if strength == strongest))
    if len(found) > 1 and strongest == _EXPLICIT:
        names = ", ".join(f'"STRING COLLATE {kind.collation}"' for kind in found)
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
    return tuple(_as(arg, recollated(arg.type, found[0].collation)) for arg in args)


def _has_text(kind: t.DataType) -> bool:
    return recollated(kind, LCASE) != kind or has_folded(kind)


_DEFAULT, _IMPLICIT, _EXPLICIT = 0, 1, 2


def _strength(typed: Typed) -> int:
    """How much the collation of an expression counts: named by COLLATE, a column's, or that of a literal."""
    match typed:
        case Const():
            return _DEFAULT
        case Apply(function="collate"):
            return _EXPLICIT
        case Convert(child=child, type=kind):
            if not _has_text(child.type):
                return _DEFAULT
            return _IMPLICIT if has_folded(kind) and not has_folded(child.type) else _strength(child)
        case Apply(args=args) | AggCall(args=args):
            inside = args
        case Choose(branches=branches, otherwise=otherwise):
            inside = (*(value for _, value in branches), *((otherwise,) if otherwise else ()))
        case _:
            return _IMPLICIT
    return max((_strength(arg) for arg in inside if _has_text(arg.type)), default=_DEFAULT)


def _as(typed: Typed, kind: t.DataType) -> Typed:
    return typed if typed.type == kind else Convert(kind, typed.nullable, typed)


def _plain(args: Args) -> Args:
    return tuple(_as(arg, recollated(arg.type, BINARY)) for arg in args)


def concerns(args: Args) -> bool:
    """Whether a string whose case does not matter is among the arguments, or inside one."""
    return any(has_folded(arg.type) for arg in args)


def bind_folded(entry: Function, binding: Binding, args: Args) -> Apply | AggCall:
    """Binds a call on such strings. Raises: PlanError."""
    name = entry.name
    shown = f"{name}({', '.join(map(describe, args))})"
    keys = any(has_folded_key(arg.type) for arg in args)
    as_it_is = name in _KEEP and not (name in _BUILD and is_folded(args[0].type))
    if as_it_is and (name in _OF_KEYS or not keys):
        return entry.bind(binding, args)
    if name in _OF_ELEMENTS or name in _SETS:
        return _of_elements(entry, binding, united(args, shown))
    _refuse(name, shown, args, keys)
    if name in _MEASURE:
        kept = tuple(collation_key(arg) if is_folded(arg.type) else arg for arg in args) if name in _BY_KEY else args
        return entry.bind(binding, _plain(tuple(literal(arg) or arg for arg in kept)))
    if name == "decode" and len(args) > 2 and not any(is_folded(arg.type) for arg in _results(args)):
        return _found(folded_call(entry, binding, args, _compared_key))
    if name == "nullif":
        united(args, shown)
        return _found(folded_call(entry, binding, args, _compared_key))
    return _of_one_collation(entry, binding, args, shown)


def _refuse(name: str, shown: str, args: Args, keys: bool) -> None:
    """Raises: PlanError for calls that Spark has not either, and for those that are left out."""
    if name == "collect_set":
        raise PlanError(
            f'Cannot resolve "{shown}" due to data type mismatch: the input of `collect_set` cannot be of a type with '
            "a collation. Make it small letters, or take collect_list with array_distinct.",
            code="DATATYPE_MISMATCH.UNSUPPORTED_INPUT_TYPE",
        )
    nested = any(has_folded(arg.type) and not is_folded(arg.type) for arg in args)
    if keys or (nested and name not in _COMPARE | _UNITE | {"array_join", "concat"}):
        raise _refused(name)
    if name == "listagg" and len(args) > 1 and not isinstance(args[1].type, t.NullType):
        raise different_types(name, args)


def _of_one_collation(entry: Function, binding: Binding, args: Args, shown: str) -> Apply | AggCall:
    """A call whose strings get the collation that prevails."""
    name = entry.name
    if name == "split" and not is_folded(args[0].type):
        return entry.bind(binding, _plain(tuple(literal(arg) or arg for arg in args)))
    first = 1 if name in ("nvl2", "if") else 0
    args = (*args[:first], *united(args[first:], shown))
    if not concerns(args[first:]) or (name == "concat" and any(isinstance(arg.type, t.ArrayType) for arg in args)):
        return entry.bind(binding, args)
    if (searched := folded_call(entry, binding, _plain(args), _compared_key)) is not None:
        return _found(replace(searched, type=recollated(searched.type, LCASE)))
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
    return collation_key(_as(arg, _FOLDED)) if isinstance(arg.type, t.StringType) else keyed(arg)


def _found(call: Typed | None) -> Apply | AggCall:
    assert call is not None
    return call  # type: ignore[return-value]


def _keyed(name: str, args: Args) -> Args:
    """The keys of strings; of other types that are compared with a string, what they are compared as is left alone."""
    texts = all(isinstance(arg.type, (t.StringType, t.NullType)) for arg in args)
    if name in _COMPARE and not texts and any(is_folded(arg.type) for arg in args):
        return _plain(args)
    key = _KEY if name in _COMPARE else _SEARCH_KEY
    return tuple(
        Apply(_TEXT, arg.nullable, key, (arg,)) if isinstance(arg.type, t.StringType) else keyed(arg) for arg in args
    )


def _of_elements(entry: Function, binding: Binding, args: Args) -> Apply | AggCall:
    """What looks for elements of arrays that are equal."""
    if entry.name in _OF_ELEMENTS:
        return entry.bind(binding, tuple(map(keyed, args)))
    bound = entry.bind(binding, args)
    if not all(is_folded(arg.type.elementType) for arg in bound.args if isinstance(arg.type, t.ArrayType)):
        raise _refused(entry.name)
    return replace(bound, function=_SETS[entry.name])


def by_key(call: AggCall, name: str) -> AggCall:
    """A DISTINCT aggregate over such strings: counted by key, else refused."""
    if not concerns(call.args):
        return call
    if call.function != "count":
        raise _refused(f"{name}(DISTINCT …)")
    return replace(call, args=tuple(map(keyed, call.args)))


def _refused(name: str) -> PlanError:
    shown = "Taking an element by […]" if name == "getitem" else f"`{name}`"
    return PlanError(
        f"{shown} is not supported on strings with the collation {LCASE}. Give it the string COLLATE {BINARY}, or in "
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
    scalar(_KEY, (_ANY,), _TEXT, lambda call, args: key_sql(args[0], call.args[0].type)),
    scalar(_SEARCH_KEY, (_ANY_STRING,), _TEXT, "wt_search_folded({0})"),
)
