"""Every aggregate gives the batch's answer however its rows are cut into epochs and its states are merged."""

from __future__ import annotations

import random
import re
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.kernel.kernel import Kernel
from app.kernel.relations import print_aggregate, print_arguments, with_filter
from app.plan.bound import AggCall
from app.plan.carriers import arrow_schema
from app.plan.ddl import parse_schema
from app.plan.functions import catalogue, lookup
from app.plan.functions.entry import Binding
from app.plan.parse import parse_expression
from app.plan.resolve import resolve_expression
from tests.functions.encoding import encode, in_mode, same

_COLUMNS = parse_schema(
    "g int, x int, d double, n decimal(10,2), s string, p boolean, st struct<a: int, b: string>, e double, f float"
)

_SKETCH = f"x'0201070C030002082F823B040AFF8004{'00' * 24}'"

_CALLS = [
    "count(*)", "count(x)", "count(x, s)", "count_if(p)", "sum(x)", "sum(d)", "sum(n)", "try_sum(x)", "avg(x)",
    "avg(n)", "try_avg(d)", "product(x)", "min(x)", "max(x)", "min(s)", "max(n)", "min(p)", "max(st)", "min(st)",
    "min_by(s, x)", "max_by(s, n)", "max_by(x, st)", "first(x)", "first(x, true)", "last(s)", "last(s, true)",
    "bool_and(p)", "bool_or(p)", "bit_and(x)", "bit_or(x)", "bit_xor(x)", "collect_list(s)", "collect_list(x)",
    "sort_array(collect_set(x))", "listagg(s, ',')", "stddev_samp(x)", "stddev_pop(x)", "var_samp(x)", "var_pop(x)",
    "covar_pop(x, d)", "covar_samp(x, d)", "corr(x, d)", "regr_slope(x, d)", "regr_intercept(x, d)", "median(x)",
    "@legacy corr(x, d)",
    "regr_count(x, d)", "regr_avgx(x, d)", "regr_avgy(x, d)", "regr_r2(x, d)", "regr_sxx(x, d)", "regr_syy(x, d)",
    "regr_sxy(x, d)",
    "percentile(x, 0.3)", "percentile(x, array(0.0, 0.5, 1.0))", "percentile_approx(x, 0.5)",
    "approx_count_distinct(s)", "sum(x) filter (where p)", "avg(n) filter (where x > 0)",
    "collect_list(x) filter (where p)", "first(x, true) filter (where p)", "corr(x, d) filter (where p)",
    "skewness(x)", "kurtosis(x)", "kurtosis(d) filter (where p)", "try_sum(n)", "sum(cast(n as decimal(38,2)))",
    "try_sum(cast(x * 1e37D as decimal(38,0)))", "avg(cast(n as decimal(38,2)))", "avg(d)", "min(d)", "max(d)",
    "sum(make_dt_interval(x))", "avg(make_dt_interval(x))", "sum(make_ym_interval(x))", "try_avg(make_ym_interval(x))",
    "max_by(x, p)", "min_by(s, p)", "max_by(x, n, 3)", "min_by(s, st, 2)", "mode(x)", "mode(s)", "mode(st)",
    "mode() within group (order by x desc)", "approx_top_k(s, 3)", "approx_top_k(p)", "median(d)",
    "median(make_dt_interval(x))", "percentile(x, 0.3, g)", "percentile(d, array(0.1, 0.9), g + 1)",
    "percentile_cont(0.3) within group (order by x desc)", "percentile_disc(0.3) within group (order by d)",
    "percentile_disc(array(0.3, 0.9)) within group (order by d desc)", "percentile_approx(make_dt_interval(x), 0.4)",
    "histogram_numeric(x, 3)", "histogram_numeric(d, 4)", "bitmap_construct_agg(g)", "bitmap_or_agg(cast(s as binary))",
    "bitmap_and_agg(cast(s as binary))", "listagg(cast(s as binary), x'2c')", "listagg(s)",
    "listagg(s, '|') within group (order by x desc)", "listagg(s) within group (order by st, d desc nulls first)",
    "collect_list(st)", "last(st)", "bool_and(x > 0) filter (where p)", "vector_sum(array(cast(d as float)))",
    "vector_sum(array(cast(x as float), 1F)) filter (where p)", "vector_avg(array(cast(x * 0 as float)))",
    "hll_sketch_estimate(hll_sketch_agg(x))", "hll_sketch_estimate(hll_sketch_agg(s, 4) filter (where p))",
    "min(upper(s) collate utf8_lcase)", f"hll_sketch_estimate(hll_union_agg(CASE WHEN p THEN {_SKETCH} END))",
    "schema_of_variant_agg(cast(n as variant))",
    "schema_of_variant_agg(try_parse_json(s)) filter (where p)", "first(cast(s as variant))",
    # NaN, both zeros and what is not finite.
    "count(e)", "sum(e)", "sum(f)", "try_sum(e)", "avg(e)", "avg(f)", "try_avg(f)", "product(e)", "min(e)", "max(e)",
    "min(f)", "max(f)", "min(struct(e, x))", "max(array(e))", "min_by(x, e)", "max_by(x, e)", "max_by(e, f, 2)",
    "min_by(e, array(f))", "first(e)", "last(f)", "collect_list(e)", "sort_array(collect_set(e))",
    "sort_array(collect_set(f))", "sort_array(collect_set(struct(e)))", "stddev_samp(e)", "stddev_pop(f)",
    "var_samp(f)", "var_pop(e)", "skewness(e)", "kurtosis(f)", "covar_pop(e, x)", "covar_samp(x, f)",
    "regr_slope(e, x)", "regr_slope(x, e)", "regr_intercept(x, f)", "regr_r2(x, e)", "regr_sxx(x, e)",
    "regr_syy(e, x)", "regr_sxy(e, d)", "regr_count(e, f)", "regr_avgx(n, x)", "regr_avgy(n, x)", "regr_avgx(x, e)",
    "median(e)", "percentile(e, 0.3)", "percentile(f, array(0.0, 0.5, 1.0))", "percentile(e, 0.7, g)",
    "percentile_approx(e, array(0.1, 0.9))", "percentile_approx(n, 0.5)", "percentile_approx(f, 0.4)",
    "percentile_cont(0.3) within group (order by e desc)", "percentile_disc(0.8) within group (order by f)",
    "percentile_cont(0.4) within group (order by make_dt_interval(x, x, 3, 4.5))", "median(make_ym_interval(x))",
    "percentile(make_dt_interval(x, x, x, 4.5), array(0.3, 0.7), g)", "mode(e)", "mode(f)", "mode(x, true)",
    "mode() within group (order by e)", "mode() within group (order by e desc)", "approx_top_k(e, 9)",
    "approx_top_k(f)", "approx_count_distinct(e)", "approx_count_distinct(f, 0.1)", "histogram_numeric(e, 3)",
    "histogram_numeric(n, 2)", "histogram_numeric(date_from_unix_date(x), 2)", "count_if(e > 0)",
    "listagg(s, ',') within group (order by e, st desc)", "listagg(s) within group (order by f desc nulls first)",
    # Null or not, and in which order they came.
    "first(x) ignore nulls", "last(e) ignore nulls", "any_value(s) ignore nulls", "any_value(st)", "first(st, true)",
    "last(st) ignore nulls", "first_value(x) respect nulls", "last_value(e) ignore nulls", "first(x, false)",
    "collect_list(e) ignore nulls", "collect_list(e) respect nulls",
    "sort_array(collect_set(s) respect nulls)", "sort_array(collect_set(s) ignore nulls)", "every(p)", "some(e > 0)",
    "array_agg(st)", "string_agg(s)", "mean(e)", "std(d)", "variance(d)", "approx_percentile(x, 0.2)",
]  # fmt: skip
_FILTERS = ["", " filter (where p)", " filter (where e > 0)", " filter (where x is not null and s <> '')",
            " filter (where false)"]  # fmt: skip
