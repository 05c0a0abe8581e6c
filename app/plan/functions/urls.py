"""URLs: their parts, and texts written as a part of one."""

from __future__ import annotations

from app.plan import types as t
from app.plan.bound import AggCall, Apply
from app.plan.functions.entry import Function
from app.plan.functions.signature import STRING, scalar

_TEXT = t.StringType()


def _part(name: str, safe: str) -> Function:
    def show(call: Apply | AggCall, args: tuple[str, ...]) -> str:
        function = "wa_url_part" if len(args) == 2 else "wa_url_value"
        return f"{function}({', '.join(args)}, {safe})"

    return scalar(name, (STRING, STRING, STRING), _TEXT, show, optional=1, nullable=True)


FUNCTIONS: tuple[Function, ...] = (
    _part("parse_url", "false"),
    _part("try_parse_url", "true"),
    scalar("url_encode", (STRING,), _TEXT, "wt_url_encode({0})", nullable=True),
    scalar("url_decode", (STRING,), _TEXT, "wt_url_decode({0}, false)", nullable=True),
    scalar("try_url_decode", (STRING,), _TEXT, "wt_url_decode({0}, true)", nullable=True),
)
