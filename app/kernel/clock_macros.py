"""Macros on times of day."""

from __future__ import annotations

_BLANK = r"[\x00-\x20\x7F]*"
_CLOCK = rf"^{_BLANK}T?([0-9]{{1,2}}):([0-9]{{1,2}})(?::([0-9]{{1,2}})(?:\.([0-9]*))?)?{_BLANK}([AaPp][Mm])?{_BLANK}$"

CLOCK = (
    "CREATE MACRO wt_time(us) AS TIME '00:00:00' + to_microseconds(CAST(us AS BIGINT))",
    "CREATE MACRO wt_time_cut(x, unit) AS wt_time(epoch_us(x) - epoch_us(x) % unit)",
    "CREATE MACRO wt_hour_of(h, half) AS CASE WHEN half = '' THEN CASE WHEN h <= 23 THEN h END WHEN h BETWEEN 1 AND 12 "
    "THEN h % 12 + CASE WHEN upper(half) = 'PM' THEN 12 ELSE 0 END END",
    "CREATE MACRO wt_clock_of(p) AS CASE WHEN p.h <> '' AND CAST(p.m AS INTEGER) < 60 AND coalesce(TRY_CAST(p.s AS "
    "INTEGER), 0) < 60 THEN wt_time(wt_hour_of(CAST(p.h AS INTEGER), p.half) * 3600000000 + CAST(p.m AS BIGINT) * "
    "60000000 + coalesce(TRY_CAST(p.s AS BIGINT), 0) * 1000000 + CAST(rpad(p.f[:6], 6, '0') AS BIGINT)) END",
    f"CREATE MACRO wt_clock(x) AS list_extract(list_transform([CASE WHEN x IS NOT NULL THEN regexp_extract(x, "
    f"'{_CLOCK}', ['h', 'm', 's', 'f', 'half']) END], lambda p: wt_clock_of(p)), 1)",
    "CREATE MACRO wt_clock_read(found, x, form) AS CASE WHEN found IS NULL AND x IS NOT NULL THEN "
    "wt_fail('CANNOT_PARSE_TIME', 'The input string ''' || x || ''' cannot be parsed to a TIME value because it does "
    "not match to the datetime format ''' || form || '''. Use `try_to_time` to have null instead.') ELSE found END",
    "CREATE MACRO wt_clock_part(n, name, most) AS CASE WHEN n NOT BETWEEN 0 AND most THEN "
    "wt_fail('DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION', 'Invalid value for ' || name || ' (valid values 0 - ' "
    "|| most || '): ' || n) ELSE n END",
    "CREATE MACRO wt_clock_second(s) AS CASE WHEN wt_clock_part(CAST(floor(s) AS INTEGER), 'SecondOfMinute', 59) IS "
    "NOT NULL THEN CAST(s * 1000000 AS BIGINT) END",
    "CREATE MACRO wt_make_time(h, m, s) AS wt_time(CAST(wt_clock_part(h, 'HourOfDay', 23) AS BIGINT) * 3600000000 + "
    "CAST(wt_clock_part(m, 'MinuteOfHour', 59) AS BIGINT) * 60000000 + wt_clock_second(s))",
    "CREATE MACRO wt_time_of_ns(ns) AS CASE WHEN ns NOT BETWEEN 0 AND 86399999999999 THEN "
    "wt_fail('DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION', 'Invalid TIME value: must be between 00:00:00 and "
    "23:59:59.999999999, but got ' || ns || ' nanoseconds.') WHEN ns % 1000 <> 0 THEN wt_fail('UNSUPPORTED_FEATURE', "
    "'A time of day with nanoseconds is not supported: ' || ns || '.') ELSE wt_time(ns // 1000) END",
    "CREATE MACRO wt_ns_of_double(x) AS CASE WHEN NOT isfinite(x) THEN "
    "wt_fail('DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION', 'Cannot convert NaN or Infinite value to TIME.') "
    "ELSE CAST(trunc(x * 1000000000) AS HUGEINT) END",
    "CREATE MACRO wt_time_later(x, us, safe) AS CASE WHEN epoch_us(x) + us BETWEEN 0 AND 86399999999 THEN "
    "wt_time(epoch_us(x) + us) WHEN us IS NOT NULL AND x IS NOT NULL AND NOT safe THEN wt_fail('DATETIME_OVERFLOW', "
    "'Datetime operation overflow: add ' || us || ' microseconds to the time value ' || x || '.') END",
    "CREATE MACRO wt_clock_unit(u, name) AS CASE upper(u) WHEN 'HOUR' THEN 3600000000 WHEN 'MINUTE' THEN 60000000 "
    "WHEN 'SECOND' THEN 1000000 WHEN 'MILLISECOND' THEN 1000 WHEN 'MICROSECOND' THEN 1 ELSE CASE WHEN u IS NOT NULL "
    "THEN wt_fail('INVALID_PARAMETER_VALUE.TIME_UNIT', 'The value of parameter(s) `unit` in `' || name || '` is "
    "invalid: expects one of the units HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND, but got ' || u || '.') END END",
)
