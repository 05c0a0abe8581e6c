"""Macros on calendar intervals, which are INTERVALs whose months, days and microseconds are kept apart.

What may overflow takes a flag: with `safe`, null stands for what does not fit. A macro repeats the text of its
arguments, so what is used more than once is first put into a list of one.
"""

from __future__ import annotations

_ARROW_US = (2**63 - 1) // 1000
"""Arrow carries nanoseconds in 64 bits."""


def _unless_safe(sql: str) -> str:
    failure = f"wt_fail('ARITHMETIC_OVERFLOW', 'Overflow of an interval: ' || {sql} || '.')"
    return f"WHEN {sql} IS NOT NULL AND NOT safe THEN {failure}"


def _once(value: str, name: str, body: str) -> str:
    """SQL of `body`, in which `name` stands for a value that is computed once."""
    return f"list_extract(list_transform([{value}], lambda {name}: {body}), 1)"


_MONTHS_LATER = "to_months(CAST(s * wt_calendar_months({}) AS INTEGER))"
_DAYS_LATER = "to_days(CAST(s * wt_calendar_days({}) AS INTEGER))"
_AT_MONTH = f"wt_near_zone(p.x, p.w, p.w + {_MONTHS_LATER.format('p.i')}, z)"
_AT_DAY = f"wt_near_zone(q.x, timezone(z, q.x), timezone(z, q.x) + {_DAYS_LATER.format('q.i')}, z)"
_LATER = _once(
    f"{{'x': {_AT_MONTH}, 'i': p.i}}", "q", f"make_timestamptz(epoch_us({_AT_DAY}) + s * wt_calendar_us(q.i))"
)

