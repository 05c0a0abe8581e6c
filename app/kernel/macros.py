"""SQL macros that printed expressions call; a kernel creates them once, when it opens.

They hold what DuckDB has no function for: Spark's checks of text before a cast, Java's way to write numbers, and
values that may fail only where they are used.
"""

from __future__ import annotations

import numpy as np

from app.kernel.aggregate_macros import AGGREGATE_MACROS
from app.kernel.calendar_macros import CALENDAR
from app.kernel.clock_macros import CLOCK
from app.kernel.json_macros import JSON
from app.kernel.quick_macros import QUICK
from app.kernel.time_macros import TIME, ZONES
from app.kernel.value_macros import VALUES
from app.plan.java_text import least_numbers

_BLANK = r"[\x00-\x20\x7F]*"
_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_ZONE = " *(?:(?:UTC|GMT|UT)?([+-])([0-9]{1,2})(?::?([0-9]{1,2})(?::?([0-9]{1,2}))?)?|([A-Za-z][A-Za-z0-9_/+-]*))?"
_CLOCK = rf"([0-9]{{1,2}})(?::([0-9]{{1,2}})(?::([0-9]{{1,2}})(?:\.([0-9]*))?{_ZONE})?)?"
_PLAIN_INSTANT = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T](?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?"
    r"(Z|[+-](?:0[0-9]|1[0-7]):[0-5][0-9])?"
)
_INSTANT = rf"^({_BLANK})([+-]?[0-9]{{4,6}}(?:-[0-9]{{1,2}}){{0,2}})?(?:([ T]?){_CLOCK})?{_BLANK}$"
_PARTS = "['b', 'd', 't', 'h', 'm', 's', 'f', 'sign', 'zh', 'zm', 'zs', 'z']"

_CHECKS = (
    "CREATE MACRO wt_fail(code, text) AS error('[' || code || '] ' || text)",
    "CREATE MACRO wt_divisor(a, b) AS CASE WHEN b = 0 AND a IS NOT NULL THEN error('[DIVIDE_BY_ZERO] Division by "
    "zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead.') ELSE b END",
    "CREATE MACRO wt_parts(a, b) AS CASE WHEN b = 0 AND a IS NOT NULL THEN error('[INTERVAL_DIVIDED_BY_ZERO] Division "
    "by zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead.') ELSE b END",
    "CREATE MACRO wt_modulus(a, b) AS CASE WHEN b = 0 AND a IS NOT NULL THEN error('[REMAINDER_BY_ZERO] Remainder "
    "by zero. Use `try_mod` to tolerate divisor being 0 and return NULL instead.') ELSE b END",
    # Whole days apart, so that an interval of centuries fits what carries it to Arrow.
    "CREATE MACRO wt_interval(us) AS to_days(CAST(us // 86400000000 AS INTEGER)) + "
    "to_microseconds(CAST(us % 86400000000 AS BIGINT))",
    "CREATE MACRO wt_count(n) AS CASE WHEN n < 0 THEN 0 ELSE n END",
    *(
        f"CREATE MACRO wt_fit{name}(x) AS CASE WHEN x NOT BETWEEN -{1 << bits} AND {(1 << bits) - 1} THEN "
        "wt_fail('ARITHMETIC_OVERFLOW', 'Overflow in rounding ' || x || '.') ELSE x END"
        for name, bits in (("tinyint", 7), ("smallint", 15), ("integer", 31), ("bigint", 63))
    ),
    # The value of a quotient of whole numbers, rounded half away from zero.
    "CREATE MACRO wt_round_div(a, b) AS CASE WHEN 2 * abs(a % b) >= abs(b) "
    "THEN a // b + CASE WHEN (a < 0) = (b < 0) THEN 1 ELSE -1 END ELSE a // b END",
)

