"""SQL macros that the states and the ends of aggregates are made of.

Where an argument is used more than once and may be an aggregate, it is bound to a lambda's parameter first.
"""

from __future__ import annotations

_SUMS = (
    "CREATE MACRO wt_sum(x, name) AS CASE WHEN x NOT BETWEEN -9223372036854775808 AND 9223372036854775807 THEN "
    "wt_fail('ARITHMETIC_OVERFLOW', 'The sum of `' || name || '` is ' || x || ', which BIGINT does not hold. Cast "
    "what is summed to a decimal, or use `try_sum` to have null instead.') ELSE x END",
    # A decimal in units of its last digit; of a sum in two halves the upper one counts units of 10^18.
    "CREATE MACRO wt_unscaled(x) AS CAST(replace(CAST(x AS VARCHAR), '.', '') AS HUGEINT)",
    "CREATE MACRO wt_high_digits(x) AS wt_unscaled(x) // 1000000000000000000::HUGEINT",
    "CREATE MACRO wt_low_digits(x) AS wt_unscaled(x) % 1000000000000000000::HUGEINT",
    "CREATE MACRO wt_add_halves(a, b) AS struct_pack(h := coalesce(struct_extract(a, 'h') + struct_extract(b, 'h'), "
    "struct_extract(a, 'h'), struct_extract(b, 'h')), l := coalesce(struct_extract(a, 'l') + struct_extract(b, 'l'), "
    "struct_extract(a, 'l'), struct_extract(b, 'l')))",
    "CREATE MACRO wt_whole_halves(s) AS CASE WHEN abs(struct_extract(s, 'h')) < 101000000000000000000::HUGEINT THEN "
    "struct_extract(s, 'h') * 1000000000000000000::HUGEINT + struct_extract(s, 'l') END",
    "CREATE MACRO wt_sum_fitting(x, given, name) AS CASE WHEN x IS NULL AND given THEN "
    "wt_fail('NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION', 'The sum of `' || name || '` has more than 38 digits. Use "
    "`try_sum` or `try_avg` to have null instead.') ELSE x END",
    "CREATE MACRO wt_mean_fitting(x, given, name) AS CASE WHEN x IS NULL AND given THEN "
    "wt_fail('NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION', 'The mean of `' || name || '` has more than 38 digits. Use "
    "`try_avg` to have null instead.') ELSE x END",
    "CREATE MACRO wt_decimal_mean(total, n, more) AS CASE WHEN abs(total // n) <= "
    "100000000000000000000000000000000000000::HUGEINT // more THEN "
    "(total // n) * more + wt_round_div((total % n) * more, n) END",
    "CREATE MACRO wt_mean(total, n) AS wt_round_div(CAST(total AS HUGEINT), CAST(n AS HUGEINT))",
    "CREATE MACRO wt_interval_sum(x, low, high, name) AS CASE WHEN x NOT BETWEEN low AND high THEN "
    "wt_fail('INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION', 'The sum of the intervals `' || name || '` overflows. Use "
    "`try_sum` or `try_avg` to have null instead.') ELSE x END",
    "CREATE MACRO wt_span(us, name) AS wt_interval(CAST(wt_interval_sum(us, -9223372036854775808, "
    "9223372036854775807, name) AS BIGINT))",
    "CREATE MACRO wt_try_span(us) AS wt_interval(TRY_CAST(us AS BIGINT))",
    "CREATE MACRO wt_months(m, name) AS CAST(wt_interval_sum(m, -2147483648, 2147483647, name) AS INTEGER)",
    "CREATE MACRO wt_try_months(m) AS TRY_CAST(m AS INTEGER)",
)

