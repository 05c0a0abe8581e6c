"""Static plans: the same nodes as a stream's, over rows that are all there."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from app.engine.contracts import Connectors
from app.errors import PlanError
from app.kernel.kernel import Kernel
from app.kernel.relations import print_relation
from app.kernel.values import carried
from app.plan.bound import Leaf, Relation
from app.plan.carriers import arrow_schema
from app.plan.nodes import Range, Rows, Scan
from app.plan.relation_rewrite import everything_in
from app.plan.types import StructType


def load(leaf: Leaf, connectors: Connectors) -> pa.Table:
    """The rows of a static leaf. Blocks. Raises: PlanError for a source that is for streams only."""
    node = leaf.node
    if isinstance(node, Rows):
        return node.table
    if isinstance(node, Range):
        return pa.table({"id": np.arange(node.start, node.end, node.step, dtype=np.int64)})
    assert isinstance(node, Scan)
    return connectors.sources[node.format].load(node)


def collect(relation: Relation, connectors: Connectors, kernel: Kernel, clock_us: int) -> pa.Table:
    """All rows of a static plan, under their names. Blocks. Raises: PlanError, RowError."""
    if relation.streaming:
        raise PlanError(
            "Queries with streaming sources must be executed with writeStream.start().",
            code="STREAMING_QUERY_ACTION",
        )
    names: dict[int, str] = {}
    for leaf in everything_in(relation):
        if isinstance(leaf, Leaf) and id(leaf.node) not in names:
            names[id(leaf.node)] = f"static{len(names)}"
            kernel.put(names[id(leaf.node)], load(leaf, connectors))
    kernel.set_epoch(clock_us)
    return named(kernel.arrow(print_relation(relation, lambda leaf: names[id(leaf.node)])), relation.schema)


def named(rows: pa.Table, schema: StructType) -> pa.Table:
    """Rows as they leave the kernel (c0, c1, …) under the names and carried types of `schema`."""
    wanted = arrow_schema(schema)
    if not len(wanted):
        return rows.select([])
    columns = [carried(column, field.type) for column, field in zip(rows.columns, wanted, strict=True)]
    return pa.Table.from_arrays(columns, schema=wanted)
