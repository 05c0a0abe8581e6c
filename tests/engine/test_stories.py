"""Streaming queries as stories; expected rows are those real Spark gave for the same input."""

import anyio
import pytest

from app.engine.spec import Trigger
from app.sql import functions as F
from app.testing.story import Add, Advance, Crash, Expect, ExpectFailure, ExpectNothing, Restart, Story, run_story


def play(story: Story, *steps) -> None:
    anyio.run(run_story, story, *steps)


def by_value(df):
    return df.groupBy("v").count()


def test_update_mode_gives_the_groups_that_were_touched():
    play(
        Story("v int", by_value, "update"),
        Add(3),
        Expect((3, 1)),
        Add(2),
        Expect((2, 1)),
        Add(3, 2, 1),
        Expect((1, 1), (2, 2), (3, 2)),
    )


def test_complete_mode_gives_the_whole_table_each_time():
    play(
        Story("v int", by_value, "complete"),
        Add(3),
        Expect((3, 1)),
        Add(2),
        Expect((2, 1), (3, 1)),
        Add(3, 2, 1),
        Expect((1, 1), (2, 2), (3, 2)),
    )


def test_aggregates_skip_nulls_and_keep_arrival_order():
    def query(df):
        return df.groupBy("k").agg(F.sum("v"), F.avg("v"), F.min("v"), F.max("v"), F.collect_list("v"))

    play(
        Story("k string, v int", query, "update"),
        Add(("a", 1), ("b", 5)),
        Expect(("a", 1, 1.0, 1, 1, [1]), ("b", 5, 5.0, 5, 5, [5])),
        Add(("a", 3)),
        Expect(("a", 4, 2.0, 1, 3, [1, 3])),
        Add(("b", None), ("c", None)),
        Expect(("b", 5, 5.0, 5, 5, [5]), ("c", None, None, None, None, [])),
    )


def test_a_touched_group_is_given_even_when_its_value_stays():
    play(
        Story("k string, v int", lambda df: df.groupBy("k").agg(F.max("v")), "update"),
        Add(("a", 5)),
        Expect(("a", 5)),
        Add(("a", 1)),
        Expect(("a", 5)),
        Add(("b", 1)),
        Expect(("b", 1)),
    )


@pytest.mark.parametrize("mode", ["update", "complete"])
def test_a_global_aggregate_always_has_one_row(mode):
    def query(df):
        return df.where("v > 100").agg(F.count("*"), F.sum("v"))

    play(
        Story("v int", query, mode),
        Add(5),
        Expect((0, None)),
        Add(1),
        Expect((0, None)),
        Add(200),
        Expect((1, 200)),
    )


def test_having_takes_nothing_back_in_update_mode():
    def query(df):
        return df.groupBy("k").agg(F.sum("v").alias("s")).where("s > 5")

    rows = Add(("a", 5)), Add(("a", 3), ("b", 9)), Add(("a", -7))
    schema = "k string, v int"
    play(
        Story(schema, query, "update"),
        rows[0],
        ExpectNothing(),
        rows[1],
        Expect(("a", 8), ("b", 9)),
        rows[2],
        ExpectNothing(),
    )
    play(
        Story(schema, query, "complete"),
        rows[0],
        ExpectNothing(),
        rows[1],
        Expect(("a", 8), ("b", 9)),
        rows[2],
        Expect(("b", 9)),
    )


def test_null_is_one_group():
    play(
        Story("k string", lambda df: df.groupBy("k").count(), "update"),
        Add(None, "a"),
        Expect(("a", 1), (None, 1)),
        Add((None,)),
        Expect((None, 2)),
    )


def test_first_and_last_and_sets_go_by_arrival():
    def query(df):
        return df.groupBy("k").agg(F.sort_array(F.collect_set("v")), F.first("v"), F.last("v"))

    play(
        Story("k string, v int", query, "update"),
        Add(("a", 1), ("a", 2)),
        Expect(("a", [1, 2], 1, 2)),
        Add(("a", 2), ("a", 3)),
        Expect(("a", [1, 2, 3], 1, 3)),
    )


