"""Questions to a result table that is held in memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from app.errors import PlanError
from app.plan.types import StructType


class ArrowResult:
    """A `ResultTable` over whatever Arrow table `read` gives at the time of asking."""

    def __init__(self, schema: StructType, read: Callable[[], pa.Table]) -> None:
        self._schema = schema
        self._read = read

    @property
    def schema(self) -> StructType:
        return self._schema

    async def select(
        self,
        columns: Sequence[str] | None = None,
        where: Mapping[str, str] | None = None,
        order: Sequence[tuple[str, bool]] = (),
        limit: int = 100,
        offset: int = 0,
    ) -> pa.Table:
        wanted = [self._column(name) for name in columns] if columns is not None else None
        rows = self._read()
        for name, value in (where or {}).items():
            column = rows.column(self._column(name))
            wanted_value = self._value(name, value, column.type)
            nan = pa.types.is_floating(column.type) and math.isnan(wanted_value.as_py())
            # NaN equals itself, as in Spark and PostgreSQL.
            rows = rows.filter(pc.is_nan(column) if nan else pc.equal(column, wanted_value))
        if order:
            rows = rows.take(self._order(rows, order))
        rows = rows.slice(offset, limit)
        return rows if wanted is None else rows.select(wanted)

    def _order(self, rows: pa.Table, order: Sequence[tuple[str, bool]]) -> pa.Array:
        keys = [(f"k{n}", "descending" if down else "ascending") for n, (_, down) in enumerate(order)]
        columns = {f"k{n}": rows.column(self._column(name)) for n, (name, _) in enumerate(order)}
        try:
            return pc.sort_indices(pa.table(columns), sort_keys=keys)
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError) as error:
            names = ", ".join(name for name, _ in order)
            raise PlanError(f"The result cannot be ordered by {names}: its type has no order.") from error

    def _column(self, name: str) -> int:
        matches = [i for i, known in enumerate(self._schema.names) if known.lower() == name.lower()]
        if not matches:
            known = ", ".join(f"`{n}`" for n in self._schema.names)
            raise PlanError(
                f"The result has no column `{name}`; it has {known}.",
                code="UNRESOLVED_COLUMN.WITH_SUGGESTION",
            )
        return matches[0]

    def _value(self, name: str, text: str, kind: pa.DataType) -> pa.Scalar:
        try:
            return pa.array([text]).cast(kind)[0]
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise PlanError(f"{text!r} is not a value of the column `{name}` ({kind}).") from error
