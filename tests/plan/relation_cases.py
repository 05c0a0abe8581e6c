"""Relations over two small tables, each with the rows it gives. `python -m tests.plan.relation_cases` writes the SQL
of all of them to `printed/`; what changed there is seen in review."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from app.kernel.relations import print_relation
from app.plan import nodes as n
from app.plan.bound import Leaf
from app.plan.carriers import arrow_schema
from app.plan.expressions import SortKey, Star
from app.plan.parse import parse_query
from app.plan.resolve import resolve
from tests.plan.build import call, col, group, lit, named, select, sort, table

PRINTED = Path(__file__).with_name("printed")
NAN = float("nan")

T = table("k STRING, v INT, d DOUBLE, a ARRAY<INT>, m MAP<STRING,INT>")
T_ROWS: list[tuple[Any, ...]] = [
    ("a", 1, 0.0, [1, 2], [("x", 1), ("y", None)]),
    ("b", 2, NAN, None, []),
    ("a", 3, -0.0, [], None),
    (None, 4, NAN, [7], [("z", 9)]),
]
U = table("k STRING, w INT")
U_ROWS: list[tuple[Any, ...]] = [("a", 5), ("c", 6), (None, 7), ("a", 8)]
LINES = table("value STRING")
LINES_ROWS: list[tuple[Any, ...]] = [("to be or",), ("not to be",), (None,), ("",)]
FLOATS = table("x DOUBLE, y DOUBLE")
FLOATS_ROWS: list[tuple[Any, ...]] = [(0.0, -0.0), (NAN, NAN), (1.0, 2.0)]
TABLES = {id(T): "t", id(U): "u", id(LINES): "lines", id(FLOATS): "floats"}

KV = select(T, "k", "v")


def sql(text: str) -> n.Node:
    return parse_query(text, {("t",): T, ("u",): U}.get)


ON_KEY = call("==", col("k", KV), col("k", U))

CASES: dict[str, tuple[n.Node, list[tuple[Any, ...]]]] = {
    "word_count": (
        group(
            select(LINES, named(call("explode", call("split", "value", lit(" "))), "word")),
            ["word"],
            named(call("count", Star()), "count"),
        ),
        [("", 1), ("be", 2), ("not", 1), ("or", 1), ("to", 2)],
    ),
    "select_where": (
        n.Filter(n.Filter(select(T, "k", named(call("*", "v", 10), "v10")), call(">", "v10", 10)), call("<", "v", 4)),
        [("a", 30), ("b", 20)],
    ),
    "one_row": (n.Filter(select(n.OneRow(), named(lit("a\nb"), "x")), call("==", "x", lit("a\nb"))), [("a\nb",)]),
    "with_columns": (
        n.WithColumns(KV, (("v", call("negative", "v")), ("old", col("v")))),
        [("a", -1, 1), ("a", -3, 3), ("b", -2, 2), (None, -4, 4)],
    ),
    "group_by_float": (group(T, ["d"], call("count", Star()), call("sum", "v")), [(0.0, 2, 4), (NAN, 2, 6)]),
    "group_having_sort": (
        sort(
            n.Aggregate(
                T,
                (call("upper", "k"),),
                (call("upper", "k"), call("+", call("sum", "v"), 1)),
                call(">", call("max", "v"), 1),
            ),
            SortKey(call("min", "v"), False),
        ),
        [(None, 5), ("B", 3), ("A", 5)],
    ),
    "aggregate_clauses": (
        select(
            T,
            call("count", Star(), filter=call(">", "v", 1)),
            call("count", "k", distinct=True),
            call("sum", "v", filter=call("==", "k", lit("a"))),
            call("collect_list", "k"),
        ),
        [(3, 2, 4, ["a", "b", "a"])],
    ),
    "group_of_nothing": (
        select(n.Filter(T, call("==", "k", lit("zz"))), call("count", Star()), call("sum", "v")),
        [(0, None)],
    ),
    "no_aggregate_at_all": (n.Aggregate(n.Filter(T, lit(False)), (), (lit(1),)), [(1,)]),
    "explode_array": (select(T, "k", call("explode", "a")), [("a", 1), ("a", 2), (None, 7)]),
    "explode_outer_map": (
        select(T, "v", call("explode_outer", "m")),
        [(1, "x", 1), (1, "y", None), (2, None, None), (3, None, None), (4, "z", 9)],
    ),
    "posexplode": (
        select(T, call("posexplode", call("array", "v", 0)), "k"),
        [(0, 1, "a"), (0, 2, "b"), (0, 3, "a"), (0, 4, None), *((1, 0, k) for k in ("a", "b", "a", None))],
    ),
    "posexplode_outer": (
        select(T, "v", call("posexplode_outer", "a")),
        [(1, 0, 1), (1, 1, 2), (2, None, None), (3, None, None), (4, 0, 7)],
    ),
    "explode_twice": (
        select(T, named(call("explode", "a"), "i"), named(call("explode", "a"), "j"), call("+", "i", "j")),
        [(1, 1, 2), (1, 2, 3), (2, 1, 3), (2, 2, 4), (7, 7, 14)],
    ),
    "count_exploded": (select(select(T, "k", call("explode", "a")), call("count", Star())), [(3,)]),
    "filter_exploded": (
        n.Filter(select(T, "k", named(call("explode", "a"), "i")), call(">", "i", 1)),
        [("a", 2), (None, 7)],
    ),
    "inline": (
        select(T, call("inline", call("array", call("named_struct", lit("p"), "v", lit("q"), "k")))),
        [(1, "a"), (2, "b"), (3, "a"), (4, None)],
    ),
    "distinct": (n.Deduplicate(select(T, "k")), [("a",), ("b",), (None,)]),
    "distinct_float": (n.Deduplicate(select(T, "d")), [(0.0,), (NAN,)]),
    "first_of_key": (n.Deduplicate(KV, ("k",)), [("a", 1), ("b", 2), (None, 4)]),
    "union_casts": (
        n.Union(n.Union(KV, U), select(T, "k", "d")),
        [
            *((k, float(v)) for k, v, *_ in T_ROWS),
            *((k, float(w)) for k, w in U_ROWS),
            *((k, d) for k, _, d, *_ in T_ROWS),
        ],
    ),
    "union_of_limits": (
        n.Union(n.Limit(sort(KV, SortKey(col("v"), False)), 1), n.Limit(U, 1)),
        [(None, 4), ("a", 5)],
    ),
    "join_inner": (
        n.Join(KV, U, "inner", ON_KEY),
        [("a", 1, "a", 5), ("a", 1, "a", 8), ("a", 3, "a", 5), ("a", 3, "a", 8)],
    ),
    "join_left_filtered": (
        n.Filter(n.Join(KV, U, "left", call("and", ON_KEY, call(">", "w", 6))), call("<", "v", 3)),
        [("a", 1, "a", 8), ("b", 2, None, None)],
    ),
    "join_right_using": (
        n.Join(KV, U, "right", using=("k",)),
        [("a", 1, 5), ("a", 1, 8), ("a", 3, 5), ("a", 3, 8), ("c", None, 6), (None, None, 7)],
    ),
    "join_full_using": (
        select(n.Join(KV, U, "full", using=("k",)), "k", col("k", KV), col("k", U), "w"),
        [
            *(("a", "a", "a", w) for w in (5, 8, 5, 8)),
            ("b", "b", None, None),
            ("c", None, "c", 6),
            (None, None, None, 7),
            (None, None, None, None),
        ],
    ),
    "join_semi": (n.Join(KV, U, "semi", using=("k",)), [("a", 1), ("a", 3)]),
    "join_anti": (n.Join(KV, U, "anti", ON_KEY), [("b", 2), (None, 4)]),
    "join_cross": (
        n.Join(select(T, "v"), n.Limit(select(U, "w"), 1), "cross"),
        [(1, 5), (2, 5), (3, 5), (4, 5)],
    ),
    "join_floats": (
        n.Join(n.Named(FLOATS, "l"), n.Named(FLOATS, "r"), "inner", call("==", "l.x", "r.y")),
        [(0.0, -0.0, 0.0, -0.0), (NAN, NAN, NAN, NAN)],
    ),
    "join_null_safe": (
        select(n.Join(KV, U, "inner", call("<=>", col("k", KV), col("k", U))), "v", "w"),
        [(1, 5), (1, 8), (3, 5), (3, 8), (4, 7)],
    ),
    "sort_hidden_limit": (n.Limit(sort(select(T, "k"), SortKey(col("v"), False)), 2, 1), [("a",), ("b",)]),
    "sort_floats": (
        select(sort(FLOATS, "x"), "x"),
        [(0.0,), (1.0,), (NAN,)],
    ),
    "sort_nulls": (
        sort(n.Deduplicate(select(T, "k")), SortKey(col("k"), True, False)),
        [("a",), ("b",), (None,)],
    ),
    "limit_of_limit": (n.Limit(n.Limit(KV, 3), 2, 1), [("b", 2), ("a", 3)]),
    "watermarked": (n.Filter(n.Watermark(select(table("ts TIMESTAMP"), "ts"), "ts", 1), lit(True)), []),
    "range": (select(n.Range(0, 3), call("*", "id", 2)), [(0,), (2,), (4,)]),
    "windowed": (
        parse_query(
            "SELECT k, v, rank() OVER (PARTITION BY k ORDER BY d DESC) AS r, lag(v) OVER (ORDER BY v) AS l, "
            "sum(v) OVER (ORDER BY v ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM t",
            {("t",): T}.get,
        ),
        [("a", 1, 1, None, 1), ("b", 2, 1, 1, 3), ("a", 3, 1, 2, 5), (None, 4, 1, 3, 7)],
    ),
    "window_of_groups": (
        parse_query("SELECT k, count(*) AS n, sum(count(*)) OVER () AS s FROM t GROUP BY k", {("t",): T}.get),
        [("a", 2, 4), ("b", 1, 4), (None, 1, 4)],
    ),
    "rollup": (
        parse_query("SELECT k, grouping(k) AS g, sum(v) AS s FROM t GROUP BY ROLLUP(k)", {("t",): T}.get),
        [("a", 0, 4), ("b", 0, 2), (None, 0, 4), (None, 1, 10)],
    ),
    "intersect_floats": (
        parse_query("SELECT x FROM f INTERSECT SELECT y FROM f", {("f",): FLOATS}.get),
        [(0.0,), (NAN,)],
    ),
    "except_all": (parse_query("SELECT k FROM t EXCEPT ALL SELECT k FROM u", {("t",): T, ("u",): U}.get), [("b",)]),
    "scalar_of_outer": (
        sql("SELECT k, v, (SELECT max(w) FROM u WHERE u.k = t.k) FROM t"),
        [("a", 1, 8), ("b", 2, None), ("a", 3, 8), (None, 4, None)],
    ),
    "in_several": (
        sql("SELECT v FROM t WHERE (k, v) IN (SELECT k, w - 4 FROM u) OR (k, v) NOT IN (SELECT k, w FROM u)"),
        [(1,), (2,), (3,), (4,)],
    ),
    "exists_in_groups": (
        sql(
            "SELECT k, sum(v + (SELECT min(w) FROM u)) FROM t GROUP BY k "
            "HAVING EXISTS (SELECT 1 FROM u WHERE u.k = t.k)"
        ),
        [("a", 14)],
    ),
    "lateral_left": (
        sql("SELECT v, x FROM t LEFT JOIN LATERAL (SELECT w + v AS x FROM u WHERE u.k = t.k AND w > 5)"),
        [(1, 9), (2, None), (3, 11), (4, None)],
    ),
    "pivot": (
        sql("SELECT * FROM (SELECT k, v FROM t) PIVOT (sum(v) AS s, count(*) AS c FOR k IN ('a', 'z'))"),
        [(4, 2, None, None)],
    ),
    "unpivot": (
        sql("SELECT * FROM (SELECT v, d, k FROM t) UNPIVOT (x FOR n IN (v, d)) WHERE k = 'a'"),
        [("a", "v", 1.0), ("a", "d", 0.0), ("a", "v", 3.0), ("a", "d", -0.0)],
    ),
}  # fmt: skip
ORDERED = {"group_having_sort", "sort_hidden_limit", "sort_floats", "sort_nulls", "limit_of_limit", "first_of_key"}


def table_name(leaf: Leaf) -> str:
    """Where the rows of a leaf lie in the tests."""
    return TABLES.get(id(leaf.node), "numbers" if isinstance(leaf.node, n.Range) else "nothing")


def tables() -> dict[str, pa.Table]:
    """The test tables by name, their columns called c0, c1, …."""
    found = {}
    numbers = table("id BIGINT NOT NULL")
    nothing = table("ts TIMESTAMP")
    for name, node, rows in (
        ("t", T, T_ROWS),
        ("u", U, U_ROWS),
        ("lines", LINES, LINES_ROWS),
        ("floats", FLOATS, FLOATS_ROWS),
        ("numbers", numbers, [(i,) for i in range(3)]),
        ("nothing", nothing, []),
    ):
        types = arrow_schema(node.schema).types
        columns = [pa.array([row[i] for row in rows], kind) for i, kind in enumerate(types)]
        found[name] = pa.table(columns, names=[f"c{i}" for i in range(len(columns))])
    return found


def printed(name: str) -> str:
    return print_relation(resolve(CASES[name][0]), table_name) + "\n"


if __name__ == "__main__":
    for old in PRINTED.glob("*.sql"):
        old.unlink()
    for name in CASES:
        (PRINTED / f"{name}.sql").write_text(printed(name), encoding="utf-8")