_AROUND = {"sort_array": "list_sort({})", "hll_sketch_estimate": "wa_hll_estimate({})"}
_SINGLE_PASS = {"grouping", "grouping_id"}
"""Not kept at all: they are told from the number of the grouping set."""
_AS_MEANS = {"regr_avgx", "regr_avgy"}
"""Means of what a CASE leaves."""
_EDGES = [0.0, -0.0, 1.5, -2.25, float("nan"), float("nan"), float("inf"), float("-inf"), 8.0]


def _rows(rng: random.Random, count: int) -> list[tuple[Any, ...]]:
    def maybe(value: Any) -> Any:
        return None if rng.random() < 0.25 else value

    # Quarters and small numbers, so that sums of doubles do not depend on their order.
    return [
        (
            rng.randrange(3),
            maybe(rng.randrange(-9, 9)),
            maybe(rng.randrange(-40, 40) / 4),
            maybe(rng.randrange(-999, 999)),
            maybe(rng.choice(["a", "b", "", "é", "zz"])),
            maybe(rng.random() < 0.5),
            maybe({"a": maybe(rng.randrange(3)), "b": maybe(rng.choice("xy"))}),
            maybe(rng.choice(_EDGES)),
            maybe(rng.choice(_EDGES)),
        )
        for _ in range(count)
    ]


