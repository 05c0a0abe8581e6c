"""Macros on numbers and texts that the functions of those families call."""

from __future__ import annotations

VALUES = (
    # DuckDB leaves out the zero before the point where a type has no digit for it.
    "CREATE MACRO wt_decimal_text(x) AS list_extract(list_transform([CAST(x AS VARCHAR)], lambda v: CASE WHEN "
    "v[1] = '.' THEN '0' || v WHEN v[1:2] = '-.' THEN '-0' || v[2:] ELSE v END), 1)",
    # As Java writes decimals: with an exponent where there are six zeros or more behind the point.
    "CREATE MACRO wt_java_decimal(x, n) AS CASE WHEN abs(x) >= 0.000001 THEN wt_decimal_text(x) "
    "ELSE list_extract(list_transform([coalesce(nullif(ltrim(replace(CAST(abs(x) AS VARCHAR), '.', ''), '0'), ''), "
    "left('0', length(CAST(x AS VARCHAR))))], lambda d: CASE WHEN x < 0 THEN '-' ELSE '' END || d[1] || CASE WHEN "
    "length(d) > 1 THEN '.' || d[2:] ELSE '' END || 'E' || CAST(length(d) - 1 - n AS VARCHAR)), 1) END",
    "CREATE MACRO wt_hypot(x, y) AS CASE WHEN x IS NULL OR y IS NULL THEN NULL WHEN isinf(x) OR isinf(y) THEN "
    "CAST('inf' AS DOUBLE) WHEN x = 0 AND y = 0 THEN 0 WHEN isnan(x) OR isnan(y) OR greatest(abs(x), abs(y)) BETWEEN "
    "1e-140 AND 1e140 THEN sqrt(x * x + y * y) ELSE greatest(abs(x), abs(y)) * sqrt(1 + wt_squared("
    "least(abs(x), abs(y)) / greatest(abs(x), abs(y)))) END",
    "CREATE MACRO wt_squared(x) AS x * x",
    "CREATE MACRO wt_quote(x) AS '''' || replace(x, '''', '\\''') || ''''",
    "CREATE MACRO wt_luhn_check(x) AS CASE WHEN x IS NOT NULL THEN regexp_full_match(x, '[0-9]+') AND list_sum("
    "list_transform(string_split(CASE WHEN regexp_full_match(x, '[0-9]+') THEN reverse(x) ELSE '0' END, ''), "
    "lambda c, i: CASE WHEN i % 2 = 1 THEN CAST(c AS INTEGER) WHEN CAST(c AS INTEGER) > 4 THEN "
    "2 * CAST(c AS INTEGER) - 9 ELSE 2 * CAST(c AS INTEGER) END)) % 10 = 0 END",
    "CREATE MACRO wt_ceil_div(a, b) AS a // b + CASE WHEN a % b > 0 THEN 1 ELSE 0 END",
    "CREATE MACRO wt_floor_div(a, b) AS a // b - CASE WHEN a % b < 0 THEN 1 ELSE 0 END",
    "CREATE MACRO wt_width_bucket(v, low, high, n) AS CASE WHEN v IS NULL OR n IS NULL OR low = high OR isnan(v) OR "
    "NOT isfinite(low) OR NOT isfinite(high) OR n <= 0 OR n = 9223372036854775807 THEN NULL "
    "WHEN low < high THEN CASE WHEN v < low THEN 0 WHEN v >= high THEN n + 1 "
    "ELSE CAST(trunc(n * (v - low) / (high - low)) AS BIGINT) + 1 END "
    "WHEN low > high THEN CASE WHEN v > low THEN 0 WHEN v <= high THEN n + 1 "
    "ELSE CAST(trunc(n * (low - v) / (low - high)) AS BIGINT) + 1 END END",
)