_MOMENTS = (
    # Spark merges what it has counted into a count of nothing. There the mean of x times that of y stands times zero,
    # which is no number where the product is beyond a double; what is null is so all the same.
    "CREATE MACRO wt_merged(v, product) AS CASE WHEN v IS NULL OR isfinite(product) THEN v ELSE "
    "CAST('nan' AS DOUBLE) END",
    "CREATE MACRO wt_spread(v, x, y, n) AS list_extract(list_transform([struct_pack(v := v, x := x, y := y, n := n)], "
    "lambda p: wt_merged(p.v, p.x * (p.y / p.n))), 1)",
    "CREATE MACRO wt_r2(xy, xx, yy) AS list_extract(list_transform([struct_pack(xy := xy, xx := xx, yy := yy)], "
    "lambda p: CASE WHEN p.xx = 0 THEN NULL WHEN p.yy = 0 THEN 1.0 ELSE pow(p.xy / sqrt(p.xx * p.yy), 2) END), 1)",
    # One pair has no correlation; values that are all alike have none that division could give.
    "CREATE MACRO wt_corr(c, s, alike) AS list_extract(list_transform([struct_pack(c := c, s := s)], lambda p: CASE "
    "WHEN p.s.n <= 1 THEN NULL WHEN NOT isfinite(p.s.mx * (p.s.mx / p.s.n)) OR NOT isfinite(p.s.my * (p.s.my / p.s.n)) "
    "THEN CAST('nan' AS DOUBLE) WHEN p.s.x.lo = p.s.x.hi OR p.s.y.lo = p.s.y.hi THEN alike ELSE p.c END), 1)",
    "CREATE MACRO wt_moments(xs) AS list_extract(list_transform([struct_pack(xs := xs, mean := list_avg(xs))], "
    "lambda p: struct_pack(n := len(p.xs), mean := p.mean, "
    "m2 := list_sum(list_transform(p.xs, lambda v: (v - p.mean) * (v - p.mean))), "
    "m3 := list_sum(list_transform(p.xs, lambda v: (v - p.mean) * (v - p.mean) * (v - p.mean))), "
    "m4 := list_sum(list_transform(p.xs, lambda v: (v - p.mean) * (v - p.mean) * (v - p.mean) * (v - p.mean))))), 1)",
    "CREATE MACRO wt_skewness(s) AS list_extract(list_transform([s], lambda m: CASE WHEN m.n = 0 OR "
    "wt_merged(m.m2, m.mean * (m.mean / m.n)) = 0 THEN NULL "
    "ELSE wt_merged(sqrt(CAST(m.n AS DOUBLE)) * m.m3 / sqrt(m.m2 * m.m2 * m.m2), pow(m.mean / m.n, 2) * m.mean) "
    "END), 1)",
    "CREATE MACRO wt_kurtosis(s) AS list_extract(list_transform([s], lambda m: CASE WHEN m.n = 0 OR "
    "wt_merged(m.m2, m.mean * (m.mean / m.n)) = 0 THEN NULL "
    "ELSE wt_merged(m.n * m.m4 / (m.m2 * m.m2) - 3, pow(m.mean / m.n, 3) * m.mean) END), 1)",
)

_EXTREMES = (
    # Of items with an order, the last of the greatest or least.
    *(
        f"CREATE MACRO wt_last_{name}(items) AS list_extract(list_transform([struct_pack(l := items, "
        "o := list_transform(items, lambda e: e.o))], lambda p: list_extract(p.l, "
        f"-list_position(list_reverse(p.o), list_{name}(p.o)))), 1)"
        for name in ("max", "min")
    ),
    # The first k of items by their order; of equal ones those that came first.
    "CREATE MACRO wt_top_max(items, k) AS list_transform(list_sort(list_transform(items, lambda e, i: "
    "struct_pack(o := e.o, i := -i, e := e)), 'DESC')[:k], lambda t: t.e)",
    "CREATE MACRO wt_top_min(items, k) AS list_transform(list_sort(list_transform(items, lambda e, i: "
    "struct_pack(o := e.o, i := i, e := e)))[:k], lambda t: t.e)",
)

_LISTS = (
    # The values of items by their order, and where that is the same as they came.
    "CREATE MACRO wt_in_order(items) AS list_transform(list_sort(list_transform(items, lambda e, i: "
    "struct_pack(o := e.o, i := i, v := e.v))), lambda e: e.v)",
)