_FROM_TEXT = (
    "CREATE MACRO wt_found(x, pattern) AS nullif(regexp_extract(x, pattern, 1, 's'), '')",
    # What was found stands here once: it may be long.
    "CREATE MACRO wt_checked(found, x, name) AS coalesce(found, CASE WHEN x IS NOT NULL THEN "
    """error('[CAST_INVALID_INPUT] The value ''' || x || ''' of the type "STRING" cannot be cast to "' || name || '" """
    """because it is malformed. Correct the value as per the syntax, or change its target type. Use `try_cast` """
    """to tolerate malformed input and return NULL instead.') END)""",
    f"CREATE MACRO wt_whole(x) AS wt_found(x, '^{_BLANK}([+-]?[0-9]+){_BLANK}$')",
    f"CREATE MACRO wt_cut_whole(x) AS coalesce(wt_whole(x), wt_before_point(wt_found(x, "
    f"'^{_BLANK}([+-]?[0-9]*\\.[0-9]*){_BLANK}$')))",
    "CREATE MACRO wt_before_point(x) AS CASE WHEN regexp_matches(x, '[0-9]\\.') THEN split_part(x, '.', 1) "
    "WHEN x IS NOT NULL THEN '0' END",
    f"CREATE MACRO wt_number(x) AS wt_found(x, '^{_BLANK}({_NUMBER}){_BLANK}$')",
    f"CREATE MACRO wt_float(x) AS coalesce(wt_found(x, '^{_BLANK}({_NUMBER})[dDfF]?{_BLANK}$'), "
    f"wt_found(lower(x), '^{_BLANK}([+-]?inf(?:inity)?|nan){_BLANK}$'))",
    f"CREATE MACRO wt_truth(x) AS CASE wt_found(lower(x), '^{_BLANK}([a-z01]+){_BLANK}$') "
    "WHEN 't' THEN 'true' WHEN 'true' THEN 'true' WHEN 'y' THEN 'true' WHEN 'yes' THEN 'true' WHEN '1' THEN 'true' "
    "WHEN 'f' THEN 'false' WHEN 'false' THEN 'false' WHEN 'n' THEN 'false' WHEN 'no' THEN 'false' "
    "WHEN '0' THEN 'false' END",
    # DuckDB reads Spark's years but for a plus sign; it has two days less at the beginning and one at the end.
    f"CREATE MACRO wt_day(x) AS TRY_CAST(coalesce("
    f"ltrim(wt_found(x, '^{_BLANK}([+-]?[0-9]{{4,7}}-[0-9]{{1,2}}-[0-9]{{1,2}})(?:[ T].*)?{_BLANK}$'), '+'), "
    f"wt_day_of(wt_found(x, '^{_BLANK}([+-]?[0-9]{{4,7}}(?:-[0-9]{{1,2}})?){_BLANK}$'))) AS DATE)",
    # No clock is more than 18 hours from Greenwich.
    "CREATE MACRO wt_offset(p) AS CASE WHEN p.sign <> '' AND lpad(p.zh, 2, '0') || lpad(p.zm, 2, '0') || "
    "lpad(p.zs, 2, '0') <= '180000' THEN p.sign || lpad(p.zh, 2, '0') || ':' || lpad(p.zm, 2, '0') || ':' || "
    "lpad(p.zs, 2, '0') WHEN p.sign <> '' OR p.z = 'z' THEN NULL WHEN p.z = '' THEN '' "
    "WHEN p.z IN ('Z', 'UTC', 'GMT', 'UT') THEN '+00:00' ELSE ' ' || p.z END",
    "CREATE MACRO wt_day_of(d) AS ltrim(d, '+') || CASE WHEN contains(d[2:], '-') THEN '-01' ELSE '-01-01' END",
    "CREATE MACRO wt_today(z) AS strftime(wt_wall_in(make_timestamptz(CAST(getvariable('epoch_us') AS BIGINT)), z), "
    "'%Y-%m-%d')",
    # The day of a time without one: the current day in the zone that the text names, else in the session's.
    "CREATE MACRO wt_named_today(p, z) AS list_extract(list_transform([CASE WHEN p.sign <> '' THEN "
    "left(wt_offset(p), 6) WHEN p.z = '' THEN z WHEN p.z IN ('Z', 'UTC', 'GMT', 'UT') THEN "
    "'UTC' WHEN TRY_CAST('2000-01-01 00:00:00 ' || p.z "
    "AS TIMESTAMPTZ) IS NOT NULL THEN p.z END], lambda zone: wt_today(zone)), 1)",
    "CREATE MACRO wt_said_day(p, z) AS CASE WHEN p.d = '' AND p.h <> '' AND z IS NOT NULL AND CASE p.t WHEN 'T' THEN "
    "p.b = '' WHEN '' THEN p.m <> '' END THEN wt_named_today(p, z) WHEN regexp_matches(p.d, '.-.*-') THEN CASE WHEN "
    "p.h = '' OR p.t <> '' THEN ltrim(p.d, '+') END WHEN p.d <> '' AND p.h = '' THEN wt_day_of(p.d) END",
    "CREATE MACRO wt_instant_of(p, z) AS CASE WHEN TRY_CAST(nullif(p.h, '') AS INTEGER) IS DISTINCT "
    "FROM 24 THEN wt_said_day(p, z) || ' ' || lpad(p.h, 2, '0') || ':' || lpad(p.m, 2, '0') || ':' || "
    "lpad(p.s, 2, '0') || '.' || rpad(p.f[:6], 6, '0') || wt_offset(p) END",
    # As DuckDB casts it; a time without a day is one of the current day in zone z, and null where there is no z.
    f"CREATE MACRO wt_instant(x, z) AS CASE WHEN regexp_full_match(x, '{_PLAIN_INSTANT}') THEN x ELSE list_extract("
    f"list_transform([regexp_extract(x, '{_INSTANT}', {_PARTS})], lambda p: wt_instant_of(p, z)), 1) END",
    "CREATE MACRO wt_instant_here(x) AS wt_instant(x, 'UTC')",
    "CREATE MACRO wt_with_day(x) AS wt_instant(x, CAST(NULL AS VARCHAR))",
    # A local time in a record has no zone; a cast drops it.
    "CREATE MACRO wt_zoneless(x) AS CASE WHEN wt_with_day(x) = wt_local(wt_with_day(x)) THEN wt_with_day(x) END",
    "CREATE MACRO wt_local(found) AS nullif(regexp_extract(found, '^[^ T]+[ T][0-9:.]+'), '')",
    "CREATE MACRO wt_local_instant(x) AS wt_local(wt_with_day(x))",
)

