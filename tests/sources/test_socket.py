"""Lines over TCP: every line that reached the log is a row once, whatever the peer and the process do."""

from __future__ import annotations

import socket as sockets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from app.clock import Clock
from app.engine.contracts import IngestChunk, Source
from app.errors import Fenced
from app.plan.nodes import Scan
from app.sources.backlog import encode_lines
from app.sources.socket import SocketFormat
from app.testing.clock import ManualClock
from app.testing.contracts.source import Opened, check_source, opened
from tests.sources.conftest import HurriedClock, WatchedLog
from tests.sources.peer import Call, Peer

pytestmark = pytest.mark.anyio


class World:
    """A peer, a log, and sources that read from one into the other."""

    def __init__(self, log: WatchedLog, port: int, clock: Clock | None = None, **options: Any) -> None:
        self.ingest = log
        self.clock = clock or HurriedClock()
        given = {"host": "127.0.0.1", "port": str(port), **{k.lower(): str(v) for k, v in options.items()}}
        source = SocketFormat()
        self._scan = Scan("socket", tuple(given.items()), source.schema(given, None, True), True)

    def new_source(self) -> Source:
        return SocketFormat().stream(self._scan)

    async def grow(self) -> None:
        raise NotImplementedError


@asynccontextmanager
async def connected(log: WatchedLog, **options: Any) -> AsyncIterator[tuple[Opened, Call, Peer]]:
    """An open source and the peer's end of its first connection."""
    async with Peer() as peer, opened(World(log, peer.port, **options)) as it:
        yield it, await peer.call(), peer


async def values(it: Opened, count: int, start: int = 0) -> list[str]:
    """Waits for `count` rows from `start` on and returns the values of all that are there."""
    end = start
    while end < start + count:
        end = await it.more(end)
    return (await it.source.read(start, end)).column("value").to_pylist()


async def test_it_keeps_the_contract_of_a_source(log: WatchedLog) -> None:
    async with Peer() as peer:

        class Growing(World):
            async def grow(self) -> None:
                call = await peer.call()
                call.send(b"one\ntwo\n")
                call.close()

        await check_source(Growing(log, peer.port, includeTimestamp="true"))


async def test_lines_end_with_lf_or_crlf(log: WatchedLog) -> None:
    async with connected(log) as (it, call, _):
        call.send(b"a\nb\r\n\nc\rd\n")
        assert await values(it, 4) == ["a", "b", "", "c\rd"]


async def test_half_a_line_is_a_row_when_the_peer_closes_well(log: WatchedLog) -> None:
    async with connected(log) as (it, call, _):
        call.send(b"a\nhalf")
        assert await values(it, 1) == ["a"]
        call.close()
        assert await values(it, 2) == ["a", "half"]


async def test_half_a_line_is_dropped_when_the_connection_breaks(log: WatchedLog) -> None:
    async with connected(log) as (it, call, peer):
        call.send(b"a\nhalf")
        assert await values(it, 1) == ["a"]
        call.reset()
        (await peer.call()).send(b"b\n")
        assert await values(it, 2) == ["a", "b"]


async def test_a_line_of_70000_bytes_is_a_row(log: WatchedLog) -> None:
    async with connected(log) as (it, call, _):
        call.send(b"x" * 70_000 + b"\nok\n")
        assert await values(it, 2) == ["x" * 70_000, "ok"]


async def test_a_line_over_the_limit_is_a_dead_letter_and_the_next_arrives(log: WatchedLog) -> None:
    async with connected(log, maxLineBytes=65_536) as (it, call, _):
        call.send(b"first\n" + b"x" * 70_000 + b"\nok\n")
        assert await values(it, 2) == ["first", "ok"]
    assert [(d.reason, d.offset, len(d.payload)) for d in log.dead] == [("LINE_TOO_LONG", 1, 65_536)]


async def test_invalid_utf8_is_a_dead_letter(log: WatchedLog) -> None:
    async with connected(log) as (it, call, _):
        call.send(b"a\n\xff\xfe\nb\xc3\xa9\n")
        assert await values(it, 2) == ["a", "bé"]
    assert [(d.reason, d.offset, d.payload) for d in log.dead] == [("INVALID_UTF8", 1, b"\xff\xfe")]


async def test_invalid_utf8_is_replaced_where_asked(log: WatchedLog) -> None:
    async with connected(log, invalidUtf8="replace") as (it, call, _):
        call.send(b"a\xff\n")
        assert await values(it, 1) == ["a�"]
    assert log.dead == []


async def test_a_chunk_of_dead_letters_only_is_kept(log: WatchedLog) -> None:
    async with connected(log) as (it, call, _):
        call.send(b"\xff\n")
        call.close()
        while not log.dead:
            await it.source.latest(0)
            await HurriedClock().sleep(0)
        assert await log.end() == 0


async def test_it_connects_again_after_each_end(log: WatchedLog) -> None:
    async with connected(log) as (it, call, peer):
        for n in range(5):
            call.send(b"%d\n" % n)
            await values(it, 1, n)
            if n % 2:
                call.reset()
            else:
                call.close()
            call = await peer.call()
        assert await values(it, 5) == ["0", "1", "2", "3", "4"]


