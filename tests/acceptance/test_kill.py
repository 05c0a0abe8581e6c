"""A service that is killed at random instants counts every line of the ingest log exactly once."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import asyncpg
import pytest

from tests.acceptance.feeder import Feeder
from tests.acceptance.service import Service

KILLS = 50
PIPELINE = '''
import sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("lines").getOrCreate()
lines = spark.readStream.format("socket").option("host", "127.0.0.1").option("port", sys.argv[1]).load()
query = (
    lines.groupBy("value").count().writeStream.outputMode("update").format("postgres").queryName("lines").start()
)
query.awaitTermination()
'''
COUNTED = "SELECT count(*) AS rows, coalesce(sum(count), 0)::bigint AS total FROM lines"
LOGGED = """
    SELECT (e.ends ->> 0)::bigint AS position, q.input_rows
    FROM watertable.query q JOIN watertable.epoch e ON e.query_id = q.id AND e.number = q.epoch WHERE q.key = 'lines'
"""


@pytest.mark.parametrize("seed", [20261129])
def test_every_logged_line_is_counted_once_whatever_is_killed(
    postgres_url: str, tmp_path: Path, seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(seed)
    pipeline = tmp_path / "lines.py"
    pipeline.write_text(PIPELINE)
    feeder = Feeder(lambda n: f"line {n}", seed)
    log = tmp_path / "service.log"
    reader = _Reader(postgres_url)
    for kill in range(KILLS):
        with Service(pipeline, str(feeder.port), url=postgres_url, log=log) as service:
            feeder.wait_for_connection(kill)
            feeder.wait_for_lines(feeder.sent + chance.choice([1, 50, 500, 3_000]))
            service.kill()
        asyncio.run(reader.look())
    with Service(pipeline, str(feeder.port), url=postgres_url, log=log) as service:
        feeder.wait_for_connection(KILLS)
        feeder.wait_for_lines(feeder.sent + 500)
        feeder.finish()
        last = feeder.sent - 1
        asyncio.run(reader.wait_for_line(f"line {last}"))
        assert service.terminate() == 0, log.read_text()
    counted = asyncio.run(reader.counted())
    lost = feeder.sent - len(counted)
    with capsys.disabled():
        print(f"\nkills {KILLS}, sent {feeder.sent}, logged and counted {len(counted)}, sent but never logged {lost}")
    _only_tails_are_lost(feeder, counted)
    assert lost < feeder.sent, "nothing was counted at all"


def _only_tails_are_lost(feeder: Feeder, counted: set[str]) -> None:
    """On each connection a prefix of what was sent is counted: what is lost had not been acknowledged by the log."""
    for connection in feeder.connections:
        seen = [f"line {n}" in counted for n in range(connection.first, connection.end)]
        assert seen == sorted(seen, reverse=True), f"a hole in lines {connection.first} to {connection.end}"
    assert not counted - {f"line {n}" for n in range(feeder.sent)}, "a line was counted that nobody sent"


class _Reader:
    """Another connection that looks at result and epochs in one snapshot."""

    def __init__(self, url: str) -> None:
        self._url = url.replace("+asyncpg", "")

    async def look(self) -> None:
        """Result and offsets agree, and no line is counted twice."""
        connection = await asyncpg.connect(self._url)
        try:
            async with connection.transaction(isolation="repeatable_read", readonly=True):
                if await connection.fetchval("SELECT to_regclass('lines')") is None:
                    return
                counted = await connection.fetchrow(COUNTED)
                logged = await connection.fetchrow(LOGGED)
        finally:
            await connection.close()
        total = logged["position"] if logged else 0
        assert counted["rows"] == counted["total"] == total, f"{dict(counted)} but the log was read to {total}"
        assert total == (logged["input_rows"] if logged else 0)

    async def wait_for_line(self, line: str) -> None:
        connection = await asyncpg.connect(self._url)
        try:
            async with asyncio.timeout(60):
                while not await connection.fetchval("SELECT 1 FROM lines WHERE value = $1", line):
                    await connection.fetchval("SELECT pg_sleep(0.05)")
        finally:
            await connection.close()

    async def counted(self) -> set[str]:
        await self.look()
        connection = await asyncpg.connect(self._url)
        try:
            return {row["value"] for row in await connection.fetch("SELECT value FROM lines")}
        finally:
            await connection.close()
