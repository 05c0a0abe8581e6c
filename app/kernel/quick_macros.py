"""Macros that compute in DuckDB what most values need, and leave the rest to the vectorised functions over Arrow.

Crossing to Arrow costs more than most of DuckDB's own functions do. The condition of each first branch is exact: what
passes it has the same answer on both ways.
"""

from __future__ import annotations

_FOURS = "(?:[A-Za-z0-9+/]{4})*"
_LAST = "(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"
_MORE = "%[89ABab][0-9A-Fa-f]"
_ESCAPES = "|".join(
    (
        "%[0-7][0-9A-Fa-f]",
        f"%(?:[Cc][2-9A-Fa-f]|[Dd][0-9A-Fa-f]){_MORE}",
        f"%[Ee](?:0%[ABab][0-9A-Fa-f]|[1-9A-Ca-cEeFf]{_MORE}|[Dd]%[89][0-9A-Fa-f]){_MORE}",
        f"%[Ff](?:0%[9ABab][0-9A-Fa-f]|[1-3]{_MORE}|4%8[0-9A-Fa-f]){_MORE}{_MORE}",
    )
)
"""Escapes that are well-formed UTF-8, of one byte to four."""
_PART = (
    "-?(?:[0-9]{1,5} (?:year|month|week|day|hour|minute|second|millisecond|microsecond)"
    r"|[0-9]{1,5}\.[0-9]{1,6} second)s?"
)
"""Of a calendar interval. So few digits in so few parts are far from any overflow."""

_BINARY = (
    # Of letters in lines that would only be found out at the end.
    f"CREATE MACRO wt_is_base64(x) AS NOT contains(x, chr(10)) AND regexp_full_match(x, '{_FOURS}{_LAST}')",
    f"CREATE MACRO wt_in_lines(x) AS regexp_full_match(x, '(?:{_FOURS}\\r?\\n)*{_FOURS}{_LAST}')",
    "CREATE MACRO wt_joined(x) AS replace(replace(x, chr(13), ''), chr(10), '')",
    "CREATE MACRO wt_from_base64(x, safe) AS CASE WHEN wt_is_base64(x) THEN from_base64(x) "
    "WHEN wt_in_lines(x) THEN from_base64(wt_joined(x)) WHEN x IS NOT NULL THEN wa_from_base64(x, safe) END",
    "CREATE MACRO wt_unbase64(x) AS CASE WHEN wt_is_base64(x) THEN from_base64(x) "
    "WHEN wt_in_lines(x) THEN from_base64(wt_joined(x)) WHEN x IS NOT NULL THEN wa_unbase64(x) END",
    "CREATE MACRO wt_from_hex(x, safe) AS CASE WHEN regexp_full_match(x, '[0-9A-Fa-f]*') THEN unhex(x) "
    "WHEN x IS NOT NULL AND NOT safe THEN wt_fail('CONVERSION_INVALID_INPUT', 'The value ' || x || ' (hex) cannot "
    "be converted to binary: it is malformed.') END",
    "CREATE MACRO wt_contains(b, part) AS CASE WHEN wt_is_utf8(b) AND wt_is_utf8(part) "
    "THEN contains(decode(b, 'ignore'), decode(part, 'ignore')) "
    "WHEN b IS NOT NULL AND part IS NOT NULL THEN wa_contains(b, part) END",
    "CREATE MACRO wt_reverse_bytes(b) AS CASE WHEN wt_is_ascii_bytes(b) THEN encode(reverse(decode(b, 'ignore'))) "
    "WHEN b IS NOT NULL THEN wa_reverse(b) END",
)

