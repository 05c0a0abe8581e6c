"""Every vectorised function over Arrow beside the DuckDB built-in most like it: what both cost, and their ratio.

`CASES` is to hold at least one case for each function that is registered; those without one are named. Both sides are
run in turns over the same rows and the least processor time of each counts: other programs on the machine then disturb
the ratio little. `first` takes their values: DuckDB does not compute what is only counted and cannot be null. Beside
ours stands what its calls cost alone: the same statement once more, its functions giving what they gave before.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa

from app.kernel.arrow import ARROW_FUNCTIONS
from app.kernel.kernel import Kernel
from app.kernel.macros import MACROS
from app.plan.ddl import parse_schema
from benchmarks.bare_calls import BareCalls

LIMIT = 5.0
_TURNS = 3
_OURS = re.compile(r"\b(wa_[a-z0-9_]+?|wt_\w+)(?:__[0-9a-f]*)?\(")
_MACROS = {found[1]: macro for macro in MACROS if (found := _OURS.search(macro))}

_JSON = """'{"a": ' || x || ', "b": [1, "text", null], "c": {"d": 1.5}}'"""
_COLUMNS = {
    "id": ("bigint", "x * 7919"),
    "i": ("int", "CAST(x % 100000 AS INTEGER)"),
    "gaps": ("bigint", "CASE WHEN x % 10 > 0 THEN x END"),
    "d": ("double", "x * 1000 / 7"),
    "n": ("decimal(12,2)", "CAST(x * 13 AS DECIMAL(12,2)) / 100"),
    "wide": ("decimal(30,4)", "CAST(x * 13 AS DECIMAL(30,4))"),
    "s": ("string", "'text ' || x"),
    "l": ("string", "'a longer text, as a line of a log may be, ' || x || ' with 20 words or somewhat less in it'"),
    "half": ("string", "CASE WHEN x % 2 > 0 THEN 'text ' || x END"),
    "accents": ("string", "'Straße nach Köln ' || x"),
    "name": ("string", "['Robert', 'Ashcraft', 'Tymczak', 'Pfister'][1 + x % 4] || chr(CAST(97 + x % 26 AS INT))"),
    "url": ("string", "'https://user' || x || '@example.com:8080/a/path/page.html?id=' || x || '&lang=en#part'"),
    "escaped": ("string", "'name%20' || x || '%26caf%C3%A9+more'"),
    "digits": ("string", "CAST(x * 7919 AS VARCHAR)"),
    "money": ("string", "format('{:,}', x) || '.50'"),
    "line": ("string", "x || ',some text,,' || x * 3 || ',2020-01-01'"),
    "quoted": ("string", "x || ',\"some, text\",,' || x * 3"),
    "hexed": ("string", "hex('text ' || x)"),
    "sixteen": ("string", "to_base(x * 7919, 16)"),
    "sixty": ("string", "to_base64(encode('text ' || x))"),
    "charset": ("string", "'utf-16'"),
    "pattern": ("string", "['^text [0-9]+$', '[1-3]{2,}', '(4|5)\\d', 't\\s7'][1 + x % 4]"),
    "mime": ("string", "to_base64(encode('text'))[:4] || chr(10) || to_base64(encode('text ' || x))"),
    "broken": ("binary", "unhex('FF' || hex('text ' || x))"),
    "french": ("string", "'caf%E9+' || x"),
    "cafe": ("string", "'caf%C3%A9+' || x"),
    "ts": ("timestamp", "make_timestamptz(x * 86461000000)"),
    "day": ("string", "strftime(make_timestamp(x * 1000000007), '%y-%m-%d')"),
    "moment": ("string", "strftime(make_timestamp(x * 1000000007), '%Y-%m-%d %H:%M:%S')"),
    "form": ("string", "['yyyy-MM-dd HH:mm:ss', 'yyyy-M-d[ HH:mm:ss]', 'y-MM-dd[ H:mm[:ss]]'][1 + x % 3]"),
    "spoken_day": ("string", "strftime(make_timestamp(x * 1000000007), '%-d. %B %Y')"),
    "mixed": (
        "string",
        "strftime(make_timestamp(x * 1000000007), '%-d/%-m/%Y') || CASE WHEN x % 2 > 0 THEN ' 9:30+01:00' ELSE '' END",
    ),
    "b": ("binary", "encode('text ' || x)"),
    "u16": ("binary", "unhex(regexp_replace(hex('text ' || x), '(..)', '00\\1', 'g'))"),
    "u16le": ("binary", "unhex(regexp_replace(hex('text ' || x), '(..)', '\\100', 'g'))"),
    "u32": ("binary", "unhex(regexp_replace(hex('text ' || x), '(..)', '000000\\1', 'g'))"),
    "v": ("array<float>", "list_transform(range(16), lambda i: CAST(sin(x + i) AS FLOAT))"),
    "w": ("array<float>", "list_transform(range(16), lambda i: CAST(cos(x * i) AS FLOAT))"),
    "long": ("decimal(38,18)", "CAST(x AS DECIMAL(38,18)) + 0.123456789012345678"),
    "huge": ("decimal(38,10)", "CAST(9999999999999999999999999999.5 AS DECIMAL(38,10)) - x"),
    "big": ("decimal(38,10)", "CAST(4999999999999999999999999999.5 AS DECIMAL(38,10)) - x"),
    "middle": ("decimal(38,9)", "CAST(x AS DECIMAL(38,9)) + 0.123456789"),
    "spoken": ("string", "x % 100 || ' days 3 hours ' || x % 60 || ' minutes'"),
    "clock": ("string", "x % 100 || ' 03:' || 10 + x % 50 || ':07.5'"),
    "months": ("string", "x % 100 || '-' || x % 12"),
    "json": ("string", _JSON),
    "single": ("string", f"replace({_JSON}, '\"', chr(39))"),
    "behind": ("string", f"{_JSON} || ' x'"),
    "twice": ("string", f"'{{\"a\": 1, ' || ({_JSON})[2:]"),
    "var": ("variant", f"wa_parse_json({_JSON}, true, true, false)"),
    "hll": ("binary", "wa_hll_sketch([x, x * 7, x * 13], 12)"),
}  # fmt: skip
"""Name, Spark type, and the value of row x in DuckDB SQL."""


@dataclass(frozen=True, slots=True)
class Case:
    """An expression of Spark SQL and one of DuckDB SQL, over the same columns. `printed` if ours is DuckDB SQL too,
    for what no expression calls by itself."""

    ours: str
    built_in: str
    printed: bool = False


class _Ratio(NamedTuple):
    """How many times the built-in's time ours takes, and the calls of ours that compute nothing."""

    whole: float
    call: float


