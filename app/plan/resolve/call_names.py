"""How Spark names the calls of single functions: arguments filled in and left out, other names, other shapes."""

from __future__ import annotations

DEFAULTS: dict[tuple[str, int], str] = {
    ("round", 1): "0",
    ("bround", 1): "0",
    ("substring", 2): "2147483647",
    ("substr", 2): "2147483647",
    ("position", 2): "1",
    ("locate", 2): "1",
    ("split", 2): "-1",
    ("lpad", 2): " ",
    ("rpad", 2): " ",
    ("regexp_extract", 2): "1",
    ("regexp_extract_all", 2): "1",
    ("regexp_replace", 3): "1",
    ("sort_array", 1): "true",
    ("overlay", 3): "-1",
    ("percentile", 2): "1",
    ("hll_sketch_agg", 1): "12",
    ("hll_union_agg", 1): "false",
    ("hll_union", 2): "false",
    ("approx_top_k", 1): "5",
    ("approx_top_k", 2): "10000",
    ("approx_percentile", 2): "10000",
    ("percentile_approx", 2): "10000",
    ("listagg", 1): "NULL",
    ("string_agg", 1): "NULL",
    ("aggregate", 3): "lambdafunction(namedlambdavariable(), namedlambdavariable())",
    ("reduce", 3): "lambdafunction(namedlambdavariable(), namedlambdavariable())",
    ("ntile", 0): "1",
    ("str_to_map", 1): ",",
    ("str_to_map", 2): ":",
    ("months_between", 2): "true",
    ("unix_timestamp", 1): "yyyy-MM-dd HH:mm:ss",
    ("to_unix_timestamp", 1): "yyyy-MM-dd HH:mm:ss",
    ("vector_norm", 1): "2.0",
    ("vector_normalize", 1): "2.0",
    ("from_unixtime", 1): "yyyy-MM-dd HH:mm:ss",
    ("unix_timestamp", 0): "current_timestamp()",
    ("mask", 1): "X",
    ("mask", 2): "x",
    ("mask", 3): "n",
    ("mask", 4): "NULL",
    ("replace", 2): "",
    ("regexp_instr", 2): "0",
    ("sentences", 1): "",
    ("sentences", 2): "",
    ("current_time", 0): "6",
    **{(name, n): "0" for name in ("make_interval", "try_make_interval") for n in range(6)},
    ("make_interval", 6): "0.000000",
    ("try_make_interval", 6): "0.000000",
    ("make_dt_interval", 0): "0",
    ("make_dt_interval", 1): "0",
    ("make_dt_interval", 2): "0",
    ("make_dt_interval", 3): "0.000000",
    ("make_ym_interval", 0): "0",
    ("make_ym_interval", 1): "0",
}
"""Arguments that Spark fills in before it names a call, by function and number of arguments."""
_ONE_TEXT = (
    "first first_value last last_value any_value from_json likeany likeall notlikeany notlikeall ilikeany ilikeall"
    " from_csv to_csv to_json schema_of_csv schema_of_json "
    "approx_count_distinct notilikeany notilikeall shuffle"
)
SHOWN: dict[str, int] = {
    **dict.fromkeys(_ONE_TEXT.split(), 1),
    **dict.fromkeys(("variant_get", "try_variant_get", "ilike"), 2),
    **dict.fromkeys(("rank", "dense_rank", "percent_rank"), 0),
    "try_make_timestamp": 6,
}
"""How many arguments are part of the name, where it is not all."""
RENAMED = {
    "array_agg": "collect_list",
    "dateadd": "date_add",
    "curdate": "current_date",
    "current_database": "current_schema",
    "random": "rand",
    "to_varchar": "to_char",
}
OVER_WINDOWS = {"first_value": "first", "last_value": "last"}
"""Other names where they stand over a window with IGNORE NULLS."""
_ITEM = "namedlambdavariable()"
_LESS = f"(IF(({_ITEM} < {_ITEM}), -1, (IF(({_ITEM} > {_ITEM}), 1, 0))))"
_NULL = f"({_ITEM} IS NULL)"
_ORDER = f"(IF(({_NULL} AND {_NULL}), 0, (IF({_NULL}, 1, (IF({_NULL}, -1, {_LESS}))))))"
SHAPES: dict[tuple[str, int], str] = {
    ("array_sort", 1): f"array_sort({{0}}, lambdafunction({_ORDER}, namedlambdavariable(), namedlambdavariable()))",
    ("assert_true", 1): "assert_true({0}, '{0}' is not true!)",
    ("convert_timezone", 2): "convert_timezone(current_timezone(), {0}, {1})",
    ("raise_error", 1): "raise_error(USER_RAISED_EXCEPTION, map(errorMessage, {0}))",
    ("try_make_timestamp_ntz", 2): "try_make_timestamp_ntz(make_timestamp_ntz({0}, {1}))",
    ("spark_partition_id", 0): "SPARK_PARTITION_ID()",
    **{
        (f"{safe}make_timestamp_ltz", n): f"make_timestamp({', '.join(f'{{{i}}}' for i in range(n))})"
        for safe in ("", "try_")
        for n in (2, 3)
    },
}
"""The names of calls that are not shown as such, by function and number of arguments."""