async def test_a_peer_may_come_later(log: WatchedLog) -> None:
    with sockets.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
        clock = ManualClock()
        async with opened(World(log, port, clock)) as it:
            while not clock.sleepers:
                await HurriedClock().sleep(0)
            reserved.close()
            async with Peer(port) as peer:
                clock.advance(0.1)
                (await peer.call()).send(b"here\n")
                assert await values(it, 1) == ["here"]


async def test_waiting_for_a_peer_grows_to_ten_seconds(log: WatchedLog) -> None:
    with sockets.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        clock = ManualClock()
        waits = []
        async with opened(World(log, nobody.getsockname()[1], clock)):
            for _ in range(9):
                while not clock.sleepers:
                    await HurriedClock().sleep(0)
                begun = clock.now_us()
                while clock.sleepers:
                    clock.advance(0.1)
                waits.append((clock.now_us() - begun) / 1_000_000)
                await HurriedClock().sleep(0)
    assert waits == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 10])


async def test_a_restart_goes_on_where_the_log_ends(log: WatchedLog) -> None:
    async with connected(log) as (it, call, _):
        call.send(b"a\nb\n")
        assert await values(it, 2) == ["a", "b"]
    async with connected(log) as (it, call, _):
        call.send(b"c\n")
        assert await values(it, 3) == ["a", "b", "c"]
    assert [chunk.first for chunk in log.chunks if chunk.rows][-1] == 2


async def test_what_arrives_during_an_append_is_the_next_one(log: WatchedLog) -> None:
    async with connected(log) as (it, call, _):
        for n in range(20_000):
            call.send(b"%d\n" % n)
        assert await values(it, 20_000) == [str(n) for n in range(20_000)]
    assert len(log.chunks) < 2_000


async def test_a_fast_peer_is_held_and_memory_stays_bounded(log: WatchedLog) -> None:
    line, lines, bound = b"x" * 99 + b"\n", 400_000, 1 << 20
    async with connected(log, maxBacklogBytes=bound) as (it, call, _):
        call.send(line * lines)
        done = 0
        while done < lines:
            end = await it.more(done)
            rows = await it.source.read(done, end)
            assert rows.num_rows == end - done
            held = (await log.end() - done) * len(line)
            assert held <= bound + 2 * (5 << 20), "one inbox and one append at most beyond the bound"
            done = end
            await it.source.forget(done)
        assert done == lines


async def test_rows_are_bounded_too(log: WatchedLog) -> None:
    async with connected(log, maxBacklogRows=10) as (it, call, _):
        for n in range(100):
            call.send(b"%d\n" % n)
            await call.sent()
        found: list[str] = []
        while len(found) < 100:
            end = await it.more(len(found))
            found += (await it.source.read(len(found), end)).column("value").to_pylist()
            await it.source.forget(end)
        assert found == [str(n) for n in range(100)]


async def test_a_large_backlog_in_the_log_is_worked_off_in_pieces(log: WatchedLog) -> None:
    for chunk in range(3):
        body = b"".join(b"%d\n" % n for n in range(chunk * 200_000, (chunk + 1) * 200_000))
        await log.append(IngestChunk(chunk * 200_000, 200_000, encode_lines(body, 0)))
    async with connected(log) as (it, call, _):
        call.send(b"new\n")
        await it.more(600_000)
        assert await it.source.latest(0) == 500_000
        assert (await it.source.read(0, 500_000)).column("value")[499_999].as_py() == "499999"
        await it.source.forget(500_000)
        assert await values(it, 100_001, 500_000) == [*(str(n) for n in range(500_000, 600_000)), "new"]


async def test_committed_rows_leave_the_log_every_few_seconds(log: WatchedLog) -> None:
    clock = ManualClock()
    async with connected(log, clock=clock) as (it, call, _):
        for n in range(4):
            call.send(b"a\n")
            await values(it, 1, n)
            await it.source.forget(n + 1)
            clock.advance(2)
    assert log.trims == [4]


async def test_the_timestamp_is_the_arrival(log: WatchedLog) -> None:
    clock = ManualClock(1_700_000_000_000_000)
    async with connected(log, clock=clock, includeTimestamp="true") as (it, call, _):
        call.send(b"a\n")
        await values(it, 1)
        rows = await it.source.read(0, 1)
    assert rows.to_pylist() == [{"value": "a", "timestamp": datetime.fromtimestamp(1_700_000_000, UTC)}]


async def test_once_takes_the_whole_backlog(log: WatchedLog) -> None:
    await log.append(IngestChunk(0, 700_000, encode_lines(b"\n" * 700_000, 0)))
    async with connected(log) as (it, _, _):
        await it.source.freeze(whole=True)
        assert await it.source.latest(0) == 700_000
        assert (await it.source.read(0, 700_000)).num_rows == 700_000


async def test_a_fenced_log_ends_the_query(log: WatchedLog) -> None:
    class FencedLog(WatchedLog):
        async def append(self, chunk: IngestChunk, dead: Any = ()) -> None:
            raise Fenced("Another process has taken this query over.")

    with pytest.raises(BaseExceptionGroup) as caught:
        async with connected(FencedLog(log)) as (it, call, _):
            call.send(b"a\n")
            await it.more(0)
    assert caught.group_contains(Fenced)
