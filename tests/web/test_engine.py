"""The web side over a real engine and a real PostgreSQL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import anyio
import asyncpg
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from prometheus_client.parser import text_string_to_metric_families

from app.assembly import build_engine
from app.clock import SystemClock
from app.engine.contracts import OutputMode, SinkSpec
from app.engine.engine import Engine
from app.engine.query import Query
from app.engine.spec import QuerySpec
from app.errors import QueryFailed
from app.plan.resolve import resolve
from app.settings import Settings
from app.sql.dataframe import DataFrame
from app.sql.session import SparkSession
from app.testing import MemoryStream
from app.web import WebServer
from tests.web.fakes import Client

EVERY_TYPE = {
    "a_byte": "CAST(v AS TINYINT)",
    "a_short": "CAST(v * 100 AS SMALLINT)",
    "an_int": "CAST(v AS INT)",
    "a_long": "v + 9007199254740993",
    "a_float": "CAST(v / 10 AS FLOAT)",
    "a_double": "CAST(v / 10 AS DOUBLE)",
    "a_nan": "CAST('NaN' AS DOUBLE)",
    "an_end": "CAST('-Infinity' AS DOUBLE)",
    "a_single_end": "CAST('Infinity' AS FLOAT)",
    "a_decimal": "CAST(v / 10 AS DECIMAL(10, 2))",
    "a_bool": "v = 2",
    "a_text": "concat('é ', CAST(v AS STRING), ' \"x\"')",
    "a_date": "date_add(DATE'2026-01-31', CAST(v AS INT))",
    "a_time": "TIMESTAMP'2026-01-31 01:02:03.5Z'",
    "a_local": "TIMESTAMP_NTZ'2026-01-31 01:02:03.25'",
    "a_list": "array(v, NULL)",
}


@dataclass
class Service:
    """An engine, and its web server, on a loop of their own."""

    portal: BlockingPortal
    engine: Engine
    client: Client

    def start(self, df: DataFrame, sink: str, mode: OutputMode, name: str, **options: str) -> Query:
        return self.portal.call(
            self.engine.start, QuerySpec(resolve(df._node), SinkSpec(sink, options), mode, name=name)
        )

    def settle(self, query: Query) -> None:
        self.portal.call(query.process_all_available)

    def rows(self, path: str, **parameters: object) -> Any:
        reply = self.client.ask(f"{path}?{urlencode(parameters)}")
        assert reply.status == 200, reply.body
        return reply.json()["rows"]


@contextmanager
def serving(url: str) -> Iterator[Service]:
    settings = Settings(database_url=url, http_port=0, database_retry_s=1)
    with ExitStack() as stack:
        portal = stack.enter_context(start_blocking_portal())
        engine = build_engine(settings)
        stack.enter_context(portal.wrap_async_context_manager(engine))
        server = WebServer(engine, settings, SystemClock())
        stack.enter_context(portal.wrap_async_context_manager(server))
        yield Service(portal, engine, Client(server.url))


@pytest.fixture
def service(postgres_url: str) -> Iterator[Service]:
    with serving(postgres_url) as service:
        yield service


@pytest.fixture
def stream() -> MemoryStream:
    return MemoryStream(SparkSession.builder.getOrCreate(), "k string, v bigint")


async def execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


def test_a_result_in_postgresql_follows_the_stream(service: Service, stream: MemoryStream) -> None:
    query = service.start(stream.toDF().groupBy("k").count(), "postgres", "complete", "counts", dbtable="counts")
    for number in range(2):
        stream.addData(("a", 1), ("b", 1), ("a", 1))
        service.settle(query)
        assert service.rows("/queries/counts/result", order="-count") == [
            {"k": "a", "count": 2 * number + 2},
            {"k": "b", "count": number + 1},
        ]
    described = service.client.ask("/queries/counts").json()
    assert (described["lastEpoch"], described["inputRows"], described["totals"]["epochs"]) == (1, 6, 2)
    assert described["state"] == "active"
    assert described["plan"]
    assert service.client.ask("/readyz").json()["ready"] is True
    text = service.client.ask("/metrics").body.decode()
    samples = {s.name: s.value for f in text_string_to_metric_families(text) for s in f.samples if "query" in s.labels}
    assert samples["watertable_query_input_rows_total"] == 6
    assert samples["watertable_query_last_epoch"] == 1
    assert samples["watertable_query_state_rows"] == 2


@pytest.mark.parametrize(("sink", "options"), [("memory", {}), ("postgres", {"dbtable": "wide"})])
def test_each_value_shown_can_be_asked_for(
    service: Service, stream: MemoryStream, sink: str, options: dict[str, str]
) -> None:
    columns = [f"{expression} AS {name}" for name, expression in EVERY_TYPE.items()]
    query = service.start(stream.toDF().selectExpr(*columns), sink, "append", "wide", **options)
    stream.addData(("x", 1), ("y", 2))
    service.settle(query)
    rows = service.rows("/queries/wide/result", order="an_int")
    assert [row["an_int"] for row in rows] == [1, 2]
    for name, shown in rows[1].items():
        if name == "a_list":
            assert shown == [2, None]
            continue
        text = {True: "true", False: "false"}.get(shown, shown) if isinstance(shown, bool) else shown
        assert rows[1] in service.rows("/queries/wide/result", **{f"where.{name}": text}), name
        assert service.rows("/queries/wide/result", order=f"-{name},-an_int")[0] == rows[1], name


def test_a_result_table_that_someone_dropped_is_a_conflict(
    service: Service, stream: MemoryStream, postgres_url: str
) -> None:
    query = service.start(stream.toDF(), "postgres", "append", "gone", dbtable="gone")
    service.settle(query)
    anyio.run(execute, postgres_url, "DROP TABLE gone")
    reply = service.client.ask("/queries/gone/result")
    assert (reply.status, "gone" in reply.json()["detail"]) == (409, True)


def test_a_query_that_failed_makes_the_service_unready(service: Service, stream: MemoryStream) -> None:
    query = service.start(stream.toDF().selectExpr("1 / v AS x"), "memory", "append", "ratio")
    stream.addData(("a", 0))
    with pytest.raises(QueryFailed):
        service.settle(query)
    reply = service.client.ask("/readyz")
    assert reply.status == 503
    assert [c["name"] for c in reply.json()["checks"] if not c["ok"]] == ["query ratio"]
    assert service.client.ask("/queries/ratio").json()["error"]["code"] == "DIVIDE_BY_ZERO"


def test_a_database_that_takes_no_writes_makes_the_service_unready(postgres_url: str) -> None:
    name = re.findall(r"/(\w+)(?:\?|$)", postgres_url)[-1]
    with serving(postgres_url) as service:
        assert service.client.ask("/readyz").status == 200
        anyio.run(execute, postgres_url, f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        anyio.run(execute, postgres_url, f"SELECT pg_terminate_backend(pid) {others}")
        reply = service.client.ask("/readyz")
        assert (reply.status, reply.json()["checks"][0]["ok"]) == (503, False)
        assert service.client.ask("/livez").status == 200
