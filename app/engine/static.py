"""Static plans: the same nodes as a stream's, over rows that are all there."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from app.engine.contracts import Connectors
from app.errors import PlanError, RowError
from app.kernel.kernel import Kernel
from app.kernel.relations import print_relation
from app.kernel.values import carried
from app.plan.bound import Leaf, Recursed, Relation
from app.plan.carriers import arrow_schema
from app.plan.nodes import Range, Rows, Scan
from app.plan.relation_rewrite import everything_in
from app.plan.types import StructType

_STEP = "step_before"
"""Holds the rows that a WITH RECURSIVE goes on from."""


def load(leaf: Leaf, connectors: Connectors, kernel: Kernel) -> pa.Table:
    """The rows of a static leaf. Blocks. Raises: PlanError for a source that is for streams only, RowError."""
    node = leaf.node
    if isinstance(node, Rows):
        return node.table
    if isinstance(node, Range):
        return pa.table({"id": np.arange(node.start, node.end, node.step, dtype=np.int64)})
    if isinstance(node, Recursed):
        return _grown(node, leaf.schema, connectors, kernel)
    assert isinstance(node, Scan)
    return connectors.sources[node.format].load(node)


def collect(relation: Relation, connectors: Connectors, kernel: Kernel, clock_us: int) -> pa.Table:
    """All rows of a static plan, under their names. Blocks. Raises: PlanError, RowError."""
    if relation.streaming:
        raise PlanError(
            "Queries with streaming sources must be executed with writeStream.start().",
            code="STREAMING_QUERY_ACTION",
        )
    kernel.set_epoch(clock_us)
    return named(kernel.arrow(_given(relation, connectors, kernel)), relation.schema)


def _given(relation: Relation, connectors: Connectors, kernel: Kernel, ref: Leaf | None = None) -> str:
    """The SQL of a plan, once the rows of its leaves are put into the kernel. Those of `ref` are put by the caller."""
    leaves = {id(leaf.node): leaf for leaf in everything_in(relation) if isinstance(leaf, Leaf)}
    # All are loaded before the first is put: loading may use the same names.
    rows = {
        key: load(leaf, connectors, kernel) for key, leaf in leaves.items() if ref is None or leaf.node is not ref.node
    }
    names = {key: f"static{i}" for i, key in enumerate(rows)}
    for key, table in rows.items():
        kernel.put(names[key], table)
    return print_relation(relation, lambda leaf: names.get(id(leaf.node), _STEP))


def _grown(node: Recursed, schema: StructType, connectors: Connectors, kernel: Kernel) -> pa.Table:
    """The rows of a WITH RECURSIVE, step by step until one gives none. Raises: RowError at one of its bounds."""
    rows = named(kernel.arrow(_given(node.anchor, connectors, kernel)), schema)
    parts, count, steps = [rows], rows.num_rows, 0
    most = node.most_rows if node.enough is None else None
    sql = _given(node.step, connectors, kernel, Leaf(schema, node.ref))
    while rows.num_rows and (node.enough is None or count < node.enough):
        if most is not None and count >= most:
            raise _limit("ROW", f"{most} rows", "SET spark.sql.cteRecursionRowLimit=…", node)
        steps += 1
        if node.most_steps is not None and steps > node.most_steps:
            written = "WITH RECURSIVE … MAX RECURSION LEVEL …"
            setting = written if node.most_written else "SET spark.sql.cteRecursionLevelLimit=…"
            raise _limit("LEVEL", f"{node.most_steps} steps", setting, node)
        kernel.put(_STEP, rows)
        rows = named(kernel.arrow(sql), schema)
        parts.append(rows)
        count += rows.num_rows
    return pa.concat_tables(parts)


def _limit(what: str, reached: str, setting: str, node: Recursed) -> RowError:
    return RowError(
        f"Recursion of `{node.ref.name}` has reached the limit of {reached}, but query has not exhausted, try "
        f"increasing it like '{setting}'.",
        code=f"RECURSION_{what}_LIMIT_EXCEEDED",
    )


def named(rows: pa.Table, schema: StructType) -> pa.Table:
    """Rows as they leave the kernel (c0, c1, …) under the names and carried types of `schema`."""
    wanted = arrow_schema(schema)
    if not len(wanted):
        return rows.select([])
    columns = [carried(column, field.type) for column, field in zip(rows.columns, wanted, strict=True)]
    return pa.Table.from_arrays(columns, schema=wanted)