_TO = "DECIMAL(38,6)"
_HEX = _TO.encode().hex()
_PRODUCT = f"CAST(middle * middle AS {_TO})"
"""Of `long` by itself DuckDB has none: it would have more digits than it computes with."""
_DECIMALS = {
    "add": f"CAST(long + long AS {_TO})",
    "subtract": f"CAST(long - long AS {_TO})",
    "multiply": _PRODUCT,
    "divide": f"CAST(long / long AS {_TO})",
    "mod": f"CAST(long % long AS {_TO})",
    "pmod": f"CAST(long % long AS {_TO})",
}
_SUMS, _MEANS = (f"[{', '.join(f'{name}(v[{i}])' for i in range(1, 17))}]" for name in ("sum", "avg"))

CASES = (
    Case("hash(id)", "hash(id)"),
    Case("hash(i)", "hash(i)"),
    Case("hash(gaps)", "hash(gaps)"),
    Case("hash(d)", "hash(d)"),
    Case("hash(n)", "hash(n)"),
    Case("hash(wide)", "hash(wide)"),
    Case("hash(s)", "hash(s)"),
    Case("hash(l)", "hash(l)"),
    Case("hash(half)", "hash(half)"),
    Case("hash(id, s, d)", "hash(id, s, d)"),
    Case("xxhash64(id)", "hash(id)"),
    Case("xxhash64(s)", "hash(s)"),
    Case("xxhash64(l)", "hash(l)"),
    Case("xxhash64(half)", "hash(half)"),
    Case("xxhash64(id, s, d)", "hash(id, s, d)"),
    Case("crc32(b)", "md5(b)"),
    Case("sha2(b, 224)", "sha256(b)"),
    Case("sha2(b, 384)", "sha256(b)"),
    Case("sha2(b, 512)", "sha256(b)"),
    Case("encode(s, 'utf-16')", "encode(s)"),
    Case("encode(half, 'utf-16')", "encode(half)"),
    Case("encode(accents, 'utf-16')", "encode(accents)"),
    Case("encode(s, 'utf-16be')", "encode(s)"),
    Case("encode(l, 'utf-16be')", "encode(l)"),
    Case("encode(s, 'utf-16le')", "encode(s)"),
    Case("encode(s, 'utf-32')", "encode(s)"),
    Case("encode(s, 'iso-8859-1')", "encode(s)"),
    Case("encode(accents, 'iso-8859-1')", "encode(accents)"),
    Case("encode(s, charset)", "encode(s)"),
    Case("decode(b, 'utf-8')", "decode(b)"),
    Case("decode(b, 'us-ascii')", "decode(b)"),
    Case("decode(b, 'iso-8859-1')", "decode(b)"),
    Case("decode(broken, 'iso-8859-1')", "decode(broken, 'ignore')"),
    Case("decode(u16, 'utf-16')", "decode(u16)"),
    Case("decode(u16, 'utf-16be')", "decode(u16)"),
    Case("decode(u16le, 'utf-16le')", "decode(u16le)"),
    Case("decode(u32, 'utf-32')", "decode(u32)"),
    Case("decode(u16, charset)", "decode(u16)"),
    Case("to_binary(sixty, 'base64')", "from_base64(sixty)"),
    Case("to_binary(mime, 'base64')", "from_base64(replace(mime, chr(10), ''))"),
    Case("unbase64(sixty)", "from_base64(sixty)"),
    Case("unbase64(mime)", "from_base64(replace(mime, chr(10), ''))"),
    Case("to_binary(hexed, 'hex')", "unhex(hexed)"),
    Case("contains(b, cast('t 1' as binary))", "contains(s, 't 1')"),
    Case("contains(broken, cast('t 1' as binary))", "contains(s, 't 1')"),
    Case("reverse(b)", "reverse(s)"),
    Case("reverse(broken)", "reverse(s)"),
    Case("is_valid_utf8(b)", "decode(b)"),
    Case("validate_utf8(b)", "decode(b)"),
    Case("make_valid_utf8(b)", "decode(b)"),
    Case("make_valid_utf8(broken)", "decode(broken, 'replace')"),
    Case("conv(digits, 10, 16)", "to_base(CAST(digits AS BIGINT), 16)"),
    Case("conv(sixteen, 16, 10)", "CAST(CAST('0x' || sixteen AS BIGINT) AS VARCHAR)"),
    Case("to_number(money, '999,999,999.99')", "CAST(replace(money, ',', '') AS DECIMAL(11,2))"),
    Case("to_char(n, '999,999,999.99')", "format('{:,.2f}', n)"),
    Case("format_number(d, 2)", "format('{:,.2f}', d)"),
    Case("format_number(n, 1)", "format('{:,.1f}', n)"),
    Case("format_number(id, 2)", "format('{:,}', id)"),
    Case("format_number(d, '#,##0.0#')", "format('{:,.2f}', d)"),
    Case("format_string('%,d', id)", "format('{:,}', id)"),
    Case("format_string('%+d', i)", "format('{:+d}', i)"),
    Case("format_string('%.3e', d)", "format('{:.3e}', d)"),
    Case("format_string('%,.2f', d)", "format('{:,.2f}', d)"),
    Case("date_format(ts, 'K a, QQQ')", "strftime(ts, '%I %p, %m')"),
    Case("date_format(ts, 'k:mm, DD. yy GG, QQQQ')", "strftime(ts, '%H:%M, %j. %y %a, %m')"),
    Case("date_format(ts, form)", "strftime(ts, '%Y-%m-%d %H:%M:%S')"),
    Case("wa_saves_light(epoch_us(ts), 'Europe/Berlin')", "timezone('Europe/Berlin', ts)", True),
    Case("to_timestamp(day, 'yy-[M-]d')", "strptime(day, '%y-%m-%d')"),
    Case("to_timestamp(moment, 'yyyy-MM-dd[ HH:mm[:ss]]')", "strptime(moment, '%Y-%m-%d %H:%M:%S')"),
    Case("to_timestamp(spoken_day, 'd. MMMM y[ H:mm]')", "strptime(spoken_day, '%-d. %B %Y')"),
    Case("to_timestamp(mixed, 'd/M/yyyy[ H:mm][xxx]')", "try_strptime(mixed, ['%-d/%-m/%Y', '%-d/%-m/%Y %-H:%M%z'])"),
    Case("to_timestamp(moment, form)", "strptime(moment, '%Y-%m-%d %H:%M:%S')"),
    Case("to_timestamp_ntz(day, 'yy-[M-]d')", "strptime(day, '%y-%m-%d')"),
    Case("from_csv(day, 'a timestamp_ntz', map('timestampNTZFormat', 'yy-[M-]d'))", "strptime(day, '%y-%m-%d')"),
    Case("rlike(s, pattern)", "regexp_matches(s, pattern)"),
    Case("rlike(s, '(?<=a)1')", "regexp_matches(s, 'a1')"),
    Case("regexp_extract(s, '(?<=a)[0-9]', 0)", "regexp_extract(s, 'a[0-9]')"),
    Case("regexp_replace(s, '(?<=a)[0-9]', '')", "regexp_replace(s, 'a[0-9]', '', 'g')"),
    Case("split(s, '(?<=a)')", "string_split_regex(s, 'a')"),
    Case("from_csv(line, 'a int, b string, c string, d int, e string')", "string_split(line, ',')"),
    Case("from_csv(quoted, 'a int, b string, c string, d int')", "string_split(quoted, ',')"),
    Case("rand(3)", "random()"),
    Case("randn(3)", "sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())"),
    Case("wa_poisson(id, 3, 0.5)", "random()", True),
    Case("randstr(10)", "md5(CAST(random() AS VARCHAR))[:10]"),
    Case("randstr(10, 3)", "md5(CAST(random() AS VARCHAR))[:10]"),
    Case("shuffle(w)", "list_sort(w)"),
    Case("shuffle(array(1, 2, 3, 4, 5, 6, 7, 8), 3)", "list_sort(w)"),
    Case("soundex(name)", "levenshtein(name, 'Robert')"),
    Case("soundex(s)", "levenshtein(s, 'Robert')"),
    Case("mask(s)", "translate(s, 'abcdefghijklmnopqrstuvwxyz0123456789', 'xxxxxxxxxxxxxxxxxxxxxxxxxxnnnnnnnnnn')"),
    Case("mask(accents)", "regexp_replace(accents, '[a-z]', 'x', 'g')"),
    Case("parse_url(url, 'HOST')", "regexp_extract(url, '^[^:]+://[^@]*@([^:/]*)', 1)"),
    Case("parse_url(url, 'QUERY', 'id')", "regexp_extract(url, '[?&]id=([^&]*)', 1)"),
    Case("url_decode(escaped)", "url_decode(escaped)"),
    Case("url_decode(s)", "url_decode(s)"),
    Case("url_decode(french)", "url_decode(cafe)"),
    Case("vector_inner_product(v, w)", "list_inner_product(v, w)"),
    Case("vector_l2_distance(v, w)", "list_distance(v, w)"),
    Case("vector_cosine_similarity(v, w)", "list_cosine_similarity(v, w)"),
    Case("vector_norm(v, 2.0f)", "list_distance(v, w)"),
    Case("vector_normalize(v, 2.0f)", "list_transform(v, lambda x: x / 2)"),
    Case("vector_sum(v)", _SUMS),
    Case("vector_avg(v)", _MEANS),
    Case("wa_vector_sum_merged({'v': v, 'n': id}, {'v': w, 'n': id})", "list_transform(v, lambda x: x / 2)", True),
    Case("wa_vector_avg_merged({'v': v, 'n': id}, {'v': w, 'n': id})", "list_transform(v, lambda x: x / 2)", True),
    Case("long * long", _PRODUCT),
    Case("middle * middle", _PRODUCT),
    Case("huge + huge", "CAST(big + big AS DECIMAL(38,9))"),
    Case("big + big", "CAST(big + big AS DECIMAL(38,9))"),
    Case("long / long", f"CAST(long / long AS {_TO})"),
    Case("wide / 3", "CAST(wide / 3 AS DECIMAL(34,8))"),
    Case("long div long", "CAST(long // long AS BIGINT)"),
    *(
        Case(f"wa_decimal_{how}{name}__{_HEX}(long, long, CAST(NULL AS {_TO}))", built_in, True)
        for name, built_in in _DECIMALS.items()
        for how in ("", "try_")
    ),
    Case("cast(spoken as interval)", "CAST(spoken AS INTERVAL)"),
    Case("cast(clock as interval day to second)", "CAST(spoken AS INTERVAL)"),
    Case("cast(months as interval year to month)", "CAST(spoken AS INTERVAL)"),
    Case("sentences(l)", "string_split_regex(l, '[ ,]+')"),
    Case("get_json_object(behind, '$.a')", "json_extract_string(json, '$.a')"),
    Case("json_tuple(twice, 'a')", "json_extract_string(json, '$.a')"),
    Case("get_json_object(json, '$.b[*][*]')", "json_extract(json, '$.b[*]')"),
    Case("to_json(struct(id, s), map('pretty', 'true'))", "to_json({'id': id, 's': s})"),
    Case("wa_json_standard(single, '{}')", "json(json)", True),
    Case("wa_json_marked(json)", "json(json)", True),
    Case("wa_json_record(json, json_valid(json))", "json(json)", True),
    Case("wa_json_record(twice, json_valid(twice))", "json(json)", True),
    Case("parse_json(json)", "json(json)"),
    Case("to_json(var)", "json(json)"),
    Case("variant_get(var, '$.a', 'int')", "CAST(json_extract(json, '$.a') AS INTEGER)"),
    Case("to_variant_object(struct(id, s))", "to_json({'id': id, 's': s})"),
    Case("to_variant_object(map(s, id))", "to_json(map([s], [id]))"),
    Case("to_variant_object(struct(id, var))", "to_json({'id': id, 'var': CAST(json AS JSON)})"),
    Case("is_valid_variant(var)", "json_valid(json)"),
    Case("schema_of_variant(var)", "json_structure(json)"),
    Case("schema_of_variant_agg(var)", "json_group_structure(json)"),
    Case("wa_variant_parts(var.variant)", "CAST(CAST(json AS JSON) AS MAP(VARCHAR, JSON))", True),
    Case("hll_sketch_agg(id)", "approx_count_distinct(id)"),
    Case("hll_union_agg(hll)", "approx_count_distinct(hll)"),
    Case("hll_union(hll, hll)", "md5(hll)"),
    Case("hll_sketch_estimate(hll)", "md5(hll)"),
    Case("wa_hll_merged(hll, hll)", "md5(hll)", True),
    Case("histogram_numeric(d, 10)", "approx_quantile(d, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])"),
)  # fmt: skip

