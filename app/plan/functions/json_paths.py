"""`get_json_object`, and what else asks a JSON text for its parts."""

from __future__ import annotations

import json
import re

from app.plan import types as t
from app.plan.bound import AggCall, Apply, Const
from app.plan.functions.entry import Binding, Function
from app.plan.functions.signature import STRING, Args, literal_value, scalar

_TEXT = t.StringType()
_STEP = re.compile(
    r"\s*(?P<any>\.\*|\['\*'\])|\.\s*(?P<name>[^.\[]+)|\s*\['\s*(?P<quoted>[^']+)'\]|\[(?P<all>\*)\]|\[\s*(?P<index>[0-9]+)\]"
)


def _path(name: str, _: Binding, args: Args) -> Args:
    """The path as a JSON array of its steps; null for what Spark takes for none."""
    steps = _steps(str(literal_value(name, 1, args[1])))
    return (args[0], Const(_TEXT, steps is None, None if steps is None else json.dumps(steps, ensure_ascii=False)))


def _steps(path: str) -> list[str | int | None] | None:
    """Names, indexes, and None for all items of a list."""
    if path[:1] != "$":
        return None
    at, found = 1, list[str | int | None]()
    while path[at:].strip():
        step = _STEP.match(path, at)
        if step is None or step["any"]:  # nothing is found at all names of an object
            return None
        at = step.end()
        name = step["name"] or step["quoted"]
        found.append(name if name is not None else None if step["all"] else min(int(step["index"]), _FAR))
    return found


_FAR = (1 << 31) - 1


def _print_at(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    path = call.args[1]
    assert isinstance(path, Const)
    if path.value is None:
        return "CAST(NULL AS VARCHAR)"
    steps: list[str | int | None] = json.loads(path.value)
    stars = [at for at, step in enumerate(steps) if step is None]
    odd = any(isinstance(step, str) and ('"' in step or "\\" in step) for step in steps)
    # Of several stars, and of one behind an index, Spark gives lists of another nesting.
    if odd or len(stars) > 1 or (stars and isinstance(steps[stars[0] - 1 if stars[0] else 0], int)):
        return f"wa_json_path({args[0]}, {args[1]})"
    place = "'$" + "".join(map(_place, steps)).replace("'", "''") + "'"
    if stars:
        return f"wt_json_each({args[0]}, {place})"
    found = f"wt_json_at({args[0]}, {place})"
    if steps and isinstance(steps[-1], str):
        return found
    return f"coalesce({found}, CASE WHEN json_type(wt_json({args[0]}), {place}) = 'NULL' THEN 'null' END)"


def _place(step: str | int | None) -> str:
    """A step in DuckDB's words."""
    return f'."{step}"' if isinstance(step, str) else f"[{'*' if step is None else step}]"


FUNCTIONS: tuple[Function, ...] = (
    scalar("get_json_object", (STRING, STRING), _TEXT, _print_at, prepare=_path, nullable=True),
    scalar("json_array_length", (STRING,), t.IntegerType(), "wt_json_length({0})", nullable=True),
    scalar("json_object_keys", (STRING,), t.ArrayType(_TEXT, True), "wt_json_keys({0})", nullable=True),
)
