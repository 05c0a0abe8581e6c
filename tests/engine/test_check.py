"""Which query may run in which mode: each refusal has a code and says what to do."""

import pytest

from app.errors import PlanError
from app.plan.check import check
from app.plan.resolve import resolve
from app.sql import functions as F
from app.sql.session import SparkSession
from app.sql.window import Window
from app.testing import MemoryStream

MODE = "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION"
OPERATION = "UNSUPPORTED_STREAMING_OPERATION"


@pytest.fixture
def spark():
    return SparkSession.builder.getOrCreate()


@pytest.fixture
def stream(spark):
    return MemoryStream(spark, "k string, v int, ts timestamp").toDF()


@pytest.fixture
def table(spark):
    return spark.createDataFrame([("a", 1)], "k string, name int")


def counted(df):
    return df.groupBy("k").count()


QUERIES = {
    "projection": (lambda s, t: s.select("k"), "append update"),
    "filter": (lambda s, t: s.where("v > 1"), "append update"),
    "explode": (lambda s, t: s.select(F.explode(F.split("k", " "))), "append update"),
    "aggregation": (lambda s, t: counted(s), "update complete"),
    "having": (lambda s, t: counted(s).where("count > 1"), "update complete"),
    "rollup": (lambda s, t: s.rollup("k").count(), "update complete"),
    "rows in a table too": (lambda s, t: s.select("k").intersect(t.select("k")), ""),
    "sorted aggregation": (lambda s, t: counted(s).orderBy("count"), "complete"),
    "limited aggregation": (lambda s, t: counted(s).orderBy("count").limit(3), "complete"),
    "sorted stream": (lambda s, t: s.orderBy("v"), ""),
    "limited stream": (lambda s, t: s.limit(3), "append"),
    "distinct": (lambda s, t: s.distinct(), "append update"),
    "aggregation of an aggregation": (lambda s, t: counted(s).groupBy("count").count(), ""),
    "distinct count": (lambda s, t: s.groupBy("k").agg(F.count_distinct("v")), ""),
    "static left of inner join": (lambda s, t: t.join(s, "k"), "append update"),
    "static right of inner join": (lambda s, t: s.join(t, "k"), "append update"),
    "left join with a table": (lambda s, t: s.join(t, "k", "left"), "append update"),
    "right join with a table": (lambda s, t: s.join(t, "k", "right"), ""),
    "full join with a table": (lambda s, t: s.join(t, "k", "full"), ""),
    "table left-joined with a stream": (lambda s, t: t.join(s, "k", "left"), ""),
    "join of two streams": (lambda s, t: s.join(s.alias("o"), "k"), ""),
    "union with a table": (lambda s, t: s.select("k").union(t.select("k")), ""),
    "union of streams": (lambda s, t: s.union(s), "append update"),
    "watermark in a stateless query": (lambda s, t: s.withWatermark("ts", "1 minute").select("k"), "append update"),
    "watermark under an aggregation": (lambda s, t: counted(s.withWatermark("ts", "1 minute")), "complete"),
}


@pytest.mark.parametrize("mode", ["append", "update", "complete"])
@pytest.mark.parametrize("name", QUERIES)
def test_modes_are_those_of_spark(name, mode, stream, table):
    build, allowed = QUERIES[name]
    relation = resolve(build(stream, table)._node)
    if mode in allowed.split():
        check(relation, mode)
        return
    with pytest.raises(PlanError) as refused:
        check(relation, mode)
    assert refused.value.code in (MODE, OPERATION)


def test_a_static_plan_is_no_stream(table):
    with pytest.raises(PlanError) as refused:
        check(resolve(table._node), "append")
    assert refused.value.code == "WRITE_STREAM_NOT_ALLOWED"


def test_a_refused_distinct_count_names_the_way_out(stream):
    with pytest.raises(PlanError, match="approx_count_distinct"):
        check(resolve(stream.groupBy("k").agg(F.count_distinct("v"))._node), "update")


def test_append_with_an_aggregation_names_its_keys(stream):
    with pytest.raises(PlanError, match="aggregation by k"):
        check(resolve(counted(stream)._node), "append")


def test_a_window_of_rows_is_refused_as_in_spark(stream):
    numbered = stream.select(F.row_number().over(Window.partitionBy("k").orderBy("v")))
    with pytest.raises(PlanError, match=r"row_number\(\).*group by window\(\)") as refused:
        check(resolve(numbered._node), "append")
    assert refused.value.code == "NON_TIME_WINDOW_NOT_SUPPORTED_IN_STREAMING"
