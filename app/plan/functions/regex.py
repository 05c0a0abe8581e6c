"""Functions on regular expressions: Java's in meaning, RE2 in execution.

A pattern is translated, a literal when the query is built, another row by row, and refused by name where RE2 has no
equal.
"""

from __future__ import annotations

from collections.abc import Callable

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const, Typed
from app.plan.functions.entry import Binding, Function
from app.plan.functions.java_regex import (
    count_groups,
    literal_text,
    matches_empty,
    replacement_to_re2,
    searched,
    to_re2,
)
from app.plan.functions.signature import INT, STRING, Args, literal_value, scalar, unsupported

_Print = Callable[[Apply | AggCall, tuple[str, ...]], str]
_TEXT = t.StringType()
_INT = t.IntegerType()


def _pattern(name: str, _: Binding, args: Args) -> Args:
    """The arguments with a literal pattern (the second) translated."""
    pattern = args[1]
    if not isinstance(pattern, Const) or pattern.value is None:
        return args
    return (args[0], Const(_TEXT, False, to_re2(name, pattern.value)), *args[2:])


def _over(printed: str | _Print) -> _Print:
    """The printer with a pattern that is not a literal translated row by row."""

    def print_call(call: Apply | AggCall, args: tuple[str, ...]) -> str:
        if not isinstance(call.args[1], Const):
            args = (args[0], f"wt_java_pattern({args[1]}, '{call.function}')", *args[2:])
        return printed.format(*args) if isinstance(printed, str) else printed(call, args)

    return print_call


def _searched(name: str, binding: Binding, args: Args) -> Args:
    pattern = args[1]
    text = pattern.value if isinstance(pattern, Const) and isinstance(pattern.value, str) else ""
    return _pattern(name, binding, (args[0], Const(_TEXT, False, searched(text)), *args[2:]) if text else args)


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
    return (*_pattern(name, binding, args[:2]), Const(_INT, False, index))


def _replacing(name: str, binding: Binding, args: Args) -> Args:
    if len(args) > 3 and literal_value(name, 3, args[3]) != 1:
        raise unsupported(name, "a start position other than 1; cut the text with substring first")
    replacement = args[2]
    if isinstance(replacement, Const) and isinstance(replacement.value, str):
        pattern = args[1]
        groups = 9
        if isinstance(pattern, Const) and isinstance(pattern.value, str):
            groups = count_groups(pattern.value)
        replacement = Const(_TEXT, False, replacement_to_re2(name, replacement.value, groups))
    return (*_pattern(name, binding, args[:2]), replacement)


def _print_replace(call: Apply | AggCall, args: tuple[str, ...]) -> str:
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


def _split(name: str, binding: Binding, args: Args) -> Args:
    """A literal separator becomes plain text where it has no operators, and stays marked as such by its type's user."""
    pattern = args[1]
    if isinstance(pattern, Const) and isinstance(pattern.value, str) and literal_text(pattern.value) is None:
        translated = to_re2(name, pattern.value)
        if matches_empty(pattern.value):
            raise unsupported(name, f"the pattern {pattern.value!r}, which matches nothing at all; use '' or another")
        return (args[0], Const(_TEXT, False, translated), *args[2:])
    return args


def _print_split(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    text, separator = args[0], args[1]
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
    scalar(
        "rlike",
        (STRING, STRING),
        t.BooleanType(),
        _over("regexp_matches({0}, {1})"),
        prepare=_searched,
        aliases=("regexp_like", "regexp"),
    ),
    scalar("regexp_extract", (STRING, STRING, INT), _TEXT, _over(_print_extract), optional=1, prepare=_group),
    scalar(
        "regexp_extract_all",
        (STRING, STRING, INT),
        t.ArrayType(_TEXT, True),
        _over(lambda c, a: f"list_transform(regexp_extract_all({', '.join(a)}), lambda v: coalesce(v, ''))"),
        optional=1,
        prepare=_group,
    ),
    scalar(
        "regexp_replace", (STRING, STRING, STRING, INT), _TEXT, _over(_print_replace), optional=1, prepare=_replacing
    ),
    scalar(
        "regexp_substr",
        (STRING, STRING),
        _TEXT,
        _over("CASE WHEN regexp_matches({0}, {1}) THEN regexp_extract({0}, {1}) END"),
        prepare=_pattern,
        nullable=True,
    ),
    scalar(
        "regexp_count",
        (STRING, STRING),
        _INT,
        _over("CAST(len(regexp_extract_all({0}, {1})) AS INTEGER)"),
        prepare=_pattern,
    ),
    scalar("regexp_instr", (STRING, STRING, INT), _INT, _over(_print_instr), optional=1, prepare=_searched),
    scalar("split", (STRING, STRING, INT), t.ArrayType(_TEXT, False), _over(_print_split), optional=1, prepare=_split),
)
