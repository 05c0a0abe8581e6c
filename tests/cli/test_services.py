"""Commands that go on: what they count, how they end, and how `serve` looks after its pipelines."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import pytest

from app.cli.texts import coreutils_command
from app.storage.embedded import EmbeddedPostgres
from tests.cli.command import ROOT, WAIT_S, Process, free_port, started, watertable

GUIDE = ROOT / "pipelines" / "guide"
TEXT = "the cat and the dog\nand the bird\n"


@pytest.fixture
def lines() -> socket.socket:
    """A server that the socket source connects to."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(WAIT_S)
        yield server


@pytest.mark.parametrize("file", ["word_count.py", "word_count_sql.py"])
def test_the_word_count_of_the_guide_prints_all_counts(tmp_path: Path, lines: socket.socket, file: str) -> None:
    told = _feed_guide(tmp_path, lines, file)
    last = _batches(told)[-1]
    assert last == {"the": 4, "cat": 1, "and": 3, "dog": 1, "bird": 1, "ox": 1}, told
    assert re.search(r"\n-{43}\nBatch: \d+\n-{43}\n\+----\+-----\+\n\|word\|count\|\n\+----\+-----\+\n", f"\n{told}")


def test_the_word_count_of_the_guide_in_update_mode_prints_what_changed(tmp_path: Path, lines: socket.socket) -> None:
    told = _feed_guide(tmp_path, lines, "word_count_update.py")
    assert _batches(told)[-1] == {"the": 4, "and": 3, "ox": 1}, told


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("file", ["idle", "busy"])
def test_a_signal_ends_it_with_zero_within_five_seconds(tmp_path: Path, number: signal.Signals, file: str) -> None:
    pipeline = tmp_path / "pipeline.py"
    pipeline.write_text(
        "import threading\n"
        "from pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.getOrCreate()\n"
        "stream = spark.readStream.format('rate').option('rowsPerSecond', 1000).load()\n"
        "def slow(df, n):\n"
        "    print('in the middle', flush=True)\n"
        f"    threading.Event().wait({600 if file == 'busy' else 0})\n"
        "query = stream.writeStream.foreachBatch(slow).start()\n"
        "query.awaitTermination()\n"
    )
    with started("run", "--no-http", pipeline, cwd=tmp_path) as process:
        _until(lambda: "in the middle" in process.stdout.read_text(), process)
        process.signal(number)
        assert process.wait(timeout_s=5) == 0, process.told()
        assert "Traceback" not in process.stderr.read_text()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_long_static_query_with_zero_within_five_seconds(
    tmp_path: Path, number: signal.Signals
) -> None:
    pipeline = tmp_path / "pipeline.py"
    pipeline.write_text(
        "from pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.getOrCreate()\n"
        "spark.range(1).collect()\n"
        "print('in the middle', flush=True)\n"
        "spark.sql('select sum(a.id * b.id % 7) from range(1000000) a, range(10000000) b').collect()\n"
        "print('ended', flush=True)\n"
    )
    with started("run", "--no-http", pipeline, cwd=tmp_path) as process:
        _until(lambda: "in the middle" in process.stdout.read_text(), process)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout_s=2)
        process.signal(number)
        assert process.wait(timeout_s=5) == 0, process.told()
        assert process.stdout.read_text() == "in the middle\n"
        assert len(process.stderr.read_text().splitlines()) == 1, process.told()


