"""The pieces of the commands that need no process."""

from __future__ import annotations

import subprocess
from pathlib import Path

import anyio
import pytest

from app.cli.feeder import Feeder
from app.cli.logs import configure_logging
from app.cli.main import parser
from app.cli.serve import next_wait_s, pipelines_of
from app.cli.tables import print_table
from app.cli.texts import check_texts, coreutils_command, default_texts, uniq_lines
from app.clock import SystemClock
from app.errors import ArgumentError, SettingsError


def test_what_follows_the_file_belongs_to_the_pipeline() -> None:
    options = parser().parse_args(["run", "--name", "n", "p.py", "--name", "other", "9999"])
    assert (options.name, options.file, options.arguments) == ("n", Path("p.py"), ["--name", "other", "9999"])


def test_files_with_an_underscore_are_not_served(tmp_path: Path) -> None:
    for name in ("b.py", "a.py", "_shared.py", "notes.txt"):
        (tmp_path / name).touch()
    assert [file.name for file in pipelines_of(tmp_path)] == ["a.py", "b.py"]


@pytest.mark.parametrize("folder", ["empty", "missing"])
def test_a_folder_without_pipelines_is_refused(tmp_path: Path, folder: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ArgumentError, match=folder):
        pipelines_of(tmp_path / folder)


def test_restarts_wait_twice_as_long_each_time_and_start_again_after_a_good_minute() -> None:
    waits = [0.5]
    for _ in range(8):
        waits.append(next_wait_s(waits[-1], ran_s=1))
    assert waits[1:] == [1, 2, 4, 8, 16, 32, 60, 60]
    assert next_wait_s(60, ran_s=61) == 1


def test_an_unknown_log_level_is_refused() -> None:
    with pytest.raises(SettingsError, match="WATERTABLE_LOG_LEVEL is 'LOUD'"):
        configure_logging("LOUD")


def test_a_table_is_printed_as_psql_does(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("word", "n"), [("the", 10), (None, 2), ("a\nb", 300)])
    assert capsys.readouterr().out == "word |  n\n-----+----\nthe  |  10\n     |   2\na\\nb | 300\n(3 rows)\n"
    print_table(("n", "t"), [("10", "1"), (None, "22")], (True, False))
    assert capsys.readouterr().out == "n  | t\n---+---\n10 | 1\n   | 22\n(2 rows)\n"


def test_the_default_texts_are_there() -> None:
    assert sum(file.read_bytes().count(b"\n") for file in default_texts()) > 10_000


def test_a_text_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"none\.txt"):
        check_texts([tmp_path / "none.txt"])


def test_uniq_lines_and_the_shell_command_agree(tmp_path: Path) -> None:
    one, two = tmp_path / "one two.txt", tmp_path / "b.txt"
    one.write_text("b a  a\tc\n\n ä Z b\nlast")
    two.write_text("line a\n")
    words = [
        word for line in (one.read_text() + "\n" + two.read_text()).split("\n") for word in line.split(" ") if word
    ]
    said = subprocess.run(["sh", "-c", coreutils_command([one, two])], capture_output=True, check=True).stdout
    assert uniq_lines({word: words.count(word) for word in words}.items()) == said


@pytest.mark.parametrize("lines_per_s", [None, 10_000])
def test_the_feeder_sends_every_line_and_what_is_typed(tmp_path: Path, lines_per_s: int | None) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_bytes(b"".join(b"line %d\n" % i for i in range(3_000)) + b"no feed at the end")
    two.write_bytes(b"\n\nx\n")

    async def story() -> tuple[bytes, Feeder]:
        feeder = Feeder([one, two], SystemClock(), lines_per_s)
        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                await tasks.start(feeder.run)
                got = b""
                expected = one.read_bytes() + b"\n" + two.read_bytes()
                async with await anyio.connect_tcp("127.0.0.1", feeder.port) as engine:
                    while len(got) < len(expected):
                        got += await engine.receive()
                    async with await anyio.connect_tcp("127.0.0.1", feeder.typing_port) as typing:
                        await typing.send(b"typed wo")
                        await typing.send(b"rds\nhalf")
                    while not got.endswith(b"half\n") or not feeder.finished:
                        with anyio.move_on_after(0.05):
                            got += await engine.receive()
                tasks.cancel_scope.cancel()
        assert got == expected + b"typed words\nhalf\n"
        return got, feeder

    got, feeder = anyio.run(story)
    assert feeder.sent_lines == got.count(b"\n")
    assert feeder.finished
