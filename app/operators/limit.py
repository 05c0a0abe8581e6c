"""LIMIT over a stream in append mode: the first n rows ever, and how many of them have passed (Spark: globalLimit)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from app.kernel.kernel import Kernel
from app.kernel.relations import print_relation
from app.operators.contract import Effect
from app.plan.bound import Leaf, Limited


class Limit:
    """The count of one `Limited` node, in the state table `op<index>`: one row (k0 = 0, s0 = rows passed)."""

    def __init__(self, index: int, node: Limited, leaf: Callable[[Leaf], str]) -> None:
        self._node = node
        self._table = f"op{index}"
        self._new = print_relation(node.child, leaf)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {"operator": "globalLimit", "count": self._node.count}

    @property
    def sql(self) -> str:
        return self._new

    @property
    def key_columns(self) -> tuple[str, ...]:
        return ("k0",)

    @property
    def all_rows(self) -> str:
        return ""

    def create(self, kernel: Kernel) -> None:
        kernel.execute(f"CREATE TABLE {self._table} (k0 BIGINT, s0 BIGINT)")

    def update(self, kernel: Kernel) -> Effect:
        row = kernel.quick(f"SELECT s0 FROM {self._table}")["s0"]
        passed = int(row[0].as_py()) if len(row) else 0
        result = kernel.quick(f"SELECT * FROM ({self._new}) AS t LIMIT {max(0, self._node.count - passed)}")
        kernel.execute(f"DELETE FROM {self._table}")
        changed = kernel.quick(f"INSERT INTO {self._table} VALUES (0, {passed + result.num_rows}) RETURNING *")
        return Effect(result, changed, 1 - len(row))

    def restore(self, kernel: Kernel, rows: pa.Table) -> None:
        kernel.execute(f"INSERT INTO {self._table} VALUES (0, {int(rows['s0'][0].as_py())})")
