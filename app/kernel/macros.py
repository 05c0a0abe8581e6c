"""SQL macros that printed expressions call; a kernel creates them once, when it opens.

They hold what DuckDB has no function for: Spark's checks of text before a cast, Java's way to write numbers, and
values that may fail only where they are used.
"""

from __future__ import annotations

_BLANK = r"[\x00-\x20\x7F]*"
_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_CLOCK = r"([0-9]{1,2})(?::([0-9]{1,2}))?(?::([0-9]{1,2})(?:\.([0-9]*))?)?"
_ZONE = r" *((?:UTC|GMT|UT)?[+-][0-9]{1,2}(?::?[0-9]{1,2}(?::[0-9]{1,2})?)?|[A-Za-z][A-Za-z0-9_/+-]*)?"
_PLAIN_INSTANT = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T](?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})?"
)
_INSTANT = rf"^{_BLANK}([0-9]{{4}}(?:-[0-9]{{1,2}}){{0,2}})(?:[ T]{_CLOCK}{_ZONE})?{_BLANK}$"
_PARTS = "['d', 'h', 'm', 's', 'f', 'z']"

_CHECKS = (
    "CREATE MACRO wt_fail(code, text) AS error('[' || code || '] ' || text)",
    "CREATE MACRO wt_divisor(a, b) AS CASE WHEN b = 0 AND a IS NOT NULL THEN error('[DIVIDE_BY_ZERO] Division by "
    "zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead.') ELSE b END",
    "CREATE MACRO wt_modulus(a, b) AS CASE WHEN b = 0 AND a IS NOT NULL THEN error('[REMAINDER_BY_ZERO] Remainder "
    "by zero. Use `try_mod` to tolerate divisor being 0 and return NULL instead.') ELSE b END",
    "CREATE MACRO wt_sum(x) AS CASE WHEN x NOT BETWEEN -9223372036854775808 AND 9223372036854775807 THEN "
    "wt_fail('ARITHMETIC_OVERFLOW', 'The sum overflows. Use `try_sum` to tolerate overflow and return NULL instead.') "
    "ELSE x END",
    # The value of a quotient of whole numbers, rounded half away from zero.
    "CREATE MACRO wt_round_div(a, b) AS CASE WHEN 2 * abs(a % b) >= abs(b) "
    "THEN a // b + CASE WHEN (a < 0) = (b < 0) THEN 1 ELSE -1 END ELSE a // b END",
)

_FROM_TEXT = (
    "CREATE MACRO wt_found(x, pattern) AS nullif(regexp_extract(x, pattern, 1, 's'), '')",
    "CREATE MACRO wt_checked(found, x, name) AS CASE WHEN found IS NULL AND x IS NOT NULL THEN "
    """error('[CAST_INVALID_INPUT] The value ''' || x || ''' of the type "STRING" cannot be cast to "' || name || '" """
    """because it is malformed. Correct the value as per the syntax, or change its target type. Use `try_cast` """
    """to tolerate malformed input and return NULL instead.') ELSE found END""",
    f"CREATE MACRO wt_whole(x) AS wt_found(x, '^{_BLANK}([+-]?[0-9]+){_BLANK}$')",
    f"CREATE MACRO wt_number(x) AS wt_found(x, '^{_BLANK}({_NUMBER}){_BLANK}$')",
    f"CREATE MACRO wt_float(x) AS coalesce(wt_found(x, '^{_BLANK}({_NUMBER})[dDfF]?{_BLANK}$'), "
    f"wt_found(lower(x), '^{_BLANK}([+-]?inf(?:inity)?|nan){_BLANK}$'))",
    f"CREATE MACRO wt_truth(x) AS CASE wt_found(lower(x), '^{_BLANK}([a-z01]+){_BLANK}$') "
    "WHEN 't' THEN 'true' WHEN 'true' THEN 'true' WHEN 'y' THEN 'true' WHEN 'yes' THEN 'true' WHEN '1' THEN 'true' "
    "WHEN 'f' THEN 'false' WHEN 'false' THEN 'false' WHEN 'n' THEN 'false' WHEN 'no' THEN 'false' "
    "WHEN '0' THEN 'false' END",
    f"CREATE MACRO wt_day(x) AS CAST(coalesce("
    f"TRY_CAST(wt_found(x, '^{_BLANK}([0-9]{{4}}-[0-9]{{1,2}}-[0-9]{{1,2}})(?:[ T].*)?{_BLANK}$') AS DATE), "
    f"TRY_CAST(wt_found(x, '^{_BLANK}([0-9]{{4}}-[0-9]{{1,2}}){_BLANK}$') || '-01' AS DATE), "
    f"TRY_CAST(wt_found(x, '^{_BLANK}([0-9]{{4}}){_BLANK}$') || '-01-01' AS DATE)) AS VARCHAR)",
    # Offsets in any of the forms Spark reads, as +hh:mm; names of zones behind a space.
    "CREATE MACRO wt_offset(z) AS CASE WHEN z = '' THEN '' WHEN z IN ('Z', 'z', 'UTC', 'GMT', 'UT') THEN '+00:00' "
    "WHEN regexp_matches(z, '[+-][0-9]') AND NOT contains(z, '/') THEN regexp_extract(z, '[+-]') || "
    "lpad(regexp_extract(z, '[+-]([0-9]{1,2})', 1), 2, '0') || ':' || "
    "lpad(coalesce(nullif(regexp_extract(z, '[+-][0-9]{1,2}:?([0-9]{1,2})', 1), ''), '0'), 2, '0') "
    "ELSE ' ' || z END",
    "CREATE MACRO wt_day_of(d) AS CASE length(d) - length(replace(d, '-', '')) "
    "WHEN 0 THEN d || '-01-01' WHEN 1 THEN d || '-01' ELSE d END",
    "CREATE MACRO wt_instant_of(p) AS CASE WHEN p.d <> '' AND TRY_CAST(nullif(p.h, '') AS INTEGER) IS DISTINCT "
    "FROM 24 THEN wt_day_of(p.d) || ' ' || lpad(p.h, 2, '0') || ':' || lpad(p.m, 2, '0') || ':' || "
    "lpad(p.s, 2, '0') || '.' || rpad(p.f[:6], 6, '0') || wt_offset(p.z) END",
    f"CREATE MACRO wt_instant(x) AS CASE WHEN regexp_full_match(x, '{_PLAIN_INSTANT}') THEN x "
    f"ELSE wt_instant_of(regexp_extract(x, '{_INSTANT}', {_PARTS})) END",
    "CREATE MACRO wt_local_instant(x) AS nullif(regexp_extract(wt_instant(x), '^[^ T]+[ T][0-9:.]+'), '')",
)

