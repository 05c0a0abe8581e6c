"""Functions that look for a text in one whose case does not matter, and give parts of it as they are spelled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from app.plan import types as t
from app.plan.bound import Apply, Choose, Const, Convert, Typed
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import INT, STRING, Args, scalar

_TEXT = t.StringType()
_REPLACED, _SPLIT, _INDEXED = "replace whatever the case", "split_part whatever the case", "substring_index folded"
_REGEXPS = (
    "rlike", "regexp_replace", "regexp_extract", "regexp_extract_all", "regexp_count", "regexp_instr", "regexp_substr",
    "split",
)  # fmt: skip
_TRIMS = ("trim", "ltrim", "rtrim", "btrim")

Key = Callable[[Typed], Typed]


def folded_call(entry: Function, binding: Binding, args: Args, key: Key) -> Typed | None:
    """The call on plain strings that gives what Spark gives for strings without case; None for other functions. What
    `key` makes of two strings is the same where they are equal. Raises: PlanError."""
    if entry.name == "nullif" and len(args) == 2:
        same = Apply(t.BooleanType(), any(arg.nullable for arg in args), "==", tuple(map(key, args)))
        return Choose(args[0].type, True, ((same, Const(args[0].type, True, None)),), args[0])
    if entry.name == "decode" and len(args) > 2:
        last = len(args) - 1
        searched = [at == 0 or (at % 2 == 1 and not (at == last and last % 2 == 1)) for at in range(len(args))]
        return entry.bind(binding, tuple(key(arg) if by else arg for arg, by in zip(args, searched, strict=True)))
    found = _FUNCTIONS.get(entry.name)
    if found is not None and len(args) in (2, 3):
        nothing = (Const(_TEXT, False, ""),) if entry.name == "replace" and len(args) == 2 else ()
        return found.bind(binding, (*args, *nothing))
    if entry.name in _REGEXPS and (pattern := literal(args[1])) is not None:
        if "\\p" in pattern.value.lower():  # letters by their case
            return None
        more = tuple(literal(arg) or arg for arg in args[2:])
        if not pattern.value:
            return entry.bind(binding, (args[0], pattern, *more))
        return entry.bind(binding, (args[0], replace(pattern, value=f"(?iu){pattern.value}"), *more))
    if entry.name == "translate" and len(args) == 3:
        letters, others = (literal(arg) for arg in args[1:])
        found_letters = None if letters is None or others is None else _translated(letters.value, others.value)
        if found_letters is None:
            return None
        return entry.bind(binding, (args[0], *(Const(_TEXT, False, text) for text in found_letters)))
    if entry.name in _TRIMS and len(args) == 2:
        at = 1 if entry.name == "btrim" else 0
        letters = literal(args[at])
        if letters is not None and letters.value.isascii():
            both = replace(letters, value=letters.value.lower() + letters.value.upper())
            return entry.bind(binding, tuple(both if i == at else arg for i, arg in enumerate(args)))
    return None


def _translated(letters: str, others: str) -> tuple[str, str] | None:
    """What `translate` takes, with small and capital letters for each; None where one has several of them."""
    kept: dict[str, str] = {}
    for at, letter in enumerate(letters):
        both = (letter.lower(), letter.upper())
        if any(len(form) != 1 or form.lower() != both[0] for form in both):
            return None
        for form in both:
            kept.setdefault(form, others[at : at + 1])
    ordered = sorted(kept, key=lambda form: not kept[form])
    return "".join(ordered), "".join(kept[form] for form in ordered)


def literal(arg: Typed) -> Const | None:
    """The constant text that an argument is, whatever its collation."""
    while True:
        match arg:
            case Convert(child=Typed(type=t.StringType()) as inner) | Apply(function="collate", args=(inner, _)):
                arg = inner
            case _:
                break
    return replace(arg, type=_TEXT) if isinstance(arg, Const) and isinstance(arg.value, str) else None


FUNCTIONS: tuple[Function, ...] = (
    scalar(_REPLACED, (STRING, STRING, STRING), _TEXT, "wt_replace_folded({0}, {1}, {2})"),
    scalar(_SPLIT, (STRING, STRING, INT), _TEXT, "wt_split_part_folded({0}, {1}, {2})", nullable=True),
    scalar(_INDEXED, (STRING, STRING, INT), _TEXT,
           "wt_substring_index_in({0}, wt_search_folded({0}), wt_search_folded({1}), {2})"),
)  # fmt: skip
_FUNCTIONS = dict(zip(("replace", "split_part", "substring_index"), FUNCTIONS, strict=True))
