"""Files of a folder, each read once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from app.engine.contracts import Source
from app.errors import OffsetLost, RowError
from app.plan.nodes import Scan
from app.plan.types import StructType
from app.sources.files import FileFormat
from app.testing.clock import ManualClock
from app.testing.contracts.source import Opened, check_source, opened
from tests.sources.conftest import WatchedLog

pytestmark = pytest.mark.anyio


class World:
    """A folder, and sources that read it as text (or CSV with a schema)."""

    def __init__(self, log: WatchedLog, folder: Path, ddl: str | None = None, **options: Any) -> None:
        self.ingest = log
        self.clock = ManualClock()
        self.folder = folder
        self._files = 0
        self._source = FileFormat("csv" if ddl else "text")
        given = {"path": str(folder), **{key.lower(): str(value) for key, value in options.items()}}
        schema = self._source.schema(given, StructType.fromDDL(ddl) if ddl else None, True)
        self._scan = Scan(self._source.names[0], tuple(given.items()), schema, True)

    def new_source(self) -> Source:
        return self._source.stream(self._scan)

    def put(self, name: str, text: str) -> Path:
        """A file that is younger than all before it."""
        self._files += 1
        path = self.folder / name
        path.write_text(text)
        os.utime(path, (1_000_000 + self._files, 1_000_000 + self._files))
        return path

    async def grow(self) -> None:
        self.put(f"{self._files}.txt", f"{self._files}\n")


async def epoch(it: Opened, start: int) -> tuple[int, list[str]]:
    """The next epoch: its end, and its values."""
    end = await it.source.latest(start)
    return end, (await it.source.read(start, end)).column(0).to_pylist()


async def test_it_keeps_the_contract_of_a_source(log: WatchedLog, tmp_path: Path) -> None:
    await check_source(World(log, tmp_path))


async def test_a_file_is_read_once_by_its_name(log: WatchedLog, tmp_path: Path) -> None:
    world = World(log, tmp_path)
    async with opened(world) as it:
        world.put("a.txt", "1\n2\n")
        assert await epoch(it, 0) == (1, ["1", "2"])
        world.put("b.txt", "3")
        assert await epoch(it, 1) == (2, ["3"])
        world.put("a.txt", "other\n")
        with (tmp_path / "b.txt").open("a") as file:
            file.write("more\n")
        for name in ("_x", ".x"):
            world.put(name, "hidden\n")
        (tmp_path / "sub").mkdir()
        (tmp_path / "sub" / "c.txt").write_text("below\n")
        assert await epoch(it, 2) == (2, [])
        world.put("empty", "")
        assert await epoch(it, 2) == (3, []), "an empty file is an epoch without rows"


async def test_a_restart_reads_no_file_again(log: WatchedLog, tmp_path: Path) -> None:
    odd = ["a b.csv", "data[1].csv", "naïve-文.csv", "100%.csv", "x{y}.csv"]
    world = World(log, tmp_path)
    for name in odd:
        world.put(name, f"{name}\n")
    async with opened(world) as it:
        assert await epoch(it, 0) == (5, odd)
    async with opened(world, 5) as it:
        assert await epoch(it, 5) == (5, [])
        assert (await it.source.read(1, 3)).column(0).to_pylist() == odd[1:3], "a replay reads the same files"


async def test_a_limit_of_files_cuts_epochs(log: WatchedLog, tmp_path: Path) -> None:
    world = World(log, tmp_path, maxFilesPerTrigger=2)
    for n in range(5):
        world.put(f"{n}", f"{n}\n")
    async with opened(world) as it:
        assert await epoch(it, 0) == (2, ["0", "1"])
        assert await epoch(it, 2) == (4, ["2", "3"])
        assert await epoch(it, 4) == (5, ["4"])
        await it.source.freeze(whole=True)
        assert await epoch(it, 0) == (5, ["0", "1", "2", "3", "4"]), "once ignores the limit"


async def test_a_file_that_is_gone_is_not_passed_over_in_silence(log: WatchedLog, tmp_path: Path) -> None:
    world = World(log, tmp_path)
    world.put("a.txt", "1\n")
    path = world.put("b.txt", "2\n")
    async with opened(world) as it:
        assert await it.source.latest(0) == 2
        path.unlink()
        with pytest.raises(OffsetLost, match=r"b\.txt was listed but is gone") as caught:
            await it.source.read(0, 2)
        assert caught.value.facts["path"] == str(path)
    async with opened(World(log, tmp_path, ignoreMissingFiles="true")) as it:
        assert (await it.source.read(0, 2)).column(0).to_pylist() == ["1"]


async def test_a_file_that_goes_before_it_is_listed_ends_nothing(log: WatchedLog, tmp_path: Path) -> None:
    world = World(log, tmp_path)
    async with opened(world) as it:
        world.put("a.csv.tmp", "1\n").rename(tmp_path / "a.csv")
        assert await epoch(it, 0) == (1, ["1"])


async def test_it_wakes_the_query_every_second(log: WatchedLog, tmp_path: Path) -> None:
    world = World(log, tmp_path)
    async with opened(world) as it:
        assert await it.source.latest(0) == 0
        world.put("a", "1\n")
        world.clock.advance(1)
        assert await it.more(0) == 1


async def test_many_files_are_listed_in_several_chunks(
    log: WatchedLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.sources.files._CHUNK_FILES", 2)
    world = World(log, tmp_path)
    for n in range(5):
        world.put(f"{n}", f"{n}\n")
    async with opened(world) as it:
        assert await epoch(it, 0) == (5, ["0", "1", "2", "3", "4"])
    assert [chunk.rows for chunk in log.chunks] == [2, 2, 1]


async def test_a_malformed_record_ends_a_query_that_wants_it(log: WatchedLog, tmp_path: Path) -> None:
    world = World(log, tmp_path, "a int", mode="FAILFAST")
    world.put("a.csv", "1\nx\n")
    async with opened(world) as it:
        with pytest.raises(RowError, match="Malformed records"):
            await it.source.read(0, await it.source.latest(0))