CALENDAR = (
    # Of a null, datepart gives doubles.
    "CREATE MACRO wt_calendar_months(i) AS CAST(datepart('year', i) * 12 + datepart('month', i) AS BIGINT)",
    "CREATE MACRO wt_calendar_days(i) AS CAST(datepart('day', i) AS BIGINT)",
    "CREATE MACRO wt_calendar_us(i) AS CAST(datepart('hour', i) * 3600000000 + datepart('minute', i) * 60000000 + "
    "datepart('microsecond', i) AS BIGINT)",
    "CREATE MACRO wt_calendar_count(n, safe) AS CASE WHEN n BETWEEN -2147483648 AND 2147483647 THEN CAST(n AS INTEGER) "
    f"{_unless_safe('n')} END",
    f"CREATE MACRO wt_calendar_span(us, safe) AS CASE WHEN us BETWEEN -{_ARROW_US} AND {_ARROW_US} THEN "
    f"to_microseconds(CAST(us AS BIGINT)) WHEN us BETWEEN -{2**63} AND {2**63 - 1} THEN wt_fail('UNSUPPORTED_FEATURE', "
    "'An interval of more than 292 years in hours and seconds is not supported. Count in days or months.') "
    f"{_unless_safe('us')} END",
    "CREATE MACRO wt_calendar(m, d, us, safe) AS "
    + _once(
        "{'m': m, 'd': d, 'us': us}",
        "c",
        "to_months(wt_calendar_count(c.m, safe)) + to_days(wt_calendar_count(c.d, safe)) + "
        "wt_calendar_span(c.us, safe)",
    ),
    "CREATE MACRO wt_make_interval(y, mo, w, d, h, mi, s, safe) AS wt_calendar(CAST(y AS HUGEINT) * 12 + mo, "
    "CAST(w AS HUGEINT) * 7 + d, CAST(h AS HUGEINT) * 3600000000 + CAST(mi AS HUGEINT) * 60000000 + "
    "CAST(CAST(s AS DECIMAL(38,6)) * 1000000 AS HUGEINT), safe)",
    "CREATE MACRO wt_calendar_sum(a, b, s, safe) AS "
    + _once(
        "{'a': a, 'b': b}",
        "p",
        "wt_calendar(CAST(wt_calendar_months(p.a) AS HUGEINT) + s * wt_calendar_months(p.b), "
        "CAST(wt_calendar_days(p.a) AS HUGEINT) + s * wt_calendar_days(p.b), "
        "CAST(wt_calendar_us(p.a) AS HUGEINT) + s * wt_calendar_us(p.b), safe)",
    ),
    "CREATE MACRO wt_calendar_negative(i) AS "
    + _once("i", "p", "wt_calendar(-wt_calendar_months(p), -wt_calendar_days(p), -wt_calendar_us(p), false)"),
    # Doubles as Java turns them into whole numbers; what is left of a day becomes hours.
    "CREATE MACRO wt_calendar_cut(x, safe) AS CASE WHEN isnan(x) THEN 0 WHEN isfinite(x) THEN CAST(trunc(x) AS "
    f"HUGEINT) {_unless_safe('x')} END",
    "CREATE MACRO wt_calendar_rest(d, us) AS CASE WHEN isnan(us + (d - trunc(d)) * 86400000000::DOUBLE) THEN 0 ELSE "
    "CAST(floor(us + (d - trunc(d)) * 86400000000::DOUBLE + 0.5::DOUBLE) AS HUGEINT) END",
    "CREATE MACRO wt_calendar_scaled(m, d, us, safe) AS "
    + _once(
        "{'m': m, 'd': d, 'us': us}",
        "q",
        "wt_calendar(wt_calendar_cut(q.m, safe), wt_calendar_cut(q.d, safe), wt_calendar_rest(q.d, q.us), safe)",
    ),
    "CREATE MACRO wt_calendar_times(i, n, safe) AS "
    + _once(
        "{'i': i, 'n': n}",
        "p",
        "wt_calendar_scaled(wt_calendar_months(p.i) * p.n, wt_calendar_days(p.i) * p.n, wt_calendar_us(p.i) * p.n, "
        "safe)",
    ),
    "CREATE MACRO wt_calendar_divided(i, n, safe) AS "
    + _once(
        "{'i': i, 'n': n}",
        "p",
        "CASE WHEN p.n = 0 THEN CASE WHEN p.i IS NOT NULL AND NOT safe THEN wt_fail('INTERVAL_DIVIDED_BY_ZERO', "
        "'Division by zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead.') END ELSE "
        "wt_calendar_scaled(wt_calendar_months(p.i) / p.n, wt_calendar_days(p.i) / p.n, wt_calendar_us(p.i) / p.n, "
        "safe) END",
    ),
    "CREATE MACRO wt_counted(n, unit) AS CASE WHEN n <> 0 THEN CAST(n AS VARCHAR) || ' ' || unit END",
    "CREATE MACRO wt_calendar_seconds(us) AS CASE WHEN us <> 0 THEN CASE WHEN us < 0 THEN '-' ELSE '' END || "
    "CAST(abs(us) // 1000000 AS VARCHAR) || rtrim(rtrim('.' || lpad(CAST(abs(us) % 1000000 AS VARCHAR), 6, '0'), '0'), "
    "'.') || ' seconds' END",
    "CREATE MACRO wt_calendar_text(i) AS "
    + _once(
        "i",
        "p",
        "CASE WHEN p IS NOT NULL THEN coalesce(nullif(concat_ws(' ', wt_counted(datepart('year', p), 'years'), "
        "wt_counted(datepart('month', p), 'months'), wt_counted(datepart('day', p), 'days'), "
        "wt_counted(datepart('hour', p), 'hours'), wt_counted(datepart('minute', p), 'minutes'), "
        "wt_calendar_seconds(datepart('microsecond', p))), ''), '0 seconds') END",
    ),
    "CREATE MACRO wt_date_later(d, i, s, safe) AS "
    + _once(
        "{'d': d, 'i': i}",
        "p",
        "CASE WHEN wt_calendar_us(p.i) <> 0 THEN CASE WHEN p.d IS NOT NULL AND NOT safe THEN "
        "wt_fail('INVALID_INTERVAL_WITH_MICROSECONDS_ADDITION', 'Cannot add an interval to a date because its "
        "microseconds part is not 0. Cast the date to a timestamp first.') END ELSE CAST(p.d + "
        f"{_MONTHS_LATER.format('p.i')} + {_DAYS_LATER.format('p.i')} AS DATE) END",
    ),
    "CREATE MACRO wt_wall_later(x, i, s) AS "
    + _once(
        "i",
        "p",
        f"x + {_MONTHS_LATER.format('p')} + {_DAYS_LATER.format('p')} + to_microseconds(s * wt_calendar_us(p))",
    ),
    # Months, then days, each on the wall clock; then the rest on the instant.
    "CREATE MACRO wt_instant_later(x, w, i, s, z) AS " + _once("{'x': x, 'w': w, 'i': i}", "p", _LATER),
)
