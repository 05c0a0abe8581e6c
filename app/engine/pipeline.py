"""The computing side of one running query: its kernel, its operators, and the SQL above them.

Everything here blocks and runs in the query's worker thread, one call at a time; nothing here touches PostgreSQL. An
epoch is `compute`d straight into the state tables: when it does not become durable the run is over, and its kernel is
thrown away with it and rebuilt from the database. So the kernel needs no transaction, which would cost a small epoch a
fifth of its time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from app.engine.contracts import Connectors, EpochPlan, Output, OutputMode
from app.engine.static import load, named
from app.errors import StateIncompatible
from app.kernel.kernel import Kernel
from app.kernel.relations import print_relation
from app.operators.build import build
from app.operators.contract import Effect, Operator
from app.plan.arrival import depends_on_arrival
from app.plan.bound import Leaf, Relation
from app.plan.carriers import arrow_schema
from app.plan.incremental import StepResult, aggregation, split, without_order
from app.plan.types import StructType
from app.state.chunk import StateChunk
from app.state.encode import decode, encode
from app.state.fold import fold


@dataclass(frozen=True, slots=True)
class Computed:
    """What an epoch gave, before it is durable. `changed_rows` and `state_rows` count state rows per operator: those
    the epoch changed, and all that there are with it."""

    output: Output
    state: tuple[StateChunk, ...]
    changed_rows: tuple[int, ...]
    state_rows: tuple[int, ...]


FEW_ROWS = 20_000
"""Up to so many input rows one thread computes an epoch sooner than several."""


class Pipeline:
    """`takes_changes` is the sink's: what a complete result changed is then enough, after the first epoch. `threads`
    is how many a large epoch may use."""

    def __init__(
        self, relation: Relation, mode: OutputMode, takes_changes: bool, kernel: Kernel, threads: int = 1
    ) -> None:
        if takes_changes:
            relation = without_order(relation)
        self._kernel = kernel
        self._threads = 1 if depends_on_arrival(relation) else threads
        self._plan = split(relation)
        self._mode = mode
        self._grouped = aggregation(relation)
        self._schema = relation.schema
        self._changes = takes_changes and self._plan.retractable and bool(self._plan.keys)
        self._single_row = takes_changes and self._grouped is not None and not self._grouped.keys
        self._tables = {id(leaf.node): f"source{i}" for i, leaf in enumerate(self._plan.sources)}
        self._tables |= {id(leaf.node): f"static{i}" for i, leaf in enumerate(self._plan.statics)}
        self._operators: list[Operator] = [build(step, self._leaf) for step in self._plan.steps]
        self._changed_sql = print_relation(self._plan.output, self._leaf)
        self._whole_sql = print_relation(self._plan.output, self._whole_leaf)
        self._whole_given = False
        self._whole_wanted = False
        self._state_rows = tuple(0 for _ in self._operators)

    @property
    def sources(self) -> tuple[Leaf, ...]:
        return self._plan.sources

    @property
    def statics(self) -> tuple[Leaf, ...]:
        return self._plan.statics

    @property
    def keys(self) -> tuple[str, ...]:
        """The result columns that identify a row; empty where rows have no key."""
        return tuple(self._schema[at].name for at in self._plan.keys)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        """What the stored state of this query looks like and means. Filters are no part of it: Spark documents that
        they may be added, changed and left out."""
        return {
            "version": 2,
            "sources": [getattr(leaf.node, "format", "") for leaf in self._plan.sources],
            "operators": [dict(operator.fingerprint) for operator in self._operators],
        }

    def explain(self, extended: bool) -> str:
        """The operators from the bottom up, then the output; with `extended`, the SQL too."""
        lines = [f"source {i}: {getattr(leaf.node, 'format', '')}" for i, leaf in enumerate(self._plan.sources)]
        lines += [f"operator {i}: {_operator_words(op.fingerprint)}" for i, op in enumerate(self._operators)]
        lines.append(f"output: {self._mode}, {self._schema.simpleString()}")
        if extended:
            lines += [f"operator {i} SQL: {op.sql}" for i, op in enumerate(self._operators)]
            lines.append(f"output SQL: {self._changed_sql}")
        return "\n".join(lines)

    @property
    def grouped(self) -> bool:
        """Whether result rows are the values of groups that have keys."""
        return self._grouped is not None and bool(self._grouped.keys)

    def give_whole(self) -> None:
        """The next output is to be the whole result, whatever the mode."""
        self._whole_wanted = True

    def load(self, leaf: Leaf, connectors: Connectors, clock_us: int) -> pa.Table:
        """The rows of a static leaf at the time given. Blocks. Raises: PlanError, RowError."""
        self._kernel.set_epoch(clock_us)
        return load(leaf, connectors, self._kernel)

    def open(self, statics: Sequence[pa.Table]) -> None:
        """Makes empty state tables. `statics` are the rows of the static leaves, in order."""
        for leaf, rows in zip(self._plan.statics, statics, strict=True):
            self._kernel.put(self._tables[id(leaf.node)], rows)
        self._put_sources([arrow_schema(leaf.schema).empty_table() for leaf in self._plan.sources])
        self._kernel.set_epoch(0)
        for number, operator in enumerate(self._operators):
            operator.create(self._kernel)
            empty = arrow_schema(self._plan.steps[number].node.schema).empty_table()
            self._kernel.put(f"result{number}", empty)

    def restore(self, chunks: Sequence[StateChunk]) -> None:
        """Puts stored state back, given all chunks in order. Raises: StateCorrupt, StateIncompatible."""
        counts = []
        for number, operator in enumerate(self._operators):
            tables = [decode(chunk) for chunk in chunks if chunk.operator == number]
            rows = fold(self._kernel, tables, operator.key_columns) if tables else None
            if rows is not None:
                operator.restore(self._kernel, rows)
            counts.append(rows.num_rows if rows is not None else 0)
        self._state_rows = tuple(counts)

    def compute(self, epoch: EpochPlan, inputs: Sequence[pa.Table]) -> Computed:
        """One epoch over the rows of each source. After an error the pipeline is of no more use. Raises: RowError."""
        self._kernel.use_threads(self._threads if sum(rows.num_rows for rows in inputs) > FEW_ROWS else 1)
        self._kernel.set_epoch(epoch.clock_us)
        self._put_sources(inputs)
        state: list[StateChunk] = []
        effects: list[Effect] = []
        for number, operator in enumerate(self._operators):
            effect = operator.update(self._kernel)
            if self._plan.plain is None or number < len(self._operators) - 1:
                self._kernel.put(f"result{number}", effect.result)
            state += encode(number, epoch.number, "change", effect.changed)
            effects.append(effect)
        self._state_rows = tuple(count + effect.added for count, effect in zip(self._state_rows, effects, strict=True))
        output = self._output(effects)
        self._whole_given = True
        return Computed(output, tuple(state), tuple(effect.changed.num_rows for effect in effects), self._state_rows)

    def fold(self, chunks: Sequence[StateChunk], scratch: Kernel) -> list[StateChunk]:
        """The base chunks that stand for all of `chunks`, which are one operator's, in order."""
        number, epoch = chunks[0].operator, chunks[-1].epoch
        rows = fold(scratch, [decode(chunk) for chunk in chunks], self._operators[number].key_columns)
        return encode(number, epoch, "base", rows)

    def _put_sources(self, tables: Sequence[pa.Table]) -> None:
        for leaf, rows in zip(self._plan.sources, tables, strict=True):
            self._kernel.put(self._tables[id(leaf.node)], rows)

    def _leaf(self, leaf: Leaf) -> str:
        if isinstance(leaf.node, StepResult):
            return f"result{leaf.node.index}"
        return self._tables[id(leaf.node)]

    def _whole_leaf(self, leaf: Leaf) -> str:
        """Like `_leaf`, but for the last grouping its whole result instead of what the epoch changed."""
        if isinstance(leaf.node, StepResult) and self._operators[leaf.node.index].all_rows:
            return f"({self._operators[leaf.node.index].all_rows})"
        return self._leaf(leaf)

    def _output(self, effects: Sequence[Effect]) -> Output:
        if self._whole_wanted:
            self._whole_wanted = False
            return Output("replace", named(self._kernel.arrow(self._whole_sql), self._schema))
        if self._mode != "complete":
            rows = self._changed(effects)
            if self._grouped is None:
                return Output("append", rows)
            return Output("replace" if self._single_row else "upsert", rows)
        if self._changes and self._whole_given:
            rows = self._changed(effects)
            return Output("upsert", rows, self._vanished(rows))
        return Output("replace", named(self._kernel.arrow(self._whole_sql), self._schema))

    def _changed(self, effects: Sequence[Effect]) -> pa.Table:
        """The output for what the epoch changed; without SQL where it is columns of the last result as they are."""
        if self._plan.plain is None:
            return named(self._kernel.quick(self._changed_sql), self._schema)
        return named(effects[-1].result.select(list(self._plan.plain)), self._schema)

    def _vanished(self, rows: pa.Table) -> pa.Table | None:
        """The keys of groups that the epoch changed and that are not in the result (any more)."""
        if self._plan.plain is not None:
            return None
        last = len(self._operators) - 1
        pairs = list(zip(self._plan.key_columns, self._plan.keys, strict=True))
        self._kernel.put("output", rows)
        same = " AND ".join(f"r.c{group} IS NOT DISTINCT FROM o.c{at}" for group, at in pairs)
        columns = ", ".join(f"r.c{group}" for group, _ in pairs)
        vanished = self._kernel.quick(
            f"SELECT {columns} FROM result{last} AS r WHERE NOT EXISTS (SELECT 1 FROM output AS o WHERE {same})"
        )
        self._kernel.drop("output")
        return named(vanished, StructType([self._schema.fields[at] for _, at in pairs]))


def compatible(stored: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Returns when a query may go on with the state it left. Raises: StateIncompatible, showing both."""
    if stored == now:
        return
    raise StateIncompatible(
        f"The query was changed and its stored state does not fit. Stored: {_words(stored)}. Now: {_words(now)}. "
        "Change it back, or start it under a new queryName or checkpointLocation.",
        stored=stored,
        now=now,
    )


def _words(fingerprint: Mapping[str, Any]) -> str:
    operators = [_operator_words(operator) for operator in fingerprint.get("operators", [])]
    return f"{' and '.join(fingerprint['sources'])}, {' then '.join(operators) or 'no state'}"


def _operator_words(operator: Mapping[str, Any]) -> str:
    facts = "; ".join(f"{name}: {value}" for name, value in operator.items() if name != "operator")
    return f"{operator['operator']}({facts})"
