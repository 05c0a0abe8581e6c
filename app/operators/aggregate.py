"""Incremental GROUP BY: one MERGE an epoch.

The epoch's rows become partial states per group, which are merged into the state table; the same statement gives
back the changed groups, finished for the result and as they are for the change log:

    MERGE INTO op0 USING (SELECT key, agg(x) EXPORT_STATE … GROUP BY key) new ON same key
      WHEN MATCHED THEN UPDATE SET s0 = combine(op0.s0, new.s0)
      WHEN NOT MATCHED THEN INSERT …
      RETURNING key, finalize(s0), …, s0, …

Without keys there is one group, and it is there from the first epoch on even when no row is (Spark: a global
aggregate always has one row); its key column is the constant 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from app.kernel.kernel import Kernel
from app.kernel.relations import print_arguments, print_keys, print_relation, with_filter
from app.operators.contract import Effect
from app.plan.bound import Grouped, Leaf
from app.plan.functions import lookup
from app.plan.functions.entry import AggregateState
from app.plan.meaning import meanings


class Aggregate:
    """The groups of one `Grouped` node, in the state table `op<index>`: keys k0…, states s0…."""

    def __init__(self, index: int, node: Grouped, leaf: Callable[[Leaf], str]) -> None:
        self._node = node
        self._table = f"op{index}"
        self._keys = [f"k{i}" for i in range(len(node.keys) or 1)]
        self._states = [f"s{i}" for i in range(len(node.aggregates))]
        self._new = self._print_new(leaf)
        self._keys_mean = meanings(node.keys, node.child, leaf)
        self._aggregates_mean = meanings(node.aggregates, node.child, leaf)
        finished = self._finished()
        self._shown = finished if node.keys else finished[1:]

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {
            "operator": "aggregate",
            "keys": self._keys_mean,
            "aggregates": self._aggregates_mean,
        }

    @property
    def sql(self) -> str:
        return self._merge()

    @property
    def key_columns(self) -> tuple[str, ...]:
        return tuple(self._keys)

    @property
    def all_rows(self) -> str:
        columns = ", ".join(f"{sql} AS c{i}" for i, sql in enumerate(self._shown))
        return f"SELECT {columns} FROM {self._table}"

    def create(self, kernel: Kernel) -> None:
        kernel.execute(f"CREATE TABLE {self._table} AS SELECT * FROM ({self._new}) LIMIT 0")

    def update(self, kernel: Kernel) -> Effect:
        returned = kernel.quick(self._merge())
        columns, shown = returned.columns, len(self._shown)
        result = pa.Table.from_arrays(columns[1 : 1 + shown], [f"c{i}" for i in range(shown)])
        changed = pa.Table.from_arrays(columns[1 + shown :], [*self._keys, *self._states])
        return Effect(result, changed, pc.sum(pc.equal(columns[0], "INSERT")).as_py() or 0)

    def restore(self, kernel: Kernel, rows: pa.Table) -> None:
        kernel.put_named("_restore", rows)
        kernel.execute(f"INSERT INTO {self._table} BY NAME SELECT * FROM _restore")
        kernel.drop("_restore")

    def _print_new(self, leaf: Callable[[Leaf], str]) -> str:
        """The epoch's rows as partial states: k0…, s0…."""
        keys = print_keys(self._node) or ["0"]
        states = [self._partial(number) for number in range(len(self._states))]
        columns = [f"{sql} AS {name}" for sql, name in zip(keys + states, self._keys + self._states, strict=True)]
        group = f" GROUP BY {', '.join(keys)}" if self._node.keys else ""
        return f"SELECT {', '.join(columns)} FROM ({print_relation(self._node.child, leaf)}) AS t{group}"

    def _partial(self, number: int) -> str:
        call = self._node.aggregates[number]
        partial = self._state(number).partial(call, print_arguments(call))
        return with_filter(partial, call)

    def _state(self, number: int) -> AggregateState:
        state = lookup(self._node.aggregates[number].function).state
        assert state is not None, "plan/check refuses aggregates without a state"
        return state

    def _finished(self) -> list[str]:
        """SQL of the keys and the finished aggregates, over the state table."""
        finish = [
            self._state(number).finish(call, f"{self._table}.s{number}")
            for number, call in enumerate(self._node.aggregates)
        ]
        return [f"{self._table}.{key}" for key in self._keys] + finish

    def _merge(self) -> str:
        same = " AND ".join(f"{self._table}.{key} IS NOT DISTINCT FROM new.{key}" for key in self._keys)
        combined = ", ".join(
            f"{name} = {self._state(number).combine(call, f'{self._table}.{name}', f'new.{name}')}"
            for number, (name, call) in enumerate(zip(self._states, self._node.aggregates, strict=True))
        )
        columns = ", ".join(f"new.{name}" for name in self._keys + self._states)
        returning = ["merge_action", *(f"{sql} AS r{i}" for i, sql in enumerate(self._shown))]
        returning += [f"{self._table}.{name}" for name in self._keys + self._states]
        matched = f"UPDATE SET {combined}" if combined else f"UPDATE SET k0 = {self._table}.k0"
        return (
            f"MERGE INTO {self._table} USING ({self._new}) AS new ON {same} "
            f"WHEN MATCHED THEN {matched} WHEN NOT MATCHED THEN INSERT VALUES ({columns}) "
            f"RETURNING {', '.join(returning)}"
        )