def _table(rows: list[tuple[Any, ...]]) -> pa.Table:
    from decimal import Decimal

    columns = [list(c) for c in zip(*rows, strict=True)] if rows else [[] for _ in _COLUMNS]
    columns[3] = [None if v is None else Decimal(v) / 100 for v in columns[3]]
    schema = arrow_schema(_COLUMNS)
    return pa.table([pa.array(c, type=f.type) for c, f in zip(columns, schema, strict=True)], schema=schema)


def _inner(text: str) -> tuple[AggCall, str]:
    """The aggregate of a text, and the format string of what stands around it."""
    ansi, expression = in_mode(text)
    typed = resolve_expression(parse_expression(expression), _COLUMNS, Binding(ansi))
    if isinstance(typed, AggCall):
        return typed, "{}"
    inner = typed.args[0]  # type: ignore[attr-defined]
    assert isinstance(inner, AggCall)
    return inner, _AROUND[typed.function]  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def kernel() -> Any:
    with Kernel(1 << 28, 1) as kernel:
        yield kernel


@pytest.mark.parametrize("text", _CALLS)
@pytest.mark.parametrize("seed", range(2))
def test_any_cut_gives_the_batch_answer(kernel: Kernel, text: str, seed: int) -> None:
    rng = random.Random(f"{text}{seed}")
    rows = _rows(rng, 40 if seed else rng.choice([0, 1, 3]))
    _check(kernel, text, rows, [rng.randrange(len(rows) + 1) for _ in range(rng.randrange(1, 5))])


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    text=st.sampled_from(_CALLS),
    condition=st.sampled_from(_FILTERS),
    seed=st.integers(0, 1 << 32),
    count=st.integers(0, 25),
    cuts=st.lists(st.integers(0, 25), max_size=6),
)
def test_any_filter_and_cut_gives_the_batch_answer(
    kernel: Kernel, text: str, condition: str, seed: int, count: int, cuts: list[int]
) -> None:
    if " filter " not in text:
        # The filter stands behind the call, before what is said of nulls.
        end = ")" if text.startswith(tuple(_AROUND)) else ""
        call, nulls = re.fullmatch(r"(.*?)((?: (?:ignore|respect) nulls)?)", text.removesuffix(end)).groups()  # type: ignore[union-attr]
        text = f"{call}{condition}{nulls}{end}"
    _check(kernel, text, _rows(random.Random(seed), count), [min(cut, count) for cut in cuts])


