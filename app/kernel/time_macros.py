"""Macros on dates, timestamps, intervals and time zones."""

from __future__ import annotations

TIME = (
    # Java stops at the bounds where seconds become microseconds.
    # A number in a record; one that no instant has is no value.
    "CREATE MACRO wt_from_seconds(x) AS CASE WHEN TRY_CAST(x AS BIGINT) BETWEEN -9223372022400 AND 9223372036853 "
    "THEN make_timestamptz(TRY_CAST(x AS BIGINT) * 1000000) END",
    "CREATE MACRO wt_second_us(s) AS CASE WHEN s > 9223372036854 THEN 9223372036854775807 WHEN s < -9223372036854 THEN "
    "-9223372036854775808 ELSE s * 1000000 END",
    # Spark computes with 34 digits, and rounds those behind them to the even neighbour.
    "CREATE MACRO wt_digits_34(u) AS CASE WHEN abs(u) < 10000000000000000000000000000000000::HUGEINT THEN u ELSE "
    "list_extract(list_transform([struct_pack(a := abs(u), unit := CAST('1' || repeat('0', "
    "len(CAST(abs(u) AS VARCHAR)) - 34) AS HUGEINT))], lambda p: sign(u) * p.unit * (p.a // p.unit + CASE WHEN "
    "2 * (p.a % p.unit) > p.unit OR (2 * (p.a % p.unit) = p.unit AND (p.a // p.unit) % 2 = 1) THEN 1 ELSE 0 END)), 1) "
    "END",
    "CREATE MACRO wt_wide_second_us(u, unit, times, parts) AS list_extract(list_transform([wt_digits_34(u)], lambda d: "
    "wt_wrap64((d // unit) % 18446744073709551616 * 1000000 + (d % unit) * times // parts)), 1)",
    "CREATE MACRO wt_saturated_instant(us) AS CASE WHEN NOT isfinite(us) THEN NULL WHEN us >= 9223372036854775807 THEN "
    "wt_fail('UNSUPPORTED_FEATURE', 'An instant of 9223372036854775807 microseconds is not supported.') "
    "ELSE make_timestamptz(wt_to_long(trunc(us))) END",
    "CREATE MACRO wt_finite(x) AS CASE WHEN isfinite(x) OR x IS NULL THEN x ELSE wt_fail('CAST_INVALID_INPUT', "
    "'The value ' || x || ' cannot be cast to TIMESTAMP because it is malformed. Use `try_cast` to have null.') END",
    # Java's years: four digits at least, a sign before those that have more or are negative.
    "CREATE MACRO wt_year_digits(y, n) AS CASE WHEN length(CAST(abs(y) AS VARCHAR)) < n THEN lpad(CAST(abs(y) AS "
    "VARCHAR), n, '0') ELSE CAST(abs(y) AS VARCHAR) END",
    "CREATE MACRO wt_year_text(y, n) AS CASE WHEN y < 0 THEN '-' WHEN n >= 4 AND y >= pow(10, n) THEN '+' ELSE '' END "
    "|| wt_year_digits(y, n)",
    "CREATE MACRO wt_long_text(x, n) AS CASE WHEN x < 0 THEN '-' ELSE '' END || wt_year_digits(x, n)",
    "CREATE MACRO wt_year_of_era(y) AS CASE WHEN y > 0 THEN y ELSE 1 - y END",
    "CREATE MACRO wt_shown(x, n, behind) AS CASE WHEN n = 4 AND year(x) BETWEEN 0 AND 9999 THEN strftime(x, "
    "'%Y' || behind) ELSE wt_year_text(year(x), n) || strftime(x, behind) END",
    "CREATE MACRO wt_date_text(x) AS CASE WHEN year(x) BETWEEN 1 AND 9999 THEN CAST(x AS VARCHAR) ELSE "
    "wt_year_text(year(x), 4) || strftime(x, '-%m-%d') END",
    "CREATE MACRO wt_time_text(x) AS CASE WHEN year(x) BETWEEN 1 AND 9999 THEN CAST(x AS VARCHAR) ELSE "
    "wt_year_text(year(x), 4) || strftime(x, '-%m-%d %H:%M:%S') || CASE WHEN epoch_us(x) % 1000000 = 0 THEN '' ELSE "
    "rtrim(strftime(x, '.%f'), '0') END END",
    "CREATE MACRO wt_csv_text(x, sep) AS CASE WHEN x = '' THEN '\"\"' WHEN contains(trim(x), sep) OR "
    "regexp_matches(trim(x), '[\"\\n\\r]') THEN '\"' || replace(replace(trim(x), '\\\"', '\\\\\"'), '\"', '\\\"') "
    "|| '\"' ELSE trim(x) END",
    "CREATE MACRO wt_bounded(n, x, y, values) AS CASE WHEN x IS NULL OR y IS NULL OR n IS NULL THEN NULL WHEN n > 0 "
    "AND x <= y OR n < 0 AND x >= y THEN values WHEN n = 0 AND x = y THEN [x] ELSE "
    "wt_fail('ILLEGAL_SEQUENCE_BOUNDARIES', 'Illegal sequence boundaries: ' || x || ' to ' || y) END",
    # Months are added to the first value each time: the 31st comes back after a shorter month.
    "CREATE MACRO wt_month_sequence(x, y, m) AS wt_bounded(m, x, y, list_filter(list_transform("
    "range(abs(datediff('month', x, y)) // greatest(abs(m), 1) + 1), lambda n: x + to_months(CAST(m * n AS INTEGER))), "
    "lambda v: CASE WHEN m > 0 THEN v <= y ELSE v >= y END))",
    "CREATE MACRO wt_span_sequence(x, y, s, days) AS CASE WHEN days AND epoch_us(s) % 86400000000 <> 0 THEN "
    "wt_fail('_LEGACY_ERROR_TEMP_3242', 'sequence step must be an interval day to second of day granularity if start "
    "and end values are dates') ELSE wt_bounded(epoch_us(s), x, y, generate_series(x, y, s)) END",
    "CREATE MACRO wt_window_start(us, slide, start) AS us - ((us - start) % slide + slide) % slide",
    "CREATE MACRO wt_parsed(found, x) AS CASE WHEN found IS NULL AND x IS NOT NULL THEN "
    "error('[CANNOT_PARSE_TIMESTAMP] Text ''' || x || ''' could not be parsed. Use `try_to_timestamp` to tolerate "
    "invalid input string and return NULL instead.') ELSE found END",
    "CREATE MACRO wt_trunc_unit(f) AS CASE WHEN f IN ('year', 'yyyy', 'yy') THEN 'year' "
    "WHEN f IN ('month', 'mon', 'mm') THEN 'month' WHEN f IN ('day', 'dd') THEN 'day' "
    "WHEN f IN ('quarter', 'week', 'hour', 'minute', 'second', 'millisecond', 'microsecond') THEN f END",
    "CREATE MACRO wt_trunc_date(d, f) AS CASE wt_trunc_unit(f) WHEN 'year' THEN CAST(date_trunc('year', d) AS DATE) "
    "WHEN 'quarter' THEN CAST(date_trunc('quarter', d) AS DATE) WHEN 'month' THEN CAST(date_trunc('month', d) AS "
    "DATE) WHEN 'week' THEN CAST(date_trunc('week', d) AS DATE) END",
    "CREATE MACRO wt_trunc_time(f, x) AS CASE WHEN wt_trunc_unit(f) IS NOT NULL THEN "
    "date_trunc(wt_trunc_unit(f), x) END",
    "CREATE MACRO wt_day_number(n) AS CASE WHEN n IN ('MO', 'MON', 'MONDAY') THEN 1 "
    "WHEN n IN ('TU', 'TUE', 'TUESDAY') THEN 2 WHEN n IN ('WE', 'WED', 'WEDNESDAY') THEN 3 "
    "WHEN n IN ('TH', 'THU', 'THURSDAY') THEN 4 WHEN n IN ('FR', 'FRI', 'FRIDAY') THEN 5 "
    "WHEN n IN ('SA', 'SAT', 'SATURDAY') THEN 6 WHEN n IN ('SU', 'SUN', 'SUNDAY') THEN 7 "
    "WHEN n IS NOT NULL THEN wt_fail('ILLEGAL_DAY_OF_WEEK', 'Illegal input for day of week: ' || n || '.') END",
    "CREATE MACRO wt_next_day(d, n) AS d + CAST(1 + (wt_day_number(upper(trim(n))) - isodow(d) + 6) % 7 AS INTEGER)",
    # Arguments are computed outside of what is tried: their own errors stay.
    "CREATE MACRO wt_date_of(y, m, d) AS list_extract(list_transform([{'y': y, 'm': m, 'd': d}], "
    "lambda v: TRY(make_date(v.y, v.m, v.d))), 1)",
    "CREATE MACRO wt_make_date(y, m, d) AS CASE WHEN wt_date_of(y, m, d) IS NULL AND y IS NOT NULL AND m IS NOT "
    "NULL AND d IS NOT NULL THEN wt_fail('DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION', 'Invalid date: ' || y || "
    "'-' || m || '-' || d || '.') ELSE wt_date_of(y, m, d) END",
    "CREATE MACRO wt_time_of(y, m, d, h, n, s) AS list_extract(list_transform([{'d': wt_date_of(y, m, d), "
    "'us': CAST(h AS BIGINT) * 3600000000 + CAST(n AS BIGINT) * 60000000 + CAST(s * 1000000 AS BIGINT)}], "
    "lambda v: TRY(make_timestamp(epoch_us(v.d) + v.us))), 1)",
    "CREATE MACRO wt_try_make_timestamp(y, m, d, h, n, s) AS CASE WHEN h BETWEEN 0 AND 23 AND n BETWEEN 0 AND 59 AND "
    "s BETWEEN 0 AND 60 THEN wt_time_of(y, m, d, h, n, s) END",
    "CREATE MACRO wt_make_timestamp(y, m, d, h, n, s) AS CASE WHEN s > 60 AND s < 61 THEN "
    "wt_fail('INVALID_FRACTION_OF_SECOND', 'Valid range for seconds is [0, 60] (inclusive), but the provided value is '"
    " || s || '. Use try_make_timestamp to have null instead.') ELSE wt_made_timestamp(y, m, d, h, n, s) END",
    "CREATE MACRO wt_made_timestamp(y, m, d, h, n, s) AS CASE WHEN y IS NULL OR m IS NULL OR d IS NULL OR h IS NULL "
    "OR n IS NULL OR s IS NULL THEN NULL WHEN h NOT BETWEEN 0 AND 23 OR n NOT BETWEEN 0 AND 59 OR s < 0 OR s > 60 OR "
    "wt_time_of(y, m, d, h, n, s) IS NULL THEN "
    "wt_fail('DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION', 'Invalid timestamp: ' || y || '-' || m || '-' || d || "
    "' ' || h || ':' || n || ':' || s || '.') ELSE CAST(wt_time_of(y, m, d, h, n, s) AS TIMESTAMP) END",
    "CREATE MACRO wt_months_apart(a, b) AS (year(a) * 12 + month(a)) - (year(b) * 12 + month(b))",
    "CREATE MACRO wt_day_us(x) AS day(x) * 86400000000 + epoch_us(x) - epoch_us(date_trunc('day', x))",
    # A macro repeats the text of its arguments; out of a list each is computed once.
    "CREATE MACRO wt_months_between(x, y, r) AS list_transform([struct_pack(a := x, b := y)], lambda p: "
    "wt_months_apart_in(p.a, p.b, wt_day_us(p.a), wt_day_us(p.b), r))[1]",
    # The last two are microseconds since the month began, were all days before of 24 hours.
    "CREATE MACRO wt_months_apart_in(a, b, u, v, r) AS CASE WHEN day(a) = day(b) OR (last_day(a) = CAST(a AS DATE) "
    "AND last_day(b) = CAST(b AS DATE)) THEN CAST(wt_months_apart(a, b) AS DOUBLE) "
    "WHEN r THEN round(wt_months_apart(a, b) + (u // 1000000 - v // 1000000) / 2678400.0::DOUBLE, 8) "
    "WHEN NOT r THEN wt_months_apart(a, b) + (u // 1000000 - v // 1000000) / 2678400.0::DOUBLE END",
    # DuckDB takes 69 to 99 for years of the last century.
    "CREATE MACRO wt_this_century(x) AS CASE WHEN year(x) < 2000 THEN x + to_years(100) ELSE x END",
    "CREATE MACRO wt_two_digits(n) AS CASE WHEN n < 10 THEN '0' ELSE '' END || CAST(n AS VARCHAR)",
    "CREATE MACRO wt_day_clock(x) AS epoch_us(x) - epoch_us(date_trunc('day', x))",
    "CREATE MACRO wt_packed(d) AS (year(d) * 12 + month(d) - 1) * 32 + day(d)",
    # As Java counts: the last day counts if its clock has come as far.
    "CREATE MACRO wt_whole_months(a, b) AS (wt_packed(CAST(b AS DATE) + CASE WHEN CAST(b AS DATE) > CAST(a AS DATE) "
    "AND wt_day_clock(b) < wt_day_clock(a) THEN -1 WHEN CAST(b AS DATE) < CAST(a AS DATE) AND wt_day_clock(b) > "
    "wt_day_clock(a) THEN 1 ELSE 0 END) - wt_packed(CAST(a AS DATE))) // 32",
    "CREATE MACRO wt_fitting_interval(n, bits) AS CASE WHEN n NOT BETWEEN -(1::HUGEINT << bits) AND "
    "(1::HUGEINT << bits) - 1 THEN wt_fail('INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION', 'Integer overflow while "
    "operating with intervals. Try devising appropriate values for the interval parameters.') ELSE n END",
    "CREATE MACRO wt_interval_within(n, bits, instead) AS CASE WHEN n NOT BETWEEN -(1::HUGEINT << bits) AND "
    "(1::HUGEINT << bits) - 1 THEN wt_fail('INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION', 'Integer overflow while "
    "operating with intervals. Use `' || instead || '` to tolerate overflow and return NULL instead.') ELSE n END",
    "CREATE MACRO wt_make_dt_interval(d, h, m, s) AS wt_interval(CAST(wt_fitting_interval(CAST(d AS HUGEINT) * "
    "86400000000 + CAST(h AS HUGEINT) * 3600000000 + CAST(m AS HUGEINT) * 60000000 + CAST(CAST(s AS DECIMAL(38,6)) "
    "* 1000000 AS HUGEINT), 63) "
    "AS BIGINT))",
    "CREATE MACRO wt_make_ym_interval(y, m) AS CAST(wt_fitting_interval(CAST(y AS HUGEINT) * 12 + m, 31) AS INTEGER)",
    "CREATE MACRO wt_datetime_overflow(n, us) AS CAST(wt_fail('DATETIME_OVERFLOW', 'Datetime operation overflow: add ' "
    "|| n || ' units of ' || us || '.') AS HUGEINT)",
    "CREATE MACRO wt_us_more(n, us, x) AS CAST(CASE WHEN x + CAST(n AS HUGEINT) * us NOT BETWEEN -9223372036854775807 "
    "AND 9223372036854775806 THEN wt_datetime_overflow(n, us || ' microseconds') ELSE CAST(n AS HUGEINT) * us END AS "
    "BIGINT)",
    # No two timestamps are further apart.
    "CREATE MACRO wt_months_more(n, m) AS CAST(CASE WHEN abs(CAST(n AS HUGEINT) * m) > 12 * 590000 THEN "
    "wt_datetime_overflow(n, m || ' months') ELSE CAST(n AS HUGEINT) * m END AS INTEGER)",
    # Java's offsets (+08:00, GMT+8) are no zones of DuckDB.
    "CREATE MACRO wt_zone(z) AS CASE WHEN z IN ('Z', 'UTC', 'GMT', 'UT') OR wt_fixed_us(z) IS NOT NULL THEN 'UTC' "
    "ELSE z END",
    "CREATE MACRO wt_fixed_us(z) AS CASE WHEN regexp_full_match(z, '(UTC|GMT|UT)?[+-][0-9]{1,2}(:?[0-9]{2})?') THEN "
    "(CASE WHEN contains(z, '-') THEN -1 ELSE 1 END) * (CAST(regexp_extract(z, '[+-]([0-9]{1,2})', 1) AS BIGINT) * 60 "
    "+ coalesce(TRY_CAST(regexp_extract(z, '[+-][0-9]{1,2}:?([0-9]{2})$', 1) AS BIGINT), 0)) * 60000000 END",
    "CREATE MACRO wt_in_zone(l, z) AS CASE WHEN wt_fixed_us(z) IS NOT NULL THEN make_timestamptz(epoch_us(l) - "
    "wt_fixed_us(z)) ELSE wt_at_zone(l, wt_zone(z)) END",
    "CREATE MACRO wt_wall_in(x, z) AS CASE WHEN wt_fixed_us(z) IS NOT NULL THEN make_timestamp(epoch_us(x) + "
    "wt_fixed_us(z)) ELSE timezone(wt_zone(z), x) END",
)

