"""From bind to the end: ports, slow handlers, open connections, the access log."""

from __future__ import annotations

import logging
import socket
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import anyio
import pytest
from anyio.abc import SocketStream

from app.clock import SystemClock
from app.errors import SettingsError
from app.settings import Settings
from app.web import WebServer
from tests.web.fakes import FakeEngine, FakeQuery, counts, make_table, serving

pytestmark = pytest.mark.anyio


class StuckTable:
    """A result table whose database never answers."""

    def __init__(self) -> None:
        self.schema = make_table("v int", []).schema
        self.asked = anyio.Event()

    async def select(self, *_: object) -> None:
        self.asked.set()
        await anyio.sleep_forever()


def make_server(engine: Any, port: int = 0, host: str = "127.0.0.1") -> WebServer:
    return WebServer(engine, Settings(http_port=port, http_host=host), SystemClock())


async def connect(server: WebServer) -> SocketStream:
    address = urlsplit(server.url)
    return await anyio.connect_tcp(address.hostname or "", address.port or 0)


def request(server: WebServer, path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: {urlsplit(server.url).netloc}\r\n\r\n".encode()


async def test_a_port_in_use_is_named_with_what_to_do() -> None:
    async with make_server(FakeEngine()) as first:
        port = urlsplit(first.url).port or 0
        with pytest.raises(
            SettingsError, match=f"port {port} .*another program uses it.*WATERTABLE_HTTP_PORT"
        ) as caught:
            async with make_server(FakeEngine(), port):
                pass
        assert caught.value.code == "PORT_IN_USE"


async def test_an_address_of_another_machine_is_refused() -> None:
    server = WebServer(FakeEngine(), Settings(http_host="192.0.2.1", http_token="t"), SystemClock())
    with pytest.raises(SettingsError, match="no such address"):
        async with server:
            pass


async def test_a_port_is_free_again_after_the_end() -> None:
    async with make_server(FakeEngine()) as server:
        port = urlsplit(server.url).port or 0
        stream = await connect(server)
        await stream.send(request(server, "/livez"))
        assert b"200 OK" in await stream.receive()
    async with make_server(FakeEngine(), port):
        pass
    await stream.aclose()


@pytest.fixture
async def stuck() -> AsyncIterator[StuckTable]:
    yield StuckTable()


async def test_open_connections_do_not_hold_up_the_end(stuck: StuckTable) -> None:
    with anyio.fail_after(5):
        async with make_server(FakeEngine(FakeQuery(table=stuck))) as server:
            idle, half, waiting = [await connect(server) for _ in range(3)]
            await idle.send(request(server, "/livez"))
            await idle.receive()
            await half.send(b"GET /livez HT")
            await waiting.send(request(server, "/queries/counts/result"))
            await stuck.asked.wait()
    for stream in (idle, half, waiting):
        await stream.aclose()


async def test_a_cancelled_server_still_closes_its_connections() -> None:
    async with anyio.create_task_group() as tasks, make_server(FakeEngine()) as server:
        stream = await connect(server)
        tasks.cancel_scope.cancel()
    with anyio.fail_after(5), pytest.raises((anyio.EndOfStream, anyio.BrokenResourceError)):
        await stream.receive()
    await stream.aclose()


async def test_a_database_that_never_answers_does_not_hold_up_the_end() -> None:
    with anyio.fail_after(5):
        async with make_server(FakeEngine(ping=anyio.sleep_forever)) as server:
            stream = await connect(server)
            await stream.send(request(server, "/readyz"))
            assert b"503" in await stream.receive()
    await stream.aclose()


async def test_a_handler_that_takes_too_long_is_ended(stuck: StuckTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.web.server._HANDLER_S", 0.05)
    async with make_server(FakeEngine(FakeQuery(table=stuck))) as server:
        stream = await connect(server)
        await stream.send(request(server, "/queries/counts/result"))
        reply = await stream.receive()
        assert b"503 Service Unavailable" in reply
        assert b"Retry-After: 5" in reply
        await stream.aclose()


async def test_the_first_address_of_ipv6_is_written_in_brackets() -> None:
    if not socket.has_ipv6:
        return
    async with make_server(FakeEngine(), host="::1") as server:
        assert server.url.startswith("http://[::1]:")


def test_the_access_log_is_for_debugging_and_without_values(caplog: pytest.LogCaptureFixture) -> None:
    with serving(FakeEngine(counts())) as client:
        with caplog.at_level(logging.INFO):
            client.ask("/queries/counts/result?where.word=secret")
        assert caplog.records == []
        with caplog.at_level(logging.DEBUG, "app.web"):
            client.ask("/queries/counts/result?where.word=secret")
            client.ask("/queries/a%0Ab")
    messages = [record.getMessage() for record in caplog.records if record.name.startswith("app.web")]
    assert messages[0].startswith("GET /queries/counts/result 200 ")
    assert messages[1].startswith("GET /queries/a%0Ab 404 ")
    assert "secret" not in caplog.text


def test_bytes_that_are_no_http_are_refused_and_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    with serving(FakeEngine()) as client:
        address = urlsplit(client.url)
        with socket.create_connection((address.hostname or "", address.port or 0), timeout=10) as stream:
            stream.sendall(b"GET / HTTP/1.1\r\nAuthorization: Bearer secret\x00\r\n\r\n")
            assert stream.recv(100).startswith(b"HTTP/1.0 400 ")
    assert "secret" not in caplog.text
