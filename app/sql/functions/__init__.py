"""`pyspark.sql.functions`: the functions of the catalogue, with PySpark's names and parameters."""

from __future__ import annotations

from typing import Any

# isort: off
# fmt: off
from app.sql.functions.aggregates import (
    any_value, approx_count_distinct, approx_percentile, array_agg, avg, bit_and, bit_or, bit_xor, bool_and,
    bool_or, collect_list, collect_set, corr, count_if, covar_pop, covar_samp, every, first_value, histogram_numeric,
    kurtosis, last_value, listagg, listagg_distinct, max, max_by, mean, median, min, min_by, mode, percentile,
    percentile_approx, product, regr_avgx, regr_avgy, regr_count, regr_intercept, regr_r2, regr_slope, regr_sxx,
    regr_sxy, regr_syy, skewness, some, std, stddev, stddev_pop, stddev_samp, string_agg, string_agg_distinct,
    sum, try_avg, try_sum, var_pop, var_samp, variance,
)
from app.sql.functions.bitmaps import (
    bitmap_and_agg, bitmap_bit_position, bitmap_bucket_number, bitmap_construct_agg, bitmap_count, bitmap_or_agg,
)
from app.sql.functions.building import (
    lit,
)
from app.sql.functions.chances import (
    monotonically_increasing_id, randstr, shuffle, uniform,
)
from app.sql.functions.collections import (
    array_append, array_compact, array_contains, array_distinct, array_except, array_insert, array_intersect,
    array_join, array_max, array_min, array_position, array_prepend, array_remove, array_repeat, array_size,
    array_union, arrays_overlap, arrays_zip, cardinality, element_at, explode, explode_outer, flatten, get,
    get_json_object, inline, inline_outer, json_array_length, json_object_keys, map_concat, map_contains_key,
    map_entries, map_from_arrays, map_from_entries, map_keys, map_values, posexplode, posexplode_outer,
    sequence, size, slice, sort_array, stack, try_element_at,
)
from app.sql.functions.columns import (
    array, asc, asc_nulls_first, asc_nulls_last, broadcast, call_function, col, column, create_map, desc,
    desc_nulls_first, desc_nulls_last, expr, struct, when,
)
from app.sql.functions.clocks import (
    current_time, make_interval, make_time, time_bucket, time_diff, time_from_micros, time_from_millis,
    time_from_seconds, time_to_micros, time_to_millis, time_to_seconds, time_trunc, to_time,
    try_make_interval, try_to_time,
)
from app.sql.functions.conditions import (
    assert_true, coalesce, equal_null, ifnull, isnotnull, isnull, named_struct, nullif, nullifzero, nvl, nvl2,
    raise_error, typeof, uuid, zeroifnull,
)
from app.sql.functions.counts import (
    approxCountDistinct, count, countDistinct, count_distinct, first, last, sumDistinct, sum_distinct,
)
from app.sql.functions.dates import (
    add_months, curdate, current_date, current_timestamp, current_timezone, date_add, date_diff, date_format,
    date_from_unix_date, date_part, date_sub, date_trunc, dateadd, datediff, datepart, day, dayname,
    dayofmonth, dayofweek, dayofyear, extract, from_unixtime, from_utc_timestamp, hour, last_day,
    localtimestamp, make_date, minute, month, monthname, months_between, next_day, now, quarter, second,
    timestamp_micros, timestamp_millis, timestamp_seconds, to_date, to_timestamp, to_unix_timestamp,
    to_utc_timestamp, trunc, try_to_date, try_to_timestamp, unix_date, unix_micros, unix_millis, unix_seconds,
    unix_timestamp, weekday, weekofyear, year,
)
from app.sql.functions.digits import (
    bit_get, conv, crc32, format_number, getbit, randn, shiftrightunsigned, width_bucket,
)
from app.sql.functions.encodings import (
    is_valid_utf8, make_valid_utf8, parse_url, to_binary, to_char, to_number, to_varchar, try_parse_url,
    try_to_binary, try_to_number, try_url_decode, try_validate_utf8, url_decode, validate_utf8,
)
from app.sql.functions.formats import (
    from_csv, from_json, json_tuple, schema_of_csv, schema_of_json, str_to_map, to_csv, to_json,
)
from app.sql.functions.hashes import (
    hash, xxhash64,
)
from app.sql.functions.lambdas import (
    aggregate, array_sort, exists, filter, forall, map_filter, map_zip_with, reduce, transform,
    transform_keys, transform_values, zip_with,
)
from app.sql.functions.mathematics import (
    abs, acos, acosh, asin, asinh, atan, atan2, atanh, bin, bit_count, bitwise_not, bround, cbrt, ceil,
    ceiling, cos, cosh, cot, csc, degrees, e, exp, expm1, factorial, floor, greatest, hex, hypot, isnan,
    least, ln, log, log10, log1p, log2, nanvl, negate, negative, pi, pmod, positive, pow, power, radians,
    rand, random, rint, round, sec, shiftleft, shiftright, sign, signum, sin, sinh, sqrt, tan, tanh, try_add,
    try_divide, try_mod, try_multiply, try_subtract, unhex,
)
from app.sql.functions.moments import (
    convert_timezone, make_dt_interval, make_timestamp, make_timestamp_ltz, make_timestamp_ntz,
    make_ym_interval, timestamp_add, timestamp_diff, to_timestamp_ltz, to_timestamp_ntz, try_make_timestamp,
    try_make_timestamp_ltz, try_make_timestamp_ntz,
)
from app.sql.functions.refused import (
    pandas_udf, udf,
)
from app.sql.functions.session import (
    current_catalog, current_database, current_path, current_schema, current_user, input_file_block_length,
    input_file_block_start, input_file_name, session_user, spark_partition_id, user, version,
)
from app.sql.functions.sketches import (
    hll_sketch_agg, hll_sketch_estimate, hll_union, hll_union_agg,
)
from app.sql.functions.strings import (
    ascii, base64, bit_length, btrim, char, char_length, character_length, chr, concat, concat_ws, contains,
    decode, encode, endswith, find_in_set, format_string, ilike, initcap, instr, lcase, left, length,
    levenshtein, like, locate, lower, lpad, ltrim, md5, octet_length, overlay, position, printf, regexp,
    regexp_count, regexp_extract, regexp_extract_all, regexp_like, regexp_replace, regexp_substr, repeat,
    replace, reverse, right, rlike, rpad, rtrim, sha, sha1, sha2, split, split_part, startswith, substr,
    substring, substring_index, translate, trim, ucase, unbase64, upper, url_encode,
)
from app.sql.functions.texts import (
    collate, collation, elt, mask, quote, regexp_instr, sentences, soundex,
)
from app.sql.functions.times import (
    session_window, window, window_time,
)
from app.sql.functions.variants import (
    is_valid_variant, is_variant_null, parse_json, schema_of_variant, schema_of_variant_agg, to_variant_object,
    try_parse_json, try_variant_get, variant_get,
)
from app.sql.functions.windows import (
    cume_dist, dense_rank, grouping, grouping_id, lag, lead, nth_value, ntile, percent_rank, rank, row_number,
)
from app.sql.functions.unknown import missing

