"""What is wrong is told in one paragraph with a place and a way out, by exit code, and nothing is left behind."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from tests.cli.command import python, watertable

HEAD = """\
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.getOrCreate()
table = spark.createDataFrame([(1, "x")], "a int, b string")
stream = spark.readStream.format("rate").load()
"""

WRONG_QUERIES = {
    "a missing column": ("table.select('c')", "UNRESOLVED_COLUMN"),
    "a type error": ("table.filter(F.col('a')).collect()", "DATATYPE_MISMATCH"),
    "an unknown function": ("table.selectExpr('frobnicate(a)')", "UNRESOLVED_ROUTINE"),
    "a sentence that is no SQL": ("spark.sql('SELEC 1')", "PARSE_SYNTAX_ERROR"),
    "an unknown table": ("spark.table('nowhere')", "TABLE_OR_VIEW_NOT_FOUND"),
    "an unknown source": ("spark.readStream.format('pigeon').load()", "DATA_SOURCE_NOT_FOUND"),
    "an unknown sink": ("stream.writeStream.format('pigeon').start()", "DATA_SOURCE_NOT_FOUND"),
    "an unknown option": ("spark.readStream.format('rate').option('rowsPerSecnd', 1).load()", "rowsPerSecond"),
    "a wrong option value": ("spark.readStream.format('rate').option('rowsPerSecond', 'many').load()", "many"),
    "a missing option": ("spark.readStream.format('socket').option('host', 'localhost').load()", "port"),
    "a mode that does not fit": (
        "stream.groupBy('value').count().writeStream.outputMode('append').format('console').start()",
        "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION",
    ),
    "an unknown mode": ("stream.writeStream.outputMode('sometimes').format('console').start()", "sometimes"),
    "a sink that needs an identity": (
        "stream.writeStream.format('postgres').option('dbtable', 't').start()",
        "CHECKPOINT_LOCATION_MISSING",
    ),
    "a malformed schema": ("spark.createDataFrame([], 'a int,, b')", "PARSE_SYNTAX_ERROR"),
    "an unknown type": ("spark.createDataFrame([], 'a integre')", "UNSUPPORTED_DATATYPE"),
    "an action on a stream": ("stream.show()", "writeStream.start"),
}


RUN_ALL = """\
import contextlib, io, json, sys
from app.cli.main import main
told = {}
for file in sys.argv[1:]:
    with contextlib.redirect_stderr(io.StringIO()) as stderr:
        code = main(["run", "--no-http", file])
    told[file] = (code, stderr.getvalue())
