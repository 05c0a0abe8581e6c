"""Grouping by a column that session_window() made: windows that meet become one session.

As in Spark the column says so by its metadata, wherever it has come to under whatever name. Among the rows that agree
in the other keys, in the order of their starts, a window that starts no later than all before it have ended belongs to
their session.
"""

from __future__ import annotations

from dataclasses import replace

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import (
    AggCall,
    Apply,
    Choose,
    Const,
    Frame,
    Order,
    Ref,
    Relation,
    Select,
    Typed,
    WindowCall,
    Windowed,
)
from app.plan.functions import lookup
from app.plan.resolve.scope import Context, Scope
from app.plan.types import StructField, StructType

MARKER = "spark.sessionWindow"
_NUMBER = t.LongType()


def with_sessions(context: Context, scope: Scope, keys: tuple[Typed, ...], in_sets: bool) -> Scope:
    """The scope, its windows merged into sessions where the keys have such a column. Raises: PlanError."""
    at = next((key.index for key in keys if isinstance(key, Ref) and _is_session(scope, key.index)), None)
    if at is None:
        return scope
    if scope.relation.streaming or in_sets:
        what = "GROUPING SETS, ROLLUP and CUBE" if in_sets else "streaming DataFrames: write the query over a table"
        raise PlanError(
            f"Grouping by session_window() is not supported with {what}, or group by window() instead.",
            code="UNSUPPORTED_FEATURE",
        )
    others = tuple(key for key in keys if not (isinstance(key, Ref) and key.index == at))
    return replace(scope, relation=_merged(context, scope.relation, at, others), host=None)


def _is_session(scope: Scope, at: int) -> bool:
    return at < len(scope.columns) and scope.columns[at].metadata.get(MARKER) is True


def _merged(context: Context, relation: Relation, at: int, others: tuple[Typed, ...]) -> Relation:
    """The relation with each window widened to its session."""
    field = relation.schema.fields[at]
    window = Ref(field.dataType, field.nullable, at, field.name)
    start, end = (
        lookup("getfield").bind(context.binding, (window, Const(t.StringType(), False, name)))
        for name in ("start", "end")
    )
    by_start = (Order(start, True, True),)
    until = Frame("rows", None, Const(t.IntegerType(), False, -1))
    relation, before = _over(relation, AggCall(end.type, True, "max", (end,)), others, by_start, until)
    later = lookup(">").bind(context.binding, (start, before))
    alone = lookup("isnull").bind(context.binding, (before,))
    first = lookup("or").bind(context.binding, (alone, later))
    opens = Choose(_NUMBER, False, ((first, Const(_NUMBER, False, 1)),), Const(_NUMBER, False, 0))
    # Rows of one start are peers, so that all of them are in the session that one of them opens.
    peers = Frame("range", None, Const(t.IntegerType(), False, 0))
    relation, number = _over(relation, AggCall(_NUMBER, True, "sum", (opens,)), others, by_start, peers)
    inside = (*others, number)
    relation, low = _over(relation, AggCall(start.type, True, "min", (start,)), inside)
    relation, high = _over(relation, AggCall(end.type, True, "max", (end,)), inside)
    names = tuple(Const(t.StringType(), False, name) for name in ("start", "end"))
    session = Apply(field.dataType, False, "named_struct", (names[0], low, names[1], high))
    schema = StructType(relation.schema.fields[: len(relation.schema) - 4])
    refs = [Ref(f.dataType, f.nullable, i, f.name) for i, f in enumerate(schema)]
    return Select(schema, relation, tuple(session if i == at else ref for i, ref in enumerate(refs)))


def _over(
    relation: Relation,
    call: AggCall,
    partition: tuple[Typed, ...],
    orders: tuple[Order, ...] = (),
    frame: Frame | None = None,
) -> tuple[Relation, Ref]:
    """The relation with one more column, computed over a window, and that column."""
    over = WindowCall(call.type, True, call, partition, orders, frame)
    schema = StructType((*relation.schema.fields, StructField("session", call.type, True)))
    return Windowed(schema, relation, (over,)), Ref(call.type, True, len(relation.schema), "session")