_COUNTS = (
    # Counts of values: entries of key and value, sorted by key, each key once.
    "CREATE MACRO wt_merged_counts(a, b) AS CASE WHEN a IS NULL THEN b WHEN b IS NULL THEN a ELSE "
    "wt_joined_counts(list_sort(list_concat(a, b))) END",
    "CREATE MACRO wt_joined_counts(entries) AS list_extract(list_transform([entries], lambda s: list_filter("
    "list_transform(list_zip(s, list_prepend(NULL, s), s[2:]), lambda e: "
    "CASE WHEN e[1] IS NULL OR (e[3] IS NOT NULL AND e[3].key IS NOT DISTINCT FROM e[1].key) THEN NULL "
    "WHEN e[2] IS NOT NULL AND e[2].key IS NOT DISTINCT FROM e[1].key THEN "
    "struct_pack(key := e[1].key, value := e[1].value + e[2].value) "
    "ELSE e[1] END), lambda e: e IS NOT NULL)), 1)",
    "CREATE MACRO wt_most(entries) AS list_extract(list_transform([struct_pack(l := entries, "
    "n := list_transform(entries, lambda e: e.value))], lambda p: "
    "list_extract(p.l, list_position(p.n, list_max(p.n)))), 1).key",
    "CREATE MACRO wt_top_counts(entries, nulls, k) AS list_transform(list_sort(list_transform(list_concat(entries, "
    "CASE WHEN nulls > 0 THEN [struct_pack(key := NULL, value := CAST(nulls AS UBIGINT))] ELSE [] END), lambda e, i: "
    "struct_pack(n := -CAST(e.value AS BIGINT), i := i, v := e.key)))[:k], lambda t: "
    'struct_pack(item := t.v, "count" := -t.n))',
)

_PERCENTILES = (
    "CREATE MACRO wt_frequency(n) AS CASE WHEN n < 0 THEN wt_fail('NEGATIVE_VALUES_IN_FREQUENCY_EXPRESSION', 'Found "
    "the negative value ' || n || ' in the frequency of a percentile, but expected a positive integral value.') "
    "ELSE n END",
    # The value at place k, from 0, of values that come n times each.
    "CREATE MACRO wt_at_place(items, k) AS list_reduce(items, lambda a, e: "
    "struct_pack(s := a.s + CAST(e.n AS HUGEINT), "
    "v := CASE WHEN a.v IS NULL AND a.s + CAST(e.n AS HUGEINT) > k THEN e.v ELSE a.v END), "
    "struct_pack(s := 0::HUGEINT, v := NULL::DOUBLE)).v",
    "CREATE MACRO wt_weighted(items, f) AS list_extract(list_transform([struct_pack(l := list_sort(items), "
    "k := (list_sum(list_transform(items, lambda e: CAST(e.n AS HUGEINT))) - 1) * CAST(f AS DOUBLE))], lambda q: "
    "wt_between(wt_at_place(q.l, floor(q.k)), wt_at_place(q.l, ceil(q.k)), q.k)), 1)",
    "CREATE MACRO wt_placed(xs, f) AS list_extract(list_transform([struct_pack(l := list_sort(xs), "
    "k := (len(xs) - 1) * CAST(f AS DOUBLE))], lambda q: wt_between(q.l[CAST(floor(q.k) AS BIGINT) + 1], "
    "q.l[CAST(ceil(q.k) AS BIGINT) + 1], q.k)), 1)",
    "CREATE MACRO wt_between(a, b, k) AS CASE WHEN a = b OR floor(k) = k THEN a ELSE (ceil(k) - k) * a + "
    "(k - floor(k)) * b END",
)

_HISTOGRAMS = (
    "CREATE MACRO wt_saturated(x) AS list_extract(list_transform([x], lambda v: CASE WHEN isnan(v) THEN 0 "
    "WHEN v >= 9223372036854775807 THEN 9223372036854775807 WHEN v <= -9223372036854775808 THEN "
    "-9223372036854775808 ELSE CAST(trunc(v) AS BIGINT) END), 1)",
)

_BITMAPS = (
    # Spark fills a byte from its lowest bit on, DuckDB a bit string from its highest.
    "CREATE MACRO wt_bitmap_place(p) AS CASE WHEN p NOT BETWEEN 0 AND 32767 THEN wt_fail('INVALID_BITMAP_POSITION', "
    "'The 0-indexed bitmap position ' || p || ' is out of bounds. The bitmap has 32768 bits (4096 bytes).') "
    "ELSE (p // 8) * 8 + 7 - p % 8 END",
    "CREATE MACRO wt_bitmap(x) AS CAST(CASE WHEN octet_length(x) >= 4096 THEN x[:4096] ELSE "
    "x || repeat('\\x00'::BLOB, 4096 - octet_length(x)) END AS BIT)",
)

AGGREGATE_MACROS: tuple[str, ...] = (
    *_SUMS,
    *_MOMENTS,
    *_EXTREMES,
    *_LISTS,
    *_COUNTS,
    *_PERCENTILES,
    *_HISTOGRAMS,
    *_BITMAPS,
)