_LEAST = [
    (kind, *texts)
    for kind, least in (("DOUBLE", np.float64(5e-324)), ("FLOAT", np.float32(2.0**-149)))
    for texts in least_numbers(least)
]

# Java writes 1.0E10 and 1.0E-5 where DuckDB writes 10000000000.0 and 1e-05; the digits are the same.
_TO_TEXT = (
    "CREATE MACRO wt_java_exp(mantissa, exponent) AS mantissa || CASE WHEN contains(mantissa, '.') THEN '' "
    "ELSE '.0' END || 'E' || CAST(exponent AS VARCHAR)",
    "CREATE MACRO wt_java_digits(digits, exponent) AS digits[1] || '.' || "
    "coalesce(nullif(rtrim(digits[2:], '0'), ''), '0') || 'E' || CAST(exponent AS VARCHAR)",
    "CREATE MACRO wt_java_abs(v) AS CASE "
    "WHEN contains(v, 'e') THEN wt_java_exp(split_part(v, 'e', 1), CAST(split_part(v, 'e', 2) AS INTEGER)) "
    "WHEN v[1] <> '0' THEN wt_java_digits(replace(v, '.', ''), strlen(split_part(v, '.', 1)) - 1) "
    "ELSE wt_java_digits(ltrim(v, '0.'), -(strlen(v) - strlen(ltrim(v, '0.')) - 1)) END",
    "CREATE MACRO wt_java_number(x) AS CASE WHEN isnan(x) THEN 'NaN' "
    "WHEN isinf(x) THEN CASE WHEN x > 0 THEN 'Infinity' ELSE '-Infinity' END "
    "WHEN (abs(x) >= 0.001 AND abs(x) < 10000000) OR x = 0 THEN CASE WHEN x = 0 AND signbit(x) THEN '-0.0' ELSE "
    "CAST(x AS VARCHAR) END ELSE CASE WHEN x < 0 THEN '-' ELSE '' END || "
    "list_extract(list_transform([CASE WHEN abs(x) >= 1e-42 THEN CAST(abs(x) AS VARCHAR) "
    "ELSE wt_java_least(typeof(x), CAST(abs(x) AS VARCHAR)) END], lambda v: wt_java_abs(v)), 1) END",
    # Java gives the least numbers of all a second digit.
    "CREATE MACRO wt_java_least(kind, v) AS CASE kind || v "
    + " ".join(f"WHEN '{kind}{v}' THEN '{java}'" for kind, v, java in _LEAST)
    + " ELSE v END",
)

# Java's upper case of one letter may be several letters; DuckDB maps letter by letter. The common ones are replaced
# first, the rest (Greek with iota subscript and the like) is refused rather than wrong.
_GROWING = [c for c in map(chr, range(0x80, 0x10000)) if len(c.upper()) > 1]
_COMMON = "ßﬀﬁﬂﬃﬄŉǰ"


def _upper_common(sql: str) -> str:
    for letter in _COMMON:
        sql = f"replace({sql}, '{letter}', '{letter.upper()}')"
    return sql