def _check(kernel: Kernel, text: str, rows: list[tuple[Any, ...]], cuts: list[int]) -> None:
    call, around = _inner(text)
    batch = _batch(kernel, call, around, rows)
    cuts = sorted(cuts)
    parts = [rows[a:b] for a, b in zip([0, *cuts], [*cuts, len(rows)], strict=True)]
    assert _same(_in_steps(kernel, call, around, parts), batch), f"{text}: {len(rows)} rows, cut at {cuts}"


def _same(ours: Any, theirs: Any) -> bool:
    """Of two zeros a percentile takes either, and DuckDB leaves one as it is where the other is to replace it."""
    return same(ours, theirs, 4096, signed=False)


def _batch(kernel: Kernel, call: AggCall, around: str, rows: list[tuple[Any, ...]]) -> Any:
    kernel.put("t", _table(rows))
    sql = f"SELECT {around.format(print_aggregate(call))} AS v FROM t"
    return _column(kernel, f"{sql} UNION ALL BY NAME SELECT v FROM ({sql.replace('SELECT', 'SELECT c0,', 1)} "
                           "GROUP BY c0 ORDER BY c0)")  # fmt: skip


def _in_steps(kernel: Kernel, call: AggCall, around: str, parts: list[list[tuple[Any, ...]]]) -> Any:
    """The same through states: one table of one global state, one of a state for each group."""
    state = lookup(call.function).state
    assert state is not None
    partial = with_filter(state.partial(call, print_arguments(call)), call)
    for number, rows in enumerate(parts):
        kernel.put("t", _table(rows))
        for name, key in (("whole", "0"), ("groups", "c0")):
            new = f"SELECT {key} AS k, {partial} AS s FROM t" + (" GROUP BY c0" if name == "groups" else "")
            if number == 0:
                kernel.execute(f"CREATE OR REPLACE TABLE {name} AS {new}")
            else:
                kernel.execute(
                    f"MERGE INTO {name} USING ({new}) AS new ON {name}.k = new.k WHEN MATCHED THEN UPDATE SET s = "
                    f"{state.combine(call, f'{name}.s', 'new.s')} WHEN NOT MATCHED THEN INSERT VALUES (new.k, new.s)"
                )
            # States come back from Arrow, as after a restart.
            kernel.put_named("kept", kernel.arrow(f"SELECT * FROM {name}"))
            kernel.execute(f"DELETE FROM {name}")
            kernel.execute(f"INSERT INTO {name} BY NAME SELECT * FROM kept")
            kernel.drop("kept")
        kernel.execute(f"CREATE OR REPLACE TABLE part{number} AS SELECT {partial} AS s FROM t")
    finish = around.format(state.finish(call, "s"))
    # The newest two are merged first.
    kernel.execute(f"CREATE OR REPLACE TABLE later AS SELECT s FROM part{len(parts) - 1}")
    for number in reversed(range(len(parts) - 1)):
        merged = state.combine(call, f"part{number}.s", "later.s")
        kernel.execute(f"CREATE OR REPLACE TABLE later AS SELECT {merged} AS s FROM part{number}, later")
    newest_first = _column(kernel, f"SELECT {finish} AS v FROM later")
    whole = _column(kernel, f"SELECT {finish} AS v FROM whole")
    assert _same(newest_first, whole)
    return whole + _column(kernel, f"SELECT {finish} AS v FROM groups ORDER BY k")


def _column(kernel: Kernel, sql: str) -> list[Any]:
    return [encode(value) for value in kernel.arrow(sql).column("v").to_pylist()]


def test_every_aggregate_with_a_state_is_cut_here() -> None:
    tried = {_inner(text)[0].function for text in _CALLS}
    aggregates = {f.name for f in catalogue().values() if f.kind == "aggregate"}
    assert aggregates - tried == _SINGLE_PASS | _AS_MEANS
    assert {name for name in aggregates if lookup(name).state is None} == _SINGLE_PASS