_CHARSETS = (
    # What is no UTF-8 is left out of what is decoded.
    "CREATE MACRO wt_is_utf8(b) AS strlen(decode(b, 'ignore')) = octet_length(b)",
    "CREATE MACRO wt_is_ascii(x) AS length(x) = strlen(x)",
    "CREATE MACRO wt_is_ascii_bytes(b) AS length(decode(b, 'ignore')) = octet_length(b)",
    "CREATE MACRO wt_valid_utf8(b, safe) AS CASE WHEN wt_is_utf8(b) THEN decode(b, 'ignore') "
    "WHEN b IS NOT NULL AND NOT safe THEN wt_fail('INVALID_UTF8_STRING', 'Invalid UTF8 byte sequence found in string: '"
    " || CAST(b AS VARCHAR) || '.') END",
    "CREATE MACRO wt_repaired_utf8(b) AS CASE WHEN wt_is_utf8(b) THEN decode(b, 'ignore') "
    "WHEN b IS NOT NULL THEN wa_repaired_utf8(b) END",
    "CREATE MACRO wt_malformed(name, charset) AS wt_fail('MALFORMED_CHARACTER_CODING', 'Invalid value found when "
    "performing `' || name || '` with ' || charset || ': it has no such character.')",
    "CREATE MACRO wt_encode_us_ascii(x) AS CASE WHEN wt_is_ascii(x) THEN encode(x) "
    "WHEN x IS NOT NULL THEN wt_malformed('encode', 'US-ASCII') END",
    "CREATE MACRO wt_encode_iso_8859_1(x) AS CASE WHEN wt_is_ascii(x) THEN encode(x) "
    "WHEN x IS NOT NULL THEN wa_encode_iso_8859_1(x) END",
    "CREATE MACRO wt_encode_utf_16(x) AS CASE WHEN x = '' THEN ''::BLOB "
    "WHEN x IS NOT NULL THEN '\\xFE\\xFF'::BLOB || wa_encode_utf_16be(x) END",
    "CREATE MACRO wt_decode_utf_8(b) AS CASE WHEN wt_is_utf8(b) THEN decode(b, 'ignore') "
    "WHEN b IS NOT NULL THEN wt_malformed('decode', 'UTF-8') END",
    "CREATE MACRO wt_decode_us_ascii(b) AS CASE WHEN wt_is_ascii_bytes(b) THEN decode(b, 'ignore') "
    "WHEN b IS NOT NULL THEN wt_malformed('decode', 'US-ASCII') END",
    "CREATE MACRO wt_decode_iso_8859_1(b) AS CASE WHEN wt_is_ascii_bytes(b) THEN decode(b, 'ignore') "
    "WHEN b IS NOT NULL THEN wa_decode_iso_8859_1(b) END",
    # Where rows may name different character sets.
    "CREATE MACRO wt_unknown_charset(name, charset) AS wt_fail('INVALID_PARAMETER_VALUE.CHARSET', 'The value of "
    "parameter(s) `charset` in `' || name || '` is invalid: expects one of ISO-8859-1, US-ASCII, UTF-16, UTF-16BE, "
    "UTF-16LE, UTF-32, UTF-8, but got ' || charset || '.')",
    "CREATE MACRO wt_encode(x, charset) AS CASE upper(charset) WHEN 'UTF-8' THEN encode(x) "
    "WHEN 'UTF-16' THEN wt_encode_utf_16(x) WHEN 'UTF-16LE' THEN wa_encode_utf_16le(x) "
    "WHEN 'UTF-16BE' THEN wa_encode_utf_16be(x) WHEN 'UTF-32' THEN wa_encode_utf_32(x) "
    "WHEN 'ISO-8859-1' THEN wt_encode_iso_8859_1(x) WHEN 'US-ASCII' THEN wt_encode_us_ascii(x) "
    "ELSE CASE WHEN x IS NOT NULL AND charset IS NOT NULL THEN wt_unknown_charset('encode', charset) END END",
    "CREATE MACRO wt_decode(b, charset) AS CASE upper(charset) WHEN 'UTF-8' THEN wt_decode_utf_8(b) "
    "WHEN 'UTF-16' THEN wa_decode_utf_16(b) WHEN 'UTF-16LE' THEN wa_decode_utf_16le(b) "
    "WHEN 'UTF-16BE' THEN wa_decode_utf_16be(b) WHEN 'UTF-32' THEN wa_decode_utf_32(b) "
    "WHEN 'ISO-8859-1' THEN wt_decode_iso_8859_1(b) WHEN 'US-ASCII' THEN wt_decode_us_ascii(b) "
    "ELSE CASE WHEN b IS NOT NULL AND charset IS NOT NULL THEN wt_unknown_charset('decode', charset) END END",
)