# Letters that Java takes for equal to more than their own capital or small letter.
_ODD = "".join(
    c
    for c in map(chr, range(0x80, 0x10000))
    if len(c.lower()) > 1 or (len(c.upper()) == 1 and c.upper().lower() != c.lower())
)
_RARE = "".join(c for c in _GROWING if c not in _COMMON)
_GREEK = r"\x{0370}-\x{03FF}\x{1F00}-\x{1FFF}A-Za-z"
_TEXT = (
    "CREATE MACRO wt_upper(x) AS CASE WHEN strlen(x) = length(x) THEN upper(x) "
    f"WHEN regexp_matches(x, '[{_RARE}]') THEN wt_fail('UNSUPPORTED_FEATURE', 'upper case of ' || x) "
    f"ELSE upper({_upper_common('x')}) END",
    "CREATE MACRO wt_lower(x) AS CASE WHEN strlen(x) = length(x) THEN lower(x) WHEN contains(x, '\u03a3') "
    f"THEN lower(replace(regexp_replace(x, '([{_GREEK}])\u03a3([^{_GREEK}]|$)', "
    "'\\1ς\\2', 'g'), '\u0130', 'i\u0307')) ELSE lower(replace(x, '\u0130', 'i\u0307')) END",
    # Compared whatever the case: each letter by its own small one, both sigmas alike.
    "CREATE MACRO wt_folded(x) AS wt_lower(translate(x, '\u03a3\u03c2', '\u03c3\u03c3'))",
    f"CREATE MACRO wt_search_folded(x) AS CASE WHEN regexp_matches(x, '[{_ODD}]') THEN wt_fail('UNSUPPORTED_FEATURE', "
    "'searching in a text with the collation UTF8_LCASE for or among letters with several small ones: ' || x) "
    "ELSE lower(x) END",
    "CREATE MACRO wt_substring(x, p, n) AS CASE WHEN p > 0 THEN substring(x, p, wt_count(n)) "
    "WHEN p = 0 THEN substring(x, 1, wt_count(n)) "
    "WHEN length(x) + p >= 0 THEN substring(x, length(x) + p + 1, wt_count(n)) "
    "ELSE substring(x, 1, wt_count(n + length(x) + p)) END",
    # The separator of array_to_string has to be a constant; this one may be a column.
    "CREATE MACRO wt_join(xs, d) AS CASE WHEN d IS NULL THEN NULL "
    "WHEN len(list_filter(xs, lambda v: v IS NOT NULL)) = 0 THEN '' "
    "ELSE list_reduce(list_filter(xs, lambda v: v IS NOT NULL), lambda v, w: v || d || w) END",
    "CREATE MACRO wt_join_by(xs, d) AS coalesce(array_to_string(xs, d), CASE WHEN xs IS NOT NULL THEN '' END)",
    "CREATE MACRO wt_width(parts, d) AS length(array_to_string(parts, '')) + (len(parts) - 1) * length(d)",
    # Counted in a text `f` of the same width, in which the case of letters is that of `d`.
    "CREATE MACRO wt_substring_index_in(x, f, d, n) AS CASE WHEN n IS NULL THEN NULL WHEN d = '' OR n = 0 "
    "THEN CASE WHEN x IS NOT NULL THEN '' END WHEN n > 0 THEN left(x, wt_width(string_split(f, d)[:n], d)) "
    "ELSE right(x, wt_width(list_slice(string_split(f, d), greatest(len(string_split(f, d)) + n + 1, 1), "
    "len(string_split(f, d))), d)) END",
    "CREATE MACRO wt_substring_index(x, d, n) AS wt_substring_index_in(x, x, d, n)",
    "CREATE MACRO wt_element_key(e) AS CASE WHEN e IS NULL THEN '0' ELSE '1' || wt_folded(e) END",
    "CREATE MACRO wt_element_keys(a) AS list_transform(a, lambda e: wt_element_key(e))",
    "CREATE MACRO wt_distinct_folded(a) AS list_extract(list_transform([struct_pack(a := a, k := wt_element_keys(a))], "
    "lambda p: list_filter(p.a, lambda e, i: list_position(p.k, wt_element_key(e)) = i)), 1)",
    "CREATE MACRO wt_any_case(x, d) AS CASE WHEN wt_search_folded(x) IS NOT NULL THEN '(?i)' || "
    "regexp_escape(wt_search_folded(d)) END",
    "CREATE MACRO wt_replace_folded(x, d, r) AS CASE WHEN d = '' AND r IS NOT NULL THEN x "
    "ELSE regexp_replace(x, wt_any_case(x, d), replace(r, '\\', '\\\\'), 'g') END",
    "CREATE MACRO wt_split_part_folded(x, d, n) AS CASE WHEN n = 0 OR d = '' THEN wt_split_part(x, d, n) WHEN x IS NOT "
    "NULL AND d IS NOT NULL AND n IS NOT NULL THEN coalesce(string_split_regex(x, wt_any_case(x, d))[n], '') END",
    "CREATE MACRO wt_locate(sub, x, p) AS CASE WHEN p IS NULL THEN 0 WHEN p <= 0 THEN 0 * length(sub) * length(x) "
    "WHEN instr(substring(x, p), sub) = 0 THEN 0 WHEN p > length(x) + 1 THEN 0 "
    "ELSE CAST(instr(substring(x, p), sub) + p - 1 AS INTEGER) END",
    "CREATE MACRO wt_initcap(x) AS array_to_string(list_transform(string_split(wt_lower(x), ' '), "
    "lambda w: wt_upper(w[:1])[:1] || lower(wt_upper(w[:1])[2:]) || w[2:]), ' ')",
    "CREATE MACRO wt_chr(n) AS CASE WHEN n < 0 THEN '' ELSE chr(CAST(n % 256 AS INTEGER)) END",
    "CREATE MACRO wt_overlay(x, r, p, n) AS wt_substring(x, 1, p - 1) || r || "
    "wt_substring(x, p + CASE WHEN n >= 0 THEN n ELSE length(r) END, 2147483647)",
    "CREATE MACRO wt_split_part(x, d, n) AS CASE WHEN n = 0 AND x IS NOT NULL AND d IS NOT NULL "
    "THEN wt_fail('INVALID_INDEX_OF_ZERO', 'The index 0 is invalid. An index shall be either < 0 or > 0 (the first "
    "element has index 1).') WHEN d = '' THEN CASE WHEN n IN (1, -1) THEN x WHEN x IS NOT NULL THEN '' END "
    "ELSE split_part(x, d, n) END",
    "CREATE MACRO wt_find_in_set(x, xs) AS CAST(CASE WHEN contains(x, ',') AND xs IS NOT NULL THEN 0 "
    "WHEN x IS NOT NULL AND xs IS NOT NULL THEN coalesce(list_position(string_split(xs, ','), x), 0) END AS INTEGER)",
    "CREATE MACRO wt_url_encode(x) AS replace(replace(replace(url_encode(x), '%20', '+'), '%2A', '*'), '~', '%7E')",
    "CREATE MACRO wt_text_length(n) AS CASE WHEN n < 0 THEN wt_fail('INVALID_PARAMETER_VALUE.LENGTH', 'The value of "
    "parameter(s) `length` in `randstr` is invalid: Expects `length` greater than or equal to 0, but got ' || n "
    "|| '.') ELSE coalesce(n, 0) END",
    "CREATE MACRO wt_padded_left(x, n) AS CASE WHEN length(x) < n THEN lpad(x, n, ' ') ELSE x END",
    "CREATE MACRO wt_padded_right(x, n) AS CASE WHEN length(x) < n THEN rpad(x, n, ' ') ELSE x END",
    "CREATE MACRO wt_zero_padded(x, n) AS CASE WHEN length(x) >= n OR x IN ('NaN', 'Infinity', '-Infinity') THEN x "
    "WHEN x[1] = '-' THEN '-' || lpad(x[2:], n - 1, '0') ELSE lpad(x, n, '0') END",
    # DuckDB counts bytes: letters beyond ASCII are first mapped to a byte each.
    "CREATE MACRO wt_alphabet(a, b) AS list_distinct(string_split(a || b, ''))",
    "CREATE MACRO wt_as_bytes(x, letters) AS array_to_string(list_transform(string_split(x, ''), "
    "lambda c: chr(list_position(letters, c))), '')",
    "CREATE MACRO wt_edits(a, b) AS CASE WHEN strlen(a) = length(a) AND strlen(b) = length(b) THEN levenshtein(a, b) "
    "WHEN len(wt_alphabet(a, b)) > 127 THEN wt_fail('UNSUPPORTED_FEATURE', 'levenshtein of more than 127 different "
    "letters') ELSE levenshtein(wt_as_bytes(a, wt_alphabet(a, b)), wt_as_bytes(b, wt_alphabet(a, b))) END",
    "CREATE MACRO wt_levenshtein(a, b, most) AS CASE WHEN wt_edits(a, b) <= most THEN CAST(wt_edits(a, b) AS INTEGER) "
    "WHEN a IS NOT NULL AND b IS NOT NULL AND most IS NOT NULL THEN -1 END",
)

