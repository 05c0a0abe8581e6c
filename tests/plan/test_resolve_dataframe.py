"""What only DataFrame calls can say: columns of a certain DataFrame, replaced columns, unions by name."""

from __future__ import annotations

import pytest

from app.errors import PlanError
from app.plan import nodes as n
from app.plan.expressions import Cast, SortKey, Star
from app.plan.functions.entry import Binding
from app.plan.resolve import resolve, resolve_expression
from app.plan.types import IntegerType, StringType
from tests.plan.build import call, col, columns, group, lit, named, select, sort, table

T = table("k STRING, v INT, d DOUBLE, a ARRAY<INT>, m MAP<STRING,INT>, n BIGINT NOT NULL, ts TIMESTAMP")
U = table("k STRING, w INT")
KV = select(T, "k", "v")
KD = select(T, "k", "d")
JOINED = n.Join(KV, U, "inner", call("==", col("k", KV), col("k", U)))
BIGGER = n.Filter(KV, call(">", "v", 1))
COUNTED = group(KV, ["k"], named(call("count", Star()), "c"))
RENAMED = n.Rename(KV, (("v", "w"),))
STRUCT = select(T, named(call("struct", "k", "v"), "s"))


def using(how: str) -> n.Join:
    return n.Join(KV, U, how, using=("k",))


