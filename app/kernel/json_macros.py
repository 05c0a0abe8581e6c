"""Macros of JSON: the first value of a text, its parts, and how Java writes them."""

from __future__ import annotations

JSON: tuple[str, ...] = (
    "CREATE MACRO wt_json(x) AS CASE WHEN json_valid(x) AND NOT (regexp_matches(x, ',\\s*[]}]') OR x ILIKE '%nan%' "
    "OR x ILIKE '%inf%') THEN x ELSE list_extract(list_transform([wa_json_cut(x)], lambda wt_cut: "
    "CASE WHEN json_valid(wt_cut) THEN wt_cut ELSE wa_json_first(x) END), 1) END",
    "CREATE MACRO wt_json_record(x) AS CASE WHEN json_valid(x) THEN wa_json_record(x, true) ELSE "
    "list_extract(list_transform([wa_json_cut(x)], lambda wt_cut: CASE WHEN json_valid(wt_cut) "
    "THEN wa_json_record(wt_cut, true) ELSE wa_json_record(x, false) END), 1) END",
    # Where Java may write a number, or a letter inside of an object, otherwise than DuckDB.
    "CREATE MACRO wt_json_odd(s) AS (contains(s, '.') OR s ILIKE '%e%' OR strlen(s) <> length(s)) "
    "AND regexp_matches(s, '[0-9][eE]|[0-9]{8}\\.|0\\.000|[\\x{10000}-\\x{10FFFF}]')",
    "CREATE MACRO wt_json_get(j, p) AS list_extract(list_transform([json_extract_string(j, p)], lambda wt_text: "
    "CASE WHEN wt_json_odd(wt_text) AND json_type(j, p) <> 'VARCHAR' "
    "THEN wa_json_java(CAST(json_extract(j, p) AS VARCHAR)) ELSE wt_text END), 1)",
    "CREATE MACRO wt_json_at(x, p) AS list_extract(list_transform([wt_json(x)], "
    "lambda wt_whole: wt_json_get(wt_whole, p)), 1)",
    "CREATE MACRO wt_json_java(v) AS CASE WHEN wt_json_odd(v) AND v[1] <> '\"' THEN wa_json_java(v) ELSE v END",
    "CREATE MACRO wt_json_text(j) AS list_extract(list_transform([json_extract_string(j, '$')], lambda wt_text: "
    "CASE WHEN (wt_json_odd(wt_text) OR wt_text ILIKE '%nan%' OR wt_text ILIKE '%inf%') AND json_type(j) <> 'VARCHAR' "
    "THEN wa_json_java(CAST(j AS VARCHAR)) ELSE wt_text END), 1)",
    "CREATE MACRO wt_json_found(found) AS CASE len(found) WHEN 0 THEN NULL WHEN 1 THEN found[1] ELSE '[' || "
    "array_to_string(found, ',') || ']' END",
    "CREATE MACRO wt_json_each(x, p) AS wt_json_found(list_filter(list_transform("
    "json_extract(coalesce(wt_json(x), '0'), p), lambda v: wt_json_java(CAST(v AS VARCHAR))), "
    "lambda v: ends_with(p, ']') OR v <> 'null'))",
    "CREATE MACRO wt_json_some(x) AS regexp_matches(x, '[^ \\t\\n\\r]')",
    "CREATE MACRO wt_json_readable(x) AS CASE WHEN json_valid(x) THEN x "
    "ELSE coalesce(wa_json_standard(x, '{\"halves\":false}'), x) END",
    "CREATE MACRO wt_json_begins(x, sign) AS ltrim(x, chr(32) || chr(9) || chr(10) || chr(13))[1] = sign",
    "CREATE MACRO wt_json_listed(x) AS CASE WHEN wt_json_begins(x, '{') "
    "THEN '[' || wt_json_record(x) || ']' ELSE x END",
    # Numbers with their digits: as texts that begin with a mark, in records where JSON would be written otherwise.
    "CREATE MACRO wt_json_marked(x) AS CASE WHEN regexp_matches(x, "
    "'[0-9.]{17}|[0-9][eE]|\\.[0-9]*0[^0-9]|-0[^.]|\\\\u0001') THEN wa_json_marked(x) ELSE x END",
    "CREATE MACRO wt_json_kind(j) AS CASE WHEN json_type(j) = 'VARCHAR' AND starts_with(j ->> '$', chr(1) || '#') "
    "AND NOT starts_with(j ->> '$', chr(1) || '##') THEN CASE j ->> '$' WHEN chr(1) || '#-0' THEN 'BIGINT' "
    "ELSE 'DOUBLE' END ELSE json_type(j) END",
    "CREATE MACRO wt_json_unmarked(j) AS CASE WHEN starts_with(j ->> '$', chr(1)) THEN CASE WHEN "
    "starts_with(j ->> '$', chr(1) || '##') THEN chr(1) || substr(j ->> '$', 4) ELSE substr(j ->> '$', 3) END "
    "WHEN json_type(j) <> 'VARCHAR' AND contains(j ->> '$', '\\u0001#') THEN replace(regexp_replace(j ->> '$', "
    "'\"\\\\u0001#([-+.0-9eE]+)\"', '\\1', 'g'), '\\u0001##', '\\u0001') ELSE j ->> '$' END",
    # Java takes a byte without its sign, too.
    "CREATE MACRO wt_json_byte(x) AS coalesce(TRY_CAST(x AS TINYINT), "
    "TRY_CAST(CAST(TRY_CAST(x AS UTINYINT) AS SMALLINT) - 256 AS TINYINT))",
    "CREATE MACRO wt_day_of_number(x) AS CASE WHEN regexp_full_match(x, '[+-]?[0-9]{1,8}') "
    "THEN DATE '1970-01-01' + CAST(x AS INTEGER) END",
    "CREATE MACRO wt_ungrouped(x) AS CASE WHEN NOT regexp_matches(x, '\\s') THEN replace(x, ',', '') END",
    # Of several values of a key the last that is not null counts. What is behind the key where it comes last makes an
    # object only if it is one of the outermost.
    "CREATE MACRO wt_json_last(x, p, k) AS list_extract(list_transform(["
    "'{\"' || k || '\"' || split_part(x, '\"' || k || '\"', -1)], lambda wt_rest: coalesce(CASE WHEN "
    "NOT contains(x, '\\') AND json_valid(wt_rest) THEN wt_json_get(wt_rest, p) END, wa_json_last(x, k))), 1)",
    "CREATE MACRO wt_json_field(x, p, k, l) AS CASE WHEN x LIKE l OR contains(x, '\\u') THEN wt_json_last(x, p, k) "
    "ELSE wt_json_get(x, p) END",
    "CREATE MACRO wt_json_length(x) AS CASE WHEN json_type(wt_json(x)) = 'ARRAY' THEN "
    "CAST(json_array_length(wt_json(x)) AS INTEGER) END",
    "CREATE MACRO wt_json_keys(x) AS CASE WHEN json_type(wt_json(x)) = 'OBJECT' THEN json_keys(wt_json(x)) END",
    "CREATE MACRO wt_json_number(j, s, x) AS CASE WHEN json_type(j) = 'VARCHAR' THEN CASE WHEN s IN ('NaN', "
    "'Infinity', '-Infinity', '+Infinity', '+INF', '-INF') THEN x END "
    "WHEN json_type(j) NOT IN ('NULL', 'BOOLEAN', 'OBJECT', 'ARRAY') THEN x END",
    "CREATE MACRO wt_json_float(x) AS CASE WHEN isfinite(x) THEN wt_java_number(x) "
    "ELSE '\"' || wt_java_number(x) || '\"' END",
)
