"""`pyspark.sql.functions`: the functions of the catalogue, with PySpark's names and parameters."""

from __future__ import annotations

from typing import Any

# isort: off
# fmt: off
from app.sql.functions.aggregates import (
    any_value, approx_count_distinct, approx_percentile, array_agg, avg, bit_and, bit_or, bit_xor, bool_and,
    bool_or, collect_list, collect_set, corr, count_if, covar_pop, covar_samp, every, first_value, last_value,
    listagg, max, max_by, mean, median, min, min_by, mode, percentile, percentile_approx, product, regr_intercept,
    regr_slope, some, std, stddev, stddev_pop, stddev_samp, string_agg, sum, try_avg, try_sum, var_pop, var_samp,
    variance,
)
from app.sql.functions.building import (
    lit,
)
from app.sql.functions.collections import (
    explode, explode_outer, inline, inline_outer, posexplode, posexplode_outer,
)
from app.sql.functions.columns import (
    array, asc, asc_nulls_first, asc_nulls_last, broadcast, call_function, col, column, create_map, desc,
    desc_nulls_first, desc_nulls_last, expr, struct, when,
)
from app.sql.functions.conditions import (
    assert_true, coalesce, equal_null, ifnull, isnotnull, isnull, nullif, nullifzero, nvl, nvl2, raise_error,
    typeof, uuid, zeroifnull,
)
from app.sql.functions.counts import (
    approxCountDistinct, count, countDistinct, count_distinct, first, last, sumDistinct, sum_distinct,
)
from app.sql.functions.mathematics import (
    abs, acos, asin, atan, atan2, bin, bitwise_not, bround, cbrt, ceil, ceiling, cos, cosh, cot, csc, degrees, e,
    exp, expm1, factorial, floor, greatest, hex, hypot, isnan, least, ln, log, log10, log1p, log2, nanvl, negate,
    negative, pi, pmod, positive, pow, power, radians, rand, random, rint, round, sec, sign, signum, sin, sinh,
    sqrt, tan, tanh, try_add, try_divide, try_mod, try_multiply, try_subtract, unhex,
)
from app.sql.functions.refused import (
    pandas_udf, udf,
)
from app.sql.functions.strings import (
    ascii, base64, bit_length, btrim, char, char_length, character_length, chr, concat, concat_ws, contains, decode,
    encode, endswith, find_in_set, ilike, initcap, instr, lcase, left, length, levenshtein, like, locate, lower,
    lpad, ltrim, md5, octet_length, overlay, position, regexp, regexp_count, regexp_extract, regexp_extract_all,
    regexp_like, regexp_replace, regexp_substr, repeat, replace, right, rlike, rpad, rtrim, sha, sha1, sha2, split,
    split_part, startswith, substr, substring, substring_index, translate, trim, ucase, unbase64, upper, url_encode,
)
from app.sql.functions.windows import (
    session_window, window, window_time,
)
from app.sql.functions.unknown import missing

__all__ = [
    "abs", "acos", "any_value", "approxCountDistinct", "approx_count_distinct", "approx_percentile", "array",
    "array_agg", "asc", "asc_nulls_first", "asc_nulls_last", "ascii", "asin", "assert_true", "atan", "atan2", "avg",
    "base64", "bin", "bit_and", "bit_length", "bit_or", "bit_xor", "bitwise_not", "bool_and", "bool_or", "broadcast",
    "bround", "btrim", "call_function", "cbrt", "ceil", "ceiling", "char", "char_length", "character_length", "chr",
    "coalesce", "col", "collect_list", "collect_set", "column", "concat", "concat_ws", "contains", "corr", "cos",
    "cosh", "cot", "count", "countDistinct", "count_distinct", "count_if", "covar_pop", "covar_samp", "create_map",
    "csc", "decode", "degrees", "desc", "desc_nulls_first", "desc_nulls_last", "e", "encode", "endswith",
    "equal_null", "every", "exp", "explode", "explode_outer", "expm1", "expr", "factorial", "find_in_set", "first",
    "first_value", "floor", "greatest", "hex", "hypot", "ifnull", "ilike", "initcap", "inline", "inline_outer",
    "instr", "isnan", "isnotnull", "isnull", "last", "last_value", "lcase", "least", "left", "length", "levenshtein",
    "like", "listagg", "lit", "ln", "locate", "log", "log10", "log1p", "log2", "lower", "lpad", "ltrim", "max",
    "max_by", "md5", "mean", "median", "min", "min_by", "mode", "nanvl", "negate", "negative", "nullif",
    "nullifzero", "nvl", "nvl2", "octet_length", "overlay", "pandas_udf", "percentile", "percentile_approx", "pi",
    "pmod", "posexplode", "posexplode_outer", "position", "positive", "pow", "power", "product", "radians",
    "raise_error", "rand", "random", "regexp", "regexp_count", "regexp_extract", "regexp_extract_all", "regexp_like",
    "regexp_replace", "regexp_substr", "regr_intercept", "regr_slope", "repeat", "replace", "right", "rint", "rlike",
    "round", "rpad", "rtrim", "sec", "session_window", "sha", "sha1", "sha2", "sign", "signum", "sin", "sinh",
    "some", "split", "split_part", "sqrt", "startswith", "std", "stddev", "stddev_pop", "stddev_samp", "string_agg",
    "struct", "substr", "substring", "substring_index", "sum", "sumDistinct", "sum_distinct", "tan", "tanh",
    "translate", "trim", "try_add", "try_avg", "try_divide", "try_mod", "try_multiply", "try_subtract", "try_sum",
    "typeof", "ucase", "udf", "unbase64", "unhex", "upper", "url_encode", "uuid", "var_pop", "var_samp", "variance",
    "when", "window", "window_time", "zeroifnull",
]
# fmt: on
# isort: on


def __getattr__(name: str) -> Any:
    raise missing(name, __all__)