# Java writes 1.0E10 and 1.0E-5 where DuckDB writes 10000000000.0 and 1e-05; the digits are the same.
_TO_TEXT = (
    "CREATE MACRO wt_java_exp(mantissa, exponent) AS mantissa || CASE WHEN contains(mantissa, '.') THEN '' "
    "ELSE '.0' END || 'E' || CAST(exponent AS VARCHAR)",
    "CREATE MACRO wt_java_digits(digits, exponent) AS digits[1] || '.' || "
    "coalesce(nullif(rtrim(digits[2:], '0'), ''), '0') || 'E' || CAST(exponent AS VARCHAR)",
    "CREATE MACRO wt_java_abs(v, x) AS CASE "
    "WHEN contains(v, 'e') THEN wt_java_exp(split_part(v, 'e', 1), CAST(split_part(v, 'e', 2) AS INTEGER)) "
    "WHEN x >= 0.001 AND x < 10000000 OR x = 0 THEN v "
    "WHEN x >= 1 THEN wt_java_digits(replace(v, '.', ''), strlen(split_part(v, '.', 1)) - 1) "
    "ELSE wt_java_digits(ltrim(v, '0.'), -(strlen(v) - strlen(ltrim(v, '0.')) - 1)) END",
    "CREATE MACRO wt_java_number(x) AS CASE WHEN isnan(x) THEN 'NaN' "
    "WHEN isinf(x) THEN CASE WHEN x > 0 THEN 'Infinity' ELSE '-Infinity' END "
    "ELSE CASE WHEN signbit(x) THEN '-' ELSE '' END || wt_java_abs(CAST(abs(x) AS VARCHAR), abs(x)) END",
)

# Java's upper case of one letter may be several letters; DuckDB maps letter by letter.
_GROWING = [c for c in map(chr, range(0x80, 0x10000)) if len(c.upper()) > 1]


def _upper_growing(sql: str) -> str:
    for letter in _GROWING:
        sql = f"replace({sql}, '{letter}', '{letter.upper()}')"
    return sql