ACCEPTED = {
    "filter by a column that was not selected": (n.Filter(select(T, "k"), call(">", "v", 1)), "k string"),
    "the same by the DataFrame's column": (n.Filter(select(T, "k"), call(">", col("v", T), 1)), "k string"),
    "sort through a filter": (sort(n.Filter(select(T, "k"), call("==", "k", lit("a"))), "v"), "k string"),
    "sort through two projections": (sort(select(KV, "k"), "d"), "k string"),
    "sort through sort and limit": (sort(n.Limit(sort(select(T, "k"), "v"), 3), "d"), "k string"),
    "a renamed column under its old name": (
        n.Filter(RENAMED, call(">", col("v", KV), 1)),
        "k string, w int",
    ),
    "names as the query writes them": (select(T, "K", col("V", T)), "K string, v int"),
    "through withColumn": (
        select(n.WithColumns(KV, (("z", call("+", "v", 1)),)), col("v", KV), "z"),
        "v int, z int",
    ),
    "both sides of a join": (select(JOINED, col("k", KV), col("k", U), "w"), "k string, k string, w int"),
    "drop one of two of a name": (n.Drop(JOINED, (col("k", U),)), "k string, v int, w int"),
    "drop both of a name": (n.Drop(JOINED, (col("k"),)), "v int, w int"),
    "drop what is not there": (n.Drop(KV, (col("zz"), col("V"), col("w", U))), "k string"),
    "drop by expression of another": (n.Drop(KV, (lit(1),)), "k string, v int"),
    "rename what is not there": (n.Rename(KV, (("zz", "y"), ("V", "w"))), "k string, w int"),
    "using: the other side's key": (select(using("inner"), col("k", KV), col("k", U)), "k string, k string"),
    "right join using": (select(using("right"), "k", col("k", KV), "v"), "k string, k string, v int"),
    "full join using": (using("full"), "k string, v int, w int"),
    "hidden keys of a join do not come out": (
        n.Filter(using("left"), call(">", col("k", U), lit("a"))),
        "k string, v int, w int",
    ),
    "hidden keys do not count in a union": (n.Union(using("left"), using("left")), "k string, v int, w int"),
    "a join of a join using": (n.Join(using("left"), U, "inner", using=("k",)), "k string, v int, w int, w int"),
    "semi join": (n.Join(KV, U, "semi", using=("k",)), "k string, v int"),
    "a self-join on one name": (
        n.Join(KV, KV, "inner", call("==", col("k", KV), col("k", KV))),
        "k string, v int, k string, v int",
    ),
    "a self-join with what was made of it": (
        select(n.Join(KV, COUNTED, "inner", call("==", col("k", COUNTED), col("k", KV))), col("v", KV), "c"),
        "v int, c bigint not null",
    ),
    "a self-join by aliases": (
        select(
            n.Join(n.Named(KV, "x"), n.Named(KV, "y"), "left", call("==", "x.k", "y.k")), "x.v", "y.v", Star(("y",))
        ),
        "v int, v int, k string, v int",
    ),
    "a union keeps the columns of its left side": (
        n.Filter(n.Union(select(KV, "k"), select(U, "k")), call("==", col("k", KV), lit("a"))),
        "k string",
    ),
    "withColumns uses what it has just named": (
        n.WithColumns(select(T, "v"), (("x", call("+", "v", 1)), ("y", call("+", "x", 1)))),
        "v int, x int, y int",
    ),
    "withColumns sees the old value": (
        n.WithColumns(select(T, "v"), (("V", Cast(col("v"), StringType())), ("y", call("+", "v", 1)))),
        "V string, y int",
    ),
    "withColumn replaces by a generator": (
        n.WithColumns(select(T, "k", "a"), (("a", call("explode", "a")),)),
        "k string, a int",
    ),
    "group by an alias": (
        group(T, [named(call("%", "v", 2), "odd")], call("sum", "v"), named(call("max", "d"), "m")),
        "odd int, sum(v) bigint, m double",
    ),
    "filter by an aggregate of what was grouped": (
        n.Filter(group(T, ["k"], named(call("sum", "v"), "s")), call(">", call("max", "d"), lit(1.0))),
        "k string, s bigint",
    ),
    "sort by an aggregate": (
        sort(group(T, ["k"], named(call("count", Star()), "count")), SortKey(call("max", "v"), False)),
        "k string, count bigint not null",
    ),
    "group by a constant": (group(T, [lit("x")], call("count", Star())), "x string not null, count(1) bigint not null"),
    "no keys, no aggregates": (n.Aggregate(T, (), (lit(1),)), "1 int not null"),
    "aggregates in a select": (select(T, call("sum", "v"), lit(1)), "sum(v) bigint, 1 int not null"),
    "distinct": (n.Deduplicate(KV, None), "k string, v int"),
    "distinct as SQL writes it": (n.Aggregate(KV, (Star(),), (Star(),)), "k string, v int"),
    "drop duplicates": (n.Deduplicate(T, ("K", "v")), columns(T)),
    "union by name": (n.Union(KV, select(T, "V", "k"), True), "k string, v int"),
    "union by name with gaps": (n.Union(KV, U, True, True), "k string, v int, w int"),
    "union widens": (n.Union(select(T, "v", "n"), select(T, "n", "v")), "v bigint, n bigint"),
    "explode a map": (select(T, named(call("explode", "m"), "a", "b")), "a string not null, b int"),
    "explode twice": (select(T, call("explode", "a"), named(call("explode", "a"), "b")), "col int, b int"),
    "explode what was collected": (
        select(T, call("explode", call("collect_list", "v")), call("count", Star())),
        "col int not null, count(1) bigint not null",
    ),
    "use what was exploded": (
        select(T, named(call("explode", "a"), "i"), named(call("+", "i", 1), "j")),
        "i int, j int",
    ),
    "the fields of a struct": (select(STRUCT, Star(("s",))), "k string, v int"),
    "field names": (
        select(STRUCT, call("getitem", "s", lit("k")), "s.v", Cast(col("s.v"), StringType())),
        "s.k string, v int, CAST(s.v AS STRING) string",
    ),
    "one DataFrame's star": (select(JOINED, Star((), U)), "k string, w int"),
    "the same column twice is no ambiguity": (select(select(T, "k", "k"), "k"), "k string"),
    "a qualifier goes through select": (
        sort(n.Filter(select(n.Named(T, "x"), "x.k"), call("==", "x.k", lit("a"))), "x.v"),
        "k string",
    ),
    "casts keep a column's name": (
        select(T, Cast(col("v"), StringType()), Cast(call("+", "v", 1), StringType())),
        "v string, CAST((v + 1) AS STRING) string",
    ),
    "a watermark": (n.Watermark(T, "ts", 1), columns(T)),
    "range": (n.Range(0, 3), "id bigint not null"),
}


