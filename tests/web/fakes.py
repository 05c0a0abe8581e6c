"""An engine without work: queries whose attributes a test sets, over the real in-memory result table."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa
from anyio.from_thread import start_blocking_portal

from app.clock import SystemClock
from app.engine.contracts import ResultTable
from app.errors import QueryFailed
from app.plan.carriers import arrow_schema
from app.plan.ddl import parse_schema
from app.settings import Settings
from app.sinks.arrow_result import ArrowResult
from app.web import WebServer

TOKEN = "a-token.of/tests+1=="


def progress(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "batchId": number,
        "batchDuration": 12,
        "timestamp": "2026-01-02T03:04:05.678Z",
        "inputRowsPerSecond": 5.0,
        "processedRowsPerSecond": 250.5,
        "sink": {"description": "MemorySink[counts]", "numOutputRows": 3, "metrics": {}},
        **changes,
    }


@dataclass(frozen=True)
class FakeTotals:
    epochs: int = 8
    input_rows: int = 1000
    output_rows: int = 30
    dead_letters: int = 2
    state_rows: int = 10
    state_bytes: int = 480
    restarts: int = 0


@dataclass
class FakeQuery:
    """The attributes of `app.engine.query.Query` that the web side reads."""

    name: str | None = "counts"
    id: str = "4f0c0c4e-0000-4000-8000-000000000001"
    run_id: str = "4f0c0c4e-0000-4000-8000-000000000002"
    mode: str = "complete"
    is_active: bool = True
    exception: QueryFailed | None = None
    totals: FakeTotals = FakeTotals()
    last_progress: dict[str, Any] | None = field(default_factory=lambda: progress(7))
    table: ResultTable | None = None
    sink: str = "MemorySink[counts]"

    @property
    def status(self) -> dict[str, Any]:
        return {"message": "Waiting for data to arrive", "isDataAvailable": False, "isTriggerActive": False}

    def explain(self, extended: bool = False) -> str:
        return "Aggregate [word]\n+- Scan socket"

    def result(self) -> ResultTable | None:
        return self.table


class FakeLedger:
    def __init__(self, answer: Callable[[], Awaitable[None]] | None) -> None:
        self._answer = answer

    async def ping(self) -> None:
        if self._answer is not None:
            await self._answer()


class FakeEngine:
    """`ping` is what the database does when it is asked."""

    def __init__(self, *queries: FakeQuery, ping: Callable[[], Awaitable[None]] | None = None) -> None:
        self.queries = queries
        self.ping = ping

    def find(self, name_or_id: str) -> FakeQuery | None:
        return next((q for q in self.queries if name_or_id in (q.name, q.id)), None)

    async def ledger(self) -> FakeLedger:
        return FakeLedger(self.ping)


def make_table(ddl: str, rows: list[dict[str, Any]]) -> ArrowResult:
    schema = parse_schema(ddl)
    data = pa.Table.from_pylist(rows, schema=arrow_schema(schema))
    return ArrowResult(schema, lambda: data)


def counts() -> FakeQuery:
    words = [("the", 2**53 + 1), ("a", 7), ('Ünïcode, "quoted"', 7), ("", 1), (None, 2)]
    return FakeQuery(table=make_table("word string, count bigint", [{"word": w, "count": c} for w, c in words]))


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Client:
    """One real connection for each request."""

    url: str

    def ask(self, path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> Reply:
        connection = HTTPConnection(urlsplit(self.url).netloc, timeout=20)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body=body, headers=named)
            response = connection.getresponse()
            return Reply(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()


@contextmanager
def serving(engine: Any, pipelines: Mapping[str, str | None] | None = None, **settings: Any) -> Iterator[Client]:
    """A server on a free port, in a loop of its own."""
    with start_blocking_portal() as portal:
        server = WebServer(engine, Settings(**{"http_port": 0, **settings}), SystemClock(), lambda: pipelines or {})
        with portal.wrap_async_context_manager(server):
            yield Client(server.url)
