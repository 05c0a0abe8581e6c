"""What expressions cost: to build and compile them, and to compute them outside DuckDB.

    python benchmarks/functions.py [--rounds 20] [--rows 1000000] [--only TEXT]

Printed: how long a query of 50 expressions takes from its text to DuckDB SQL (p50 and worst); for each vectorised Arrow
function beside the DuckDB built-in most like it, the processor time of both a million rows and their ratio; and a
group-by with one and with ten aggregates. DuckDB has one thread.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parents[1]))

from app.kernel.kernel import Kernel
from app.kernel.relations import print_relation
from app.plan import nodes
from app.plan.carriers import arrow_schema
from app.plan.ddl import parse_schema
from app.plan.parse import parse_query
from app.plan.resolve import resolve
from benchmarks import arrow_functions
from benchmarks.bare_calls import BareCalls

SCHEMA = parse_schema("id bigint, i int, d double, n decimal(10,2), s string, dt date, ts timestamp, a array<int>")
EXPRESSIONS = (
    "i + 1", "i * id", "d / 3", "n * n", "round(d, 2)", "abs(i)", "upper(s)", "concat(s, '-', s)", "length(trim(s))",
    "substring(s, 2, 3)", "s LIKE 'a%'", "regexp_replace(s, '[0-9]+', '')", "split(s, ',')[0]", "year(dt)",
    "date_add(dt, 7)", "date_format(ts, 'yyyy-MM-dd')", "date_trunc('hour', ts)", "cast(s as double)",
    "try_cast(s as int)", "coalesce(i, 0)", "case when i > 0 then 'p' when i < 0 then 'n' else 'z' end",
    "size(a)", "transform(a, x -> x + i)", "array_contains(a, 3)", "get_json_object(s, '$.a')",
)  # fmt: skip
"""Half of the query; the other half are these inside another."""
AGGREGATES = (
    "count(*)", "sum(i)", "avg(d)", "min(s)", "max(dt)", "stddev(d)", "count_if(i > 3)", "max_by(s, i)", "first(s)",
    "approx_count_distinct(s)",
)  # fmt: skip


def timed(run: Callable[[], object], rounds: int) -> list[float]:
    """Seconds of each round."""
    found = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return sorted(found)


def table(rows: int) -> pa.Table:
    """Rows of `SCHEMA`."""
    with Kernel(1 << 31, 1) as kernel:
        made = kernel.arrow(
            "SELECT x, CAST(x % 97 AS INTEGER), x / 7, CAST(x % 1000 AS DECIMAL(10,2)), 'text ' || (x % 5000), "
            "DATE '2020-01-01' + CAST(x % 1000 AS INTEGER), TIMESTAMPTZ '2020-01-01' + to_seconds(x), "
            f"[CAST(x % 5 AS INTEGER), 3] FROM range({rows}) AS t(x)"
        )
    schema = arrow_schema(SCHEMA)
    return made.rename_columns(schema.names).cast(schema)


def compiled(sql: str, leaf: nodes.Rows) -> str:
    """The DuckDB SQL of a query over `t`."""
    return print_relation(resolve(parse_query(sql, lambda name: leaf)), lambda _: "t")


def building(leaf: nodes.Rows, rounds: int) -> None:
    again = [f"({text}) IS NULL" for text in EXPRESSIONS]
    sql = f"SELECT {', '.join([*EXPRESSIONS, *again])} FROM t WHERE i IS NOT NULL"
    seconds = timed(lambda: compiled(sql, leaf), rounds)
    print(
        f"50 expressions as SQL text: p50 {1000 * statistics.median(seconds):.1f} ms, worst {1000 * seconds[-1]:.1f} ms"
    )


def computing(rows: int, only: str) -> None:
    bare = BareCalls()
    with bare.installed(), Kernel(1 << 32, 1) as kernel:
        data = arrow_functions.rows_of(kernel, rows)
        schema = arrow_schema(arrow_functions.SCHEMA)
        leaf = nodes.Rows(data.rename_columns(schema.names).cast(schema), arrow_functions.SCHEMA)
        kernel.set_epoch(0)
        kernel.put("t", leaf.table)
        kernel.put_named("named", data)
        arrow_functions.compare(kernel, bare, lambda sql: compiled(sql, leaf), rows, only)


def grouping(kernel: Kernel, leaf: nodes.Rows) -> None:
    for count in (1, len(AGGREGATES)):
        sql = compiled(f"SELECT id % 10000 AS k, {', '.join(AGGREGATES[:count])} FROM t GROUP BY k", leaf)
        print(f"group by 10,000 keys with {count} aggregates: {timed(lambda: kernel.arrow(sql), 3)[0]:.3f} s")  # noqa: B023


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--only", default="", help="compare only functions whose expression holds this text")
    given = parser.parse_args()
    data = table(given.rows)
    leaf = nodes.Rows(data, SCHEMA)
    building(leaf, given.rounds)
    computing(given.rows, given.only)
    with Kernel(1 << 32, 1) as kernel:
        kernel.set_epoch(0)
        kernel.put("t", data)
        grouping(kernel, leaf)


if __name__ == "__main__":
    main()