_REGEX = (
    "CREATE MACRO wt_letters(x) AS CASE WHEN x = '' THEN [''] ELSE string_split(x, '') END",
    "CREATE MACRO wt_split(x, pattern) AS CASE WHEN pattern IS NULL THEN NULL WHEN x = '' THEN [''] "
    "ELSE string_split_regex(x, pattern) END",
    "CREATE MACRO wt_split_text(parts, d, n) AS CASE WHEN n IS NULL THEN NULL WHEN n > 0 AND len(parts) > n "
    "THEN list_append(parts[:n - 1], array_to_string(parts[n:], d)) ELSE parts END",
    "CREATE MACRO wt_split_limit(x, parts, seps, n) AS CASE WHEN n IS NULL THEN NULL WHEN n > 0 AND len(parts) > n "
    "THEN list_append(parts[:n - 1], substring(x, CAST(1 + length(array_to_string(parts[:n - 1], '')) "
    "+ length(array_to_string(seps[:n - 1], '')) AS BIGINT))) ELSE parts END",
    r"CREATE MACRO wt_java_replacement(r) AS CASE WHEN contains(r, '\') OR regexp_matches(r, '\$([^0-9]|$)') THEN "
    "wt_fail('UNSUPPORTED_FEATURE', 'a backslash, or a dollar sign without a group, in a replacement that is not a "
    r"literal') ELSE regexp_replace(r, '\$([0-9])', '\\\1', 'g') END",
)