__all__ = [
    "abs", "acos", "acosh", "add_months", "aggregate", "any_value", "approxCountDistinct",
    "approx_count_distinct", "approx_percentile", "array", "array_agg", "array_append", "array_compact",
    "array_contains", "array_distinct", "array_except", "array_insert", "array_intersect", "array_join",
    "array_max", "array_min", "array_position", "array_prepend", "array_remove", "array_repeat", "array_size",
    "array_sort", "array_union", "arrays_overlap", "arrays_zip", "asc", "asc_nulls_first", "asc_nulls_last",
    "ascii", "asin", "asinh", "assert_true", "atan", "atan2", "atanh", "avg", "base64", "bin", "bit_and",
    "bit_count", "bit_get", "bit_length", "bit_or", "bit_xor", "bitmap_and_agg", "bitmap_bit_position",
    "bitmap_bucket_number", "bitmap_construct_agg", "bitmap_count", "bitmap_or_agg", "bitwise_not", "bool_and",
    "bool_or", "broadcast", "bround", "btrim", "call_function", "cardinality", "cbrt", "ceil", "ceiling",
    "char", "char_length", "character_length", "chr", "coalesce", "col", "collate", "collation", "collect_list",
    "collect_set", "column", "concat", "concat_ws", "contains", "conv", "convert_timezone", "corr", "cos",
    "cosh", "cot", "count", "countDistinct", "count_distinct", "count_if", "covar_pop", "covar_samp", "crc32",
    "create_map", "csc", "cume_dist", "curdate", "current_catalog", "current_database", "current_date",
    "current_path", "current_schema", "current_time", "current_timestamp", "current_timezone", "current_user",
    "date_add", "date_diff", "date_format", "date_from_unix_date", "date_part", "date_sub", "date_trunc",
    "dateadd", "datediff", "datepart", "day", "dayname", "dayofmonth", "dayofweek", "dayofyear", "decode",
    "degrees", "dense_rank", "desc", "desc_nulls_first", "desc_nulls_last", "e", "element_at", "elt", "encode",
    "endswith", "equal_null", "every", "exists", "exp", "explode", "explode_outer", "expm1", "expr", "extract",
    "factorial", "filter", "find_in_set", "first", "first_value", "flatten", "floor", "forall", "format_number",
    "format_string", "from_csv", "from_json", "from_unixtime", "from_utc_timestamp", "get", "get_json_object",
    "getbit", "greatest", "grouping", "grouping_id", "hash", "hex", "histogram_numeric", "hll_sketch_agg",
    "hll_sketch_estimate", "hll_union", "hll_union_agg", "hour", "hypot", "ifnull", "ilike", "initcap",
    "inline", "inline_outer", "input_file_block_length", "input_file_block_start", "input_file_name", "instr",
    "is_valid_utf8", "is_valid_variant", "is_variant_null", "isnan", "isnotnull", "isnull", "json_array_length",
    "json_object_keys", "json_tuple", "kurtosis", "lag", "last", "last_day", "last_value", "lcase", "lead",
    "least", "left", "length", "levenshtein", "like", "listagg", "listagg_distinct", "lit", "ln",
    "localtimestamp", "locate", "log", "log10", "log1p", "log2", "lower", "lpad", "ltrim", "make_date",
    "make_dt_interval", "make_interval", "make_time", "make_timestamp", "make_timestamp_ltz",
    "make_timestamp_ntz", "make_valid_utf8", "make_ym_interval", "map_concat", "map_contains_key",
    "map_entries", "map_filter", "map_from_arrays", "map_from_entries", "map_keys", "map_values",
    "map_zip_with", "mask", "max", "max_by", "md5", "mean", "median", "min", "min_by", "minute", "mode",
    "monotonically_increasing_id", "month", "monthname", "months_between", "named_struct", "nanvl", "negate",
    "negative", "next_day", "now", "nth_value", "ntile", "nullif", "nullifzero", "nvl", "nvl2", "octet_length",
    "overlay", "pandas_udf", "parse_json", "parse_url", "percent_rank", "percentile", "percentile_approx", "pi",
    "pmod", "posexplode", "posexplode_outer", "position", "positive", "pow", "power", "printf", "product",
    "quarter", "quote", "radians", "raise_error", "rand", "randn", "random", "randstr", "rank", "reduce",
    "regexp", "regexp_count", "regexp_extract", "regexp_extract_all", "regexp_instr", "regexp_like",
    "regexp_replace", "regexp_substr", "regr_avgx", "regr_avgy", "regr_count", "regr_intercept", "regr_r2",
    "regr_slope", "regr_sxx", "regr_sxy", "regr_syy", "repeat", "replace", "reverse", "right", "rint", "rlike",
    "round", "row_number", "rpad", "rtrim", "schema_of_csv", "schema_of_json", "schema_of_variant",
    "schema_of_variant_agg", "sec", "second", "sentences", "sequence", "session_user", "session_window", "sha",
    "sha1", "sha2", "shiftleft", "shiftright", "shiftrightunsigned", "shuffle", "sign", "signum", "sin", "sinh",
    "size", "skewness", "slice", "some", "sort_array", "soundex", "spark_partition_id", "split", "split_part",
    "sqrt", "stack", "startswith", "std", "stddev", "stddev_pop", "stddev_samp", "str_to_map", "string_agg",
    "string_agg_distinct", "struct", "substr", "substring", "substring_index", "sum", "sumDistinct",
    "sum_distinct", "tan", "tanh", "time_bucket", "time_diff", "time_from_micros", "time_from_millis",
    "time_from_seconds", "time_to_micros", "time_to_millis", "time_to_seconds", "time_trunc", "timestamp_add",
    "timestamp_diff", "timestamp_micros", "timestamp_millis", "timestamp_seconds", "to_binary", "to_char",
    "to_csv", "to_date", "to_json", "to_number", "to_time", "to_timestamp", "to_timestamp_ltz",
    "to_timestamp_ntz", "to_unix_timestamp", "to_utc_timestamp", "to_varchar", "to_variant_object", "transform",
    "transform_keys", "transform_values", "translate", "trim", "trunc", "try_add", "try_avg", "try_divide",
    "try_element_at", "try_make_interval", "try_make_timestamp", "try_make_timestamp_ltz",
    "try_make_timestamp_ntz", "try_mod", "try_multiply", "try_parse_json", "try_parse_url", "try_subtract",
    "try_sum", "try_to_binary", "try_to_date", "try_to_number", "try_to_time", "try_to_timestamp",
    "try_url_decode", "try_validate_utf8", "try_variant_get", "typeof", "ucase", "udf", "unbase64", "unhex",
    "uniform", "unix_date", "unix_micros", "unix_millis", "unix_seconds", "unix_timestamp", "upper",
    "url_decode", "url_encode", "user", "uuid", "validate_utf8", "var_pop", "var_samp", "variance",
    "variant_get", "version", "weekday", "weekofyear", "when", "width_bucket", "window", "window_time",
    "xxhash64", "year", "zeroifnull", "zip_with",
]
# fmt: on
# isort: on


def __getattr__(name: str) -> Any:
    raise missing(name, __all__)