def test_nan_is_one_group_and_so_are_both_zeros():
    nan = float("nan")
    play(
        Story("v double", lambda df: df.groupBy("v").count().select(F.isnan("v"), "count"), "update"),
        Add(nan, nan, 0.0, -0.0),
        Expect((True, 2), (False, 2)),
        Restart(),
        Add(nan, -0.0),
        Expect((True, 3), (False, 3)),
    )


def test_keys_and_values_may_be_expressions():
    def query(df):
        return df.groupBy((F.col("v") % 2).alias("odd")).agg((F.sum("v") * 10 + 1).alias("s"))

    play(Story("v int", query, "update"), Add(3, 4), Expect((1, 31), (0, 41)), Add(5), Expect((1, 81)))


def test_duplicates_are_dropped_across_epochs_and_restarts():
    play(
        Story("k string, n int", lambda df: df.dropDuplicates(["k"]), "append"),
        Add(("a", 1), ("a", 2), ("b", 3)),
        Expect(("a", 1), ("b", 3)),
        Restart(),
        Add(("a", 4), ("c", 5)),
        Expect(("c", 5)),
    )


def test_deduplication_may_feed_an_aggregation():
    play(
        Story("k string, v int", lambda df: df.dropDuplicates().groupBy("k").count(), "update"),
        Add(("a", 1), ("a", 1), ("b", 3)),
        Expect(("a", 1), ("b", 1)),
        Add(("a", 2), ("a", 1)),
        Expect(("a", 2)),
    )


def test_limit_counts_over_all_epochs():
    play(
        Story("v int", lambda df: df.limit(3), "append"),
        Add(1, 2),
        Expect((1,), (2,)),
        Restart(),
        Add(3, 4),
        Expect((3,)),
        Add(5),
        ExpectNothing(),
    )


def test_an_epoch_that_died_before_its_commit_is_done_again():
    play(
        Story("k string, v int", lambda df: df.groupBy("k").agg(F.sum("v")), "update"),
        Add(("a", 1), ("b", 5)),
        Expect(("a", 1), ("b", 5)),
        Crash("before commit"),
        Add(("a", 2)),
        Expect(("a", 3)),
        Add(("a", 10)),
        Expect(("a", 13)),
    )


@pytest.mark.parametrize("transactional", [True, False])
def test_an_epoch_that_was_committed_before_the_crash_is_not_done_again(transactional):
    play(
        Story("k string, v int", lambda df: df.groupBy("k").agg(F.sum("v")), "update", transactional=transactional),
        Crash("after commit"),
        Add(("a", 1)),
        Expect(("a", 1)),
        Add(("a", 10)),
        Expect(("a", 11)),
    )


def test_a_sink_outside_sees_an_interrupted_epoch_again_with_the_same_rows():
    play(
        Story("v int", lambda df: df.select((F.col("v") + 1).alias("w")), transactional=False),
        Add(1),
        Expect((2,)),
        Crash("before commit"),
        Add(2),
        Expect((3,)),
        Add(3),
        Expect((4,)),
    )


def test_a_bad_value_ends_the_query_with_sparks_error_class():
    play(Story("v int", lambda df: df.select(F.lit(1) / F.col("v"))), Add(0), ExpectFailure("DIVIDE_BY_ZERO"))
    play(Story("v string", lambda df: df.select(F.col("v").cast("int"))), Add("x"), ExpectFailure("CAST_INVALID_INPUT"))


def test_an_interval_trigger_waits_for_the_next_multiple_of_the_interval():
    play(
        Story("v int", by_value, "update", trigger=Trigger("processing_time", 5_000)),
        Advance(1),
        Add(1),
        ExpectNothing(),
        Advance(4),
        Expect((1, 1)),
        Add(1),
        Add(1),
        Advance(4.9),
        ExpectNothing(),
        Advance(0.1),
        Expect((1, 3)),
    )
