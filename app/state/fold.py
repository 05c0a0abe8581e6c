"""Many changes of a state table folded into one: the last row of each key.

Folding keeps recovery time and disk in proportion to the state, not to its age. `due` decides, so that the work of
folding stays in proportion to what was written since the last time.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from app.kernel.kernel import Kernel

MIN_BYTES = 1 << 20
MANY_CHANGES = 1_000


def due(base_bytes: int, change_bytes: int, changes: int) -> bool:
    """Whether the changes since the last base are worth a fold: as large as it, or very many and not tiny beside it."""
    if changes >= MANY_CHANGES:
        return change_bytes >= base_bytes // 16
    return change_bytes >= max(base_bytes, MIN_BYTES)


def fold(kernel: Kernel, tables: Sequence[pa.Table], keys: Sequence[str]) -> pa.Table:
    """The last row of each key; later tables win. Blocks; uses `kernel` for scratch work."""
    if len(tables) == 1:
        return tables[0]
    aged = pa.concat_tables(
        table.append_column("_age", pa.repeat(pa.scalar(number, pa.int32()), table.num_rows))
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