SCHEMA = parse_schema(", ".join(f"{name} {kind}" for name, (kind, _) in _COLUMNS.items()))


def rows_of(kernel: Kernel, rows: int) -> pa.Table:
    """Rows of `SCHEMA`, the columns by their names."""
    values = ", ".join(f"{sql} AS {name}" for name, (_, sql) in _COLUMNS.items())
    return kernel.arrow(f"SELECT {values} FROM range({rows}) AS t(x)")


def compare(kernel: Kernel, bare: BareCalls, compiled: Callable[[str], str], rows: int, only: str) -> None:
    """Prints each case, then which functions stay within the limit. `t` and `named` have the rows, under c0, c1, …
    and under their names."""
    worst: dict[str, _Ratio] = {}
    for case in (case for case in CASES if only in case.ours):
        ours = f"SELECT {case.ours} AS c0 FROM named" if case.printed else compiled(f"SELECT {case.ours} AS v FROM t")
        called = _called(ours)
        seconds = _least(
            kernel,
            bare,
            f"SELECT first(c0) FROM ({ours})",
            f"SELECT first(v) FROM (SELECT {case.built_in} AS v FROM named)",
        )
        ratio = _Ratio(seconds[0] / seconds[1], seconds[2] / seconds[1])
        print(f"{ratio.whole:6.1f}x {'' if ratio.whole <= LIMIT else 'OVER':4} {_million(seconds[0], rows)}", end="")
        print(f" (call {_million(seconds[2], rows)}) {case.ours}", end="")
        print(f"   beside {_million(seconds[1], rows)} {case.built_in}")
        for name in called:
            worst[name] = max(worst.get(name, _Ratio(0, 0)), ratio)
    if not only and (missing := sorted(set(ARROW_FUNCTIONS) - set(worst))):
        print(f"no case calls {', '.join(missing)}: add one to CASES")
    over = sorted((name for name, ratio in worst.items() if ratio.whole > LIMIT), key=worst.__getitem__)
    print(f"{len(worst) - len(over)} of {len(worst)} functions within {LIMIT:.0f}x in all their cases; not:")
    for name in over:
        print(f"  {name}, worst {worst[name].whole:.1f}x, of which the call alone {worst[name].call:.1f}x")


def _called(sql: str) -> set[str]:
    """The vectorised functions that a statement calls, or a macro of its."""
    names = set(_OURS.findall(sql))
    for name in [name for name in names if name in _MACROS]:
        names |= _called(_MACROS[name].split(" AS ", 1)[1])
    return {name for name in names if name.startswith("wa_")}


def _million(seconds: float, rows: int) -> str:
    return f"{seconds * 1e9 / rows:7.1f} ms"


def _least(kernel: Kernel, bare: BareCalls, ours: str, built_in: str) -> list[float]:
    """The least processor time in seconds: of ours, of the built-in, of ours with nothing computed in its calls."""
    runs: tuple[Callable[[], object], ...] = (
        lambda: kernel.arrow(ours),
        lambda: kernel.arrow(built_in),
        lambda: bare.replay(lambda: kernel.arrow(ours)),
    )
    bare.record(runs[0])
    least = [float("inf")] * len(runs)
    for _ in range(_TURNS):
        for i, run in enumerate(runs):
            start = time.process_time()
            run()
            least[i] = min(least[i], time.process_time() - start)
    return least
