"""Windows in generated names: `sum(v) OVER (PARTITION BY k ORDER BY t ASC NULLS FIRST RANGE BETWEEN …)`."""

from __future__ import annotations

from collections.abc import Callable

from app.plan.expressions import Call, Expr, Frame, Literal, Over, SortKey
from app.plan.literals import negated

Text = Callable[[Expr], str]
_RANKING = ("row_number", "rank", "dense_rank", "percent_rank", "ntile")


def over_text(expr: Over, call: str, text: Text) -> str:
    """The name of a call, itself named `call`, over its window; Spark writes out the frame that is meant."""
    parts = [f"PARTITION BY {', '.join(map(text, expr.partition))}"] if expr.partition else []
    if expr.order:
        parts.append(f"ORDER BY {', '.join(sort_key_text(key, text(key.child)) for key in expr.order)}")
    return f"{call} OVER ({' '.join([*parts, _frame(expr, text)])})"


def sort_key_text(key: SortKey, child: str) -> str:
    """A sort key with its direction and the place of nulls."""
    first = key.ascending if key.nulls_first is None else key.nulls_first
    return f"{child} {'ASC' if key.ascending else 'DESC'} NULLS {'FIRST' if first else 'LAST'}"


def _frame(expr: Over, text: Text) -> str:
    name = expr.call.name.lower()
    if name in ("lag", "lead"):
        at = _distance(expr.call, name)
        return f"ROWS BETWEEN {at} FOLLOWING AND {at} FOLLOWING"
    if expr.frame is not None:
        frame = expr.frame
        return f"{frame.unit.upper()} BETWEEN {_bound(frame, True, text)} AND {_bound(frame, False, text)}"
    if not expr.order:
        return "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
    unit = "ROWS" if name in _RANKING else "RANGE"
    return f"{unit} BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"


def _distance(call: Call, name: str) -> str:
    offset = call.args[1] if len(call.args) > 1 else None
    if isinstance(offset, Call) and offset.name in ("-", "negative") and len(offset.args) == 1:
        offset = negated(offset.args[0])
    distance = offset.value if isinstance(offset, Literal) else 1
    return str(-distance if name == "lag" else distance)


def _bound(frame: Frame, first: bool, text: Text) -> str:
    bound = frame.start if first else frame.end
    if bound is None:
        return "UNBOUNDED PRECEDING" if first else "UNBOUNDED FOLLOWING"
    if isinstance(bound, Literal) and not bound.value:
        return "CURRENT ROW"
    if isinstance(bound, Call) and bound.name == "-" and len(bound.args) == 1:
        return f"{text(bound.args[0])} PRECEDING"
    return f"{text(bound)} FOLLOWING"
