"""Functions on regular expressions: Java's in meaning, RE2 in execution.

A literal is translated when the query is built. Where RE2 has no equal it goes to Python's engine, as all patterns do
that are no literals, which are translated row by row.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Typed
from app.plan.functions.backtracking import may_be_empty, to_python
from app.plan.functions.entry import Binding, Function
from app.plan.functions.java_regex import (
    count_groups,
    literal_text,
    replacement_to_re2,
    searched,
    to_re2,
)
from app.plan.functions.signature import INT, STRING, Args, literal_value, once, scalar, unsupported

_Print = Callable[[Apply | AggCall, tuple[str, ...]], str]
_TEXT = t.StringType()
_INT = t.IntegerType()
_MARK = "backtracking pattern"
_LINES = re.compile(r"\(\?[a-z]*m")
_PERHAPS_EMPTY = re.compile(r"[*?|$]|\{0|\\[bBAzZ]|(?<!\[)\^")
_ALL = (1 << 31) - 1


def _translated(name: str, pattern: str, for_re2: str, *, goes_on: bool = False) -> Typed:
    """A literal pattern for the engine that can say it; marked, where that is Python's. One that `goes_on` behind
    matches of nothing is Python's too: RE2 leaves out those behind another match. Raises: PlanError."""
    if _LINES.search(pattern):  # RE2 knows one line end, and an empty line behind the last one
        return _backtracking(name, pattern)
    try:
        found = to_re2(name, for_re2)
    except PlanError as error:
        if error.code != "UNSUPPORTED_FEATURE.REGEX":
            raise
        return _backtracking(name, pattern)
    return _backtracking(name, pattern) if goes_on and _may_be_empty(name, pattern) else Const(_TEXT, False, found)


def _may_be_empty(name: str, pattern: str) -> bool:
    try:
        return may_be_empty(to_python(name, pattern))
    except PlanError:  # what RE2 alone can say
        if _PERHAPS_EMPTY.search(pattern):
            raise
    return False


def _backtracking(name: str, pattern: str) -> Apply:
    return Apply(_TEXT, False, _MARK, (Const(_TEXT, False, to_python(name, pattern)),))


def _backtracks(pattern: Typed) -> bool:
    return not isinstance(pattern, Const)


def _python_pattern(call: Apply | AggCall, printed: str) -> str:
    """The pattern of a call for Python's engine, as text of SQL."""
    pattern = call.args[1]
    if isinstance(pattern, Apply) and pattern.function == _MARK:
        return printed
    return f"wa_python_pattern({printed}, '{call.function}')"


def _pattern(name: str, _: Binding, args: Args, *, goes_on: bool = False) -> Args:
    """The arguments with a literal pattern (the second) translated."""
    pattern = args[1]
    if not isinstance(pattern, Const) or pattern.value is None:
        return args
    return (args[0], _translated(name, pattern.value, pattern.value, goes_on=goes_on), *args[2:])


def _all_of(name: str, binding: Binding, args: Args) -> Args:
    return _pattern(name, binding, args, goes_on=True)


def _over(printed: str | _Print, backtracking: str | _Print) -> _Print:
    """The printer, and the other one for Python's engine."""

    def print_call(call: Apply | AggCall, args: tuple[str, ...]) -> str:
        printer = printed
        if _backtracks(call.args[1]):
            printer, args = backtracking, (args[0], _python_pattern(call, args[1]), *args[2:])
        return printer.format(*args) if isinstance(printer, str) else printer(call, args)

    return print_call


def _searched(name: str, binding: Binding, args: Args) -> Args:
    pattern = args[1]
    text = pattern.value if isinstance(pattern, Const) and isinstance(pattern.value, str) else ""
    return (args[0], _translated(name, text, searched(text)), *args[2:]) if text else _pattern(name, binding, args)


def _group(name: str, binding: Binding, args: Args) -> Args:
    index = literal_value(name, 2, args[2]) if len(args) > 2 else 1
    if not isinstance(index, int):
        raise unsupported(name, "a null group index; give a number")
    pattern = args[1]
    groups = 9
    if isinstance(pattern, Const) and isinstance(pattern.value, str):
        groups = count_groups(pattern.value)
    if not 0 <= index <= groups:
        raise PlanError(
            f"The value of parameter(s) `idx` in `{name}` is invalid: Expects group index between 0 and {groups}, but "
            f"got {index}. Name a group that the pattern has.",
            code="INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX",
        )
    if name == "regexp_extract" and index:
        return (*_searched(name, binding, args[:2]), Const(_INT, False, index))
    return (*_pattern(name, binding, args[:2], goes_on=name != "regexp_extract"), Const(_INT, False, index))


def _replacing(name: str, binding: Binding, args: Args) -> Args:
    text, pattern, replacement, *position = args
    place = literal_value(name, 3, position[0]) if position else 1
    if isinstance(place, int) and place < 1:
        raise PlanError(
            f'Cannot resolve "{name}" due to data type mismatch: The position must be between (0, 2147483647] (current '
            f"value = {place}). Count from 1.",
            code="DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
        )
    translated = _pattern(name, binding, (text, pattern), goes_on=True)
    if isinstance(replacement, Const) and isinstance(replacement.value, str):
        groups = 9
        if isinstance(pattern, Const) and isinstance(pattern.value, str):
            groups = count_groups(pattern.value)
        as_re2 = replacement_to_re2(name, replacement.value, groups)
        if not _backtracks(translated[1]):
            replacement = Const(_TEXT, False, as_re2)
    return (*translated, replacement, *(() if place == 1 else position))