_MATH = (
    "CREATE MACRO wt_even_div(a, b) AS CASE WHEN 2 * abs(a % b) > abs(b) OR (2 * abs(a % b) = abs(b) AND "
    "(a // b) % 2 <> 0) THEN a // b + CASE WHEN (a < 0) = (b < 0) THEN 1 ELSE -1 END ELSE a // b END",
    "CREATE MACRO wt_half_up(x, n) AS CASE WHEN isfinite(x) AND abs(x) < 1e15 AND n <= 18 THEN "
    "CAST(round(CAST(CAST(x AS VARCHAR) AS DECIMAL(38,20)), n) AS DOUBLE) "
    "WHEN isfinite(x) AND n < 0 THEN round(x, n) ELSE x END",
    "CREATE MACRO wt_even_step(x) AS trunc(x) + CASE WHEN abs(x - trunc(x)) > 0.5 OR (abs(x - trunc(x)) = 0.5 AND "
    "trunc(x) % 2 <> 0) THEN CASE WHEN x < 0 THEN -1 ELSE 1 END ELSE 0 END",
    "CREATE MACRO wt_even(x, n) AS CASE WHEN isfinite(x) AND abs(x) < 1e9 THEN CAST(wt_even_step(CAST(CAST(x AS "
    "VARCHAR) AS DECIMAL(38,18)) * CAST(pow(10, n) AS DECIMAL(38,0))) AS DOUBLE) / pow(10, n) "
    "WHEN isfinite(x) AND abs(x) < 1e15 THEN CAST(wt_even_step(CAST(CAST(x AS VARCHAR) AS DECIMAL(38,9)) * "
    "CAST(pow(10, n) AS DECIMAL(38,0))) AS DOUBLE) / pow(10, n) ELSE x END",
    "CREATE MACRO wt_expm1(x) AS CASE WHEN abs(x) < 1e-17 THEN x "
    "WHEN abs(x) < 1 THEN 2 * sinh(x / 2) * exp(x / 2) ELSE exp(x) - 1 END",
    "CREATE MACRO wt_log1p(x) AS CASE WHEN abs(x) < 1e-17 THEN x "
    "WHEN abs(x) < 0.5 THEN 2 * atanh(x / (2 + x)) ELSE ln(1 + x) END",
    *(
        f"CREATE MACRO wt_wrap{bits}(x) AS CASE WHEN x % {size} >= {size >> 1} THEN x % {size} - {size} "
        f"WHEN x % {size} < -{size >> 1} THEN x % {size} + {size} ELSE x % {size} END"
        for bits, size in ((8, 1 << 8), (16, 1 << 16), (32, 1 << 32), (64, 1 << 64))
    ),
    "CREATE MACRO wt_atanh(x) AS CASE WHEN abs(x) > 1 THEN CAST('nan' AS DOUBLE) WHEN abs(x) = 1 THEN x * "
    "CAST('inf' AS DOUBLE) ELSE atanh(x) END",
    "CREATE MACRO wt_to_long(x) AS CASE WHEN isnan(x) THEN 0 WHEN x >= 9223372036854775807 THEN 9223372036854775807 "
    "WHEN x <= -9223372036854775808 THEN (-9223372036854775808)::BIGINT ELSE CAST(x AS BIGINT) END",
    "CREATE MACRO wt_sqrt(x) AS CASE WHEN x < 0 THEN CAST('nan' AS DOUBLE) ELSE sqrt(x) END",
    "CREATE MACRO wt_cbrt(x) AS CASE WHEN pow(round(cbrt(x)), 3) = x THEN round(cbrt(x)) ELSE cbrt(x) END",
    "CREATE MACRO wt_signum(x) AS CASE WHEN isnan(x) OR x = 0 THEN x ELSE CAST(sign(x) AS DOUBLE) END",
    "CREATE MACRO wt_pmod(a, b) AS CASE WHEN a % b < 0 THEN (a % b + b) % b ELSE a % b END",
    # Java adds whole numbers of up to 32 bits as numbers of 32 bits, longer ones as of 64, and lets both wrap.
    "CREATE MACRO wt_pmod_int(a, b) AS CASE WHEN a % b < 0 THEN "
    "wt_wrap32(CAST(a % b AS HUGEINT) + b) % b ELSE a % b END",
    "CREATE MACRO wt_pmod_long(a, b) AS CASE WHEN a % b < 0 THEN "
    "wt_wrap64(CAST(a % b AS HUGEINT) + b) % b ELSE a % b END",
    # Java has no infinite power of 1 or -1, and none of anything to what is no number.
    "CREATE MACRO wt_pow(x, y) AS CASE WHEN x IS NOT NULL AND (isnan(y) OR (abs(x) = 1 AND isinf(y))) THEN "
    "CAST('nan' AS DOUBLE) ELSE pow(x, y) END",
    "CREATE MACRO wt_unrounded(x, name) AS CASE WHEN x % 1 <> 0 THEN wt_fail('ROUNDING_NECESSARY', "
    "'Rounding necessary: ' || name || '() takes microseconds, no fractions of them. Round the argument.') ELSE x END",
    "CREATE MACRO wt_unhex(x) AS CASE WHEN regexp_full_match(x, '[0-9A-Fa-f]*') THEN "
    "from_hex(CASE WHEN length(x) % 2 = 1 THEN '0' || x ELSE x END) END",
)

