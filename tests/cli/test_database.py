"""The commands and a database: what they print, and what they say when it cannot be used."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import anyio
import asyncpg
import pytest

from app.clock import SystemClock
from app.errors import PlanError
from app.settings import Settings
from app.storage.console import Answer, ask
from tests.cli.command import free_port, watertable

COUNTS = """\
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
rows = spark.readStream.schema("k string, n int").csv("rows")
counts = rows.groupBy("k").sum("n").withColumnRenamed("sum(n)", "total")
query = (counts.writeStream.outputMode("update").format("postgres").option("dbtable", "totals")
         .queryName("totals").trigger(availableNow=True).start())
query.awaitTermination()
"""


def test_a_pipeline_run_twice_goes_on_where_it_was(tmp_path: Path, empty_postgres_url: str) -> None:
    pipeline = tmp_path / "counts.py"
    pipeline.write_text(COUNTS)
    (tmp_path / "rows").mkdir()
    for name, text in (("1.csv", "a,1\nb,2\n"), ("2.csv", "a,10\nc,3\n")):
        (tmp_path / "rows" / name).write_text(text)
        ended = watertable("run", "--no-http", pipeline, cwd=tmp_path, DATABASE_URL=empty_postgres_url)
        assert ended.returncode == 0, ended.stderr
    answer = watertable("sql", "SELECT * FROM totals ORDER BY k", cwd=tmp_path, DATABASE_URL=empty_postgres_url)
    assert answer.stdout == "k | total\n--+------\na |    11\nb |     2\nc |     3\n(3 rows)\n", answer.stderr

    status = watertable("status", "--port", str(free_port()), cwd=tmp_path, DATABASE_URL=empty_postgres_url)
    assert status.returncode == 0, status.stderr
    line = next(line for line in status.stdout.splitlines() if line.startswith("totals"))
    assert [cell.strip() for cell in line.split("|")][:3] == ["totals", "not running here", "1"]
    assert not (tmp_path / ".watertable").exists()


def test_migrate_makes_the_tables_once(tmp_path: Path, empty_postgres_url: str) -> None:
    for _ in range(2):
        ended = watertable("migrate", cwd=tmp_path, DATABASE_URL=empty_postgres_url)
        assert (ended.returncode, ended.stdout) == (0, "The database is up to date.\n"), ended.stderr
    tables = _fetch(empty_postgres_url, "SELECT count(*) FROM pg_tables WHERE schemaname = 'watertable'")
    assert tables > 5


def test_status_leaves_a_new_database_as_it_is(tmp_path: Path, empty_postgres_url: str) -> None:
    status = watertable("status", "--port", str(free_port()), cwd=tmp_path, DATABASE_URL=empty_postgres_url)
    assert (status.returncode, status.stderr) == (0, "")
    assert "has no tables of Watertable" in status.stdout
    assert _fetch(empty_postgres_url, "SELECT count(*) FROM pg_namespace WHERE nspname = 'watertable'") == 0


@pytest.mark.parametrize("command", [("status",), ("sql", "SELECT 1")])
def test_looking_makes_no_database(tmp_path: Path, command: tuple[str, ...]) -> None:
    ended = watertable(*command, cwd=tmp_path)
    assert "There is no database yet" in ended.stdout + ended.stderr
    assert not list(tmp_path.iterdir())


REFUSED = [
    ("SELECT * FROM nowhere", "nowhere"),
    ("CREATE TABLE t (a int)", "only reads"),
    ("WITH w AS (DELETE FROM kept RETURNING a) SELECT * FROM w", "only reads"),
    ("COPY (SELECT 1) TO '/nowhere/file'", "no columns"),
    ("COPY (SELECT 1) TO PROGRAM 'false'", "no columns"),
    ("DO $$BEGIN RAISE 'never'; END$$", "no columns"),
    ("SELECT pg_read_file('/etc/hostname')", "cannot: use psql"),
    ("SELECT lo_import('/etc/hostname')", "cannot: use psql"),
    ("SELECT set_config('role', 'none', true), a FROM ts_stat('SELECT 1')", "may not be used here"),
    ("SELECT 1) TO PROGRAM 'false' --", "syntax error"),
    ("SELECT 1; SELECT 2", "multiple commands"),
    ("SELECT $1::int", "parameters"),
    ("SELECT 1 / 0", "division by zero. Correct the values"),
    ("SELECT count(*) OVER (ROWS 1 FOLLOWING) FROM kept FOR UPDATE", "only reads"),
    ("SELECT DISTINCT a FROM kept FOR UPDATE", "FOR UPDATE"),
]


@pytest.mark.parametrize(("statement", "said"), REFUSED)
def test_sql_only_reads(empty_postgres_url: str, statement: str, said: str) -> None:
    _execute(empty_postgres_url, "CREATE TABLE kept AS SELECT 1 AS a")
    with pytest.raises(PlanError) as refused:
        _ask(empty_postgres_url, statement)
    assert refused.value.code == "SQL_REFUSED"
    assert said in refused.value.sentence
    assert _fetch(empty_postgres_url, "SELECT count(*) FROM kept") == 1
    assert _fetch(empty_postgres_url, "SELECT count(*) FROM pg_tables WHERE tablename = 't'") == 0


def test_a_refused_statement_is_one_line(tmp_path: Path, empty_postgres_url: str) -> None:
    ended = watertable("sql", "COPY (SELECT 1) TO STDOUT", cwd=tmp_path, DATABASE_URL=empty_postgres_url)
    assert ended.returncode == 2
    assert ended.stderr.startswith("watertable: [SQL_REFUSED] ")
    assert ended.stderr.count("\n") == 1


def test_sql_reads_every_table_and_prints_as_postgresql_writes(postgres_url: str) -> None:
    _execute(
        postgres_url,
        """CREATE SCHEMA own; REVOKE ALL ON SCHEMA own FROM PUBLIC;
        CREATE TABLE own.kinds (j jsonb, b bytea, t boolean, i interval, n numeric, a int[], x text, c "char");
        INSERT INTO own.kinds VALUES ('{"a": [1, "b"]}', '\\x00ff', true, '1 day 02:00:03', 1.50, '{1,NULL}', 'x', 'y'),
            (NULL, NULL, false, NULL, 'NaN', NULL, NULL, NULL)""",
    )
    answer = _ask(postgres_url, "SELECT *, 1 AS j FROM own.kinds ORDER BY x; ")
    assert answer.columns == ("j", "b", "t", "i", "n", "a", "x", "c", "j")
    assert answer.numbers == (False, False, False, False, True, False, False, False, True)
    assert answer.rows == [
        ('{"a": [1, "b"]}', "\\x00ff", "true", "1 day 02:00:03", "1.50", "{1,NULL}", "x", "y", "1"),
        (None, None, "false", None, "NaN", None, None, None, "1"),
    ]
    counted = "SELECT count(*) = 0 FROM watertable.query -- a comment"
    assert _ask(postgres_url, counted).rows == [("true",)]
    assert _ask(postgres_url, "SHOW server_encoding").rows == [("UTF8",)]
    assert "Result" in str(_ask(postgres_url, "EXPLAIN SELECT 1").rows)
    for statement in ("VALUES (1), (2)", "TABLE own.kinds", "WITH w AS (SELECT 1) SELECT *, 'x' FROM w"):
        assert _ask(postgres_url, statement).rows


COMMANDS = [
    ("run", "--no-http", "counts.py"),
    ("serve", "--port", "0", "."),
    ("migrate",),
    ("status",),
    ("sql", "SELECT 1"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_wrong_password_is_told(tmp_path: Path, empty_postgres_url: str, command: tuple[str, ...]) -> None:
    _refused(tmp_path, command, _with(empty_postgres_url, password="wrong"), "refuses the login")


def test_a_database_that_does_not_exist_is_told(tmp_path: Path, empty_postgres_url: str) -> None:
    _refused(tmp_path, ("migrate",), _with(empty_postgres_url, database="nowhere"), "does not exist")


@pytest.mark.parametrize(("more", "said"), [("&foo=1", "does not take the connection"), ("0&port=x", "cannot be read")])
def test_a_wrong_parameter_of_the_url_is_told_at_once(
    tmp_path: Path, empty_postgres_url: str, more: str, said: str
) -> None:
    _refused(tmp_path, ("migrate",), empty_postgres_url + more, said)


@pytest.mark.parametrize("command", COMMANDS[:2], ids=lambda command: command[0])
def test_a_database_that_takes_no_writes_is_told(
    tmp_path: Path, empty_postgres_url: str, command: tuple[str, ...]
) -> None:
    name = urlsplit(empty_postgres_url).path[1:]
    _fetch(empty_postgres_url, f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    _refused(tmp_path, command, empty_postgres_url, "takes no writes")
    assert _fetch(empty_postgres_url, "SELECT count(*) FROM pg_namespace WHERE nspname = 'watertable'") == 0


@pytest.mark.parametrize("command", COMMANDS[:2], ids=lambda command: command[0])
def test_a_missing_server_is_waited_for_as_long_as_set(tmp_path: Path, command: tuple[str, ...]) -> None:
    url = f"postgresql://someone:secret-word@127.0.0.1:{free_port()}/somewhere"
    stderr = _refused(tmp_path, command, url, "could not be reached", WATERTABLE_DATABASE_RETRY_S="1")
    assert "trying again" in stderr


def _refused(folder: Path, command: tuple[str, ...], url: str, said: str, **settings: str) -> str:
    (folder / "counts.py").write_text(COUNTS)
    (folder / "rows").mkdir()
    (folder / "rows" / "1.csv").write_text("a,1\n")
    ended = watertable(*command, cwd=folder, DATABASE_URL=url, **settings)
    assert ended.returncode == 3, ended.stderr
    last = ended.stderr.splitlines()[-1]
    assert last.startswith("watertable: ")
    assert said in last
    assert "Traceback" not in ended.stderr
    assert (urlsplit(url).password or "none") not in ended.stderr
    assert not (folder / ".watertable").exists()
    return ended.stderr


def _with(url: str, *, password: str | None = None, database: str | None = None) -> str:
    parts = urlsplit(url)
    netloc = parts.netloc if password is None else parts.netloc.replace(f":{parts.password}@", f":{password}@")
    return urlunsplit(parts._replace(netloc=netloc, path=parts.path if database is None else f"/{database}"))


def _fetch(url: str, statement: str) -> int:
    async def fetch() -> int:
        connection = await asyncpg.connect(url)
        try:
            return await connection.fetchval(statement)
        finally:
            await connection.close()

    return anyio.run(fetch)


def _execute(url: str, statements: str) -> None:
    async def execute() -> None:
        connection = await asyncpg.connect(url)
        try:
            await connection.execute(statements)
        finally:
            await connection.close()

    anyio.run(execute)


def _ask(url: str, statement: str) -> Answer:
    return anyio.run(ask, Settings(database_url=url), SystemClock(), statement)
