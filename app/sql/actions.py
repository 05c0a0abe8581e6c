"""What a static DataFrame can be asked for; the engine computes it when it is asked, not before."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from app.engine.host import current_host
from app.errors import ArgumentError, EngineError, PlanError
from app.kernel.showtable import show_table
from app.kernel.values import for_spark
from app.plan import nodes
from app.plan import types as t
from app.plan.bound import Relation
from app.plan.expressions import Alias, Call, Literal
from app.plan.regions import zone_of
from app.plan.resolve import Resolution
from app.sql.arguments import wrong_type
from app.sql.convert import rows_of
from app.sql.expression_text import relation_text
from app.sql.row import Row

if TYPE_CHECKING:
    from app.sql.session import SparkSession


class Actions:
    """The part of a DataFrame that computes. Raises everywhere: PlanError on a streaming DataFrame, RowError for a
    value an expression may not meet."""

    _node: nodes.Node
    _resolution: Resolution | None
    _session: SparkSession

    @property
    @abstractmethod
    def _relation(self) -> Relation: ...

    def _rows(self, node: nodes.Node | None = None) -> tuple[pa.Table, t.StructType]:
        relation = self._relation if node is None else self._session._resolve(node, self._resolution).relation
        if relation.streaming:
            raise PlanError(
                "Queries with streaming sources must be executed with writeStream.start(): a stream has no end, so "
                "there is nothing to collect or show. Use writeStream.format('console') or 'memory' to look at it.",
                code="STREAMING_QUERY_ACTION",
            )
        return current_host().engine.collect(relation), relation.schema

    def _limited(self, count: int) -> tuple[pa.Table, t.StructType]:
        return self._rows(nodes.Limit(self._node, count))

    def collect(self) -> list[Row]:
        """All rows."""
        return rows_of(*self._rows())

    def take(self, num: int) -> list[Row]:
        """The first `num` rows. Raises: PlanError for a negative number."""
        if not isinstance(num, int) or isinstance(num, bool):
            raise wrong_type("num", "int", num)
        return rows_of(*self._limited(num))

    def tail(self, num: int) -> list[Row]:
        """The last `num` rows."""
        table, schema = self._rows()
        return rows_of(table.slice(max(0, table.num_rows - max(num, 0))), schema)

    def first(self) -> Row | None:
        """The first row, or None."""
        rows = self.take(1)
        return rows[0] if rows else None

    def head(self, n: int | None = None) -> Any:
        """The first row or None; with `n`, a list of at most `n` rows."""
        if n is not None:
            return self.take(n)
        return self.first()

    def isEmpty(self) -> bool:
        return not self.take(1)

    def count(self) -> int:
        """The number of rows."""
        number = Alias(Call("count", (Literal(1, t.IntegerType()),)), ("count",))
        table, _schema = self._rows(nodes.Aggregate(self._node, (), (number,)))
        return int(table.column(0)[0].as_py())

    def toLocalIterator(self, prefetchPartitions: bool = False) -> Iterator[Row]:
        """The rows one by one, Python objects made as they are asked for; `prefetchPartitions` has no meaning."""
        table, schema = self._rows()
        return (row for batch in table.to_batches() for row in rows_of(pa.Table.from_batches([batch]), schema))

    def toArrow(self) -> pa.Table:
        """All rows as an Arrow table; timestamps in UTC."""
        return for_spark(self._rows()[0])

    def toPandas(self) -> Any:
        """All rows as a pandas DataFrame; timestamps without zone, in the session time zone."""
        try:
            import pandas as pd
        except ImportError as error:
            raise EngineError(
                "toPandas() needs pandas, which is not installed; install it, or use toArrow().",
                code="PACKAGE_NOT_INSTALLED",
            ) from error
        table, schema = self._rows()
        zone = self._session.conf.time_zone()
        columns = {i: _series(pd, table, i, f, zone) for i, f in enumerate(schema.fields)}
        frame = pd.DataFrame(columns, index=None if columns else range(table.num_rows))
        frame.columns = pd.Index(schema.names, dtype=object) if not schema.names else schema.names
        return frame

    def show(self, n: int = 20, truncate: bool | int = True, vertical: bool = False) -> None:
        """Prints the first `n` rows as Spark does. `truncate` True cuts cells to 20 characters, False to none."""
        print(self._show_text(n, truncate, vertical))

    def _show_text(self, n: int = 20, truncate: bool | int = True, vertical: bool = False) -> str:
        if not isinstance(n, int) or isinstance(n, bool):
            raise wrong_type("n", "int", n)
        if not isinstance(vertical, bool):
            raise wrong_type("vertical", "bool", vertical)
        try:
            width = (20 if truncate else 0) if isinstance(truncate, bool) else int(truncate)
        except (TypeError, ValueError):
            raise wrong_type("truncate", "bool or int", truncate) from None
        table, schema = self._limited(max(n, 0) + 1)
        return show_table(table, schema, n, width, vertical, self._session.conf.time_zone())

    def explain(self, extended: bool | str | None = None, mode: str | None = None) -> None:
        """Prints the plan; with `extended` (or mode "extended") the plan as it was written too."""
        chosen = mode or (extended if isinstance(extended, str) else "extended" if extended else "simple")
        if chosen.lower() not in ("simple", "extended", "codegen", "cost", "formatted"):
            raise ArgumentError(
                f"Unknown explain mode: {chosen}. Accepted explain modes are 'simple', 'extended', 'codegen', "
                "'cost', 'formatted'.",
                code="UNKNOWN_EXPLAIN_MODE",
            )
        written = f"== Parsed Logical Plan ==\n{self._node!r}\n\n" if chosen.lower() == "extended" else ""
        print(f"{written}== Physical Plan ==\n{relation_text(self._relation)}")


def _series(pd: Any, table: pa.Table, i: int, f: t.StructField, zone: str) -> Any:
    column = table.column(i)
    if isinstance(f.dataType, t.TimestampType):
        return column.to_pandas().dt.tz_convert(zone_of(zone)).dt.tz_localize(None)
    if isinstance(f.dataType, (t.NumericType, t.BooleanType, t.StringType, t.TimestampNTZType)):
        return column.to_pandas()
    struct = t.StructType([f])
    return pd.Series([row[0] for row in rows_of(table.select([i]), struct)], dtype=object)
