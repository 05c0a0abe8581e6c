"""Many changes of a state table folded into one: the last row of each key.

Folding keeps recovery time and disk in proportion to the state, not to its age. `due` decides, so that the work of
folding stays in proportion to what was written since the last time.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from app.kernel.kernel import Kernel

MIN_CHANGES = 50
MIN_BYTES = 1 << 20


def due(base_bytes: int, change_bytes: int, changes: int) -> bool:
    """Whether the changes since the last base are worth a fold: many of them, and as large as the base."""
    return changes >= MIN_CHANGES and change_bytes >= max(base_bytes, MIN_BYTES if changes < 20 * MIN_CHANGES else 0)


def fold(kernel: Kernel, tables: Sequence[pa.Table], keys: Sequence[str]) -> pa.Table:
    """The last row of each key; later tables win. Blocks; uses `kernel` for scratch work."""
    if len(tables) == 1:
        return tables[0]
    age = [pa.array([number], pa.int32()) for number in range(len(tables))]
    aged = pa.concat_tables(
        table.append_column("_age", pa.chunked_array([_repeat(age[number], table.num_rows)]))
        for number, table in enumerate(tables)
    )
    kernel.put_named("_fold", aged)
    try:
        by = ", ".join(keys)
        return kernel.arrow(
            f"SELECT * EXCLUDE (_age) FROM _fold QUALIFY row_number() OVER (PARTITION BY {by} ORDER BY _age DESC) = 1"
        )
    finally:
        kernel.drop("_fold")


def _repeat(value: pa.Array, times: int) -> pa.Array:
    return pa.repeat(value[0], times)