print(json.dumps(told))
"""
"""One process for all of them: most of the time of a command is its start."""


@pytest.fixture(scope="module")
def wrong_queries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, int, str]]:
    """For each wrong query: its file, the exit code, and what was said."""
    folder = tmp_path_factory.mktemp("wrong")
    files = {what: str(folder / f"{what.replace(' ', '_')}.py") for what in WRONG_QUERIES}
    for what, file in files.items():
        Path(file).write_text(f"{HEAD}{WRONG_QUERIES[what][0]}\n")
    ended = python("-c", RUN_ALL, *files.values(), cwd=folder)
    assert ended.returncode == 0, ended.stderr
    assert not (folder / ".watertable").exists()
    told = json.loads(ended.stdout)
    return {what: (file, *told[file]) for what, file in files.items()}


@pytest.mark.parametrize("what", WRONG_QUERIES)
def test_a_wrong_query_is_told_with_its_line(wrong_queries: dict[str, tuple[str, int, str]], what: str) -> None:
    file, code, stderr = wrong_queries[what]
    assert code == 2, stderr
    _one_paragraph(stderr, f"{file}:5: [", WRONG_QUERIES[what][1])


def test_a_wrong_query_ends_the_command_with_two(tmp_path: Path) -> None:
    pipeline = _pipeline(tmp_path, HEAD + "table.select('c')\n")
    ended = watertable("run", "--no-http", pipeline, cwd=tmp_path)
    assert ended.returncode == 2, ended.stderr
    _one_paragraph(ended.stderr, f"{pipeline}:5: [", "UNRESOLVED_COLUMN")
    assert not (tmp_path / ".watertable").exists()


def test_a_pipeline_that_raises_is_told_with_its_line(tmp_path: Path) -> None:
    pipeline = _pipeline(tmp_path, "def share(n):\n    return 1 / n\n\nshare(0)\n")
    ended = watertable("run", "--no-http", pipeline, cwd=tmp_path)
    assert ended.returncode == 1
    _one_paragraph(ended.stderr, f"{pipeline}:2: ZeroDivisionError: division by zero")


def test_the_traceback_comes_when_asked_for(tmp_path: Path) -> None:
    pipeline = _pipeline(tmp_path, "1 / 0\n")
    ended = watertable("run", "--no-http", "--traceback", pipeline, cwd=tmp_path)
    assert ended.returncode == 1
    assert "Traceback (most recent call last)" in ended.stderr


def test_a_pipeline_that_does_not_parse_is_told_with_its_line(tmp_path: Path) -> None:
    pipeline = _pipeline(tmp_path, "x = 1\nif x\n")
    ended = watertable("run", "--no-http", pipeline, cwd=tmp_path)
    assert ended.returncode == 1
    _one_paragraph(ended.stderr, f"{pipeline}:2: SyntaxError: ")


def test_the_exit_code_of_a_pipeline_is_its_own(tmp_path: Path) -> None:
    ended = watertable("run", "--no-http", _pipeline(tmp_path, "import sys\nsys.exit(7)\n"), cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (7, "")


def test_the_installed_pyspark_is_used_when_asked_for(tmp_path: Path) -> None:
    package = tmp_path / "pyspark"
    package.mkdir()
    (package / "__init__.py").write_text("print('the installed one')\n")
    pipeline = _pipeline(tmp_path, "import pyspark\n")
    assert watertable("run", "--installed-pyspark", pipeline, cwd=tmp_path).stdout == "the installed one\n"
    ours = watertable("run", "--no-http", pipeline, cwd=tmp_path)
    assert (ours.returncode, ours.stdout) == (0, ""), ours.stderr


@pytest.mark.parametrize("command", ["run", "serve"])
def test_a_path_that_is_not_there_is_told(tmp_path: Path, command: str) -> None:
    ended = watertable(command, tmp_path / "nowhere", cwd=tmp_path)
    assert ended.returncode == 2
    _one_paragraph(ended.stderr, "[PATH_NOT_FOUND]", "nowhere")


@pytest.mark.parametrize("arguments", [(), ("fly",), ("run",), ("run", "--port", "70000", "p.py"), ("sql",)])
def test_a_wrong_command_line_shows_the_usage(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    ended = watertable(*arguments, cwd=tmp_path)
    assert ended.returncode == 2
    assert ended.stderr.startswith("usage: watertable")


@pytest.mark.parametrize("command", ["run", "serve"])
def test_a_port_in_use_is_told_before_anything_starts(tmp_path: Path, command: str) -> None:
    pipeline = _pipeline(tmp_path, "raise SystemExit(9)\n")
    target = {"run": [pipeline], "serve": [tmp_path]}[command]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = watertable(command, "--port", str(port), *target, cwd=tmp_path)
    assert ended.returncode == 3
    _one_paragraph(ended.stderr, "[PORT_IN_USE]", str(port))
    assert not (tmp_path / ".watertable").exists()


def test_another_address_needs_a_token(tmp_path: Path) -> None:
    ended = watertable("run", "--host", "0.0.0.0", _pipeline(tmp_path, "pass\n"), cwd=tmp_path)
    assert ended.returncode == 3
    _one_paragraph(ended.stderr, "WATERTABLE_HTTP_TOKEN")


@pytest.mark.parametrize(
    ("name", "value"),
    [("WATERTABLE_HTTP_PORT", "http"), ("WATERTABLE_KERNEL_MEMORY_MB", "1"), ("WATERTABLE_LOG_LEVEL", "loud")],
)
def test_a_setting_that_cannot_be_is_named(tmp_path: Path, name: str, value: str) -> None:
    ended = watertable("run", _pipeline(tmp_path, "pass\n"), cwd=tmp_path, **{name: value})
    assert ended.returncode == 3
    _one_paragraph(ended.stderr, name)


def _pipeline(folder: Path, text: str) -> Path:
    file = folder / "pipeline.py"
    file.write_text(text)
    return file


def _one_paragraph(stderr: str, *parts: str) -> None:
    told = [line for line in stderr.splitlines() if not line[:4].isdigit()]
    assert len(told) == 1, stderr
    assert told[0].startswith("watertable: ")
    assert "Traceback" not in stderr
    for part in parts:
        assert part in told[0]
