"""Calls that are short for others, and have names of their own in results all the same."""

from __future__ import annotations

from app.plan.expressions import Call, Expr

_EACH = {
    f"{sign}{name}{quantor}": (sign, name, "or" if quantor == "any" else "and")
    for sign in ("", "not")
    for name in ("like", "ilike")
    for quantor in ("any", "all")
}

_MOMENTS = frozenset(f"{safe}make_timestamp{kind}" for safe in ("", "try_") for kind in ("", "_ltz", "_ntz"))
_SHIFTS = {"<<": "shiftleft", ">>": "shiftright", ">>>": "shiftrightunsigned"}


def desugared(call: Call) -> Expr | None:
    """What a call is short for; None where it is itself."""
    name, args = call.name.lower(), call.args
    if name == "between" and len(args) == 3:
        value, low, high = args
        return Call("and", (Call(">=", (value, low)), Call("<=", (value, high))))
    if name in _MOMENTS and len(args) < 4:
        return _moment(name, args)
    if name == "-" and len(args) == 1:
        return Call("negative", args)
    if name in _SHIFTS and len(args) == 2:
        return Call(_SHIFTS[name], args)
    if name in _EACH and len(args) > 1:
        sign, one, joined = _EACH[name]
        found: Expr | None = None
        for pattern in args[1:]:
            each: Expr = Call(one, (args[0], pattern))
            each = Call("not", (each,)) if sign else each
            found = each if found is None else Call(joined, (found, each))
        return found
    return None


def _moment(name: str, args: tuple[Expr, ...]) -> Expr | None:
    """A date, its time of day and a zone; a date alone is its midnight."""
    if not args or (len(args) == 1 and name.endswith(("_ltz", "_ntz"))):
        return None
    return Call("local moment of day" if name.endswith("_ntz") else "moment of day", args)