def test_queries_stop_when_the_file_ends(tmp_path: Path) -> None:
    pipeline = tmp_path / "pipeline.py"
    pipeline.write_text(
        "from pyspark.sql import SparkSession\n"
        "stream = SparkSession.builder.getOrCreate().readStream.format('rate').load()\n"
        "stream.writeStream.queryName('rows').format('console').start()\n"
    )
    ended = watertable("run", "--no-http", pipeline, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "ended while rows ran" in ended.stderr


def test_a_query_that_fails_fails_the_run(tmp_path: Path) -> None:
    pipeline = tmp_path / "pipeline.py"
    pipeline.write_text(
        "from pyspark.sql import SparkSession\n"
        "stream = SparkSession.builder.getOrCreate().readStream.format('rate').option('rowsPerSecond', 100).load()\n"
        "query = stream.selectExpr('1 / (value - value) AS x').writeStream.format('console').start()\n"
        "query.awaitTermination()\n"
    )
    ended = watertable("run", "--no-http", pipeline, cwd=tmp_path)
    assert ended.returncode == 1
    assert f"{pipeline}:4: " in ended.stderr
    assert "DIVIDE_BY_ZERO" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_serve_runs_the_others_when_one_fails(tmp_path: Path, lines: socket.socket) -> None:
    folder = tmp_path / "pipelines"
    folder.mkdir()
    (folder / "broken.py").write_text("raise RuntimeError('not today')\n")
    (folder / "word_count.py").write_text((ROOT / "pipelines" / "word_count_postgres.py").read_text())
    port, peer = free_port(), lines.getsockname()[1]
    with started(
        "serve", "--port", str(port), folder, cwd=tmp_path, WORD_COUNT_HOST="127.0.0.1", WORD_COUNT_PORT=str(peer)
    ) as process:
        with lines.accept()[0] as connection:
            connection.sendall(TEXT.encode())
            result = f"http://127.0.0.1:{port}/queries/word_count/result?where.word=the"
            _until(lambda: '"count":3' in _get(result)[1].replace(" ", ""), process)
        status, text = _get(f"http://127.0.0.1:{port}/readyz")
        checks = {check["name"]: check for check in json.loads(text)["checks"]}
        assert status == 503
        assert checks["query word_count"]["ok"]
        assert "not today" in checks[f"pipeline {folder / 'broken.py'}"]["text"]
        _until(lambda: process.stderr.read_text().count("not today") >= 2, process)

        (folder / "broken.py").write_text("print('well again')\n")
        _until(lambda: _get(f"http://127.0.0.1:{port}/readyz")[0] == 200, process)

        failed = f'watertable_pipeline_failed{{pipeline="{folder / "broken.py"}"}} 0.0'
        assert failed in _get(f"http://127.0.0.1:{port}/metrics")[1]

        status_line = watertable("status", "--port", str(port), cwd=tmp_path)
        assert re.search(r"^word_count +\| active ", status_line.stdout, re.M), status_line
        process.signal(signal.SIGTERM)
        assert process.wait(timeout_s=5) == 0, process.told()


TWICE_BROKEN = """\
from pathlib import Path
from pyspark.sql import SparkSession
starts = Path("starts")
number = len(starts.read_text()) if starts.exists() else 0
starts.write_text("x" * (number + 1))
def fail(df, epoch):
    if number == 0:
        raise RuntimeError("the query is broken")
rates = SparkSession.builder.getOrCreate().readStream.format("rate").load()
rates.writeStream.format("noop").queryName("calm").start()
rates.writeStream.foreachBatch(fail).option("checkpointLocation", "here").start()
query = rates.writeStream.foreachBatch(fail).queryName("loud").start()
if number == 1:
    raise RuntimeError("the file is broken")
query.awaitTermination()
"""


def test_serve_counts_how_often_it_started_a_query_again(tmp_path: Path) -> None:
    folder, port = tmp_path / "pipelines", free_port()
    folder.mkdir()
    (folder / "twice.py").write_text(TWICE_BROKEN)

    def restarts() -> list[str]:
        if "is broken" not in process.stderr.read_text():
            return []
        text = _get(f"http://127.0.0.1:{port}/metrics")[1]
        return re.findall(r"watertable_query_restarts_total.* ([0-9.]+)", text)

    with started("serve", "--port", str(port), folder, cwd=tmp_path) as process:
        _until(lambda: restarts() == ["2.0"] * 3, process)
        assert process.stderr.read_text().count("is broken; starting it again") == 2, process.told()
        process.signal(signal.SIGTERM)
        assert process.wait(timeout_s=5) == 0, process.told()


def test_a_database_that_comes_late_and_goes_away_is_waited_for(tmp_path: Path, lines: socket.socket) -> None:
    server = EmbeddedPostgres(tmp_path / "home", durable=False)
    anyio.run(server.start)
    url, port, peer = server.url(), free_port(), lines.getsockname()[1]
    anyio.run(server.stop)
    settings = {"DATABASE_URL": url, "WORD_COUNT_HOST": "127.0.0.1", "WORD_COUNT_PORT": str(peer)}
    result = f"http://127.0.0.1:{port}/queries/word_count/result?where.word=the"
    try:
        with started(
            "run", "--port", str(port), ROOT / "pipelines" / "word_count_postgres.py", cwd=tmp_path, **settings
        ) as process:
            _until(lambda: "trying again" in process.stderr.read_text(), process)
            anyio.run(server.start)
            with lines.accept()[0] as connection:
                connection.sendall(TEXT.encode())
                _until(lambda: '"count":3' in _get(result)[1].replace(" ", ""), process)
                waits = process.stderr.read_text().count("trying again")
                anyio.run(server.stop)
                connection.sendall(b"the end\n")
                _until(lambda: process.stderr.read_text().count("trying again") > waits, process)
                anyio.run(server.start)
                _until(lambda: '"count":4' in _get(result)[1].replace(" ", ""), process)
            process.signal(signal.SIGTERM)
            assert process.wait(timeout_s=5) == 0, process.told()
            assert str(urlsplit(url).password) not in process.told()
    finally:
        anyio.run(server.stop)


def test_the_demo_counts_as_coreutils_do(tmp_path: Path) -> None:
    text = tmp_path / "text of mine.txt"
    text.write_bytes(Path(__file__).read_bytes() * 20 + "größer  als\tnull\n\nlast line".encode())
    ended = watertable("demo", "--once", "--port", "0", "--file", text, "--counts", "counts.txt", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    expected = subprocess.run(["sh", "-c", coreutils_command([text])], capture_output=True, check=True).stdout
    assert (tmp_path / "counts.txt").read_bytes() == expected
    counts = sorted((int(line.split()[0]) for line in expected.splitlines()), reverse=True)
    shown = [int(count.replace(",", "")) for count in re.findall(r"^ \S+ +([\d,]+) +█", ended.stdout, re.M)]
    assert shown == counts[: len(shown)]
    assert len(shown) > 5
    assert sorted(path.name for path in tmp_path.iterdir()) == ["counts.txt", text.name]


def test_the_demo_counts_what_is_typed(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text(TEXT)
    port = free_port()
    with started("demo", "--port", str(port), "--file", text, cwd=tmp_path) as process:
        _until(lambda: "nc 127.0.0.1 " in process.stdout.read_text(), process)
        typing = re.search(r"nc 127\.0\.0\.1 (\d+)", process.stdout.read_text())
        assert typing is not None
        with socket.create_connection(("127.0.0.1", int(typing[1])), timeout=WAIT_S) as nc:
            nc.sendall(b"watertable the watertable\n")
            result = f"http://127.0.0.1:{port}/queries/word_count/result?where.word=watertable"
            _until(lambda: '"count":2' in _get(result)[1].replace(" ", ""), process)
        process.signal(signal.SIGINT)
        assert process.wait() == 0, process.told()


def _feed_guide(folder: Path, lines: socket.socket, file: str) -> str:
    """Runs a word count of the guide, sends two lots of lines, one after the other was counted; what it printed."""
    port = lines.getsockname()[1]
    with started("run", "--no-http", GUIDE / file, "127.0.0.1", str(port), cwd=folder) as process:
        with lines.accept()[0] as connection:
            connection.sendall(TEXT.encode())
            _until(lambda: "bird" in process.stdout.read_text(), process)
            connection.sendall(b"and the ox\n")
            _until(lambda: re.search(r"\| *ox\| +1\|\n(\|.*\n)*\+-", process.stdout.read_text()) is not None, process)
            process.signal(signal.SIGTERM)
            assert process.wait(timeout_s=5) == 0, process.told()
        assert "Traceback" not in process.stderr.read_text()
        return process.stdout.read_text()


def _batches(told: str) -> list[dict[str, int]]:
    return [
        {word: int(count) for word, count in re.findall(r"^\| *(.+?)\| *(\d+)\|$", batch, re.M)}
        for batch in told.split("Batch: ")[1:]
    ]


def _until(condition: Callable[[], bool], process: Process) -> None:
    """Returns when the condition holds; fails when the process has ended or the bound is reached."""
    pause = threading.Event()
    for _ in range(int(WAIT_S / 0.05)):
        if condition():
            return
        assert process.alive, process.told()
        pause.wait(0.05)
    raise AssertionError(f"not within {WAIT_S} s; {process.told()}")


def _get(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url, timeout=10) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()
    except OSError as error:
        return 0, str(error)
