"""The embedded server's life: made, reused, shared, left behind by a killed process, stopped."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import anyio
import asyncpg
import pytest

from app.clock import SystemClock
from app.errors import SettingsError
from app.settings import Settings
from app.storage import open_ledger
from app.storage.embedded import EmbeddedPostgres
from app.testing.contracts.ledger import IDENTITY, epoch

pytestmark = pytest.mark.anyio

_CHILD = """
import sys, anyio, pathlib
from app.storage.embedded import EmbeddedPostgres
server = EmbeddedPostgres(pathlib.Path(sys.argv[1]), durable=False)
anyio.run(server.start)
print("started", flush=True)
sys.stdin.readline()
anyio.run(server.stop)
print("stopped", flush=True)
"""


@pytest.fixture
def home() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="watertable-home-"))
    yield folder
    anyio.run(_end, folder)
    shutil.rmtree(folder)


async def _end(folder: Path) -> None:
    """Stops whatever a test left running."""
    if (folder / "postgres" / "data" / "postmaster.pid").exists():
        server = EmbeddedPostgres(folder, durable=False)
        await server.start()
        await server.stop()


def _child(home: Path) -> subprocess.Popen[str]:
    """Another process that uses the server of `home` until it reads a line."""
    command = [sys.executable, "-c", _CHILD, str(home)]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "started\n"
    return child


def _finish(child: subprocess.Popen[str]) -> None:
    out, _ = child.communicate("\n", timeout=60)
    assert out == "stopped\n"


def _postmaster(home: Path) -> int | None:
    try:
        return int((home / "postgres" / "data" / "postmaster.pid").read_text().split()[0])
    except FileNotFoundError:
        return None


async def _one(server: EmbeddedPostgres, statement: str) -> object:
    connection = await asyncpg.connect(server.url())
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()


async def test_what_was_stored_is_there_on_the_next_start_at_the_same_address(home: Path) -> None:
    first = EmbeddedPostgres(home, durable=False)
    await first.start()
    url = first.url()
    await _one(first, "CREATE TABLE kept AS SELECT 7 AS seven")
    await first.stop()
    assert _postmaster(home) is None

    second = EmbeddedPostgres(home, durable=False)
    await second.start()
    assert second.url() == url
    assert await _one(second, "SELECT seven FROM kept") == 7
    await second.stop()


async def test_commits_are_durable_unless_a_test_says_otherwise(home: Path) -> None:
    server = EmbeddedPostgres(home)
    await server.start()
    assert [await _one(server, f"SHOW {name}") for name in ("fsync", "synchronous_commit")] == ["on", "on"]
    await server.stop()


async def test_other_users_of_the_machine_do_not_get_in(home: Path) -> None:
    server = EmbeddedPostgres(home, durable=False)
    await server.start()
    modes = {name: stat.S_IMODE((home / "postgres" / name).stat().st_mode) for name in ("data", "run", "password")}
    assert modes == {"data": 0o700, "run": 0o700, "password": 0o600}
    with pytest.raises(asyncpg.InvalidPasswordError):
        await asyncpg.connect(server.url(), password="guessed")
    await server.stop()


async def test_two_processes_share_one_server_and_the_last_one_stops_it(home: Path) -> None:
    child = _child(home)
    pid = _postmaster(home)
    server = EmbeddedPostgres(home, durable=False)
    await server.start()
    assert _postmaster(home) == pid
    _finish(child)
    assert await _one(server, "SELECT 1") == 1
    await server.stop()
    assert _postmaster(home) is None


async def test_two_processes_may_start_at_the_same_time(home: Path) -> None:
    servers = [EmbeddedPostgres(home, durable=False) for _ in range(3)]
    async with anyio.create_task_group() as tasks:
        for server in servers:
            tasks.start_soon(server.start)
    assert len({server.url() for server in servers}) == 1
    for server in servers:
        assert _postmaster(home) is not None
        await server.stop()
    assert _postmaster(home) is None


async def test_the_server_of_a_killed_process_is_adopted_and_then_stopped(home: Path) -> None:
    child = _child(home)
    pid = _postmaster(home)
    child.kill()
    child.communicate(timeout=60)
    server = EmbeddedPostgres(home, durable=False)
    await server.start()
    assert _postmaster(home) == pid
    await server.stop()
    assert _postmaster(home) is None


async def test_a_killed_server_is_recovered(home: Path) -> None:
    server = EmbeddedPostgres(home, durable=False)
    await server.start()
    await _one(server, "CREATE TABLE kept AS SELECT 7 AS seven")
    await _one(server, "CHECKPOINT")
    pid = _postmaster(home)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    # Its pid file is stale now and its other processes may still be ending.
    again = EmbeddedPostgres(home, durable=False)
    await again.start()
    assert _postmaster(home) != pid
    assert await _one(again, "SELECT seven FROM kept") == 7
    await again.stop()
    await server.stop()


async def test_a_pid_that_now_belongs_to_another_program_does_not_stand_in_the_way(home: Path) -> None:
    server = EmbeddedPostgres(home, durable=False)
    await server.start()
    await server.stop()
    (home / "postgres" / "data" / "postmaster.pid").write_text(f"{os.getpid()}\n/elsewhere\n0\n5432\n\n\n")
    await server.start()
    assert await _one(server, "SELECT 1") == 1
    await server.stop()


async def test_a_cluster_that_was_only_half_made_is_made_again(home: Path) -> None:
    (home / "postgres" / "new-0badcafe").mkdir(parents=True)
    (home / "postgres" / "new-0badcafe" / "PG_VERSION").write_text("18\n")
    server = EmbeddedPostgres(home, durable=False)
    await server.start()
    assert not list((home / "postgres").glob("new-*"))
    await server.stop()


async def test_a_long_path_leaves_tcp(home: Path) -> None:
    deep = home / ("d" * 60) / ("e" * 60)
    server = EmbeddedPostgres(deep, durable=False)
    await server.start()
    assert "@127.0.0.1:" in server.url()
    assert await _one(server, "SELECT 1") == 1
    await server.stop()


async def test_data_of_another_version_is_refused_by_name(home: Path) -> None:
    data = home / "postgres" / "data"
    data.mkdir(parents=True)
    (data / "PG_VERSION").write_text("12\n")
    with pytest.raises(SettingsError, match="belongs to PostgreSQL 12"):
        await EmbeddedPostgres(home, durable=False).start()


async def test_a_home_that_cannot_be_made_is_refused_by_name(home: Path) -> None:
    (home / "file").write_text("")
    with pytest.raises(SettingsError, match="file/postgres cannot be made"):
        await EmbeddedPostgres(home / "file", durable=False).start()


async def test_a_ledger_needs_no_configuration_and_brings_its_dead_server_back(home: Path) -> None:
    settings = Settings(home=home, database_retry_s=30.0)
    ledger = await open_ledger(settings, SystemClock())
    held = await ledger.claim(IDENTITY)
    await held.commit(epoch(0))
    pid = _postmaster(home)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    # A backend may outlive its postmaster by a moment, and still take a commit.
    last = 0
    with anyio.fail_after(60):
        while _postmaster(home) == pid:
            last += 1
            await held.commit(epoch(last))
    await held.close()
    await ledger.close()
    assert _postmaster(home) is None

    ledger = await open_ledger(settings, SystemClock())
    held = await ledger.claim(IDENTITY)
    assert held.done == epoch(last).plan
    await held.close()
    await ledger.close()
