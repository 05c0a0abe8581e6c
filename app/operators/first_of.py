"""Incremental deduplication: the first row of each key, and the keys seen so far (Spark: dropDuplicates)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from app.kernel.kernel import Kernel
from app.kernel.relations import print_relation
from app.operators.contract import Effect
from app.plan.bound import FirstOf, Leaf
from app.plan.functions.collation_keys import key_sql
from app.plan.keys import key_of
from app.plan.meaning import columns_of


class First:
    """The keys of one `FirstOf` node, in the state table `op<index>`: k0…."""

    def __init__(self, index: int, node: FirstOf, leaf: Callable[[Leaf], str]) -> None:
        self._node = node
        self._table = f"op{index}"
        self._keys = [f"k{i}" for i in range(len(node.positions))]
        self._new = print_relation(node, leaf)
        columns = columns_of(node.child, leaf)
        self._keys_mean = [columns[at] for at in node.positions]

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {"operator": "dedupe", "keys": self._keys_mean}

    @property
    def sql(self) -> str:
        return self._new

    @property
    def key_columns(self) -> tuple[str, ...]:
        return tuple(self._keys)

    @property
    def all_rows(self) -> str:
        return ""

    def create(self, kernel: Kernel) -> None:
        kernel.execute(f"CREATE TABLE {self._table} AS SELECT {self._key_list('t')} FROM ({self._new}) AS t LIMIT 0")

    def update(self, kernel: Kernel) -> Effect:
        same = " AND ".join(
            f"{self._table}.{name} IS NOT DISTINCT FROM {self._key('t', at)}"
            for name, at in zip(self._keys, self._node.positions, strict=True)
        )
        result = kernel.quick(
            f"SELECT t.* FROM ({self._new}) AS t WHERE NOT EXISTS (SELECT 1 FROM {self._table} WHERE {same})"
        )
        kernel.put("_first", result)
        try:
            changed = kernel.quick(
                f"INSERT INTO {self._table} SELECT {self._key_list('t')} FROM _first AS t RETURNING *"
            )
        finally:
            kernel.drop("_first")
        return Effect(result, changed, changed.num_rows)

    def restore(self, kernel: Kernel, rows: pa.Table) -> None:
        kernel.put_named("_restore", rows)
        kernel.execute(f"INSERT INTO {self._table} BY NAME SELECT * FROM _restore")
        kernel.drop("_restore")

    def _key(self, table: str, at: int) -> str:
        """A key column; the collation may make capitals small."""
        kind = self._node.schema[at].dataType
        return key_sql(key_of(f"{table}.c{at}", kind), kind)

    def _key_list(self, table: str) -> str:
        pairs = zip(self._keys, self._node.positions, strict=True)
        return ", ".join(f"{self._key(table, at)} AS {name}" for name, at in pairs)