@pytest.mark.parametrize("what", ACCEPTED)
def test_a_dataframe_has_the_schema_of_spark(what):
    node, expected = ACCEPTED[what]
    assert columns(node) == expected


REFUSED = {
    "a name far off": (
        select(KV, "zzz"),
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "`zzz` cannot be resolved. Did you mean one of the following? [`k`, `v`]",
    ),
    "near names first": (
        select(table("amount INT, account INT, amounts INT"), "amout"),
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "[`amount`, `amounts`, `account`]",
    ),
    "at most five": (select(T, "x"), "UNRESOLVED_COLUMN.WITH_SUGGESTION", "[`a`, `d`, `k`, `m`, `n`]"),
    "qualified": (select(n.Named(KV, "x"), "x.w"), "UNRESOLVED_COLUMN.WITH_SUGGESTION", "[`x`.`k`, `x`.`v`]"),
    "no columns": (select(n.OneRow(), "x"), "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", "no columns"),
    "an ambiguous name": (select(JOINED, "k"), "AMBIGUOUS_REFERENCE", "could be: [`k`, `k`]"),
    "two results of a name": (select(select(T, "k", named("v", "k")), "k"), "AMBIGUOUS_REFERENCE", "rename"),
    "a column of another DataFrame": (
        select(KV, col("w", U)),
        "MISSING_ATTRIBUTES.RESOLVED_ATTRIBUTE_MISSING_FROM_INPUT",
        "join the other one",
    ),
    "a column that was replaced": (
        select(n.WithColumns(KV, (("v", call("+", "v", 1)),)), col("v", KV)),
        "MISSING_ATTRIBUTES.RESOLVED_ATTRIBUTE_APPEAR_IN_OPERATION",
        "col('name')",
    ),
    "a column of both sides": (
        select(n.Join(KV, BIGGER, "inner", call("==", col("k", KV), col("k", KV))), col("v", KV)),
        "AMBIGUOUS_COLUMN_REFERENCE",
        "alias",
    ),
    "hidden behind a distinct": (sort(n.Deduplicate(select(T, "k")), "v"), "UNRESOLVED_COLUMN.WITH_SUGGESTION", "`k`"),
    "hidden behind an alias": (
        n.Filter(n.Named(select(T, "k"), "x"), call(">", "v", 1)),
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "`k`",
    ),
    "a lost qualifier": (
        select(select(n.Named(T, "x"), named(call("+", "x.v", 1), "z")), "x.z"),
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "[`z`]",
    ),
    "an aggregate beside columns": (n.WithColumns(KV, (("x", call("sum", "v")),)), "MISSING_GROUP_BY", "GROUP BY"),
    "a column that is not grouped": (group(T, ["k"], "v"), "MISSING_AGGREGATION", "any_value(v)"),
    "aggregates in where": (n.Filter(KV, call(">", call("sum", "v"), 1)), "INVALID_WHERE_CONDITION", "(sum(v) > 1)"),
    "an aggregate of an aggregate": (
        select(T, call("sum", call("max", "v"))),
        "NESTED_AGGREGATE_FUNCTION",
        "sub-query",
    ),
    "a generator inside": (
        select(T, call("+", call("explode", "a"), 1)),
        "UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS",
        "explode(a)",
    ),
    "a generator in where": (
        n.Filter(T, call(">", call("explode", "a"), 1)),
        "UNSUPPORTED_GENERATOR.OUTSIDE_SELECT",
        "explode(a)",
    ),
    "too few names": (select(T, named(call("explode", "m"), "a")), "UDTF_ALIAS_NUMBER_MISMATCH", "expected 2 aliases"),
    "too many names": (select(T, named("v", "a", "b")), "MULTI_ALIAS_WITHOUT_GENERATOR", "a, b"),
    "where without truth": (n.Filter(T, col("v")), "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", '"v" of type "INT"'),
    "drop duplicates of nothing": (
        n.Deduplicate(KV, ("kk",)),
        "UNRESOLVED_COLUMN_AMONG_FIELD_NAMES",
        '"kk" among (k, v). Did you mean',
    ),
    "distinct maps": (n.Deduplicate(T), "UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE", "`m`"),
    "union of other widths": (n.Union(T, U), "NUM_COLUMNS_MISMATCH", "7 columns and the second input has 2"),
    "union of other types": (
        n.Union(KV, select(T, "k", "a")),
        "INCOMPATIBLE_COLUMN_TYPE",
        'The second column of the second table is "ARRAY<INT>"',
    ),
    "union by a name that lacks": (n.Union(KV, U, True), "UNRESOLVED_COLUMN_AMONG_FIELD_NAMES", '"v" among (k, w)'),
    "union by repeated names": (n.Union(select(T, "k", "k"), U, True), "COLUMN_ALREADY_EXISTS", "`k`"),
    "using what lacks": (
        n.Join(KV, U, "inner", using=("v",)),
        "UNRESOLVED_USING_COLUMN_FOR_JOIN",
        "right side of the join. The right-side columns: [`k`, `w`]",
    ),
    "joined without truth": (n.Join(KV, U, "inner", col("v")), "JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE", '"v"'),
    "sorted maps": (sort(T, "m"), "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE", "maps have no order"),
    "less than no rows": (n.Limit(T, -1), "INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE", "-1"),
    "position beyond": (sort(KV, 3), "ORDER_BY_POS_OUT_OF_RANGE", "[1, 2]"),
    "event time that is none": (n.Watermark(T, "v", 1), "EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE", '"INT"'),
    "event time that lacks": (n.Watermark(KV, "ts", 1), "UNRESOLVED_COLUMN.WITH_SUGGESTION", "`k`"),
    "a star alone": (select(T, call("+", Star(), 1)), None, ""),
    "sort keys in a select": (select(T, SortKey(col("v"))), "INVALID_SORT_KEY", "orderBy"),
    "casts that do not exist": (
        select(T, Cast(col("a"), IntegerType())),
        "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
        'cannot cast "ARRAY<INT>" to "INT"',
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused_names_the_place_and_the_near_names(what):
    node, code, says = REFUSED[what]
    with pytest.raises(PlanError) as caught:
        resolve(node)
    assert code in (None, caught.value.code)
    assert says in str(caught.value)


def test_names_can_be_told_apart_by_case():
    both = table("a INT, A STRING")
    with pytest.raises(PlanError, match="AMBIGUOUS_REFERENCE"):
        resolve(select(both, "a"))
    strict = Binding(conf={"spark.sql.caseSensitive": "true"})
    assert resolve(select(both, "A"), strict).schema.fields[0].dataType == StringType()


def test_a_single_expression_is_typed_over_a_schema():
    typed = resolve_expression(call("+", "v", 1), T.schema)
    assert (typed.type, typed.nullable) == (IntegerType(), True)


def test_a_deep_chain_is_refused_not_crashed():
    node: n.Node = KV
    for _ in range(5_000):
        node = n.Filter(node, call(">", "v", 1))
    with pytest.raises(PlanError, match="nested too deeply"):
        resolve(node)


def test_a_chain_of_calls_grows_the_plan_by_one_step_each():
    node: n.Node = KV
    for i in range(50):
        node = n.WithColumns(node, ((f"x{i}", call("+", "v", i)),))
    assert len(list(resolve(node).walk())) == 52