_TEXT = (
    "CREATE MACRO wt_upper(x) AS CASE WHEN strlen(x) = length(x) THEN upper(x) "
    f"WHEN regexp_matches(x, '[{''.join(_GROWING)}]') THEN upper({_upper_growing('x')}) ELSE upper(x) END",
    "CREATE MACRO wt_lower(x) AS CASE WHEN strlen(x) = length(x) THEN lower(x) "
    "WHEN regexp_matches(x, '[\u03a3\u0130]') THEN lower(replace(regexp_replace(x, "
    r"'(\p{L})\x{03A3}(\P{L}|$)', '\1ς\2', 'g')"
    ", '\u0130', 'i\u0307')) ELSE lower(x) END",
    "CREATE MACRO wt_substring(x, p, n) AS CASE WHEN p > 0 THEN substring(x, p, greatest(n, 0)) "
    "WHEN p = 0 THEN substring(x, 1, greatest(n, 0)) "
    "WHEN length(x) + p >= 0 THEN substring(x, length(x) + p + 1, greatest(n, 0)) "
    "ELSE substring(x, 1, greatest(n + length(x) + p, 0)) END",
    "CREATE MACRO wt_substring_index(x, d, n) AS CASE WHEN n IS NULL THEN NULL WHEN d = '' OR n = 0 "
    "THEN CASE WHEN x IS NOT NULL THEN '' END WHEN n > 0 THEN array_to_string(string_split(x, d)[:n], d) "
    "ELSE array_to_string(list_slice(string_split(x, d), greatest(len(string_split(x, d)) + n + 1, 1), "
    "len(string_split(x, d))), d) END",
    "CREATE MACRO wt_locate(sub, x, p) AS CASE WHEN p IS NULL THEN 0 WHEN p <= 0 THEN 0 * length(sub) * length(x) "
    "WHEN instr(substring(x, p), sub) = 0 THEN 0 WHEN p > length(x) + 1 THEN 0 "
    "ELSE CAST(instr(substring(x, p), sub) + p - 1 AS INTEGER) END",
    "CREATE MACRO wt_initcap(x) AS array_to_string(list_transform(string_split(wt_lower(x), ' '), "
    "lambda w: wt_upper(w[:1]) || w[2:]), ' ')",
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
    # Spark counts letters, DuckDB bytes.
    "CREATE MACRO wt_levenshtein(a, b, most) AS CASE WHEN strlen(a) > length(a) OR strlen(b) > length(b) "
    "THEN wt_fail('UNSUPPORTED_FEATURE', 'levenshtein on letters beyond ASCII') "
    "WHEN levenshtein(a, b) <= most THEN CAST(levenshtein(a, b) AS INTEGER) "
    "WHEN a IS NOT NULL AND b IS NOT NULL AND most IS NOT NULL THEN -1 END",
)

_REGEX = (
    "CREATE MACRO wt_split_text(parts, d, n) AS CASE WHEN n > 0 AND len(parts) > n THEN "
    "list_append(parts[:n - 1], array_to_string(parts[n:], d)) ELSE parts END",
    "CREATE MACRO wt_split_limit(x, parts, seps, n) AS CASE WHEN n > 0 AND len(parts) > n THEN "
    "list_append(parts[:n - 1], substring(x, CAST(1 + length(array_to_string(parts[:n - 1], '')) "
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
    "CREATE MACRO wt_even(x, n) AS CASE WHEN isfinite(x) AND abs(x) < 1e15 AND n <= 18 THEN "
    "CAST(wt_even_div(CAST(CAST(CAST(x AS VARCHAR) AS DECIMAL(38,20)) * 1e20::DECIMAL(38,0) AS HUGEINT), "
    "CAST(pow(10, 20 - n) AS HUGEINT)) AS DOUBLE) * pow(10, -n) ELSE x END",
    "CREATE MACRO wt_to_long(x) AS CASE WHEN isnan(x) THEN 0 WHEN x >= 9223372036854775807 THEN 9223372036854775807 "
    "WHEN x <= -9223372036854775808 THEN (-9223372036854775808)::BIGINT ELSE CAST(x AS BIGINT) END",
    "CREATE MACRO wt_sqrt(x) AS CASE WHEN x < 0 THEN CAST('nan' AS DOUBLE) ELSE sqrt(x) END",
    "CREATE MACRO wt_cbrt(x) AS CASE WHEN pow(round(cbrt(x)), 3) = x THEN round(cbrt(x)) ELSE cbrt(x) END",
    "CREATE MACRO wt_signum(x) AS CASE WHEN isnan(x) THEN x ELSE CAST(sign(x) AS DOUBLE) END",
    "CREATE MACRO wt_pmod(a, b) AS CASE WHEN a % b < 0 THEN (a % b + b) % b ELSE a % b END",
    "CREATE MACRO wt_unhex(x) AS CASE WHEN regexp_full_match(x, '[0-9A-Fa-f]*') THEN "
    "from_hex(CASE WHEN length(x) % 2 = 1 THEN '0' || x ELSE x END) END",
)

_STATISTICS = (
    # One pair has no correlation; values that are all alike have none that division could give.
    "CREATE MACRO wt_corr(c, s) AS CASE WHEN s.n <= 1 THEN NULL WHEN s.x.lo = s.x.hi OR s.y.lo = s.y.hi THEN "
    "wt_fail('DIVIDE_BY_ZERO', 'Division by zero: corr of values that are all the same.') ELSE c END",
)

MACROS: tuple[str, ...] = (*_CHECKS, *_FROM_TEXT, *_TO_TEXT, *_TEXT, *_REGEX, *_MATH, *_STATISTICS)
