"""What may be given to a sink, and what is said where it may not."""

from __future__ import annotations

import pytest

from app.engine.contracts import SinkFormat, SinkSpec
from app.errors import PlanError
from app.sinks.console import ConsoleFormat
from app.sinks.foreach import ForeachFormat
from app.sinks.foreach_batch import ForeachBatchFormat
from app.sinks.memory import MemorySinkFormat
from app.sinks.noop import NoopFormat
from app.sinks.postgres import PostgresFormat

ALL: list[SinkFormat] = [
    ConsoleFormat(),
    ForeachBatchFormat(),
    ForeachFormat(),
    MemorySinkFormat(),
    NoopFormat(),
    PostgresFormat(),
]


@pytest.mark.parametrize("sink", ALL, ids=lambda sink: sink.names[0])
def test_partitions_mean_nothing_to_tables(sink: SinkFormat) -> None:
    spec = SinkSpec(sink.names[0], partition_by=("k",), handler=print)
    with pytest.raises(PlanError, match=r"partitionBy\(k\) has no meaning"):
        sink.create(spec, "append", "q")


@pytest.mark.parametrize("sink", ALL, ids=lambda sink: sink.names[0])
def test_the_checkpoint_is_no_business_of_a_sink(sink: SinkFormat) -> None:
    options = {"checkpointlocation": "/somewhere"}
    assert sink.create(SinkSpec(sink.names[0], options, handler=print), "append", "q").description


@pytest.mark.parametrize(
    ("sink", "options", "said"),
    [
        (ConsoleFormat(), {"numrows": "x"}, "numRows must be a whole number"),
        (ConsoleFormat(), {"truncate": "no"}, "truncate must be set to either"),
        (ConsoleFormat(), {"rows": "1"}, "no option 'rows'. Did you mean numRows?"),
        (PostgresFormat(), {"table": "t"}, "no option 'table'. Did you mean dbtable?"),
        (PostgresFormat(), {"dbtable": "t", "keys": "a,,b"}, "keys must be column names"),
        (PostgresFormat(), {"dbtable": "t", "keys": "a,A"}, "keys must be column names"),
        (PostgresFormat(), {"dbtable": "t", "password": "s3cret"}, "belong to a url"),
        (PostgresFormat(), {"dbtable": "t", "url": "mysql://s3cret@h/d"}, "must look like postgresql://"),
        (PostgresFormat(), {"dbtable": "t", "url": "postgresql://s3cret@h"}, "must look like postgresql://"),
        (PostgresFormat(), {}, "needs a table"),
        (PostgresFormat(), {"dbtable": ""}, "dbtable must name a table"),
        (PostgresFormat(), {"dbtable": " "}, "dbtable must name a table"),
        (MemorySinkFormat(), {}, "queryName must be specified for memory sink"),
        (ForeachFormat(), {}, "call writeStream.foreach(...)"),
        (ForeachBatchFormat(), {}, "call writeStream.foreachBatch(...)"),
    ],
)
def test_a_wrong_option_is_refused_with_a_way_out(sink: SinkFormat, options: dict[str, str], said: str) -> None:
    with pytest.raises(PlanError) as caught:
        sink.create(SinkSpec(sink.names[0], options), "append", None)
    assert said in caught.value.sentence
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "url"),
    [
        ({"url": "jdbc:postgresql://h:1/d"}, "postgresql://h:1/d"),
        ({"url": "postgresql://h/d", "user": "u"}, "postgresql://u@h/d"),
        (
            {"url": "postgresql://old:old@h/d?sslmode=require", "user": "u@x", "password": "s3cret/"},
            "postgresql://u%40x:s3cret%2F@h/d?sslmode=require",
        ),
    ],
)
def test_login_options_become_part_of_the_url_and_are_never_shown(options: dict[str, str], url: str) -> None:
    from app.engine.options import OptionReader
    from app.sinks.postgres import read_url

    assert read_url(OptionReader("postgres", options, ("url", "user", "password"))) == url
    shown = PostgresFormat().create(SinkSpec("postgres", {**options, "dbtable": "t"}), "append", None).description
    assert shown in ("PostgreSQL[t at postgresql://h/d]", "PostgreSQL[t at postgresql://h:1/d]")