ZONES = (
    "CREATE MACRO wt_bucket_of_months(x, o, m) AS list_extract(list_transform([wt_floor_div(wt_months_apart(x, o), "
    "m)], lambda n: CASE WHEN o + to_months(CAST(n * m AS INTEGER)) > x THEN o + to_months(CAST((n - 1) * m AS "
    "INTEGER)) ELSE o + to_months(CAST(n * m AS INTEGER)) END), 1)",
    # Bucket n begins at origin o (w on the wall) plus n times its months, or the days of n times its length, there, and
    # what is left of that on the instant.
    "CREATE MACRO wt_bucket_at(o, w, n, m, size, z) AS make_timestamptz(epoch_us(wt_near_zone(o, w, w + "
    "to_months(CAST(n * m AS INTEGER)) + to_days(CAST(n * size // 86400000000 AS INTEGER)), z)) + n * size % "
    "86400000000)",
    "CREATE MACRO wt_bucket_number(v, w, m, d, us) AS CASE WHEN m <> 0 THEN wt_floor_div(wt_months_apart(v, w), "
    "nullif(m, 0)) ELSE wt_floor_div(epoch_us(v) - epoch_us(w), nullif(d * 86400000000 + us, 0)) END",
    "CREATE MACRO wt_bucket_in_zone(x, v, o, w, m, d, us, z) AS list_max(list_filter(list_transform([-1, 0, 1], "
    "lambda k: wt_bucket_at(o, w, wt_bucket_number(v, w, m, d, us) + k, m, d * 86400000000 + us, z)), "
    "lambda b: b <= x))",
    # DuckDB takes the later instant of two that a wall clock shows; Java the earlier: that of the offset of the day
    # before, where there the clock shows the same.
    "CREATE MACRO wt_day_before(l, z) AS timezone(z, l) - to_hours(24)",
    "CREATE MACRO wt_earlier(l, z) AS make_timestamptz(epoch_us(l) - (epoch_us(timezone(z, wt_day_before(l, z))) - "
    "epoch_us(wt_day_before(l, z))))",
    # As Java writes an offset in one of its forms.
    "CREATE MACRO wt_offset_digits(n, sep) AS sep || lpad(CAST(n AS VARCHAR), 2, '0')",
    "CREATE MACRO wt_offset_text(s, f, zero) AS CASE WHEN abs(s) // 60 = 0 AND (s = 0 OR f[-2:] <> 'ss') THEN zero "
    "ELSE wt_offset_digits(abs(s) // 3600, CASE WHEN s < 0 THEN '-' ELSE '+' END) || CASE WHEN f = '+HHmm' AND abs(s) "
    "// 60 % 60 = 0 THEN '' ELSE wt_offset_digits(abs(s) // 60 % 60, CASE WHEN contains(f, ':') THEN ':' ELSE '' END) "
    "END || CASE WHEN f[-2:] <> 'ss' OR abs(s) % 60 = 0 THEN '' ELSE wt_offset_digits(abs(s) % 60, CASE WHEN "
    "contains(f, ':') THEN ':' ELSE '' END) END END",
    "CREATE MACRO wt_gmt_text(s, in_full) AS CASE WHEN s = 0 THEN 'GMT' ELSE CASE WHEN s < 0 THEN 'GMT-' ELSE 'GMT+' "
    "END || CASE WHEN in_full THEN wt_two_digits(abs(s) // 3600) ELSE CAST(abs(s) // 3600 AS VARCHAR) END || CASE WHEN "
    "in_full OR abs(s) % 3600 <> 0 THEN ':' || wt_two_digits(abs(s) // 60 % 60) ELSE '' END || CASE WHEN "
    "abs(s) % 60 <> 0 THEN ':' || wt_two_digits(abs(s) % 60) ELSE '' END END",
    "CREATE MACRO wt_at_zone(l, z) AS CASE WHEN timezone(z, wt_earlier(l, z)) = l THEN wt_earlier(l, z) "
    "ELSE timezone(z, l) END",
    # The instant at which the clock, which showed w at x, shows l; with x's own offset where that may be.
    "CREATE MACRO wt_same_offset(x, w, l) AS make_timestamptz(epoch_us(x) + epoch_us(l) - epoch_us(w))",
    "CREATE MACRO wt_near_zone(x, w, l, z) AS CASE WHEN timezone(z, wt_same_offset(x, w, l)) = l THEN "
    "wt_same_offset(x, w, l) ELSE wt_at_zone(l, z) END",
    "CREATE MACRO wt_add_in_zone(x, w, us, z) AS make_timestamptz(epoch_us(CASE WHEN us // 86400000000 = 0 THEN x ELSE "
    "wt_near_zone(x, w, w + to_days(CAST(us // 86400000000 AS INTEGER)), z) END) + us % 86400000000)",
    "CREATE MACRO wt_day_us_in(x, w, z) AS day(w) * 86400000000 + epoch_us(x) - "
    "epoch_us(wt_at_zone(date_trunc('day', w), z))",
    "CREATE MACRO wt_months_in_zone(x, v, y, w, r, z) AS list_transform([struct_pack(x := x, v := v, y := y, w := w)], "
    "lambda p: wt_months_apart_in(p.v, p.w, wt_day_us_in(p.x, p.v, z), wt_day_us_in(p.y, p.w, z), r))[1]",
    "CREATE MACRO wt_instant_in(x, z) AS wt_said_in(wt_instant(x, z), z)",
    "CREATE MACRO wt_said_in(found, z) AS CASE WHEN found <> wt_local(found) THEN TRY_CAST(found AS TIMESTAMPTZ) "
    "ELSE wt_at_zone(TRY_CAST(found AS TIMESTAMP), z) END",
)