_TEXTS = (
    "CREATE MACRO wt_url_decode(x, safe) AS CASE WHEN NOT contains(x, '%') THEN replace(x, '+', ' ') "
    f"WHEN regexp_full_match(x, '(?:[^%]|{_ESCAPES})*') THEN url_decode(replace(x, '+', ' ')) "
    "WHEN x IS NOT NULL THEN wa_url_decode(x, safe) END",
    "CREATE MACRO wt_based(n, base) AS CASE WHEN base = 10 THEN CAST(n AS VARCHAR) ELSE to_base(n, base) END",
    # Fewer digits than fill 63 bits.
    "CREATE MACRO wt_conv(x, base, target) AS CASE "
    "WHEN x IS NULL OR target NOT BETWEEN 2 AND 36 THEN wa_conv(x, base, target, false) "
    "WHEN base = 10 AND regexp_full_match(x, '[0-9]{1,18}') THEN wt_based(CAST(x AS BIGINT), target) "
    "WHEN base = 16 AND regexp_full_match(x, '[0-9A-Fa-f]{1,15}') THEN wt_based(CAST('0x' || x AS BIGINT), target) "
    "WHEN base = 2 AND regexp_full_match(x, '[01]{1,62}') THEN wt_based(CAST('0b' || x AS BIGINT), target) "
    "ELSE wa_conv(x, base, target, false) END",
    # Fields that are empty texts are null.
    "CREATE MACRO wt_csv_fields(x, separator) AS CASE WHEN NOT contains(x, '\"') THEN string_split(x, separator) "
    "WHEN contains(x, chr(1)) OR separator IN ('\"', '\\') OR NOT ascii(separator) BETWEEN 1 AND 127 "
    "OR strlen(separator) > 1 THEN wa_csv_fields(x, separator) "
    "ELSE string_split(wa_csv_marked(x, CAST(ascii(separator) AS UTINYINT)), chr(1)) END",
)

_INTERVALS = (
    f"CREATE MACRO wt_is_calendar(x) AS regexp_full_match(x, '{_PART}(?: {_PART}){{0,15}}')",
    "CREATE MACRO wt_read_calendar(x) AS CASE WHEN wt_is_calendar(x) THEN CAST(x AS INTERVAL) "
    "WHEN starts_with(x, 'interval ') AND wt_is_calendar(x[10:]) THEN CAST(x[10:] AS INTERVAL) "
    "WHEN x IS NOT NULL THEN wa_calendar(x) END",
    # Of a text that begins with days, or with what stands before hours and minutes.
    "CREATE MACRO wt_clock_span(x, before, behind) AS CAST(before || replace(x, ' ', ' days ') || behind AS INTERVAL)",
    "CREATE MACRO wt_read_day_time(x, form, before, behind, fields, safe) AS CASE "
    "WHEN regexp_full_match(x, form) THEN wt_clock_span(x, before, behind) "
    "WHEN regexp_full_match(x, '-' || form) THEN wt_interval(-epoch_us(wt_clock_span(x[2:], before, behind))) "
    "WHEN regexp_full_match(x, 'INTERVAL ''' || form || ''' ' || fields) "
    "THEN wt_clock_span(split_part(x, '''', 2), before, behind) "
    "WHEN x IS NOT NULL THEN wa_day_time(x, fields, safe) END",
    "CREATE MACRO wt_read_year(x, safe) AS CASE WHEN regexp_full_match(x, '-?[0-9]{1,6}') THEN CAST(x AS INTEGER) * 12 "
    "WHEN x IS NOT NULL THEN wa_year_month(x, 'YEAR', safe) END",
    "CREATE MACRO wt_read_month(x, safe) AS CASE WHEN regexp_full_match(x, '-?[0-9]{1,6}') THEN CAST(x AS INTEGER) "
    "WHEN x IS NOT NULL THEN wa_year_month(x, 'MONTH', safe) END",
    "CREATE MACRO wt_read_year_to_month(x, safe) AS CASE WHEN regexp_full_match(x, '[0-9]{1,6}-(?:0?[0-9]|1[01])') "
    "THEN CAST(split_part(x, '-', 1) AS INTEGER) * 12 + CAST(split_part(x, '-', 2) AS INTEGER) "
    "WHEN x IS NOT NULL THEN wa_year_month(x, 'YEAR TO MONTH', safe) END",
)

QUICK = (*_BINARY, *_CHARSETS, *_TEXTS, *_INTERVALS)