def _print_replace(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    if len(args) == 4:
        rest = _print_replace(call, (f"substring(x, {args[3]})", *args[1:3]))
        all_ = f"CASE WHEN length(x) < {args[3]} THEN x ELSE substring(x, 1, {args[3]} - 1) || {rest} END"
        return once(args[0], "x", f"CASE WHEN {args[3]} IS NOT NULL THEN {all_} END")
    if _backtracks(call.args[1]):
        return f"wa_pattern_replace({args[0]}, {_python_pattern(call, args[1])}, {args[2]})"
    replacement = args[2] if isinstance(call.args[2], Const) else f"wt_java_replacement({args[2]})"
    return f"regexp_replace({args[0]}, {args[1]}, {replacement}, 'g')"


def _print_extract(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    return f"regexp_extract({args[0]}, {args[1]}, {args[2]})"


def _print_instr(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    """What stands before the first match is as long as can be told; Spark does not use the group index."""
    found = f"regexp_matches({args[0]}, {args[1]})"
    before = f"regexp_extract({args[0]}, '\\A((?s:.*?))(?:' || {args[1]} || ')', 1)"
    position = f"CASE WHEN {found} THEN length({before}) + 1 WHEN NOT {found} THEN 0 END"
    if len(args) > 2:
        position = f"CASE WHEN {args[2]} IS NOT NULL THEN {position} END"
    return f"CAST({position} AS INTEGER)"


def _print_place(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    place = f"wa_pattern_place({args[0]}, {args[1]})"
    return place if len(args) < 3 else f"CASE WHEN {args[2]} IS NOT NULL THEN {place} END"


def _split(name: str, binding: Binding, args: Args) -> Args:
    """A literal separator becomes plain text where it has no operators, and stays marked as such by its type's user."""
    pattern = args[1]
    if isinstance(pattern, Const) and isinstance(pattern.value, str) and literal_text(pattern.value) is None:
        return _all_of(name, binding, args)
    return args


def _print_split(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    text, separator = args[0], args[1]
    if _backtracks(call.args[1]):
        return f"wa_pattern_split({text}, {_python_pattern(call, separator)}, {args[2] if len(args) > 2 else -1})"
    plain = _plain(call.args[1])
    if plain is not None:
        separator = "'" + plain.replace("'", "''") + "'"
        split_all, seps = f"string_split({text}, {separator})", f"[{separator}]"
        if not plain:
            split_all = f"wt_letters({text})"
    else:
        split_all = f"wt_split({text}, {separator})"
        seps = f"regexp_extract_all({text}, {separator})"
    if len(args) < 3:
        return split_all
    limit = call.args[2]
    if isinstance(limit, Const) and isinstance(limit.value, int) and limit.value <= 0:
        return split_all
    if plain is not None:
        return f"wt_split_text({split_all}, {separator}, {args[2]})"
    return f"wt_split_limit({text}, {split_all}, {seps}, {args[2]})"


def _plain(pattern: Typed) -> str | None:
    if isinstance(pattern, Const) and isinstance(pattern.value, str):
        return literal_text(pattern.value)
    return None


FUNCTIONS: tuple[Function, ...] = (
    scalar(_MARK, (STRING,), _TEXT, "{0}"),
    scalar(
        "rlike",
        (STRING, STRING),
        t.BooleanType(),
        _over("regexp_matches({0}, {1})", "(wa_pattern_place({0}, {1}) > 0)"),
        prepare=_searched,
        aliases=("regexp_like", "regexp"),
    ),
    scalar(
        "regexp_extract",
        (STRING, STRING, INT),
        _TEXT,
        _over(_print_extract, "array_to_string(wa_pattern_groups({0}, {1}, {2}, 1), '')"),
        optional=1,
        prepare=_group,
    ),
    scalar(
        "regexp_extract_all",
        (STRING, STRING, INT),
        t.ArrayType(_TEXT, True),
        _over(
            lambda c, a: f"list_transform(regexp_extract_all({', '.join(a)}), lambda v: coalesce(v, ''))",
            f"wa_pattern_groups({{0}}, {{1}}, {{2}}, {_ALL})",
        ),
        optional=1,
        prepare=_group,
    ),
    scalar("regexp_replace", (STRING, STRING, STRING, INT), _TEXT, _print_replace, optional=1, prepare=_replacing),
    scalar(
        "regexp_substr",
        (STRING, STRING),
        _TEXT,
        _over(
            "nullif(regexp_extract({0}, {1}), '')",
            "nullif(array_to_string(wa_pattern_groups({0}, {1}, 0, 1), ''), '')",
        ),
        prepare=_pattern,
        nullable=True,
    ),
    scalar(
        "regexp_count",
        (STRING, STRING),
        _INT,
        _over(
            "CAST(len(regexp_extract_all({0}, {1})) AS INTEGER)",
            f"CAST(len(wa_pattern_groups({{0}}, {{1}}, 0, {_ALL})) AS INTEGER)",
        ),
        prepare=_all_of,
    ),
    scalar(
        "regexp_instr",
        (STRING, STRING, INT),
        _INT,
        _over(_print_instr, _print_place),
        optional=1,
        prepare=_searched,
    ),
    scalar("split", (STRING, STRING, INT), t.ArrayType(_TEXT, False), _print_split, optional=1, prepare=_split),
)