_COLLECTIONS = (
    "CREATE MACRO wt_nulls(a, n) AS list_transform(range(CAST(wt_count(n) AS BIGINT)), lambda v: a[0])",
    "CREATE MACRO wt_array_insert(a, i, x) AS CASE WHEN i = 0 AND a IS NOT NULL THEN wt_fail('INVALID_INDEX_OF_ZERO', "
    "'The index 0 is invalid. An index shall be either < 0 or > 0 (the first element has index 1).') "
    "WHEN i > 0 THEN a[:i - 1] || wt_nulls(a, CAST(i AS BIGINT) - 1 - len(a)) || [x] || a[i:] "
    "WHEN len(a) + i + 1 >= 0 THEN a[:len(a) + i + 1] || [x] || a[len(a) + i + 2:] "
    "WHEN i < 0 AND a IS NOT NULL THEN [x] || wt_nulls(a, -(len(a) + i + 1)) || a END",
    "CREATE MACRO wt_array_contains(a, x) AS CASE WHEN list_contains(a, x) THEN true WHEN x IS NULL OR a IS NULL "
    "OR list_position(a, NULL) IS NOT NULL THEN NULL ELSE false END",
    # Both zeros are equal, and the one that comes first is taken.
    "CREATE MACRO wt_first_of_equals(a, x) AS a[list_position(a, x)]",
    "CREATE MACRO wt_array_distinct(a) AS list_filter(a, lambda v, i: list_position(a, v) = i)",
    "CREATE MACRO wt_array_intersect(a, b) AS CASE WHEN b IS NOT NULL THEN list_filter(a, lambda v, i: "
    "list_position(a, v) = i AND list_position(b, v) IS NOT NULL) END",
    "CREATE MACRO wt_array_except(a, b) AS CASE WHEN b IS NOT NULL THEN list_filter(a, lambda v, i: "
    "list_position(a, v) = i AND list_position(b, v) IS NULL) END",
    "CREATE MACRO wt_arrays_overlap(a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL "
    "WHEN len(list_filter(a, lambda v: v IS NOT NULL AND list_position(b, v) IS NOT NULL)) > 0 THEN true "
    "WHEN len(a) > 0 AND len(b) > 0 AND (list_position(a, NULL) IS NOT NULL OR list_position(b, NULL) IS NOT NULL) "
    "THEN NULL ELSE false END",
    "CREATE MACRO wt_reverse(x) AS CASE WHEN strlen(x) = length(x) THEN reverse(x) "
    "ELSE array_to_string(list_reverse(string_split(x, '')), '') END",
    "CREATE MACRO wt_slice(a, p, n) AS CASE WHEN a IS NULL OR p IS NULL OR n IS NULL THEN NULL "
    "WHEN p = 0 THEN wt_fail('INVALID_PARAMETER_VALUE.START', 'The value of parameter(s) `start` in `slice` is "
    "invalid: Expects a positive or a negative value for `start`, but got 0.') "
    "WHEN n < 0 THEN wt_fail('INVALID_PARAMETER_VALUE.LENGTH', 'The value of parameter(s) `length` in `slice` is "
    "invalid: Expects `length` greater than or equal to 0, but got ' || n || '.') "
    "WHEN n = 0 OR len(a) + p < 0 THEN a[2:1] "
    "WHEN p > 0 THEN list_slice(a, p, CAST(p AS BIGINT) + n - 1) "
    "ELSE list_slice(a, len(a) + p + 1, len(a) + p + n) END",
    "CREATE MACRO wt_sequence(x, y, s) AS CASE WHEN (s > 0 AND x <= y) OR (s < 0 AND x >= y) OR (s = 0 AND x = y) "
    "THEN CASE WHEN s = 0 THEN [CAST(x AS BIGINT)] WHEN (CAST(y AS HUGEINT) - CAST(x AS HUGEINT)) // s >= 2147483632 "
    "THEN wt_fail('COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER', 'An array of `sequence` from ' || x || ' to ' || y || "
    "' by ' || s || ' has more than 2147483632 elements.') ELSE generate_series(CAST(x AS BIGINT), CAST(y AS BIGINT), "
    "CAST(s AS BIGINT)) END WHEN x IS NOT NULL AND y IS NOT NULL AND s IS NOT NULL THEN "
    "wt_fail('ILLEGAL_SEQUENCE_BOUNDARIES', 'Illegal sequence boundaries: ' || x || ' to ' || y || ' by ' || s) END",
    "CREATE MACRO wt_map(ks, vs) AS CASE WHEN list_position(ks, NULL) IS NOT NULL THEN wt_fail('NULL_MAP_KEY', "
    "'Cannot use null as map key.') WHEN len(ks) > 1 AND len(list_distinct(ks)) < len(ks) THEN "
    "wt_fail('DUPLICATED_MAP_KEY', 'Duplicate map key ' || CAST(list_filter(ks, lambda k, i: list_position(ks, k) < i)"
    "[1] AS VARCHAR) || ' was found, please check the input data.') ELSE map(ks, vs) END",
    "CREATE MACRO wt_map_from_arrays(ks, vs) AS CASE WHEN len(ks) <> len(vs) THEN wt_fail('_LEGACY_ERROR_TEMP_2128', "
    "'The key array and value array of MapData must have the same length.') "
    "WHEN ks IS NOT NULL AND vs IS NOT NULL THEN wt_map(ks, vs) END",
    "CREATE MACRO wt_try_element_at(a, i) AS CASE WHEN i = 0 THEN wt_fail('INVALID_INDEX_OF_ZERO', 'The index 0 is "
    "invalid. An index shall be either < 0 or > 0 (the first element has index 1).') ELSE list_extract(a, i) END",
    "CREATE MACRO wt_element_at(a, i) AS CASE WHEN abs(CAST(i AS BIGINT)) > len(a) THEN "
    "wt_fail('INVALID_ARRAY_INDEX_IN_ELEMENT_AT', 'The index ' || i || ' is out of bounds. The array has ' || len(a) "
    "|| ' elements. Use `try_element_at` to tolerate accessing element at invalid index and return NULL instead.') "
    "ELSE wt_try_element_at(a, i) END",
    "CREATE MACRO wt_str_to_map(x, d, kv) AS wt_map(list_transform(string_split(x, d), lambda v: "
    "split_part(v, kv, 1)), list_transform(string_split(x, d), lambda v: CASE WHEN contains(v, kv) "
    "THEN substring(v, instr(v, kv) + length(kv)) END))",
    "CREATE MACRO wt_first_pairs(pairs) AS wt_map(list_transform(pairs, lambda p: p[1]), "
    "list_transform(pairs, lambda p: p[2]))",
    "CREATE MACRO wt_str_to_map_by(x, d, kv) AS wt_first_pairs(list_transform(wa_pattern_split(x, d, -1), lambda v: "
    "wa_pattern_split(v, kv, 2)))",
    "CREATE MACRO wt_any(xs) AS CASE WHEN list_contains(xs, true) THEN true "
    "WHEN xs IS NULL OR list_position(xs, NULL) IS NOT NULL THEN NULL ELSE false END",
    "CREATE MACRO wt_all(xs) AS CASE WHEN list_contains(xs, false) THEN false "
    "WHEN xs IS NULL OR list_position(xs, NULL) IS NOT NULL THEN NULL ELSE true END",
)

MACROS: tuple[str, ...] = (
    *_CHECKS,
    *_FROM_TEXT,
    *_TO_TEXT,
    *_TEXT,
    *_REGEX,
    *_MATH,
    *_COLLECTIONS,
    *TIME,
    *ZONES,
    *CALENDAR,
    *CLOCK,
    *JSON,
    *AGGREGATE_MACROS,
    *VALUES,
    *QUICK,
)
